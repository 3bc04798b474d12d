//! A rule: its documentation and its check. Must not know the individual rules or their order; the
//! registries are [`super::rules`] and [`super::advice`].

use super::catalog_context::{CatalogContext, PackageContext};
use super::channel_scope::ChannelScope;
use super::findings::Findings;
use super::rule_doc::RuleDoc;
use super::scope::{EntryView, Scope};
use catalog::model::blob::DeprecationEntry;
use catalog::model::{BundleBlob, ChannelBlob, DeprecationsBlob};
use protocol::diagnostic::Severity;

/// A rule: documentation, and a check at its level.
pub struct Rule {
    pub doc: &'static RuleDoc,
    pub check: Check,
}

/// A table of rules: each rule's documentation, and its check.
macro_rules! rules {
    ($($doc:ident: $check:expr),+ $(,)?) => {
        &[$(Rule { doc: &$doc, check: $check }),+]
    };
}

/// The level of a check. The first six are conversion rules, which make `opm` stop; they run in
/// the order of [`super::rules::RULES`] for each blob. The others are model rules, whose messages
/// `opm` gathers in a tree.
#[derive(Clone, Copy)]
pub enum Check {
    /// Once per package, for its `olm.package` blobs.
    Definition(fn(&Scope<'_>, &mut Findings)),
    /// Each `olm.channel` blob.
    ChannelBlob(fn(&Scope<'_>, &ChannelBlob, &mut Findings)),
    /// Each `olm.bundle` blob.
    BundleBlob(fn(&Scope<'_>, &BundleBlob, &mut Findings)),
    /// Once per package, after all blobs are known.
    Cross(fn(&Scope<'_>, &mut Findings)),
    /// Each `olm.deprecations` blob.
    Deprecations(fn(&Scope<'_>, &DeprecationsBlob, &mut Findings)),
    /// Each entry of the `olm.deprecations` blobs of a defined package, with its number from 1.
    Deprecation(fn(&Scope<'_>, &DeprecationsBlob, (u32, &DeprecationEntry), &mut Findings)),
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
    /// Blobs without a package; [`super::blobs_without_package`] checks them. Advice only.
    BlobWithoutPackage,
    /// Each package, with the whole catalog as context. Advice only.
    CrossPackage(fn(&CatalogContext<'_>, &PackageContext<'_>, &mut Findings)),
}

/// A rule with its severity.
pub type EnabledRule = (&'static Rule, Severity);
