//! `bundle-package-property`: an entry without a bundle, treated as a bundle without properties. `opm`: `must be exactly
//! one property with type "olm.package"`. [`super::entry_without_bundle`] reports the actual problem; this rule only
//! adds `opm`'s line.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-package-property",
    "must be exactly one property with type \"olm.package\"",
    "An entry has no bundle, and the package's last channel does not list it.",
    "`opm` looks for missing bundles only in the last channel; for an entry in an earlier channel, it assumes a bundle \
     without properties or image, and refuses that. Switchyard reports the entry as `entry-without-bundle`.",
    "Correct the entry's name, add the `olm.bundle` blob, or remove the entry.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "alpha", "- name: etcd.v0.9.0"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0")
))])
.good(&[Example::Catalog(catalog!(channel!("etcd", "alpha", "- name: etcd.v1.0.0")))]);

pub(in crate::validate) fn check(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    if view.bundle.is_none() {
        out.line(DOC.opm_message);
    }
}
