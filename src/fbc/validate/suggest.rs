//! Helpers for building fixes: similar names and version order.

use crate::did_you_mean::{differ_only_in_version, distance};
use crate::version::Version;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use std::cmp::Ordering;

/// Longest name compared with others; the comparison is quadratic.
const NAME_LIMIT: usize = 120;
/// Maximum number of candidates.
const CANDIDATE_LIMIT: usize = 2000;

/// Maximum edit distance of a misspelt word.
const MISSPELT: usize = 2;

/// A fix with one operation, whose name is its kind.
pub(super) fn fix(title: impl Into<String>, safe: bool, op: EditOp) -> Fix {
    fix_of(title, safe, vec![op])
}

/// A fix with several operations, applied together. Its kind comes from the first one; its
/// consequences are filled in on reporting.
pub(super) fn fix_of(title: impl Into<String>, safe: bool, ops: Vec<EditOp>) -> Fix {
    let kind = ops.first().map_or("", EditOp::name).to_owned();
    Fix {
        title: title.into(),
        safe,
        ops,
        kind,
        heads: Vec::new(),
        note: String::new(),
    }
}

/// The candidate that is spelled most like `name`, if it is similar enough. Never one that differs
/// only in its version.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > NAME_LIMIT {
        return None;
    }
    let enough = name.chars().count() / 3 + 1;
    candidates
        .into_iter()
        .take(CANDIDATE_LIMIT)
        .filter(|c| c.len() <= NAME_LIMIT && !c.is_empty() && !differ_only_in_version(name, c))
        .map(|c| (distance(name, c), c))
        .filter(|(d, _)| *d <= enough)
        .min()
        .map(|(_, c)| c)
}

/// The known word that `word` probably misspells.
pub(super) fn misspelt<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if word.is_empty() || word.len() > NAME_LIMIT || known.contains(&word) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let near = |k: &&&str| distance(&lower, &k.to_ascii_lowercase()) <= MISSPELT;
    known
        .iter()
        .find(|k| k.eq_ignore_ascii_case(word))
        .or_else(|| known.iter().find(near))
        .copied()
}

/// Compares two version texts; an invalid version is lowest.
pub(super) fn compare_versions(a: &str, b: &str) -> Ordering {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b),
        (a, b) => a.is_ok().cmp(&b.is_ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_name() {
        assert_eq!(
            nearest("stabel", ["alpha", "stable", "stable-v1"]),
            Some("stable")
        );
        assert_eq!(nearest("x", ["alpha", "stable"]), None);
        assert_eq!(nearest("stable-3.9", ["stable-3.17", "alpha"]), None);
        assert_eq!(
            nearest("ectd.v0.9.4", ["etcd.v0.9.2", "prometheus.v1"]),
            Some("etcd.v0.9.2")
        );
    }

    #[test]
    fn misspelt_words_have_a_suggestion() {
        let known = ["olm.gvk", "olm.gvk.required", "olm.maxOpenShiftVersion"];
        for (word, expected) in [
            ("olm.maxOpenshiftversion", Some("olm.maxOpenShiftVersion")),
            ("olm.gvk.require", Some("olm.gvk.required")),
            ("olm.gkv", Some("olm.gvk")),
            ("olm.gvk", None),
            ("olm.content-type", None),
            ("", None),
        ] {
            assert_eq!(misspelt(word, &known), expected, "{word}");
        }
    }

    #[test]
    fn invalid_versions_sort_lowest() {
        assert_eq!(compare_versions("1.10.0", "1.9.0"), Ordering::Greater);
        assert_eq!(compare_versions("v1", "0.0.0"), Ordering::Less);
        assert_eq!(compare_versions("a", "b"), Ordering::Equal);
    }
}
