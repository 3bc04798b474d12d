//! Diffs and consequences.

use super::user_table::{capital, tables};
use fbc::consequences as library;
use fbc::diff::{Hunk, LineKind};
use fbc::workspace::{self, ChangedFile, HistoryStep, Workspace};
use protocol::Json;
use protocol::operation::EditOp;
use protocol::response::{OtherCatalog, OtherCatalogOutcome, StepInEffect};
use protocol::views::{
    Consequences, DiffHunk, DiffKind, DiffLine, EntryLocation, FailingPackage, FileDiff,
    VerdictChange,
};
use protocol::words::versions_affected;

pub(crate) fn file_diff(file: &ChangedFile) -> FileDiff {
    FileDiff {
        path: file.path.clone(),
        root: file.root.clone(),
        rendered_from: file.rendered_from.clone(),
        is_rendered: file.is_rendered,
        created: file.created,
        added: file.added,
        removed: file.removed,
        bytes_before: file.bytes_before,
        bytes_after: file.bytes_after,
        hunks: file.hunks.iter().map(hunk).collect(),
    }
}

pub(crate) fn in_effect(step: &HistoryStep) -> StepInEffect {
    let mut packages = step.ops.iter().filter_map(EditOp::package);
    let first = packages.next().unwrap_or_default();
    let package = if packages.all(|other| other == first) {
        first
    } else {
        ""
    };
    StepInEffect {
        title: step.title.clone(),
        package: package.to_owned(),
    }
}

/// The same for *Review changes*, where each hunk can be reverted.
pub(crate) fn review_file(workspace: &Workspace, file: &ChangedFile) -> FileDiff {
    let mut diff = file_diff(file);
    for (shown, hunk) in diff.hunks.iter_mut().zip(&file.hunks) {
        shown.revert = workspace
            .changes()
            .revert_op(&file.path, hunk)
            .ok()
            .map(Json);
    }
    diff
}

fn hunk(hunk: &Hunk) -> DiffHunk {
    let lines = hunk.lines.iter().map(|line| DiffLine {
        kind: match line.kind {
            LineKind::Context => DiffKind::Context,
            LineKind::Added => DiffKind::Added,
            LineKind::Removed => DiffKind::Removed,
        },
        old: line.old.unwrap_or(0),
        new: line.new.unwrap_or(0),
        text: shorten(String::from_utf8_lossy(&line.text).into_owned()),
    });
    DiffHunk {
        header: format!(
            "@@ -{} +{} @@",
            side(hunk.old_start, hunk.old_lines),
            side(hunk.new_start, hunk.new_lines)
        ),
        lines: lines.collect(),
        revert: None,
    }
}

/// A line for display. An embedded manifest is one line of up to some hundred thousand characters, and only its start
/// is worth reading.
fn shorten(line: String) -> String {
    const SHOWN: usize = 480;
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) if line.len() > at + SHOWN / 4 => {
            let more = line.get(at..).map_or(0, |rest| rest.chars().count());
            format!(
                "{} … {more} more characters",
                line.get(..at).unwrap_or_default()
            )
        }
        _ => line,
    }
}

fn side(start: u32, lines: u32) -> String {
    if lines == 1 {
        start.to_string()
    } else {
        format!("{start},{lines}")
    }
}

pub(crate) fn consequences(of: &library::Consequences) -> Consequences {
    let spot = |root: &str, package: &str, channel: &str, name: &str| EntryLocation {
        root: root.to_owned(),
        package: package.to_owned(),
        channel: channel.to_owned(),
        name: name.to_owned(),
    };
    let entry = |of: &library::ListedEntry| spot(&of.root, &of.package, &of.channel, &of.name);
    let moved = |of: &library::HeadsMoved| {
        let head = of.heads.after.first().map_or("", |head| head);
        (
            of.heads.to_string(),
            spot(&of.root, &of.package, &of.heads.channel, head),
        )
    };
    Consequences {
        verdicts: of
            .verdicts
            .iter()
            .map(|verdict| VerdictChange {
                root: verdict.root.clone(),
                passed_before: verdict.passed_before,
                passed_after: verdict.passed_after,
                opm_message: verdict.opm_message.clone(),
                words: verdict.to_text(),
                tone: of.verdict_tone(verdict),
            })
            .collect(),
        failing: of
            .failing
            .iter()
            .map(|failing| self::failing(of, failing))
            .collect(),
        problems_gained: of.problems_gained.iter().cloned().map(Json).collect(),
        problems_lost: of.problems_lost.iter().cloned().map(Json).collect(),
        heads_moved: of
            .heads_moved
            .iter()
            .filter(|of| !of.is_of_new_channel)
            .map(moved)
            .collect(),
        new_channels: of
            .heads_moved
            .iter()
            .filter(|of| of.is_of_new_channel)
            .map(|of| moved(of).1)
            .collect(),
        emptied: of.emptied.iter().map(|of| of.channel.to_string()).collect(),
        newly_stranded: of.newly_stranded.iter().map(entry).collect(),
        no_longer_stranded: of.no_longer_stranded.iter().map(entry).collect(),
        affected: versions_affected(&of.hit_in_each),
        judgement: of.judgement(),
        facts: of.facts(),
        tables: tables(of),
        summary: of.summary(),
        headline: capital(&of.headline()),
        reason: capital(&of.reason()),
    }
}

fn failing(found: &library::Consequences, of: &library::NewFailure) -> FailingPackage {
    FailingPackage {
        root: of.root.clone(),
        package: of.package.to_string(),
        message: of.message.clone(),
        in_verdict: found.is_in_verdict(of),
    }
}

pub(crate) fn elsewhere(of: workspace::OtherCatalog) -> OtherCatalog {
    let outcome = match of.outcome {
        workspace::OtherCatalogOutcome::Absent => OtherCatalogOutcome::Absent,
        workspace::OtherCatalogOutcome::Refused(refused) => {
            OtherCatalogOutcome::Refused(refused.into())
        }
        workspace::OtherCatalogOutcome::Previewed { preview, differs } => {
            OtherCatalogOutcome::Previewed {
                differs: differs.unwrap_or_default(),
                diffs: preview.files.iter().map(file_diff).collect(),
                consequences: Box::new(consequences(&preview.consequences)),
            }
        }
    };
    OtherCatalog {
        root: of.root,
        ops: Json(of.ops),
        outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn a_very_long_line_is_cut() {
        assert_eq!(shorten("a: 1".to_owned()), "a: 1");
        assert_eq!(
            shorten("ä".repeat(500)).chars().count(),
            500,
            "a few more are no matter"
        );
        let cut = shorten("ä".repeat(10_000));
        assert!(cut.ends_with("ä … 9520 more characters"), "{cut}");
    }
}
