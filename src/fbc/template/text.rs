//! The documents of a text as JSON: what `opm` decodes before it considers fields.

use crate::syntax::document::{Document, Reader, Sink};
use crate::syntax::value;

/// The canonical JSON of the first document, "" if it is empty; `None` without a document. The
/// error is `opm`'s.
pub(super) fn first_document(text: &[u8]) -> Option<Result<String, String>> {
    let mut first = First::default();
    let mut reader = Reader::new();
    reader.feed(text, &mut first);
    reader.finish(&mut first);
    first.0
}

#[derive(Default)]
struct First(Option<Result<String, String>>);

impl Sink for First {
    fn accepts(&mut self, _document: &Document<'_>) -> bool {
        true
    }

    fn document(&mut self, document: Document<'_>) {
        if self.0.is_none() {
            self.0 = Some(canonical(&document));
        }
    }
}

/// The canonical JSON of a document.
pub(super) fn canonical(document: &Document<'_>) -> Result<String, String> {
    let json = match &document.parsed {
        Ok(tree) => value::document_json(tree, document.text),
        Err(error) => return Err(error.opm.clone()),
    };
    // A null leaves the decoder's target empty.
    json.map(|json| if json == "null" { String::new() } else { json })
        .map_err(|error| error.opm)
}

#[cfg(test)]
mod tests {
    use super::first_document;

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
}
