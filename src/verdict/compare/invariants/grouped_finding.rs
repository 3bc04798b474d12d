//! Groups findings into facts for readers: each effect on a version is reported once, by its cause,
//! for all channels and both lenses. `--deny` and JSON answers use the findings themselves.

use super::context::AffectedLenses;
use super::{Finding, Invariant, SUBJECT, Severity, content, message_pattern, next_step, skips};
use crate::compare::InOrder;
use protocol::counting::{and_more, first_of};
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
    /// The messages of further findings of the same rule in the same channels.
    pub alike: Vec<String>,
    /// The remedy; general advice for several subjects.
    pub help: String,
}

/// Maximum number of facts of one rule in the same channels that are not merged.
const MAX_SEPARATE: usize = 3;

impl GroupedFinding {
    /// Returns the message with the number of merged findings, for output without a list of them.
    pub fn counted_message(&self) -> String {
        match self.alike.len() {
            0 => self.message.clone(),
            alike => format!("{}; {} like this", self.message, and_more(alike)),
        }
    }
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

/// What facts have in common that differ only in their subject.
#[derive(PartialEq, Eq, Hash)]
struct FactPattern<'f> {
    rule: &'static str,
    /// The message with a placeholder for the subject.
    message: String,
    lenses: Option<AffectedLenses>,
    channels: Vec<&'f str>,
    severity: Severity,
}

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
    let mut group_by_pattern: HashMap<FactPattern<'_>, usize> = HashMap::default();
    for fact in facts {
        let (message, can_join) = message_pattern(&fact.message, &fact.first.subject);
        let pattern = FactPattern {
            rule: fact.first.invariant.name,
            message,
            lenses: fact.lenses,
            channels: fact.channels.iter().copied().collect(),
            severity: fact.severity,
        };
        match group_by_pattern.get(&pattern) {
            Some(&index) if can_join => groups[index].push(fact),
            _ => {
                group_by_pattern.insert(pattern, groups.len());
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
    merge_alike(grouped)
}

/// Merges the facts of one rule in the same channels if there are many: a rebuilt channel may
/// change thousands of entries, each in its own words.
fn merge_alike(grouped: Vec<GroupedFinding>) -> Vec<GroupedFinding> {
    let mut by_rule: InOrder<(&str, Vec<Text>, Severity), Vec<GroupedFinding>> = InOrder::new();
    for finding in grouped {
        let key = (
            finding.invariant.name,
            finding.channels.clone(),
            finding.severity,
        );
        by_rule.get_or_insert_with(key, Vec::new).push(finding);
    }
    let merge = |mut findings: Vec<GroupedFinding>| {
        if findings.len() > MAX_SEPARATE {
            let alike = findings.split_off(1);
            for first in &mut findings {
                first.count += alike.iter().map(|finding| finding.count).sum::<usize>();
                first.alike = alike
                    .iter()
                    .map(|finding| finding.message.clone())
                    .collect();
                first.help = first.invariant.fix.to_owned();
            }
        }
        findings
    };
    by_rule.into_values().flat_map(merge).collect()
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
        let mut by_lenses: BTreeMap<Option<AffectedLenses>, Fact<'_>> = BTreeMap::new();
        for (channel, (lenses, first)) in channels {
            let fact = by_lenses.entry(lenses).or_insert_with(|| Fact {
                first,
                message: message.clone(),
                lenses,
                channels: BTreeSet::new(),
                also: BTreeSet::new(),
                severity: first.invariant.severity,
            });
            fact.channels.insert(channel);
        }
        merged.extend(merge_lenses(by_lenses));
    }
    without_consequences(merged)
}

/// Merges Classic's effect in some channels with OLM v1's effect with all channels into one fact
/// that lists the channels.
fn merge_lenses<'f>(mut by_lenses: BTreeMap<Option<AffectedLenses>, Fact<'f>>) -> Vec<Fact<'f>> {
    let v1_affects_all = by_lenses
        .get(&Some(AffectedLenses::V1))
        .is_some_and(|fact| fact.channels.iter().eq([&""]));
    let classic_affects_some = by_lenses
        .get(&Some(AffectedLenses::CLASSIC))
        .is_some_and(|fact| !fact.channels.contains(""));
    if v1_affects_all && classic_affects_some {
        by_lenses.remove(&Some(AffectedLenses::V1));
        if let Some(classic) = by_lenses.get_mut(&Some(AffectedLenses::CLASSIC)) {
            classic.lenses = Some(AffectedLenses::BOTH);
        }
    }
    by_lenses.into_values().collect()
}

/// Drops the channels of each fact for which another fact is the cause.
fn without_consequences(mut facts: Vec<Fact<'_>>) -> Vec<Fact<'_>> {
    facts.sort_small_by_key(|fact| rank_or_last(fact.first.invariant));
    let mut causes: Vec<Fact<'_>> = Vec::new();
    for mut fact in facts {
        for cause in &mut causes {
            if cause.may_imply(&fact) {
                cause.absorb_channels(&mut fact);
            }
        }
        if !fact.channels.is_empty() {
            causes.push(fact);
        }
    }
    causes
}

impl Fact<'_> {
    fn effect(&self) -> Option<VersionEffect> {
        rank(self.first.invariant).map(|(_, effect)| effect)
    }

    /// Whether `other` follows from this fact in the channels of both.
    fn may_imply(&self, other: &Self) -> bool {
        // Effects on versions imply nothing for a channel as a whole.
        !other.first.subject.is_empty()
            && other.effect().is_some()
            && self.effect() == other.effect()
            && self.lenses_to_cover().covers(other.lenses_to_cover())
    }

    /// Returns the lenses under which a cause must have the effect too.
    fn lenses_to_cover(&self) -> AffectedLenses {
        // A difference between the lenses follows from the effect under either.
        if *self.first.invariant == content::LENSES_DIFFER {
            AffectedLenses::default()
        } else {
            self.lenses.unwrap_or(AffectedLenses::BOTH)
        }
    }

    /// Removes the channels of `consequence` that this fact affects too, and takes over its rule.
    fn absorb_channels(&mut self, consequence: &mut Self) {
        let before = consequence.channels.len();
        let affects_all = self.channels.contains("");
        consequence.channels.retain(|channel| {
            !(affects_all || channel.is_empty() || self.channels.contains(channel))
        });
        if consequence.channels.len() < before {
            let invariant = consequence.first.invariant;
            self.also.insert(invariant.name);
            self.severity = self.severity.min(invariant.severity);
        }
    }
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
        alike: Vec::new(),
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
        let lower = "users of `op.v2` used to reach `op.v3` under Classic and OLM v1, and now get no update";
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
        let patch = "users of `op.v0.3.0` never get `op.v0.3.1`, the latest patch of 0.3, under Classic, and under OLM v1 \
                     if only this channel is allowed";
        assert!(
            messages.contains(&("beta".to_owned(), patch.to_owned())),
            "{messages:?}"
        );
    }

    #[test]
    fn a_corrected_misspelt_name_is_not_reported() {
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
