//! Filters and sorts the package list.

use protocol::views::PackageRow;
use std::cmp::Reverse;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    #[default]
    All,
    Problems,
    Edited,
    Deprecated,
}

impl Filter {
    pub const SOME: [Filter; 3] = [Filter::Problems, Filter::Edited, Filter::Deprecated];

    pub fn label(self) -> &'static str {
        match self {
            Filter::All => "All",
            Filter::Problems => "With problems",
            Filter::Edited => "Edited",
            Filter::Deprecated => "Deprecated",
        }
    }

    pub fn takes(self, row: &PackageRow) -> bool {
        match self {
            Filter::All => true,
            Filter::Problems => row.errors + row.warnings + row.infos > 0,
            Filter::Edited => row.edited,
            Filter::Deprecated => row.deprecated,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    #[default]
    Name,
    Problems,
    ChannelCount,
    Edited,
}

impl Sort {
    pub const EACH: [Sort; 4] = [Sort::Name, Sort::Problems, Sort::ChannelCount, Sort::Edited];

    pub fn label(self) -> &'static str {
        match self {
            Sort::Name => "name",
            Sort::Problems => "most problems",
            Sort::ChannelCount => "most channels",
            Sort::Edited => "edited first",
        }
    }

    /// Returns the storage key.
    pub fn key(self) -> &'static str {
        match self {
            Sort::Name => "name",
            Sort::Problems => "problems",
            Sort::ChannelCount => "channels",
            Sort::Edited => "edited",
        }
    }

    /// Returns the rank of a row: lower ranks come first, equal ones stay sorted by name.
    fn rank(self, row: &PackageRow) -> [Reverse<u32>; 3] {
        match self {
            Sort::Name => [Reverse(0); 3],
            Sort::Problems => [
                Reverse(row.errors),
                Reverse(row.warnings),
                Reverse(row.infos),
            ],
            Sort::ChannelCount => [Reverse(row.channels), Reverse(0), Reverse(0)],
            Sort::Edited => [Reverse(row.edited.into()), Reverse(0), Reverse(0)],
        }
    }
}

/// The filter and order of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageQuery {
    pub text: String,
    pub filter: Filter,
    pub sort: Sort,
}

impl PackageQuery {
    /// Whether the list is unfiltered.
    pub fn is_all(&self) -> bool {
        self.text.trim().is_empty() && self.filter == Filter::All
    }
}

/// Returns the rows whose name or display name contains all words of the text; names that start
/// with it come first.
pub fn matching_rows(rows: &[PackageRow], wanted: &PackageQuery) -> Vec<PackageRow> {
    let text = wanted.text.trim().to_lowercase();
    let terms: Vec<&str> = text.split_whitespace().collect();
    let has_all_words = |row: &PackageRow| {
        let (name, display) = (row.name.to_lowercase(), row.display_name.to_lowercase());
        terms
            .iter()
            .all(|word| name.contains(word) || display.contains(word))
    };
    let mut matches: Vec<PackageRow> = rows
        .iter()
        .filter(|row| wanted.filter.takes(row) && has_all_words(row))
        .cloned()
        .collect();
    matches.sort_by_key(|row| {
        let begins = text.is_empty() || row.name.to_lowercase().starts_with(&text);
        (!begins, wanted.sort.rank(row))
    });
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, display_name: &str, edited: bool) -> PackageRow {
        PackageRow {
            name: name.into(),
            display_name: display_name.into(),
            edited,
            ..PackageRow::default()
        }
    }

    fn rows() -> Vec<PackageRow> {
        vec![
            PackageRow {
                channels: 1,
                warnings: 3,
                ..row("my-kafka", "", false)
            },
            PackageRow {
                channels: 4,
                infos: 1,
                ..row("kafka", "", true)
            },
            PackageRow {
                channels: 26,
                errors: 1,
                ..row("strimzi-kafka-operator", "Strimzi", false)
            },
        ]
    }

    fn names(wanted: PackageQuery) -> Vec<String> {
        matching_rows(&rows(), &wanted)
            .into_iter()
            .map(|row| row.name)
            .collect()
    }

    fn with(text: &str, filter: Filter) -> PackageQuery {
        PackageQuery {
            text: text.to_owned(),
            filter,
            ..PackageQuery::default()
        }
    }

    #[test]
    fn prefix_matches_come_first() {
        assert_eq!(
            names(with("kafka", Filter::All)),
            ["kafka", "my-kafka", "strimzi-kafka-operator"]
        );
        assert_eq!(
            names(with("", Filter::All)),
            ["my-kafka", "kafka", "strimzi-kafka-operator"]
        );
    }

    #[test]
    fn each_word_must_match_either_name() {
        assert_eq!(
            names(with("STRIMZI kafka", Filter::All)),
            ["strimzi-kafka-operator"]
        );
        assert!(names(with("strimzi rabbit", Filter::All)).is_empty());
    }

    #[test]
    fn filters_narrow() {
        assert_eq!(names(with("", Filter::Edited)), ["kafka"]);
        assert!(names(with("my", Filter::Edited)).is_empty());
    }

    #[test]
    fn each_sort_order_starts_with_its_subject() {
        let first = |sort| {
            names(PackageQuery {
                sort,
                ..PackageQuery::default()
            })
            .first()
            .cloned()
            .unwrap_or_default()
        };
        assert_eq!(first(Sort::Name), "my-kafka", "as the catalog has them");
        assert_eq!(first(Sort::Problems), "strimzi-kafka-operator");
        assert_eq!(first(Sort::ChannelCount), "strimzi-kafka-operator");
        assert_eq!(first(Sort::Edited), "kafka");
        let wanted = PackageQuery {
            sort: Sort::ChannelCount,
            text: "my".into(),
            ..PackageQuery::default()
        };
        assert_eq!(names(wanted), ["my-kafka"]);
    }
}
