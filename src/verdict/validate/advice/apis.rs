//! Advice on the APIs that bundles provide.

use super::super::catalog_context::{CatalogContext, PackageContext, api_in_words};
use super::super::rules::prelude::*;
use super::properties::{anchor, field, shared_properties};
use catalog::model::gvk_fault;
use syntax::hashed::HashMap;

pub const API_OF_TWO_PACKAGES: RuleDoc = RuleDoc::advice(
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
.bad(examples![concat!(
    etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"),
    "---\n",
    package!("etcd-next", "stable"),
    channel!("etcd-next", "stable", "- name: etcd-next.v1.0.0"),
    bundle!("etcd-next", "1.0.0", "- type: olm.gvk\n  value:\n    kind: Etcd\n    group: etcd.io\n    version: v1\n"),
)])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0", "- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"),
    bundle!("etcd", "1.1.0", "- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"),
)]);

/// Reports once per package, at its definition; names the first common API.
pub fn check_api_of_two_packages(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let own = &*context.package.name;
    let mut common = context.apis.iter().filter_map(|api| {
        Some((
            api,
            catalog.providers(api).iter().copied().find(|p| *p != own)?,
        ))
    });
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
    out.report(Finding::new(at, message));
}

pub const GVK_DUPLICATE: RuleDoc = RuleDoc::advice(
    "gvk-duplicate",
    Severity::Warning,
    Profile::Community,
    "A bundle lists the same `olm.gvk` twice.",
    "OLM Classic allows one provider of an API in a namespace and counts this bundle as two, so its installation \
     always fails with `... and ... provide ...`. `opm` does not report it.",
    "Remove one of the two properties.",
)
.bad(examples![etcd!(
    "- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n- type: olm.gvk\n  value:\n    \
         kind: Etcd\n    group: etcd.io\n    version: v1\n"
)])
.good(examples![etcd!(
    "- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n- type: olm.gvk\n  value:\n    \
         group: etcd.io\n    version: v1beta1\n    kind: Etcd\n"
)]);

pub fn check_gvk_duplicate(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.properties_fault.is_some() {
        return;
    }
    let mut first = HashMap::default();
    for fact in bundle.properties.iter().filter(|p| &*p.kind == "olm.gvk") {
        // Values are in canonical form, so equal APIs have equal text.
        let Some(value) = fact.value.as_deref() else {
            continue;
        };
        let earlier = *first.entry(value).or_insert(fact);
        if std::ptr::eq(earlier, fact) {
            continue;
        }
        let json = serde_json::from_str(value).unwrap_or_default();
        let (kind, group, version) = (
            field(&json, "kind"),
            field(&json, "group"),
            field(&json, "version"),
        );
        let message = format!(
            "bundle `{}` lists API `{kind}` (`{group}/{version}`) twice and cannot be installed",
            bundle.name.value
        );
        let here = anchor(out.nth as usize, fact);
        let related = [(
            "listed first here".to_owned(),
            anchor(out.nth as usize, earlier),
        )];
        out.report(
            Finding::new(here, message)
                .bundle(&bundle.name.value)
                .related(related),
        );
    }
}

pub const GVK_INVALID: RuleDoc = RuleDoc::advice(
    "gvk-invalid",
    Severity::Warning,
    Profile::Strict,
    "A bundle provides or requires an API whose group, version or kind no cluster accepts.",
    "`opm` accepts any text. A CustomResourceDefinition cannot have such a name, so a requirement for it is never met and \
     providing it has no effect. Usually a field is missing or misspelt.",
    "Write group, version and kind as the CustomResourceDefinition has them.",
)
.bad(examples![etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n"),
    etcd!("- type: olm.gvk\n  value:\n    group: 'G_ROUP!'\n    version: v1\n    kind: Etcd\n")])
.good(examples![etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n")]);

pub fn check_gvk_invalid(scope: &Scope<'_>, out: &mut Findings) {
    for property in shared_properties(scope.package, &["olm.gvk", "olm.gvk.required"]) {
        let Some(value) = property.value().filter(|value| !value.is_null()) else {
            continue;
        };
        let [group, version, api] =
            ["group", "version", "kind"].map(|name| super::properties::field(&value, name));
        let Some(fault) = gvk_fault(group, version, api) else {
            continue;
        };
        let kind = &property.property.kind;
        let message = format!("`{kind}` of {} is not an API: {fault}", property.label());
        out.report(property.finding(message));
    }
}
