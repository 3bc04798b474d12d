//! What is said of a rule, as plain data: it knows no check and no registry, so that findings can name their rule.

use super::example::Example;
use protocol::diagnostic::{Profile, Severity};

/// The documentation of a rule, for `switchyard explain`, the page and `docs/rules.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleDoc {
    /// In kebab case; `opm`'s rules are named as in `opm-semantics` sections 1 and 2.
    pub id: &'static str,
    /// True when `opm validate` refuses for it.
    pub opm: bool,
    pub severity: Severity,
    /// The lowest profile that looks for it. `opm`'s own rules are [`Profile::Opm`] and are never off.
    pub profile: Profile,
    /// What is so, in a sentence.
    pub summary: &'static str,
    /// Why it matters, and what `opm` does.
    pub why: &'static str,
    /// How to put it right.
    pub fix: &'static str,
    /// The shape of `opm`'s message; "" where there is none.
    pub opm_message: &'static str,
    /// Catalogs that have the problem. They and the good ones are documentation and tests in one.
    pub bad: &'static [Example],
    /// Catalogs that `opm` takes and that do not have the problem: put right, or near it and fine.
    pub good: &'static [Example],
}

impl RuleDoc {
    /// Stands in a finding until the runner says whose it is.
    pub(super) const UNTOLD: Self = Self::advice("", Severity::Info, Profile::Strict, "", "", "");

    /// A rule that `opm` has too.
    pub(super) const fn opm(
        id: &'static str,
        opm_message: &'static str,
        summary: &'static str,
        why: &'static str,
        fix: &'static str,
    ) -> Self {
        let (severity, profile) = (Severity::Error, Profile::Opm);
        Self { id, opm: true, severity, profile, summary, why, fix, opm_message, bad: &[], good: &[] }
    }

    /// A rule of our own, which says nothing of the verdict: a warning, or only of interest ([`Severity::Info`]).
    pub(super) const fn advice(
        id: &'static str,
        severity: Severity,
        profile: Profile,
        summary: &'static str,
        why: &'static str,
        fix: &'static str,
    ) -> Self {
        Self { id, opm: false, severity, profile, summary, why, fix, opm_message: "", bad: &[], good: &[] }
    }

    pub(super) const fn bad(mut self, examples: &'static [Example]) -> Self {
        self.bad = examples;
        self
    }

    pub(super) const fn good(mut self, examples: &'static [Example]) -> Self {
        self.good = examples;
        self
    }
}
