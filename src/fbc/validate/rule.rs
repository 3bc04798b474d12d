//! What a rule is: its documentation, and what it looks at.

use super::example::Example;
use super::findings::Findings;
use super::market::{Market, Stall};
use super::scope::{ChannelScope, EntryView, Scope};
use crate::model::{BundleBlob, ChannelBlob, DeprecationsBlob};
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

/// A rule: documentation, and the check at the level it works on.
pub(super) struct Rule {
    pub(super) doc: &'static RuleDoc,
    pub(super) check: Check,
}

/// What a check is run on. The first four are conversion rules, which make `opm` stop; they run in the order of
/// [`super::rules::RULES`] for each blob. The others are model rules, whose messages `opm` gathers in a tree.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// Once a package: its `olm.package` blobs.
    Definition(fn(&Scope<'_>, &mut Findings)),
    /// Each `olm.channel` blob.
    ChannelBlob(fn(&Scope<'_>, &ChannelBlob, &mut Findings)),
    /// Each `olm.bundle` blob.
    BundleBlob(fn(&Scope<'_>, &BundleBlob, &mut Findings)),
    /// Once a package: what only shows when all blobs are known.
    Cross(fn(&Scope<'_>, &mut Findings)),
    /// Each `olm.deprecations` blob.
    Deprecations(fn(&Scope<'_>, &DeprecationsBlob, &mut Findings)),
    /// Once a defined package; told before its channels.
    Package(fn(&Scope<'_>, &mut Findings)),
    /// Once a defined package; told after its channels.
    PackageEnd(fn(&Scope<'_>, &mut Findings)),
    /// Each channel of a defined package; told before its bundles.
    Channel(fn(&Scope<'_>, &ChannelScope<'_>, &mut Findings)),
    /// Each channel of a defined package; told after its bundles.
    ChannelEnd(fn(&Scope<'_>, &ChannelScope<'_>, &mut Findings)),
    /// Each entry of each channel of a defined package.
    Entry(fn(&Scope<'_>, &EntryView<'_>, &mut Findings)),
    /// Blobs that count to no package; [`super::loose`] looks at them. Advice only.
    Loose,
    /// Each package beside the others of its catalog. Advice only.
    Market(fn(&Market<'_>, &Stall<'_>, &mut Findings)),
}
