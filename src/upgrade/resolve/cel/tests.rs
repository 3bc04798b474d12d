//! Rules as used in catalogs, and rules that must be refused.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn properties() -> Json {
    json!([
        {"type": "olm.package", "value": {"packageName": "b", "version": "1.0.2"}},
        {"type": "weight", "value": 3},
        {"type": "certified", "value": true},
    ])
}

fn is_true(rule: &str) -> bool {
    Program::compile(rule)
        .unwrap_or_else(|e| panic!("{rule}: {e}"))
        .is_true(&properties())
}

/// Answers of the Go library that OLM uses (`NewCelEnvironment` of operator-framework/api 0.44 with
/// cel-go 0.28) for these four properties: rule, answer, and for a refusal other than a syntax
/// error its first line.
#[test]
fn rules_have_the_answers_of_the_reference() {
    let mut four = properties();
    four.as_array_mut()
        .unwrap()
        .push(json!({"type": "big", "value": 20_240_101}));
    let table = include_str!("../../../../tests/data/cel/rules.tsv");
    let mut wrong = Vec::new();
    for line in table.lines() {
        let [rule, answer, refusal] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let ours = match Program::compile(rule) {
            Ok(program) => (program.is_true(&four).to_string(), String::new()),
            Err(text) => ("refused".to_owned(), text),
        };
        if ours.0 != answer || (!refusal.is_empty() && ours.1.lines().next() != Some(refusal)) {
            wrong.push(format!("{rule}: {answer} {refusal}, but {ours:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(table.lines().count() > 300);
}

#[test]
fn texts_and_lists_have_a_size_limit() {
    for (start, step) in [("'aaaaaaaaaa'", "a + a"), ("[1, 2]", "a + a")] {
        assert!(!is_true(&format!(
            "[{start}]{}.size() == 1",
            format!(".map(a, {step})").repeat(60)
        )));
    }
}

#[test]
fn rules_are_evaluated() {
    for rule in [
        "properties.exists(p, p.type == 'weight' && p.value == 3)",
        "properties.exists(p, p.type == 'weight' && p.value > 2)",
        "properties.exists(p, p.type == 'weight' && p.value + 1.0 == 4.0)",
        "properties.exists(p, semver_compare(p.value.version, 'v1') >= 0)",
        "properties.exists(p, p.value == {'version': '1.0.2', 'packageName': 'b'})",
        "properties.exists_one(p, p.type in ['weight', \"x\"])",
        "properties.map(p, p.type).exists(t, t.matches('^w.+t$'))",
        "properties.filter(p, p.type == 'certified').size() == 1",
        "properties.all(p, has(p.value)) && !has(properties[0].x) || false",
        "properties[0].value['version'].endsWith('.2') ? true : false",
        "1 + 2 * 3 == 7 && -(4) < 0x10 && 7 % 4 == 3 && 2u > 1u && 1e3 == 1000.0",
        "r'\\d' == '\\\\d' && '''a'b''' == 'a\\'b' && size('ä') == 1",
        "!(1 == 2) // a remark",
    ] {
        assert!(is_true(rule), "{rule}");
    }
    for rule in [
        "properties.exists(p, p.type == 'weight' && p.value + 1 == 4)",
        "properties.exists_one(p, p.value.version == '1.0.2')",
        "properties[9].value == 1",
        "properties.exists(p, p.type.matches('('))",
        "9223372036854775807 + 1 > 0",
        "1 / 0 == 1",
        "string(1e6) != '1e+06'",
    ] {
        assert!(!is_true(rule), "{rule}");
    }
}

#[test]
fn rules_are_refused() {
    assert_eq!(
        Program::compile("nofunc(1)").map(drop),
        Err("ERROR: <input>:1:7: undeclared reference to 'nofunc' (in container '')\n | nofunc(1)\n | ......^".into())
    );
    for rule in ["1", "properties[0].value", "[true]", "properties"] {
        assert_eq!(
            Program::compile(rule).map(drop),
            Err("cel expressions must have type Bool".into()),
            "{rule}"
        );
    }
    for rule in [
        "",
        "x",
        "true &&",
        "1 == 'a'",
        "1 + 'a' == 2",
        "!1",
        "'a",
        "(true",
        "has(1)",
        "true true",
        "'\\q' == ''",
    ] {
        assert!(Program::compile(rule).is_err(), "{rule}");
    }
}

#[test]
fn nesting_is_bounded() {
    for rule in [
        "(".repeat(10_000),
        format!("{}true", "!".repeat(10_000)),
        format!("1{} == 1", " + 1".repeat(10_000)),
        format!("properties{} == 1", "[0]".repeat(10_000)),
    ] {
        assert!(Program::compile(&rule).is_err());
    }
    let long = vec!["true"; 5_000].join(" && ");
    assert!(is_true(&long));
}

proptest! {
    #[test]
    fn any_text_is_compiled_or_refused(text in "[ a-z0-9'\"().,=!<>&|?:{}\\[\\]\\\\+*/%-]{0,30}", free in "\\PC{0,12}") {
        for rule in [&text, &free] {
            if let Ok(program) = Program::compile(rule) {
                program.is_true(&properties());
            }
        }
    }
}

/// Each element reuses the pattern: it is compiled once, and one that Go refuses never.
#[test]
fn patterns_in_nested_macros_have_their_actual_cost() {
    let properties: Vec<Json> = (0..300)
        .map(|n| json!({"type": "t", "value": format!("{n:a>60}")}))
        .collect();
    let properties = Json::Array(properties);
    let start = std::time::Instant::now();
    for (pattern, found) in [
        ("(a{200}){40}", false),
        ("(a{50}){20}", false),
        ("a{40}.*7", true),
    ] {
        let rule = format!(
            "properties.exists(p, properties.exists(q, q.type == 't' && p.value == q.value && q.value.matches('{pattern}')))"
        );
        let program = Program::compile(&rule).unwrap();
        assert_eq!(program.is_true(&properties), found, "{pattern}");
        // A check of every pair exceeds the step limit.
        let rule = format!("properties.all(p, properties.all(q, !q.value.matches('{pattern}')))");
        assert!(
            !Program::compile(&rule).unwrap().is_true(&properties),
            "{pattern}"
        );
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
