//! The outcome of a change as facts, most important first: the verdict, the direct effect of the
//! edit, affected users, broken rules, improvements. Facts with a common cause are merged; their
//! details are listed below them.

use super::{Consequences, HiddenPackage, PackageTable, VerdictChange};
use crate::compare::UpgradeImpact;
use crate::compare::invariants::{Finding, REQUIREMENT_LOST, Severity, causes};
use crate::validate::{PRERELEASE_UNASKED, STABLE_HEAD_PRERELEASE, is_unfinished};
use protocol::counting::{and_more, count_of, first_of};
use protocol::diagnostic::{self, Diagnostic};
use protocol::judgement::{JudgedFact, Judgement, OPM_SAYS, Tone};
use protocol::views::EntryLocation;
use protocol::words::cause_in_tree;
use std::collections::{BTreeMap, BTreeSet};
use upgrade::Installed;

/// Maximum number of solved problems or mere consequences written out.
const NAMED: usize = 5;
/// Maximum number of entries named per channel.
const ENTRIES: usize = 3;

/// Returns the unfinished version that new installs get instead of a finished one.
fn unfinished_install(table: &PackageTable) -> Option<String> {
    table
        .table
        .new_installs_get(|now: &Installed, was: &Installed| {
            is_unfinished(&now.version) && !is_unfinished(&was.version)
        })
}

/// Returns the tone of an effect.
pub fn tone_of(fate: UpgradeImpact) -> Tone {
    match fate {
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
        let mut tones: Vec<Tone> = self.facts().iter().map(|fact| fact.tone).collect();
        tones.extend(self.tables.iter().map(|table| tone_of(table.table.worst())));
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
                Severity::Error if nobody_is_worse_off && is_own_requirement(&broken.finding) => {
                    Tone::Advice
                }
                Severity::Error => Tone::Bad,
                Severity::Warning => Tone::Advice,
                Severity::Info => Tone::Plain,
            })
            .collect();
        let passes_now = self
            .verdicts
            .iter()
            .any(|change| !change.passed_before && change.passed_after);
        // Solved problems do not outweigh a catalog that now fails.
        let fails_now = self
            .verdicts
            .iter()
            .any(|change| change.passed_before && !change.passed_after);
        let is_better = !fails_now
            && (passes_now
                || !self.problems_lost.is_empty()
                || !self.no_longer_stranded.is_empty());
        let is_harmful = tones.contains(&Tone::Bad) || rules.contains(&Tone::Bad);
        if !is_harmful && !self.unfinished.is_empty() {
            return Judgement::Unfinished;
        }
        match (
            is_better,
            is_harmful,
            tones.contains(&Tone::Advice) || rules.contains(&Tone::Advice),
        ) {
            // Advice does not outweigh solved problems: many of them only surfaced because of
            // earlier errors.
            (true, false, _) if !tones.contains(&Tone::Advice) => Judgement::Better,
            (true, ..) => Judgement::Mixed,
            (false, true, _) => Judgement::Worse,
            (false, false, true) => Judgement::Advice,
            (false, false, false) => Judgement::Neutral,
        }
    }

    /// Collects all facts except those of the tables: effects on users, and rules broken for them.
    pub fn facts(&self) -> Vec<JudgedFact> {
        let mut problems = Problems::from_consequences(self);
        let verdicts = self
            .verdicts
            .iter()
            .map(|verdict| self.verdict(verdict, &mut problems))
            .collect::<Vec<_>>();
        // A catalog that failed before and still fails is no news.
        let (as_before, mut facts): (Vec<_>, Vec<_>) = verdicts
            .into_iter()
            .partition(|verdict| verdict.tone == Tone::Plain);
        let begun = self
            .unfinished
            .iter()
            .map(|begun| fact(Tone::Advice, begun.part.to_string()));
        let unreadable = self.not_readable_yet().map(|text| fact(Tone::Advice, text));
        let hidden = self.hidden.iter().map(|package| {
            let tone = if package.is_readable_now {
                Tone::Plain
            } else {
                Tone::Advice
            };
            fact(tone, package.to_string())
        });
        facts.splice(0..0, unreadable.into_iter().chain(hidden).chain(begun));
        for failure in self.failures_without_verdict() {
            let rest = problems.take(|problem| {
                problem.catalog == failure.root
                    && problem.package.as_deref() == Some(&*failure.package)
                    && is_failure(problem)
            });
            let rest = rest
                .into_iter()
                .filter(|text| *text != failure.message)
                .collect();
            let is_begun = self.is_only_begun(|p| {
                p.catalog == failure.root && p.package.as_deref() == Some(&*failure.package)
            });
            let tone = if is_begun { Tone::Advice } else { Tone::Bad };
            let text = format!("package {} fails now: {}", failure.package, failure.message);
            facts.push(JudgedFact { tone, text, rest });
        }
        for emptied in &self.emptied {
            let text = format!(
                "channel {} has no entries left; opm rejects an empty channel: remove it, or promote a bundle into it",
                emptied.channel
            );
            let rest =
                problems.take(|problem| problem.channel.as_deref() == Some(&*emptied.channel));
            facts.push(JudgedFact {
                tone: Tone::Bad,
                text,
                rest,
            });
        }
        facts.extend(problems.rest(|problem| {
            if self.is_begun(problem) {
                Tone::Advice
            } else {
                tone(problem)
            }
        }));
        facts.extend(
            self.reworded
                .iter()
                .map(|text| fact(Tone::Plain, format!("still a problem: {text}"))),
        );
        facts.extend(self.unfinished_installs());
        facts.extend(self.solved_problems());
        facts.extend(
            self.heads_moved
                .iter()
                .map(|moved| fact(Tone::Plain, moved.heads.to_string())),
        );
        let freed = by_channel(&self.no_longer_stranded);
        facts.extend(
            freed
                .into_iter()
                .map(|text| fact(Tone::Good, format!("no longer stranded in {text}"))),
        );
        facts.extend(as_before);
        facts
    }

    /// Describes a catalog's verdict; if it fails only now, with the reasons.
    fn verdict(&self, verdict: &VerdictChange, problems: &mut Problems<'_>) -> JudgedFact {
        let root = if self.verdicts.len() > 1 {
            format!("{}: ", verdict.root)
        } else {
            String::new()
        };
        let mut rest = Vec::new();
        let why = match (verdict.passed_before, verdict.passed_after) {
            (_, true) => String::new(),
            (false, false) => match verdict.words_elsewhere(&self.new_failures_of(&verdict.root)) {
                Some(explanation) if !self.tables.is_empty() => {
                    let text = format!("{root}{explanation}");
                    return fact(self.verdict_tone(verdict), text);
                }
                _ => cause_in_tree(&verdict.opm_message).to_owned(),
            },
            (true, false) => {
                let mut causes =
                    problems.take(|problem| problem.catalog == verdict.root && is_failure(problem));
                let first = if causes.is_empty() {
                    cause_in_tree(&verdict.opm_message).to_owned()
                } else {
                    causes.remove(0)
                };
                rest = causes;
                first
            }
        };
        let whole = verdict.opm_message.trim_end();
        if !why.is_empty() && !whole.is_empty() && why != whole {
            rest.push(format!("{OPM_SAYS}{whole}"));
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

    /// Returns the tone of a verdict. A failure that lasts only until an unfinished part is
    /// completed harms nobody.
    pub fn verdict_tone(&self, verdict: &VerdictChange) -> Tone {
        match verdict.tone() {
            Tone::Bad if self.is_only_begun(|problem| problem.catalog == verdict.root) => {
                Tone::Advice
            }
            tone => tone,
        }
    }

    /// Whether all new failures among these problems come from unfinished parts.
    fn is_only_begun(&self, among: impl Fn(&Diagnostic) -> bool) -> bool {
        let mut failures = self
            .problems_gained
            .iter()
            .filter(|problem| is_failure(problem) && among(problem))
            .peekable();
        failures.peek().is_some() && failures.all(|problem| self.is_begun(problem))
    }

    fn is_begun(&self, problem: &Diagnostic) -> bool {
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
        let mut messages: Vec<&str> = self
            .problems_lost
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        messages.dedup();
        // A "1 more" line would take as much room as the problem itself.
        let limit = if messages.len() == NAMED + 1 {
            messages.len()
        } else {
            NAMED
        };
        let mut rest: Vec<String> = messages
            .iter()
            .take(limit)
            .map(|text| (*text).to_owned())
            .collect();
        if messages.len() > limit {
            rest.push(and_more(messages.len() - limit));
        }
        match messages.as_slice() {
            [] => None,
            [only] => Some(fact(Tone::Good, format!("solved: {only}"))),
            many => Some(JudgedFact {
                tone: Tone::Good,
                text: format!("{} problems solved", many.len()),
                rest,
            }),
        }
    }

    /// Does not count "unrequested prerelease" problems as solved if all new installs now get the prerelease.
    pub(super) fn forget_what_all_get_now(&mut self) {
        let packages: BTreeSet<_> = self
            .tables
            .iter()
            .filter(|table| unfinished_install(table).is_some())
            .map(|heads| heads.package.clone())
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
        let notes = self.tables.iter().filter_map(|table| {
            let version = unfinished_install(table)?;
            let package = if several {
                format!("{}: ", table.package)
            } else {
                String::new()
            };
            (!self.problems_gained.iter().any(|p| {
                p.rule == STABLE_HEAD_PRERELEASE.id
                    && p.package.as_deref() == Some(table.package.as_ref())
            }))
            .then(|| format!("{package}{version}, which new installs get now, is a pre-release"))
        });
        let mut texts: Vec<String> = notes.collect();
        texts.dedup();
        texts
            .into_iter()
            .map(|text| fact(Tone::Advice, text))
            .collect()
    }

    /// Counts the broken invariants: `breaks 3 invariants`; `None` if none is an error.
    pub fn broken_rules(&self) -> Option<String> {
        match self.broken_names(Severity::Error).len() {
            0 => None,
            1 => Some("breaks 1 invariant".to_owned()),
            many => Some(format!("breaks {many} invariants")),
        }
    }

    /// Returns the distinct broken rules that are causes, without mere consequences.
    pub(super) fn broken_names(&self, severity: Severity) -> Vec<&'static str> {
        causes(
            self.group_broken(1).iter().map(|(.., finding)| finding),
            severity,
        )
    }

    /// Describes the effect on users in one sentence, per package if there are several.
    pub fn headline(&self) -> String {
        const PACKAGES: usize = 3;
        let several = self.tables.len() > 1;
        let several_packages = self.tables.iter().any(|table| {
            self.tables
                .iter()
                .any(|other| other.package != table.package)
        });
        let clauses = self.tables.iter().take(PACKAGES).map(|table| {
            let headline = table.table.headline();
            match (several, several_packages, table.roots.as_slice()) {
                (false, ..) | (true, _, []) => headline,
                (true, true, _) => format!("{}: {headline}", table.package),
                (true, false, roots) => format!("{}: {headline}", first_of(roots.iter(), 2)),
            }
        });
        let mut clauses: Vec<String> = clauses.collect();
        match self.tables.len().saturating_sub(PACKAGES) {
            0 => {}
            1 => clauses.push("1 more package".to_owned()),
            more => clauses.push(format!("{more} more packages")),
        }
        clauses.join("; ")
    }
}

impl Consequences {
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
        let rules = |severity| {
            self.group_broken(1)
                .into_iter()
                .find(|(.., finding)| finding.severity == severity)
                .map(|(.., finding)| finding.message)
        };
        let reason = match judgement {
            Judgement::Neutral => None,
            Judgement::Unknown => self.hidden.first().map(HiddenPackage::to_string),
            Judgement::Unfinished => self
                .not_readable_yet()
                .or_else(|| self.unfinished.first().map(|begun| begun.part.to_string())),
            Judgement::Better => with_tone(Tone::Good),
            Judgement::Worse | Judgement::Mixed => with_tone(Tone::Bad)
                .or_else(|| users(UpgradeImpact::Stranded))
                .or_else(|| users(UpgradeImpact::EndsLower))
                .or_else(|| rules(Severity::Error))
                .or_else(|| with_tone(Tone::Advice)),
            Judgement::Advice => users(UpgradeImpact::EndsLower)
                .or_else(|| with_tone(Tone::Advice))
                .or_else(|| rules(Severity::Warning)),
        };
        reason.unwrap_or_default()
    }
}

/// New problems and newly stranded entries, with the ones already reported.
struct Problems<'c> {
    gained: Vec<(&'c Diagnostic, bool)>,
    stranded: BTreeMap<(&'c str, &'c str, &'c str), (Vec<&'c str>, bool)>,
}

impl<'c> Problems<'c> {
    fn from_consequences(found: &'c Consequences) -> Self {
        let mut stranded: BTreeMap<_, (Vec<&str>, bool)> = BTreeMap::new();
        for EntryLocation {
            root,
            package,
            channel,
            name,
        } in &found.newly_stranded
        {
            stranded
                .entry((root.as_str(), &**package, &**channel))
                .or_default()
                .0
                .push(name);
        }
        Self {
            gained: found
                .problems_gained
                .iter()
                .map(|problem| (problem, false))
                .collect(),
            stranded,
        }
    }

    /// Returns the distinct messages of the wanted problems that are not reported yet, each followed
    /// by its consequences.
    fn take(&mut self, wanted: impl Fn(&Diagnostic) -> bool) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for (problem, below) in self.report(wanted) {
            for text in std::iter::once(problem.message.clone()).chain(below) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Marks the wanted problems as reported. Returns causes first, with their consequences.
    fn report(
        &mut self,
        wanted: impl Fn(&Diagnostic) -> bool,
    ) -> Vec<(&'c Diagnostic, Vec<String>)> {
        let mut reported = Vec::new();
        for is_of_causes in [true, false] {
            for at in 0..self.gained.len() {
                let (problem, is_reported) = self.gained[at];
                if is_reported || !wanted(problem) || (is_of_causes && self.follows_gained(problem))
                {
                    continue;
                }
                self.gained[at].1 = true;
                let below = if is_of_causes {
                    self.below(problem)
                } else {
                    Vec::new()
                };
                reported.push((problem, below));
            }
        }
        reported
    }

    fn follows_gained(&self, problem: &Diagnostic) -> bool {
        let cause = problem.follows.as_ref();
        cause.is_some_and(|cause| self.gained.iter().any(|(other, _)| is_cause(cause, other)))
    }

    /// Returns the consequences of a problem: other new problems, and newly stranded entries of its
    /// channel.
    fn below(&mut self, diagnostic: &'c Diagnostic) -> Vec<String> {
        let mut texts = Vec::new();
        for (problem, is_reported) in &mut self.gained {
            if !*is_reported
                && problem
                    .follows
                    .as_ref()
                    .is_some_and(|cause| is_cause(cause, diagnostic))
            {
                *is_reported = true;
                texts.push(problem.message.clone());
            }
        }
        if let (Some(package), Some(channel)) =
            (diagnostic.package.as_deref(), diagnostic.channel.as_deref())
            && let Some((names, is_reported)) =
                self.stranded
                    .get_mut(&(diagnostic.catalog.as_str(), package, channel))
            && !std::mem::replace(is_reported, true)
        {
            texts.push(describe_stranded(names, channel));
        }
        texts
    }

    /// Returns everything that is not reported yet.
    fn rest(mut self, tone: impl Fn(&Diagnostic) -> Tone) -> Vec<JudgedFact> {
        let mut facts: Vec<JudgedFact> = self
            .report(|_| true)
            .into_iter()
            .map(|(problem, rest)| JudgedFact {
                tone: tone(problem),
                text: new_problem(problem),
                rest,
            })
            .collect();
        for ((.., channel), (names, _)) in self
            .stranded
            .iter()
            .filter(|(_, (_, is_reported))| !is_reported)
        {
            facts.push(fact(Tone::Bad, describe_stranded(names, channel)));
        }
        facts
    }
}

fn tone(problem: &Diagnostic) -> Tone {
    match problem.severity {
        diagnostic::Severity::Error => Tone::Bad,
        diagnostic::Severity::Warning => Tone::Advice,
        diagnostic::Severity::Info => Tone::Plain,
    }
}

/// Formats `new warning: …`, with the name of the problem's severity.
fn new_problem(problem: &Diagnostic) -> String {
    format!("new {}: {}", problem.severity.name(), problem.message)
}

fn is_own_requirement(finding: &Finding) -> bool {
    *finding.invariant == REQUIREMENT_LOST && !finding.channel.is_empty()
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
        first_of(names.iter(), ENTRIES)
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
        .map(|((.., channel), names)| format!("{channel}: {}", first_of(names.iter(), ENTRIES)))
        .collect()
}

fn fact(tone: Tone, text: String) -> JudgedFact {
    let rest = Vec::new();
    JudgedFact { tone, text, rest }
}
