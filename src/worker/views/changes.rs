//! Diffs and consequences.

use crate::fbc::compare;
use crate::fbc::consequences as fbc;
use crate::fbc::diff::{Hunk, LineKind};
use crate::fbc::upgrade;
use crate::fbc::workspace::ChangedFile;
use crate::protocol::Json;
use crate::protocol::views::{Consequences, DiffHunk, DiffKind, DiffLine, FileDiff, Lens, Reroute, VerdictChange};

pub(in crate::worker) fn file_diff(file: &ChangedFile) -> FileDiff {
    FileDiff {
        path: file.path.clone(),
        root: file.root.clone(),
        created: file.created,
        added: file.added,
        removed: file.removed,
        hunks: file.hunks.iter().map(hunk).collect(),
    }
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
        text: String::from_utf8_lossy(&line.text).into_owned(),
    });
    DiffHunk {
        header: format!("@@ -{} +{} @@", side(hunk.old_start, hunk.old_lines), side(hunk.new_start, hunk.new_lines)),
        lines: lines.collect(),
    }
}

fn side(start: u32, lines: u32) -> String {
    if lines == 1 { start.to_string() } else { format!("{start},{lines}") }
}

pub(in crate::worker) fn consequences(of: &fbc::Consequences) -> Consequences {
    let entry = |entry: &fbc::EntryOf| format!("{}: {}", entry.channel, entry.name);
    Consequences {
        verdicts: of
            .verdicts
            .iter()
            .map(|verdict| VerdictChange {
                root: verdict.root.clone(),
                passed_before: verdict.passed_before,
                passed_after: verdict.passed_after,
                opm_message: verdict.opm_message.clone(),
                errors_after: verdict.errors_after as u32,
            })
            .collect(),
        problems_gained: of.problems_gained.iter().cloned().map(Json).collect(),
        problems_lost: of.problems_lost.iter().cloned().map(Json).collect(),
        heads_moved: of.heads_moved.iter().map(|moved| moved.heads.to_string()).collect(),
        newly_stranded: of.newly_stranded.iter().map(entry).collect(),
        no_longer_stranded: of.no_longer_stranded.iter().map(entry).collect(),
        reroutes: of.reroutes.iter().filter(|reroute| reroute.user.effect.is_some()).map(reroute).collect(),
        ends: compare::ends(of.reroutes.iter().map(|reroute| &reroute.user)),
        summary: of.summary(),
    }
}

fn reroute(reroute: &fbc::Reroute) -> Reroute {
    let user = &reroute.user;
    let name = |next: &Option<upgrade::Installed>| next.as_ref().map_or_else(String::new, |i| i.name.to_string());
    Reroute {
        lens: match user.lens {
            upgrade::Lens::V0 => Lens::V0,
            upgrade::Lens::V1 => Lens::V1,
        },
        from: user.from.name.to_string(),
        before: name(&user.old_next),
        after: name(&user.new_next),
        effect: user.effect.map_or("same", |effect| effect.as_str()).to_owned(),
        channels: user.channels.iter().map(ToString::to_string).collect(),
    }
}
