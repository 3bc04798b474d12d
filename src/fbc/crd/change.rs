//! The definitions of one bundle after those of another: what is new, what is gone, which may take the place of the old
//! one, and what the objects of a cluster have to say in it.

use super::objections::objections;
use super::version::{in_v1, name, versions};
use super::{properties, schema, validate_object};
use crate::go_text::quote;
use crate::order::PutInOrder;
use crate::upgrade::Lens;
use serde_json::Value;

/// A definition before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub kind: ChangeKind,
    /// Why the new one may not take the place of the old one, in OLM's words; empty when it may.
    pub objections: Vec<String>,
    /// What decides only with the objects of a cluster: changes under which an object may no longer be valid, where no
    /// object of the definition is known; and objects that are not, where OLM does not refuse for them.
    pub object_errors: Vec<String>,
    /// How many of the known objects were judged; `None` where none are known.
    pub objects_checked: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    /// The new bundle does not have it.
    Removed,
    /// Both have it, and it may be the same.
    Kept,
}

impl ChangeKind {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Kept => "kept",
        }
    }
}

/// All definitions of either, by name. `objects`: what exists on the cluster, of whatever kind; `None` where that is not
/// known.
pub fn changes(old: &[Value], new: &[Value], objects: Option<&[Value]>, lens: Lens) -> Vec<Change> {
    let bare = |name: &str, kind| Change {
        name: name.to_owned(),
        kind,
        objections: Vec::new(),
        object_errors: Vec::new(),
        objects_checked: None,
    };
    let with_name =
        |all: &'_ [Value], name: &str| all.iter().find(|one| definition_name(one) == name).cloned();
    let mut found: Vec<Change> = new
        .iter()
        .map(|after| match with_name(old, definition_name(after)) {
            Some(before) => kept(&before, after, objects, lens),
            None => bare(definition_name(after), ChangeKind::Added),
        })
        .collect();
    let gone = old
        .iter()
        .filter(|before| with_name(new, definition_name(before)).is_none());
    found.extend(gone.map(|before| bare(definition_name(before), ChangeKind::Removed)));
    found.put_in_order_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Name of a definition.
pub fn definition_name(definition: &Value) -> &str {
    definition["metadata"]["name"].as_str().unwrap_or_default()
}

/// The objects that a definition is of, by group and kind.
fn of_definition<'o>(definition: &Value, objects: &'o [Value]) -> Vec<&'o Value> {
    let (group, kind) = (
        &definition["spec"]["group"],
        &definition["spec"]["names"]["kind"],
    );
    let is_of = |object: &&Value| {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        version.split_once('/').is_some_and(|(of, _)| group == of) && object["kind"] == *kind
    };
    objects.iter().filter(is_of).collect()
}

/// How many objects are of none of the definitions.
pub fn unmatched_objects(definitions: &[Value], objects: &[Value]) -> usize {
    let known: usize = definitions
        .iter()
        .map(|definition| of_definition(definition, objects).len())
        .sum();
    objects.len().saturating_sub(known)
}

/// Why Classic goes on although an object is not valid.
const ONLY_LOGGED: &str = "OLM only logs this, because a webhook converts the objects";

fn kept(before: &Value, after: &Value, objects: Option<&[Value]>, lens: Lens) -> Change {
    let mut change = Change {
        name: definition_name(after).to_owned(),
        kind: ChangeKind::Kept,
        objections: objections(before, after, lens),
        object_errors: Vec::new(),
        objects_checked: None,
    };
    let (before, after) = (in_v1(before), in_v1(after));
    let converts = after["spec"]["conversion"]["strategy"] == "Webhook";
    let own = objects.map(|objects| of_definition(&after, objects));
    change.objects_checked = own.as_ref().map(Vec::len);
    // Without an object to check, what one may be against is told. OLM v1 refuses such changes, or checks no object.
    let Some(own) = own.filter(|own| !own.is_empty()) else {
        if lens == Lens::V0 {
            let told = narrowed(&before, &after).into_iter();
            change.object_errors = match converts {
                true => told.map(|line| format!("{line}; {ONLY_LOGGED}")).collect(),
                false => told
                    .chain(narrowed_by_new_versions(&before, &after))
                    .collect(),
            };
        }
        return change;
    };
    for object in own {
        let Some(words) = invalid(&before, &after, object, converts) else {
            continue;
        };
        match lens {
            Lens::V0 if !converts => {
                let prefix = format!(
                    "error validating existing CRs against new CRD's schema for {}",
                    quote(&change.name)
                );
                change.objections.push(format!("{prefix}: {words}"));
            }
            Lens::V0 => change.object_errors.push(format!("{words}; {ONLY_LOGGED}")),
            Lens::V1 => change
                .object_errors
                .push(format!("{words}; OLM v1 does not check objects")),
        }
    }
    change
}

/// Versions that are served before and after, as Classic looks at them.
fn served_in_both<'v>(
    before: &'v Value,
    after: &'v Value,
) -> impl Iterator<Item = (&'v Value, &'v Value)> {
    let served = |version: &&Value| version["served"] == true;
    versions(after).filter(served).filter_map(move |new| {
        let old = versions(before)
            .filter(served)
            .find(|old| name(old) == name(new))?;
        Some((old, new))
    })
}

/// What an existing object may be against, one line a change.
fn narrowed(before: &Value, after: &Value) -> Vec<String> {
    let of_version = |(old, new): (&Value, &Value)| {
        let lines = properties::narrowed(&schema::flatten(old), &schema::flatten(new));
        lines
            .into_iter()
            .map(|line| format!("{}: {line}", name(new)))
            .collect::<Vec<_>>()
    };
    served_in_both(before, after).flat_map(of_version).collect()
}

/// The same of versions that the new definition begins to serve: without a webhook an object is the same under each, and
/// Classic checks none against them.
fn narrowed_by_new_versions(before: &Value, after: &Value) -> Vec<String> {
    let served = |version: &&Value| version["served"] == true;
    let Some(stored) = versions(before).find(|version| version["storage"] == true) else {
        return Vec::new();
    };
    let is_new = |version: &&Value| {
        !versions(before)
            .filter(served)
            .any(|old| name(old) == name(version))
    };
    let of_version = |new: &Value| {
        let lines =
            properties::narrowed(&schema::flatten(stored), &schema::flatten(new)).into_iter();
        let told = lines.map(|line| {
            format!(
                "{} -> {}: {line}; OLM does not check objects against a new version",
                name(stored),
                name(new)
            )
        });
        told.collect::<Vec<_>>()
    };
    versions(after)
        .filter(served)
        .filter(is_new)
        .flat_map(of_version)
        .collect()
}

/// What is wrong with an object by the new schemas, in the words of Classic. Without a webhook an object is the same under
/// every version; with one, only its own version is known.
fn invalid(before: &Value, after: &Value, object: &Value, converts: bool) -> Option<String> {
    let own = object["apiVersion"]
        .as_str()
        .and_then(|version| version.rsplit('/').next())
        .unwrap_or_default();
    let group = after["spec"]["group"].as_str().unwrap_or_default();
    served_in_both(before, after).filter(|(_, version)| !converts || name(version) == own).find_map(|(_, version)| {
        let faults = validate_object::errors(object, &version["schema"]["openAPIV3Schema"]);
        let told = match &faults[..] {
            [] => return None,
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (space, kind) = (text(&object["metadata"]["namespace"]), text(&object["kind"]));
        let named = text(&object["metadata"]["name"]);
        let named = if space.is_empty() { named } else { format!("{space}/{named}") };
        Some(format!(
            "error validating {group}/{}, Kind={kind} {}: updated validation is too restrictive: {told}",
            name(version),
            quote(&named)
        ))
    })
}
