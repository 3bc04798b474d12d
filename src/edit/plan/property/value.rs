//! Valid property values by type: the shape that `opm` decodes, and what OLM reads from it.
//!
//! Sources: `opm-semantics` 2.2 for the shapes, `olm-resolution` 3.1 to 3.3 and 4.1 for the
//! contents. A property of an unknown type may have any value.

use crate::plan::{Refused, did_you_mean};
use catalog::model::{gvk_fault, refused_property};
use catalog::version::{Version, openshift};
use serde_json::Value as Json;
use upgrade::resolve::refused_requirement;

/// The text fields of an object value.
struct ObjectFields {
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

/// Returns the fields of the types whose values are objects of texts.
fn object_fields(kind: &str) -> Option<ObjectFields> {
    let required: &[&str] = match kind {
        "olm.package" => &["packageName", "version"],
        "olm.package.required" => &["packageName", "versionRange"],
        "olm.gvk" | "olm.gvk.required" => &["group", "version", "kind"],
        "olm.label" | "olm.label.required" => &["label"],
        _ => return None,
    };
    let optional: &[&str] = if kind == "olm.package" {
        &["release"]
    } else {
        &[]
    };
    Some(ObjectFields { required, optional })
}

/// Checks a property value.
///
/// # Errors
///
/// What `opm` or OLM would refuse or silently ignore in the value.
pub(super) fn check(kind: &str, value: &Json) -> Result<(), Refused> {
    if kind.trim().is_empty() {
        return Err(
            Refused::new("the property has no type").help("use `--type`, such as `olm.gvk`")
        );
    }
    if let Some(fields) = object_fields(kind) {
        check_object(kind, value, &fields)?;
    }
    if matches!(kind, "olm.gvk" | "olm.gvk.required") {
        let [group, version, api] =
            ["group", "version", "kind"].map(|name| value[name].as_str().unwrap_or_default());
        if let Some(fault) = gvk_fault(group, version, api) {
            return Err(refused!("no cluster can serve this API: {fault}").help(shape(kind)));
        }
    }
    if value.is_null() {
        return Err(refused!("`{kind}` has no value").help(match &*shape(kind) {
            "" => "give a value, or `true` if the type alone says enough".to_owned(),
            shape => shape.to_owned(),
        }));
    }
    if kind == "olm.maxOpenShiftVersion" {
        return check_max_openshift(kind, value);
    }
    if kind == "olm.package" {
        let version = value["version"].as_str().unwrap_or_default();
        Version::parse(version).map_err(|error| {
            refused!("`{version}` is not a version: {error}")
                .help("write MAJOR.MINOR.PATCH, such as `1.2.0`")
        })?;
    }
    check_readable(kind, &value.to_string())
}

/// Refuses a value that `opm` or OLM cannot decode.
fn check_readable(kind: &str, json: &str) -> Result<(), Refused> {
    if let Some(error) = refused_property(kind, json) {
        return Err(refused!("`opm` cannot read this `{kind}`: {error}").help(shape(kind)));
    }
    let Some(error) = refused_requirement(kind, json) else {
        return Ok(());
    };
    // A CEL error includes the rule and a marker on separate lines.
    let first_line = error.lines().next().unwrap_or_default();
    Err(refused!("OLM cannot read this `{kind}`: {first_line}").help(shape(kind)))
}

fn check_object(kind: &str, value: &Json, fields: &ObjectFields) -> Result<(), Refused> {
    let Json::Object(map) = value else {
        return Err(refused!("the value of `{kind}` must be an object").help(shape(kind)));
    };
    let all_fields = || fields.required.iter().chain(fields.optional).copied();
    if let Some(unknown) = map
        .keys()
        .find(|key| !all_fields().any(|name| name == key.as_str()))
    {
        return Err(
            refused!("`{kind}` has no field `{unknown}`").help(did_you_mean(
                unknown,
                all_fields(),
                &shape(kind),
            )),
        );
    }
    for name in all_fields() {
        let is_required = fields.required.contains(&name);
        match map.get(name) {
            None if is_required => {
                return Err(refused!("`{kind}` needs `{name}`").help(shape(kind)));
            }
            Some(Json::String(text)) if text.is_empty() && is_required => {
                return Err(refused!("`{name}` of `{kind}` is empty").help(shape(kind)));
            }
            Some(Json::String(_)) | None => {}
            Some(other) => {
                let reason = format!("`{name}` of `{kind}` must be a string, not {other}");
                return Err(Refused::new(reason).help("write it in double quotes"));
            }
        }
    }
    Ok(())
}

fn check_max_openshift(kind: &str, value: &Json) -> Result<(), Refused> {
    let help = "write `\"MAJOR.MINOR\"` in double quotes, such as `\"4.18\"`";
    let Json::String(text) = value else {
        return Err(refused!("the value of `{kind}` must be a string, not {value}").help(help));
    };
    openshift::parse_limit(text)
        .map(drop)
        .map_err(|why| refused!("OLM cannot read this `{kind}`: {why}").help(help))
}

/// Returns the form of the type's value, for a hint; "" for unknown types.
fn shape(kind: &str) -> String {
    let example = match kind {
        "olm.package" => r#"{"packageName": "p", "version": "1.2.0"}"#,
        "olm.package.required" => r#"{"packageName": "p", "versionRange": ">=1.0.0 <2.0.0"}"#,
        "olm.gvk" | "olm.gvk.required" => {
            r#"{"group": "example.com", "version": "v1", "kind": "Example"}"#
        }
        "olm.label" | "olm.label.required" => r#"{"label": "x"}"#,
        "olm.constraint" => {
            r#"{"failureMessage": "why", "all": {"constraints": [{"package": {"packageName": "p", "versionRange": ">=1.0.0"}}]}}"#
        }
        "olm.channel" => r#"{"channelName": "stable", "priority": 1}"#,
        "olm.bundle.object" => r#"{"data": "BASE64"}"#,
        _ => return String::new(),
    };
    format!("write it as `{example}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn readable_values_are_accepted() {
        let gvk = json!({"group": "g.io", "version": "v1", "kind": "K"});
        let package = json!({"package": {"packageName": "q", "versionRange": ">=1.0.0"}});
        for (kind, value) in [
            ("olm.gvk", gvk.clone()),
            ("olm.gvk.required", gvk.clone()),
            (
                "olm.package",
                json!({"packageName": "p", "version": "1.0.0", "release": "1"}),
            ),
            (
                "olm.package.required",
                json!({"packageName": "q", "versionRange": ">=1.0.0 <2.0.0"}),
            ),
            ("olm.label", json!({"label": "x"})),
            (
                "olm.constraint",
                json!({"failureMessage": "no", "all": {"constraints": [package, {"gvk": gvk}]}}),
            ),
            (
                "olm.constraint",
                json!({"not": {"constraints": [{"any": {"constraints": []}}]}}),
            ),
            (
                "olm.constraint",
                json!({"cel": {"rule": "properties.exists(p, p.type == 'x')"}}),
            ),
            ("olm.maxOpenShiftVersion", json!("4.18")),
            (
                "olm.channel",
                json!({"channelName": "stable", "priority": 1}),
            ),
            ("olm.bundle.object", json!({"data": "e30="})),
            ("io.example.anything", json!([1, null])),
        ] {
            assert_eq!(check(kind, &value), Ok(()), "{kind} {value}");
        }
    }

    #[test]
    fn unreadable_values_are_refused_with_a_reason() {
        for (kind, value, reason) in [
            ("", json!(1), "the property has no type"),
            ("io.example.x", json!(null), "`io.example.x` has no value"),
            (
                "olm.gvk",
                json!({"group": "G_ROUP!", "version": "v1", "kind": "K"}),
                "no cluster can serve this API: `G_ROUP!` is not an API group: use lower-case letters, digits and `-` in \
                 dot-separated parts",
            ),
            (
                "olm.gvk",
                json!("x"),
                "the value of `olm.gvk` must be an object",
            ),
            (
                "olm.gvk",
                json!({"group": "g", "version": "v1"}),
                "`olm.gvk` needs `kind`",
            ),
            (
                "olm.gvk",
                json!({"group": "g", "version": 1, "kind": "K"}),
                "`version` of `olm.gvk` must be a string, not 1",
            ),
            (
                "olm.gvk",
                json!({"group": "g", "version": "", "kind": "K"}),
                "`version` of `olm.gvk` is empty",
            ),
            (
                "olm.package",
                json!({"packageName": "p", "version": "v1"}),
                "`v1` is not a version: No Major.Minor.Patch elements found",
            ),
            (
                "olm.package.required",
                json!({"name": "q", "versionRange": "1.x"}),
                "`olm.package.required` has no field `name`",
            ),
            (
                "olm.package.required",
                json!({"packageName": "q", "versionRange": "^1.0.0"}),
                "OLM cannot read this `olm.package.required`: Could not parse Range \"^1.0.0\": Could not parse comparator \"^\" in \"^1.0.0\"",
            ),
            (
                "olm.constraint",
                json!({}),
                "OLM cannot read this `olm.constraint`: convert olm.constraint to resolver predicate: constraint is empty",
            ),
            (
                "olm.constraint",
                json!({"all": {"constraints": [{"pakage": {}}]}}),
                "OLM cannot read this `olm.constraint`: parse olm.constraint: json: unknown field \"pakage\"",
            ),
            (
                "olm.maxOpenShiftVersion",
                json!(4.18),
                "the value of `olm.maxOpenShiftVersion` must be a string, not 4.18",
            ),
            (
                "olm.maxOpenShiftVersion",
                json!("4.18.1"),
                "OLM cannot read this `olm.maxOpenShiftVersion`: `4.18.1` has more than `MAJOR.MINOR`",
            ),
            (
                "olm.channel",
                json!({"channelName": "c", "priority": "high"}),
                "`opm` cannot read this `olm.channel`: json: cannot unmarshal string into Go struct field Channel.priority of type int",
            ),
            (
                "olm.bundle.object",
                json!({"data": "x y"}),
                "`opm` cannot read this `olm.bundle.object`: illegal base64 data at input byte 1",
            ),
        ] {
            assert_eq!(
                check(kind, &value).map_err(|r| r.reason),
                Err(reason.to_owned()),
                "{kind} {value}"
            );
        }
        let misspelt = json!({"packagename": "q", "versionRange": "1.x"});
        let refused = check("olm.package.required", &misspelt).expect_err("misspelt");
        assert_eq!(refused.help, "did you mean `packageName`?");
    }
}
