//! Which problems of two verdicts are new, solved, or only said in other words.

use crate::hashed::{HashMap, HashSet};
use crate::validate::Verdict;
use protocol::diagnostic::Diagnostic;
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

/// The problems of two verdicts without those that both share, of which there can be many.
pub(super) fn not_shared<'a>(these: &'a Verdict, those: &Verdict) -> Vec<&'a Diagnostic> {
    let known: HashSet<*const Diagnostic> = those.diagnostics.iter().map(Arc::as_ptr).collect();
    let own = these.diagnostics.iter().filter(|problem| !known.contains(&Arc::as_ptr(problem)));
    own.map(|problem| &**problem).collect()
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
pub(super) fn without_reworded(gained: &mut Vec<Diagnostic>, lost: &mut Vec<Diagnostic>) -> Vec<String> {
    // What is about the catalog as a whole may be about anything.
    let is_about = |d: &Diagnostic| d.channel.is_some() || d.bundle.is_some();
    let subject = |d: &Diagnostic| (d.rule.clone(), d.severity, d.package.clone(), d.channel.clone(), d.bundle.clone());
    let mut known: HashMap<_, VecDeque<usize>> = HashMap::default();
    for (at, problem) in lost.iter().enumerate().filter(|(_, problem)| is_about(problem)) {
        known.entry(subject(problem)).or_default().push_back(at);
    }
    let mut reworded = Vec::new();
    let mut stays = vec![true; lost.len()];
    gained.retain(|problem| {
        let same = known.get_mut(&subject(problem)).and_then(VecDeque::pop_front);
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
    (&d.rule, &d.message, &d.package, &d.channel, &d.bundle, &d.location.file)
}
