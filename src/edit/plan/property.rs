//! `add-property` and `remove-property`: the properties in which bundles declare what they provide
//! and require.
//!
//! A bundle that already has the property is left unchanged: OLM treats a duplicate API as two that
//! exclude each other. Valid values depend on the type ([`value`]).

mod value;

use super::{CatalogView, PlanResult, PlanStep, Refused, condition, did_you_mean};
use crate::item_change::{ItemAction, ItemChange, canonical_json};
use catalog::model::blob::PropertyFact;
use catalog::model::{BundleBlob, Located, Package};
use serde_json::Value as Json;
use syntax::place::Place;

const PACKAGE: &str = "olm.package";
const MAX_OPENSHIFT: &str = "olm.maxOpenShiftVersion";

/// The fields that `add-property` and `remove-property` share.
pub(super) struct PropertyTarget<'a> {
    pub package: &'a str,
    pub bundle: Option<&'a str>,
    pub condition: Option<&'a str>,
    pub kind: &'a str,
}

pub(super) fn add(view: &CatalogView<'_>, target: &PropertyTarget<'_>, json: &Json) -> PlanResult {
    let package = view.package(target.package)?;
    value::check(target.kind, json)?;
    let bundles = condition::select(view, package, target.bundle, target.condition)?;
    for bundle in &bundles {
        check_beside_existing(view, package, bundle, target.kind, json)?;
    }
    let item = serde_json::json!({ "type": target.kind, "value": json });
    let after = &["schema", "name", "package", "image"];
    let action = ItemAction::AddMissing { item, after };
    Ok(bundles
        .into_iter()
        .map(|bundle| {
            step(
                bundle,
                identifying_fields(target.kind, Some(json)),
                action.clone(),
            )
        })
        .collect())
}

/// `remove-property`: removes properties of a type. `json`: the value; `None` means all of the
/// type.
pub(super) fn remove(
    view: &CatalogView<'_>,
    target: &PropertyTarget<'_>,
    json: Option<&Json>,
) -> PlanResult {
    let package = view.package(target.package)?;
    let bundles = condition::select(view, package, target.bundle, target.condition)?;
    let canonical_value = json.map(canonical_json);
    let mut steps = Vec::new();
    for bundle in &bundles {
        // A value that the facts do not store may match; only the text shows whether it does.
        let Some(first) = bundle.properties.iter().find(|p| {
            *p.kind == *target.kind
                && (canonical_value.is_none()
                    || p.value.is_none()
                    || p.value.as_deref() == canonical_value.as_deref())
        }) else {
            continue;
        };
        if target.kind == PACKAGE
            && (canonical_value.is_none() || bundle.package_properties.len() < 2)
        {
            let reason = format!(
                "every bundle must have an `{PACKAGE}`: it gives the version of `{}`",
                bundle.name.value
            );
            return Err(Refused::new(reason)
                .help("if there are several, give the value of the one to remove; to change one, edit it as text")
                .at(location(view, bundle, first)));
        }
        steps.push(step(
            bundle,
            identifying_fields(target.kind, json),
            ItemAction::Remove,
        ));
    }
    if steps.is_empty() {
        Err(no_such_property(view, &bundles, target, json))
    } else {
        Ok(steps)
    }
}

/// Returns the step that changes the properties of a bundle with these fields.
pub(super) fn step(
    bundle: &Located<BundleBlob>,
    fields: Vec<(&'static str, String)>,
    action: ItemAction,
) -> PlanStep {
    PlanStep::Patch {
        file: bundle.file,
        index: bundle.index,
        patches: Vec::new(),
        items: vec![ItemChange {
            list: "properties",
            fields,
            action,
        }],
    }
}

fn identifying_fields(kind: &str, json: Option<&Json>) -> Vec<(&'static str, String)> {
    let value = json.map(|json| ("value", canonical_json(json)));
    std::iter::once(("type", canonical_json(&Json::from(kind))))
        .chain(value)
        .collect()
}

/// Refuses a property that the bundle may not have beside its existing one of this type.
fn check_beside_existing(
    view: &CatalogView<'_>,
    package: &Package,
    bundle: &Located<BundleBlob>,
    kind: &str,
    json: &Json,
) -> Result<(), Refused> {
    let present = bundle.properties.iter().find(|p| *p.kind == *kind);
    let name = &bundle.name.value;
    match (kind, present) {
        (PACKAGE, Some(present)) => Err(refused!("`{name}` already has its `{PACKAGE}` property")
            .help("add another version with `add-bundle`; to change this one, edit it as text")
            .at(location(view, bundle, present))),
        (PACKAGE, None) if json["packageName"] != *package.name => Err(refused!(
            "the `{PACKAGE}` property of a bundle must name its package, `{0}`",
            package.name
        )
        .help("set `packageName`")),
        (MAX_OPENSHIFT, Some(present))
            if present.value.as_deref() != Some(canonical_json(json).as_str()) =>
        {
            let other = present.value.as_deref().unwrap_or("another value");
            Err(refused!("`{name}` already has `{MAX_OPENSHIFT}` {other}; a second one would block every minor update of the cluster")
                .help(format!("remove it first: `remove-property --type {MAX_OPENSHIFT}`"))
                .at(location(view, bundle, present)))
        }
        _ => Ok(()),
    }
}

fn no_such_property(
    view: &CatalogView<'_>,
    bundles: &[&Located<BundleBlob>],
    target: &PropertyTarget<'_>,
    json: Option<&Json>,
) -> Refused {
    let reason = match bundles {
        [one] => format!("`{}` has no property `{}`", one.name.value, target.kind),
        more => format!(
            "none of these {} bundles has a property `{}`",
            more.len(),
            target.kind
        ),
    };
    let properties = || {
        bundles
            .iter()
            .flat_map(|b| b.properties.iter().map(move |p| (b, p)))
    };
    let refused = match properties()
        .find(|(_, p)| *p.kind == *target.kind)
        .zip(json)
    {
        // The type exists, but not with this value.
        Some(((bundle, other), _)) => {
            let help = other
                .value
                .as_ref()
                .map_or(String::new(), |value| format!("its value is `{value}`"));
            refused!("{reason} with this value")
                .help(help)
                .at(location(view, bundle, other))
        }
        None => {
            let kinds = properties().map(|(_, p)| &*p.kind);
            Refused::new(reason).help(did_you_mean(
                target.kind,
                kinds,
                "`has TYPE` in `--where` finds bundles by property",
            ))
        }
    };
    match bundles {
        [one] if refused.location.is_none() => refused.at(view.locate(one, one.name.place)),
        _ => refused,
    }
}

fn location(
    view: &CatalogView<'_>,
    bundle: &Located<BundleBlob>,
    fact: &PropertyFact,
) -> protocol::diagnostic::Location {
    let place = Place {
        start: fact.start,
        end: fact.start,
        line: fact.line,
        end_line: fact.line,
        ..Place::default()
    };
    view.locate(bundle, place)
}
