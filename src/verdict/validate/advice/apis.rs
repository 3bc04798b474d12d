//! Advice on the APIs that bundles provide.

use super::super::rules::prelude::*;
use super::properties::{anchor, field, shared_properties};
use catalog::model::gvk_fault;
use syntax::hashed::HashMap;

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
