//! Similar names for "did you mean" hints. Compares letters only.
//!
//! Names come from catalogs and users in any number and length, so the work is bounded: after
//! [`MOST_WORK`] compared letters no further names are compared.

use crate::order::SortSmall;

/// Counts inserted, removed, changed or swapped letters. The work grows with the product of the
/// lengths.
pub use strsim::osa_distance as distance;

/// Compared letters per name; the rest of longer names is ignored.
const MOST_LETTERS: usize = 200;
/// Maximum number of compared letter pairs overall, about a tenth of a second.
const MOST_WORK: usize = 20_000_000;
/// Fewer letters than these are part of nearly every name, so a match means nothing.
const PART: usize = 3;

/// Returns at most three names similar to a missing one, most similar first.
///
/// A name is similar if less than a third of the letters differ (two in short names, one in names
/// of four letters), or if one name contains the other. Names that differ only in a number are
/// different versions, not similar. Nothing is similar to an empty name.
pub fn near_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.trim();
    let cut = |name: &str| name.chars().take(MOST_LETTERS).collect::<String>();
    let (letters, count) = (cut(wanted), wanted.chars().take(MOST_LETTERS).count());
    let limit = match count {
        0 => return Vec::new(),
        1..5 => 1,
        count => (count / 3).max(2),
    };
    let mut work = 0;
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names
        .into_iter()
        .filter(|name| !name.is_empty() && !differ_only_in_numbers(wanted, name))
    {
        if wanted.len().min(name.len()) >= PART && (name.contains(wanted) || wanted.contains(name))
        {
            near.push((name.len().abs_diff(wanted.len()), name));
            continue;
        }
        if work > MOST_WORK {
            continue;
        }
        let other_count = name.chars().take(MOST_LETTERS).count();
        if other_count.abs_diff(count) <= limit {
            work += count * other_count;
            let distance = distance(&letters, &cut(name));
            near.extend((distance <= limit && distance < count).then_some((distance, name)));
        }
    }
    near.sort_small();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns "did you mean `a` or `b`?", or else the text of `otherwise`.
pub fn did_you_mean<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    let near = near_names(wanted, names);
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

/// Iterates over the numbers of a name, without leading zeros.
fn numbers(name: &str) -> impl Iterator<Item = &str> + Clone {
    name.split(|c| !is_digit(c))
        .filter(|part| !part.is_empty())
        .map(|number| number.trim_start_matches('0'))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether the names only differ in a number or in an appended version, like the channels `stable`,
/// `stable-v3` and `stable-3.17`.
pub fn differ_only_in_version(a: &str, b: &str) -> bool {
    let (of_a, of_b) = (stem(a), stem(b));
    let has_version = of_a.len() < a.len() || of_b.len() < b.len();
    differ_only_in_numbers(a, b) || (has_version && a != b && !of_a.is_empty() && of_a == of_b)
}

fn stem(name: &str) -> String {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit() || ".-_".contains(c));
    let is_number = rest.len() < name.len() && name.ends_with(|c: char| c.is_ascii_digit());
    match is_number {
        true => rest
            .strip_suffix("-v")
            .or_else(|| rest.strip_suffix(".v"))
            .unwrap_or(rest)
            .to_owned(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_found() {
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
    fn a_swap_of_neighbours_is_one_slip() {
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
    fn other_numbers_make_another_name() {
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
    fn part_of_a_name_leads_to_it() {
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
