//! `bundle-name-form`: bundles with unconventional names.

use super::super::rules::prelude::*;
use super::properties::named_first;
use crate::validate::suggest::compare_versions;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-name-form",
    Severity::Info,
    Profile::Strict,
    "Bundles of a package are not named `PACKAGE.vVERSION`.",
    "OLM accepts any name. People and scripts derive `replaces` and `skips` from `PACKAGE.vVERSION`, so with another \
     name such an edge leads nowhere. Published names must stay, so this concerns new bundles and is in the `strict` \
     profile only: a fifth of the packages of operatorhub.io use other names.",
    "Name new bundles `PACKAGE.vVERSION`, with `-` for the `+` of a version.",
)
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd-operator-1.0.0"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd-operator-1.0.0\nimage: quay.io/example/etcd:v1\nproperties:\n\
     - type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n",
))])
.good(&[Example::Catalog(etcd!())]);

/// Once per package, at the newest bundle with such a name.
pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let usual =
        |b: &BundleBlob| format!("{}.v{}", scope.package.name, b.version().replace('+', "-"));
    let unusual = scope.package.bundles.iter().enumerate();
    let unusual: Vec<_> = unusual
        .filter(|(_, b)| !b.version().is_empty() && *b.name.value != *usual(b))
        .collect();
    let newest = unusual
        .iter()
        .max_by(|a, b| compare_versions(a.1.version(), b.1.version()));
    let Some((nth, bundle)) = newest else { return };
    let name = &bundle.name.value;
    let others = unusual.len() - 1;
    let who = format!(
        "{} {}",
        named_first(name, others),
        if others == 0 { "is" } else { "are" }
    );
    let message = format!("{who} not named in the usual form, `{}`", usual(bundle));
    let at = Anchor::new(BlobRef::Bundle(*nth as u32), bundle.name.place);
    out.report(Finding::new(at, message).help(DOC.fix).bundle(name));
}
