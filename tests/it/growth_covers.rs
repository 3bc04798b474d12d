//! Every request of the page and every operation has a growth test: its name occurs in one of the files that count work
//! at one size and at twice that size. Only checks names.

use crate::tidy::{project, read};

const REQUESTS: &str = "src/protocol/request.rs";
const OPERATIONS: &str = "src/protocol/operation.rs";
const TESTS: [&str; 5] = [
    "growth.rs",
    "growth_operations.rs",
    "growth_questions.rs",
    "growth_others.rs",
    "growth_repository.rs",
];

/// Requests with files, which reach the host through separate methods.
const BY_METHOD: [(&str, &str); 9] = [
    ("Open", "host.open("),
    ("ReadBundles", ".read_bundles("),
    ("ReadManifests", ".read_manifests("),
    ("CheckDisk", ".check_disk("),
    ("Merge", ".rebase("),
    ("TakeTheirs", ".take_theirs("),
    ("Saved", ".saved("),
    ("ListFiles", ".list_files("),
    // Reads files like `Open`.
    ("ReadAhead", "host.open("),
];

/// They only end work.
const WITHOUT_WORK: [&str; 3] = ["StopReadingAhead", "CancelOpen", "CancelRequests"];

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

fn without_test(tests: &str, requests: &str) -> Vec<String> {
    let is_tested = |name: &String| match BY_METHOD.iter().find(|(of, _)| of == name) {
        Some((_, method)) => tests.contains(method),
        None => {
            WITHOUT_WORK.contains(&name.as_str()) || names(tests, &format!("RequestBody::{name}"))
        }
    };
    variants(requests, "RequestBody")
        .into_iter()
        .filter(|name| !is_tested(name))
        .collect()
}

#[test]
fn every_request_has_its_growth_test() {
    let tests: String = TESTS
        .map(|name| read(&project().join("tests").join(name)))
        .concat();
    let requests = read(&project().join(REQUESTS));
    assert!(variants(&requests, "RequestBody").len() > 50);
    assert_eq!(without_test(&tests, &requests), Vec::<String>::new());
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

#[test]
fn a_request_without_one_is_seen() {
    let requests = "pub enum RequestBody {\n    /// Looks.\n    Look { at: String },\n    LookAgain,\n    Open {},\n}\n";
    assert_eq!(
        without_test("RequestBody::LookAgain, host.open(", requests),
        ["Look"]
    );
    assert_eq!(
        without_test("RequestBody::Look { RequestBody::LookAgain }", requests),
        ["Open"]
    );
}
