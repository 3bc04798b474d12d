//! Reads the blobs of catalog files as `opm` loads them.

use super::value::{Numbers, read};
use super::{File, Refusal, typed, types};
use catalog::ignore::{FILE_NAME, IgnoreRules};
use catalog::model::{Body, Pool, lower};
use catalog::walk_order;
use serde_json::Value;
use syntax::document::{Document, Reader, Sink};
use syntax::tree::Format;

/// The order of a bundle's related images and properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BundleContent {
    /// As `opm render` prints them.
    Sorted,
    AsWritten,
}

/// Reads the blobs of catalog files in walk order.
pub(super) fn read_catalog(files: &[File], content: BundleContent) -> Result<Vec<Value>, Refusal> {
    let mut files: Vec<&File> = files.iter().collect();
    files.sort_by(|a, b| walk_order(&a.path, &b.path));
    let mut rules = IgnoreRules::default();
    let (ignores, files): (Vec<&File>, Vec<&File>) = files
        .into_iter()
        .partition(|file| file.path.rsplit('/').next() == Some(FILE_NAME));
    for file in ignores {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        rules.add(folder, &file.bytes).map_err(|error| Refusal {
            message: error.to_string(),
            file: Some(file.path.clone()),
            line: Some(error.line + 1),
            help: "shorten the line".to_owned(),
        })?;
    }
    let mut blobs = Vec::new();
    for file in files.into_iter().filter(|file| !rules.ignores(&file.path)) {
        let mut sink = BlobSink {
            path: &file.path,
            content,
            pool: Pool::default(),
            blobs,
            refusal: None,
        };
        Reader::read_file(&file.bytes, &mut sink);
        blobs = match sink.refusal {
            Some(refusal) => return Err(refusal),
            None => sink.blobs,
        };
    }
    Ok(blobs)
}

/// Reads a document of a catalog as written, including unknown fields and empty lists, with numbers
/// as in [`super::read_catalog`]; `None` if it is unreadable.
pub fn read_document(text: &[u8], format: Format) -> Option<Value> {
    let tree = syntax::parse(text, format).ok()?;
    read(&tree, text, tree.root()?, Numbers::Floats).ok()
}

/// Reads the non-empty documents of a catalog file as in [`read_document`]. The refusal concerns
/// the first unreadable one.
pub fn read_documents(bytes: &[u8]) -> Result<Vec<Value>, Refusal> {
    let mut sink = DocumentSink(Ok(Vec::new()));
    Reader::read_file(bytes, &mut sink);
    sink.0
}

struct DocumentSink(Result<Vec<Value>, Refusal>);

impl Sink for DocumentSink {
    fn accepts(&mut self, document: &Document<'_>) -> bool {
        lower::accepts(document)
    }

    fn document(&mut self, document: Document<'_>) {
        let Ok(documents) = &mut self.0 else { return };
        let read = match &document.parsed {
            Ok(tree) => tree
                .root()
                .map(|root| read(tree, document.text, root, Numbers::Floats))
                .transpose(),
            Err(error) => Err(error.clone()),
        };
        match read {
            Ok(value) => documents.extend(value),
            Err(error) => {
                let before = document.text.get(..error.at as usize).unwrap_or_default();
                let line = before.iter().filter(|byte| **byte == b'\n').count() as u32;
                self.0 = Err(Refusal {
                    line: Some(document.line + line + 1),
                    ..Refusal::new(error.problem, "correct the text there")
                });
            }
        }
    }
}

/// Converts a document read as written to the form of [`super::read_catalog`]. The error is Go's.
pub fn as_loaded(blob: &Value) -> Result<Value, String> {
    let go_type = match blob["schema"].as_str() {
        Some("olm.package") => &types::PACKAGE,
        Some("olm.channel") => &types::CHANNEL,
        Some("olm.bundle") => &types::BUNDLE,
        Some("olm.deprecations") => &types::DEPRECATIONS,
        _ => return Ok(blob.clone()),
    };
    let mut loaded = typed::decode(blob, go_type).map_err(|error| error.message)?;
    super::blobs::sort_images_and_properties(&mut loaded);
    Ok(loaded)
}

struct BlobSink<'f> {
    path: &'f str,
    content: BundleContent,
    pool: Pool,
    blobs: Vec<Value>,
    refusal: Option<Refusal>,
}

impl Sink for BlobSink<'_> {
    fn accepts(&mut self, document: &Document<'_>) -> bool {
        lower::accepts(document)
    }

    fn document(&mut self, document: Document<'_>) {
        if self.refusal.is_some() {
            return;
        }
        let blob = lower::lower(&document, &mut self.pool);
        let refused = |line: u32, message: String, help: String| Refusal {
            message,
            file: Some(self.path.to_owned()),
            line: Some(document.line + line + 1),
            help,
        };
        if let Some(fault) = blob.faults.first() {
            self.refusal = Some(refused(
                fault.place.line,
                fault.opm.clone(),
                fault.help.clone(),
            ));
            return;
        }
        let Ok(tree) = &document.parsed else { return };
        let Some(root) = tree.root() else { return };
        let value = match read(tree, document.text, root, Numbers::Floats) {
            Ok(value) => value,
            Err(error) => {
                self.refusal = Some(refused(0, error.opm, String::new()));
                return;
            }
        };
        let go_type = match blob.body {
            Body::Package(_) => &types::PACKAGE,
            Body::Channel(_) => &types::CHANNEL,
            Body::Bundle(_) => &types::BUNDLE,
            Body::Deprecations(_) => &types::DEPRECATIONS,
            Body::Other(_) | Body::Unreadable => {
                self.blobs.push(value);
                return;
            }
        };
        match typed::decode(&value, go_type) {
            Ok(mut value) => {
                if self.content == BundleContent::Sorted {
                    super::blobs::sort_images_and_properties(&mut value);
                }
                self.blobs.push(value);
            }
            Err(error) => self.refusal = Some(refused(0, error.message, String::new())),
        }
    }
}
