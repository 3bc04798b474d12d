//! Substitutes templates: a whole catalog, and bundles that replace others in its graph
//! (`opm-semantics` 4.2).

use super::entries::{self, Bundle, Document, Rendered, Source};
use super::facts;
use super::kind::TemplateType;
use catalog::version::{PackageVersion, VersionRelease};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use syntax::go_text::{names_field, quote};

/// A bundle, by image, that replaces another, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Substitution {
    name: String,
    base: String,
}

pub(super) fn render(text: &[u8], source: &mut Source<'_>) -> Result<Rendered, String> {
    let (items, substitutions) =
        parse(text).map_err(|error| format!("render: unable to parse template: {error}"))?;
    let mut blobs = entries::blobs(&items).map_err(|error| {
        format!("render: unable to create declarative config from entries: {error}")
    })?;
    if let Some(error) = facts::refusal(&blobs) {
        return Err(format!("render: entries are not valid FBC: {error}"));
    }
    let mut bases: Vec<&str> = Vec::new();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut rendered = Vec::new();
    for Substitution { name, base } in &substitutions {
        if bases.contains(&base.as_str()) {
            return Err(format!(
                "render: cannot reuse the same substitution base {}",
                quote(base)
            ));
        }
        bases.push(base);
        if let Some(other) = names.insert(name, base) {
            let (name, other, base) = (quote(name), quote(other), quote(base));
            return Err(format!(
                "render: cannot reuse the same substitution {name} for different bases ({other} and {base})"
            ));
        }
        if let Some(bundle) = substitute(&mut blobs, name, base, source).map_err(|error| {
            format!(
                "render: error processing substitution {} -> {}: ",
                quote(base),
                quote(name)
            ) + &error
        })? {
            rendered.push(bundle);
        }
    }
    // Added bundles are already among the blobs, where later substitutions find them.
    Ok(Rendered {
        origins: rendered.iter().map(Bundle::origin).collect(),
        ..Rendered::new(blobs, Vec::new())
    })
}

fn parse(text: &[u8]) -> Result<(Vec<Value>, Vec<Substitution>), String> {
    let mut document = Document::read(text, "substitutes.SubstitutesTemplateData")?;
    let items = document.list("entries", "[]*declcfg.Meta");
    entries::check_decoding(&items)?;
    let schema = document.text("schema");
    let listed = document.list("substitutions", "[]substitutes.Substitute");
    let mut refused = None;
    let substitutions = listed
        .iter()
        .map(|item| parse_substitution(item, &mut refused))
        .collect();
    document.finish()?;
    if let Some(reason) = refused {
        return Err(format!("unmarshalling template: {reason}"));
    }
    if schema != TemplateType::Substitutes.schema() {
        let (actual, wanted) = (quote(&schema), quote(TemplateType::Substitutes.schema()));
        return Err(format!(
            "template has unknown schema ({actual}), should be {wanted}"
        ));
    }
    Ok((items, substitutions))
}

/// Parses a substitution like Go, and keeps the first refusal.
fn parse_substitution(item: &Value, refused: &mut Option<String>) -> Substitution {
    let mut substitution = Substitution::default();
    let mut mismatch = |actual: &Value, place: &str, go: &str| {
        let actual = bundle::go_kind(actual);
        let message =
            format!("json: cannot unmarshal {actual} into Go struct field {place} of type {go}");
        refused.get_or_insert(message);
    };
    let fields = match item {
        Value::Object(fields) => fields,
        Value::Null => return substitution,
        other => {
            mismatch(
                other,
                "SubstitutesTemplateData.substitutions",
                "substitutes.Substitute",
            );
            return substitution;
        }
    };
    for (key, value) in fields {
        let (field, into) = match key {
            key if names_field(key, "name") => ("name", &mut substitution.name),
            key if names_field(key, "base") => ("base", &mut substitution.base),
            _ => continue,
        };
        match value {
            Value::String(text) => into.clone_from(text),
            Value::Null => {}
            other => mismatch(
                other,
                &format!("Substitute.substitutions.{field}"),
                "string",
            ),
        }
    }
    substitution
}

/// Replaces a bundle; `None` if the replacement is unknown and left out.
fn substitute(
    blobs: &mut Vec<Value>,
    name: &str,
    base: &str,
    source: &mut Source<'_>,
) -> Result<Option<Bundle>, String> {
    if name.is_empty() {
        return Err("substitution name cannot be empty".to_owned());
    }
    if base.is_empty() {
        return Err("substitution base cannot be empty".to_owned());
    }
    if name == base {
        return Err("substitution name and base cannot be the same".to_owned());
    }
    let bundle = source.bundle(name).map_err(|error| {
        format!(
            "failed to render bundle image reference {}: {error}",
            quote(name)
        )
    })?;
    let Some(bundle) = bundle else {
        return Ok(None);
    };
    let version = version_release(&bundle.blob).map_err(|error| {
        format!(
            "failed to get VersionRelease for substitute bundle {}: {error}",
            quote(name)
        )
    })?;
    let Some(base_blob) = blobs
        .iter()
        .find(|blob| blob["schema"] == "olm.bundle" && blob["name"] == base)
    else {
        return Err(format!(
            "base bundle {} does not exist in catalog",
            quote(base)
        ));
    };
    let base_version = version_release(base_blob).map_err(|error| {
        format!(
            "failed to get VersionRelease for base bundle {}: {error}",
            quote(base)
        )
    })?;
    if base_version.compare(&version) != Ordering::Less {
        return Err(format!(
            "base bundle {} is not less than substitute bundle {}",
            quote(base),
            quote(name)
        ));
    }
    for blob in blobs
        .iter_mut()
        .filter(|blob| blob["schema"] == "olm.channel")
    {
        if let Some(entries) = blob.get_mut("entries").and_then(Value::as_array_mut) {
            substitute_in_channel(entries, bundle.name(), base);
        }
    }
    blobs.push(bundle.blob.clone());
    match facts::refusal(blobs) {
        Some(reason) => Err(format!("resulting config is not valid FBC: {reason}")),
        None => Ok(Some(bundle)),
    }
}

fn version_release(blob: &Value) -> Result<VersionRelease, String> {
    let bundle = facts::bundle(blob).unwrap_or_default();
    let name = bundle.name.as_str();
    match &bundle.package_properties[..] {
        [] => Err(format!(
            "no \"olm.package\" property found for bundle {}",
            quote(name)
        )),
        [property] => {
            let substitutes_for = bundle.substitutes_for;
            let (version, release) = (property.version.as_str(), property.release());
            PackageVersion {
                version,
                release,
                substitutes_for,
            }
            .parse(name)
            .map_err(|error| error.to_string())
        }
        _ => Err("must be exactly one property of type \"olm.package\"".to_owned()),
    }
}

/// Adds an entry with the old entry's edges, which loses them, and redirects edges to the new one.
fn substitute_in_channel(entries: &mut Vec<Value>, name: &str, base: &str) {
    let before = entries.len();
    for index in (0..before).rev() {
        if entries[index]["name"] != base {
            continue;
        }
        let Some(fields) = entries[index].as_object_mut() else {
            continue;
        };
        let mut new_entry = Map::new();
        new_entry.insert("name".to_owned(), name.into());
        for field in ["replaces", "skips", "skipRange"] {
            if let Some(value) = fields.shift_remove(field) {
                new_entry.insert(field.to_owned(), value);
            }
        }
        push_skip(&mut new_entry, base);
        entries.push(Value::Object(new_entry));
    }
    for entry in entries[..before]
        .iter_mut()
        .filter_map(Value::as_object_mut)
    {
        if entry
            .get("replaces")
            .is_some_and(|replaces| replaces == base)
        {
            entry.insert("replaces".to_owned(), name.into());
            push_skip(entry, base);
        } else if entry
            .get("skips")
            .and_then(Value::as_array)
            .is_some_and(|skips| skips.contains(&base.into()))
        {
            push_skip(entry, name);
            if let Some(skips) = entry.get_mut("skips").and_then(Value::as_array_mut) {
                skips.retain(|skip| skip != base);
            }
        }
    }
}

fn push_skip(entry: &mut Map<String, Value>, name: &str) {
    let skips = entry
        .entry("skips")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Some(skips) = skips.as_array_mut() {
        skips.push(name.into());
    }
    // The range is written after the names.
    if let Some(range) = entry.shift_remove("skipRange") {
        entry.insert("skipRange".to_owned(), range);
    }
}

#[cfg(test)]
mod tests {
    use super::substitute_in_channel;
    use serde_json::{Value, json};

    #[test]
    fn the_new_bundle_takes_the_edges_of_the_old_one() {
        let entries = json!([
            {"name": "a1"},
            {"name": "a2", "replaces": "a1", "skips": ["a0"], "skipRange": "<2.0.0"},
            {"name": "a3", "replaces": "a2"},
            {"name": "a4", "replaces": "a3", "skips": ["a2", "a1"]}
        ]);
        let Value::Array(mut entries) = entries else {
            unreachable!()
        };
        substitute_in_channel(&mut entries, "a2-1", "a2");
        let expected = json!([
            {"name": "a1"},
            {"name": "a2"},
            {"name": "a3", "replaces": "a2-1", "skips": ["a2"]},
            {"name": "a4", "replaces": "a3", "skips": ["a1", "a2-1"]},
            {"name": "a2-1", "replaces": "a1", "skips": ["a0", "a2"], "skipRange": "<2.0.0"}
        ]);
        assert_eq!(Value::Array(entries), expected);
    }
}
