//! Guesses which of two catalogs users have now and which they will get, as the default of a
//! comparison. Plain data.

use protocol::views::PackageRow;
use std::cmp::Ordering;

/// Whether the first is newer: by the numbers in their names, if these differ in nothing else
/// (`v4.19`, `v4.20`); else by the number of bundles in common packages, since catalogs grow. Roots
/// are paths, packages belong to each catalog.
pub fn is_newer(one: (&str, &[PackageRow]), other: (&str, &[PackageRow])) -> bool {
    let by_name = by_numbers(last(one.0), last(other.0));
    by_name.unwrap_or_else(|| bundles(one.1, other.1).cmp(&bundles(other.1, one.1)))
        == Ordering::Greater
}

fn last(root: &str) -> &str {
    root.rsplit('/').next().unwrap_or(root)
}

/// `None` if the names differ in more than numbers, or are equal.
fn by_numbers(one: &str, other: &str) -> Option<Ordering> {
    let letters = |text: &str| {
        text.split(|c: char| c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .collect::<String>()
    };
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    let order = numbers(one).cmp(&numbers(other));
    (letters(one) == letters(other) && order != Ordering::Equal).then_some(order)
}

/// Number of bundles in packages that the other catalog has too.
fn bundles(of: &[PackageRow], other: &[PackageRow]) -> u32 {
    of.iter()
        .filter(|row| other.iter().any(|known| known.name == row.name))
        .map(|row| row.bundles)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(of: &[(&str, u32)]) -> Vec<PackageRow> {
        let row = |(name, bundles): &(&str, u32)| PackageRow {
            name: (*name).to_owned(),
            bundles: *bundles,
            ..PackageRow::default()
        };
        of.iter().map(row).collect()
    }

    #[test]
    fn a_higher_version_in_the_name_is_newer() {
        assert!(is_newer(("a/v4.20", &[]), ("b/v4.19", &[])));
        assert!(
            !is_newer(("v4.9", &[]), ("v4.10", &[])),
            "as numbers, and not as letters"
        );
        let (few, many) = (rows(&[("p", 1)]), rows(&[("p", 2)]));
        assert!(
            !is_newer(("v4.19", &many), ("v4.20", &few)),
            "the name takes precedence"
        );
    }

    #[test]
    fn otherwise_the_catalog_with_more_bundles_is_newer() {
        let (few, many) = (rows(&[("p", 3), ("own", 90)]), rows(&[("p", 4), ("q", 1)]));
        assert!(is_newer(("next", &many), ("hub", &few)));
        assert!(!is_newer(("hub", &few), ("next", &many)));
        assert!(
            !is_newer(("next", &few), ("hub", &few)),
            "of two like each other none is"
        );
    }
}
