//! The effects of edits and of assumed operations: diffs, consequences, outcomes and refusals.

use super::compare::tables;
use catalog::diff::Hunk;
use catalog::graph::PackageGraph;
use catalog::model::{Entry, Package};
use protocol::Json;
use protocol::counting::capitalize;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::Tone;
use protocol::operation::EditOp;
use protocol::response::{OperationRefusal, OtherCatalog, OtherCatalogOutcome, StepInEffect};
use protocol::upgrades::{EntryOutcome, Outcome};
use protocol::views::{Consequences, DiffHunk, DiffLine, FileDiff, VerdictChange};
use protocol::words::tree_in_one_line;
use session::{self, ChangedFile, HistoryStep, Refused, Root, Session};
use std::collections::{BTreeMap, HashMap};
use verdict::consequences::{self as library, tone_of};

/// Number of characters that are shown of a long line.
const SHOWN_CHARACTERS: usize = 4_000;

pub(crate) fn file_diff(file: &ChangedFile) -> FileDiff {
    FileDiff {
        path: file.path.clone(),
        patch_path: String::new(),
        root: file.root.clone(),
        rendered_from: file.rendered_from.clone(),
        is_rendered: file.is_rendered,
        created: file.created,
        added: file.added,
        removed: file.removed,
        hunks: file.hunks.iter().map(hunk).collect(),
    }
}

/// Converts a step; names its package if its operations concern only one.
pub(crate) fn step_in_effect(step: &HistoryStep) -> StepInEffect {
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

/// Adds the path in a patch to [`file_diff`], and to each hunk the operation that reverts it.
pub(crate) fn review_file(session: &Session, file: &ChangedFile, patch_path: String) -> FileDiff {
    let mut diff = FileDiff {
        patch_path,
        ..file_diff(file)
    };
    for (view, hunk) in diff.hunks.iter_mut().zip(&file.hunks) {
        view.revert = session.changes().revert_op(&file.path, hunk).ok().map(Json);
    }
    diff
}

fn hunk(hunk: &Hunk) -> DiffHunk {
    let lines = hunk.lines.iter().map(|line| {
        let (text, hidden) = shorten(String::from_utf8_lossy(&line.text).into_owned());
        DiffLine {
            kind: line.kind,
            old: line.old.unwrap_or(0),
            new: line.new.unwrap_or(0),
            text,
            hidden,
        }
    });
    DiffHunk {
        header: format!(
            "@@ -{} +{} @@",
            line_range(hunk.old_start, hunk.old_lines),
            line_range(hunk.new_start, hunk.new_lines)
        ),
        lines: lines.collect(),
        revert: None,
    }
}

/// Shortens a line for display; returns the number of hidden characters. An embedded manifest is a
/// single line of up to several hundred thousand characters: only its start is useful.
fn shorten(mut line: String) -> (String, u32) {
    let hidden = match line.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => {
            let hidden = line[end..].chars().count();
            line.truncate(end);
            hidden
        }
        None => 0,
    };
    (line, hidden as u32)
}

/// Formats the lines of one side of a hunk as in a unified diff.
fn line_range(start: u32, lines: u32) -> String {
    if lines == 1 {
        start.to_string()
    } else {
        format!("{start},{lines}")
    }
}

pub(crate) fn consequences(found: &library::Consequences) -> Consequences {
    let verdict_change = |verdict: &library::VerdictChange| VerdictChange {
        root: verdict.root.clone(),
        passed_after: verdict.passed_after,
        text: verdict.to_text(),
        tone: found.verdict_tone(verdict),
    };
    let emptied = found.emptied.iter();
    Consequences {
        verdicts: found.verdicts.iter().map(verdict_change).collect(),
        failing: found.failing.clone(),
        problems_gained: found.problems_gained.iter().cloned().map(Json).collect(),
        emptied: emptied.map(|found| found.channel.to_string()).collect(),
        judgement: found.judgement(),
        facts: found.facts(),
        tables: tables(found),
        summary: found.summary(),
        reason: capitalize(&found.reason()),
    }
}

/// Converts the preview of an edit in another catalog.
pub(crate) fn other_catalog(other: session::OtherCatalog) -> OtherCatalog {
    let outcome = match other.outcome {
        session::OtherCatalogOutcome::Absent => OtherCatalogOutcome::Absent,
        session::OtherCatalogOutcome::Refused(refused) => {
            OtherCatalogOutcome::Refused(refused.into())
        }
        session::OtherCatalogOutcome::Previewed { preview, differs } => {
            OtherCatalogOutcome::Previewed {
                differs: differs.unwrap_or_default(),
                diffs: preview.files.iter().map(file_diff).collect(),
                consequences: Box::new(consequences(&preview.consequences)),
            }
        }
    };
    OtherCatalog {
        root: other.root,
        ops: Json(other.ops),
        outcome,
    }
}

/// Describes the outcome of assumed operations. `root` and `after` are the state after them,
/// `before` is the current package.
pub(crate) fn outcome(
    root: &Root,
    before: &Package,
    after: &Package,
    consequences: &library::Consequences,
) -> Outcome {
    let verdict = consequences
        .verdicts
        .iter()
        .find(|verdict| verdict.root == root.name);
    let passes = root.verdict().passed;
    let gained = errors(&consequences.problems_gained, root);
    let solved = errors(&consequences.problems_lost, root);
    let passed = match verdict {
        Some(verdict) => verdict.passed_before,
        // `opm` does not validate templates: a template passed if it had no errors.
        None if root.is_template() => root.errors().count() + solved.len() == gained.len(),
        None => passes,
    };
    let mut reasons = wrong_head_counts(before, after);
    reasons.extend(stranded_channels(consequences, &root.name, &after.name));
    // In a catalog that already failed, only a new error is a further reason. A template has no
    // other message.
    if reasons.is_empty() && (!passed || root.is_template()) {
        reasons.extend(gained.first().map(|problem| problem.message.clone()));
    }
    let worst = consequences
        .tables
        .iter()
        .map(|table| table.table.worst())
        .min();
    Outcome {
        passes,
        passed,
        verdict: verdict.map(|verdict| verdict.to_text()).unwrap_or_default(),
        why: if passes {
            String::new()
        } else if reasons.is_empty() {
            verdict.map_or_else(String::new, |verdict| {
                tree_in_one_line(&verdict.opm_message)
            })
        } else {
            reasons.join(", ")
        },
        breaks: !passes && (passed || !reasons.is_empty()),
        entries: entry_outcomes(before, after),
        broken: consequences
            .worst_broken(Severity::Error)
            .filter(|_| worst.is_none_or(|worst| tone_of(worst) != Tone::Bad))
            .unwrap_or_default(),
        headline: consequences.headline(),
        tone: worst.map_or(Tone::Plain, tone_of),
    }
}

/// Returns the errors that make a catalog fail; for a template, which `opm` does not validate, all
/// errors.
fn errors<'a>(problems: &'a [Diagnostic], root: &Root) -> Vec<&'a Diagnostic> {
    let counts = |problem: &&Diagnostic| {
        (problem.opm || root.is_template())
            && problem.severity == Severity::Error
            && problem.catalog == root.name
    };
    problems.iter().filter(counts).collect()
}

/// Formats `2 heads in stable` for each channel whose number of heads changed and is not one.
fn wrong_head_counts(before: &Package, after: &Package) -> Vec<String> {
    let head_counts = |package: &Package| {
        let channels = PackageGraph::build(package).channels;
        channels
            .iter()
            .map(|channel| (channel.name.to_string(), channel.heads.len()))
            .collect::<BTreeMap<_, _>>()
    };
    let before = head_counts(before);
    let wrong = head_counts(after)
        .into_iter()
        .filter(|(channel, count)| *count != 1 && before.get(channel) != Some(count));
    wrong
        .map(|(channel, count)| {
            if count == 0 {
                format!("no head in {channel}")
            } else {
                format!("{count} heads in {channel}")
            }
        })
        .collect()
}

/// Formats `2 stranded in stable` for each channel with newly stranded entries.
fn stranded_channels(
    consequences: &library::Consequences,
    root: &str,
    package: &str,
) -> Vec<String> {
    let mut counts = BTreeMap::<&str, usize>::new();
    for entry in consequences
        .newly_stranded
        .iter()
        .filter(|entry| entry.root == root && &*entry.package == package)
    {
        *counts.entry(&entry.channel).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(channel, count)| format!("{count} stranded in {channel}"))
        .collect()
}

/// Returns the entries that are new or have other edges, in load order.
fn entry_outcomes(before: &Package, after: &Package) -> Vec<EntryOutcome> {
    let old_entries: HashMap<(&str, &str), &Entry> = entries_by_channel(before)
        .map(|(channel, entry)| ((channel, entry.name.as_str()), entry))
        .collect();
    let differs = |channel: &str, entry: &Entry| {
        old_entries
            .get(&(channel, entry.name.as_str()))
            .is_none_or(|old| edges(old) != edges(entry))
    };
    entries_by_channel(after)
        .filter(|(channel, entry)| differs(channel, entry))
        .map(|(channel, entry)| EntryOutcome {
            channel: channel.to_owned(),
            name: entry.name.as_str().to_owned(),
            is_new: !old_entries.contains_key(&(channel, entry.name.as_str())),
            replaces: entry.replaces.as_str().to_owned(),
            skips: entry
                .skips
                .iter()
                .map(|skip| skip.as_str().to_owned())
                .collect(),
            skip_range: entry.skip_range.as_str().to_owned(),
        })
        .collect()
}

fn entries_by_channel(package: &Package) -> impl Iterator<Item = (&str, &Entry)> {
    package.channels.iter().flat_map(|channel| {
        channel
            .entries
            .iter()
            .map(|entry| (channel.name.as_str(), entry))
    })
}

/// Returns `replaces`, `skips` and `skipRange`.
fn edges(entry: &Entry) -> (&str, Vec<&str>, &str) {
    (
        entry.replaces.as_str(),
        entry.skips.iter().map(|skip| skip.as_str()).collect(),
        entry.skip_range.as_str(),
    )
}

/// Reports why operations were refused. Names the template if its kind cannot express them but
/// another kind may.
pub(crate) fn refusal(session: &Session, ops: &[EditOp], refused: Refused) -> OperationRefusal {
    let root = ops
        .first()
        .filter(|_| refused.convertible)
        .and_then(|op| session.root(op.catalog()).ok());
    let template = root.map(|root| match root.rendering() {
        Some(rendering) => rendering.template.clone(),
        None => root.name.clone(),
    });
    OperationRefusal {
        convertible: template.unwrap_or_default(),
        ..refused.into()
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn a_very_long_line_is_shortened() {
        assert_eq!(shorten("a: 1".to_owned()), ("a: 1".to_owned(), 0));
        let (start, hidden) = shorten("ä".repeat(10_000));
        assert_eq!((start.chars().count(), hidden), (4_000, 6_000));
    }
}
