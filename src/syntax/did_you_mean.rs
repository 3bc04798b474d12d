//! Similar names for "did you mean" hints. Compares letters only.
//!
//! Names come from catalogs and users in any number and length, so the work is bounded: after
//! [`MAX_COMPARED_PAIRS`] compared letters no further names are compared.

use crate::order::SortSmall;
/// Counts inserted, removed, changed or swapped letters. The work grows with the product of the
/// lengths.
pub use strsim::osa_distance as distance;

/// Letters compared per name; further letters are ignored.
const MAX_LETTERS: usize = 200;
/// Maximum number of compared letter pairs overall, about a tenth of a second.
const MAX_COMPARED_PAIRS: usize = 20_000_000;
/// At most this many names are suggested.
pub const MAX_SUGGESTIONS: usize = 3;
/// Shorter names are contained in too many others to suggest similarity.
const MIN_CONTAINED_LETTERS: usize = 3;

/// Returns at most [`MAX_SUGGESTIONS`] names similar to `missing`, most similar first.
///
/// A name is similar if less than a third of the letters differ (two in short names, one in names
/// of four letters), or if one name contains the other. Names that differ only in a number are
/// different versions, not similar. Nothing is similar to an empty name.
pub fn near_names<'a>(missing: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let missing = missing.trim();
    let letters = first_letters(missing);
    let count = letters.chars().count();
    let limit = match count {
        0 => return Vec::new(),
        1..5 => 1,
        count => (count / 3).max(2),
    };
    let mut work = 0;
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names
        .into_iter()
        .filter(|name| !name.is_empty() && !differ_only_in_numbers(missing, name))
    {
        let is_part = name.contains(missing) || missing.contains(name);
        if is_part && missing.len().min(name.len()) >= MIN_CONTAINED_LETTERS {
            near.push((name.len().abs_diff(missing.len()), name));
            continue;
        }
        if work > MAX_COMPARED_PAIRS {
            continue;
        }
        let other_count = name.chars().take(MAX_LETTERS).count();
        if other_count.abs_diff(count) <= limit {
            work += count * other_count;
            let distance = distance(&letters, &first_letters(name));
            if distance <= limit && distance < count {
                near.push((distance, name));
            }
        }
    }
    near.sort_small();
    near.dedup();
    near.into_iter()
        .take(MAX_SUGGESTIONS)
        .map(|(_, name)| name)
        .collect()
}

/// Returns "did you mean `a` or `b`?", or `otherwise` if no name is similar.
pub fn did_you_mean<'a>(
    missing: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    let near = near_names(missing, names);
    if near.is_empty() {
        return otherwise.to_owned();
    }
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("did you mean {}?", quoted.join(" or "))
}

/// Whether the names only differ in their numbers, like `stable-3.9` and `stable-3.17`. Such names
/// belong to different versions: neither is a misspelling of the other. Leading zeros are ignored.
pub fn differ_only_in_numbers(a: &str, b: &str) -> bool {
    let [texts_a, texts_b] =
        [a, b].map(|name| name.split(is_digit).filter(|part| !part.is_empty()));
    let [numbers_a, numbers_b] = [a, b].map(numbers);
    numbers_a.clone().count() == numbers_b.clone().count()
        && !numbers_a.eq(numbers_b)
        && a.starts_with(is_digit) == b.starts_with(is_digit)
        && texts_a.eq(texts_b)
}

/// Whether the names only differ in a number or in an appended version, like the channels `stable`,
/// `stable-v3` and `stable-3.17`.
pub fn differ_only_in_version(a: &str, b: &str) -> bool {
    let (stem_a, stem_b) = (stem(a), stem(b));
    let has_version = stem_a.len() < a.len() || stem_b.len() < b.len();
    differ_only_in_numbers(a, b)
        || (has_version && a != b && !stem_a.is_empty() && stem_a == stem_b)
}

fn first_letters(name: &str) -> String {
    name.chars().take(MAX_LETTERS).collect()
}

/// Iterates over the numbers of a name, without leading zeros.
fn numbers(name: &str) -> impl Iterator<Item = &str> + Clone {
    name.split(|c| !is_digit(c))
        .filter(|part| !part.is_empty())
        .map(|number| number.trim_start_matches('0'))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Returns a name without an appended version (`stable-v3` to `stable`).
fn stem(name: &str) -> String {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit() || ".-_".contains(c));
    let is_number = rest.len() < name.len() && name.ends_with(|c: char| c.is_ascii_digit());
    if !is_number {
        return name.to_owned();
    }
    rest.strip_suffix("-v")
        .or_else(|| rest.strip_suffix(".v"))
        .unwrap_or(rest)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_typing_error() {
        let names = ["stable", "candidate", "stable-v1"];
        assert_eq!(near_names("stabel", names), ["stable"]);
        assert_eq!(near_names("candidat", names), ["candidate"]);
        assert!(near_names("zzz", names).is_empty());
        assert_eq!(
            did_you_mean("stabel", names, "list them"),
            "did you mean `stable`?"
        );
        assert_eq!(did_you_mean("zzz", names, "list them"), "list them");
    }

    #[test]
    fn a_swap_of_neighbouring_letters_is_one_error() {
        for (a, b, far) in [
            ("stabel", "stable", 1),
            ("ab", "ba", 1),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("ca", "abc", 3),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (far, far), "{a} {b}");
        }
    }

    #[test]
    fn different_numbers_make_different_names() {
        for (a, b) in [
            ("stable-3.9", "stable-3.17"),
            ("anz.v3.1.101", "anz.v3.1.102"),
            ("v1", "v22"),
        ] {
            assert!(differ_only_in_numbers(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("stable", "stable"),
            ("stable-3", "stable"),
            ("stabel-3.9", "stable-3.17"),
            ("stable-3.9", "stable-3.9.1"),
            // Leading zeros do not change a number.
            ("p.v1.1.00", "p.v1.1.0"),
        ] {
            assert!(!differ_only_in_numbers(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("stable-3.9", "stable"),
            ("stable-v3", "stable-v3.17"),
            ("stable-v3", "stable"),
            ("4.17", "4.18"),
        ] {
            assert!(differ_only_in_version(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("stabel-3.9", "stable-3.9"),
            ("stable", "stable-"),
            ("stable", "stabel"),
            ("stable", "stable"),
            ("3.17", "v"),
        ] {
            assert!(!differ_only_in_version(a, b), "{a} {b}");
        }
    }

    #[test]
    fn no_suggestion_for_an_empty_name() {
        for wanted in ["", " ", "\t"] {
            assert!(
                near_names(wanted, ["a", "beta", "stable"]).is_empty(),
                "{wanted:?}"
            );
        }
        // All letters differ.
        assert!(near_names("a", ["b", "c"]).is_empty());
        assert!(near_names("ab", ["cd", "stable"]).is_empty());
    }

    #[test]
    fn finds_a_name_by_its_part() {
        assert_eq!(
            near_names("1.2.3", ["etcdoperator.v1.2.3", "etcdoperator.v0.9.0"]),
            ["etcdoperator.v1.2.3"]
        );
        assert_eq!(near_names("etcd-community", ["etcd"]), ["etcd"]);
    }

    #[test]
    fn many_long_names_cost_a_bounded_number_of_comparisons() {
        // Without a limit these are 50,000 tables of 200 by 200 letters, a minute of work.
        let names: Vec<String> = (0..50_000).map(|n| format!("{n:0>200}")).collect();
        let wanted = "x".repeat(200);
        let start = std::time::Instant::now();
        assert!(near_names(&wanted, names.iter().map(String::as_str)).is_empty());
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
