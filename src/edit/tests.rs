//! Runs the cases in `tests/data/edits`: compares bytes, then checks the laws of every edit.

use crate::patch::{Patch, PathSegment, Value};
use crate::verify::edit_blob;
use std::fmt::Write;
use std::path::PathBuf;
use syntax::tree::Format;

struct Case {
    title: String,
    patches: Vec<Patch>,
    refused: Option<String>,
    format: Format,
    before: Vec<u8>,
    after: Option<Vec<u8>>,
}

fn path(text: &str) -> Vec<PathSegment> {
    let mut steps = Vec::new();
    for part in text.split('.').filter(|part| !part.is_empty()) {
        let mut parts = part.split('[');
        steps.extend(
            parts
                .next()
                .filter(|key| !key.is_empty())
                .map(PathSegment::from),
        );
        steps.extend(
            parts.map(|index| PathSegment::Index(index.trim_end_matches(']').parse().unwrap())),
        );
    }
    steps
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn patch(line: &str) -> Option<Patch> {
    let (verb, rest) = line.split_once(' ')?;
    let patch = match verb {
        "set" => {
            let (at, json) = rest.split_once(" = ")?;
            Patch::set(path(at), value(json))
        }
        "insert-key" => {
            let (at, rest) = rest.split_once(' ')?;
            let (key, json) = rest.split_once(" = ")?;
            let (json, after) = json.rsplit_once(" after ").unwrap_or((json, ""));
            let after: Vec<&str> = after.split(',').filter(|key| !key.is_empty()).collect();
            let path = [path(at), vec![key.into()]].concat();
            Patch::put(path, value(json), &after)
        }
        "insert-item" => {
            let (at, rest) = rest.split_once(' ')?;
            let (index, json) = rest.split_once(" = ")?;
            Patch::insert_item(path(at), index.parse().ok()?, value(json))
        }
        "remove" => Patch::remove(path(rest)),
        _ => return None,
    };
    Some(patch)
}

fn parse_marks(text: &str) -> Vec<u8> {
    let text = text.replace('␍', "\r").replace('␂', "\u{feff}");
    text.strip_suffix("␚\n")
        .unwrap_or(&text)
        .as_bytes()
        .to_vec()
}

fn render_marks(text: &[u8]) -> String {
    let text = String::from_utf8(text.to_vec())
        .unwrap()
        .replace('\r', "␍")
        .replace('\u{feff}', "␂");
    if text.ends_with('\n') {
        text
    } else {
        format!("{text}␚\n")
    }
}

fn cases(document: &str) -> Vec<Case> {
    let sections = document.split("\n## ").skip(1);
    let case = |section: &str| {
        let (title, body) = section.split_once('\n').unwrap();
        let mut fences = body.split("```");
        let head = fences.next().unwrap();
        let mut blocks = fences
            .step_by(2)
            .map(|fence| fence.split_once('\n').unwrap());
        let (language, before) = blocks
            .next()
            .unwrap_or_else(|| panic!("{title}: no text before"));
        let lines = || head.lines().filter(|line| !line.is_empty());
        let refused = lines().find_map(|line| line.strip_prefix("refused: ").map(str::to_owned));
        let patch_lines = lines().filter(|line| !line.starts_with("refused: "));
        Case {
            title: title.to_owned(),
            patches: patch_lines
                .map(|line| patch(line).unwrap_or_else(|| panic!("{title}: {line}")))
                .collect(),
            refused,
            format: if language == "json" {
                Format::Json
            } else {
                Format::Yaml
            },
            before: parse_marks(before),
            after: blocks.next().map(|(_, after)| parse_marks(after)),
        }
    };
    sections.map(case).collect()
}

/// Runs a case. Returns the edited text, `None` for an expected refusal, or why the case failed.
fn run(case: &Case) -> Result<Option<Vec<u8>>, String> {
    let outcome = edit_blob(&case.before, case.format, &case.patches);
    match (outcome, &case.refused) {
        (Err(refusal), Some(kind)) if format!("{:?}", refusal.kind) == *kind => Ok(None),
        (Err(refusal), _) => Err(format!("refused: {:?}: {}", refusal.kind, refusal.reason)),
        (Ok(_), Some(kind)) => Err(format!("not refused: {kind}")),
        (Ok(edited), None) => {
            assert_eq!(
                edited.edits.apply(&case.before),
                edited.text,
                "{}",
                case.title
            );
            assert_eq!(
                edited.edits.inverse(&case.before).apply(&edited.text),
                case.before,
                "{}",
                case.title
            );
            Ok(Some(edited.text))
        }
    }
}

#[test]
fn edits_give_the_expected_text() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/edits");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let (mut count, mut wrong) = (0, String::new());
    for file in files.iter().filter(|file| !file.ends_with("README.md")) {
        let document = std::fs::read_to_string(file).unwrap();
        let mut updated = document.clone();
        for case in cases(&document) {
            count += 1;
            match run(&case) {
                Err(problem) => writeln!(wrong, "{}\n  {problem}\n", case.title).unwrap(),
                Ok(Some(after)) if case.after.as_ref() != Some(&after) => {
                    if update {
                        let section = updated.find(&format!("\n## {}\n", case.title)).unwrap();
                        let start = section + updated[section..].find("```").unwrap();
                        let end = updated[section + 4..]
                            .find("\n## ")
                            .map_or(updated.len(), |at| section + 4 + at);
                        let fence = updated[start..].find('\n').unwrap() + start + 1;
                        let before_end = fence + updated[fence..].find("```\n").unwrap() + 4;
                        let language = updated[start..fence].to_owned();
                        updated.replace_range(
                            before_end..end,
                            &format!("\n{language}{}```\n", render_marks(&after)),
                        );
                    } else {
                        let expected = case
                            .after
                            .as_deref()
                            .map_or("nothing".to_owned(), render_marks);
                        writeln!(
                            wrong,
                            "{}\n--- expected\n{expected}--- got\n{}",
                            case.title,
                            render_marks(&after)
                        )
                        .unwrap();
                    }
                }
                Ok(_) => {}
            }
        }
        if updated != document {
            std::fs::write(file, updated).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 60, "only {count} cases were found");
}
