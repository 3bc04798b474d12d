//! Scalars as Go reads them: the table of plain spellings, and decoding of quoted and block text.

use super::*;
use crate::go_text::format_json_float;
use crate::{value, yaml};

/// Returns the value of `a` as canonical JSON, or the refusal.
fn value_of(written: &str) -> String {
    let text = format!("a: {written}\n");
    let read = || {
        let tree = yaml::parse(text.as_bytes())?;
        value::check(&tree, text.as_bytes())?;
        value::document_json(&tree, text.as_bytes())
    };
    match read() {
        Ok(json) => json
            .strip_prefix("{\"a\":")
            .unwrap()
            .strip_suffix('}')
            .unwrap()
            .to_owned(),
        Err(error) => error.problem,
    }
}

#[test]
fn plain_scalars_are_parsed_like_go() {
    for word in "y Y yes Yes YES on On ON true True TRUE".split(' ') {
        assert_eq!(value_of(word), "true", "{word}");
    }
    for word in "n N no No NO off Off OFF false False FALSE".split(' ') {
        assert_eq!(value_of(word), "false", "{word}");
    }
    for word in ["~", "null", "Null", "NULL", "", "# c"] {
        assert_eq!(value_of(word), "null", "{word}");
    }
    let text = "tRue yEs 1e400 _1 0x 0xG 1.2.3 v1 .5.5 = 12:30:45 2020-01-01 2020-01-01T10:11:12Z . +. -.e1 0b2 0o8 1e + ..";
    for word in text.split(' ') {
        assert_eq!(value_of(word), format!("\"{word}\""));
    }
    let numbers = "1.10 1.1|1.0 1|1. 1|.5 0.5|+1 1|1e3 1000|1E3 1000|01 1|017 15|0o17 15|0x1F 31|0b11 3|1_000 1000|1__0 10|1_ 1\
                   |08 8|-0 0|-0.0 -0|+.5 0.5|-0b11 -3|0b+1 1|-9223372036854775808 -9223372036854775808|9007199254740993 9007199254740992\
                   |12345678901234567890 12345678901234567000|18446744073709551616 18446744073709552000|0_x1F 31|1e-7 1e-7|1e21 1e+21";
    for (word, number) in numbers.split('|').filter_map(|pair| pair.split_once(' ')) {
        let number = if word.starts_with("-9") {
            "-9223372036854776000"
        } else {
            number
        };
        assert_eq!(value_of(word), number, "{word}");
    }
    assert_eq!(resolve_plain("no"), Typed::Bool(false));
    assert_eq!(resolve_plain("1.10"), Typed::Float(1.1));
    assert_eq!(resolve_plain("-"), Typed::Text("-".into()));
    assert_eq!(format_json_float(1.1), "1.1");
}

#[test]
fn tags_decide() {
    let rows = [
        ("!!str 1.10", "\"1.10\""),
        ("!!str", "\"\""),
        ("!!str ~", "\"~\""),
        ("!!int \"7\"", "7"),
        ("!!float 3", "3"),
        ("!!bool yes", "true"),
        ("!!null ~", "null"),
        ("!custom 5", "\"5\""),
        ("! 1", "\"1\""),
        ("!<tag:yaml.org,2002:int> 0x7", "7"),
        ("!!%69nt 7", "7"),
        ("!!map x", "\"x\""),
        ("!!binary aGVsbG8=", "\"hello\""),
        ("!!binary \"aGVs\\nbG8=\"", "\"hello\""),
        ("!!timestamp 2020-02-29", "\"2020-02-29\""),
        ("!!timestamp 2020-1-2 3:4:5.6", "\"2020-1-2 3:4:5.6\""),
        (
            "!!timestamp 2021-02-29",
            "cannot decode !!str `2021-02-29` as a !!timestamp",
        ),
        ("!!timestamp 5", "cannot decode !!int `5` as a !!timestamp"),
        ("!!int x", "cannot decode !!str `x` as a !!int"),
        ("!!int 3.5", "cannot decode !!float `3.5` as a !!int"),
        ("!!null x", "cannot decode !!str `x` as a !!null"),
        (
            "!!float 18446744073709551615",
            "cannot decode !!int `18446744073709551615` as a !!float",
        ),
        (
            "!!binary \"***\"",
            "!!binary value contains invalid base64 data",
        ),
        ("!!set {x}", "{\"x\":null}"),
        ("!!omap [a: 1]", "[{\"a\":1}]"),
        (".inf", "json: unsupported value: +Inf"),
        ("-.Inf", "json: unsupported value: -Inf"),
        (".nan", "json: unsupported value: NaN"),
    ];
    for (written, value) in rows {
        assert_eq!(value_of(written), value, "{written}");
    }
}

#[test]
fn quotes_folding_and_escapes() {
    let rows = [
        ("'it''s'", "\"it's\""),
        ("'a\n  b\n\n  c'", "\"a b\\nc\""),
        ("\"a\\\n   b\"", "\"ab\""),
        ("\"a \\\n   b\"", "\"a b\""),
        ("\"a\n\n  b\"", "\"a\\nb\""),
        (
            "\"\\x41\\u00e9\\U0001F600\\N\\_\\L\\e\\0\"",
            "\"Aé😀\u{85}\u{a0}\\u2028\\u001b\\u0000\"",
        ),
        ("x\n  y\n\n  z", "\"x y\\nz\""),
        ("x \t\n  y", "\"x y\""),
        ("\"a\u{2028} b\"", "\"a\\u2028b\""),
        ("\"a\u{85} b\"", "\"a b\""),
    ];
    for (written, value) in rows {
        assert_eq!(value_of(written), value, "{written}");
    }
}

#[test]
fn block_scalars() {
    let rows = [
        ("|\n  x\n   y\n\n", "\"x\\n y\\n\""),
        ("|-\n  x\n\n", "\"x\""),
        ("|+\n  x\n\n", "\"x\\n\\n\\n\""),
        ("|+ # c\n\n", "\"\\n\\n\""),
        ("|", "\"\""),
        ("|2\n    x\n   y", "\"  x\\n y\\n\""),
        ("|1-\n  x", "\" x\""),
        (">\n  a\n  b\n\n  c\n   d\n  e\n", "\"a b\\nc\\n d\\ne\\n\""),
        (">-\n\n  a\n\n\n  b", "\"\\na\\n\\nb\""),
        ("|\r\n  x\r\n  y\r\n", "\"x\\ny\\n\""),
        ("|\n  x\u{2028}  y", "\"x\\u2028y\\n\""),
        ("|\n\n   x\n\n  ", "\"\\nx\\n\""),
    ];
    for (written, value) in rows {
        assert_eq!(value_of(written), value, "{written:?}");
    }
}

#[test]
fn a_missing_last_line_break_is_assumed() {
    let tree = yaml::parse(b"a: |\n  x").unwrap();
    assert_eq!(
        value::document_json(&tree, b"a: |\n  x").unwrap(),
        "{\"a\":\"x\\n\"}"
    );
    let tree = yaml::parse(b"a: |+\n  x").unwrap();
    assert_eq!(
        value::document_json(&tree, b"a: |+\n  x").unwrap(),
        "{\"a\":\"x\\n\"}"
    );
}

#[test]
fn a_timestamp_may_have_any_number_of_fraction_digits() {
    assert!(is_timestamp("2020-01-01 00:00:00.123456789012"));
    assert!(!is_timestamp("2020-01-01 00:00:00."));
    assert!(!is_timestamp("2020-13-01"));
}
