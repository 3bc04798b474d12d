//! Finds the name that a misspelt one means: one in another spelling, or one typo away.

use catalog::version::Version;
use std::cmp::Ordering;
use syntax::did_you_mean::{differ_only_in_numbers, differ_only_in_version, distance};
use syntax::hashed::HashMap;
use syntax::order::SortSmall;

/// Longer names, in bytes, are skipped.
const MAX_NAME_LENGTH: usize = 200;
/// Longest name compared with others, in bytes; the comparison is quadratic.
const NAME_LIMIT: usize = 120;
/// Maximum number of candidates.
const CANDIDATE_LIMIT: usize = 2000;
/// Maximum edit distance of a misspelt word.
const MAX_WORD_DISTANCE: usize = 2;

/// The spelling-independent parts of an entry's name: the version, and the stem before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct NameParts {
    stem: String,
    version: String,
}

/// Known names, indexed by their spelling-independent part.
#[derive(Debug, Default)]
pub struct SpellingIndex<'a> {
    by_version: HashMap<String, Vec<(String, &'a str)>>,
}

impl<'a> SpellingIndex<'a> {
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut spellings = Self::default();
        for name in names {
            if let Some(NameParts { stem, version }) = split_name(name) {
                spellings
                    .by_version
                    .entry(version)
                    .or_default()
                    .push((stem, name));
            }
        }
        spellings
    }

    /// Returns the single known name that `written` spells differently: without the package prefix
    /// or the `v`, in other case, with another separator before the version, or as an image tag.
    /// `None` if none or several match.
    pub fn find_spelling(&self, written: &str) -> Option<&'a str> {
        // An image is identified by its tag, regardless of its repository.
        let image = written.rsplit_once('/').map(|(_, last)| last);
        let tag = image
            .and_then(|last| last.split_once(':'))
            .map(|(_, tag)| tag);
        let NameParts { stem, version } = split_name(tag.unwrap_or(image.unwrap_or(written)))?;
        let known = self.by_version.get(&version)?;
        let mut candidates = known
            .iter()
            .filter(|(known, name)| (stem.is_empty() || *known == stem) && *name != written);
        let (_, name) = candidates.next()?;
        candidates.next().is_none().then_some(*name)
    }
}

/// Returns the name among `names` that is probably meant by `written`: at most two letters in eight
/// differ.
pub fn closest_typo<'a>(
    written: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    names
        .into_iter()
        .filter_map(|name| Some((typo_count(written, name)?, name)))
        .min()
        .map(|(_, name)| name)
}

/// Whether the names contain two different versions: then neither is a misspelling of the other.
pub fn is_other_version(a: &str, b: &str) -> bool {
    split_name(a)
        .zip(split_name(b))
        .is_some_and(|(a, b)| a.version != b.version)
}

pub fn contains_version(name: &str) -> bool {
    version_in(name).is_some_and(|version| Version::parse(&version).is_ok())
}

/// Whether a text without a version resembles the name: letters replace similar digits, or trailing
/// zeros are omitted. `p.v1.1.O` and `p.v1.1` resemble `p.v1.1.0`.
pub fn looks_like(written: &str, name: &str) -> bool {
    written != name
        && !contains_version(written)
        && look_alike_key(written).is_some_and(|written| Some(written) == look_alike_key(name))
}

/// Returns the single name that a text without a version means: the one it resembles, or else the
/// one with the fewest typos. `None` if none or several match.
pub fn without_version<'a>(
    written: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if contains_version(written) {
        return None;
    }
    // A text that resembles one version does not mean another version.
    let is_seen = look_alike_key(written).is_some_and(|seen| {
        seen.version
            .chars()
            .all(|c: char| c.is_ascii_digit() || c == '.')
    });
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let distance = if looks_like(written, name) {
                Some(0)
            } else {
                typo_count(written, name).filter(|_| !is_seen)
            };
            Some((distance?, name))
        })
        .collect();
    near.sort_small();
    near.dedup();
    match near[..] {
        [(nearest, _), (next, _), ..] if nearest == next => None,
        [(_, name), ..] => Some(name),
        [] => None,
    }
}

/// Normalizes look-alikes: letters become similar digits, and trailing zeros of the version are
/// dropped.
fn look_alike_key(name: &str) -> Option<NameParts> {
    let NameParts { stem, version } = split_name(
        &name
            .chars()
            .map(|c: char| match c.to_ascii_lowercase() {
                'o' => '0',
                'l' | 'i' => '1',
                _ => c,
            })
            .collect::<String>(),
    )?;
    let mut short = &version[..];
    while let Some(shorter) = short.strip_suffix(".0") {
        short = shorter;
    }
    Some(NameParts {
        stem,
        version: short.to_owned(),
    })
}

/// Whether the names contain equal numbers in equal order, so that they differ in letters or signs
/// only, not in version.
pub fn same_numbers(a: &str, b: &str) -> bool {
    fn numbers(name: &str) -> impl Iterator<Item = &str> {
        name.split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty())
    }
    numbers(a).eq(numbers(b))
}

/// Counts the typos between a name and its possible misspelling, as in [`edit_count`]; `None` if
/// only their numbers differ.
pub fn typo_count(a: &str, b: &str) -> Option<usize> {
    edit_count(a, b).filter(|_| !differ_only_in_numbers(a, b))
}

/// Returns the edit distance of two names, at most two in eight letters. `None` if they are further
/// apart.
pub fn edit_count(a: &str, b: &str) -> Option<usize> {
    if a == b || a.len() > MAX_NAME_LENGTH || b.len() > MAX_NAME_LENGTH {
        return None;
    }
    let max_distance = (a.chars().count() / 4).min(2);
    // A letter has at most four bytes.
    let near = a.len().abs_diff(b.len()) <= max_distance * 4;
    near.then(|| distance(a, b))
        .filter(|distance| *distance <= max_distance)
}

pub fn version_in(name: &str) -> Option<String> {
    Some(split_name(name)?.version)
}

/// Returns the part of an entry's name before the version, ignoring case and separators.
pub fn stem_in(name: &str) -> Option<String> {
    Some(split_name(name)?.stem)
}

/// Splits a name: `p.v1.2.3`, `P-1.2.3` and `v1.2.3` contain the version `1.2.3`. `None` for a name
/// without a version.
fn split_name(name: &str) -> Option<NameParts> {
    if name.len() > MAX_NAME_LENGTH {
        return None;
    }
    let name = name.trim().to_lowercase();
    let starts = name.char_indices().filter(|&(at, _)| {
        let before = name[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric())
    });
    let (at, version) = starts
        .map(|(at, _)| (at, name[at..].strip_prefix('v').unwrap_or(&name[at..])))
        .find(|(_, rest)| starts_with_version(rest))?;
    let stem = name[..at].chars().filter(|c| c.is_alphanumeric()).collect();
    Some(NameParts {
        stem,
        version: version.to_owned(),
    })
}

/// Whether the text starts with two numbers separated by a dot.
fn starts_with_version(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() < text.len()
        && after
            .strip_prefix('.')
            .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the candidate that is spelled most like `name`, if it is similar enough. Never one that
/// differs only in its version.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_LIMIT {
        return None;
    }
    let max_distance = name.chars().count() / 3 + 1;
    candidates
        .into_iter()
        .take(CANDIDATE_LIMIT)
        .filter(|c| c.len() <= NAME_LIMIT && !c.is_empty() && !differ_only_in_version(name, c))
        .map(|c| (distance(name, c), c))
        .filter(|(d, _)| *d <= max_distance)
        .min()
        .map(|(_, c)| c)
}

/// Returns the known word that `word` probably misspells.
pub fn misspelt<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if word.is_empty() || word.len() > NAME_LIMIT || known.contains(&word) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    known
        .iter()
        .find(|k| k.eq_ignore_ascii_case(word))
        .or_else(|| {
            known
                .iter()
                .find(|k| distance(&lower, &k.to_ascii_lowercase()) <= MAX_WORD_DISTANCE)
        })
        .copied()
}

/// Compares two version texts; an invalid version is lowest.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    let [a, b] = [a, b].map(|text| Version::parse(text).ok());
    Version::compare_optional(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_other_spellings_of_a_name() {
        let known = [
            "p.v1.2.3",
            "p.v1.2.4",
            "q.v1.2.4",
            "my-op.v2.0.0-rc.1",
            "plain",
        ];
        let spellings = SpellingIndex::new(known);
        for (written, expected) in [
            ("v1.2.3", Some("p.v1.2.3")),
            ("1.2.3", Some("p.v1.2.3")),
            ("p.1.2.3", Some("p.v1.2.3")),
            ("p-v1.2.3", Some("p.v1.2.3")),
            ("P.V1.2.3", Some("p.v1.2.3")),
            (" p.v1.2.3 ", Some("p.v1.2.3")),
            ("quay.io/o/p-bundle:v1.2.3", Some("p.v1.2.3")),
            ("my_op.v2.0.0-RC.1", Some("my-op.v2.0.0-rc.1")),
            // Two names have this version.
            ("v1.2.4", None),
            ("q.1.2.4", Some("q.v1.2.4")),
            // Another package, another version, no version, itself.
            ("r.v1.2.3", None),
            ("v1.2.5", None),
            ("plan", None),
            ("p.v1.2.3", None),
            ("", None),
        ] {
            assert_eq!(spellings.find_spelling(written), expected, "{written}");
        }
    }

    #[test]
    fn finds_typing_errors() {
        let names = ["serverless.v1.2.3", "serverless.v1.3.0"];
        assert_eq!(
            closest_typo("severless.v1.2.3", names),
            Some("serverless.v1.2.3")
        );
        // Another number means another version.
        assert_eq!(closest_typo("serverless.v1.2.33", names), None);
        assert_eq!(closest_typo("other.v1.2.3", names), None);
        assert_eq!(closest_typo("a", ["b"]), None);
        assert!(
            is_other_version("p.v1.2.3", "p.v1.2.4") && !is_other_version("p.v1.2.3", "q.v1.2.3")
        );
        assert!(!is_other_version("p.v1.2.3", "stable"));
    }

    #[test]
    fn similar_names() {
        for (written, name, alike) in [
            ("p.v1.1.O", "p.v1.1.0", true),
            ("p.vl.1.0", "p.v1.1.0", true),
            ("p.v1.1", "p.v1.1.0", true),
            ("p.v1.0", "p.v1.0.0", true),
            ("p.v1.1", "p.v1.1.1", false),
            ("q.v1.1", "p.v1.1.0", false),
            // Both are versions, so neither is a typo.
            ("p.v1.0.0-rc.0", "p.v1.0.0-rc", false),
            ("p.v1.1.0", "p.v1.1.0", false),
            ("plain", "p1ain", false),
        ] {
            assert_eq!(looks_like(written, name), alike, "{written} {name}");
        }
    }

    #[test]
    fn finds_names_without_a_version() {
        let names = ["p.v1.0.0", "p.v1.0.1", "p.v1.1.0"];
        for (written, expected) in [
            ("p.v1.0.O", Some("p.v1.0.0")),
            ("p.v1.0.l", Some("p.v1.0.1")),
            ("p.v1.1", Some("p.v1.1.0")),
            ("p.v1.1.x", Some("p.v1.1.0")),
            // The names they resemble do not exist.
            ("p.v1.2.O", None),
            ("p.v1.2", None),
            // Two names are equally close.
            ("p.v1.0.x", None),
            ("p.v1.0.2", None),
            ("other", None),
        ] {
            assert_eq!(without_version(written, names), expected, "{written}");
        }
    }

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
