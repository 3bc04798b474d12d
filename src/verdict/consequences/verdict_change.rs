//! A catalog's verdict before and after, with the number of errors that remain, and the problems
//! that are new, solved, or only reworded or moved to another channel.

use crate::validate::Verdict;
use protocol::counting::first_of;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{ErrorCounts, Tone, verdict_words};
use std::collections::{BTreeSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};

/// Maximum number of packages with new errors that a verdict names.
const MAX_NAMED: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerdictChange {
    pub root: String,
    pub passed_before: bool,
    /// Whether the catalog had no packages before.
    pub was_empty: bool,
    pub passed_after: bool,
    /// See [`Verdict::located_message`]; after the change.
    pub opm_message: String,
    pub errors: ErrorCounts,
    /// Errors after the change in changed packages; `None` if these are unknown.
    pub errors_here: Option<u32>,
}

impl VerdictChange {
    pub fn between(root: &str, before: &Verdict, after: &Verdict) -> Self {
        Self::from_verdicts(root, before, after, &Compared::new(before, after))
    }

    /// Like [`Self::between`], for problems that were already compared.
    pub(super) fn from_verdicts(
        root: &str,
        before: &Verdict,
        after: &Verdict,
        compared: &Compared<'_>,
    ) -> Self {
        Self {
            root: root.to_owned(),
            passed_before: before.passed,
            was_empty: false,
            passed_after: after.passed,
            opm_message: after.located_message(),
            errors: count_errors(compared),
            errors_here: None,
        }
    }

    /// Restricts the verdict to a change of these packages.
    pub fn within(self, after: &Verdict, changed: &HashSet<&str>) -> Self {
        let errors = after.diagnostics.iter().filter(|problem| is_error(problem));
        // A problem without a package may concern any package.
        let errors_here = errors
            .filter(|error| {
                let package = error.package.as_deref();
                package.is_none_or(|package| changed.contains(package))
            })
            .count();
        Self {
            errors_here: Some(errors_here as u32),
            ..self
        }
    }

    /// Formats the verdict if all old errors are in unchanged packages; otherwise `None`. `new_in`
    /// are the packages with new errors.
    pub fn describe_old_failures(&self, new_in: &BTreeSet<&str>) -> Option<String> {
        let ErrorCounts {
            before,
            after,
            same,
        } = self.errors;
        let new = after.saturating_sub(same);
        if self.passed_before || self.passed_after || same == 0 || self.errors_here != Some(new) {
            return None;
        }
        let old = ErrorCounts {
            before,
            after: same,
            same,
        };
        let verdict = verdict_words(Some(false), false, old);
        let elsewhere = "in packages that this does not change";
        let new_in = if new_in.is_empty() {
            String::new()
        } else {
            format!(" in {}", first_of(new_in.iter(), MAX_NAMED))
        };
        Some(match new {
            0 => format!("{verdict} {elsewhere}"),
            1 => format!("{verdict} {elsewhere}, and a new one{new_in}"),
            new => format!("{verdict} {elsewhere}, and {new} new ones{new_in}"),
        })
    }

    /// Formats the verdict in the shared wording.
    pub fn to_text(&self) -> String {
        // An empty catalog passes, but nothing passed before.
        let passed_before = !(self.was_empty && self.passed_before);
        verdict_words(
            passed_before.then_some(self.passed_before),
            self.passed_after,
            self.errors,
        )
    }

    pub(super) fn passes_now(&self) -> bool {
        !self.passed_before && self.passed_after
    }

    pub(super) fn fails_now(&self) -> bool {
        self.passed_before && !self.passed_after
    }

    /// Returns the tone of the verdict alone. A catalog that failed before is no news.
    pub fn tone(&self) -> Tone {
        match (self.passed_before, self.passed_after) {
            (_, true) => Tone::Good,
            (true, false) => Tone::Bad,
            (false, false) => Tone::Plain,
        }
    }
}

/// Counts `opm`'s errors. Errors with equal subjects are equal, regardless of their place, wording
/// and channel: the other catalog may have other files.
fn count_errors(compared: &Compared<'_>) -> ErrorCounts {
    let [shared, mut before, mut after] = [&compared.shared, &compared.before, &compared.after]
        .map(|problems| {
            let errors = problems.iter().copied().filter(|problem| is_error(problem));
            errors.collect::<Vec<_>>()
        });
    let [count_before, count_after] =
        [&before, &after].map(|own| (shared.len() + own.len()) as u32);
    let mut same = shared.len();
    for subject in [named_subject, message_subject, moved_subject] {
        same += take_pairs(&mut after, &mut before, subject).len();
    }
    ErrorCounts {
        before: count_before,
        after: count_after,
        same: same as u32,
    }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.opm && diagnostic.severity == Severity::Error
}

/// The problems of two verdicts, split by whether both share them. Usually most are shared.
pub(super) struct Compared<'a> {
    /// Problems only in the old verdict.
    pub before: Vec<&'a Diagnostic>,
    pub after: Vec<&'a Diagnostic>,
    /// Problems in both.
    pub shared: Vec<&'a Diagnostic>,
}

impl<'a> Compared<'a> {
    pub fn new(before: &'a Verdict, after: &'a Verdict) -> Self {
        let (before, after) = (before.diagnostics.as_slice(), after.diagnostics.as_slice());
        // Both lists have the same order, so shared problems surround the differences.
        let start = before
            .iter()
            .zip(after)
            .take_while(|(a, b)| Arc::ptr_eq(a, b))
            .count();
        let (first, before, after) = (&before[..start], &before[start..], &after[start..]);
        let end = before
            .iter()
            .rev()
            .zip(after.iter().rev())
            .take_while(|(a, b)| Arc::ptr_eq(a, b))
            .count();
        let (before, last) = before.split_at(before.len() - end);
        let after = &after[..after.len() - end];
        let [old_pointers, new_pointers] = [before, after].map(|problems| {
            problems
                .iter()
                .map(Arc::as_ptr)
                .collect::<HashSet<*const Diagnostic>>()
        });
        let (between, before): (Vec<_>, Vec<_>) = before
            .iter()
            .partition(|problem| new_pointers.contains(&Arc::as_ptr(problem)));
        let after = after
            .iter()
            .filter(|problem| !old_pointers.contains(&Arc::as_ptr(problem)));
        Self {
            before: before.into_iter().map(|problem| &**problem).collect(),
            after: after.map(|problem| &**problem).collect(),
            shared: first
                .iter()
                .chain(between)
                .chain(last)
                .map(|problem| &**problem)
                .collect(),
        }
    }
}

/// The differences between the problems of two verdicts.
pub(super) struct ProblemChanges {
    pub gained: Vec<Diagnostic>,
    pub lost: Vec<Diagnostic>,
    /// The new messages of problems that are still there: with another text, or in another channel.
    pub reworded: Vec<String>,
}

impl Compared<'_> {
    /// Pairs equal problems first, then those of one rule and subject, then those that moved to
    /// another channel. The others are gained or lost.
    pub fn changes(&self) -> ProblemChanges {
        let (mut gained, mut lost) = (self.after.clone(), self.before.clone());
        take_pairs(&mut gained, &mut lost, |problem| Some(identity(problem)));
        let mut reworded = Vec::new();
        for subject in [named_subject, shared_subject, moved_subject] {
            let pairs = take_pairs(&mut gained, &mut lost, subject).into_iter();
            reworded.extend(pairs.map(|problem| problem.message.clone()));
        }
        ProblemChanges {
            gained: gained.into_iter().cloned().collect(),
            lost: lost.into_iter().cloned().collect(),
            reworded,
        }
    }
}

/// Removes problems with equal keys from both lists, in pairs. Returns those of `new`.
fn take_pairs<'d, K: Eq + Hash>(
    new: &mut Vec<&'d Diagnostic>,
    old: &mut Vec<&'d Diagnostic>,
    key: impl Fn(&'d Diagnostic) -> Option<K>,
) -> Vec<&'d Diagnostic> {
    let mut known: HashMap<K, VecDeque<usize>> = HashMap::default();
    for (index, &problem) in old.iter().enumerate() {
        if let Some(key) = key(problem) {
            known.entry(key).or_default().push_back(index);
        }
    }
    let (mut is_unpaired, mut pairs) = (vec![true; old.len()], Vec::new());
    new.retain(|&problem| {
        let known = key(problem).and_then(|key| known.get_mut(&key));
        let counterpart = known.and_then(VecDeque::pop_front);
        if let Some(index) = counterpart {
            is_unpaired[index] = false;
            pairs.push(problem);
        }
        counterpart.is_none()
    });
    let mut is_unpaired = is_unpaired.into_iter();
    old.retain(|_| is_unpaired.next().unwrap_or(true));
    pairs
}

/// The names that identify a problem's subject.
#[derive(PartialEq, Eq, Hash)]
struct Subject {
    rule: String,
    severity: Severity,
    package: Option<String>,
    channel: Option<String>,
    /// The bundle; otherwise the part of the message that distinguishes problems without a bundle.
    subject: Option<String>,
}

impl Subject {
    fn new(problem: &Diagnostic, subject: Option<String>) -> Self {
        Self {
            rule: problem.rule.clone(),
            severity: problem.severity,
            package: problem.package.clone(),
            channel: problem.channel.clone(),
            subject,
        }
    }
}

/// Identifies a problem by its channel and bundle, or else by the names in its message, since a
/// package can have several problems of one rule. `None` for a problem of the whole catalog.
fn named_subject(problem: &Diagnostic) -> Option<Subject> {
    let is_named = problem.channel.is_some() || problem.bundle.is_some();
    match (is_named, &problem.package) {
        (true, _) => Some(Subject::new(problem, problem.bundle.clone())),
        (false, Some(_)) => {
            let names: Vec<&str> = names_in(&problem.message).collect();
            Some(Subject::new(problem, Some(names.join("`"))))
        }
        (false, None) => None,
    }
}

/// Identifies a problem regardless of its channel: by its bundle, or else by the names in its
/// message besides channel and package. `None` for a problem of the channel alone, which is not the
/// same in another channel.
fn moved_subject(problem: &Diagnostic) -> Option<Subject> {
    let own = [
        Some(problem.channel.as_deref()?),
        problem.package.as_deref(),
    ];
    let subject = problem.bundle.clone().or_else(|| {
        let others = names_in(&problem.message).filter(|name| !own.contains(&Some(*name)));
        let others: Vec<&str> = others.collect();
        (!others.is_empty()).then(|| others.join("`"))
    })?;
    Some(Subject {
        channel: None,
        ..Subject::new(problem, Some(subject))
    })
}

/// Identifies a problem by its message, wherever it is.
fn message_subject(problem: &Diagnostic) -> Option<Subject> {
    Some(Subject::new(problem, Some(problem.message.clone())))
}

fn names_in(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

/// Identifies a problem that several bundles share. It is reported at the newest one, but its
/// identity does not depend on which bundle is the newest.
fn shared_subject(problem: &Diagnostic) -> Option<Subject> {
    let label = format!("bundle `{}` ", problem.bundle.as_deref()?);
    let rest = problem.message.strip_prefix(&label)?;
    let rest = match rest
        .strip_prefix("and ")
        .and_then(|rest| rest.split_once(" more "))
    {
        Some((_, rest)) => rest,
        None => rest,
    };
    // `requires` for one bundle is `require` for several.
    let (verb, object) = rest.split_once(' ')?;
    let verb = match verb {
        "has" => "have",
        verb => verb.strip_suffix('s').unwrap_or(verb),
    };
    Some(Subject::new(problem, Some(format!("{verb} {object}"))))
}

fn identity(d: &Diagnostic) -> impl Eq + Hash + '_ {
    (
        &d.rule,
        &d.message,
        &d.package,
        &d.channel,
        &d.bundle,
        &d.location.file,
    )
}

#[cfg(test)]
mod verdict_change_tests {
    use super::*;

    #[test]
    fn errors_about_the_same_object_are_equal() {
        let error = |rule: &str, channel: Option<&str>, message: &str, file: &str| {
            let mut problem = Diagnostic {
                opm: true,
                ..Diagnostic::new(rule, Severity::Error, message)
            };
            problem.channel = channel.map(str::to_owned);
            problem.location.file = file.to_owned();
            Arc::new(problem)
        };
        let verdict = |diagnostics| Verdict {
            passed: false,
            opm_message: None,
            diagnostics,
        };
        let before = verdict(vec![
            error("a", Some("stable"), "2 are stranded", "v1/x.yaml"),
            error("b", None, "no default channel", "v1/x.yaml"),
            error("c", None, "gone", "v1/x.yaml"),
        ]);
        let after = verdict(vec![
            error("a", Some("stable"), "1 is stranded", "v2/x.yaml"),
            error("b", None, "no default channel", "v2/x.yaml"),
            error("b", None, "new", "v2/x.yaml"),
        ]);
        let change = VerdictChange::between("r", &before, &after);
        assert_eq!(
            change.errors,
            ErrorCounts {
                before: 3,
                after: 3,
                same: 2
            }
        );
        assert_eq!(
            change.to_text(),
            "still fails opm validate, with 2 of its 3 errors and a new one"
        );
        assert_eq!(change.tone(), Tone::Plain);
    }

    #[test]
    fn a_yaml_error_has_its_file_and_line() {
        let mut problem = Diagnostic::new("yaml-syntax", Severity::Error, "no such token");
        problem.location.file = "p/catalog.yaml".to_owned();
        problem.location.line = 131;
        let opm = "error converting YAML to JSON: yaml: line 31: no such token";
        let broken = Verdict {
            passed: false,
            opm_message: Some(opm.to_owned()),
            diagnostics: vec![Arc::new(problem)],
        };
        let change = VerdictChange::between("r", &broken, &broken);
        assert_eq!(change.opm_message, "p/catalog.yaml:131: no such token");
    }

    #[test]
    fn errors_elsewhere_are_separate_from_new_errors() {
        let error = |package: &str, channel: &str| {
            let mut problem = Diagnostic {
                opm: true,
                ..Diagnostic::new("a", Severity::Error, "")
            };
            (problem.package, problem.channel) =
                (Some(package.to_owned()), Some(channel.to_owned()));
            Arc::new(problem)
        };
        let verdict = |diagnostics| Verdict {
            passed: false,
            opm_message: None,
            diagnostics,
        };
        let before = verdict(vec![error("x", "a"), error("x", "b")]);
        let changed: HashSet<&str> = ["p"].into_iter().collect();
        let change_after = |after: Vec<Arc<Diagnostic>>| {
            let after = verdict([before.diagnostics.clone(), after].concat());
            VerdictChange::between("r", &before, &after).within(&after, &changed)
        };
        let new_in = BTreeSet::from(["p"]);
        let same = "still fails opm validate, with the same 2 errors in packages that this does not change";
        assert_eq!(
            change_after(Vec::new())
                .describe_old_failures(&BTreeSet::new())
                .as_deref(),
            Some(same)
        );
        assert_eq!(
            change_after(vec![error("p", "a")]).describe_old_failures(&new_in),
            Some(format!("{same}, and a new one in p")),
            "new errors are not elsewhere"
        );
        assert_eq!(
            change_after(vec![error("y", "a")]).describe_old_failures(&new_in),
            None
        );
    }
}

#[cfg(test)]
mod problem_changes_tests {
    use super::*;
    use proptest::prelude::*;

    fn problem(bundle: Option<&str>, message: &str) -> Diagnostic {
        Diagnostic {
            package: Some("p".to_owned()),
            bundle: bundle.map(str::to_owned),
            ..Diagnostic::new("rule", Severity::Warning, message)
        }
    }

    /// Returns the numbers of lost and gained problems.
    fn counts_after_comparison(before: Diagnostic, after: Diagnostic) -> (usize, usize) {
        let [before, after] = [before, after].map(|problem| Verdict {
            diagnostics: vec![Arc::new(problem)],
            ..Verdict::default()
        });
        let changes = Compared::new(&before, &after).changes();
        (changes.lost.len(), changes.gained.len())
    }

    #[test]
    fn a_problem_that_moved_to_another_channel_is_neither_new_nor_solved() {
        let in_channel = |channel: &str, bundle: Option<&str>, message: &str| Diagnostic {
            channel: Some(channel.to_owned()),
            ..problem(bundle, message)
        };
        let counts = |bundle, before: &str, after: &str| {
            counts_after_comparison(
                in_channel("stable", bundle, before),
                in_channel("alpha", bundle, after),
            )
        };
        assert_eq!(
            counts(Some("a"), "`a` is old", "the head `a` of `alpha` is old"),
            (0, 0)
        );
        let heads = [
            "`stable` has the heads `a`, `b`",
            "`alpha` has the heads `a`, `b`",
        ];
        assert_eq!(counts(None, heads[0], heads[1]), (0, 0));
        assert_eq!(
            counts(
                None,
                "`stable` of `p` has no head",
                "`alpha` of `p` has no head"
            ),
            (1, 1),
            "a problem of another channel"
        );
        assert_eq!(
            counts_after_comparison(
                in_channel("stable", Some("a"), "`a` is old"),
                in_channel("alpha", Some("b"), "`b` is old"),
            ),
            (1, 1),
            "another bundle"
        );
    }

    #[test]
    fn a_shared_problem_is_not_new_if_another_bundle_is_the_newest() {
        let before = problem(
            Some("a"),
            "bundle `a` requires package `q`, which is not here",
        );
        let after = problem(
            Some("b"),
            "bundle `b` and 1 more require package `q`, which is not here",
        );
        assert_eq!(counts_after_comparison(before.clone(), after), (0, 0));
        let other = problem(
            Some("b"),
            "bundle `b` requires package `r`, which is not here",
        );
        assert_eq!(counts_after_comparison(before, other), (1, 1));
    }

    #[test]
    fn a_problem_of_a_whole_package_is_identified_by_its_names() {
        let before = problem(None, "channel `a` is deprecated and the default");
        let after = problem(None, "the default channel `a` is deprecated");
        assert_eq!(counts_after_comparison(before.clone(), after), (0, 0));
        let other = problem(None, "the default channel `b` is deprecated");
        assert_eq!(counts_after_comparison(before, other), (1, 1));
    }

    proptest! {
        /// For two lists in one order, the fast comparison finds what comparing each pair finds.
        #[test]
        fn common_problems_are_excluded(were in prop::collection::vec(any::<bool>(), 0..12), are in prop::collection::vec(any::<bool>(), 12)) {
            let all: Vec<Arc<Diagnostic>> =
                (0..12).map(|n| Arc::new(Diagnostic::new("rule", Severity::Error, n.to_string()))).collect();
            let verdict_with = |wanted: &[bool]| Verdict {
                diagnostics: all.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(problem, _)| problem.clone()).collect(),
                ..Verdict::default()
            };
            let (before, after) = (verdict_with(&were), verdict_with(&are));
            let has = |verdict: &Verdict, problem: &Diagnostic| verdict.diagnostics.iter().any(|diagnostic| std::ptr::eq(&**diagnostic, problem));
            let only = |these: &Verdict, those: &Verdict, wanted: bool| -> Vec<String> {
                let these = these.diagnostics.iter().filter(|diagnostic| has(those, diagnostic) == wanted);
                these.map(|problem| problem.message.clone()).collect()
            };
            let messages = |some: &[&Diagnostic]| some.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>();
            let compared = Compared::new(&before, &after);
            prop_assert_eq!(messages(&compared.before), only(&before, &after, false));
            prop_assert_eq!(messages(&compared.after), only(&after, &before, false));
            prop_assert_eq!(messages(&compared.shared), only(&before, &after, true));
        }
    }
}
