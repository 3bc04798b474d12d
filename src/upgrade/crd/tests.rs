//! A small definition with one change at a time.

use super::versions::kube_order;
use super::{ChangeKind, changes, objections};
use crate::Lens;
use serde_json::{Value, json};

fn definition(versions: &[(&str, Value)]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .enumerate()
        .map(|(i, (name, a))| {
            let spec = json!({"type": "object", "properties": {"a": a}});
            json!({"name": name, "served": true, "storage": i == 0,
                   "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}})
        })
        .collect();
    json!({"metadata": {"name": "things.example.com"}, "spec": {"scope": "Namespaced", "versions": versions}})
}

/// Returns the objections of OLM v1 to a change of property `a` in the only version.
fn objections_to_change(old: Value, new: Value) -> Vec<String> {
    objections(
        &definition(&[("v1", old)]),
        &definition(&[("v1", new)]),
        Lens::V1,
    )
}

#[test]
fn a_rule_for_each_keyword() {
    let text = |extra: Value| {
        let mut schema = json!({"type": "string"});
        schema
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        schema
    };
    for (old, new, line) in [
        (
            json!({}),
            json!({"enum": ["x"]}),
            "enum: enum constraint added when there was none previously : [\"x\"]",
        ),
        (
            json!({"enum": ["x", "y"]}),
            json!({"enum": ["y"]}),
            "enum: allowed enum values removed : [\"x\"]",
        ),
        (
            json!({}),
            json!({"default": 1}),
            "default: default added when there was none previously : \"1\"",
        ),
        (
            json!({}),
            json!({"minLength": 2}),
            "minLength: minimum constraint added when there was none previously : 2",
        ),
        (
            json!({"minLength": 1}),
            json!({"minLength": 2}),
            "minLength: minimum increased : 1 -> 2",
        ),
        (
            json!({"maximum": 3}),
            json!({"maximum": 2}),
            "maximum: maximum decreased : 3 -> 2",
        ),
        (
            json!({}),
            json!({"nullable": true}),
            "nullable: nullable added : false -> true",
        ),
        (
            json!({"pattern": "a"}),
            json!({"pattern": "b"}),
            "pattern: pattern changed : \"a\" -> \"b\"",
        ),
        (
            json!({}),
            json!({"required": ["k"]}),
            "required: new required fields: [k]",
        ),
        (
            json!({}),
            json!({"format": "email"}),
            "unhandled: unhandled changes found (Format \"\" -> \"email\")",
        ),
    ] {
        let lines = objections_to_change(text(old), text(new.clone()));
        assert!(lines.iter().any(|l| l.ends_with(line)), "{new}: {lines:?}");
    }
    let one_of = objections_to_change(
        text(json!({})),
        text(json!({"oneOf": [{"required": ["a"]}]})),
    );
    let (start, required) = (
        "v1: ^.spec.a: oneOf: oneOf constraint added when there was none previously: [&JSONSchemaProps{ID:,",
        "Required:[a],",
    );
    assert_eq!(one_of.len(), 1, "{one_of:?}");
    assert!(one_of[0].starts_with(start) && one_of[0].contains(required));
    let type_changed = objections_to_change(json!({"type": "string"}), json!({"type": "integer"}));
    assert_eq!(
        type_changed,
        ["v1: ^.spec.a: type: type changed : \"string\" -> \"integer\""]
    );
}

#[test]
fn wider_schemas_are_accepted() {
    let enumerated = |values: Value| json!({"type": "string", "enum": values});
    assert!(
        objections_to_change(enumerated(json!(["x"])), enumerated(json!(["x", "y"]))).is_empty()
    );
    assert!(
        objections_to_change(
            json!({"type": "string", "minLength": 2}),
            json!({"type": "string", "minLength": 1})
        )
        .is_empty()
    );
    assert!(
        objections_to_change(
            json!({"type": "string", "minLength": 2}),
            json!({"type": "string"})
        )
        .is_empty()
    );
    assert!(
        objections_to_change(json!({"description": "a"}), json!({"description": "b"})).is_empty()
    );
}

#[test]
fn a_removed_field_is_reported_twice() {
    let old = definition(&[("v1", json!({"type": "string"}))]);
    let mut new = old.clone();
    new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] =
        json!({});
    let expected = [
        "existingFieldRemoval: removed field : v1.^.spec.a",
        "v1: ^.spec.a: type: type changed : \"string\" -> \"\"",
    ];
    assert_eq!(objections(&old, &new, Lens::V1), expected);
    assert!(objections(&old, &new, Lens::V0).is_empty());
    // In the other direction, a field is added, which is fine.
    assert!(objections(&new, &old, Lens::V1).is_empty());
}

#[test]
fn scope_and_stored_versions() {
    let old = definition(&[("v1alpha1", json!({})), ("v1", json!({}))]);
    let mut new = definition(&[("v1", json!({}))]);
    new["spec"]["scope"] = "Cluster".into();
    let expected = [
        "scope: scope changed : \"Namespaced\" -> \"Cluster\"",
        "storedVersionRemoval: stored versions removed : [v1alpha1]",
    ];
    assert_eq!(objections(&old, &new, Lens::V1), expected);
    let classic = objections(&old, &new, Lens::V0);
    assert_eq!(
        classic,
        [
            "risk of data loss updating \"things.example.com\": new CRD removes version v1alpha1 that is listed as a \
          stored version on the existing CRD"
        ]
    );
    let mut with_status = old.clone();
    with_status["status"] = json!({"storedVersions": ["v1"]});
    assert!(objections(&with_status, &new, Lens::V0).is_empty());
}

#[test]
fn versions_that_are_served_together_must_agree() {
    let wide = json!({"type": "string", "enum": ["x", "y"]});
    let narrow = json!({"type": "string", "enum": ["x"]});
    let old = definition(&[("v1", wide.clone())]);
    let new = definition(&[("v1", wide.clone()), ("v2", narrow.clone())]);
    let line = "v1 -> v2: ^.spec.a: enum: allowed enum values removed : [\"y\"]";
    assert_eq!(objections(&old, &new, Lens::V1), [line]);
    // A difference that already existed is not reported, and a webhook resolves the difference.
    assert!(objections(&new, &new, Lens::V1).is_empty());
    let mut converted = new.clone();
    converted["spec"]["conversion"] = json!({"strategy": "Webhook"});
    assert!(objections(&old, &converted, Lens::V1).is_empty());
}

#[test]
fn order_of_versions() {
    let mut names = [
        "v2", "v1", "v10beta3", "v1beta1", "foo", "v1alpha2", "v1alpha1", "bar", "v",
    ];
    names.sort_by(|a, b| kube_order(a, b));
    assert_eq!(
        names,
        [
            "v", "foo", "bar", "v1alpha1", "v1alpha2", "v1beta1", "v10beta3", "v1", "v2"
        ]
    );
}

#[test]
fn a_deeply_nested_schema_is_handled() {
    let mut schema = json!({"type": "string"});
    for _ in 0..100 {
        schema = json!({"type": "array", "items": schema});
    }
    assert!(objections_to_change(schema.clone(), schema).is_empty());
}

#[test]
fn an_empty_list_of_stored_versions_is_ignored() {
    let mut old = definition(&[("v1alpha1", json!({})), ("v1", json!({}))]);
    old["status"] = json!({"storedVersions": []});
    let new = definition(&[("v1", json!({}))]);
    assert_eq!(objections(&old, &new, Lens::V0).len(), 1);
    assert_eq!(
        objections(&old, &new, Lens::V1),
        ["storedVersionRemoval: stored versions removed : [v1alpha1]"]
    );
}

#[test]
fn values_that_go_treats_as_equal() {
    for extra in [
        json!({"uniqueItems": false}),
        json!({"format": ""}),
        json!({"anyOf": []}),
        json!({"default": null}),
    ] {
        assert_eq!(objections_to_change(json!({}), extra), [""; 0]);
    }
    let lines = objections_to_change(json!({"maximum": 2_000_000}), json!({"maximum": 1_000_000}));
    assert_eq!(
        lines,
        ["v1: ^.spec.a: maximum: maximum decreased : 2e+06 -> 1e+06"]
    );
    let lines = objections_to_change(json!({"enum": ["y", "x", "z"]}), json!({"enum": ["z"]}));
    assert_eq!(
        lines,
        ["v1: ^.spec.a: enum: allowed enum values removed : [\"x\" \"y\"]"]
    );
}

#[test]
fn definitions_of_the_beta_api_are_parsed_too() {
    let beta = |version: &str, schema: Value| {
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"a": schema}}});
        json!({"metadata": {"name": "things.example.com"},
               "spec": {"scope": "Namespaced", "version": version, "validation": schema}})
    };
    let old = beta("v1", json!({"type": "string"}));
    assert_eq!(
        objections(&old, &beta("v1", json!({"type": "integer"})), Lens::V1),
        ["v1: ^.a: type: type changed : \"string\" -> \"integer\""]
    );
    assert_eq!(
        objections(&old, &beta("v2", json!({"type": "string"})), Lens::V0).len(),
        1
    );
    assert_eq!(
        objections(&json!(null), &json!({"spec": 1}), Lens::V0),
        [""; 0]
    );
}

/// Definitions with group and kind, as in a bundle.
fn definition_of_things(schema: Value) -> Value {
    let mut definition = definition(&[("v1", schema)]);
    definition["spec"]["group"] = "example.com".into();
    definition["spec"]["names"] = json!({"kind": "Thing", "plural": "things"});
    definition
}

fn thing_object(name: &str, a: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name, "namespace": "n"}, "spec": {"a": a}})
}

#[test]
fn object_errors_are_listed_if_no_objects_are_known() {
    let old = definition_of_things(json!({"type": "object"}));
    let new = definition_of_things(json!({"type": "object", "required": ["size"]}));
    let (old, new) = ([old], [new]);
    let change = &changes(&old, &new, None, Lens::V0)[0];
    assert_eq!(
        (change.kind, change.objects_checked),
        (ChangeKind::Kept, None)
    );
    assert_eq!(change.objections, [""; 0]);
    assert_eq!(
        change.object_errors,
        ["v1: ^.spec.a: required: new required fields: [size]"]
    );
    // OLM v1 refuses regardless of the existing objects.
    let change = &changes(&old, &new, None, Lens::V1)[0];
    assert_eq!(
        (change.objections.len(), change.object_errors.len()),
        (1, 0)
    );
    // Looser limits, defaults and removals invalidate no object.
    for (was, is) in [
        (
            json!({"type": "string", "enum": ["x"]}),
            json!({"type": "string", "enum": ["x", "y"]}),
        ),
        (
            json!({"type": "string"}),
            json!({"type": "string", "default": "x"}),
        ),
        (
            json!({"type": "string", "pattern": "a"}),
            json!({"type": "string"}),
        ),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}}}),
            json!({"type": "object"}),
        ),
        (
            json!({"type": "object"}),
            json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.a"}]}),
        ),
    ] {
        let change = &changes(
            &[definition_of_things(was)],
            &[definition_of_things(is.clone())],
            None,
            Lens::V0,
        )[0];
        assert_eq!(change.object_errors, [""; 0], "{is}");
    }
}

#[test]
fn known_objects_are_checked() {
    let old = [definition_of_things(json!({"type": "object"}))];
    let new = [definition_of_things(
        json!({"type": "object", "required": ["size"]}),
    )];
    let good = [
        thing_object("good", json!({"size": 1})),
        json!({"apiVersion": "v1", "kind": "Secret"}),
    ];
    let change = &changes(&old, &new, Some(&good), Lens::V0)[0];
    assert_eq!(
        (
            change.objects_checked,
            change.objections.len(),
            change.object_errors.len()
        ),
        (Some(1), 0, 0)
    );
    let bad = [thing_object("bad", json!({}))];
    let change = &changes(&old, &new, Some(&bad), Lens::V0)[0];
    assert_eq!(
        change.objections,
        [
            "error validating existing CRs against new CRD's schema for \"things.example.com\": error validating \
          example.com/v1, Kind=Thing \"n/bad\": updated validation is too restrictive: [].spec.a.size: Required value"
        ]
    );
    // With a conversion webhook, Classic only logs it. OLM v1 does not check objects.
    let mut converted = new.clone();
    converted[0]["spec"]["conversion"] = json!({"strategy": "Webhook"});
    let change = &changes(&old, &converted, Some(&bad), Lens::V0)[0];
    assert_eq!(
        (change.objections.len(), change.object_errors.len()),
        (0, 1)
    );
    let change = &changes(&old, &new, Some(&bad), Lens::V1)[0];
    assert_eq!(
        (change.objections.len(), change.object_errors.len()),
        (1, 1)
    );
}

#[test]
fn a_new_required_field_is_always_reported() {
    let old = definition_of_things(json!({"type": "object"}));
    let new = definition_of_things(json!({"type": "object", "required": ["size"]}));
    let object_errors = |old: &Value, new: &Value, objects: Option<&[Value]>| {
        let (old, new) = (std::slice::from_ref(old), std::slice::from_ref(new));
        changes(old, new, objects, Lens::V0).remove(0).object_errors
    };
    // Objects of other kinds are irrelevant here.
    let other = [json!({"apiVersion": "v1", "kind": "Secret"})];
    assert_eq!(
        object_errors(&old, &new, Some(&other)),
        ["v1: ^.spec.a: required: new required fields: [size]"]
    );
    let mut converted = new.clone();
    converted["spec"]["conversion"] = json!({"strategy": "Webhook"});
    assert_eq!(
        object_errors(&old, &converted, None),
        [
            "v1: ^.spec.a: required: new required fields: [size]; OLM only logs this, because a webhook converts the objects"
        ]
    );
    // In a version that is new.
    let mut moved = new.clone();
    moved["spec"]["versions"][0]["name"] = "v2".into();
    let mut kept = old["spec"]["versions"][0].clone();
    kept["storage"] = false.into();
    moved["spec"]["versions"]
        .as_array_mut()
        .expect("a list")
        .push(kept);
    assert_eq!(
        object_errors(&old, &moved, None),
        [
            "v1 -> v2: ^.spec.a: required: new required fields: [size]; OLM does not check objects against a new version"
        ]
    );
}

#[test]
fn added_and_removed_definitions() {
    let one = |name: &str| {
        let mut definition = definition_of_things(json!({}));
        definition["metadata"]["name"] = name.into();
        definition
    };
    let kinds = |old: &[Value], new: &[Value]| -> Vec<(String, ChangeKind)> {
        changes(old, new, None, Lens::V0)
            .into_iter()
            .map(|change| (change.name, change.kind))
            .collect()
    };
    let entry = |name: &str, kind| (name.to_owned(), kind);
    assert_eq!(
        kinds(&[one("b"), one("a")], &[one("c"), one("b")]),
        [
            entry("a", ChangeKind::Removed),
            entry("b", ChangeKind::Kept),
            entry("c", ChangeKind::Added)
        ]
    );
}
