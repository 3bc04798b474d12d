//! Reads the documents of a template as JSON, and locates the faults that `opm` reports.

use super::template_of_file;
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::{Catalog, Content, TreeEntry};
use protocol::diagnostic::Location;
use std::sync::Arc;
use syntax::document::{Document, Reader, Sink};
use syntax::value;

/// Go puts this before an error of a YAML document.
const CONVERSION_PREFIX: &str = "error unmarshaling JSON: while decoding JSON: ";

/// Returns the canonical JSON of the first document, "" if it is empty; `None` without a document.
/// The error is `opm`'s.
pub(super) fn first_document(text: &[u8]) -> Option<Result<String, String>> {
    let mut first = FirstDocument::default();
    Reader::read_file(text, &mut first);
    first.0
}

#[derive(Default)]
struct FirstDocument(Option<Result<String, String>>);

impl Sink for FirstDocument {
    fn document(&mut self, document: Document<'_>) {
        if self.0.is_none() {
            self.0 = Some(canonical(&document));
        }
    }
}

pub(super) fn canonical(document: &Document<'_>) -> Result<String, String> {
    let tree = document
        .parsed
        .as_ref()
        .map_err(|error| error.opm.clone())?;
    let json = value::document_json(tree, document.text).map_err(|error| error.opm)?;
    // A null leaves the decoder's target empty.
    Ok(if json == "null" { String::new() } else { json })
}

/// A rendering error with its place in the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    pub location: Location,
    pub message: String,
    pub help: String,
}

impl TemplateFault {
    /// Finds the fault inside the template whose message ends `opm`'s `error`.
    pub fn from_error(error: &str, path: &str, text: &[u8]) -> Option<Self> {
        let index = Arc::new(index_bytes(text));
        let items = template_of_file(&index)?.items().iter();
        let mut faults = items.flat_map(|item| &item.faults);
        let fault = faults.find(|fault| {
            let opm = fault
                .opm
                .strip_prefix(CONVERSION_PREFIX)
                .unwrap_or(&fault.opm);
            !opm.is_empty() && error.ends_with(opm)
        })?;
        let entry = TreeEntry {
            id: FileId(0),
            path: path.to_owned(),
            content: Content::Indexed(Arc::clone(&index)),
        };
        let location = Catalog::new("template", vec![entry]).location(FileId(0), 0, fault.place);
        let correction = fault.correction.as_ref();
        let help = correction.map_or_else(
            || fault.help.clone(),
            |correction| format!("{}: {}", fault.help, correction.title),
        );
        Some(Self {
            location,
            message: fault.message.clone(),
            help,
        })
    }

    /// Formats the place as `path:line:column`.
    pub fn place(&self) -> String {
        let Location {
            file, line, column, ..
        } = &self.location;
        format!("{file}:{line}:{column}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_document_counts() {
        let first = |text: &str| first_document(text.as_bytes());
        assert_eq!(
            first("---\nb: 1\na: x\n---\n[\n"),
            Some(Ok(r#"{"a":"x","b":1}"#.to_owned()))
        );
        assert_eq!(first("{\"a\": 1.0}\n{"), Some(Ok(r#"{"a":1}"#.to_owned())));
        assert_eq!(first("# licence\n---\na: 1\n"), Some(Ok(String::new())));
        assert_eq!(first(""), None);
        let error =
            "error converting YAML to JSON: yaml: line 1: did not find expected node content";
        assert_eq!(first("schema: [\n"), Some(Err(error.to_owned())));
    }

    #[test]
    fn a_number_where_text_belongs_is_found() {
        let text = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n- schema: olm.channel\n  \
                    package: p\n  name: 4.20\n";
        let error = "rendering template: unmarshalling template: expected value for key \"name\" to be a string, got \
                     %!t(float64=4.2): 4.2";
        let fault = TemplateFault::from_error(error, "t.yaml", text.as_bytes()).unwrap();
        assert_eq!(fault.place(), "t.yaml:7:9");
        assert_eq!(fault.message, "`name` is a number, but must be a string");
        assert_eq!(fault.help, "put the value in quotes: write `'4.20'`");
        assert_eq!(
            TemplateFault::from_error("another error", "t.yaml", text.as_bytes()),
            None
        );
    }
}
