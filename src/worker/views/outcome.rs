//! The outcome of operations that are only assumed: the verdict, and new or changed entries.

use fbc::consequences::{Consequences, tone_of};
use fbc::graph::PackageGraph;
use fbc::model::{Entry, Package};
use fbc::workspace::Root;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::Tone;
use protocol::upgrades::{EntryOutcome, Outcome};
use protocol::words::tree_in_one_line;
use std::collections::{BTreeMap, HashMap};

/// `root` and `after` are the state after the operations, `before` is the present package.
pub(crate) fn outcome(
    root: &Root,
    before: &Package,
    after: &Package,
    found: &Consequences,
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
        // `opm` has no verdict on a template: it passed if it had no errors.
        None if root.is_template() => root.errors() + solved.len() == gained.len(),
        None => passes,
    };
    let mut wrong = too_many_heads(before, after);
    wrong.extend(stranded_names(found, &root.name, &after.name));
    // In a catalog that failed already, only added errors are a further reason. A template has no other message.
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

/// The errors that make a catalog fail; for a template, which `opm` does not validate, every error.
fn errors<'a>(problems: &'a [Diagnostic], root: &Root) -> Vec<&'a Diagnostic> {
    let counts = |problem: &&Diagnostic| {
        (problem.opm || root.is_template())
            && problem.severity == Severity::Error
            && problem.catalog == root.name
    };
    problems.iter().filter(counts).collect()
}

/// `2 heads in stable`, for channels without a single head whose number of heads changed.
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

/// `2 stranded in stable`, for entries that would become stranded.
fn stranded_names(found: &Consequences, root: &str, package: &str) -> Vec<String> {
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

/// Entries that are new or have other edges, in load order.
fn entry_outcomes(before: &Package, after: &Package) -> Vec<EntryOutcome> {
    let known: HashMap<(&str, &str), &Entry> = entries(before)
        .map(|(channel, e)| ((channel, e.name.as_str()), e))
        .collect();
    let differs = |channel: &str, entry: &Entry| {
        known
            .get(&(channel, entry.name.as_str()))
            .is_none_or(|known| edges(known) != edges(entry))
    };
    entries(after)
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

fn entries(package: &Package) -> impl Iterator<Item = (&str, &Entry)> {
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
