//! A catalog's verdict before and after, with the number of errors that stayed.

use super::problem_changes::Compared;
use crate::hashed::{HashMap, HashSet};
use crate::validate::Verdict;
use protocol::counting::first_of;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{ErrorCounts, Tone, verdict_words};
use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

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

    /// Like `new`, with problems that are already compared.
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
            errors: count(compared),
            errors_here: None,
        }
    }

    /// Restricts the verdict to a change of these packages.
    pub fn within(self, after: &Verdict, changed: &HashSet<&str>) -> Self {
        let is_here = |of: &&Arc<Diagnostic>| {
            // A problem without a package may concern any package.
            of.package
                .as_deref()
                .is_none_or(|package| changed.contains(package))
        };
        let here = after
            .diagnostics
            .iter()
            .filter(|diagnostic| is_error(diagnostic))
            .filter(is_here)
            .count();
        Self {
            errors_here: Some(here as u32),
            ..self
        }
    }

    /// Like [`VerdictChange::to_text`] if all old errors are in unchanged packages; `new_in`: the
    /// packages with new errors.
    pub fn words_elsewhere(&self, new_in: &BTreeSet<&str>) -> Option<String> {
        const NAMED: usize = 2;
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
        let new_in = match new_in.is_empty() {
            true => String::new(),
            false => format!(" in {}", first_of(new_in.iter(), NAMED)),
        };
        Some(match new {
            0 => format!("{verdict}, {elsewhere}"),
            1 => format!("{verdict}, {elsewhere}, and a new one{new_in}"),
            new => format!("{verdict}, {elsewhere}, and {new} new ones{new_in}"),
        })
    }

    /// The text of a verdict wherever it is shown.
    pub fn to_text(&self) -> String {
        verdict_words(self.passed_before, self.passed_after, self.errors)
    }

    /// The tone of the verdict alone: failing as before is no news.
    pub fn tone(&self) -> Tone {
        match (self.passed_before, self.passed_after) {
            (_, true) => Tone::Good,
            (true, false) => Tone::Bad,
            (false, false) => Tone::Plain,
        }
    }
}

/// Counts `opm`'s errors. Errors with the same subject are the same, wherever they are written and
/// however they are worded: the other catalog may have other files.
fn count(compared: &Compared<'_>) -> ErrorCounts {
    let errors = |some: &[&Diagnostic]| some.iter().filter(|of| is_error(of)).count() as u32;
    let shared = errors(&compared.shared);
    let mut left: HashMap<_, usize> = HashMap::default();
    for error in compared.before.iter().filter(|of| is_error(of)) {
        *left.entry(subject(error)).or_default() += 1;
    }
    let mut same = shared;
    for error in compared.after.iter().filter(|of| is_error(of)) {
        if let Some(n) = left.get_mut(&subject(error)).filter(|n| **n > 0) {
            *n -= 1;
            same += 1;
        }
    }
    ErrorCounts {
        before: shared + errors(&compared.before),
        after: shared + errors(&compared.after),
        same,
    }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.opm && diagnostic.severity == Severity::Error
}

fn subject(d: &Diagnostic) -> impl Eq + Hash + '_ {
    // A problem of the whole catalog may concern anything, so its text identifies it.
    let text = if d.channel.is_none() && d.bundle.is_none() {
        d.message.as_str()
    } else {
        ""
    };
    (&d.rule, &d.package, &d.channel, &d.bundle, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_about_the_same_thing_are_the_same() {
        let error = |rule: &str, channel: Option<&str>, message: &str, file: &str| {
            let mut of = Diagnostic {
                opm: true,
                ..Diagnostic::new(rule, Severity::Error, message)
            };
            of.channel = channel.map(str::to_owned);
            of.location.file = file.to_owned();
            Arc::new(of)
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
            let mut of = Diagnostic {
                opm: true,
                ..Diagnostic::new("a", Severity::Error, "")
            };
            (of.package, of.channel) = (Some(package.to_owned()), Some(channel.to_owned()));
            Arc::new(of)
        };
        let verdict = |diagnostics| Verdict {
            passed: false,
            opm_message: None,
            diagnostics,
        };
        let before = verdict(vec![error("x", "a"), error("x", "b")]);
        let changed: HashSet<&str> = ["p"].into_iter().collect();
        let of = |after: Vec<Arc<Diagnostic>>| {
            let after = verdict([before.diagnostics.clone(), after].concat());
            VerdictChange::between("r", &before, &after).within(&after, &changed)
        };
        let new_in = BTreeSet::from(["p"]);
        let same =
            "still fails opm validate, with the same 2 errors, in packages that do not change here";
        assert_eq!(
            of(Vec::new()).words_elsewhere(&BTreeSet::new()).as_deref(),
            Some(same)
        );
        assert_eq!(
            of(vec![error("p", "a")]).words_elsewhere(&new_in),
            Some(format!("{same}, and a new one in p")),
            "new errors are not elsewhere"
        );
        assert_eq!(of(vec![error("y", "a")]).words_elsewhere(&new_in), None);
    }
}
