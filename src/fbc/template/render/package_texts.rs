//! Description and icon of a semver template's package, for bundles from a catalog.
//!
//! `opm` takes both from the ClusterServiceVersion of the default channel's head (since v1.65). A
//! catalog with `olm.csv.metadata` has no ClusterServiceVersion: it keeps the description, and the
//! icon only in its `olm.package`.

use super::bundles::Bundles;
use super::known::Known;
use super::rendered::Rendered;
use crate::bundle;
use serde_json::Value;

/// Fills in missing texts of the package. Returns one sentence for each with its actual or possible
/// source.
pub fn complete_package(rendered: &mut Rendered, known: &Known) -> Vec<String> {
    let of_schema = |blob: &Value, schema: &str| blob["schema"] == schema;
    let Some(at) = rendered
        .blobs
        .iter()
        .position(|blob| of_schema(blob, "olm.package"))
    else {
        return Vec::new();
    };
    let package = &rendered.blobs[at];
    let name = package["name"].as_str().unwrap_or_default().to_owned();
    let head = rendered
        .blobs
        .iter()
        .filter(|blob| of_schema(blob, "olm.channel") && blob["name"] == package["defaultChannel"])
        .filter_map(|channel| channel["entries"].as_array()?.last()?["name"].as_str())
        .next()
        .unwrap_or_default()
        .to_owned();
    let reference = rendered.origins.iter().find(|(name, _)| *name == head);
    let source = reference.and_then(|(_, reference)| known.bundle(reference).ok().flatten());
    // With a ClusterServiceVersion there is nothing to add: `opm` already used it.
    let Some(source) = source.filter(|blob| bundle::cluster_service_version(blob).is_none()) else {
        return Vec::new();
    };
    let mut remarks = Vec::new();
    let mut missing = Vec::new();
    for field in ["description", "icon"] {
        if !rendered.blobs[at][field].is_null() {
            continue;
        }
        let of_bundle = metadata(&source).map(|metadata| metadata[field].clone());
        let of_bundle = of_bundle.filter(|value| field == "description" && is_text(value));
        let found = match of_bundle {
            Some(value) => Some((value, format!("`olm.csv.metadata` of {head}"))),
            None => known
                .packages(&name)
                .filter(|(_, blob)| !blob[field].is_null() && blob[field] != "")
                .map(|(file, blob)| (blob[field].clone(), format!("`olm.package` of {file}")))
                .next(),
        };
        match (found, rendered.blobs[at].as_object_mut()) {
            (Some((value, from)), Some(fields)) => {
                fields.insert(field.to_owned(), value);
                remarks.push(format!("package {name}: the {field} is from {from}"));
            }
            _ => missing.push(field),
        }
    }
    if !missing.is_empty() {
        remarks.push(format!(
            "package {name} gets no {}: opm takes it from the ClusterServiceVersion of {head}, which this catalog does not have; \
             name its bundle directory with --bundles, or a catalog whose `olm.package` has it",
            missing.join(" and no ")
        ));
    }
    remarks
}

fn metadata(bundle: &Value) -> Option<&Value> {
    let mut properties = bundle["properties"].as_array()?.iter();
    Some(&properties.find(|property| property["type"] == "olm.csv.metadata")?["value"])
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::{Options, render};
    use super::*;
    use crate::bundle::File;

    const TEMPLATE: &str =
        "Schema: olm.semver\nStable:\n  Bundles:\n  - Image: example.com/icon:v1.0.0\n";

    fn catalog(package: &str, property: &str) -> Known {
        let text = format!(
            "---\nschema: olm.package\nname: icon\ndefaultChannel: x\n{package}---\nschema: olm.channel\npackage: icon\nname: x\n\
             entries:\n- name: icon.v1.0.0\n---\nschema: olm.bundle\npackage: icon\nname: icon.v1.0.0\n\
             image: example.com/icon:v1.0.0\nproperties:\n- type: olm.package\n  value: {{packageName: icon, version: 1.0.0}}\n\
             {property}"
        );
        let mut known = Known::default();
        assert_eq!(
            known.add_catalog(File {
                path: "icon/catalog.yaml".into(),
                bytes: text.into_bytes(),
            }),
            None
        );
        known
    }

    fn complete(known: &Known) -> (Value, Vec<String>) {
        let mut rendered = render(TEMPLATE.as_bytes(), known, Options::default()).unwrap();
        let remarks = complete_package(&mut rendered, known);
        let package = rendered
            .blobs
            .into_iter()
            .find(|blob| blob["schema"] == "olm.package");
        (package.unwrap(), remarks)
    }

    #[test]
    fn content_of_a_migrated_catalog_is_kept() {
        let known = catalog(
            "description: Old.\nicon: {base64data: aWNvbg==, mediatype: image/png}\n",
            "- type: olm.csv.metadata\n  value: {description: Shows a picture.}\n",
        );
        let (package, remarks) = complete(&known);
        assert_eq!(package["description"], "Shows a picture.");
        assert_eq!(package["icon"]["base64data"], "aWNvbg==");
        assert_eq!(
            remarks,
            [
                "package icon: the description is from `olm.csv.metadata` of icon.v1.0.0",
                "package icon: the icon is from `olm.package` of icon/catalog.yaml"
            ]
        );
    }

    #[test]
    fn missing_bundles_are_reported() {
        let (package, remarks) = complete(&catalog("", ""));
        assert!(package["icon"].is_null() && package["description"].is_null());
        let [remark] = &remarks[..] else {
            panic!("{remarks:?}")
        };
        assert!(
            remark.starts_with("package icon gets no description and no icon: opm takes it from"),
            "{remark}"
        );
    }

    #[test]
    fn a_cluster_service_version_has_the_last_word() {
        let csv = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"icon.v1.0.0"},"spec":{"description":"New."}}"#;
        let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, csv);
        let known = catalog(
            "icon: {base64data: aWNvbg==, mediatype: image/png}\n",
            &format!("- type: olm.bundle.object\n  value: {{data: {data}}}\n"),
        );
        let (package, remarks) = complete(&known);
        assert_eq!(package["description"], "New.");
        assert!(package["icon"].is_null(), "the bundle has none");
        assert_eq!(remarks, Vec::<String>::new());
    }
}
