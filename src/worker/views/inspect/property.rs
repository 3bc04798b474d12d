//! A bundle's properties in typed form, worded as OLM interprets them.

use super::{InspectionSubject, fact, shorten, with_note};
use fbc::model::{BundleBlob, Located};
use fbc::place::Place;
use protocol::inspection::Fact;
use serde_json::Value;

/// One fact per property, in file order. `document` is the reread bundle, for values that the index lacks.
pub(super) fn property_facts(
    subject: InspectionSubject<'_>,
    blob: &Located<BundleBlob>,
    document: Option<&Value>,
) -> Vec<Fact> {
    let values = document
        .and_then(|document| document.get("properties"))
        .and_then(Value::as_array);
    let properties = blob.properties.iter().enumerate().map(|(index, property)| {
        let kept = property
            .value
            .as_deref()
            .and_then(|json| serde_json::from_str::<Value>(json).ok());
        let value = kept.as_ref().or_else(|| values?.get(index)?.get("value"));
        let place = Place {
            start: property.start,
            end: property.start,
            line: property.line,
            ..Place::default()
        };
        let place = Place {
            end_line: property.line,
            ..place
        };
        let location = subject.location(blob.file, blob.index, place);
        Fact {
            location: Some(location),
            ..property_fact(&property.kind, value)
        }
    });
    properties.collect()
}

/// Whether this type of property is a requirement.
pub(super) fn is_required(kind: &str) -> bool {
    matches!(
        kind,
        "olm.gvk.required"
            | "olm.package.required"
            | "olm.label.required"
            | "olm.constraint"
            | "olm.maxOpenShiftVersion"
    )
}

/// Whether a requirement can refer to this type of property.
pub(super) fn is_provided(kind: &str) -> bool {
    matches!(kind, "olm.gvk" | "olm.label")
}

fn property_fact(kind: &str, value: Option<&Value>) -> Fact {
    let Some(value) = value else {
        return with_note("not read", fact(kind, ""));
    };
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let api = || format!("{}.{}/{}", text("kind"), text("group"), text("version"));
    match kind {
        "olm.package" => match text("release") {
            "" => with_note(
                "package and version",
                fact(kind, format!("{} {}", text("packageName"), text("version"))),
            ),
            release => with_note(
                "package, version and release",
                fact(
                    kind,
                    format!("{} {} ({release})", text("packageName"), text("version")),
                ),
            ),
        },
        "olm.gvk" => with_note("provides this API", fact(kind, api())),
        "olm.gvk.required" => fact(kind, api()),
        "olm.package.required" => fact(
            kind,
            format!("{} {}", text("packageName"), text("versionRange")),
        ),
        "olm.maxOpenShiftVersion" => {
            with_note("highest OpenShift allowed", fact(kind, plain(value)))
        }
        "olm.label" => with_note("a label that can be required", fact(kind, text("label"))),
        "olm.label.required" => fact(kind, text("label")),
        "olm.constraint" => with_note(text("failureMessage"), fact(kind, plain(value))),
        "olm.deprecated" => with_note("Classic never installs it", fact(kind, plain(value))),
        "olm.csv.metadata" => csv_metadata(kind, value),
        "olm.bundle.object" => {
            with_note("a manifest of the bundle", fact(kind, object_name(value)))
        }
        _ => fact(kind, plain(value)),
    }
}

/// The most useful fields of a ClusterServiceVersion.
fn csv_metadata(kind: &str, value: &Value) -> Fact {
    let text = |path: &str| {
        value
            .pointer(path)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let parts = [
        text("/displayName").map(str::to_owned),
        text("/maturity").map(|maturity| format!("maturity {maturity}")),
        text("/minKubeVersion").map(|version| format!("Kubernetes {version} or newer")),
        text("/provider/name").map(|provider| format!("by {provider}")),
    ];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let description = text("/description").or(text("/annotations/description"));
    with_note(
        description.map(first_paragraph).unwrap_or_default(),
        fact(kind, line),
    )
}

fn first_paragraph(text: &str) -> String {
    shorten(text.trim().split("\n\n").next().unwrap_or_default())
}

/// Kind and name of an inline manifest; for base64 data only the size.
fn object_name(value: &Value) -> String {
    match value.get("data").and_then(Value::as_str) {
        Some(data) => format!("{} bytes of base64", data.len()),
        None => plain(value),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => shorten(text),
        other => shorten(&other.to_string()),
    }
}
