//! Helpers for rules about bundles' properties.

use crate::validate::findings::{Anchor, BlobRef, Finding};
use crate::validate::spelling::compare_versions;
use catalog::model::blob::{Property, PropertyFact};
use catalog::model::{BundleBlob, Package};
use protocol::counting::and_more;
use serde_json::Value;
use syntax::hashed::HashMap;
use syntax::place::Place;

/// A property that some bundles of a package share, reported at the one with the highest version.
pub struct Shared<'a> {
    pub property: &'a Property,
    pub bundle: &'a BundleBlob,
    pub at: Anchor,
    /// Number of other bundles with the property.
    others: usize,
    /// Position of the last counted bundle: a bundle with the property twice counts once.
    last: usize,
}

impl Shared<'_> {
    pub fn finding(&self, message: impl Into<String>) -> Finding {
        Finding::new(self.at, message).bundle(&self.bundle.name.value)
    }

    /// Formats ``bundle `b` ``, with the number of others if there are any.
    pub fn label(&self) -> String {
        format_first_bundle(self.bundle.name.as_str(), self.others)
    }

    /// Like [`Shared::label`], with a verb, worded for one bundle and for several.
    pub fn label_with_verb(&self, does: &str, several_do: &str) -> String {
        format!(
            "{} {}",
            self.label(),
            if self.others == 0 { does } else { several_do }
        )
    }

    /// Returns the value, if it is stored and valid JSON.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(self.property.value.as_deref()?).ok()
    }

    /// "" if absent.
    pub fn field(&self, name: &str) -> String {
        self.value()
            .as_ref()
            .map_or_else(String::new, |v| field(v, name).to_owned())
    }
}

/// Formats a bundle's name, and the number of others if there are any.
pub fn format_first_bundle(bundle: &str, others: usize) -> String {
    match others {
        0 => format!("bundle `{bundle}`"),
        n => format!("bundle `{bundle}` {}", and_more(n)),
    }
}

/// Returns the distinct properties of these types, in order of appearance.
pub fn shared_properties<'a>(package: &'a Package, kinds: &[&str]) -> Vec<Shared<'a>> {
    shared_by(package, |kind| kinds.contains(&kind))
}

/// Like [`shared_properties`], for any type that `is_included` accepts.
pub fn shared_by<'a>(package: &'a Package, is_included: impl Fn(&str) -> bool) -> Vec<Shared<'a>> {
    let mut shared: Vec<Shared<'a>> = Vec::new();
    let mut positions: HashMap<&Property, usize> = HashMap::default();
    for (nth, bundle) in package
        .bundles
        .iter()
        .enumerate()
        .filter(|(_, b)| b.properties_fault.is_none())
    {
        for fact in bundle.properties.iter().filter(|p| is_included(&p.kind)) {
            let at = anchor(nth, fact);
            let position = *positions.entry(&fact.property).or_insert_with(|| {
                shared.push(Shared {
                    property: &fact.property,
                    bundle,
                    at,
                    others: 0,
                    last: nth,
                });
                shared.len() - 1
            });
            let entry = &mut shared[position];
            if entry.last != nth {
                entry.last = nth;
                entry.others += 1;
                if compare_versions(entry.bundle.version(), bundle.version()).is_lt() {
                    (entry.bundle, entry.at) = (bundle, at);
                }
            }
        }
    }
    shared
}

/// Anchors at the first line of the property; `bundle` is the bundle's index.
pub fn anchor(bundle: usize, fact: &PropertyFact) -> Anchor {
    let place = Place {
        start: fact.start,
        end: fact.start,
        line: fact.line,
        column: 0,
        end_line: fact.line.saturating_add(1),
        end_column: 0,
    };
    Anchor::new(BlobRef::Bundle(bundle as u32), place)
}

/// "" if absent.
pub fn field<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the constraints in a group (`all`, `any`, `not`); `None` if the constraint has no such
/// group.
pub fn members<'v>(constraint: &'v Value, group: &str) -> Option<&'v [Value]> {
    let group = constraint.get(group).filter(|v| !v.is_null())?;
    Some(
        group
            .get("constraints")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Catalog, Content, TreeEntry};
    use std::sync::Arc;

    #[test]
    fn a_shared_property_is_reported_once_at_the_newest_bundle() {
        let label = "- type: olm.label\n  value:\n    label: x\n";
        let bundle = |version: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nproperties:\n- type: olm.package\n  value:\n    \
                 packageName: p\n    version: {version}\n{label}{label}"
            )
        };
        let text = format!("{}{}{}", bundle("1.9.0"), bundle("1.10.0"), bundle("1.2.0"));
        let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
        let entry = TreeEntry {
            id: FileId(0),
            path: "catalog.yaml".to_owned(),
            content,
        };
        let catalog = Catalog::new("c", vec![entry]);
        let found = shared_properties(
            catalog.package("p").expect("named by its bundles"),
            &["olm.label"],
        );
        assert_eq!(
            found.iter().map(Shared::label).collect::<Vec<_>>(),
            ["bundle `p.v1.10.0` and 2 more"]
        );
        assert_eq!(found[0].field("label"), "x");
        assert_eq!(found[0].at.place.line, 8);
    }
}
