//! Filters, sorts and groups the package list.

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

/// Filters by number of channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChannelCount {
    #[default]
    Any,
    One,
    Few,
    Many,
}

impl ChannelCount {
    pub const EACH: [ChannelCount; 4] = [
        ChannelCount::Any,
        ChannelCount::One,
        ChannelCount::Few,
        ChannelCount::Many,
    ];

    pub fn label(self) -> &'static str {
        match self {
            ChannelCount::Any => "any number",
            ChannelCount::One => "one",
            ChannelCount::Few => "2 to 9",
            ChannelCount::Many => "10 and more",
        }
    }

    fn takes(self, row: &PackageRow) -> bool {
        match self {
            ChannelCount::Any => true,
            ChannelCount::One => row.channels <= 1,
            ChannelCount::Few => (2..10).contains(&row.channels),
            ChannelCount::Many => row.channels >= 10,
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

/// Groups packages by their problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Heading {
    Errors,
    Advice,
    /// At most informational problems.
    Informational,
    Clean,
}

impl Heading {
    const EACH: [Heading; 4] = [
        Heading::Errors,
        Heading::Advice,
        Heading::Informational,
        Heading::Clean,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Heading::Errors => "With errors",
            Heading::Advice => "With warnings",
            Heading::Informational => "With information",
            Heading::Clean => "Without problems",
        }
    }

    fn from_row(row: &PackageRow) -> Self {
        match (row.errors, row.warnings, row.infos) {
            (0, 0, 0) => Heading::Clean,
            (0, 0, _) => Heading::Informational,
            (0, ..) => Heading::Advice,
            _ => Heading::Errors,
        }
    }
}

/// The filter and order of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageQuery {
    pub text: String,
    pub filter: Filter,
    pub channels: ChannelCount,
    pub sort: Sort,
    pub is_grouped: bool,
}

impl PackageQuery {
    /// Whether the list is unfiltered.
    pub fn is_all(&self) -> bool {
        self.text.trim().is_empty()
            && self.filter == Filter::All
            && self.channels == ChannelCount::Any
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// `None`: the list has no headings.
    pub heading: Option<Heading>,
    pub rows: Vec<PackageRow>,
}

/// Returns the rows whose name or display name contains all words of the text; names that start
/// with it come first. Without headings there is one group, which may be empty.
pub fn matching_groups(rows: &[PackageRow], wanted: &PackageQuery) -> Vec<Group> {
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
        .filter(|row| wanted.filter.takes(row) && wanted.channels.takes(row) && has_all_words(row))
        .cloned()
        .collect();
    matches.sort_by_key(|row| {
        let begins = text.is_empty() || row.name.to_lowercase().starts_with(&text);
        (!begins, wanted.sort.rank(row))
    });
    if !wanted.is_grouped {
        return vec![Group {
            heading: None,
            rows: matches,
        }];
    }
    let group = |heading| {
        let rows: Vec<PackageRow> = matches
            .iter()
            .filter(|row| Heading::from_row(row) == heading)
            .cloned()
            .collect();
        (!rows.is_empty()).then_some(Group {
            heading: Some(heading),
            rows,
        })
    };
    Heading::EACH.into_iter().filter_map(group).collect()
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
        matching_groups(&rows(), &wanted)
            .into_iter()
            .flat_map(|group| group.rows)
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
        let filtered = |channels| {
            names(PackageQuery {
                channels,
                ..PackageQuery::default()
            })
        };
        assert_eq!(filtered(ChannelCount::One), ["my-kafka"]);
        assert_eq!(filtered(ChannelCount::Few), ["kafka"]);
        assert_eq!(filtered(ChannelCount::Many), ["strimzi-kafka-operator"]);
        assert_eq!(filtered(ChannelCount::Any).len(), 3);
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

    #[test]
    fn empty_groups_have_no_heading() {
        let wanted = PackageQuery {
            is_grouped: true,
            ..PackageQuery::default()
        };
        let headings = |rows: &[PackageRow]| -> Vec<Option<Heading>> {
            matching_groups(rows, &wanted)
                .iter()
                .map(|group| group.heading)
                .collect()
        };
        let clean = [rows(), vec![row("quiet", "", false)]].concat();
        let all = [
            Heading::Errors,
            Heading::Advice,
            Heading::Informational,
            Heading::Clean,
        ];
        assert_eq!(headings(&clean), all.map(Some));
        assert_eq!(
            matching_groups(&clean, &with("", Filter::Problems))
                .iter()
                .map(|group| group.rows.len())
                .sum::<usize>(),
            3
        );
        assert_eq!(headings(&rows()[..1]), [Some(Heading::Advice)]);
        assert!(headings(&[]).is_empty());
        assert_eq!(
            matching_groups(&[], &PackageQuery::default()).len(),
            1,
            "a list without headings is there, empty"
        );
    }
}
