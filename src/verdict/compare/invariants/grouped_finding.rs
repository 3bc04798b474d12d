//! Groups findings into facts for readers: each effect on a version is reported once, by its cause,
//! for all channels and both lenses. `--deny` and JSON answers use the findings themselves.

use super::context::AffectedLenses;
use super::{Finding, Invariant, SUBJECT, Severity, content, message_pattern, next_step, skips};
use crate::compare::InOrder;
use protocol::counting::first_of;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::Text;

/// Placeholder for the qualifier of [`AffectedLenses`] when messages are compared; never part of a
/// message.
const QUALIFIER: &str = "\u{1}";

/// Findings merged into one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedFinding {
    /// The rule of the cause.
    pub invariant: &'static Invariant,
    /// Other rules broken by the same fact, in the order of [`super::ALL`].
    pub also: Vec<&'static Invariant>,
    /// The most severe of all findings.
    pub severity: Severity,
    /// The affected channels; empty if it concerns the whole package.
    pub channels: Vec<Text>,
    /// Number of affected versions, entries or bundles.
    pub count: usize,
    /// Names in backticks.
    pub message: String,
    /// The remedy; general advice for several subjects.
    pub help: String,
}

/// Findings about one subject in any channel.
struct Fact<'f> {
    first: &'f Finding,
    /// [`Finding::message`], with [`QUALIFIER`].
    message: String,
    lenses: Option<AffectedLenses>,
    /// "" means the whole package.
    channels: BTreeSet<&'f str>,
    also: BTreeSet<&'static str>,
    severity: Severity,
}

/// Facts that differ only in their subject: rule, message, qualifier, channels and severity.
type AlikeFacts<'f> = (
    &'f str,
    String,
    Option<AffectedLenses>,
    Vec<&'f str>,
    Severity,
);

/// Findings by channel, with their qualifier.
type FoundByChannel<'f> = BTreeMap<&'f str, (Option<AffectedLenses>, &'f Finding)>;

/// Returns the distinct rules of this severity that are causes, without rules broken as a mere
/// consequence.
pub fn causes<'t>(
    findings: impl IntoIterator<Item = &'t GroupedFinding>,
    severity: Severity,
) -> Vec<&'static str> {
    let mut names = Vec::new();
    for finding in findings
        .into_iter()
        .filter(|finding| finding.severity == severity)
    {
        if !names.contains(&finding.invariant.name) {
            names.push(finding.invariant.name);
        }
    }
    names
}

/// Groups the findings of one package, most harmful first; lost updates precede everything else.
/// Each fact names at most `limit` subjects.
pub fn group_findings<'f>(
    findings: impl IntoIterator<Item = &'f Finding>,
    limit: usize,
) -> Vec<GroupedFinding> {
    let mut by_subject: InOrder<&str, Vec<&Finding>> = InOrder::new();
    for finding in findings {
        by_subject
            .get_or_insert_with(&finding.subject, Vec::new)
            .push(finding);
    }
    let facts = by_subject.into_values().flat_map(subject_facts);
    let mut groups: Vec<Vec<Fact<'f>>> = Vec::new();
    let mut known: HashMap<AlikeFacts<'_>, usize> = HashMap::default();
    for fact in facts {
        let (message, is_one) = message_pattern(&fact.message, &fact.first.subject);
        let channels = fact.channels.iter().copied().collect();
        let key = (
            fact.first.invariant.name,
            message,
            fact.lenses,
            channels,
            fact.severity,
        );
        match known
            .get(&key)
            .filter(|_| is_one)
            .and_then(|&at| groups.get_mut(at))
        {
            Some(group) => group.push(fact),
            None => {
                known.insert(key, groups.len());
                groups.push(vec![fact]);
            }
        }
    }
    let mut grouped: Vec<GroupedFinding> = groups
        .iter()
        .filter_map(|group| join_group(group, limit))
        .collect();
    grouped.sort_small_by_key(|finding| {
        (
            finding.severity,
            rank_or_last(finding.invariant),
            Reverse(finding.count),
        )
    });
    grouped
}

/// Returns how close a rule is to the cause of its findings, and the effect on a version that it
/// describes; `None` if its findings are independent of other rules.
fn rank(invariant: &Invariant) -> Option<(u8, VersionEffect)> {
    let order: [(&Invariant, VersionEffect); 14] = [
        (&content::DEPRECATION_FREEZES, VersionEffect::NoUpdate),
        (&content::GRAPH_INVALID, VersionEffect::NoUpdate),
        (&content::REMOVED_KEEPS_EDGES, VersionEffect::NoUpdate),
        (&next_step::STRANDED, VersionEffect::NoUpdate),
        (&next_step::NEXT_STEP_CLASSIC, VersionEffect::NoUpdate),
        (&next_step::NEXT_STEP_V1, VersionEffect::NoUpdate),
        (&next_step::LOST_PATH, VersionEffect::NoUpdate),
        (&next_step::DEAD_END, VersionEffect::NoUpdate),
        (&next_step::SINGLE_REPLACEMENT, VersionEffect::NoUpdate),
        (&content::LENSES_DIFFER, VersionEffect::NoUpdate),
        (&next_step::STRANDED_UNLISTED, VersionEffect::NoUpdate),
        (&next_step::LOST_PATH_UNLISTED, VersionEffect::NoUpdate),
        (&skips::LATEST_PATCH, VersionEffect::Patch),
        (&skips::LATEST_PATCH_AT_ONCE, VersionEffect::Patch),
    ];
    order
        .iter()
        .zip(0..)
        .find(|((known, _), _)| *known == invariant)
        .map(|((_, effect), rank)| (rank, *effect))
}

fn rank_or_last(invariant: &Invariant) -> u8 {
    rank(invariant).map_or(u8::MAX, |(rank, _)| rank)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VersionEffect {
    NoUpdate,
    Patch,
}

/// Builds the facts about one subject: merges equal facts of several channels and drops
/// consequences of others.
fn subject_facts(findings: Vec<&Finding>) -> Vec<Fact<'_>> {
    let mut merged: Vec<Fact<'_>> = Vec::new();
    // Without the qualifier, both rules about next steps have the same message.
    let mut alike: InOrder<(&str, String), FoundByChannel<'_>> = InOrder::new();
    for finding in findings {
        // This rule compares the lenses itself.
        let compares_lenses = *finding.invariant == content::LENSES_DIFFER;
        let lenses = AffectedLenses::in_message(&finding.message).filter(|_| !compares_lenses);
        let message = lenses.map_or_else(
            || finding.message.clone(),
            |(_, qualifier)| finding.message.replace(qualifier, QUALIFIER),
        );
        let rule = match finding.invariant {
            rule if *rule == next_step::NEXT_STEP_V1 => next_step::NEXT_STEP_CLASSIC.name,
            rule => rule.name,
        };
        let channels = alike.get_or_insert_with((rule, message), BTreeMap::new);
        // Findings about a user list several channels.
        for channel in finding.channel.split(", ") {
            let (known, _) = channels.entry(channel).or_insert((None, finding));
            *known = match (*known, lenses) {
                (Some(known), Some((lenses, _))) => Some(known.and(lenses)),
                (known, lenses) => known.or(lenses.map(|(lenses, _)| lenses)),
            };
        }
    }
    for ((_, message), channels) in alike.items {
        let mut by_under: BTreeMap<Option<AffectedLenses>, Fact<'_>> = BTreeMap::new();
        for (channel, (lenses, first)) in channels {
            let fact = by_under.entry(lenses).or_insert_with(|| Fact {
                first,
                message: message.clone(),
                lenses,
                channels: BTreeSet::new(),
                also: BTreeSet::new(),
                severity: first.invariant.severity,
            });
            fact.channels.insert(channel);
        }
        merged.extend(merge_lenses(by_under));
    }
    without_consequences(merged)
}

/// Merges Classic's effect in some channels with OLM v1's effect with all channels into one fact
/// that lists the channels.
fn merge_lenses<'f>(mut by_under: BTreeMap<Option<AffectedLenses>, Fact<'f>>) -> Vec<Fact<'f>> {
    let is_of_all = by_under
        .get(&Some(AffectedLenses::V1))
        .is_some_and(|fact| fact.channels.iter().eq([&""]));
    let is_of_channels = by_under
        .get(&Some(AffectedLenses::CLASSIC))
        .is_some_and(|fact| !fact.channels.contains(""));
    if is_of_all && is_of_channels {
        by_under.remove(&Some(AffectedLenses::V1));
        if let Some(classic) = by_under.get_mut(&Some(AffectedLenses::CLASSIC)) {
            classic.lenses = Some(AffectedLenses::BOTH);
        }
    }
    by_under.into_values().collect()
}

/// Drops the channels of each fact for which another fact is the cause.
fn without_consequences(mut facts: Vec<Fact<'_>>) -> Vec<Fact<'_>> {
    let effect = |fact: &Fact<'_>| rank(fact.first.invariant).map(|(_, effect)| effect);
    facts.sort_small_by_key(|fact| rank_or_last(fact.first.invariant));
    let mut causes: Vec<Fact<'_>> = Vec::new();
    for mut fact in facts {
        let fact_effect = effect(&fact);
        // Effects on versions imply nothing for a channel as a whole.
        if fact_effect.is_some() && !fact.first.subject.is_empty() {
            for cause in causes
                .iter_mut()
                .filter(|cause| effect(cause) == fact_effect)
            {
                // A difference between the lenses follows from the effect under either.
                let lenses = |fact: &Fact<'_>| {
                    if *fact.first.invariant == content::LENSES_DIFFER {
                        AffectedLenses::default()
                    } else {
                        fact.lenses.unwrap_or(AffectedLenses::BOTH)
                    }
                };
                if !lenses(cause).covers(lenses(&fact)) {
                    continue;
                }
                let before = fact.channels.len();
                let is_of_all = cause.channels.contains("");
                fact.channels.retain(|channel| {
                    !(is_of_all || channel.is_empty() || cause.channels.contains(channel))
                });
                if fact.channels.len() < before {
                    cause.also.insert(fact.first.invariant.name);
                    cause.severity = cause.severity.min(fact.first.invariant.severity);
                }
            }
        }
        if !fact.channels.is_empty() {
            causes.push(fact);
        }
    }
    causes
}

/// Merges facts that differ only in their subject.
fn join_group(group: &[Fact<'_>], limit: usize) -> Option<GroupedFinding> {
    let first = group.first()?;
    let message = match group {
        [_] => first.message.clone(),
        group => {
            let subjects = group.iter().map(|fact| format!("`{}`", fact.first.subject));
            message_pattern(&first.message, &first.first.subject)
                .0
                .replace(SUBJECT, &first_of(subjects, limit))
        }
    };
    let channels: Vec<Text> = first
        .channels
        .iter()
        .filter(|channel| !channel.is_empty())
        .map(|channel| (*channel).into())
        .collect();
    let mut lenses = first
        .lenses
        .map_or("", AffectedLenses::qualifier)
        .to_owned();
    if channels.len() > 1 {
        lenses = lenses.replace("only this channel is", "only one of these channels is");
    }
    let also: BTreeSet<&str> = group
        .iter()
        .flat_map(|fact| fact.also.iter().copied())
        .collect();
    let invariant = first.first.invariant;
    Some(GroupedFinding {
        invariant,
        also: super::ALL
            .iter()
            .copied()
            .filter(|other| **other != *invariant && also.contains(other.name))
            .collect(),
        severity: group.iter().map(|fact| fact.severity).min()?,
        channels,
        count: group.len(),
        message: message.replace(QUALIFIER, &lenses),
        help: match group {
            [only] if !only.first.help.is_empty() => only.first.help.clone(),
            _ => invariant.fix.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::invariants::{CatalogContext, find_broken, new_findings};
    use crate::compare::{Pair, Unpublished};
    use catalog::testing::package;

    fn grouped_messages(before: &str, after: &str) -> Vec<(String, String)> {
        let (old, new) = (package(before), package(after));
        let pair = Pair::new(Some(&old), Some(&new));
        let findings = find_broken(&pair, &CatalogContext::default(), &Unpublished::default());
        let channels_and_message = |grouped_finding: GroupedFinding| {
            (
                first_of(grouped_finding.channels.iter(), 9),
                grouped_finding.message,
            )
        };
        group_findings(&findings, 2)
            .into_iter()
            .map(channels_and_message)
            .collect()
    }

    #[test]
    fn a_version_is_reported_once() {
        let chain = "op.v3@3.0.0 r:op.v2; op.v2@2.0.0 r:op.v1; op.v1@1.0.0";
        let before = format!("a: {chain}\nb: {chain}");
        let gone = "op.v2@2.0.0 r:op.v1; op.v1@1.0.0";
        let messages = grouped_messages(&before, &format!("a: {gone}\nb: {gone}"));
        let of_v3: Vec<&(String, String)> = messages
            .iter()
            .filter(|(_, message)| message.starts_with("users of `op.v3`"))
            .collect();
        let left = "users of `op.v3` are left behind: it was removed, and no entry of the chain replaces, skips or \
                    covers it";
        assert_eq!(
            of_v3,
            [&("a, b".to_owned(), left.to_owned())],
            "{messages:?}"
        );
        assert_eq!(messages[0].1, left, "the cause comes first: {messages:?}");
        let lower = "users of `op.v2` used to reach `op.v3` under Classic and OLM v1, and now stay";
        assert!(
            messages.contains(&("a, b".to_owned(), lower.to_owned())),
            "{messages:?}"
        );
    }

    #[test]
    fn facts_missing_from_the_table_are_reported_with_their_condition() {
        let beta = "op.v0.3.1@0.3.1 r:op.v0.3.0; op.v0.3.0@0.3.0";
        let top = "op.v0.5.0@0.5.0 sr:<0.5.0";
        let before = format!("beta: {beta}\nstable: {top}");
        let messages = grouped_messages(
            &before,
            &format!("beta: op.v0.5.0@0.5.0 r:op.v0.3.1 s:op.v0.3.0; {beta}\nstable: {top}"),
        );
        let patch = "users of `op.v0.3.0` never get its latest patch, `op.v0.3.1`, under Classic, and under OLM v1 \
                     if only this channel is allowed";
        assert!(
            messages.contains(&("beta".to_owned(), patch.to_owned())),
            "{messages:?}"
        );
    }

    #[test]
    fn a_misspelt_name_that_is_corrected_is_no_news() {
        let before = "c: op.v1.7.3@1.7.3 r:op.v1.71; op.v1.7.1@1.7.1";
        assert_eq!(
            grouped_messages(before, &before.replace("r:op.v1.71", "r:op.v1.7.1")),
            []
        );
        // The ungrouped findings still contain it.
        let (old, new) = (
            package(before),
            package(&before.replace("r:op.v1.71", "r:op.v1.7.1")),
        );
        assert!(
            !new_findings(
                &Pair::new(Some(&old), Some(&new)),
                &CatalogContext::default()
            )
            .is_empty()
        );
    }

    #[test]
    fn a_deprecation_is_reported_as_the_cause_of_missing_updates() {
        let before = "c: op.v3@3.0.0 r:op.v2; op.v2@2.0.0 r:op.v1; op.v1@1.0.0";
        let messages = grouped_messages(
            before,
            &before.replace("op.v2@2.0.0", "op.v2@2.0.0 !deprecated"),
        );
        let (channels, message) = messages.first().expect("something stops");
        assert_eq!(channels, "");
        assert_eq!(
            message,
            "users of `op.v1` are no longer updated under OLM v1: `op.v2` is deprecated now"
        );
        assert_eq!(messages.len(), 1, "{messages:?}");
    }
}
