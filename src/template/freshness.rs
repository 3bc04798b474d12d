//! Checks whether a catalog equals the current rendering of its template.
//!
//! Follows the release pipeline of operator repositories: from OpenShift 4.17 on, bundles are
//! migrated; a package's description and icon and the order of related images are ignored, since
//! they depend on the images. Everything else is compared as written: an empty list that `opm`
//! would not write is a difference. Older versions of `opm` let an entry of a semver template skip
//! what it replaces; a difference that is only this does not make a catalog stale.

use super::render::{Bundles, Missing, Options, TemplateType, render};
use bundle::{self, Migration};
use catalog::model::FileIndex;
use serde_json::Value;
use std::collections::BTreeMap;
use syntax::go_text::string_or_empty;
use syntax::order::SortSmall;

/// Bundles are migrated from this OpenShift version on.
const FIRST_MIGRATED: (u32, u32) = (4, 17);

/// The result of rendering a template for one catalog.
#[derive(Debug, Clone, PartialEq)]
pub enum CatalogRendering {
    /// The blobs in `opm`'s order.
    Rendered(Vec<Value>),
    UnknownBundles(Vec<String>),
    /// Why it cannot be rendered, in `opm`'s wording.
    Refused(String),
}

/// Schema, package and name of a blob; a package's own blob has no package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobKey {
    pub schema: String,
    pub package: String,
    pub name: String,
}

/// What rendering would change, each in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    pub added: Vec<BlobKey>,
    pub removed: Vec<BlobKey>,
    pub changed: Vec<BlobKey>,
    /// Whether these differences are only what versions of `opm` write differently.
    pub only_by_opm_version: bool,
}

impl Differences {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl BlobKey {
    pub fn from_blob(blob: &Value) -> Self {
        let [schema, package, name] =
            ["schema", "package", "name"].map(|field| string_or_empty(&blob[field]));
        Self {
            schema,
            package,
            name,
        }
    }
}

/// Returns the migration level for a catalog name: bundles are migrated from `v4.17` on, and only
/// for names of the form `vX.Y`.
pub fn migration_for(catalog: &str) -> Migration {
    let version = catalog
        .strip_prefix('v')
        .and_then(|version| version.split_once('.'));
    match version.and_then(|(major, minor)| Some((parse_number(major)?, parse_number(minor)?))) {
        Some(version) if version >= FIRST_MIGRATED => Migration::BundleObjectToCsvMetadata,
        _ => Migration::None,
    }
}

fn parse_number(text: &str) -> Option<u32> {
    // Unlike `parse`, refuses a sign.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Renders a template for a catalog. `kind`: the type in the mapping; defaults to the template's
/// own.
pub fn render_for(
    catalog: &str,
    text: &[u8],
    kind: Option<TemplateType>,
    bundles: &dyn Bundles,
) -> CatalogRendering {
    let options = Options {
        kind,
        migration: migration_for(catalog),
        missing: Missing::LeftOut,
    };
    match render(text, bundles, options) {
        Ok(rendered) if rendered.missing.is_empty() => {
            CatalogRendering::Rendered(rendered.blobs_in_order())
        }
        Ok(rendered) => CatalogRendering::UnknownBundles(rendered.missing),
        Err(refused) if !refused.missing.is_empty() => {
            CatalogRendering::UnknownBundles(refused.missing)
        }
        Err(refused) => CatalogRendering::Refused(refused.message),
    }
}

/// Returns the differences between the rendering and a catalog. Blobs with one key are compared in
/// order. `has_generated_edges`: `opm` generates the edges, as for a semver template.
pub fn differences(
    catalog: &[Value],
    rendered: &[Value],
    has_generated_edges: bool,
) -> Differences {
    let (current, rendered) = (by_key(catalog), by_key(rendered));
    let mut differences = Differences {
        only_by_opm_version: has_generated_edges,
        ..Differences::default()
    };
    for (key, blobs) in &rendered {
        let Some(old) = current.get(key) else {
            differences.added.push(key.clone());
            continue;
        };
        let are_same = |is_same: fn(&Value, &Value) -> bool| {
            old.len() == blobs.len() && old.iter().zip(blobs).all(|(old, new)| is_same(old, new))
        };
        if !are_same(is_same) {
            differences.changed.push(key.clone());
            differences.only_by_opm_version &= are_same(|old, new| {
                is_same(&without_repeated_skips(old), &without_repeated_skips(new))
            });
        }
    }
    differences.removed = current
        .into_keys()
        .filter(|key| !rendered.contains_key(key))
        .collect();
    differences.only_by_opm_version &= !differences.changed.is_empty()
        && differences.added.is_empty()
        && differences.removed.is_empty();
    differences
}

/// Returns the rendering with ignored differences taken from the catalog: equal blobs stay the
/// catalog's, and a package keeps a description and icon that no bundle provides.
pub fn in_catalog_form(catalog: &[Value], rendered: Vec<Value>) -> Vec<Value> {
    let current = by_key(catalog);
    rendered
        .into_iter()
        .map(|blob| {
            let old = current.get(&BlobKey::from_blob(&blob));
            match old.and_then(|blobs| blobs.first()) {
                Some(old) if is_same(old, &blob) => (*old).clone(),
                Some(old) => with_package_texts(blob, old),
                None => blob,
            }
        })
        .collect()
}

/// Returns the package with its previous description and icon, if it has none.
fn with_package_texts(mut blob: Value, old: &Value) -> Value {
    if blob["schema"] == "olm.package"
        && let Some(fields) = blob.as_object_mut()
    {
        for field in ["description", "icon"] {
            if let Some(value) = old.get(field)
                && !fields.contains_key(field)
            {
                fields.insert(field.to_owned(), value.clone());
            }
        }
    }
    blob
}

fn by_key(blobs: &[Value]) -> BTreeMap<BlobKey, Vec<&Value>> {
    let mut blobs_by_key: BTreeMap<BlobKey, Vec<&Value>> = BTreeMap::new();
    for blob in blobs {
        let key = BlobKey::from_blob(blob);
        blobs_by_key.entry(key).or_default().push(blob);
    }
    blobs_by_key
}

/// Whether two blobs are equal apart from ignored differences.
pub(super) fn is_same(old: &Value, new: &Value) -> bool {
    old == new || to_comparable(old) == to_comparable(new)
}

fn to_comparable(blob: &Value) -> Value {
    let mut blob = blob.clone();
    let Some(fields) = blob.as_object_mut() else {
        return blob;
    };
    match fields.get("schema").and_then(Value::as_str) {
        Some("olm.package") => {
            fields.remove("description");
            fields.remove("icon");
        }
        Some("olm.bundle") => {
            if let Some(images) = fields
                .get_mut("relatedImages")
                .and_then(Value::as_array_mut)
            {
                images.sort_small_by_key(|image| {
                    (
                        string_or_empty(&image["image"]),
                        string_or_empty(&image["name"]),
                    )
                });
            }
        }
        _ => {}
    }
    blob
}

/// Returns a channel without `skips` of what the same entry replaces.
fn without_repeated_skips(blob: &Value) -> Value {
    let mut blob = blob.clone();
    let entries = blob.get_mut("entries").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten() {
        let Some(fields) = entry.as_object_mut() else {
            continue;
        };
        let replaces = fields.get("replaces").cloned();
        if let Some(skips) = fields.get_mut("skips").and_then(Value::as_array_mut) {
            let count = skips.len();
            skips.retain(|skip| Some(skip) != replaces.as_ref());
            if skips.is_empty() && count > 0 {
                fields.remove("skips");
            }
        }
    }
    blob
}

/// Returns the blobs of a catalog file as written; `None` if one is unreadable.
pub fn read(text: &[u8], index: &FileIndex) -> Option<Vec<Value>> {
    index
        .blobs
        .iter()
        .map(|blob| {
            bundle::read_document(
                text.get(blob.start as usize..blob.end as usize)?,
                blob.format,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn catalogs_named_4_17_or_later_are_migrated() {
        for (name, migrated) in [
            ("v4.17", true),
            ("v4.9", false),
            ("v4.22", true),
            ("4.22", false),
            ("latest", false),
            ("v5.0", true),
        ] {
            assert_eq!(migration_for(name) != Migration::None, migrated, "{name}");
        }
    }

    #[test]
    fn content_of_images_is_not_compared() {
        let package = |more: Value| {
            let mut blob = json!({"schema": "olm.package", "name": "p", "defaultChannel": "a"});
            blob.as_object_mut()
                .expect("fields")
                .extend(more.as_object().expect("fields").clone());
            blob
        };
        let bundle = |images: Value| json!({"schema": "olm.bundle", "package": "p", "name": "p.v1", "relatedImages": images});
        let (a, b) = (
            json!({"image": "a", "name": ""}),
            json!({"image": "b", "name": ""}),
        );
        let current = [package(json!({"description": "d"})), bundle(json!([b, a]))];
        let rendered = [package(json!({})), bundle(json!([a, b]))];
        assert!(differences(&current, &rendered, false).is_empty());
        assert_eq!(in_catalog_form(&current, rendered.to_vec()), current);
        let other = package(json!({"defaultChannel": "b"}));
        let key = BlobKey {
            schema: "olm.package".to_owned(),
            package: String::new(),
            name: "p".to_owned(),
        };
        assert_eq!(
            differences(&current, std::slice::from_ref(&other), false).changed,
            [key]
        );
        assert_eq!(
            in_catalog_form(&current, vec![other])[0]["description"],
            "d"
        );
    }

    #[test]
    fn blobs_are_added_removed_and_changed() {
        let channel = |name: &str, entry: &str| json!({"schema": "olm.channel", "package": "p", "name": name, "entries": [{"name": entry}]});
        let found = differences(
            &[channel("a", "v1"), channel("b", "v1")],
            &[channel("b", "v2"), channel("c", "v1")],
            true,
        );
        assert!(!found.only_by_opm_version);
        let names = |keys: &[BlobKey]| keys.iter().map(|key| key.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            (
                names(&found.added),
                names(&found.removed),
                names(&found.changed)
            ),
            (
                vec!["c".to_owned()],
                vec!["a".to_owned()],
                vec!["b".to_owned()]
            )
        );
    }

    #[test]
    fn versions_of_opm_differ_in_generated_skips_of_what_is_replaced() {
        let channel = |skips: Value| {
            let head = json!({"name": "p.v2", "replaces": "p.v1", "skips": skips});
            json!({"schema": "olm.channel", "package": "p", "name": "a", "entries": [head]})
        };
        let without_skips = json!({"schema": "olm.channel", "package": "p", "name": "a", "entries": [{"name": "p.v2", "replaces": "p.v1"}]});
        let is_by_version = |current: &Value, rendered: &Value, is_semver: bool| {
            let [current, rendered] = [current, rendered].map(std::slice::from_ref);
            let found = differences(current, rendered, is_semver);
            assert_eq!(found.changed.len(), 1);
            found.only_by_opm_version
        };
        let repeated = channel(json!(["p.v1"]));
        assert!(is_by_version(&repeated, &without_skips, true));
        assert!(is_by_version(&without_skips, &repeated, true));
        let both = channel(json!(["p.v0", "p.v1"]));
        assert!(is_by_version(&both, &channel(json!(["p.v0"])), true));
        assert!(
            !is_by_version(&repeated, &without_skips, false),
            "a basic template contains its edges"
        );
        assert!(!is_by_version(&both, &without_skips, true));
        assert!(!is_by_version(&channel(json!([])), &without_skips, true));
    }
}
