//! Diffs and consequences of edits, outcomes of assumed operations, changed entries, and the report of a failed edit.

use super::compare::{capital, kind, tables};
use catalog::diff::Hunk;
use catalog::graph::PackageGraph;
use catalog::model::{Entry, Package};
use protocol::Json;
use protocol::counting::first_of;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::Tone;
use protocol::operation::EditOp;
use protocol::response::{OperationRefusal, OtherCatalog, OtherCatalogOutcome, StepInEffect};
use protocol::upgrades::{ComparedKind, EntryChange, EntryOutcome, Outcome};
use protocol::views::{Consequences, DiffHunk, DiffLine, EntryLocation, FileDiff, VerdictChange};
use protocol::words::{tree_in_one_line, versions_affected};
use session::{self, ChangedFile, HistoryStep, Refused, Root, Session};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verdict::compare::{self, Pair};
use verdict::consequences::{self as library, tone_of};

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

/// Like `file_diff`, for *Review changes*, where each hunk can be reverted.
pub(crate) fn review_file(session: &Session, file: &ChangedFile) -> FileDiff {
    let mut diff = file_diff(file);
    for (shown, hunk) in diff.hunks.iter_mut().zip(&file.hunks) {
        shown.revert = session.changes().revert_op(&file.path, hunk).ok().map(Json);
    }
    diff
}

fn hunk(hunk: &Hunk) -> DiffHunk {
    let lines = hunk.lines.iter().map(|line| DiffLine {
        kind: line.kind,
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

/// Shortens a line for display. An embedded manifest is a single line of up to several hundred thousand characters, of
/// which only the start is useful.
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

pub(crate) fn consequences(found: &library::Consequences) -> Consequences {
    let spot = |root: &str, package: &str, channel: &str, name: &str| EntryLocation {
        root: root.to_owned(),
        package: package.to_owned(),
        channel: channel.to_owned(),
        name: name.to_owned(),
    };
    let moved = |heads_moved: &library::HeadsMoved| {
        let head = heads_moved.heads.after.first().map_or("", |head| head);
        (
            heads_moved.heads.to_string(),
            spot(
                &heads_moved.root,
                &heads_moved.package,
                &heads_moved.heads.channel,
                head,
            ),
        )
    };
    Consequences {
        verdicts: found
            .verdicts
            .iter()
            .map(|verdict| VerdictChange {
                root: verdict.root.clone(),
                passed_after: verdict.passed_after,
                opm_message: verdict.opm_message.clone(),
                words: verdict.to_text(),
                tone: found.verdict_tone(verdict),
            })
            .collect(),
        failing: found.failing.clone(),
        problems_gained: found.problems_gained.iter().cloned().map(Json).collect(),
        problems_lost: found.problems_lost.iter().cloned().map(Json).collect(),
        heads_moved: found
            .heads_moved
            .iter()
            .filter(|heads_moved| !heads_moved.is_of_new_channel)
            .map(moved)
            .collect(),
        new_channels: found
            .heads_moved
            .iter()
            .filter(|heads_moved| heads_moved.is_of_new_channel)
            .map(|heads_moved| moved(heads_moved).1)
            .collect(),
        emptied: found
            .emptied
            .iter()
            .map(|found| found.channel.to_string())
            .collect(),
        newly_stranded: found.newly_stranded.clone(),
        no_longer_stranded: found.no_longer_stranded.clone(),
        affected: versions_affected(&found.hit_in_each),
        judgement: found.judgement(),
        facts: found.facts(),
        tables: tables(found),
        summary: found.summary(),
        headline: capital(&found.headline()),
        reason: capital(&found.reason()),
    }
}

pub(crate) fn elsewhere(other: session::OtherCatalog) -> OtherCatalog {
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

/// Describes the outcome of assumed operations. `root` and `after` are the state after them, `before` is the current
/// package.
pub(crate) fn outcome(
    root: &Root,
    before: &Package,
    after: &Package,
    found: &library::Consequences,
) -> Outcome {
    let verdict = found
        .verdicts
        .iter()
        .find(|verdict| verdict.root == root.name);
    let passes = root.verdict().passed;
    let message = verdict.map_or("", |verdict| verdict.opm_message.as_str());
    let (gained, solved) = (
        errors(&found.problems_gained, root),
        errors(&found.problems_lost, root),
    );
    let passed = match verdict {
        Some(verdict) => verdict.passed_before,
        // `opm` does not validate templates: a template passed if it had no errors.
        None if root.is_template() => root.errors() + solved.len() == gained.len(),
        None => passes,
    };
    let mut wrong = too_many_heads(before, after);
    wrong.extend(stranded_names(found, &root.name, &after.name));
    // In a catalog that already failed, only a new error is a further reason. A template has no other message.
    if wrong.is_empty() && (!passed || root.is_template()) {
        wrong.extend(gained.first().map(|problem| problem.message.clone()));
    }
    let worst = found.tables.iter().map(|table| table.table.worst()).min();
    Outcome {
        passes,
        passed,
        verdict: verdict.map(|verdict| verdict.to_text()).unwrap_or_default(),
        why: match (passes, wrong.is_empty()) {
            (true, _) => String::new(),
            (false, true) => tree_in_one_line(message),
            (false, false) => wrong.join(", "),
        },
        breaks: !passes && (passed || !wrong.is_empty()),
        entries: entry_outcomes(before, after),
        hit: found.hit(),
        judgement: found.judgement(),
        broken: found.broken_rules().unwrap_or_default(),
        headline: found.headline(),
        tone: worst.map_or(Tone::Plain, tone_of),
    }
}

/// Returns the errors that make a catalog fail; for a template, which `opm` does not validate, all errors.
fn errors<'a>(problems: &'a [Diagnostic], root: &Root) -> Vec<&'a Diagnostic> {
    let counts = |problem: &&Diagnostic| {
        (problem.opm || root.is_template())
            && problem.severity == Severity::Error
            && problem.catalog == root.name
    };
    problems.iter().filter(counts).collect()
}

/// Formats `2 heads in stable` for each channel whose number of heads changed and is not one.
fn too_many_heads(before: &Package, after: &Package) -> Vec<String> {
    let heads = |package: &Package| {
        let channels = PackageGraph::build(package).channels;
        channels
            .iter()
            .map(|channel| (channel.name.to_string(), channel.heads.len()))
            .collect::<BTreeMap<_, _>>()
    };
    let known = heads(before);
    let wrong = heads(after)
        .into_iter()
        .filter(|(channel, count)| *count != 1 && known.get(channel) != Some(count));
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
fn stranded_names(found: &library::Consequences, root: &str, package: &str) -> Vec<String> {
    let mut counts = BTreeMap::<&str, usize>::new();
    for entry in found
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
    let known: HashMap<(&str, &str), &Entry> = entries_by_channel(before)
        .map(|(channel, e)| ((channel, e.name.as_str()), e))
        .collect();
    let differs = |channel: &str, entry: &Entry| {
        known
            .get(&(channel, entry.name.as_str()))
            .is_none_or(|known| edges(known) != edges(entry))
    };
    entries_by_channel(after)
        .filter(|(channel, entry)| differs(channel, entry))
        .map(|(channel, entry)| EntryOutcome {
            channel: channel.to_owned(),
            name: entry.name.as_str().to_owned(),
            is_new: !known.contains_key(&(channel, entry.name.as_str())),
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

fn edges(entry: &Entry) -> (&str, Vec<&str>, &str) {
    (
        entry.replaces.as_str(),
        entry.skips.iter().map(|skip| skip.as_str()).collect(),
        entry.skip_range.as_str(),
    )
}

/// Maximum number of skips of a removed entry listed by name.
const NAMED: usize = 4;

/// Adds the entries of channels that exist in one state only to `changes`, which are those of common channels. If the
/// package itself is new or removed, none are added.
pub(super) fn entries(pair: &Pair<'_>, changes: &[compare::EntryChange]) -> Vec<EntryChange> {
    let (was, is) = (listed_entries(pair.old), listed_entries(pair.new));
    let mut entries: Vec<EntryChange> = changes
        .iter()
        .map(entry)
        .chain(whole_channel_changes(pair))
        .collect();
    for change in &mut entries {
        let before = was.get(change.name.as_str());
        match change.kind {
            ComparedKind::Added => {
                let stays = |channel: &&str| {
                    is.get(change.name.as_str())
                        .is_some_and(|now| now.contains(channel))
                };
                if let Some(before) = before.filter(|before| !before.iter().any(stays)) {
                    change.kind = ComparedKind::Moved;
                    change.detail = format!("moved from {}", quote_names(before.iter().copied()));
                }
            }
            ComparedKind::Removed => {
                let channel = pair.old.and_then(|old| old.channel(&change.channel));
                let entry = channel.and_then(|channel| {
                    channel
                        .entries
                        .iter()
                        .find(|entry| entry.name.as_str() == change.name)
                });
                change.detail = entry.map_or_else(String::new, removed_detail);
            }
            ComparedKind::Changed | ComparedKind::Moved => {}
        }
    }
    entries
}

/// Returns the channels that list each name.
fn listed_entries(package: Option<&Package>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut listed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for channel in package.into_iter().flat_map(|package| &package.channels) {
        for entry in &channel.entries {
            listed
                .entry(entry.name.as_str())
                .or_default()
                .insert(channel.name.as_str());
        }
    }
    listed
}

fn entry(change: &compare::EntryChange) -> EntryChange {
    EntryChange {
        channel: change.channel.to_string(),
        name: change.name.to_string(),
        kind: kind(change.kind),
        detail: change.detail.clone(),
    }
}

fn whole_channel_changes<'a>(pair: &'a Pair<'_>) -> impl Iterator<Item = EntryChange> + 'a {
    let are_both_there = pair.old.is_some() && pair.new.is_some();
    let [in_old, in_new] = [pair.old, pair.new]
        .map(|package| package.map(Package::channels_by_name).unwrap_or_default());
    pair.channels
        .iter()
        .filter(move |_| are_both_there)
        .flat_map(move |channel| {
            let (blobs, kind) = match (channel.in_old, channel.in_new) {
                (false, true) => (Some(&in_new), ComparedKind::Added),
                (true, false) => (Some(&in_old), ComparedKind::Removed),
                _ => (None, ComparedKind::Changed),
            };
            let blob = blobs.and_then(|blobs| blobs.get(&*channel.name)?.first().copied());
            let entries = blob.map_or(&[][..], |blob| &blob.entries).iter();
            entries.map(move |entry| EntryChange {
                channel: channel.name.to_string(),
                name: entry.name.value.to_string(),
                kind,
                detail: String::new(),
            })
        })
}

/// Formats the content of a removed entry: `removed: replaced a, skipped b and 7 more`.
fn removed_detail(entry: &Entry) -> String {
    let skips: Vec<&str> = entry
        .skips
        .iter()
        .map(|skip| skip.as_str())
        .filter(|skip| !skip.is_empty())
        .collect();
    let skipped = first_of(skips.iter().map(|name| format!("`{name}`")), NAMED);
    let parts = [
        (!entry.replaces.is_empty()).then(|| format!("replaced `{}`", entry.replaces.as_str())),
        (!skips.is_empty()).then(|| format!("skipped {skipped}")),
        (!entry.skip_range.is_empty())
            .then(|| format!("had skipRange `{}`", entry.skip_range.as_str())),
    ];
    match parts.into_iter().flatten().collect::<Vec<_>>().join(", ") {
        nothing if nothing.is_empty() => "removed: had no edges".to_owned(),
        parts => format!("removed: {parts}"),
    }
}

fn quote_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Reports why operations were refused. Names the template if its kind cannot express them but another kind may.
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
    use super::{shorten, *};
    use catalog::index::index_bytes;
    use catalog::model::{FileId, Package};
    use catalog::{Catalog, Content, TreeEntry};
    use std::sync::Arc;

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

    const CHAIN: &str = "[{name: p.v1}]";

    /// Creates the package `p` with these channels, each with its entries as YAML.
    fn package(channels: &[(&str, &str)]) -> Arc<Package> {
        let mut text = "{schema: olm.package, name: p, defaultChannel: a}\n".to_owned();
        for (name, entries) in channels {
            text.push_str(&format!(
                "---\n{{schema: olm.channel, package: p, name: {name}, entries: {entries}}}\n"
            ));
        }
        let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
        let file = TreeEntry {
            id: FileId(0),
            path: "catalog.yaml".to_owned(),
            content,
        };
        Catalog::new("catalog", vec![file])
            .package("p")
            .cloned()
            .unwrap()
    }

    fn describe_changes(
        old: &[(&str, &str)],
        new: &[(&str, &str)],
    ) -> Vec<(String, ComparedKind, String)> {
        let (old, new) = (package(old), package(new));
        let pair = Pair::new(Some(&old), Some(&new));
        let mut changes: Vec<_> = entries(&pair, &pair.changes().entries)
            .into_iter()
            .map(|change| {
                (
                    format!("{} {}", change.channel, change.name),
                    change.kind,
                    change.detail,
                )
            })
            .collect();
        changes.sort_by(|a, b| a.0.cmp(&b.0));
        changes
    }

    #[test]
    fn distinguishes_moved_entries_from_added_ones() {
        let second = "{name: p.v2, replaces: p.v1, skips: [x1, x2, x3, x4, x5], skipRange: <2.0.0}";
        let old = [("a", &*format!("[{{name: p.v1}}, {second}]")), ("b", CHAIN)];
        let new = [
            ("a", CHAIN),
            ("b", "[{name: p.v1}, {name: p.v2, replaces: p.v1}]"),
            ("c", "[{name: p.v1}, {name: p.v3}]"),
        ];
        let was = "removed: replaced `p.v1`, skipped `x1`, `x2`, `x3`, `x4` and 1 more, had skipRange `<2.0.0`";
        assert_eq!(
            describe_changes(&old, &new),
            [
                ("a p.v2".to_owned(), ComparedKind::Removed, was.to_owned()),
                (
                    "b p.v2".to_owned(),
                    ComparedKind::Moved,
                    "moved from `a`".to_owned()
                ),
                ("c p.v1".to_owned(), ComparedKind::Added, String::new()),
                ("c p.v3".to_owned(), ComparedKind::Added, String::new()),
            ]
        );
    }

    #[test]
    fn a_removed_channel_lists_its_entries() {
        let all = [("a", CHAIN), ("b", "[{name: p.v2}]")];
        let changes = describe_changes(&all, &all[..1]);
        assert_eq!(
            changes,
            [(
                "b p.v2".to_owned(),
                ComparedKind::Removed,
                "removed: had no edges".to_owned()
            )]
        );
    }
}
