//! Compares the problems of two verdicts: new, solved, or only reworded.

use crate::hashed::{HashMap, HashSet};
use crate::validate::Verdict;
use protocol::diagnostic::{Diagnostic, Severity};
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

/// The problems of two verdicts, split by whether both share them; many may be shared.
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
        // Both lists have the same order, so differences are adjacent.
        let is_same = |(a, b): &(&Arc<Diagnostic>, &Arc<Diagnostic>)| Arc::ptr_eq(a, b);
        let start = before.iter().zip(after).take_while(is_same).count();
        let (first, before, after) = (&before[..start], &before[start..], &after[start..]);
        let end = before
            .iter()
            .rev()
            .zip(after.iter().rev())
            .take_while(is_same)
            .count();
        let (before, last) = before.split_at(before.len() - end);
        let after = &after[..after.len() - end];
        let known = |some: &[Arc<Diagnostic>]| -> HashSet<*const Diagnostic> {
            some.iter().map(Arc::as_ptr).collect()
        };
        let (were, are) = (known(before), known(after));
        let (between, before): (Vec<_>, Vec<_>) = before
            .iter()
            .partition(|problem| are.contains(&Arc::as_ptr(problem)));
        let after = after
            .iter()
            .filter(|problem| !were.contains(&Arc::as_ptr(problem)));
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

/// Problems of `these` without a counterpart in `those`; a moved problem counts as the same.
pub(super) fn only_in(these: &[&Diagnostic], those: &[&Diagnostic]) -> Vec<Diagnostic> {
    let mut left: HashMap<_, usize> = HashMap::default();
    for diagnostic in those {
        *left.entry(identity(diagnostic)).or_default() += 1;
    }
    let mut new = Vec::new();
    for diagnostic in these {
        match left.get_mut(&identity(diagnostic)) {
            Some(n) if *n > 0 => *n -= 1,
            _ => new.push((*diagnostic).clone()),
        }
    }
    new
}

/// Removes reworded problems from both lists: same rule and subject, other text. Returns the new
/// texts.
pub(super) fn without_reworded(
    gained: &mut Vec<Diagnostic>,
    lost: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let mut reworded = Vec::new();
    for subject in [named_subject, shared_subject] {
        let mut known: HashMap<_, VecDeque<usize>> = HashMap::default();
        for (at, problem) in lost.iter().enumerate() {
            if let Some(subject) = subject(problem) {
                known.entry(subject).or_default().push_back(at);
            }
        }
        let mut stays = vec![true; lost.len()];
        gained.retain(|problem| {
            let known = subject(problem).and_then(|subject| known.get_mut(&subject));
            let same = known.and_then(VecDeque::pop_front);
            if let Some(at) = same {
                stays[at] = false;
                reworded.push(problem.message.clone());
            }
            same.is_none()
        });
        let mut stays = stays.into_iter();
        lost.retain(|_| stays.next().unwrap_or(true));
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
    /// The bundle; otherwise what distinguishes problems that name none.
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

/// A package can have several problems of one rule; they differ in the names that they mention.
fn named_subject(problem: &Diagnostic) -> Option<Subject> {
    let is_named = problem.channel.is_some() || problem.bundle.is_some();
    let names = || {
        problem
            .message
            .split('`')
            .skip(1)
            .step_by(2)
            .collect::<Vec<_>>()
    };
    match (is_named, &problem.package) {
        (true, _) => Some(Subject::new(problem, problem.bundle.clone())),
        (false, Some(_)) => Some(Subject::new(problem, Some(names().join("`")))),
        (false, None) => None,
    }
}

/// A problem shared by several bundles is reported at the newest one; it stays the same problem if
/// another becomes the newest.
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn problem(bundle: Option<&str>, message: &str) -> Diagnostic {
        Diagnostic {
            package: Some("p".to_owned()),
            bundle: bundle.map(str::to_owned),
            ..Diagnostic::new("rule", Severity::Warning, message)
        }
    }

    /// The sizes of both lists after the comparison.
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
    fn a_problem_of_a_whole_package_is_known_by_the_names_in_it() {
        let before = problem(None, "channel `a` is deprecated and the default");
        let after = problem(None, "the default channel `a` is deprecated");
        assert_eq!(counts_after_comparison(before.clone(), after), (0, 0));
        let other = problem(None, "the default channel `b` is deprecated");
        assert_eq!(counts_after_comparison(before, other), (1, 1));
    }

    proptest! {
        /// For two lists in one order, the fast comparison finds the same as comparing each pair.
        #[test]
        fn common_problems_are_excluded(were in prop::collection::vec(any::<bool>(), 0..12), are in prop::collection::vec(any::<bool>(), 12)) {
            let all: Vec<Arc<Diagnostic>> =
                (0..12).map(|n| Arc::new(Diagnostic::new("rule", Severity::Error, n.to_string()))).collect();
            let of = |wanted: &[bool]| Verdict {
                diagnostics: all.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(of, _)| of.clone()).collect(),
                ..Verdict::default()
            };
            let (before, after) = (of(&were), of(&are));
            let has = |verdict: &Verdict, problem: &Diagnostic| verdict.diagnostics.iter().any(|diagnostic| std::ptr::eq(&**diagnostic, problem));
            let only = |these: &Verdict, those: &Verdict, wanted: bool| -> Vec<String> {
                let these = these.diagnostics.iter().filter(|diagnostic| has(those, diagnostic) == wanted);
                these.map(|of| of.message.clone()).collect()
            };
            let messages = |some: &[&Diagnostic]| some.iter().map(|of| of.message.clone()).collect::<Vec<_>>();
            let compared = Compared::new(&before, &after);
            prop_assert_eq!(messages(&compared.before), only(&before, &after, false));
            prop_assert_eq!(messages(&compared.after), only(&after, &before, false));
            prop_assert_eq!(messages(&compared.shared), only(&before, &after, true));
        }
    }
}
