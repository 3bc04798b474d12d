//! Canonical values: keys, merges, aliases, numbers, and the messages for values that cannot be
//! converted to JSON.

use super::*;
use crate::yaml;

fn json(text: &str) -> Result<String, String> {
    let tree = yaml::parse(text.as_bytes()).map_err(|e| e.opm)?;
    check(&tree, text.as_bytes()).map_err(|e| e.opm)?;
    document_json(&tree, text.as_bytes()).map_err(|e| e.opm)
}

#[test]
fn keys_become_text() {
    let rows = [
        ("1: a", r#"{"1":"a"}"#),
        ("0x10: a", r#"{"16":"a"}"#),
        ("1.10: a", r#"{"1.1":"a"}"#),
        ("on: a", r#"{"true":"a"}"#),
        ("'on': a", r#"{"on":"a"}"#),
        ("2020-01-01: a", r#"{"2020-01-01":"a"}"#),
        ("1e3: a", r#"{"1000":"a"}"#),
        ("1e6: a", r#"{"1e+06":"a"}"#),
        ("123456789.5: a", r#"{"1.2345679e+08":"a"}"#),
        ("0.00001: a", r#"{"1e-05":"a"}"#),
        ("1e39: a", r#"{".inf":"a"}"#),
        (".nan: a", r#"{".nan":"a"}"#),
        ("18446744073709551616: a", r#"{"1.8446744e+19":"a"}"#),
        ("? a", r#"{"a":null}"#),
        ("b: 1\na: 2\nb: 3", r#"{"a":2,"b":3}"#),
        ("b: .inf\nb: 3", r#"{"b":3}"#),
        ("&k a: &v 1\n*k : *v", r#"{"a":1}"#),
    ];
    for (text, expected) in rows {
        assert_eq!(json(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn some_keys_cannot_become_text() {
    let rows = [
        (
            "~: v",
            "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"v\"",
        ),
        ("{: v}", "yaml: did not find expected node content"),
        (": v", "yaml: did not find expected key"),
        (
            "9223372036854775808: v",
            "unsupported map key of type: uint64, key: 0x8000000000000000, value: \"v\"",
        ),
        ("[1]: v", "yaml: invalid map key: []interface {}{1}"),
        (
            "{a: [~, 1e6]}: v",
            "yaml: invalid map key: map[interface {}]interface {}{\"a\":[]interface {}{interface {}(nil), 1e+06}}",
        ),
        (
            "a: {~: {b: ~}}",
            "unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{\"b\":interface {}(nil)}",
        ),
    ];
    for (text, problem) in rows {
        assert_eq!(
            json(text),
            Err(format!("error converting YAML to JSON: {problem}")),
            "{text}"
        );
    }
}

#[test]
fn merges() {
    let rows = [
        ("{x: 9, <<: *b}", r#"{"x":1}"#),
        ("{<<: *b, x: 9}", r#"{"x":9}"#),
        ("{<<: [*b, *c]}", r#"{"w":3,"x":1}"#),
        ("{<<: [*c, *b]}", r#"{"w":3,"x":2}"#),
        ("{<<: {z: 1, <<: *c}}", r#"{"w":3,"x":2,"z":1}"#),
        ("{\"<<\": *b}", r#"{"<<":{"x":1}}"#),
        ("{! \"<<\": *b}", r#"{"x":1}"#),
        ("{!!merge <<: *b}", r#"{"x":1}"#),
    ];
    for (written, expected) in rows {
        let text = format!("b: &b {{x: 1}}\nc: &c {{x: 2, w: 3}}\na: {written}\n");
        let tree = yaml::parse(text.as_bytes()).unwrap();
        check(&tree, text.as_bytes()).unwrap();
        let entries = mapping_entries(&tree, text.as_bytes(), tree.root().unwrap()).unwrap();
        assert_eq!(
            canonical_json(&tree, text.as_bytes(), entries[0].value_node).unwrap(),
            expected,
            "{written}"
        );
    }
    let wants = "error converting YAML to JSON: yaml: map merge requires map or sequence of maps as the value";
    assert_eq!(json("<<: 5"), Err(wants.into()));
    assert_eq!(json("<<: [{}, 5]"), Err(wants.into()));
}

#[test]
fn recursive_and_exploding_aliases_are_refused() {
    let prefix = "error converting YAML to JSON: yaml: ";
    assert_eq!(
        json("a: *x"),
        Err(format!("{prefix}unknown anchor 'x' referenced"))
    );
    assert_eq!(
        json("a: &a [*a]"),
        Err(format!("{prefix}anchor 'a' value contains itself"))
    );
    assert_eq!(
        json("a: &a {<<: *a}"),
        Err(format!("{prefix}anchor 'a' value contains itself"))
    );
    let mut bomb = String::from("a0: &a0 [x, x]\n");
    for i in 1..40 {
        bomb += &format!("a{i}: &a{i} [*a{0}, *a{0}, *a{0}]\n", i - 1);
    }
    assert_eq!(
        json(&bomb),
        Err(format!("{prefix}document contains excessive aliasing"))
    );
    // Terminates even without the check.
    let tree = yaml::parse(bomb.as_bytes()).unwrap();
    assert!(document_json(&tree, bomb.as_bytes()).is_err());
    let looped = b"a: &a {<<: *a}";
    let tree = yaml::parse(looped).unwrap();
    assert!(document_json(&tree, looped).is_err());
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = |n: usize| format!("a: {}x{}\n", "[".repeat(n), "]".repeat(n));
    let run = move || {
        assert!(json(&deep(9_999)).is_ok());
        assert_eq!(
            json(&deep(10_000)),
            Err("error unmarshaling JSON: while decoding JSON: invalid character '[' exceeded max depth".into())
        );
        assert_eq!(
            json(&deep(10_001)),
            Err("error converting YAML to JSON: yaml: exceeded max depth of 10000".into())
        );
        assert!(json(&format!("{}x\n", "- ".repeat(9_990))).is_ok());
        let error = json(&format!("? {}x\n", "- ".repeat(3_000))).unwrap_err();
        assert!(error.contains("invalid map key: []interface {}{"));
    };
    // The stack size of a worker in the browser.
    std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn the_check_covers_every_part() {
    let bad = "schema: olm.bundle\nproperties:\n- type: x\n  value:\n    a: [1, {b: .inf}]\n";
    assert_eq!(
        json(bad),
        Err("error converting YAML to JSON: json: unsupported value: +Inf".into())
    );
    let tree = yaml::parse(b"a: 1\nb: [x, -1, n, 1.5]\n").unwrap();
    assert!(
        !tree.suspicious,
        "an ordinary document needs no second pass"
    );
}

#[test]
fn messages_show_values_that_are_not_mappings() {
    let tree = yaml::parse(b"- a: <1>\n- []\n").unwrap();
    assert_eq!(
        not_a_mapping(&tree, b"- a: <1>\n- []\n").unwrap(),
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type \
         map[string]interface {} at offset 1 (indicated by <==)\n[ <== \n    {\n        \"a\": \"\\u003c1\\u003e\"\n    },\n    []\n]"
    );
    assert_eq!(not_a_mapping(&yaml::parse(b"a: b").unwrap(), b"a: b"), None);
    assert_eq!(not_a_mapping(&yaml::parse(b"~").unwrap(), b"~"), None);
}
