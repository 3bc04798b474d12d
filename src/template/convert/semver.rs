//! Finds a semver template that produces a catalog's graph, if there is one.
//!
//! The channels determine the lists and channel types; the resulting template is rendered with the
//! catalog's own bundles, and the output is compared with the channels.

use crate::render::semver::ARCHETYPES;
use crate::render::{Bundles, Options, render};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use syntax::order::SortSmall;

/// A semver template for a catalog's graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Semver {
    /// `schema` first, then the flags, then the lists.
    pub template: Value,
    /// What is lost although the graph is the same, because the template cannot express it.
    pub remarks: Vec<String>,
}

/// Returns the template of a catalog's blobs, or the differences from any semver template.
pub fn semver(blobs: &[Value]) -> Result<Semver, Vec<String>> {
    let catalog = CatalogParts::new(blobs)?;
    let mut differences = catalog.inexpressible_content();
    let mut plan = Plan::default();
    for channel in &catalog.channels {
        if let Err(problems) = plan.take(channel, &catalog.images) {
            differences.extend(problems);
        }
    }
    if !differences.is_empty() {
        return Err(differences);
    }
    let mut fewest: Option<Vec<String>> = None;
    for &preference in plan.preferences() {
        let template = plan.template(preference);
        match catalog.compare(&template) {
            Ok(remarks) => return Ok(Semver { template, remarks }),
            Err(problems) => {
                let is_fewer = |fewest: &Vec<String>| problems.len() < fewest.len();
                if fewest.as_ref().is_none_or(is_fewer) {
                    fewest = Some(problems);
                }
            }
        }
    }
    Err(fewest.unwrap_or_default())
}

/// A catalog with one package, split by schema.
struct CatalogParts<'a> {
    package: &'a Value,
    channels: Vec<&'a Value>,
    others: Vec<&'a Value>,
    /// By bundle name.
    images: BTreeMap<&'a str, &'a str>,
    bundles: BTreeMap<&'a str, &'a Value>,
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

impl<'a> CatalogParts<'a> {
    fn new(blobs: &'a [Value]) -> Result<Self, Vec<String>> {
        let package = match with_schema(blobs, "olm.package")[..] {
            [package] => package,
            [] => return Err(vec!["there is no olm.package".to_owned()]),
            ref several => {
                let names: Vec<&str> = several
                    .iter()
                    .map(|package| text(package, "name"))
                    .collect();
                let names = names.join(", ");
                return Err(vec![format!(
                    "there are several packages ({names}), but a semver template makes only one"
                )]);
            }
        };
        let mut parts = Self {
            package,
            channels: with_schema(blobs, "olm.channel"),
            others: blobs
                .iter()
                .filter(|blob| {
                    !["olm.package", "olm.channel", "olm.bundle"].contains(&text(blob, "schema"))
                })
                .collect(),
            images: BTreeMap::new(),
            bundles: BTreeMap::new(),
        };
        let mut differences = Vec::new();
        for bundle in with_schema(blobs, "olm.bundle") {
            let (name, image) = (text(bundle, "name"), text(bundle, "image"));
            if image.is_empty() {
                differences.push(format!(
                    "bundle {name} has no image, but a semver template lists bundles by image"
                ));
            } else if parts.bundles.contains_key(image) {
                differences.push(format!("bundle {name} has the image of another bundle"));
            }
            parts.images.insert(name, image);
            parts.bundles.insert(image, bundle);
        }
        if differences.is_empty() {
            Ok(parts)
        } else {
            Err(differences)
        }
    }

    /// Describes content that no semver template can produce, regardless of the graph.
    fn inexpressible_content(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for other in &self.others {
            problems.push(format!(
                "there is a blob of schema {}, which a semver template cannot make",
                text(other, "schema")
            ));
        }
        if has(self.package, "properties") {
            problems
                .push("the package has properties, which a semver template cannot make".to_owned());
        }
        for channel in self
            .channels
            .iter()
            .filter(|channel| has(channel, "properties"))
        {
            problems.push(format!(
                "channel {} has properties, which a semver template cannot make",
                text(channel, "name")
            ));
        }
        let listed: BTreeSet<&str> = self
            .channels
            .iter()
            .flat_map(|channel| entries(channel))
            .map(|entry| text(entry, "name"))
            .collect();
        for name in self.images.keys().filter(|name| !listed.contains(**name)) {
            problems.push(format!("bundle {name} is in no channel"));
        }
        problems
    }

    /// Renders the template with the catalog's bundles. Returns what is lost besides the graph, or
    /// as the error how the graph differs.
    fn compare(&self, template: &Value) -> Result<Vec<String>, Vec<String>> {
        let rendered = render(template.to_string().as_bytes(), self, Options::default());
        let blobs = rendered.map_err(|refused| vec![refused.message])?.blobs;
        let mut differences = Vec::new();
        for package in with_schema(&blobs, "olm.package") {
            for (field, what) in [("name", "name"), ("defaultChannel", "default channel")] {
                let (is, would) = (text(self.package, field), text(package, field));
                if is != would {
                    differences.push(format!(
                        "the {what} is {}, but would be {}",
                        name_or_none(is),
                        name_or_none(would)
                    ));
                }
            }
        }
        let would = with_schema(&blobs, "olm.channel");
        for channel in &would {
            if !self
                .channels
                .iter()
                .any(|original| text(original, "name") == text(channel, "name"))
            {
                differences.push(format!(
                    "there would be an extra channel {}",
                    text(channel, "name")
                ));
            }
        }
        for channel in &self.channels {
            let name = text(channel, "name");
            match would.iter().find(|other| text(other, "name") == name) {
                Some(other) => compare_entries(name, channel, other, &mut differences),
                None => differences.push(format!("there would be no channel {name}")),
            }
        }
        if !differences.is_empty() {
            return Err(differences);
        }
        let package = with_schema(&blobs, "olm.package")
            .into_iter()
            .next()
            .unwrap_or(&Value::Null);
        Ok(["description", "icon"]
            .iter()
            .filter(|field| has(self.package, field) && self.package[field] != package[field])
            .map(|field| {
            format!(
                "the package's {field} is taken from the bundle directory of the default channel's head when the template is rendered"
            )
        })
            .collect())
    }
}

impl Bundles for CatalogParts<'_> {
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String> {
        Ok(self.bundles.get(reference).map(|bundle| (*bundle).clone()))
    }
}

fn has(blob: &Value, field: &str) -> bool {
    match &blob[field] {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

fn name_or_none(name: &str) -> &str {
    if name.is_empty() { "none" } else { name }
}

fn entries(channel: &Value) -> &[Value] {
    channel["entries"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// Compares entries by name; the order of entries and skips is irrelevant.
fn compare_entries(channel: &str, is: &Value, would: &Value, differences: &mut Vec<String>) {
    for entry in entries(is) {
        let name = text(entry, "name");
        let Some(other) = entries(would)
            .iter()
            .find(|other| text(other, "name") == name)
        else {
            differences.push(format!("channel {channel}: {name} would be missing"));
            continue;
        };
        for field in ["replaces", "skipRange"] {
            let (is, would) = (text(entry, field), text(other, field));
            if is != would {
                differences.push(format!(
                    "channel {channel}: {name} has {field} {}, but would have {}",
                    name_or_none(is),
                    name_or_none(would)
                ));
            }
        }
        let (is, would) = (sorted_skips(entry), sorted_skips(other));
        if is != would {
            differences.push(format!(
                "channel {channel}: {name} skips {}, but would skip {}",
                name_or_none(&is),
                name_or_none(&would)
            ));
        }
    }
    for other in entries(would) {
        let name = text(other, "name");
        if !entries(is).iter().any(|entry| text(entry, "name") == name) {
            differences.push(format!("channel {channel}: {name} would be added"));
        }
    }
}

fn sorted_skips(entry: &Value) -> String {
    let mut names: Vec<String> = entry["skips"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|skip| skip.as_str().unwrap_or_default().to_owned())
        .collect();
    names.sort_small();
    names.dedup();
    names.join(", ")
}

/// The template parameters derived from the channels.
#[derive(Debug, Default)]
struct Plan {
    major: bool,
    minor: bool,
    /// Images of candidate, fast and stable, in channel order.
    images: [Vec<String>; 3],
}

impl Plan {
    fn take(&mut self, channel: &Value, images: &BTreeMap<&str, &str>) -> Result<(), Vec<String>> {
        let name = text(channel, "name");
        let Some((archetype, is_minor)) = archetype(name) else {
            let shapes = "candidate, fast or stable followed by -v1 or -v1.2";
            return Err(vec![format!(
                "channel {name}: a semver template makes only channels named {shapes}"
            )]);
        };
        if is_minor {
            self.minor = true;
        } else {
            self.major = true;
        }
        let mut differences = Vec::new();
        for entry in entries(channel) {
            let bundle = text(entry, "name");
            match images.get(bundle) {
                None => differences.push(format!("channel {name}: entry {bundle} has no bundle")),
                Some(image) => {
                    let list = &mut self.images[archetype];
                    if !list.iter().any(|listed| listed == image) {
                        list.push((*image).to_owned());
                    }
                }
            }
        }
        if differences.is_empty() {
            Ok(())
        } else {
            Err(differences)
        }
    }

    /// Returns the possible values of the default channel preference; omitted if unnecessary.
    fn preferences(&self) -> &'static [Option<&'static str>] {
        if self.major && self.minor {
            &[None, Some("major")]
        } else {
            &[None]
        }
    }

    fn template(&self, preference: Option<&str>) -> Value {
        let mut template = json!({
            "schema": "olm.semver",
            "generateMajorChannels": self.major,
            "generateMinorChannels": self.minor,
        });
        if let Some(preference) = preference {
            template["defaultChannelTypePreference"] = preference.into();
        }
        for (name, images) in ARCHETYPES
            .iter()
            .zip(&self.images)
            .filter(|(_, images)| !images.is_empty())
        {
            let bundles: Vec<Value> = images
                .iter()
                .map(|image| json!({ "image": image }))
                .collect();
            template[*name] = json!({ "bundles": bundles });
        }
        template
    }
}

/// Returns the list that a channel belongs to, and whether it is a minor version channel.
fn archetype(name: &str) -> Option<(usize, bool)> {
    let (archetype, version) = name.split_once("-v")?;
    let at = ARCHETYPES.iter().position(|list| *list == archetype)?;
    match version.split_once('.') {
        None => is_number(version).then_some((at, false)),
        Some((major, minor)) => (is_number(major) && is_number(minor)).then_some((at, true)),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn with_schema<'v>(blobs: &'v [Value], schema: &str) -> Vec<&'v Value> {
    blobs
        .iter()
        .filter(|blob| text(blob, "schema") == schema)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::semver;
    use serde_json::json;

    #[test]
    fn a_bundle_without_an_image_does_not_share_one() {
        let bundle = |name: &str| json!({"schema": "olm.bundle", "package": "p", "name": name});
        let package = json!({"schema": "olm.package", "name": "p", "defaultChannel": "stable"});
        let differences = semver(&[package, bundle("p.v1"), bundle("p.v2")]).err();
        let expected = ["p.v1", "p.v2"].map(|name| {
            format!("bundle {name} has no image, but a semver template lists bundles by image")
        });
        assert_eq!(differences.as_deref(), Some(expected.as_slice()));
    }
}
