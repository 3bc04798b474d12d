//! Compares the CustomResourceDefinitions of two bundles: which are new, removed or replaceable,
//! and which objects of the cluster prevent the replacement.

use super::objections::{self, flatten, objections};
use super::validate_object;
use super::versions::{in_v1, name, versions};
use crate::Lens;
use serde::Serialize;
use serde_json::Value;
use syntax::go_text::{quote, string_or_empty};
use syntax::order::SortSmall;

/// Why Classic continues although an object is invalid.
const ONLY_LOGGED: &str = "OLM only logs this, because a webhook converts the objects";

/// How one CustomResourceDefinition changes between two bundles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub name: String,
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// Why the new definition must not replace the old one, in OLM's wording; empty if it may.
    pub objections: Vec<String>,
    /// Notes that do not refuse the upgrade. Without known objects: changes that could invalidate
    /// one. With known objects: the invalid ones, where OLM only logs them.
    pub object_errors: Vec<String>,
    /// Number of known objects that were validated; `None` if none are known.
    pub objects_checked: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Added,
    /// Only the old bundle has the definition.
    Removed,
    /// Both have it, equal or changed.
    Kept,
}

impl Change {
    fn without_comparison(definition: &Value, kind: ChangeKind) -> Self {
        Self {
            name: definition_name(definition).to_owned(),
            kind,
            objections: Vec::new(),
            object_errors: Vec::new(),
            objects_checked: None,
        }
    }
}

/// Compares the CRDs of two bundles: one [`Change`] per definition, by name. `objects`: the
/// cluster's custom resources; `None` if unknown.
pub fn changes(old: &[Value], new: &[Value], objects: Option<&[Value]>, lens: Lens) -> Vec<Change> {
    let mut changes: Vec<Change> = new
        .iter()
        .map(|after| match find_namesake(old, after) {
            Some(before) => compare_kept(before, after, objects, lens),
            None => Change::without_comparison(after, ChangeKind::Added),
        })
        .collect();
    let removed = old
        .iter()
        .filter(|before| find_namesake(new, before).is_none());
    changes.extend(removed.map(|before| Change::without_comparison(before, ChangeKind::Removed)));
    changes.sort_small_by(|a, b| a.name.cmp(&b.name));
    changes
}

fn find_namesake<'a>(definitions: &'a [Value], definition: &Value) -> Option<&'a Value> {
    let name = definition_name(definition);
    let mut definitions = definitions.iter();
    definitions.find(|other| definition_name(other) == name)
}

/// Returns `metadata.name`; "" if absent.
pub fn definition_name(definition: &Value) -> &str {
    definition["metadata"]["name"].as_str().unwrap_or_default()
}

/// Returns the objects of a definition, matched by group and kind.
fn objects_of_definition<'o>(definition: &Value, objects: &'o [Value]) -> Vec<&'o Value> {
    let (group, kind) = (
        &definition["spec"]["group"],
        &definition["spec"]["names"]["kind"],
    );
    objects
        .iter()
        .filter(|object| {
            let version = object["apiVersion"].as_str().unwrap_or_default();
            version
                .split_once('/')
                .is_some_and(|(api_group, _)| group == api_group)
                && object["kind"] == *kind
        })
        .collect()
}

/// Returns the number of objects that belong to none of the definitions.
pub fn unmatched_objects(definitions: &[Value], objects: &[Value]) -> usize {
    let known: usize = definitions
        .iter()
        .map(|definition| objects_of_definition(definition, objects).len())
        .sum();
    objects.len().saturating_sub(known)
}

fn compare_kept(before: &Value, after: &Value, objects: Option<&[Value]>, lens: Lens) -> Change {
    let mut change = Change {
        name: definition_name(after).to_owned(),
        kind: ChangeKind::Kept,
        objections: objections(before, after, lens),
        object_errors: Vec::new(),
        objects_checked: None,
    };
    let (before, after) = (in_v1(before), in_v1(after));
    let has_webhook = after["spec"]["conversion"]["strategy"] == "Webhook";
    let own = objects.map(|objects| objects_of_definition(&after, objects));
    change.objects_checked = own.as_ref().map(Vec::len);
    // Without known objects, list the changes that could invalidate one. OLM v1 refuses these
    // itself, or checks no objects.
    let Some(own) = own.filter(|own| !own.is_empty()) else {
        if lens == Lens::V0 {
            let lines = narrowing_changes(&before, &after).into_iter();
            change.object_errors = if has_webhook {
                lines.map(|line| format!("{line}; {ONLY_LOGGED}")).collect()
            } else {
                lines
                    .chain(narrowed_by_new_versions(&before, &after))
                    .collect()
            };
        }
        return change;
    };
    for object in own {
        let Some(error) = validation_error(&before, &after, object, has_webhook) else {
            continue;
        };
        match lens {
            Lens::V0 if !has_webhook => {
                let prefix = format!(
                    "error validating existing CRs against new CRD's schema for {}",
                    quote(&change.name)
                );
                change.objections.push(format!("{prefix}: {error}"));
            }
            Lens::V0 => change.object_errors.push(format!("{error}; {ONLY_LOGGED}")),
            Lens::V1 => change
                .object_errors
                .push(format!("{error}; OLM v1 does not check objects")),
        }
    }
    change
}

/// Iterates over the versions that are served before and after, which are the ones Classic checks.
fn served_in_both<'v>(
    before: &'v Value,
    after: &'v Value,
) -> impl Iterator<Item = (&'v Value, &'v Value)> {
    versions(after).filter(is_served).filter_map(move |new| {
        let old = versions(before)
            .filter(is_served)
            .find(|old| name(old) == name(new))?;
        Some((old, new))
    })
}

fn is_served(version: &&Value) -> bool {
    version["served"] == true
}

/// Lists the changes that could invalidate an existing object, one line each.
fn narrowing_changes(before: &Value, after: &Value) -> Vec<String> {
    served_in_both(before, after)
        .flat_map(|(old, new)| {
            let lines = objections::narrowing_changes(&flatten(old), &flatten(new));
            lines
                .into_iter()
                .map(|line| format!("{}: {line}", name(new)))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Lists the narrowing changes in versions that the new definition starts to serve. Without a
/// webhook, an object is identical under every version, and Classic does not check it against
/// these.
fn narrowed_by_new_versions(before: &Value, after: &Value) -> Vec<String> {
    let Some(stored) = versions(before).find(|version| version["storage"] == true) else {
        return Vec::new();
    };
    let of_version = |new: &Value| {
        let lines = objections::narrowing_changes(&flatten(stored), &flatten(new)).into_iter();
        let described = lines.map(|line| {
            format!(
                "{} -> {}: {line}; OLM does not check objects against a new version",
                name(stored),
                name(new)
            )
        });
        described.collect::<Vec<_>>()
    };
    versions(after)
        .filter(is_served)
        .filter(|version| {
            !versions(before)
                .filter(is_served)
                .any(|old| name(old) == name(version))
        })
        .flat_map(of_version)
        .collect()
}

/// Returns the errors of an object under the new schemas, in Classic's wording. Without a webhook,
/// an object is identical under every version; with one, only its own version is known.
fn validation_error(
    before: &Value,
    after: &Value,
    object: &Value,
    has_webhook: bool,
) -> Option<String> {
    let own = object["apiVersion"]
        .as_str()
        .and_then(|version| version.rsplit('/').next())
        .unwrap_or_default();
    let group = after["spec"]["group"].as_str().unwrap_or_default();
    served_in_both(before, after).filter(|(_, version)| !has_webhook || name(version) == own).find_map(|(_, version)| {
        let faults = validate_object::errors(object, &version["schema"]["openAPIV3Schema"]);
        let errors = match &faults[..] {
            [] => return None,
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let (space, kind) = (string_or_empty(&object["metadata"]["namespace"]), string_or_empty(&object["kind"]));
        let object_name = string_or_empty(&object["metadata"]["name"]);
        let object_name = if space.is_empty() { object_name } else { format!("{space}/{object_name}") };
        Some(format!(
            "error validating {group}/{}, Kind={kind} {}: updated validation is too restrictive: {errors}",
            name(version),
            quote(&object_name)
        ))
    })
}
