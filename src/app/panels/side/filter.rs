//! Which packages the list shows.

use crate::protocol::views::PackageRow;

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
            Filter::Problems => "Problems",
            Filter::Edited => "Edited",
            Filter::Deprecated => "Deprecated",
        }
    }

    pub fn takes(self, row: &PackageRow) -> bool {
        match self {
            Filter::All => true,
            Filter::Problems => row.errors + row.warnings > 0,
            Filter::Edited => row.edited,
            Filter::Deprecated => row.deprecated,
        }
    }
}

/// Rows that the filter takes and whose name or display name has all words of the text; names that begin with it first.
pub fn filtered(rows: &[PackageRow], text: &str, filter: Filter) -> Vec<PackageRow> {
    let text = text.trim().to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out: Vec<PackageRow> = rows
        .iter()
        .filter(|row| filter.takes(row))
        .filter(|row| {
            let (name, display) = (row.name.to_lowercase(), row.display_name.to_lowercase());
            words.iter().all(|word| name.contains(word) || display.contains(word))
        })
        .cloned()
        .collect();
    if !text.is_empty() {
        out.sort_by_key(|row| !row.name.to_lowercase().starts_with(&text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, display_name: &str, edited: bool) -> PackageRow {
        PackageRow { name: name.into(), display_name: display_name.into(), edited, ..PackageRow::default() }
    }

    fn names(text: &str, filter: Filter) -> Vec<String> {
        let rows =
            [row("my-kafka", "", false), row("kafka", "", true), row("strimzi-kafka-operator", "Strimzi", false)];
        filtered(&rows, text, filter).into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn what_begins_with_the_text_comes_first() {
        assert_eq!(names("kafka", Filter::All), ["kafka", "my-kafka", "strimzi-kafka-operator"]);
        assert_eq!(names("", Filter::All), ["my-kafka", "kafka", "strimzi-kafka-operator"]);
    }

    #[test]
    fn all_words_must_be_there_in_either_name() {
        assert_eq!(names("STRIMZI kafka", Filter::All), ["strimzi-kafka-operator"]);
        assert!(names("strimzi rabbit", Filter::All).is_empty());
    }

    #[test]
    fn filters_narrow() {
        assert_eq!(names("", Filter::Edited), ["kafka"]);
        assert!(names("my", Filter::Edited).is_empty());
    }
}
