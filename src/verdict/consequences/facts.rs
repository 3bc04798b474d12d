//! The outcome of a change as facts, most important first: the verdict, the direct effect of the
//! edit, affected users, broken rules, improvements. Facts with a common cause are merged; their
//! details are listed below them.

use super::{
    Consequences, HiddenPackage, MAX_ROOTS, PackageTable, VerdictChange, describe_failure,
};
use crate::compare::invariants::{REQUIREMENT_LOST, Severity};
use crate::compare::{InOrder, UpgradeImpact};
use crate::validate::{PRERELEASE_UNASKED, STABLE_HEAD_PRERELEASE, is_unfinished};
use protocol::counting::{and_more, count_of, first_of};
use protocol::diagnostic::{self, Diagnostic};
use protocol::judgement::{JudgedFact, Judgement, OPM_SAYS, Tone};
use protocol::views::{EntryLocation, FailingPackage};
use protocol::words::cause_in_tree;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum number of solved problems written out.
const MAX_NAMED: usize = 5;
/// Maximum number of channels named with a broken rule.
const MAX_CHANNELS: usize = 2;
/// Maximum number of entries named per channel.
const MAX_ENTRIES: usize = 3;

pub fn tone_of(impact: UpgradeImpact) -> Tone {
    match impact {
        UpgradeImpact::Stranded => Tone::Bad,
        UpgradeImpact::Downgrade | UpgradeImpact::EndsLower => Tone::Advice,
        UpgradeImpact::Gained => Tone::Good,
        UpgradeImpact::Rerouted | UpgradeImpact::OtherEnd | UpgradeImpact::Same => Tone::Plain,
    }
}

impl Consequences {
    pub fn judgement(&self) -> Judgement {
        if !self.unreadable.is_empty() {
            return Judgement::Unfinished;
        }
        if self.hidden.iter().any(|package| !package.is_readable_now) {
            return Judgement::Unknown;
        }
        let facts = self.facts();
        let has_fact = |tone| facts.iter().any(|fact| fact.tone == tone);
        let has_effect = |tone| {
            let mut tables = self.tables.iter();
            tables.any(|table| tone_of(table.table.worst()) == tone)
        };
        // The package's own unmet requirement may be met by another catalog: a warning unless an
        // upgrade gets worse. Requirements of other packages on this one are not excused.
        let nobody_is_worse_off = self
            .tables
            .iter()
            .all(|table| table.table.worst() > UpgradeImpact::EndsLower);
        let rules: Vec<Tone> = self
            .broken
            .iter()
            .map(|broken| match broken.finding.invariant.severity {
                Severity::Error
                    if nobody_is_worse_off
                        && *broken.finding.invariant == REQUIREMENT_LOST
                        && !broken.finding.channel.is_empty() =>
                {
                    Tone::Advice
                }
                Severity::Error => Tone::Bad,
                Severity::Warning => Tone::Advice,
                Severity::Info => Tone::Plain,
            })
            .collect();
        // Solved problems do not outweigh a catalog that now fails.
        let is_better = !self.verdicts.iter().any(VerdictChange::fails_now)
            && (self.verdicts.iter().any(VerdictChange::passes_now)
                || self.improvements().any(|fact| fact.tone == Tone::Good));
        let is_harmful = has_fact(Tone::Bad) || has_effect(Tone::Bad) || rules.contains(&Tone::Bad);
        if !is_harmful && !self.unfinished.is_empty() {
            return Judgement::Unfinished;
        }
        let is_advised_for_users = has_effect(Tone::Advice)
            || self
                .tables
                .iter()
                .any(|table| unfinished_installs(table).next().is_some());
        match (is_better, is_harmful) {
            // New advice does not outweigh solved errors: much of it only surfaced because of them.
            (true, false) if !is_advised_for_users => Judgement::Better,
            (true, _) => Judgement::Mixed,
            (false, true) => Judgement::Worse,
            _ if is_advised_for_users
                || has_fact(Tone::Advice)
                || rules.contains(&Tone::Advice) =>
            {
                Judgement::Advice
            }
            _ if self.gains_updates() => Judgement::Better,
            _ => Judgement::Neutral,
        }
    }

    /// Whether some users or new installs get an update that they did not get before.
    fn gains_updates(&self) -> bool {
        let mut rows = self
            .tables
            .iter()
            .flat_map(|table| table.table.changed_rows());
        rows.any(|row| row.impact == UpgradeImpact::Gained)
    }

    /// Collects all facts except those of the tables: effects on users, and rules broken for them.
    pub fn facts(&self) -> Vec<JudgedFact> {
        let mut problems = Problems::from_consequences(self);
        let verdicts = self
            .verdicts
            .iter()
            .map(|verdict| self.verdict_fact(verdict, &mut problems))
            .collect::<Vec<_>>();
        // A catalog that failed before and still fails is no news.
        let (as_before, mut facts): (Vec<_>, Vec<_>) = verdicts
            .into_iter()
            .partition(|verdict| verdict.tone == Tone::Plain);
        let unfinished = self
            .unfinished
            .iter()
            .map(|unfinished| fact(Tone::Advice, unfinished.part.to_string()));
        let unreadable = self
            .unreadable_files_note()
            .map(|text| fact(Tone::Advice, text));
        let hidden = self.hidden.iter().map(|package| {
            let tone = if package.is_readable_now {
                Tone::Plain
            } else {
                Tone::Advice
            };
            fact(tone, package.to_string())
        });
        facts.splice(0..0, unreadable.into_iter().chain(hidden).chain(unfinished));
        for failure in self.failures_without_verdict() {
            facts.push(self.failure_fact(failure, &mut problems));
        }
        for emptied in &self.emptied {
            let text = format!(
                "channel {} has no entries left; opm rejects an empty channel: remove it, or promote a bundle into it",
                emptied.channel
            );
            let rest = problems
                .take_messages(|problem| problem.channel.as_deref() == Some(&*emptied.channel));
            facts.push(JudgedFact {
                tone: Tone::Bad,
                text,
                rest,
            });
        }
        facts.extend(problems.into_remaining_facts(|problem| {
            if self.is_unfinished_part(problem) {
                Tone::Advice
            } else {
                tone(problem)
            }
        }));
        facts.extend(
            self.reworded
                .iter()
                .map(|text| fact(Tone::Plain, format!("a problem changes: {text}"))),
        );
        facts.extend(self.unfinished_installs());
        facts.extend(self.improvements());
        // The tables show who follows a moved head.
        if !self.affects_users() {
            let heads = self.heads_moved.iter();
            facts.extend(heads.map(|moved| fact(Tone::Plain, moved.heads.to_string())));
        }
        facts.extend(as_before);
        facts
    }

    /// Reports the solved problems, and the entries that are no longer stranded.
    fn improvements(&self) -> impl Iterator<Item = JudgedFact> {
        let freed = by_channel(&self.no_longer_stranded).into_iter();
        let freed = freed.map(|text| fact(Tone::Good, format!("no longer stranded in {text}")));
        self.solved_problems().into_iter().chain(freed)
    }

    /// Describes a package that fails only now, with all reasons.
    fn failure_fact(&self, failure: &FailingPackage, problems: &mut Problems<'_>) -> JudgedFact {
        let is_of_package = |problem: &Diagnostic| {
            problem.catalog == failure.root && problem.package.as_deref() == Some(&*failure.package)
        };
        let messages =
            problems.take_messages(|problem| is_of_package(problem) && is_failure(problem));
        let tone = if self.is_only_unfinished(is_of_package) {
            Tone::Advice
        } else {
            Tone::Bad
        };
        JudgedFact {
            tone,
            text: describe_failure(failure),
            rest: messages
                .into_iter()
                .filter(|text| *text != failure.message)
                .collect(),
        }
    }

    /// Describes a catalog's verdict; if it fails only now, with the reasons.
    fn verdict_fact(&self, verdict: &VerdictChange, problems: &mut Problems<'_>) -> JudgedFact {
        let root = self.root_prefix(verdict);
        let mut rest = Vec::new();
        let why = match (verdict.passed_before, verdict.passed_after) {
            (_, true) => String::new(),
            (false, false) => {
                match verdict.describe_old_failures(&self.new_failures_of(&verdict.root)) {
                    Some(explanation) if !self.tables.is_empty() => {
                        let text = format!("{root}{explanation}");
                        return fact(self.verdict_tone(verdict), text);
                    }
                    _ => cause_in_tree(&verdict.opm_message),
                }
            }
            (true, false) => {
                let mut causes = problems.take_messages(|problem| {
                    problem.catalog == verdict.root && is_failure(problem)
                });
                let first = if causes.is_empty() {
                    cause_in_tree(&verdict.opm_message)
                } else {
                    causes.remove(0)
                };
                rest = causes;
                first
            }
        };
        let opm_message = verdict.opm_message.trim_end();
        if !why.is_empty() && !opm_message.is_empty() && why != opm_message {
            rest.push(format!("{OPM_SAYS}{opm_message}"));
        }
        let why = if why.is_empty() {
            why
        } else {
            format!(": {why}")
        };
        JudgedFact {
            tone: self.verdict_tone(verdict),
            text: format!("{root}{}{why}", verdict.to_text()),
            rest,
        }
    }

    /// Names the verdict's catalog if there are several; otherwise "".
    fn root_prefix(&self, verdict: &VerdictChange) -> String {
        match self.verdicts.len() {
            0 | 1 => String::new(),
            _ => format!("{}: ", verdict.root),
        }
    }

    /// Returns the tone of a verdict. A failure that lasts only until an unfinished part is
    /// completed harms nobody.
    pub fn verdict_tone(&self, verdict: &VerdictChange) -> Tone {
        match verdict.tone() {
            Tone::Bad if self.is_only_unfinished(|problem| problem.catalog == verdict.root) => {
                Tone::Advice
            }
            tone => tone,
        }
    }

    /// Whether all new failures among these problems come from unfinished parts.
    fn is_only_unfinished(&self, among: impl Fn(&Diagnostic) -> bool) -> bool {
        let mut failures = self
            .problems_gained
            .iter()
            .filter(|problem| is_failure(problem) && among(problem))
            .peekable();
        failures.peek().is_some() && failures.all(|problem| self.is_unfinished_part(problem))
    }

    fn is_unfinished_part(&self, problem: &Diagnostic) -> bool {
        self.unfinished
            .iter()
            .any(|unfinished| unfinished.is_cause_of(problem))
            || self
                .unreadable
                .iter()
                .any(|(root, file): &(String, String)| {
                    problem.catalog == *root && problem.location.file == *file
                })
    }

    /// Returns the packages of a catalog with new failures.
    fn new_failures_of(&self, root: &str) -> BTreeSet<&str> {
        let failures = self
            .problems_gained
            .iter()
            .filter(|problem| problem.catalog == root && is_failure(problem));
        failures
            .filter_map(|problem| problem.package.as_deref())
            .collect()
    }

    fn solved_problems(&self) -> Option<JudgedFact> {
        let mut counts: InOrder<&str, usize> = InOrder::new();
        for problem in &self.problems_lost {
            *counts.get_or_insert_with(&problem.message, || 0) += 1;
        }
        let messages = counts.items;
        // A "1 more" line would take as much room as the problem itself.
        let limit = if messages.len() == MAX_NAMED + 1 {
            messages.len()
        } else {
            MAX_NAMED
        };
        let named = messages.iter().take(limit);
        let mut rest: Vec<String> = named
            .map(|(message, count)| match count {
                1 => (*message).to_owned(),
                _ => format!("{message} ({count} times)"),
            })
            .collect();
        let others: usize = messages.iter().skip(limit).map(|(_, count)| count).sum();
        if others > 0 {
            rest.push(and_more(others));
        }
        // Advice that no longer applies makes nothing better.
        let mut lost = self.problems_lost.iter();
        let tone = if lost.any(|problem| problem.severity == diagnostic::Severity::Error) {
            Tone::Good
        } else {
            Tone::Plain
        };
        match messages.as_slice() {
            [] => None,
            [(only, 1)] => Some(fact(tone, format!("solved: {only}"))),
            _ => Some(JudgedFact {
                tone,
                text: format!("{} problems solved", self.problems_lost.len()),
                rest,
            }),
        }
    }

    /// Drops solved "unrequested prerelease" problems if all new installs now get the prerelease.
    pub(super) fn drop_solved_unrequested_prereleases(&mut self) {
        let packages: BTreeSet<_> = self
            .tables
            .iter()
            .filter(|table| unfinished_installs(table).next().is_some())
            .map(|table| table.package.clone())
            .collect();
        self.problems_lost.retain(|problem| {
            problem.rule != PRERELEASE_UNASKED.id
                || !packages
                    .iter()
                    .any(|name| problem.package.as_deref() == Some(name.as_ref()))
        });
    }

    /// Reports new installs that get an unfinished version instead of a finished one, even if no
    /// problem mentions it.
    fn unfinished_installs(&self) -> Vec<JudgedFact> {
        let several = self.tables.len() > 1;
        let notes = self.tables.iter().flat_map(|table| {
            let package = if several {
                format!("{}: ", table.package)
            } else {
                String::new()
            };
            let is_reported = self.problems_gained.iter().any(|problem| {
                problem.rule == STABLE_HEAD_PRERELEASE.id
                    && problem.package.as_deref() == Some(table.package.as_ref())
            });
            unfinished_installs(table)
                .filter(move |_| !is_reported)
                .map(move |install| format!("{package}new installs get the pre-release {install}"))
        });
        let mut texts: Vec<String> = notes.collect();
        texts.dedup();
        texts
            .into_iter()
            .map(|text| fact(Tone::Advice, text))
            .collect()
    }

    /// Returns the message of the first broken rule of this severity, with its channels.
    pub fn worst_broken(&self, severity: Severity) -> Option<String> {
        let mut broken = self.group_broken(1).into_iter();
        let (.., worst) = broken.find(|(.., finding)| finding.severity == severity)?;
        let message = worst.message;
        Some(match worst.channels.as_slice() {
            [] => message,
            channels => format!("{}: {message}", first_of(channels.iter(), MAX_CHANNELS)),
        })
    }

    /// Describes the worst effect on users in one sentence. With several tables, it names the
    /// package or the catalogs, and counts the others.
    pub fn headline(&self) -> String {
        let (worst, others) = match self.tables.as_slice() {
            [] => return String::new(),
            [only] => return only.table.headline(),
            [worst, others @ ..] => (worst, others),
        };
        let has_one_package = others.iter().all(|table| table.package == worst.package);
        let (name, noun) = if has_one_package {
            (first_of(worst.roots.iter(), MAX_ROOTS), "more catalog")
        } else {
            (worst.package.to_string(), "more package")
        };
        let affected = others
            .iter()
            .filter(|table| table.table.worst() != UpgradeImpact::Same);
        let elsewhere = match affected.count() {
            0 => String::new(),
            count => format!("{} with changes", count_of(count, noun)),
        };
        let headline = worst.table.named_headline(&name, &elsewhere);
        headline.unwrap_or_else(|| worst.table.headline())
    }

    /// Formats the reasons of the judgement as one clause, worst first: failures, then effects on
    /// users, then the rest. Without capitalization and full stop, with names in backticks; "" if
    /// nothing is better or worse.
    pub fn reason(&self) -> String {
        let judgement = self.judgement();
        let facts = self.facts();
        let with_tone = |tone| {
            facts
                .iter()
                .find(|fact| fact.tone == tone)
                .map(|fact| fact.text.clone())
        };
        let users = |at_most: UpgradeImpact| {
            let tables = self
                .tables
                .iter()
                .filter(|table| table.table.worst() <= at_most);
            let several = self.tables.len() > 1;
            tables
                .map(
                    |table: &PackageTable| match (several, table.table.worst_clause()) {
                        (true, clause) => format!("{}: {clause}", table.package),
                        (false, clause) => clause,
                    },
                )
                .next()
        };
        let reason = match judgement {
            Judgement::Neutral => None,
            Judgement::Unknown => self.hidden.first().map(HiddenPackage::to_string),
            Judgement::Unfinished => self
                .unreadable_files_note()
                .or_else(|| Some(self.unfinished.first()?.part.to_string())),
            Judgement::Better => {
                let passes_now = self.verdicts.iter().find(|verdict| verdict.passes_now());
                let mut improvements = self.improvements();
                passes_now
                    .map(|verdict| format!("{}{}", self.root_prefix(verdict), verdict.to_text()))
                    .or_else(|| Some(improvements.find(|fact| fact.tone == Tone::Good)?.text))
                    .or_else(|| Some(self.headline()))
            }
            Judgement::Worse | Judgement::Mixed => with_tone(Tone::Bad)
                .or_else(|| users(UpgradeImpact::Stranded))
                .or_else(|| users(UpgradeImpact::EndsLower))
                .or_else(|| self.worst_broken(Severity::Error))
                .or_else(|| with_tone(Tone::Advice)),
            Judgement::Advice => users(UpgradeImpact::EndsLower)
                .or_else(|| with_tone(Tone::Advice))
                .or_else(|| self.worst_broken(Severity::Warning)),
        };
        reason.unwrap_or_default()
    }
}

/// New problems and newly stranded entries, with the ones already reported.
struct Problems<'c> {
    gained: Vec<GainedProblem<'c>>,
    /// By catalog, package and channel.
    stranded: BTreeMap<(&'c str, &'c str, &'c str), StrandedEntries<'c>>,
}

struct GainedProblem<'c> {
    diagnostic: &'c Diagnostic,
    is_reported: bool,
}

#[derive(Default)]
struct StrandedEntries<'c> {
    names: Vec<&'c str>,
    is_reported: bool,
}

impl<'c> Problems<'c> {
    fn from_consequences(consequences: &'c Consequences) -> Self {
        let mut stranded: BTreeMap<_, StrandedEntries<'_>> = BTreeMap::new();
        for EntryLocation {
            root,
            package,
            channel,
            name,
        } in &consequences.newly_stranded
        {
            stranded
                .entry((root.as_str(), &**package, &**channel))
                .or_default()
                .names
                .push(name);
        }
        Self {
            gained: consequences
                .problems_gained
                .iter()
                .map(|diagnostic| GainedProblem {
                    diagnostic,
                    is_reported: false,
                })
                .collect(),
            stranded,
        }
    }

    /// Returns the distinct messages of matching problems that are not reported yet, each followed
    /// by its consequences.
    fn take_messages(&mut self, filter: impl Fn(&Diagnostic) -> bool) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for (problem, consequences) in self.take(filter) {
            for text in std::iter::once(problem.message.clone()).chain(consequences) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Marks matching problems as reported. Returns causes first, with their consequences.
    fn take(&mut self, filter: impl Fn(&Diagnostic) -> bool) -> Vec<(&'c Diagnostic, Vec<String>)> {
        let mut reported = Vec::new();
        for takes_causes in [true, false] {
            for index in 0..self.gained.len() {
                let GainedProblem {
                    diagnostic,
                    is_reported,
                } = self.gained[index];
                if is_reported
                    || !filter(diagnostic)
                    || (takes_causes && self.follows_gained(diagnostic))
                {
                    continue;
                }
                self.gained[index].is_reported = true;
                let consequences = if takes_causes {
                    self.take_consequences(diagnostic)
                } else {
                    Vec::new()
                };
                reported.push((diagnostic, consequences));
            }
        }
        reported
    }

    fn follows_gained(&self, problem: &Diagnostic) -> bool {
        let cause = problem.follows.as_ref();
        cause.is_some_and(|cause| {
            self.gained
                .iter()
                .any(|other| is_cause(cause, other.diagnostic))
        })
    }

    /// Returns the consequences of a problem: other new problems, and newly stranded entries of its
    /// channel.
    fn take_consequences(&mut self, diagnostic: &'c Diagnostic) -> Vec<String> {
        let mut texts = Vec::new();
        for problem in self
            .gained
            .iter_mut()
            .filter(|problem| !problem.is_reported)
        {
            let cause = problem.diagnostic.follows.as_ref();
            if cause.is_some_and(|cause| is_cause(cause, diagnostic)) {
                problem.is_reported = true;
                texts.push(problem.diagnostic.message.clone());
            }
        }
        if let (Some(package), Some(channel)) =
            (diagnostic.package.as_deref(), diagnostic.channel.as_deref())
            && let Some(stranded) =
                self.stranded
                    .get_mut(&(diagnostic.catalog.as_str(), package, channel))
            && !stranded.is_reported
        {
            stranded.is_reported = true;
            texts.push(describe_stranded(&stranded.names, channel));
        }
        texts
    }

    /// Reports everything that is not reported yet.
    fn into_remaining_facts(mut self, tone: impl Fn(&Diagnostic) -> Tone) -> Vec<JudgedFact> {
        let remaining = self.take(|_| true);
        let mut channels: HashMap<&str, HashSet<Option<&str>>> = HashMap::new();
        for (problem, _) in &remaining {
            let known = channels.entry(&problem.message).or_default();
            known.insert(problem.channel.as_deref());
        }
        // Only equal messages of several channels name their channels.
        let place = |problem: &Diagnostic| {
            let known = channels.get(problem.message.as_str());
            let is_in_several = known.is_some_and(|known| known.len() > 1);
            let channel = problem.channel.as_ref().filter(|_| is_in_several);
            channel.map_or_else(String::new, |channel| format!(" in {channel}"))
        };
        let mut facts: Vec<JudgedFact> = remaining
            .iter()
            .map(|(problem, rest)| JudgedFact {
                tone: tone(problem),
                text: new_problem(problem, &place(problem)),
                rest: rest.clone(),
            })
            .collect();
        for ((.., channel), stranded) in &self.stranded {
            if !stranded.is_reported {
                facts.push(fact(Tone::Bad, describe_stranded(&stranded.names, channel)));
            }
        }
        facts
    }
}

/// Describes the unfinished versions that new installs get instead of finished ones.
fn unfinished_installs(table: &PackageTable) -> impl Iterator<Item = String> {
    table
        .table
        .new_installs(|now, was| is_unfinished(&now.version) && !is_unfinished(&was.version))
}

fn tone(problem: &Diagnostic) -> Tone {
    match problem.severity {
        diagnostic::Severity::Error => Tone::Bad,
        diagnostic::Severity::Warning => Tone::Advice,
        diagnostic::Severity::Info => Tone::Plain,
    }
}

/// Formats `new warning: …`, with the name of the problem's severity.
fn new_problem(problem: &Diagnostic, place: &str) -> String {
    format!(
        "new {}{place}: {}",
        problem.severity.name(),
        problem.message
    )
}

pub(super) fn is_failure(problem: &Diagnostic) -> bool {
    problem.opm && problem.severity == diagnostic::Severity::Error
}

fn is_cause(cause: &diagnostic::Cause, problem: &Diagnostic) -> bool {
    cause.rule == problem.rule && cause.message == problem.message
}

/// Formats `15 entries stranded in stable: a, b, c and 12 more`.
fn describe_stranded(names: &[&str], channel: &str) -> String {
    let entries = count_of(names.len(), "entry");
    format!(
        "{entries} newly stranded in {channel}: {}",
        first_of(names.iter(), MAX_ENTRIES)
    )
}

/// Formats `stable: a, b and 3 more`, one text per channel.
fn by_channel(entries: &[EntryLocation]) -> Vec<String> {
    let mut channels: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for entry in entries {
        channels
            .entry((&entry.root, &entry.package, &entry.channel))
            .or_default()
            .push(&entry.name);
    }
    channels
        .into_iter()
        .map(|((.., channel), names)| format!("{channel}: {}", first_of(names.iter(), MAX_ENTRIES)))
        .collect()
}

fn fact(tone: Tone, text: String) -> JudgedFact {
    let rest = Vec::new();
    JudgedFact { tone, text, rest }
}
