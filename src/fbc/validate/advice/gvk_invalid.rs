//! `gvk-invalid`: an API that no cluster can have.

use super::super::rules::prelude::*;
use super::properties::shared_properties;
use crate::model::gvk_fault;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "gvk-invalid",
    Severity::Warning,
    Profile::Strict,
    "A bundle provides or requires an API whose group, version or kind no cluster accepts.",
    "`opm` accepts any text. A CustomResourceDefinition cannot have such a name, so a requirement for it is never met and \
     providing it has no effect. Usually a field is missing or misspelt.",
    "Write group, version and kind as the CustomResourceDefinition has them.",
)
.bad(&[
    Example::Catalog(etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n")),
    Example::Catalog(etcd!("- type: olm.gvk\n  value:\n    group: 'G_ROUP!'\n    version: v1\n    kind: Etcd\n")),
])
.good(&[Example::Catalog(etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for property in shared_properties(scope.package, &["olm.gvk", "olm.gvk.required"]) {
        let Some(value) = property.value().filter(|value| !value.is_null()) else {
            continue;
        };
        let field = |name| super::properties::field(&value, name);
        let Some(fault) = gvk_fault(field("group"), field("version"), field("kind")) else {
            continue;
        };
        let kind = &property.property.kind;
        let message = format!("`{kind}` of {} is not an API: {fault}", property.label());
        out.report(
            Finding::new(property.at, message)
                .help(DOC.fix)
                .bundle(&property.bundle.name.value),
        );
    }
}
