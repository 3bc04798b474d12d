//! What a bundle provides to requirements.

use super::gvk::{Apis, Gvk, string};
use crate::hashed::HashSet;
use crate::model::BundleBlob;
use crate::model::blob::PackageProperty;
use crate::place::Text;
use crate::version::Version;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(super) struct Facts {
    package: Text,
    version: Option<Version>,
    /// Package names and versions of its `olm.package` properties.
    packages: Vec<(String, Option<Version>)>,
    /// May contain duplicates.
    pub gvks: Vec<Rc<Gvk>>,
    pub labels: HashSet<String>,
    pub deprecated: bool,
    /// Type and value of each property.
    pub properties: Vec<(Text, Text)>,
    cel: OnceCell<Value>,
}

impl Facts {
    pub(super) fn new(
        package: &Text,
        version: &str,
        properties: Vec<(Text, Text)>,
        apis: &mut Apis,
    ) -> Self {
        let mut facts = Self {
            package: package.clone(),
            version: Version::parse_tolerant(version).ok(),
            ..Self::default()
        };
        for (kind, text) in &properties {
            match &**kind {
                "olm.package" => {
                    let value = parse_value(text);
                    let name = string(&value, "packageName").unwrap_or_default();
                    let version = string(&value, "version").unwrap_or_default();
                    facts.packages.push((name, Version::parse(&version).ok()));
                }
                "olm.gvk" => facts.gvks.extend(apis.intern(text)),
                "olm.label" => facts.labels.extend(string(&parse_value(text), "label")),
                "olm.deprecated" => facts.deprecated = true,
                _ => {}
            }
        }
        Self {
            properties,
            ..facts
        }
    }

    /// The properties as a CEL value.
    pub(super) fn cel(&self) -> &Value {
        self.cel.get_or_init(|| {
            let visible = |kind: &str| !matches!(kind, "olm.bundle.object" | "olm.csv.metadata");
            let properties = self.properties.iter().filter(|(kind, _)| visible(kind));
            properties
                .map(|(kind, text)| json!({"type": &**kind, "value": parse_value(text)}))
                .collect()
        })
    }

    pub(super) fn belongs_to(&self, package: &str) -> bool {
        *self.package == *package || self.packages.iter().any(|(name, _)| name == package)
    }

    /// Distinct names of its `olm.package` properties.
    pub(super) fn package_names(&self) -> impl Iterator<Item = &str> {
        let names = self.packages.iter().map(|(name, _)| name.as_str());
        names
            .enumerate()
            .filter(|(i, n)| self.packages.iter().take(*i).all(|(m, _)| m != n))
            .map(|(_, n)| n)
    }

    pub(super) fn versions(&self) -> impl Iterator<Item = &Version> {
        self.packages
            .iter()
            .filter_map(|(_, v)| v.as_ref())
            .chain(&self.version)
    }
}

pub(super) fn facts_of(package: &Text, blob: &BundleBlob, apis: &mut Apis) -> Rc<Facts> {
    // `olm.package` values are stored separately, in property order.
    let mut packages = blob.package_properties.iter();
    let mut properties: Vec<(Text, Text)> = Vec::with_capacity(blob.properties.len() + 1);
    for property in &blob.properties {
        let value = match (&property.value, &*property.kind) {
            (Some(value), _) => value.clone(),
            (None, "olm.package") => packages.next().map_or_else(|| "null".into(), package_value),
            (None, _) => "null".into(),
        };
        properties.push((property.kind.clone(), value));
    }
    if blob.package_properties.is_empty() {
        let synthesized = json!({"packageName": &**package, "version": blob.version()});
        properties.push(("olm.package".into(), synthesized.to_string().into()));
    }
    Rc::new(Facts::new(package, blob.version(), properties, apis))
}

fn package_value(property: &PackageProperty) -> Text {
    let mut value = json!({"packageName": property.package_name.as_str(), "version": property.version.as_str()});
    if !property.release().is_empty() {
        value["release"] = property.release().into();
    }
    value.to_string().into()
}

/// Property values are stored as text.
pub(super) fn parse_value(text: &Text) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}
