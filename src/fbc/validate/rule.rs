//! The definition of a rule: its documentation, and what it looks at. Knows neither the rules themselves nor their
//! order; the registries are [`super::rules`] and [`super::advice`].

use super::catalog_context::{CatalogContext, PackageContext};
use super::channel_scope::ChannelScope;
use super::findings::Findings;
use super::rule_doc::RuleDoc;
use super::scope::{EntryView, Scope};
use crate::model::{BundleBlob, ChannelBlob, DeprecationsBlob};
use protocol::diagnostic::Severity;

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
    /// Once per defined package; reported before its channels.
    Package(fn(&Scope<'_>, &mut Findings)),
    /// Once per defined package; reported after its channels.
    PackageEnd(fn(&Scope<'_>, &mut Findings)),
    /// Each channel of a defined package; reported before its bundles.
    Channel(fn(&Scope<'_>, &ChannelScope<'_>, &mut Findings)),
    /// Each channel of a defined package; reported after its bundles.
    ChannelEnd(fn(&Scope<'_>, &ChannelScope<'_>, &mut Findings)),
    /// Each entry of each channel of a defined package.
    Entry(fn(&Scope<'_>, &EntryView<'_>, &mut Findings)),
    /// Blobs that count to no package; [`super::blobs_without_package`] looks at them. Advice only.
    BlobWithoutPackage,
    /// Each package beside the others of its catalog. Advice only.
    CrossPackage(fn(&CatalogContext<'_>, &PackageContext<'_>, &mut Findings)),
}

/// A rule, and how bad its problems are.
pub(super) type EnabledRule = (&'static Rule, Severity);
