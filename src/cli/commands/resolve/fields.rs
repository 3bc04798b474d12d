//! The fields of a request: what may be written, and what a misspelt one was meant to be. A field that nobody knows would
//! be passed over, and the answer would be one to another question.

use fbc::did_you_mean::did_you_mean;
use serde_json::Value;

/// The shape of a request, for the help.
pub(crate) const HELP: &str = r#"A request:
  {
    "catalogs": [{
      "name": "c",                    as subscriptions name it
      "namespace": "",                where it is; "" is the namespace that is resolved
      "priority": 0,
      "blobs": [..]                   its olm.package, olm.channel, olm.bundle, … blobs
    }],
    "subscriptions": [{
      "name": "s",
      "package": "p",
      "channel": "stable",            without one: any channel, the default channel first
      "catalog": "c",
      "catalogNamespace": "",         of the catalog
      "startingCSV": "p.v1.0.0",      used only while nothing is installed
      "installedCSV": "p.v1.1.0"      used only if `installed` contains it
    }],
    "installed": [{                   the ClusterServiceVersions on the cluster
      "name": "p.v1.1.0",
      "version": "1.1.0",
      "properties": [{"type": "olm.package", "value": {..}}],
      "owned": [{"name": "things.example.com", "version": "v1", "kind": "Thing"}],
      "required": [],                 owned and required are used if there are no properties
      "phase": "Succeeded",
      "replaces": ""
    }],
    "failForward": false              the operator group's TechPreviewUnsafeFailForward
  }

An answer has `bundles` to install, `subscriptions` with a state each (installs, updates, up-to-date, held-back,
no-way-on) and `why`; or `kind` and `error`, with exit status 1."#;

/// A field that is not there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownField {
    pub(super) message: String,
    pub(super) help: String,
}

/// An object: its fields, and which of them hold lists of further ones.
struct Shape {
    fields: &'static [&'static str],
    lists: &'static [(&'static str, Shape)],
}

/// What a CSV says of a CRD, as far as anybody copies it working_folder; three of them count.
const CRD: Shape = Shape {
    fields: &[
        "name",
        "version",
        "kind",
        "displayName",
        "description",
        "resources",
        "specDescriptors",
        "statusDescriptors",
        "actionDescriptors",
    ],
    lists: &[],
};

const REQUEST: Shape = Shape {
    // The last three are those of recorded answers, which are requests as well.
    fields: &[
        "catalogs",
        "subscriptions",
        "installed",
        "failForward",
        "id",
        "result",
        "alternatives",
    ],
    lists: &[
        (
            "catalogs",
            Shape {
                fields: &["name", "namespace", "priority", "blobs"],
                lists: &[],
            },
        ),
        (
            "subscriptions",
            Shape {
                fields: &[
                    "name",
                    "package",
                    "channel",
                    "catalog",
                    "catalogNamespace",
                    "startingCSV",
                    "installedCSV",
                ],
                lists: &[],
            },
        ),
        (
            "installed",
            Shape {
                fields: &[
                    "name",
                    "version",
                    "properties",
                    "owned",
                    "required",
                    "phase",
                    "replaces",
                ],
                lists: &[
                    (
                        "properties",
                        Shape {
                            fields: &["type", "value"],
                            lists: &[],
                        },
                    ),
                    ("owned", CRD),
                    ("required", CRD),
                ],
            },
        ),
    ],
};

/// Refuses the first field that no request has. Types are for the reader to refuse.
pub(super) fn check(request: &Value) -> Result<(), UnknownField> {
    object(request, &REQUEST, "")
}

fn object(value: &Value, shape: &Shape, place: &str) -> Result<(), UnknownField> {
    let Some(map) = value.as_object() else {
        return Ok(());
    };
    for (key, value) in map {
        if !shape.fields.contains(&key.as_str()) {
            let of = if place.is_empty() {
                "a request".to_owned()
            } else {
                format!("`{place}`")
            };
            let known: Vec<String> = shape
                .fields
                .iter()
                .map(|field| format!("`{field}`"))
                .collect();
            return Err(UnknownField {
                message: format!(
                    "{of} has no field `{}`",
                    key.replace(char::is_control, "\u{fffd}")
                ),
                help: did_you_mean(
                    key,
                    shape.fields.iter().copied(),
                    &format!("it has {}", known.join(", ")),
                ),
            });
        }
        let Some((_, inner)) = shape.lists.iter().find(|(name, _)| name == key) else {
            continue;
        };
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            let of = if place.is_empty() {
                key.clone()
            } else {
                format!("{place}.{key}")
            };
            object(item, inner, &format!("{of}[{at}]"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_misspelt_field_is_told_with_its_place() {
        for (request, message, help) in [
            (
                json!({"catalog": []}),
                "a request has no field `catalog`",
                "did you mean `catalogs`?",
            ),
            (
                json!({"subscriptions": [{"name": "s"}, {"chanel": "c"}]}),
                "`subscriptions[1]` has no field `chanel`",
                "did you mean `channel`?",
            ),
            (
                json!({"subscriptions": [{"startingCsv": "c"}]}),
                "`subscriptions[0]` has no field `startingCsv`",
                "did you mean `startingCSV`?",
            ),
            (
                json!({"catalogs": [{"prority": 1}]}),
                "`catalogs[0]` has no field `prority`",
                "did you mean `priority`?",
            ),
            (
                json!({"installed": [{"properties": [{"typ": 1}]}]}),
                "`installed[0].properties[0]` has no field `typ`",
                "did you mean `type`?",
            ),
        ] {
            let unknown = check(&request).unwrap_err();
            assert_eq!(
                (unknown.message.as_str(), unknown.help.as_str()),
                (message, help)
            );
        }
        assert!(
            check(&json!({"subscriptions": [{"": 1}]}))
                .unwrap_err()
                .help
                .starts_with("it has `name`")
        );
        assert!(
            check(&json!({"catalogs": [{"blobs": [{"anything": 1}]}], "id": "x", "result": {}}))
                .is_ok()
        );
    }

    #[test]
    fn the_help_has_every_field() {
        let own = REQUEST
            .lists
            .iter()
            .flat_map(|(_, shape)| shape.fields.iter());
        for field in REQUEST.fields.iter().take(4).chain(own) {
            assert!(HELP.contains(&format!("\"{field}\":")), "{field}");
        }
    }
}
