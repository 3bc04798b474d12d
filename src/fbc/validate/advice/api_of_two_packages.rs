//! `api-of-two-packages`: two packages of the catalog provide one API.

use super::super::catalog_context::{CatalogContext, PackageContext, api_in_words};
use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "api-of-two-packages",
    Severity::Info,
    Profile::Strict,
    "More than one package of the catalog provides the same API.",
    "OLM Classic allows one provider of an API in a namespace, so the two operators cannot be installed there \
     together, and a bundle that requires the API may get either: if both provide it in their \
     default channels, OLM takes the package whose name comes first. \
     Forks and renamed operators do this on purpose, so the rule is in the `strict` profile \
     only: it would report one in sixteen packages of operatorhub.io.",
    "If one package replaces the other, do nothing. Otherwise give each package its own APIs.",
)
.bad(&[Example::Catalog(concat!(
    etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"),
    "---\n",
    package!("etcd-next", "stable"),
    channel!("etcd-next", "stable", "- name: etcd-next.v1.0.0"),
    bundle!("etcd-next", "1.0.0", "- type: olm.gvk\n  value:\n    kind: Etcd\n    group: etcd.io\n    version: v1\n"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0", "- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"),
    bundle!("etcd", "1.1.0", "- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"),
))]);

/// Once per package, at its definition.
pub(in crate::validate) fn check(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let own = &*context.package.name;
    let other = |api: &str| catalog.providers(api).iter().copied().find(|p| *p != own);
    let mut common = context
        .apis
        .iter()
        .filter_map(|api| Some((api, other(api)?)));
    let (Some((api, package)), Some(definition)) =
        (common.next(), context.package.packages.first())
    else {
        return;
    };
    let more = match common.count() {
        0 => String::new(),
        n => format!(" (and it shares {n} more with other packages)"),
    };
    let message = format!(
        "packages `{own}` and `{package}` both provide API {}{more}",
        api_in_words(api)
    );
    let at = Anchor::new(BlobRef::Package(0), definition.name.place);
    out.report(Finding::new(at, message).help(DOC.fix));
}
