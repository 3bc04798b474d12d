//! The operations on packages, bundles and properties, specified a second time on plain values; and
//! random such operations.

use super::naive::{Naive, text};
use super::operations::as_text;
use ::catalog::model::Package;
use protocol::operation::{Choice, EditOp};
use rand::Rng;
use serde_json::{Value, json};

/// The package after an accepted operation.
pub fn apply(after: &mut Naive, op: &EditOp) {
    match op {
        EditOp::SetDescription { text, .. } if text.is_empty() => {
            after.package.as_object_mut().unwrap().remove("description");
        }
        EditOp::SetDescription { text, .. } => after.package["description"] = json!(text),
        EditOp::SetIcon { data: None, .. } => {
            after.package.as_object_mut().unwrap().remove("icon");
        }
        EditOp::SetIcon {
            data: Some(data), ..
        } => {
            let mediatype = if data.starts_with("iVBOR") {
                "image/png"
            } else {
                "image/svg+xml"
            };
            after.package["icon"] = json!({ "base64data": data, "mediatype": mediatype });
        }
        EditOp::AddBundle {
            package,
            bundle,
            version,
            release,
            image,
            ..
        } => {
            let mut value = json!({ "packageName": package, "version": version });
            if let Some(release) = release {
                value["release"] = json!(release);
            }
            after.bundles.push(json!({
                "schema": "olm.bundle", "name": bundle, "package": package, "image": image,
                "properties": [{ "type": "olm.package", "value": value }],
            }));
        }
        EditOp::SetImage {
            bundle,
            condition,
            image,
            ..
        } => {
            for bundle in selected_bundles(after, bundle, condition) {
                let old = bundle["image"].clone();
                let related = bundle
                    .get_mut("relatedImages")
                    .and_then(Value::as_array_mut)
                    .into_iter()
                    .flatten();
                for item in related
                    .filter(|item| !old.is_null() && old != json!("") && item["image"] == old)
                {
                    item["image"] = json!(image);
                }
                bundle["image"] = json!(image);
            }
        }
        EditOp::AddProperty {
            bundle,
            condition,
            kind,
            value,
            ..
        } => {
            let property = json!({ "type": kind, "value": as_text(value.clone()) });
            for bundle in selected_bundles(after, bundle, condition) {
                match bundle.get_mut("properties").and_then(Value::as_array_mut) {
                    Some(list) if list.contains(&property) => {}
                    Some(list) => list.push(property.clone()),
                    None => bundle["properties"] = json!([property]),
                }
            }
        }
        EditOp::RemoveProperty {
            bundle,
            condition,
            kind,
            value,
            ..
        } => {
            let value = value.clone().map(as_text);
            for bundle in selected_bundles(after, bundle, condition) {
                let Some(list) = bundle.get_mut("properties").and_then(Value::as_array_mut) else {
                    continue;
                };
                list.retain(|p| {
                    p["type"] != json!(kind)
                        || value.as_ref().is_some_and(|value| p["value"] != *value)
                });
            }
        }
        _ => unreachable!("{op:?} is specified elsewhere"),
    }
}

/// The bundles that an operation applies to. Supports only the conditions that [`random_op`]
/// generates.
fn selected_bundles<'a>(
    naive: &'a mut Naive,
    bundle: &Option<String>,
    condition: &Option<String>,
) -> Vec<&'a mut Value> {
    let fast: Vec<Value> = naive.channels.get("fast").map_or_else(Vec::new, |c| {
        c["entries"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|e| json!(text(e, "name")))
            .collect()
    });
    let has = |bundle: &Value, kind: &str| {
        bundle["properties"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|p| p["type"] == json!(kind))
    };
    let meets = |b: &Value| match (bundle, condition.as_deref()) {
        (Some(name), _) => text(b, "name") == name,
        (_, Some("name~1.")) => text(b, "name").contains("1."),
        (_, Some("channel=fast and not has olm.gvk")) => {
            fast.contains(&json!(text(b, "name"))) && !has(b, "olm.gvk")
        }
        (_, other) => panic!("{other:?} is not a condition of this generator"),
    };
    naive.bundles.iter_mut().filter(|b| meets(b)).collect()
}

/// Whether the operation is specified by bundles, which must then be readable.
pub fn is_of_bundles(op: &EditOp) -> bool {
    matches!(
        op,
        EditOp::AddBundle { .. }
            | EditOp::SetImage { .. }
            | EditOp::AddProperty { .. }
            | EditOp::RemoveProperty { .. }
    )
}

/// Whether the operation names the blob with this title.
pub fn names(op: &EditOp, title: &str) -> bool {
    match op {
        EditOp::SetDescription { package, .. } | EditOp::SetIcon { package, .. } => {
            title == format!("package {package}")
        }
        EditOp::AddBundle {
            package,
            bundle,
            to,
            ..
        } => {
            title == format!("bundle {package} {bundle}")
                || to
                    .as_ref()
                    .is_some_and(|to| title == format!("channel {package} {to}"))
        }
        EditOp::SetImage {
            package, bundle, ..
        }
        | EditOp::AddProperty {
            package, bundle, ..
        }
        | EditOp::RemoveProperty {
            package, bundle, ..
        } => match bundle {
            Some(bundle) => title == format!("bundle {package} {bundle}"),
            None => title.starts_with(&format!("bundle {package} ")),
        },
        _ => unreachable!("{op:?} is specified elsewhere"),
    }
}

/// An operation on a package.
pub fn random_op<R: Rng>(random: &mut R, package: &Package) -> Option<EditOp> {
    const TEXTS: [&str; 5] = [
        "",
        "A text",
        "it's: \"old\" # no",
        "# Heading\n\n- one\n- two\n",
        "ä – ü",
    ];
    const ICONS: [Option<&str>; 3] = [None, Some("PHN2Zy8+"), Some("iVBORw0KGgoAAAANSUhEUg==")];
    let (catalog, name) = (None, package.name.to_string());
    let property = |random: &mut R| match random.random_range(0..6) {
        0 => (
            "olm.gvk",
            json!({ "group": "g.io", "version": "v1", "kind": "K" }),
        ),
        1 => (
            "olm.gvk.required",
            json!({ "kind": "K2", "group": "g.io", "version": "010" }),
        ),
        2 => (
            "olm.package.required",
            json!({ "packageName": "q", "versionRange": ">=1.0.0 <2.0.0" }),
        ),
        3 => ("olm.maxOpenShiftVersion", json!("4.10")),
        4 => (
            "olm.csv.metadata",
            json!({ "displayName": "P", "annotations": { "a": "b" } }),
        ),
        _ => (
            "io.x.other",
            json!([1, null, "yes", { "a: b": ["# c", []] }]),
        ),
    };
    let (bundle, condition) = match random.random_range(0..4) {
        0 => (None, Some("name~1.".to_owned())),
        1 => (None, Some("channel=fast and not has olm.gvk".to_owned())),
        _ => (
            Some(
                package
                    .bundles
                    .get(random.random_range(0..package.bundles.len().max(1)))?
                    .name
                    .value
                    .to_string(),
            ),
            None,
        ),
    };
    Some(match random.random_range(0..6) {
        0 => {
            let image = ["quay.io/x/y:v1", "localhost:5000/a@sha256:0000"]
                [random.random_range(0..2)]
            .to_owned();
            EditOp::SetImage {
                catalog,
                package: name,
                bundle,
                condition,
                image,
            }
        }
        1 => {
            let (kind, value) = property(random);
            EditOp::AddProperty {
                catalog,
                package: name,
                bundle,
                condition,
                kind: kind.to_owned(),
                value,
            }
        }
        2 => {
            let (kind, value) = property(random);
            let value = random.random::<bool>().then_some(value);
            EditOp::RemoveProperty {
                catalog,
                package: name,
                bundle,
                condition,
                kind: kind.to_owned(),
                value,
            }
        }
        3 => {
            let version =
                ["9.9.9", "0.0.1-rc.1", "1.1.5", "1.0.0"][random.random_range(0..4)].to_owned();
            let to = package
                .channels
                .get(random.random_range(0..4))
                .map(|c| c.name.value.to_string());
            // The place of a new bundle depends only on versions.
            let release = to
                .is_none()
                .then(|| ["1", "2.a"][random.random_range(0..2)].to_owned());
            let bundle = match &release {
                None => format!("{name}.v{version}"),
                Some(release) => format!("{name}-v{version}-{release}"),
            };
            let image = "quay.io/x/y:v1".to_owned();
            EditOp::AddBundle {
                catalog,
                package: name,
                bundle,
                version,
                release,
                image,
                to,
                how: None,
                replaces: Choice::Default,
                skip_range: Choice::Default,
                skips: Vec::new(),
                blob: None,
            }
        }
        4 => EditOp::SetDescription {
            catalog,
            package: name,
            text: TEXTS[random.random_range(0..5)].to_owned(),
        },
        _ => EditOp::SetIcon {
            catalog,
            package: name,
            data: ICONS[random.random_range(0..3)].map(str::to_owned),
        },
    })
}
