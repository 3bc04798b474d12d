//! A catalog's verdict before and after, with how many of its errors stayed.

use crate::hashed::HashMap;
use crate::validate::Verdict;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{ErrorCounts, Tone, verdict_words};
use std::hash::Hash;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerdictChange {
    pub root: String,
    pub passed_before: bool,
    pub passed_after: bool,
    /// What `opm validate` says after; "" when it passes.
    pub opm_message: String,
    pub errors: ErrorCounts,
}

impl VerdictChange {
    pub fn between(root: &str, before: &Verdict, after: &Verdict) -> Self {
        Self {
            root: root.to_owned(),
            passed_before: before.passed,
            passed_after: after.passed,
            opm_message: after.opm_message.clone().unwrap_or_default(),
            errors: count(before, after),
        }
    }

    /// The same words wherever a verdict is told.
    pub fn words(&self) -> String {
        verdict_words(self.passed_before, self.passed_after, self.errors)
    }

    /// How loud it is by itself: that it fails as before is no news.
    pub fn tone(&self) -> Tone {
        match (self.passed_before, self.passed_after) {
            (_, true) => Tone::Good,
            (true, false) => Tone::Bad,
            (false, false) => Tone::Plain,
        }
    }
}

/// Errors of `opm`. One is the same where it is about the same thing, wherever that is written: the other catalog may have
/// other files. What is said of it in other words is the same.
fn count(before: &Verdict, after: &Verdict) -> ErrorCounts {
    let errors = |verdict: &Verdict| -> Vec<Arc<Diagnostic>> {
        verdict.diagnostics.iter().filter(|of| of.opm && of.severity == Severity::Error).cloned().collect()
    };
    let (old, new) = (errors(before), errors(after));
    let mut left: HashMap<_, usize> = HashMap::default();
    for error in &old {
        *left.entry(subject(error)).or_default() += 1;
    }
    let mut same = 0;
    for error in &new {
        if let Some(n) = left.get_mut(&subject(error)).filter(|n| **n > 0) {
            *n -= 1;
            same += 1;
        }
    }
    ErrorCounts { before: old.len() as u32, after: new.len() as u32, same }
}

fn subject(d: &Diagnostic) -> impl Eq + Hash + '_ {
    // What is about the catalog as a whole may be about anything.
    let words = if d.channel.is_none() && d.bundle.is_none() { d.message.as_str() } else { "" };
    (&d.rule, &d.package, &d.channel, &d.bundle, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_about_the_same_thing_are_the_same() {
        let error = |rule: &str, channel: Option<&str>, message: &str, file: &str| {
            let mut of = Diagnostic { opm: true, ..Diagnostic::new(rule, Severity::Error, message) };
            of.channel = channel.map(str::to_owned);
            of.location.file = file.to_owned();
            Arc::new(of)
        };
        let verdict = |diagnostics| Verdict { passed: false, opm_message: None, diagnostics };
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
        assert_eq!(change.errors, ErrorCounts { before: 3, after: 3, same: 2 });
        assert_eq!(change.words(), "still fails opm validate, with 2 of its 3 errors and a new one");
        assert_eq!(change.tone(), Tone::Plain);
    }
}
