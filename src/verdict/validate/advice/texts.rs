//! Advice on the texts that a catalog shows to people.

use super::super::rules::prelude::*;

pub const DESCRIPTION_MISSING: RuleDoc = RuleDoc::advice(
    "description-missing",
    Severity::Warning,
    Profile::Strict,
    "A package has no description.",
    "Consoles and catalog sites show the package's `description` in their lists, before users open a bundle; \
     without it they show only a name. Packages generated from bundles have none, so this rule is \
     in the `strict` profile only.",
    "Write a `description` in the `olm.package` blob.",
)
.bad(examples![etcd!()])
.good(examples![concat!(
    package!("etcd", "stable", "description: Keeps etcd clusters running.\n"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
)]);

pub fn check_description_missing(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope
        .package
        .packages
        .first()
        .filter(|p| !p.has_description)
    else {
        return;
    };
    let message = format!("package `{}` has no description", scope.package.name);
    out.report(out.finding(package.name.place, message));
}

pub const ICON_MISSING: RuleDoc = RuleDoc::advice(
    "icon-missing",
    Severity::Warning,
    Profile::Strict,
    "A package has no icon.",
    "Consoles and catalog sites show the package's `icon`; without one they show a placeholder. A quarter of the \
     packages of OpenShift's community catalog have none, so this rule is in the `strict` profile only.",
    "Add an `icon` with `base64data` and `mediatype` to the `olm.package` blob.",
)
.bad(examples![etcd!()])
.good(examples![concat!(
    package!("etcd", "stable", "icon:\n  base64data: PHN2Zy8+\n  mediatype: image/svg+xml\n"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
)]);

pub fn check_icon_missing(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope.package.packages.first().filter(|p| !p.has_icon) else {
        return;
    };
    let message = format!("package `{}` has no icon", scope.package.name);
    out.report(out.finding(package.name.place, message));
}
