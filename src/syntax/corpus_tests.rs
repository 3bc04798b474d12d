//! Real catalogs: everything parses, and other readers read the same values.

use super::testing::{Kept, corpus, read};
use super::tree::Format;
use super::value;
use serde::Deserialize;

/// Documents of some real files, up to this many bytes.
fn documents(folders: &[&str], limit: usize) -> Vec<Kept> {
    let mut documents = Vec::new();
    let mut size = 0;
    // Takes files at intervals, so that a limit does not restrict the test to the first letters of
    // the alphabet.
    let files = corpus(folders);
    let step = 7;
    for path in (0..step).flat_map(|from| files.iter().skip(from).step_by(step)) {
        let bytes = std::fs::read(path).unwrap();
        size += bytes.len();
        for document in read(&bytes, 1 << 16) {
            assert!(
                document.json.is_ok(),
                "{}: {:?}",
                path.display(),
                document.json
            );
            documents.push(document);
        }
        if size > limit {
            break;
        }
    }
    assert!(
        files.is_empty() || documents.len() >= 100,
        "only {} documents",
        documents.len()
    );
    documents
}

fn megabytes(otherwise: usize) -> usize {
    std::env::var("SWITCHYARD_MEGABYTES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(otherwise)
        << 20
}

#[test]
fn values_equal_those_of_other_readers() {
    for document in documents(
        &["community", "operatorhub", "redhat", "split"],
        megabytes(3),
    ) {
        let ours: serde_json::Value =
            serde_json::from_str(document.json.as_deref().unwrap()).unwrap();
        let theirs: serde_json::Value = if document.format == Format::Json {
            serde_json::from_slice(&document.text).unwrap()
        } else {
            serde_json::Value::deserialize(serde_yaml::Deserializer::from_slice(&document.text))
                .unwrap()
        };
        assert_eq!(
            plain(&ours),
            plain(&theirs),
            "{}",
            String::from_utf8_lossy(&document.text)
        );
    }
}

/// Writes a value with keys in one order and all numbers as floats.
fn plain(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Number(number) => format!("{:?}", number.as_f64()),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(plain).collect::<Vec<_>>().join(",")
        ),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(key, value)| format!("{key:?}:{}", plain(value)))
                .collect();
            fields.sort();
            format!("{{{}}}", fields.join(","))
        }
        other => other.to_string(),
    }
}

#[test]
fn ordinary_documents_are_parsed_once() {
    let documents = documents(
        &["community", "operatorhub", "redhat", "split"],
        megabytes(3),
    );
    let suspicious = documents
        .iter()
        .filter(|d| d.parsed.as_ref().unwrap().suspicious)
        .count();
    assert!(
        suspicious * 20 <= documents.len(),
        "{suspicious} of {}",
        documents.len()
    );
    for document in &documents {
        let tree = document.parsed.as_ref().unwrap();
        assert_eq!(value::check(tree, &document.text), Ok(()));
    }
}
