//! Where files are cut into documents: detection, hand-over, separators, and the law that every
//! byte has one place.

use crate::testing::{as_opm, read};
use crate::tree::Format;
use base64::Engine;
use proptest::prelude::*;

/// All recorded answers of Go's reader for our texts.
#[test]
fn agrees_with_recorded_answers() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/yaml/recorded.jsonl"
    );
    let recorded = std::fs::read_to_string(file).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in recorded.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = match case["base64"].as_str() {
            Some(bytes) => base64::engine::general_purpose::STANDARD
                .decode(bytes)
                .unwrap(),
            None => case["text"].as_str().unwrap().as_bytes().to_vec(),
        };
        let blobs: Vec<String> = case["json"]
            .as_array()
            .unwrap()
            .iter()
            .map(|j| j.as_str().unwrap().to_owned())
            .collect();
        let error =
            (!case["ok"].as_bool().unwrap()).then(|| case["error"].as_str().unwrap().to_owned());
        for piece in [1 << 20, 3] {
            let ours = as_opm(&text, piece);
            if ours != (blobs.clone(), error.clone()) {
                wrong.push(format!(
                    "{}\n  ours {ours:?}\n  opm  {:?}",
                    line,
                    (&blobs, &error)
                ));
            }
        }
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 900, "{count}");
}

/// The rows of `opm-semantics` 1.3: a file, its blobs, and the refusal.
#[test]
fn files_to_blobs() {
    let missing = ""; // An empty blob: the blob rules refuse it later.
    let rows: &[(&str, &[&str], Option<&str>)] = &[
        ("", &[], None),
        ("\n", &[missing], None),
        ("# c\n", &[missing], None),
        ("null\n", &[missing], None),
        ("---\n", &[missing], None),
        ("---", &[missing], None),
        (
            "# licence\n---\nschema: a",
            &[missing, r#"{"schema":"a"}"#],
            None,
        ),
        ("---\n# c\nschema: a", &[r#"{"schema":"a"}"#], None),
        ("---\n---\nschema: a", &[missing, r#"{"schema":"a"}"#], None),
        ("\n---\nschema: a", &[missing, r#"{"schema":"a"}"#], None),
        ("schema: a\n---\n", &[r#"{"schema":"a"}"#], None),
        ("schema: a\n---\n\n", &[r#"{"schema":"a"}"#, missing], None),
        (
            "schema: a\n---\n# end\n",
            &[r#"{"schema":"a"}"#, missing],
            None,
        ),
        (
            "schema: a\n--- # c\nschema: b",
            &[r#"{"schema":"a"}"#, r#"{"schema":"b"}"#],
            None,
        ),
        ("schema: a\n...\nschema: b", &[r#"{"schema":"a"}"#], None),
        (
            "schema: a\n...\n---\nschema: b",
            &[r#"{"schema":"a"}"#, r#"{"schema":"b"}"#],
            None,
        ),
        (
            "%YAML 1.1\n---\nschema: a",
            &[],
            Some(
                "error converting YAML to JSON: yaml: line 1: did not find expected <document start>",
            ),
        ),
        (
            r#"{"schema":"a"}{"schema":"b"}
{"schema":"c"}"#,
            &[
                r#"{"schema":"a"}"#,
                r#"{"schema":"b"}"#,
                r#"{"schema":"c"}"#,
            ],
            None,
        ),
        (
            "{\"schema\":\"a\"}\n---\n{\"schema\":\"b\"}\n",
            &[r#"{"schema":"a"}"#, r#"{"schema":"b"}"#],
            None,
        ),
        (
            "{\"schema\":\"a\"}\nschema: b\n",
            &[r#"{"schema":"a"}"#, r#"{"schema":"b"}"#],
            None,
        ),
        (
            "{\"a\":1}{\"a\":2}\n---\n{\"a\":3}",
            &[r#"{"a":1}"#, r#"{"a":2}"#],
            Some("invalid character '-' in numeric literal"),
        ),
        ("{\"a\":1}\n---\n", &[r#"{"a":1}"#, missing], None),
        (
            "{\"a\":1}{\"a\":2}\n# c\n",
            &[r#"{"a":1}"#, r#"{"a":2}"#],
            Some("invalid character '#' looking for beginning of value"),
        ),
        (
            "a: \"x\n---bar\"\n",
            &[],
            Some("invalid Yaml document separator: bar\""),
        ),
        (
            "--- {a: b}\n",
            &[],
            Some("invalid Yaml document separator: {a: b}"),
        ),
        ("----\n", &[], Some("invalid Yaml document separator: -")),
        ("{schema: a}", &[r#"{"schema":"a"}"#], None),
        ("{\"schema\":\"a\",}", &[r#"{"schema":"a"}"#], None),
        ("{schema: a}\n{schema: b}\n", &[r#"{"schema":"a"}"#], None),
        ("{\"schema\":\"a\"", &[], Some("unexpected EOF")),
        ("{\n\t\"a\": 1\n}", &[r#"{"a":1}"#], None),
        (
            "a:\n\tb: 1\n",
            &[],
            Some(
                "error converting YAML to JSON: yaml: line 2: found character that cannot start any token",
            ),
        ),
        (
            "{\"a\":1}\n# c\n{\"a\":2}",
            &[r#"{"a":1}"#, r#"{"a":2}"#],
            None,
        ),
        ("a:\tb\n", &[r#"{"a":"b"}"#], None),
        (r#"{"a":"\/\ud83d\ude00"}"#, &[r#"{"a":"/😀"}"#], None),
        (
            "a: \"\\/\"\n",
            &[],
            Some("error converting YAML to JSON: yaml: found unknown escape character"),
        ),
        (
            "schema: a\rname: b\r\n",
            &[r#"{"name":"b","schema":"a"}"#],
            None,
        ),
        (
            "\"x\"",
            &[],
            Some(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type \
                 map[string]interface {} at offset 3 (indicated by <==)\n\"x\" <==",
            ),
        ),
    ];
    for (file, blobs, error) in rows {
        for piece in [1, 2, 7, 4096] {
            let (ours, refusal) = as_opm(file.as_bytes(), piece);
            assert_eq!(
                (&ours[..], refusal.as_deref()),
                (&blobs.map_strings()[..], *error),
                "{file:?}"
            );
        }
    }
}

trait MapStrings {
    fn map_strings(&self) -> Vec<String>;
}

impl MapStrings for &[&str] {
    fn map_strings(&self) -> Vec<String> {
        self.iter().map(|s| (*s).to_owned()).collect()
    }
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let (blobs, error) = as_opm(b"a: b\xff\n", 9);
    assert_eq!(blobs, Vec::<String>::new());
    assert_eq!(
        error.as_deref(),
        Some("error converting YAML to JSON: yaml: invalid leading UTF-8 octet")
    );
    assert_eq!(
        as_opm(b"{\"a\":\"\xff\xc3\"}", 9).0,
        ["{\"a\":\"\u{fffd}\u{fffd}\"}"]
    );
    assert_eq!(as_opm(b"\xEF\xBB\xBF{\"a\":1}", 1).0, ["{\"a\":1}"]);
    let big: Vec<u8> = [0xFE, 0xFF]
        .into_iter()
        .chain(
            "a: ü\n---\nb: c\n"
                .encode_utf16()
                .flat_map(u16::to_be_bytes),
        )
        .collect();
    assert_eq!(as_opm(&big, 5).0, ["{\"a\":\"ü\"}"]);
    let little: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("a: b\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let error = as_opm(&little, 5).1;
    assert_eq!(
        error.as_deref(),
        Some("error converting YAML to JSON: yaml: incomplete UTF-16 character")
    );
}

#[test]
fn a_last_line_as_long_as_the_buffer_is_lost() {
    let file = |len: usize| [b"a: b\nz: ".as_slice(), &vec![b'y'; len - 3]].concat();
    assert_eq!(as_opm(&file(4096), 1000).0, ["{\"a\":\"b\"}"]);
    assert!(as_opm(&file(4097), 1000).0[0].contains('z'));
}

#[test]
fn documents_have_their_position() {
    let documents = read(
        b"---\nschema: a\n--- # c\nschema: b\r\n---\n# d\nschema: c",
        4,
    );
    let places: Vec<_> = documents
        .iter()
        .map(|d| (d.start, d.end, d.line, d.column))
        .collect();
    assert_eq!(places, [(4, 14, 1, 0), (22, 33, 3, 0), (37, 50, 5, 0)]);
    let documents = read("{\"ä\":1} {\"b\":2}\n  {\"c\":3}\n".as_bytes(), 4);
    let places: Vec<_> = documents
        .iter()
        .map(|d| (d.start, d.end, d.line, d.column))
        .collect();
    assert_eq!(places, [(0, 8, 0, 0), (9, 16, 0, 8), (19, 26, 1, 2)]);
}

#[test]
fn a_broken_document_does_not_hide_others() {
    let yaml = read(b"a: b\n---\n{\n---\nc: [\n---\nd: e\n", 5);
    assert_eq!(
        yaml.iter().map(|d| d.json.is_ok()).collect::<Vec<_>>(),
        [true, false, false, true]
    );
    let json = read(
        b"{\"a\":1}\n{\"b\":2}\n{\"c\":}\n{\"d\":4}\n{\"e\n{\"f\":6}\n",
        3,
    );
    assert_eq!(
        json.iter()
            .filter_map(|d| d.json.clone().ok())
            .collect::<Vec<_>>(),
        [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"d":4}"#, r#"{"f":6}"#]
    );
    assert!(json.iter().all(|d| d.format == Format::Json));
}

/// Brackets after the next line that can begin a document make no difference.
#[test]
fn broken_json_ends_where_the_next_document_begins() {
    let ends = |text: &str| {
        read(text.as_bytes(), 7)
            .iter()
            .map(|d| (d.json.is_ok(), d.end))
            .collect::<Vec<_>>()
    };
    let good = "{\"a\":1}\n";
    for broken in ["{\"b\":[1, 2}\n", "{\"b\n", "{\"b\":[}\n"] {
        let head = [good, good, broken].concat();
        let (size, behind) = (good.len() as u64, head.len() as u64);
        let expected = [
            (true, size - 1),
            (true, 2 * size - 1),
            (false, behind),
            (true, behind + size - 1),
        ];
        for rest in ["", "}]}", "\"\n}}\n", "{\"c\":]]}\n"] {
            assert_eq!(
                ends(&[&head, good, rest].concat())[..4],
                expected,
                "{broken:?} before {rest:?}"
            );
        }
    }
}

/// The text after broken JSON is searched for the next document, and the result must not depend on
/// where a chunk ends.
#[test]
fn chunk_size_does_not_matter_after_broken_json() {
    for file in [
        "{\r\n\r\u{2028}é<<: *a\n\n---\n: ,é\n---\n1é1}}{\"a\":1}",
        "{\"a\":}}{\"b\":1}\n{\"c\":1}",
        "{\"a\":}x{\"b\":1}\n {\"c\":1}\n{\"d\":1}",
        "{\"a\":}x\n {\"c\":1}",
        "{\"a\":}---\nb: c\n---\nd: e\n",
        "{\"a\":} ---\nb: c\n---\nd: e\n",
        "{\"a\":}\n---\nb: c\n",
        "{\"a\":}\n--x\n--\n---\nb: c\n",
        "{\"a\":}{\"b\":1}{\"c\":1}",
        "{}\n@@ {\"b\":1}\n--- \nb: c\n",
        "{}{}@---\n{\"b\":1}",
        "{}{}@\n---\nb: c\n",
        "{}{}@\n  {\"b\":1}",
        "{}{}1\n{\"b\":1}",
        "{}]\n{}",
    ] {
        let whole = read(file.as_bytes(), 1 << 20);
        for piece in 1..9 {
            assert_eq!(
                read(file.as_bytes(), piece),
                whole,
                "{file:?} in pieces of {piece}"
            );
        }
    }
}

/// Generates well-formed and malformed text.
fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("---\n"),
        Just("\n---\n"),
        Just("--- # c\n"),
        Just("...\n"),
        Just("a: b\n"),
        Just("- x\n"),
        Just("  c: d\n"),
        Just("{\"a\":1}"),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just("\""),
        Just("'"),
        Just(": "),
        Just(","),
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just(" "),
        Just("\t"),
        Just("#"),
        Just("é"),
        Just("\u{2028}"),
        Just("\u{feff}"),
        Just("|\n  t\n"),
        Just("&a "),
        Just("*a"),
        Just("<<: *a\n"),
        Just("!!int "),
        Just("? "),
        Just("1"),
        Just("\u{0}"),
        Just("\\"),
    ];
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

proptest! {
    #[test]
    fn documents_are_in_order_and_equal_the_bytes_of_the_file(file in any_file()) {
        let mut last = 0;
        for document in read(&file, 1 << 20) {
            prop_assert!(document.start >= last && document.end >= document.start);
            prop_assert!(document.end <= file.len() as u64);
            last = document.end;
            let bytes = &file[document.start as usize..document.end as usize];
            let is_utf16 = matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]);
            prop_assert!(is_utf16 || document.text == bytes);
            let before = &file[..document.start as usize];
            prop_assert_eq!(document.line as usize, before.iter().filter(|&&b| b == b'\n').count());
        }
    }

    #[test]
    fn chunk_size_does_not_matter_in_objects(
        parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\n", "\n{", "\n---", "-", "\"a\"", "\"", ":", ",", "1", "\"a\": 1", "{\"b\": [{}]}\n", "{\"c\": [\n{}\n]}\n", "tru", "\\",
        ]), 0..40),
        piece in 1usize..30,
    ) {
        let file = ["{}{}", &parts.concat()].concat();
        prop_assert_eq!(read(file.as_bytes(), piece), read(file.as_bytes(), 1 << 20));
    }

    #[test]
    fn chunk_size_does_not_matter(file in any_file(), piece in 1usize..9) {
        prop_assert_eq!(read(&file, piece), read(&file, 1 << 20));
    }
}
