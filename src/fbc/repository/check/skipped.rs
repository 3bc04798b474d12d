//! Checks that the repository's configuration skips for an operator.

use crate::repository::bundle_folder::read_document;
use crate::repository::document::Node;
use crate::repository::files::Files;
use crate::repository::finding::Finding;
use crate::repository::layout;
use regex_lite::Regex;

/// The names of the skipped checks, and problems of the configuration.
pub(super) fn skipped_checks(files: &dyn Files, operator: &str) -> (Vec<String>, Vec<Finding>) {
    let (mut skipped, mut found) = (Vec::new(), Vec::new());
    let config = match read_document(files, layout::CONFIG) {
        Ok(config) => config,
        Err(failure) => {
            let message = format!(
                "the configuration of the repository cannot be read: {}",
                failure.why
            );
            found.push(
                Finding::error("config-unreadable", failure.file, message).on_line(failure.line),
            );
            return (skipped, found);
        }
    };
    let tests = config
        .as_ref()
        .and_then(|config| config.root()?.get("tests"));
    for test in tests.into_iter().flat_map(Node::items) {
        let Some(name) = test.get("name").and_then(Node::text) else {
            continue;
        };
        for pattern in test
            .get("ignore_operators")
            .into_iter()
            .flat_map(Node::items)
        {
            let Some(text) = pattern.text() else { continue };
            // Must match at the start, but not up to the end.
            match Regex::new(&format!("^(?:{text})")) {
                Ok(regex) if regex.is_match(operator) => skipped.push(name.clone().into_owned()),
                Ok(_) => {}
                Err(error) => {
                    let message = format!("`{text}` is not a regular expression: {error}");
                    found.push(
                        Finding::warning("config-pattern", layout::CONFIG, message)
                            .on_line(pattern.line()),
                    );
                }
            }
        }
    }
    skipped.dedup();
    (skipped, found)
}
