//! A rule that code asks for by its id exists: one that was renamed would be asked for in vain, and nothing would say so.

use crate::tidy::{files_below, is_test_file, read, shown};
use crate::walls::without_test_items;
use fbc::repository::rules;
use fbc::validate::explain;
use std::collections::BTreeSet;

/// What stands before the id of a rule that is compared with.
const ASKS: [&str; 4] = [".rule == \"", ".rule != \"", ".check == \"", ".check != \""];
/// What stands before the id of what is found in a repository, which need not be documented.
const FINDS: [&str; 3] = ["Finding::warning(\"", "Finding::error(\"", ".remark(\""];

/// The texts that stand behind one of these, up to the quote.
fn texts_behind<'s>(source: &'s str, marks: &[&str]) -> BTreeSet<&'s str> {
    let behind =
        |mark: &&str| source.match_indices(*mark).map(|(at, mark)| &source[at + mark.len()..]).collect::<Vec<_>>();
    marks.iter().flat_map(behind).filter_map(|rest| rest.split('"').next()).collect()
}

/// Ids that are asked for and are those of no rule.
fn unknown(sources: &[(String, String)]) -> Vec<(&str, &str)> {
    let found: BTreeSet<&str> = sources.iter().flat_map(|(_, source)| texts_behind(source, &FINDS)).collect();
    let is_known = |id: &str| explain(id).is_some() || rules::find(id).is_some() || found.contains(id);
    let asked =
        sources.iter().flat_map(|(path, source)| texts_behind(source, &ASKS).into_iter().map(|id| (path.as_str(), id)));
    asked.filter(|(_, id)| !is_known(id)).collect()
}

#[test]
fn a_rule_that_is_asked_for_exists() {
    let files = files_below("src", "rs");
    let sources: Vec<(String, String)> = files
        .iter()
        .filter(|file| !is_test_file(file))
        .map(|file| (shown(file), without_test_items(&read(file))))
        .collect();
    let asked: BTreeSet<&str> = sources.iter().flat_map(|(_, source)| texts_behind(source, &ASKS)).collect();
    assert!(asked.len() > 1, "the code asks for rules by their ids: {asked:?}");
    assert_eq!(unknown(&sources), []);
}

#[test]
fn a_planted_id_is_found() {
    let source = |text: &str| vec![("a.rs".to_owned(), text.to_owned())];
    assert_eq!(unknown(&source("d.rule == \"channel-head-multiple\" && f.check != \"catalog-missing\"")), []);
    assert_eq!(unknown(&source("f.check == \"odd\"; Finding::error(\"odd\", file)")), []);
    assert_eq!(unknown(&source("d.rule == \"channel-heads\"")), [("a.rs", "channel-heads")]);
}
