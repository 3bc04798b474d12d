//! JSON as Go decodes it: values, refusals with their offsets, and what is replaced.

use super::*;
use crate::tree::NodeId;
use crate::{scalar, value};
use proptest::prelude::*;

fn problem(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().problem
}

#[test]
fn ranges_and_order() {
    let text = br#" {"a": [1, "x\"y"], "b": {}} "#;
    let tree = parse(text).unwrap();
    let nodes: Vec<_> = (0..tree.len() as u32)
        .map(|i| &text[tree.range(NodeId(i))])
        .collect();
    let expected: [&[u8]; 7] = [
        br#"{"a": [1, "x\"y"], "b": {}}"#,
        br#""a""#,
        br#"[1, "x\"y"]"#,
        b"1",
        br#""x\"y""#,
        br#""b""#,
        b"{}",
    ];
    assert_eq!(nodes, expected);
    assert_eq!(
        value::document_json(&tree, text).unwrap(),
        r#"{"a":[1,"x\"y"],"b":{}}"#
    );
}

#[test]
fn refusal_messages() {
    let rows = [
        ("", "unexpected EOF"),
        ("{\"a\"", "unexpected EOF"),
        ("\"a", "unexpected EOF"),
        ("tru", "unexpected EOF"),
        ("x", "invalid character 'x' looking for beginning of value"),
        (
            "{,}",
            "invalid character ',' looking for beginning of object key string",
        ),
        (
            "{\"a\":1,}",
            "invalid character '}' looking for beginning of object key string",
        ),
        ("{\"a\" 1}", "invalid character '1' after object key"),
        (
            "{\"a\":1 1}",
            "invalid character '1' after object key:value pair",
        ),
        ("[1 2]", "invalid character '2' after array element"),
        (
            "[1,]",
            "invalid character ']' looking for beginning of value",
        ),
        ("\"\u{1}\"", "invalid character '\\x01' in string literal"),
        (
            "\"0123456789abcdefghij\u{1}klm\\n\"",
            "invalid character '\\x01' in string literal",
        ),
        (
            "\"0123456789abcdefghij\\x\"",
            "invalid character 'x' in string escape code",
        ),
        ("\"\\x\"", "invalid character 'x' in string escape code"),
        (
            "\"\\u12g4\"",
            "invalid character 'g' in \\u hexadecimal character escape",
        ),
        ("-x", "invalid character 'x' in numeric literal"),
        (
            "1.x",
            "invalid character 'x' after decimal point in numeric literal",
        ),
        (
            "1e+x",
            "invalid character 'x' in exponent of numeric literal",
        ),
        (
            "trux",
            "invalid character 'x' in literal true (expecting 'e')",
        ),
        ("01", "invalid character '1' after top-level value"),
        ("é", "invalid character 'Ã' looking for beginning of value"),
        (
            "'",
            "invalid character '\\'' looking for beginning of value",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(problem(text), expected, "{text}");
    }
    assert_eq!(
        parse(b"{\"a\":x}").unwrap_err().opm,
        "json: offset 6: invalid character 'x' looking for beginning of value"
    );
}

#[test]
fn numbers_beyond_a_float_are_refused_with_a_dump() {
    let text = br#"{"a":[1e999]}"#;
    let error = value::check(&parse(text).unwrap(), text).unwrap_err();
    assert_eq!(
        error.opm,
        "json: cannot unmarshal number 1e999 into Go value of type float64 at offset 12 (indicated by <==)\n\
         {\n    \"a\": [\n        1e999\n    ] <== \n}"
    );
    assert_eq!(error.at, 6);
    let text = br#"{"a":1e308}"#;
    assert!(value::check(&parse(text).unwrap(), text).is_ok());
}

#[test]
fn strings() {
    let text = b"\"\\/ \\ud83d\\ude00 \\ud83d \\udc00x \xff\xc3( \\u0041\"";
    let tree = parse(text).unwrap();
    assert_eq!(
        scalar::decode(&tree, text, NodeId(0)),
        "/ 😀 \u{fffd} \u{fffd}x \u{fffd}\u{fffd}( A"
    );
}

#[test]
fn nesting() {
    let deep = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
    let run = move || {
        assert!(parse(deep(10_000).as_bytes()).is_ok());
        assert_eq!(
            problem(&deep(10_001)),
            "invalid character '[' exceeded max depth"
        );
    };
    std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

proptest! {
    #[test]
    fn any_bytes_are_safe(text in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = parse(&text);
    }

    #[test]
    fn accepts_everything_that_serde_json_accepts(text in r#"[\[\]{},: "a0-9.eE+\-\\untrfls]{0,16}"#) {
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(parse(text.as_bytes()).is_ok(), theirs, "{}", text);
    }
}

#[test]
fn plain_runs_end_at_any_distance() {
    // Neighbours of the bytes that end a run, and the same bits with a high bit.
    let plain = b" !#[]\x7f\x80\xa2\xdc\xff";
    for len in 0..3 * SHORT_STRING {
        let mut text: Vec<u8> = plain.iter().copied().cycle().take(len).collect();
        assert_eq!(plain_run(&text), None, "{len}");
        for end in [b'"', b'\\', 0, 0x1f] {
            text.truncate(len);
            text.extend([end, b'!', b'"', 0, b' ', b' ', b' ', b' ', b' ', b' ']);
            assert_eq!(plain_run(&text), Some(len), "{len} {end}");
        }
    }
}
