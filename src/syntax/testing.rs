//! Helpers for the tests of this folder: a sink that keeps documents and applies the blob rules
//! that decide between JSON and YAML.

use super::document::{Document, Reader, Sink};
use super::error::SyntaxError;
use super::tree::{Format, Tree};
use super::{scalar, value};
use std::path::{Path, PathBuf};

/// A document, kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub start: u64,
    pub end: u64,
    pub line: u32,
    pub column: u32,
    pub format: Format,
    pub text: Vec<u8>,
    pub parsed: Result<Tree, SyntaxError>,
    /// Its canonical JSON, or the error reported.
    pub json: Result<String, String>,
}

#[derive(Debug, Default)]
pub struct Keep(pub Vec<Kept>);

impl Sink for Keep {
    fn accepts(&mut self, document: &Document<'_>) -> bool {
        blob(document).is_ok()
    }

    fn document(&mut self, document: Document<'_>) {
        let json = blob(&document);
        self.0.push(Kept {
            start: document.start,
            end: document.end,
            line: document.line,
            column: document.column,
            format: document.format,
            text: document.text.to_vec(),
            json,
            parsed: document.parsed,
        });
    }
}

fn blob(document: &Document<'_>) -> Result<String, String> {
    let tree = document.parsed.as_ref().map_err(|e| e.opm.clone())?;
    if let Some(refusal) = value::not_a_mapping(tree, document.text) {
        return Err(refusal);
    }
    let Some(root) = tree.root() else {
        return Ok(String::new());
    };
    if !tree.kind(tree.resolve_alias(root)).is_mapping() {
        return Ok(if document.format == Format::Json {
            "null".into()
        } else {
            String::new()
        });
    }
    for entry in value::mapping_entries(tree, document.text, root).map_err(|e| e.opm)? {
        let is_text = scalar::text(tree, document.text, entry.value_node).is_some();
        if ["schema", "package", "name"].contains(&&*entry.key) && !is_text {
            let prefix = if document.format == Format::Yaml {
                "error unmarshaling JSON: while decoding JSON: "
            } else {
                ""
            };
            return Err(format!("{prefix}expected value for key {:?}", entry.key));
        }
    }
    value::document_json(tree, document.text).map_err(|e| e.opm)
}

/// Reads a file that arrives in pieces of this size.
pub fn read(file: &[u8], piece: usize) -> Vec<Kept> {
    let mut keep = Keep::default();
    let mut reader = Reader::default();
    for bytes in file.chunks(piece) {
        reader.feed(bytes, &mut keep);
    }
    reader.finish(&mut keep);
    keep.0
}

/// Returns the blobs that `opm` gets from a file before its first refusal, and the refusal.
pub fn as_opm(file: &[u8], piece: usize) -> (Vec<String>, Option<String>) {
    let mut blobs = Vec::new();
    for document in read(file, piece) {
        match document.json {
            Ok(json) => blobs.push(json),
            Err(refusal) => return (blobs, Some(refusal)),
        }
    }
    (blobs, None)
}

/// Lists real files, if they are available.
pub fn corpus(folders: &[&str]) -> Vec<PathBuf> {
    let shared = std::env::var_os("SWITCHYARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = folders
        .iter()
        .map(|f| shared.join("corpus").join(f))
        .collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                open.push(entry.path())
            } else {
                files.push(entry.path())
            }
        }
    }
    if files.is_empty() {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
    }
    files.sort();
    files
}
