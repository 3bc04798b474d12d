//! `dependency-not-here`: no package of the open catalogs provides what a bundle requires.

use super::super::catalog_context::{CatalogContext, PackageContext, api_in_words};
use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-not-here",
    Severity::Info,
    Profile::Community,
    "A bundle requires a package or an API that no open catalog has.",
    "OLM Classic installs the bundle only if a catalog of the cluster has what it \
     requires. The page searches all open catalogs, the command line only DIR. If only \
     one package is open, nothing is reported, because it is probably part of a larger catalog.",
    "Check the name, group, version and kind. If another catalog provides it, open that catalog too, or suppress this \
     rule with that reason.",
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

pub(in crate::validate) fn check(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let open_catalogs = catalog.open_catalogs;
    if !open_catalogs.has_several_packages() {
        return;
    }
    let here = |one: &'static str, several: &'static str| {
        if open_catalogs.is_one_catalog() {
            one
        } else {
            several
        }
    };
    for required in &context.requirements.packages {
        if open_catalogs.has_package(&required.name) {
            continue;
        }
        let nowhere = here("is not in this catalog", "is in none of the open catalogs");
        let message = format!(
            "{} package `{}`, which {nowhere}",
            required.subject.requires, required.name
        );
        let help = match catalog.nearest(&required.name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => DOC.fix.to_owned(),
        };
        out.report(
            Finding::new(required.subject.at, message)
                .help(help)
                .bundle(&required.subject.bundle),
        );
    }
    for required in &context.requirements.apis {
        if open_catalogs.has_api(&required.value) {
            continue;
        }
        let (api, requires) = (api_in_words(&required.value), &required.subject.requires);
        let of = here("this catalog", "the open catalogs");
        let message = format!("{requires} API {api}, which no package in {of} provides");
        out.report(
            Finding::new(required.subject.at, message)
                .help(DOC.fix)
                .bundle(&required.subject.bundle),
        );
    }
}
