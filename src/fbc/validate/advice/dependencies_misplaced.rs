//! `dependencies-misplaced`: a bundle blob with `dependencies`, as only a bundle's own `dependencies.yaml` has them.

use super::super::rules::prelude::*;
use crate::model::MisplacedDependencies;
use serde_json::Value;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependencies-misplaced",
    Severity::Warning,
    Profile::Community,
    "A bundle blob has a `dependencies` field, which OLM ignores.",
    "Dependencies are declared in a bundle's `metadata/dependencies.yaml`, and `opm render` turns them into properties. A \
     catalog has only the properties: `opm` accepts the unknown field, and OLM does not enforce it.",
    "Write each dependency as a property: `olm.package` as `olm.package.required` (rename its `version` to \
     `versionRange`), `olm.gvk` as `olm.gvk.required`, `olm.constraint` unchanged.",
)
.bad(&[Example::Catalog(etcd!(
    "dependencies:\n- type: olm.package\n  value:\n    packageName: vault\n    version: '>=1.2.0'\n"
))])
.good(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.0'\n"
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(dependencies) = bundle
        .mistakes
        .as_ref()
        .and_then(|mistakes| mistakes.dependencies.as_ref())
    else {
        return;
    };
    let name = &bundle.name.value;
    let at = out.here(dependencies.place);
    let message = format!("OLM ignores `dependencies` of bundle `{name}`: only properties count");
    let fix = as_properties(bundle, dependencies, at.blob);
    out.report(
        Finding::new(at, message)
            .help(DOC.fix)
            .bundle(name)
            .corrected(fix),
    );
}

/// Not a safe fix: requirements take effect that had none before.
fn as_properties(
    bundle: &BundleBlob,
    dependencies: &MisplacedDependencies,
    blob: BlobRef,
) -> Option<Corrected> {
    let add = |kind: &str, value: &str| {
        let value: Value = serde_json::from_str(value).ok()?;
        Some(EditOp::AddProperty {
            catalog: None,
            package: bundle.package.value.to_string(),
            bundle: Some(bundle.name.value.to_string()),
            condition: None,
            kind: kind.to_owned(),
            value,
        })
    };
    let then = dependencies
        .properties
        .iter()
        .map(|property| add(&property.kind, property.value.as_deref()?));
    let then = then.collect::<Option<Vec<EditOp>>>()?;
    let removal = dependencies.removal.clone().filter(|_| !then.is_empty())?;
    Some(Corrected {
        title: "write the dependencies as properties".to_owned(),
        safe: false,
        rewrites: vec![(blob, removal)],
        then,
    })
}
