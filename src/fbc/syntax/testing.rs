//! What the tests of this folder share: a sink that keeps what it is given and applies the few blob rules that decide
//! between JSON and YAML.

use super::document::{Document, Reader, Sink};
use super::error::SyntaxError;
use super::tree::{Format, Tree};
use super::{scalar, value};
use std::path::{Path, PathBuf};

/// A document, kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) format: Format,
    pub(crate) text: Vec<u8>,
    pub(crate) parsed: Result<Tree, SyntaxError>,
    /// Its canonical JSON, or what is told of it.
    pub(crate) json: Result<String, String>,
}

#[derive(Debug, Default)]
pub(crate) struct Keep(pub(crate) Vec<Kept>);

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
    if let Some(words) = value::not_a_mapping(tree, document.text) {
        return Err(words);
    }
    let Some(root) = tree.root() else { return Ok(String::new()) };
    if !tree.kind(tree.resolve_alias(root)).is_mapping() {
        return Ok(if document.format == Format::Json { "null".into() } else { String::new() });
    }
    for entry in value::mapping_entries(tree, document.text, root).map_err(|e| e.opm)? {
        let is_text = scalar::text(tree, document.text, entry.value_node).is_some();
        if ["schema", "package", "name"].contains(&&*entry.key) && !is_text {
            let prefix =
                if document.format == Format::Yaml { "error unmarshaling JSON: while decoding JSON: " } else { "" };
            return Err(format!("{prefix}expected value for key {:?}", entry.key));
        }
    }
    value::document_json(tree, document.text).map_err(|e| e.opm)
}

/// All documents of a file that is fed in pieces of a size.
pub(crate) fn read(file: &[u8], piece: usize) -> Vec<Kept> {
    let mut keep = Keep::default();
    let mut reader = Reader::new();
    for bytes in file.chunks(piece) {
        reader.feed(bytes, &mut keep);
    }
    reader.finish(&mut keep);
    keep.0
}

/// What `opm` gets of a file: the blobs before its first refusal, and that.
pub(crate) fn as_opm(file: &[u8], piece: usize) -> (Vec<String>, Option<String>) {
    let mut blobs = Vec::new();
    for document in read(file, piece) {
        match document.json {
            Ok(json) => blobs.push(json),
            Err(words) => return (blobs, Some(words)),
        }
    }
    (blobs, None)
}

/// Real files, where they are at hand.
pub(crate) fn corpus(folders: &[&str]) -> Vec<PathBuf> {
    let shared = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|f| shared.join("corpus").join(f)).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { open.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    if files.is_empty() {
        println!("skipped: no real catalogs beside the checkout (SWITCHYARD_SHARED names another place)");
    }
    files.sort();
    files
}

/// Compares structure and scalar places with a parser of YAML 1.2; the error says what differs. Block scalars and absent
/// values have other places there.
pub(crate) fn second_opinion(text: &str) -> Result<(), String> {
    use super::tree::{Kind, NodeId};
    use granit_parser::{Event, Parser, StructureStyle, options};

    let options = options! { emit_comments: false };
    let mut theirs = Vec::new();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|e| e.to_string())?;
        let range = span.byte_range().unwrap_or_default();
        theirs.push(match event {
            Event::Scalar(value, ..) if value.is_empty() || range.is_empty() => "absent or empty".to_owned(),
            Event::Scalar(..)
                if text[..range.start].trim_end_matches([' ', '\n', '\r']).ends_with(['|', '>', '-', '+']) =>
            {
                "block".to_owned()
            }
            Event::Scalar(..) => format!("scalar {range:?}"),
            Event::Alias(..) => format!("alias {range:?}"),
            Event::SequenceStart(StructureStyle::Flow, ..) => format!("[ {}", range.start),
            Event::MappingStart(StructureStyle::Flow, ..) => format!("{{ {}", range.start),
            Event::SequenceStart(..) => "- list".to_owned(),
            Event::MappingStart(..) => "mapping".to_owned(),
            Event::SequenceEnd | Event::MappingEnd => "end".to_owned(),
            _ => continue,
        });
    }
    let tree = super::yaml::parse(text.as_bytes()).map_err(|e| e.opm)?;
    let mut ours = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    for i in 0..=tree.len() as u32 {
        while ends.last() == Some(&i) {
            ends.pop();
            ours.push("end".to_owned());
        }
        if i == tree.len() as u32 {
            break;
        }
        let node = tree.node(NodeId(i));
        let range = tree.range(NodeId(i));
        if node.kind.is_mapping() || node.kind.is_sequence() {
            ends.push(node.next);
        }
        ours.push(match node.kind {
            Kind::Absent => "absent or empty".to_owned(),
            Kind::Literal | Kind::Folded if scalar::decode(&tree, text.as_bytes(), NodeId(i)).is_empty() => {
                "absent or empty".to_owned()
            }
            Kind::SingleQuoted | Kind::DoubleQuoted if range.len() == 2 => "absent or empty".to_owned(),
            Kind::Literal | Kind::Folded => "block".to_owned(),
            Kind::Alias => format!("alias {range:?}"),
            Kind::FlowSequence => format!("[ {}", range.start),
            Kind::FlowMapping => format!("{{ {}", range.start),
            Kind::BlockSequence => "- list".to_owned(),
            Kind::BlockMapping => "mapping".to_owned(),
            _ => format!("scalar {range:?}"),
        });
    }
    // A plain or quoted scalar behind `- ` looks like a block scalar's header to the test above.
    let differs = ours.iter().zip(&theirs).position(|(o, t)| o != t && !(t == "block" && o.starts_with("scalar")));
    match differs {
        Some(i) => Err(format!("event {i}: ours {}, theirs {}", ours[i], theirs[i])),
        None if ours.len() != theirs.len() => Err(format!("{} events, {} theirs", ours.len(), theirs.len())),
        None => Ok(()),
    }
}
