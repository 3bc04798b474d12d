//! Text about all next steps: cells and marks.

use protocol::destination::{Destination, PathStart};
use protocol::judgement::Tone;
use protocol::upgrades::{BundleVersion, EveryoneRow, PathMark, PathSummary};
use protocol::views::Lens;
use std::collections::BTreeSet;

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

/// Whether Classic on the subscribed channel and OLM v1 give different next steps.
pub fn differs(row: &EveryoneRow, subscribed: &str) -> bool {
    let classic = row.v0.iter().find(|course| course.channel == subscribed);
    classic.is_some_and(|course| {
        course.next.as_ref().map(|stop| &stop.name) != row.v1.next.as_ref().map(|stop| &stop.name)
            || course.last.name != row.v1.last.name
            || course.error.is_none() != row.v1.error.is_none()
    })
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
    fn marks_name_their_lens() {
        let row = row(
            "1.0.0",
            course("stable", None, "1.0.0", &[PathMark::Stuck]),
            course("", Some("2.0.0"), "3.0.0", &[PathMark::LongWay]),
        );
        let texts: Vec<String> = marks(&row, "stable")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["stuck in Classic", "long way in OLM v1"]);
    }
}
