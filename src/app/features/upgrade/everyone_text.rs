//! Text and numbers about all next steps: cells, counts, row order.

use crate::words;
use protocol::destination::{Destination, PathStart};
use protocol::judgement::Tone;
use protocol::upgrades::{BundleVersion, EveryoneRow, EveryoneView, PathMark, PathSummary};
use protocol::views::Lens;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The lens of the rows, and for Classic the channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LensChannel {
    pub lens: Lens,
    pub channel: String,
}

impl LensChannel {
    /// Returns `None` if the subscribed channel neither lists nor mentions the version.
    pub fn course<'a>(&self, row: &'a EveryoneRow) -> Option<&'a PathSummary> {
        match self.lens {
            Lens::V0 => row.v0.iter().find(|course| course.channel == self.channel),
            Lens::V1 => Some(&row.v1),
        }
    }

    /// Formats the lens and channel, e.g. `Classic, stable`.
    pub fn to_text(&self) -> String {
        match self.lens {
            Lens::V0 => format!("Classic, {}", self.channel),
            Lens::V1 => "OLM v1".to_owned(),
        }
    }
}

/// Returns the version of a bundle, or else its name.
pub fn version_or_name(stop: &BundleVersion) -> &str {
    if stop.version.is_empty() {
        &stop.name
    } else {
        &stop.version
    }
}

/// Returns the label of a row: its version, or else its name.
pub fn row_label(row: &EveryoneRow) -> &str {
    if row.version.is_empty() {
        &row.name
    } else {
        &row.version
    }
}

/// Returns the next step of a path.
fn destination(course: &PathSummary) -> Destination<'_> {
    Destination::from(PathStart {
        next: course.next.as_ref().map(version_or_name),
        installed: Some(version_or_name(&course.last)),
        error: course.error,
        is_stuck: course.marks.contains(&PathMark::Stuck),
    })
}

/// Describes the next step of a path: the version, or else what happens instead.
pub fn next(course: Option<&PathSummary>) -> String {
    match course.map(destination) {
        None => "not listed".to_owned(),
        Some(Destination::UpdatesTo(version)) => version.to_owned(),
        Some(other) => other.to_string(),
    }
}

/// Returns the tone of the next step.
pub fn next_tone(course: Option<&PathSummary>) -> &'static str {
    course
        .map_or(Tone::Plain, |course| destination(course).tone())
        .name()
}

/// Shortens a text to `most` characters in its middle, since the ends distinguish texts.
pub fn shorten(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let (head, tail) = (most / 2, most.saturating_sub(most / 2 + 1));
    text.chars()
        .take(head)
        .chain(['…'])
        .chain(text.chars().skip(length - tail))
        .collect()
}

/// Returns the shape of a mark; always shown with its label.
pub fn glyph(mark: PathMark) -> &'static str {
    match mark {
        PathMark::Loop => "↻",
        PathMark::Stuck => "■",
        PathMark::GoesBack => "◀",
        PathMark::Prerelease => "◆",
        PathMark::LongWay => "⋯",
    }
}

/// Returns the tone of a mark.
pub fn tone(mark: PathMark) -> &'static str {
    match mark {
        PathMark::Loop | PathMark::Stuck | PathMark::GoesBack => "bad",
        PathMark::Prerelease => "advice",
        PathMark::LongWay => "plain",
    }
}

/// Describes a cell of the strip in one sentence.
pub fn sentence(row: &EveryoneRow, through: &LensChannel, was: Option<&str>) -> String {
    let course = through.course(row);
    let mut parts = vec![match course {
        None => format!("{}: not in {}", row_label(row), through.channel),
        Some(course) if course.next.is_some() => {
            let edge = course.edge.as_str();
            format!("{}: {} by {edge}", row_label(row), destination(course))
        }
        Some(course) => format!("{}: {}", row_label(row), destination(course)),
    }];
    if let Some(course) = course.filter(|course| course.steps > 1) {
        parts.push(format!(
            "ends at {} after {}",
            version_or_name(&course.last),
            words::count(course.steps, "step")
        ));
    }
    parts.extend(
        course
            .iter()
            .flat_map(|course| &course.marks)
            .map(|mark| mark.label().to_owned()),
    );
    if row.deprecated {
        parts.push("deprecated".to_owned());
    }
    if !row.in_catalog {
        parts.push("not in the catalog".to_owned());
    }
    if let Some(was) = was {
        parts.push(format!("before: {was}"));
    }
    parts.join(", ")
}

/// Summarizes the number of rows, of rows with each mark, and of rows that differ under the other
/// lens.
pub fn summary(
    view: &EveryoneView,
    through: &LensChannel,
    subscribed: &str,
) -> Vec<(&'static str, String)> {
    let here: Vec<&PathSummary> = view
        .rows
        .iter()
        .filter_map(|row| through.course(row))
        .collect();
    let mut out = vec![("plain", words::count(here.len() as u32, "version"))];
    let mut marks: BTreeMap<PathMark, u32> = BTreeMap::new();
    for mark in here.iter().flat_map(|course| &course.marks) {
        *marks.entry(*mark).or_default() += 1;
    }
    out.extend(marks.into_iter().map(|(mark, count)| {
        (
            tone(mark),
            format!("{} {count} {}", glyph(mark), mark.label()),
        )
    }));
    let differ = view
        .rows
        .iter()
        .filter(|row| differs(row, subscribed))
        .count() as u32;
    if differ > 0 {
        let other = if through.lens == Lens::V0 {
            "OLM v1"
        } else {
            "Classic"
        };
        out.push(("advice", format!("≠ {differ} different under {other}")));
    }
    out
}

/// Whether Classic on the subscribed channel and OLM v1 give different next steps.
pub fn differs(row: &EveryoneRow, subscribed: &str) -> bool {
    let classic = row.v0.iter().find(|course| course.channel == subscribed);
    classic.is_some_and(|course| {
        course.next.as_ref().map(|stop| &stop.name) != row.v1.next.as_ref().map(|stop| &stop.name)
            || course.last.name != row.v1.last.name
            || course.error.is_none() != row.v1.error.is_none()
    })
}

/// The sort column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Column {
    #[default]
    Version,
    Next(LensChannel),
    Last(LensChannel),
    Steps(LensChannel),
    Marks,
}

/// Returns the indices of rows sorted by a column; equal rows keep version order. Descending means
/// the highest version, most steps and worst mark first; empty cells are always last.
pub fn sorted_rows(view: &EveryoneView, by: &Column, descending: bool) -> Vec<usize> {
    // Rows arrive with the highest version first, so a name's position is its rank.
    let places: HashMap<&str, usize> = view
        .rows
        .iter()
        .enumerate()
        .map(|(at, row)| (row.name.as_str(), at))
        .collect();
    let rank = |stop: &BundleVersion| {
        places
            .get(stop.name.as_str())
            .map(|at| view.rows.len() - at)
    };
    let key = |row: &EveryoneRow| -> Option<usize> {
        match by {
            Column::Version => None,
            Column::Next(through) => rank(through.course(row)?.next.as_ref()?),
            Column::Last(through) => rank(&through.course(row)?.last),
            Column::Steps(through) => Some(through.course(row)?.steps as usize),
            Column::Marks => gravest(row).map(|mark| PathMark::LongWay as usize - mark as usize),
        }
    };
    let mut order: Vec<usize> = (0..view.rows.len()).collect();
    if *by == Column::Version {
        if !descending {
            order.reverse();
        }
        return order;
    }
    let keys: Vec<Option<usize>> = view.rows.iter().map(key).collect();
    order.sort_by(|a, b| {
        match (
            keys.get(*a).copied().flatten(),
            keys.get(*b).copied().flatten(),
        ) {
            (Some(a), Some(b)) => {
                if descending {
                    b.cmp(&a)
                } else {
                    a.cmp(&b)
                }
            }
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    });
    order
}

/// Returns the worst mark under any lens.
fn gravest(row: &EveryoneRow) -> Option<PathMark> {
    row.v0
        .iter()
        .chain([&row.v1])
        .flat_map(|course| &course.marks)
        .min()
        .copied()
}

/// Returns the marks of all rows, worst first.
pub fn all_marks(rows: &[EveryoneRow], subscribed: &str) -> Vec<PathMark> {
    let of_rows = rows
        .iter()
        .flat_map(|row| marks(row, subscribed))
        .map(|(mark, _)| mark);
    of_rows.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the marks of both lenses with their scope, e.g. `stuck (Classic, stable)`.
pub fn marks(row: &EveryoneRow, subscribed: &str) -> Vec<(PathMark, String)> {
    let classic = row.v0.iter().find(|course| course.channel == subscribed);
    let text_of =
        |course: Option<&PathSummary>| course.map_or_else(Vec::new, |course| course.marks.clone());
    let (classic, v1) = (text_of(classic), text_of(Some(&row.v1)));
    let mut all: Vec<PathMark> = classic.iter().chain(&v1).copied().collect();
    all.sort_unstable();
    all.dedup();
    let describe = |mark: PathMark| match (classic.contains(&mark), v1.contains(&mark)) {
        (true, true) => mark.label().to_owned(),
        (true, false) => format!("{} in Classic", mark.label()),
        _ => format!("{} in OLM v1", mark.label()),
    };
    all.into_iter().map(|mark| (mark, describe(mark))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::destination::{EdgeKind, ErrorKind};

    fn stop(version: &str) -> BundleVersion {
        BundleVersion {
            name: format!("p.v{version}"),
            version: version.to_owned(),
        }
    }

    fn course(channel: &str, next: Option<&str>, last: &str, marks: &[PathMark]) -> PathSummary {
        PathSummary {
            channel: channel.into(),
            next: next.map(stop),
            edge: EdgeKind::Replaces,
            last: stop(last),
            steps: u32::from(next.is_some()),
            marks: marks.to_vec(),
            error: None,
        }
    }

    fn row(version: &str, v0: PathSummary, v1: PathSummary) -> EveryoneRow {
        let BundleVersion { name, version } = stop(version);
        EveryoneRow {
            name,
            version,
            in_catalog: true,
            deprecated: false,
            v1,
            v0: vec![v0],
        }
    }

    fn view() -> EveryoneView {
        EveryoneView {
            channels: vec!["stable".into()],
            rows: vec![
                row(
                    "3.0.0",
                    course("stable", None, "3.0.0", &[]),
                    course("", None, "3.0.0", &[]),
                ),
                row(
                    "2.0.0",
                    course("stable", Some("3.0.0"), "3.0.0", &[]),
                    course("", Some("3.0.0"), "3.0.0", &[]),
                ),
                row(
                    "1.0.0",
                    course("stable", None, "1.0.0", &[PathMark::Stuck]),
                    course("", Some("2.0.0"), "3.0.0", &[PathMark::LongWay]),
                ),
            ],
            ..EveryoneView::default()
        }
    }

    fn classic() -> LensChannel {
        LensChannel {
            lens: Lens::V0,
            channel: "stable".into(),
        }
    }

    #[test]
    fn describes_cells_in_sentences() {
        let view = view();
        let sentences: Vec<String> = view
            .rows
            .iter()
            .map(|row| sentence(row, &classic(), None))
            .collect();
        assert_eq!(
            sentences,
            [
                "3.0.0: stays on 3.0.0",
                "2.0.0: updates to 3.0.0 by replaces",
                "1.0.0: no update, stuck"
            ]
        );
        let elsewhere = LensChannel {
            channel: "beta".into(),
            ..classic()
        };
        assert_eq!(
            sentence(&view.rows[0], &elsewhere, Some("3.1.0")),
            "3.0.0: not in beta, before: 3.1.0"
        );
        let parts: Vec<String> = summary(&view, &classic(), "stable")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(
            parts,
            ["3 versions", "■ 1 stuck", "≠ 1 different under OLM v1"]
        );
    }

    #[test]
    fn a_refusal_under_only_one_lens_is_a_difference() {
        let refused = PathSummary {
            error: Some(ErrorKind::Dependency),
            ..course("", None, "3.0.0", &[])
        };
        let row = row("3.0.0", course("stable", None, "3.0.0", &[]), refused);
        assert!(differs(&row, "stable"));
        assert_eq!(next(Some(&row.v1)), "refused by OLM v1");
        assert_eq!(next_tone(Some(&row.v1)), "bad");
    }

    #[test]
    fn long_versions_keep_both_ends() {
        assert_eq!(shorten("1.31.0-nightly-2026-08-22", 12), "1.31.0…08-22");
        assert_eq!(shorten("1.31.0", 12), "1.31.0");
    }

    #[test]
    fn rows_are_ordered_by_any_column() {
        let (view, v1) = (
            view(),
            LensChannel {
                lens: Lens::V1,
                channel: String::new(),
            },
        );
        assert_eq!(sorted_rows(&view, &Column::Version, true), [0, 1, 2]);
        assert_eq!(sorted_rows(&view, &Column::Version, false), [2, 1, 0]);
        assert_eq!(
            sorted_rows(&view, &Column::Next(v1.clone()), false),
            [2, 1, 0],
            "no next step is last"
        );
        assert_eq!(sorted_rows(&view, &Column::Next(v1), true), [1, 2, 0]);
        assert_eq!(sorted_rows(&view, &Column::Marks, true), [2, 0, 1]);
        assert_eq!(
            sorted_rows(&view, &Column::Steps(classic()), true),
            [1, 0, 2]
        );
    }

    #[test]
    fn marks_name_their_lens() {
        let texts: Vec<String> = marks(&view().rows[2], "stable")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["stuck in Classic", "long way in OLM v1"]);
    }
}
