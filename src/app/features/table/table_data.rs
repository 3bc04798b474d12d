//! The table as data: visible rows, their order, and text export.

use crate::edits::command::EditCommand;
use crate::state::layout::toggle;
use protocol::enum_with_text;
use protocol::views::{EntryState, TableRow};
use std::cmp::Ordering;
use std::collections::BTreeMap;

enum_with_text! {
    pub fn label;
    pub const ALL;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Column {
        Channel = "Channel",
        Entry = "Entry",
        Version = "Version",
        Replaces = "Replaces",
        Skips = "Skips",
        SkipRange = "Skip range",
        State = "State",
    }
}

impl Column {
    /// `index` 0 of the grid holds the checkboxes.
    pub fn at(index: usize) -> Option<Column> {
        Self::ALL.get(index.checked_sub(1)?).copied()
    }

    pub fn command(self) -> Option<EditCommand> {
        match self {
            Column::Replaces => Some(EditCommand::SetReplaces),
            Column::Skips => Some(EditCommand::AddSkip),
            Column::SkipRange => Some(EditCommand::SetSkipRange),
            _ => None,
        }
    }

    pub fn text(self, row: &TableRow) -> String {
        match self {
            Column::Channel => row.channel.clone(),
            Column::Entry => row.entry.clone(),
            Column::Version => row.version.clone(),
            Column::Replaces => row.replaces.clone(),
            Column::Skips => row.skips.join(", "),
            Column::SkipRange => row.skip_range.clone(),
            Column::State => {
                let labels: Vec<&str> = row.states.iter().map(|state| state.label()).collect();
                labels.join(", ")
            }
        }
    }

    fn compare(self, a: &TableRow, b: &TableRow) -> Ordering {
        match self {
            Column::Version => by_version(&a.version, &b.version),
            Column::Skips => a.skips.len().cmp(&b.skips.len()),
            column => natural(&column.text(a), &column.text(b)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub column: Column,
    pub descending: bool,
}

impl Sort {
    /// Returns the sort order after a press on a header: ascending, descending, then the order of
    /// the lanes again.
    pub fn next_sort(now: Option<Sort>, column: Column) -> Option<Sort> {
        match now.filter(|sort| sort.column == column) {
            None => Some(Sort {
                column,
                descending: false,
            }),
            Some(Sort {
                descending: false, ..
            }) => Some(Sort {
                column,
                descending: true,
            }),
            Some(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    pub text: String,
    /// Rows with any of these states match; empty means all rows.
    pub states: Vec<&'static str>,
}

/// The filter state of rows with a problem.
const PROBLEM: &str = "problem";
/// The filter state of rows whose bundle requires others.
const REQUIREMENTS: &str = "with requirements";

/// Returns the filter states of a row. An unlisted entry has only *not in this channel* and
/// *problem*.
fn filter_states(row: &TableRow) -> impl Iterator<Item = &'static str> {
    let is_absent = row.is_absent();
    let states = row.states.iter();
    states
        .filter(move |state| !is_absent || **state == EntryState::Absent)
        .map(|state| state.label())
        .chain(row.problem.as_ref().map(|_| PROBLEM))
        .chain((row.has_requirements && !is_absent).then_some(REQUIREMENTS))
}

impl Filter {
    fn accepts(&self, row: &TableRow) -> bool {
        if !self.states.is_empty() && !filter_states(row).any(|state| self.states.contains(&state))
        {
            return false;
        }
        let lower = Column::ALL.map(|column| column.text(row).to_lowercase());
        self.text
            .to_lowercase()
            .split_whitespace()
            .all(|word| lower.iter().any(|text| text.contains(word)))
    }

    pub fn toggle(&mut self, state: &'static str) {
        toggle(&mut self.states, state);
    }
}

/// Returns the states that occur, each with its number of rows.
pub fn count_states(rows: &[TableRow]) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for state in rows.iter().flat_map(filter_states) {
        *counts.entry(state).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// A row and its index among all rows, so that identical rows are distinct.
pub type Numbered = (usize, TableRow);

/// Returns the visible rows in order. Rows with equal sort values keep the order of the lanes.
pub fn arrange(rows: &[TableRow], filter: &Filter, sort: Option<Sort>) -> Vec<Numbered> {
    let mut visible: Vec<Numbered> = rows
        .iter()
        .cloned()
        .enumerate()
        .filter(|(_, row)| filter.accepts(row))
        .collect();
    if let Some(Sort { column, descending }) = sort {
        visible.sort_by(|(_, a), (_, b)| {
            // Empty cells come last in either direction.
            let empty = column.text(a).is_empty().cmp(&column.text(b).is_empty());
            let order = column.compare(a, b);
            empty.then(if descending { order.reverse() } else { order })
        });
    }
    visible
}

/// Formats rows as tab-separated text for other programs, after a row of column names.
pub fn export<'a>(rows: impl Iterator<Item = &'a TableRow>) -> String {
    let line = |cells: [String; Column::ALL.len()]| {
        let cells = cells.map(|cell| cell.replace(['\t', '\n', '\r'], " "));
        cells.join("\t") + "\n"
    };
    let mut out = line(Column::ALL.map(|column| column.label().to_owned()));
    out.extend(rows.map(|row| line(Column::ALL.map(|column| column.text(row)))));
    out
}

/// Compares versions approximately: numbers numerically, prereleases before releases.
fn by_version(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| {
        let text = text.split('+').next().unwrap_or_default().to_owned();
        match text.split_once('-') {
            Some((core, pre)) => (core.to_owned(), false, pre.to_owned()),
            None => (text, true, String::new()),
        }
    };
    let ((core_a, released_a, pre_a), (core_b, released_b, pre_b)) = (parts(a), parts(b));
    natural(&core_a, &core_b)
        .then(released_a.cmp(&released_b))
        .then_with(|| natural(&pre_a, &pre_b))
}

/// Compares texts, with numbers in numeric order.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (Some(x), Some(y)) = (a.chars().next(), b.chars().next()) else {
            return a.len().cmp(&b.len());
        };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number_a, rest_a) = split_number(a);
            let (number_b, rest_b) = split_number(b);
            (a, b) = (rest_a, rest_b);
            number_a
                .len()
                .cmp(&number_b.len())
                .then_with(|| number_a.cmp(number_b))
        } else {
            (a, b) = (&a[x.len_utf8()..], &b[y.len_utf8()..]);
            x.to_lowercase().cmp(y.to_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Splits off the leading digits of a text, without leading zeros.
fn split_number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::ProblemMark;

    fn row(channel: &str, version: &str) -> TableRow {
        TableRow {
            channel: channel.into(),
            entry: format!("p.v{version}"),
            version: version.into(),
            ..TableRow::default()
        }
    }

    fn versions(rows: &[Numbered]) -> String {
        rows.iter()
            .map(|(_, row)| row.version.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn versions_are_sorted_as_numbers() {
        let rows =
            ["1.10.0", "1.9.0", "", "1.10.0-rc.10", "1.10.0-rc.2"].map(|version| row("c", version));
        let sorted = |descending| {
            versions(&arrange(
                &rows,
                &Filter::default(),
                Some(Sort {
                    column: Column::Version,
                    descending,
                }),
            ))
        };
        assert_eq!(sorted(false), "1.9.0 1.10.0-rc.2 1.10.0-rc.10 1.10.0 ");
        assert_eq!(
            sorted(true),
            "1.10.0 1.10.0-rc.10 1.10.0-rc.2 1.9.0 ",
            "what has none stays last"
        );
    }

    #[test]
    fn a_header_sorts_up_then_down_then_not() {
        let mut sort = None;
        let mut seen = Vec::new();
        for _ in 0..3 {
            sort = Sort::next_sort(sort, Column::Entry);
            seen.push(sort.map(|sort| sort.descending));
        }
        assert_eq!(seen, [Some(false), Some(true), None]);
    }

    #[test]
    fn filters_rows_by_words_and_states() {
        let mut rows = vec![
            row("stable", "1.0.0"),
            row("stable", "1.1.0"),
            row("fast", "1.1.0"),
        ];
        rows[1].states = vec![EntryState::Head];
        rows[2].problem = Some(ProblemMark {
            errors: 1,
            warnings: 0,
            worst: String::new(),
        });
        let count = |text: &str, states: &[&'static str]| {
            let states = states.to_vec();
            arrange(
                &rows,
                &Filter {
                    text: text.into(),
                    states,
                },
                None,
            )
            .len()
        };
        assert_eq!(
            [
                count("", &[]),
                count("STABLE 1.1", &[]),
                count("", &["head", "problem"])
            ],
            [3, 1, 2]
        );
        assert_eq!(count("fast", &["head"]), 0);
        assert_eq!(count_states(&rows), [("head", 1), ("problem", 1)]);
    }

    #[test]
    fn an_entry_that_the_channel_does_not_list_has_no_other_filter_state() {
        let mut rows = [row("stable", "1.0.0"), row("stable", "0.9.0")];
        rows[0].states = vec![EntryState::DefaultChannel];
        rows[1].states = vec![
            EntryState::Absent,
            EntryState::NoBundle,
            EntryState::DefaultChannel,
        ];
        assert_eq!(
            count_states(&rows),
            [("default channel", 1), ("not in this channel", 1)]
        );
        let filter = Filter {
            states: vec!["default channel"],
            ..Filter::default()
        };
        assert_eq!(versions(&arrange(&rows, &filter, None)), "1.0.0");
        rows[0].has_requirements = true;
        rows[1].has_requirements = true;
        let of_rows = count_states(&rows);
        assert_eq!(of_rows.last(), Some(&("with requirements", 1)));
    }

    #[test]
    fn copied_rows_can_be_parsed() {
        let mut skipping = row("c", "1.1.0");
        skipping.skips = vec!["p.v1.0.0".into(), "p.v1.0.1".into()];
        skipping.skip_range = ">=1.0.0 \"x\"\t<1.1.0".into();
        assert_eq!(
            export([&skipping].into_iter()),
            "Channel\tEntry\tVersion\tReplaces\tSkips\tSkip range\tState\n\
             c\tp.v1.1.0\t1.1.0\t\tp.v1.0.0, p.v1.0.1\t>=1.0.0 \"x\" <1.1.0\t\n"
        );
    }
}
