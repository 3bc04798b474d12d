//! Which problems of two verdicts are new, solved, or only said in other words.

use crate::hashed::{HashMap, HashSet};
use crate::validate::Verdict;
use protocol::diagnostic::Diagnostic;
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

/// The problems of two verdicts, by whether both share them: of these there can be many.
pub(super) struct Compared<'a> {
    /// Those of either that the other does not share.
    pub before: Vec<&'a Diagnostic>,
    pub after: Vec<&'a Diagnostic>,
    /// Those of both.
    pub shared: Vec<&'a Diagnostic>,
}

impl<'a> Compared<'a> {
    pub fn new(before: &'a Verdict, after: &'a Verdict) -> Self {
        let (before, after) = (before.diagnostics.as_slice(), after.diagnostics.as_slice());
        // Both are in one order, so that what differs stands together.
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

/// Problems of `these` without a counterpart in `those`; a problem that only moved is the same.
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

/// Takes out what is in both, though in other words: a problem of the same rule about the same thing. Gives the words of
/// now.
pub(super) fn without_reworded(
    gained: &mut Vec<Diagnostic>,
    lost: &mut Vec<Diagnostic>,
) -> Vec<String> {
    // What is about the catalog as a whole may be about anything.
    let is_about = |d: &Diagnostic| d.channel.is_some() || d.bundle.is_some();
    let subject = |d: &Diagnostic| {
        (
            d.rule.clone(),
            d.severity,
            d.package.clone(),
            d.channel.clone(),
            d.bundle.clone(),
        )
    };
    let mut known: HashMap<_, VecDeque<usize>> = HashMap::default();
    for (at, problem) in lost
        .iter()
        .enumerate()
        .filter(|(_, problem)| is_about(problem))
    {
        known.entry(subject(problem)).or_default().push_back(at);
    }
    let mut reworded = Vec::new();
    let mut stays = vec![true; lost.len()];
    gained.retain(|problem| {
        let same = known
            .get_mut(&subject(problem))
            .and_then(VecDeque::pop_front);
        if let Some(at) = same {
            stays[at] = false;
            reworded.push(problem.message.clone());
        }
        same.is_none()
    });
    let mut stays = stays.into_iter();
    lost.retain(|_| stays.next().unwrap_or(true));
    reworded
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
    use protocol::diagnostic::Severity;

    proptest! {
        /// Of two lists in one order, each problem is found where comparing it with all others finds it.
        #[test]
        fn what_both_share_is_told_apart(were in prop::collection::vec(any::<bool>(), 0..12), are in prop::collection::vec(any::<bool>(), 12)) {
            let all: Vec<Arc<Diagnostic>> =
                (0..12).map(|n| Arc::new(Diagnostic::new("rule", Severity::Error, n.to_string()))).collect();
            let of = |wanted: &[bool]| Verdict {
                diagnostics: all.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(of, _)| of.clone()).collect(),
                ..Verdict::default()
            };
            let (before, after) = (of(&were), of(&are));
            let has = |verdict: &Verdict, problem: &Diagnostic| verdict.diagnostics.iter().any(|of| std::ptr::eq(&**of, problem));
            let only = |these: &Verdict, those: &Verdict, wanted: bool| -> Vec<String> {
                let these = these.diagnostics.iter().filter(|of| has(those, of) == wanted);
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
