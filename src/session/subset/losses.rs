//! What a subset loses although nobody excluded it: packages and channels without a remaining
//! entry, and the bundles that meet a requirement.

use catalog::Catalog;
use catalog::model::{ChannelBlob, Package};
use catalog::version::Version;
use catalog::version::blang::Range;
use protocol::subset::{LostChannel, LostRequirement, Selection, SubsetLosses};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashMap;

/// Compares a catalog with the kept part of it.
pub(super) fn losses(full: &Catalog, kept: &Catalog, selection: &Selection) -> SubsetLosses {
    let mut losses = SubsetLosses {
        requirements: lost_requirements(full, kept),
        ..SubsetLosses::default()
    };
    for package in full.packages().filter(|package| !package.name.is_empty()) {
        let Some(rest) = kept.package(&package.name) else {
            if selection.packages.is_empty() {
                losses.packages.push(package.name.to_string());
            }
            continue;
        };
        let selected = selection.channels_of(&package.name);
        for channel in &package.channels {
            let name = channel.name.as_str();
            let is_selected = selected.is_empty() || selected.contains(&name);
            if is_selected && rest.channel(name).is_none() {
                losses.channels.push(LostChannel {
                    package: package.name.to_string(),
                    channel: name.to_owned(),
                    versions: version_span(package, channel),
                });
            }
        }
    }
    losses
}

/// Formats the lowest and the highest version of a channel; "" if it has none.
fn version_span(package: &Package, channel: &ChannelBlob) -> String {
    let bundles = channel
        .entries
        .iter()
        .filter_map(|entry| package.bundle(entry.name.as_str()));
    let mut versions: Vec<Version> = bundles
        .filter_map(|bundle| Version::parse(bundle.version()).ok())
        .collect();
    versions.sort_by(Version::cmp_precedence);
    match versions.as_slice() {
        [] => String::new(),
        [only] => only.to_string(),
        [lowest, .., highest] => format!("{lowest} to {highest}"),
    }
}

/// Returns the requirements of kept bundles that only bundles outside the subset meet.
fn lost_requirements(full: &Catalog, kept: &Catalog) -> Vec<LostRequirement> {
    let mut dependents: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for package in kept.packages() {
        for property in package.bundles.iter().flat_map(|bundle| &bundle.properties) {
            if let ("olm.package.required" | "olm.gvk.required", Some(value)) =
                (&*property.kind, &property.value)
            {
                dependents
                    .entry((&property.kind, value))
                    .or_default()
                    .insert(&package.name);
            }
        }
    }
    if dependents.is_empty() {
        return Vec::new();
    }
    let (before, after) = (Suppliers::new(full), Suppliers::new(kept));
    let mut lost: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for ((kind, value), packages) in dependents {
        let suppliers = before.suppliers(kind, value);
        if suppliers.is_empty() || !after.suppliers(kind, value).is_empty() {
            continue;
        }
        let required = required_in_words(kind, value);
        lost.entry((packages, suppliers))
            .or_default()
            .push(required);
    }
    let names = |names: BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
    let requirement = |((packages, suppliers), required): ((BTreeSet<&str>, BTreeSet<&str>), _)| {
        let (cut, outside) = suppliers
            .into_iter()
            .partition(|name| kept.package(name).is_some());
        LostRequirement {
            packages: names(packages),
            required,
            outside: names(outside),
            cut: names(cut),
        }
    };
    lost.into_iter().map(requirement).collect()
}

/// The packages of a catalog that can meet requirements.
struct Suppliers<'c> {
    catalog: &'c Catalog,
    /// By the canonical value of an API.
    apis: HashMap<&'c str, BTreeSet<&'c str>>,
}

impl<'c> Suppliers<'c> {
    fn new(catalog: &'c Catalog) -> Self {
        let mut apis: HashMap<&str, BTreeSet<&str>> = HashMap::default();
        for package in catalog.packages() {
            for property in package.bundles.iter().flat_map(|bundle| &bundle.properties) {
                if let ("olm.gvk", Some(value)) = (&*property.kind, &property.value) {
                    apis.entry(value).or_default().insert(&package.name);
                }
            }
        }
        Self { catalog, apis }
    }

    /// Returns the packages with a bundle that meets a requirement.
    fn suppliers(&self, kind: &str, value: &str) -> BTreeSet<&'c str> {
        if kind == "olm.gvk.required" {
            return self.apis.get(value).cloned().unwrap_or_default();
        }
        let value: Value = serde_json::from_str(value).unwrap_or_default();
        let package = self.catalog.package(text(&value, "packageName"));
        let range = Range::parse(text(&value, "versionRange"));
        let (Some(package), Ok(range)) = (package, range) else {
            return BTreeSet::new();
        };
        let mut versions = package
            .bundles
            .iter()
            .filter_map(|bundle| Version::parse(bundle.version()).ok());
        versions
            .any(|version| range.contains(&version))
            .then_some(&*package.name)
            .into_iter()
            .collect()
    }
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn required_in_words(kind: &str, value: &str) -> String {
    let value: Value = serde_json::from_str(value).unwrap_or_default();
    let text = |field| text(&value, field);
    match kind {
        "olm.gvk.required" => {
            format!(
                "API `{}` (`{}/{}`)",
                text("kind"),
                text("group"),
                text("version")
            )
        }
        _ => format!(
            "package `{}` `{}`",
            text("packageName"),
            text("versionRange")
        ),
    }
}
