//! `description-missing`: a package without a description.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "description-missing",
    Severity::Warning,
    Profile::Strict,
    "A package has no description.",
    "Consoles and catalog sites show the package's `description` in their lists, before users open a bundle; \
     without it they show only a name. Packages generated from bundles have none, so this rule is \
     in the `strict` profile only.",
    "Write a `description` in the `olm.package` blob.",
)
.bad(&[Example::Catalog(etcd!())])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable", "description: Keeps etcd clusters running.\n"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope
        .package
        .packages
        .first()
        .filter(|p| !p.has_description)
    else {
        return;
    };
    let message = format!("package `{}` has no description", scope.package.name);
    out.report(Finding::new(out.here(package.name.place), message).help(DOC.fix));
}
