//! `icon-missing`: a package without a picture.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "icon-missing",
    Severity::Warning,
    Profile::Strict,
    "A package has no icon.",
    "Consoles and catalog sites show the package's `icon`; without one they show a placeholder. A quarter of the \
     packages of OpenShift's community catalog have none, so this rule is in the `strict` profile only.",
    "Add an `icon` with `base64data` and `mediatype` to the `olm.package` blob.",
)
.bad(&[Example::Catalog(etcd!())])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable", "icon:\n  base64data: PHN2Zy8+\n  mediatype: image/svg+xml\n"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope.package.packages.first().filter(|p| !p.has_icon) else {
        return;
    };
    let message = format!("package `{}` has no icon", scope.package.name);
    out.report(Finding::new(out.here(package.name.place), message).help(DOC.fix));
}
