//! Every query of the page and every operation has a growth test: its name occurs in one of the files that count work
//! at one size and at twice that size. Only checks names.

use crate::tidy::{project, read};

const QUERIES: &str = "src/protocol/query.rs";
const REQUESTS: &str = "src/protocol/request.rs";
const OPERATIONS: &str = "src/protocol/operation.rs";
const TESTS: [&str; 5] = [
    "growth.rs",
    "growth_operations.rs",
    "growth_questions.rs",
    "growth_others.rs",
    "growth_repository.rs",
];

/// Tasks, which reach the host through separate methods.
const BY_METHOD: [(&str, &str); 2] = [("Open", "host.open("), ("ListFiles", ".list_files(")];

/// The variants of an enum in source code: names at the start of a line with four blanks.
fn variants(text: &str, name: &str) -> Vec<String> {
    let body = text
        .lines()
        .skip_while(|line| !line.starts_with(&format!("pub enum {name} ")))
        .skip(1);
    let names = body
        .take_while(|line| *line != "}")
        .filter_map(|line| line.strip_prefix("    "));
    let names = names.filter(|line| line.starts_with(char::is_uppercase));
    names
        .map(|line| line.chars().take_while(|c| c.is_alphanumeric()).collect())
        .collect()
}

/// Whether a text contains a variant as a whole word.
fn names(text: &str, variant: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(variant)
        .any(|(at, found)| ends(&text[at + found.len()..]))
}

/// The names in the list of queries.
fn queries(text: &str) -> Vec<String> {
    let listed = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("question ")
            .or_else(|| line.strip_prefix("command "))
    });
    listed
        .map(|line| line.chars().take_while(|c| c.is_alphanumeric()).collect())
        .collect()
}

#[test]
fn every_query_has_its_growth_test() {
    let tests: String = TESTS
        .map(|name| read(&project().join("tests").join(name)))
        .concat();
    let queries = queries(&read(&project().join(QUERIES)));
    assert!(queries.len() > 45, "{queries:?}");
    let missing: Vec<_> = queries.iter().filter(|name| !names(&tests, name)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    for (task, method) in BY_METHOD {
        assert!(tests.contains(method), "{task}");
    }
    let requests = read(&project().join(REQUESTS));
    let exports = variants(&requests, "Export");
    assert!(exports.len() > 8, "{exports:?}");
    let missing: Vec<_> = exports
        .iter()
        .filter(|name| !names(&tests, &format!("Export::{name}")))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn every_operation_has_its_growth_test() {
    let tests = read(&project().join("tests/growth_operations.rs"));
    let operations = variants(&read(&project().join(OPERATIONS)), "EditOp");
    assert!(operations.len() > 25, "{operations:?}");
    let is_tested = |name: &&String| {
        tests.contains(&format!(r#""op":"{}""#, in_json(name)))
            || names(&tests, &format!("EditOp::{name}"))
    };
    let missing: Vec<_> = operations.iter().filter(|name| !is_tested(name)).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

/// The JSON spelling of a name such as `SetDefaultChannel`.
fn in_json(name: &str) -> String {
    let letter = |c: char| {
        if c.is_uppercase() {
            format!("-{}", c.to_lowercase())
        } else {
            c.to_string()
        }
    };
    name.chars()
        .map(letter)
        .collect::<String>()
        .trim_start_matches('-')
        .to_owned()
}
