//! Ways out that several rules offer: names that were perhaps meant, versions in order, ranges that parse.

use crate::version::{Version, blang};
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use std::cmp::Ordering;

/// Longest name that is compared with others; the comparison is quadratic in it.
const NAME_LIMIT: usize = 120;
/// Most candidates looked at.
const CANDIDATE_LIMIT: usize = 2000;

/// Letters by which a misspelt word differs at most.
const MISSPELT: usize = 2;

/// A fix of one operation, whose kind is the operation's name.
pub(super) fn fix(title: impl Into<String>, safe: bool, op: EditOp) -> Fix {
    fix_of(title, safe, vec![op])
}

/// A fix of several operations, which are applied together. Its kind is the first one's name. What results from
/// it is filled in when it is told.
pub(super) fn fix_of(title: impl Into<String>, safe: bool, ops: Vec<EditOp>) -> Fix {
    let kind = ops.first().map_or("", EditOp::name).to_owned();
    Fix { title: title.into(), safe, ops, kind, heads: Vec::new(), note: String::new() }
}

/// The candidate that is spelled most like `name`, when one is near enough to be meant.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_LIMIT {
        return None;
    }
    let enough = name.chars().count() / 3 + 1;
    candidates
        .into_iter()
        .take(CANDIDATE_LIMIT)
        .filter(|c| c.len() <= NAME_LIMIT && !c.is_empty())
        .map(|c| (distance(name, c), c))
        .filter(|(d, _)| *d <= enough)
        .min()
        .map(|(_, c)| c)
}

/// The known word that `word` is spelled almost like, and is not.
pub(super) fn misspelt<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if word.is_empty() || word.len() > NAME_LIMIT || known.contains(&word) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let near = |k: &&&str| distance(&lower, &k.to_ascii_lowercase()) <= MISSPELT;
    known.iter().find(|k| k.eq_ignore_ascii_case(word)).or_else(|| known.iter().find(near)).copied()
}

/// Letters that were put in, left out, changed or swapped with their neighbour.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let (mut two_before, mut before, mut row) = (vec![0; width], vec![0; width], (0..width).collect::<Vec<usize>>());
    for (i, &x) in a.iter().enumerate() {
        // The oldest of the three rows is written over.
        std::mem::swap(&mut two_before, &mut before);
        std::mem::swap(&mut before, &mut row);
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = before[j] + usize::from(x != y);
            row[j + 1] = changed.min(before[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                row[j + 1] = row[j + 1].min(two_before[j - 1] + 1);
            }
        }
    }
    row[b.len()]
}

/// Compares two version texts; one that is no version is lowest.
pub(super) fn compare_versions(a: &str, b: &str) -> Ordering {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b),
        (a, b) => a.is_ok().cmp(&b.is_ok()),
    }
}

/// What a range that does not parse perhaps means in blang's dialect: what npm and others write, spelled out.
pub fn repair_range(text: &str) -> Option<String> {
    let spaced = text.replace("||", " || ").replace([',', '\t', '\n'], " ");
    let mut parts: Vec<String> = Vec::new();
    let mut operator = String::new();
    for token in spaced.split_whitespace() {
        if token.chars().all(|c| "<>=!~^".contains(c)) {
            operator.push_str(token);
            continue;
        }
        if token == "||" || token == "-" {
            parts.push(token.to_owned());
            continue;
        }
        let token = std::mem::take(&mut operator) + token;
        // `>=1.0.0<2.0.0`: an operator in the middle begins a comparison of its own.
        let mut rest = token.as_str();
        while let Some(cut) = rest.char_indices().skip(1).find_map(|(i, c)| {
            let before = rest[..i].chars().next_back()?;
            ("<>=!~^".contains(c) && !"<>=!~^".contains(before)).then_some(i)
        }) {
            parts.push(comparison(&rest[..cut])?);
            rest = &rest[cut..];
        }
        parts.push(comparison(rest)?);
    }
    if let [low, dash, high] = &parts[..]
        && dash == "-"
    {
        parts = vec![format!(">={low}"), format!("<={high}")];
    }
    let repaired = parts.join(" ");
    (repaired != text && blang::Range::parse(&repaired).is_ok()).then_some(repaired)
}

/// Whether a repaired range can only have been meant so: a comma means "and" in every dialect that has it, a `v` before a
/// number means nothing in any, and `=>` can only be `>=`. What had to be filled up or turned into other numbers can be
/// read in several ways.
pub(super) fn is_plain_repair(text: &str, repaired: &str) -> bool {
    fn numbers(text: &str) -> Vec<&str> {
        text.split(|c: char| " ,|<>=!\t\n".contains(c))
            .filter(|t| !t.is_empty())
            .map(|t| t.trim_start_matches(['v', 'V']))
            .collect()
    }
    !["<>", "===", " - ", "~", "^"].iter().any(|odd| text.contains(odd)) && numbers(text) == numbers(repaired)
}

fn comparison(token: &str) -> Option<String> {
    let digits = token.find(|c: char| c.is_ascii_digit())?;
    let operator = token[..digits].trim_end_matches(['v', 'V']);
    let version = padded(&token[digits..]);
    let parsed = Version::parse(&version).ok();
    Some(match (operator, parsed) {
        ("~" | "~>", Some(v)) => format!(">={version} <{}.{}.0", v.major(), v.minor().checked_add(1)?),
        ("^", Some(v)) if v.major() > 0 => format!(">={version} <{}.0.0", v.major().checked_add(1)?),
        ("^", Some(v)) => format!(">={version} <0.{}.0", v.minor().checked_add(1)?),
        ("=>", _) => format!(">={version}"),
        ("=<", _) => format!("<={version}"),
        ("<>", _) => format!("!={version}"),
        ("===", _) => format!("={version}"),
        (other, _) => format!("{other}{version}"),
    })
}

/// `1` and `1.2` with the missing parts, `1.02.0` without the zeros that no number begins with.
fn padded(version: &str) -> String {
    let (numbers, rest) = version.split_at(version.find(['-', '+']).unwrap_or(version.len()));
    // `1.00.0-2.0.0` is two versions and no prerelease.
    if rest.strip_prefix('-').is_some_and(|rest| Version::parse(rest).is_ok()) {
        return version.to_owned();
    }
    let parts: Vec<&str> = numbers.split('.').map(without_zeros).collect();
    let plain = rest.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let missing = if plain { 3usize.saturating_sub(parts.len()) } else { 0 };
    format!("{}{}{rest}", parts.join("."), ".0".repeat(missing))
}

fn without_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" if !number.is_empty() => "0",
        rest if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_name() {
        assert_eq!(nearest("stabel", ["alpha", "stable", "stable-v1"]), Some("stable"));
        assert_eq!(nearest("x", ["alpha", "stable"]), None);
        assert_eq!(nearest("etcd.v0.9.4", ["etcd.v0.9.2", "prometheus.v1"]), Some("etcd.v0.9.2"));
    }

    #[test]
    fn a_swap_of_neighbours_is_one_slip() {
        for (a, b, far) in
            [("stabel", "stable", 1), ("ab", "ba", 1), ("", "abc", 3), ("abc", "abc", 0), ("ca", "abc", 3)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (far, far), "{a} {b}");
        }
    }

    #[test]
    fn finds_what_is_misspelt() {
        let known = ["olm.gvk", "olm.gvk.required", "olm.maxOpenShiftVersion"];
        for (word, meant) in [
            ("olm.maxOpenshiftversion", Some("olm.maxOpenShiftVersion")),
            ("olm.gvk.require", Some("olm.gvk.required")),
            ("olm.gkv", Some("olm.gvk")),
            ("olm.gvk", None),
            ("olm.content-type", None),
            ("", None),
        ] {
            assert_eq!(misspelt(word, &known), meant, "{word}");
        }
    }

    #[test]
    fn repairs_ranges_of_other_dialects() {
        for (text, repaired) in [
            (">=1.0.0, <2.0.0", ">=1.0.0 <2.0.0"),
            (">=1.0.0<2.0.0", ">=1.0.0 <2.0.0"),
            (">=1.0 <2", ">=1.0.0 <2.0.0"),
            ("^1.2.3", ">=1.2.3 <2.0.0"),
            ("^0.2.3", ">=0.2.3 <0.3.0"),
            ("~1.2.0", ">=1.2.0 <1.3.0"),
            (">=v1.0.0 <v1.1.0", ">=1.0.0 <1.1.0"),
            ("=>1.0.0", ">=1.0.0"),
            (">=1.0.0||<0.5.0", ">=1.0.0 || <0.5.0"),
            ("1.0 - 2.0", ">=1.0.0 <=2.0.0"),
            (">=1.00.0", ">=1.0.0"),
            (">=01.2 <1.010.0-rc.1", ">=1.2.0 <1.10.0-rc.1"),
        ] {
            assert_eq!(repair_range(text).as_deref(), Some(repaired), "{text}");
        }
        for text in [">=1.0.0, <2.0.0", ">=1.0.0<2.0.0", ">=v1.0.0 <v1.1.0", "=>1.0.0", ">=1.0.0||<0.5.0"] {
            assert!(is_plain_repair(text, &repair_range(text).unwrap()), "{text}");
        }
        for text in [">=1.0 <2", "^1.2.3", "~1.2.0", "1.0.0 - 2.0.0", "<>1.0.0", ">=1.00.0"] {
            assert!(!is_plain_repair(text, &repair_range(text).unwrap()), "{text}");
        }
        assert_eq!(repair_range("1.00.0-2.0.0"), None);
        assert_eq!(repair_range("any"), None);
        assert_eq!(repair_range(""), None);
    }

    #[test]
    fn what_is_no_version_is_lowest() {
        assert_eq!(compare_versions("1.10.0", "1.9.0"), Ordering::Greater);
        assert_eq!(compare_versions("v1", "0.0.0"), Ordering::Less);
        assert_eq!(compare_versions("a", "b"), Ordering::Equal);
    }
}
