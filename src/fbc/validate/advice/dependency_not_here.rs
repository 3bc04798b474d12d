//! `dependency-not-here`: what a bundle requires is in no package of the catalog.

use super::super::market::{Market, Stall, api_in_words};
use super::super::rules::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-not-here",
    Severity::Info,
    Profile::Community,
    "A bundle requires a package or an API that no package of the catalog has.",
    "OLM Classic installs the bundle only where another catalog of the cluster has what it requires. When the catalog is \
     meant to stand alone, the bundle cannot be installed. A catalog of one package is not looked at: it is a part of a \
     larger one.",
    "Check the name, group, version and kind. If another catalog provides it, say so in the package's description, or \
     suppress this with that reason.",
)
.bad(&[
    Example::Catalog(concat!(
        etcd!("- type: olm.package.required\n  value:\n    packageName: vautl\n    versionRange: '>=1.0.0'\n"),
        "---\n",
        package!("vault", "stable"),
        channel!("vault", "stable", "- name: vault.v1.0.0"),
        bundle!("vault", "1.0.0"),
    )),
    Example::Catalog(concat!(
        etcd!("- type: olm.gvk.required\n  value:\n    group: vault.io\n    version: v2\n    kind: Vault\n"),
        "---\n",
        package!("vault", "stable"),
        channel!("vault", "stable", "- name: vault.v1.0.0"),
        bundle!("vault", "1.0.0", "- type: olm.gvk\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"),
    )),
])
.good(&[Example::Catalog(concat!(
    etcd!("- type: olm.gvk.required\n  value:\n    kind: Vault\n    group: vault.io\n    version: v1\n"),
    "---\n",
    package!("vault", "stable"),
    channel!("vault", "stable", "- name: vault.v1.0.0"),
    bundle!("vault", "1.0.0", "- type: olm.gvk\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"),
))]);

pub(in crate::fbc::validate) fn check(market: &Market<'_>, stall: &Stall<'_>, out: &mut Findings) {
    if !market.has_several_packages() {
        return;
    }
    for need in &stall.trade.package_needs {
        if market.stall(&need.name).is_some_and(|s| !s.package.bundles.is_empty()) {
            continue;
        }
        let message = format!("{} requires package `{}`, which is not in this catalog", need.told.whose, need.name);
        let help = match market.nearest(&need.name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => DOC.fix.to_owned(),
        };
        out.report(Finding::new(need.told.at, message).help(help).bundle(&need.told.bundle));
    }
    for need in &stall.trade.api_needs {
        if !market.providers(&need.value).is_empty() {
            continue;
        }
        let api = api_in_words(&need.value);
        let message = format!("{} requires API {api}, which no package of this catalog provides", need.told.whose);
        out.report(Finding::new(need.told.at, message).help(DOC.fix).bundle(&need.told.bundle));
    }
}
