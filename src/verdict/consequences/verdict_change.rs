//! A catalog's verdict before and after, with the number of errors that remain, and the problems
//! that are new, solved or only reworded.

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
    pub passed_after: bool,
    /// The message of `opm validate` after the change; "" if it passes.
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
            passed_after: after.passed,
            opm_message: after.opm_message.clone().unwrap_or_default(),
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
        let verdict = verdict_words(false, false, old);
        let elsewhere = "in packages that do not change here";
        let new_in = if new_in.is_empty() {
            String::new()
        } else {
            format!(" in {}", first_of(new_in.iter(), MAX_NAMED))
        };
        Some(match new {
            0 => format!("{verdict}, {elsewhere}"),
            1 => format!("{verdict}, {elsewhere}, and a new one{new_in}"),
            new => format!("{verdict}, {elsewhere}, and {new} new ones{new_in}"),
        })
    }

    /// Formats the verdict in the shared wording.
    pub fn to_text(&self) -> String {
        verdict_words(self.passed_before, self.passed_after, self.errors)
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

/// Counts `opm`'s errors. Errors with equal subjects are equal, regardless of their place and
/// wording: the other catalog may have other files.
fn count_errors(compared: &Compared<'_>) -> ErrorCounts {
    let [shared, before, after] = [&compared.shared, &compared.before, &compared.after]
        .map(|problems| problems.iter().filter(|problem| is_error(problem)).count() as u32);
    let mut unmatched: HashMap<_, usize> = HashMap::default();
    for error in compared.before.iter().filter(|problem| is_error(problem)) {
        *unmatched.entry(subject(error)).or_default() += 1;
    }
    let mut same = shared;
    for error in compared.after.iter().filter(|problem| is_error(problem)) {
        if let Some(count) = unmatched.get_mut(&subject(error)).filter(|n| **n > 0) {
            *count -= 1;
            same += 1;
        }
    }
    ErrorCounts {
        before: shared + before,
        after: shared + after,
        same,
    }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.opm && diagnostic.severity == Severity::Error
}

fn subject(problem: &Diagnostic) -> impl Eq + Hash + '_ {
    // A problem of the whole catalog may concern anything, so its text identifies it.
    let text = if problem.channel.is_none() && problem.bundle.is_none() {
        problem.message.as_str()
    } else {
        ""
    };
    let Diagnostic {
        rule,
        package,
        channel,
        bundle,
        ..
    } = problem;
    (rule, package, channel, bundle, text)
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

/// Returns the problems of `these` without a counterpart in `those`. A problem that only moved has
/// a counterpart.
pub(super) fn only_in(these: &[&Diagnostic], those: &[&Diagnostic]) -> Vec<Diagnostic> {
    let mut unmatched: HashMap<_, usize> = HashMap::default();
    for diagnostic in those {
        *unmatched.entry(identity(diagnostic)).or_default() += 1;
    }
    let mut only = Vec::new();
    for diagnostic in these {
        match unmatched.get_mut(&identity(diagnostic)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => only.push((*diagnostic).clone()),
        }
    }
    only
}

/// Removes reworded problems from both lists: equal rule and subject, other text. Returns the new
/// texts.
pub(super) fn without_reworded(
    gained: &mut Vec<Diagnostic>,
    lost: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let mut reworded = Vec::new();
    for subject in [named_subject, shared_subject] {
        let mut known: HashMap<_, VecDeque<usize>> = HashMap::default();
        for (index, problem) in lost.iter().enumerate() {
            if let Some(subject) = subject(problem) {
                known.entry(subject).or_default().push_back(index);
            }
        }
        let mut is_lost = vec![true; lost.len()];
        gained.retain(|problem| {
            let known = subject(problem).and_then(|subject| known.get_mut(&subject));
            let old = known.and_then(VecDeque::pop_front);
            if let Some(index) = old {
                is_lost[index] = false;
                reworded.push(problem.message.clone());
            }
            old.is_none()
        });
        let mut is_lost = is_lost.into_iter();
        lost.retain(|_| is_lost.next().unwrap_or(true));
    }
    reworded
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
            let names: Vec<&str> = problem.message.split('`').skip(1).step_by(2).collect();
            Some(Subject::new(problem, Some(names.join("`"))))
        }
        (false, None) => None,
    }
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
        let same =
            "still fails opm validate, with the same 2 errors, in packages that do not change here";
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

    /// Returns the sizes of both lists after the comparison.
    fn counts_after_comparison(lost: Diagnostic, gained: Diagnostic) -> (usize, usize) {
        let (mut lost, mut gained) = (vec![lost], vec![gained]);
        without_reworded(&mut gained, &mut lost);
        (lost.len(), gained.len())
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
