//! Tests of adding and removing whole blobs.

use super::*;
use serde_json::json;
use syntax::document::{Document as Found, Reader, Sink};

/// The ranges of a file's blobs, as found by the indexer.
#[derive(Default)]
struct Ranges(Vec<(Range<usize>, bool)>);

impl Sink for Ranges {
    fn accepts(&mut self, _: &Found<'_>) -> bool {
        true
    }

    fn document(&mut self, found: Found<'_>) {
        self.0.push((
            found.start as usize..found.end as usize,
            found.parsed.is_ok(),
        ));
    }
}

fn blobs(file: &[u8]) -> Vec<Range<usize>> {
    let (mut ranges, mut reader) = (Ranges::default(), Reader::default());
    reader.feed(file, &mut ranges);
    reader.finish(&mut ranges);
    assert!(
        ranges.0.iter().all(|(_, parsed)| *parsed),
        "{}",
        String::from_utf8_lossy(file)
    );
    ranges.0.into_iter().map(|(range, _)| range).collect()
}

fn window(file: &[u8]) -> Window<'_> {
    Window {
        text: file,
        start: 0,
        file_len: file.len(),
    }
}

fn channel() -> Value {
    json!({ "schema": "olm.channel", "name": "beta", "entries": [{ "name": "foo.v1" }] })
}

/// Adds a channel after the blob at `index`, in the style of `like`.
fn insert(file: &str, index: usize, like: usize, format: Format) -> String {
    let found = blobs(file.as_bytes());
    let text = &file.as_bytes()[found[like].clone()];
    let neighbor = Neighbor {
        text,
        format,
        leading_separator: file.starts_with("---"),
    };
    let edits = insert_blob(
        window(file.as_bytes()),
        found[index].end,
        Some(neighbor),
        format,
        &channel(),
    )
    .unwrap();
    let after = String::from_utf8(edits.apply(file.as_bytes())).unwrap();
    assert_eq!(blobs(after.as_bytes()).len(), found.len() + 1, "{after}");
    assert_eq!(
        edits.inverse(file.as_bytes()).apply(after.as_bytes()),
        file.as_bytes()
    );
    after
}

fn without_blob(file: &str, index: usize, format: Format) -> String {
    let found = blobs(file.as_bytes());
    let edits = remove_blob(window(file.as_bytes()), found[index].clone(), format).unwrap();
    let after = String::from_utf8(edits.apply(file.as_bytes())).unwrap();
    let left = if after.trim().is_empty() {
        0
    } else {
        blobs(after.as_bytes()).len()
    };
    assert_eq!(left, found.len() - 1, "{after}");
    after
}

const YAML: &str = "schema: olm.channel\nname: beta\nentries:\n- name: foo.v1\n";

#[test]
fn yaml_is_added_after_a_separator() {
    let add = |file: &str, index| insert(file, index, 0, Format::Yaml);
    assert_eq!(add("---\na: b\n", 0), format!("---\na: b\n---\n{YAML}"));
    assert_eq!(add("a: b\n", 0), format!("a: b\n---\n{YAML}"));
    assert_eq!(
        add("a: b\n---\nc: d\n", 0),
        format!("a: b\n---\n{YAML}---\nc: d\n")
    );
    assert_eq!(
        add("a: b\n\n---\nc: d\n", 1),
        format!("a: b\n\n---\nc: d\n\n---\n{YAML}")
    );
    assert_eq!(
        add("a: b\r\n", 0),
        format!("a: b\n---\n{YAML}").replace('\n', "\r\n")
    );
    assert_eq!(
        add("\u{feff}a: b\n", 0),
        format!("\u{feff}a: b\n---\n{YAML}")
    );
}

#[test]
fn the_end_of_the_file_is_unchanged() {
    let file = insert("a: b", 0, 0, Format::Yaml);
    assert_eq!(file, format!("a: b\n---\n{}", YAML.trim_end()));
    assert_eq!(
        insert("{\"a\":1}", 0, 0, Format::Json)
            .matches('\n')
            .count(),
        1
    );
}

#[test]
fn yaml_has_the_style_of_its_neighbor() {
    let file = "name: \"alpha\"\nentries:\n  - name: \"x\"\nschema: \"olm.channel\"\n";
    let added = "name: \"beta\"\nentries:\n  - name: \"foo.v1\"\nschema: \"olm.channel\"\n";
    assert_eq!(
        insert(file, 0, 0, Format::Yaml),
        format!("{file}---\n{added}")
    );
    let file = "{name: alpha, schema: olm.channel, entries: [{name: x}]}\n";
    let added = "{name: beta, schema: olm.channel, entries: [{name: foo.v1}]}\n";
    assert_eq!(
        insert(file, 0, 0, Format::Yaml),
        format!("{file}---\n{added}")
    );
}

#[test]
fn json_is_added_in_the_layout_of_its_neighbours() {
    let compact =
        "{\"schema\":\"olm.channel\",\"name\":\"beta\",\"entries\":[{\"name\":\"foo.v1\"}]}";
    assert_eq!(
        insert("{\"a\":1}\n{\"b\":2}\n", 0, 0, Format::Json),
        format!("{{\"a\":1}}\n{compact}\n{{\"b\":2}}\n")
    );
    assert_eq!(
        insert("{\"a\":1}\n", 0, 0, Format::Json),
        format!("{{\"a\":1}}\n{compact}\n")
    );
    let pretty = "{\n\t\"name\": \"x\",\n\t\"schema\": \"y\"\n}";
    let added = "{\n\t\"name\": \"beta\",\n\t\"schema\": \"olm.channel\",\n\t\"entries\": [\n\t\t{\n\t\t\t\"name\": \"foo.v1\"\n\t\t}\n\t]\n}";
    assert_eq!(
        insert(&format!("{pretty}\n"), 0, 0, Format::Json),
        format!("{pretty}\n{added}\n")
    );
}

#[test]
fn an_empty_file_is_filled() {
    let fill = |like, format| {
        let edits = insert_blob(window(b""), 0, like, format, &channel()).unwrap();
        String::from_utf8(edits.apply(b"")).unwrap()
    };
    assert_eq!(fill(None, Format::Yaml), YAML);
    let neighbor = Neighbor {
        text: b"schema: x\n",
        format: Format::Yaml,
        leading_separator: true,
    };
    assert_eq!(fill(Some(neighbor), Format::Yaml), format!("---\n{YAML}"));
    assert!(fill(None, Format::Json).starts_with("{\n    \"schema\": \"olm.channel\",\n"));
}

#[test]
fn a_new_file_looks_like_its_neighbors() {
    let write =
        |like| String::from_utf8(new_file(like, Format::Yaml, &channel()).unwrap()).unwrap();
    assert_eq!(write(None), format!("---\n{YAML}"));
    let neighbor = Neighbor {
        text: b"a:\r\n  - b\r\n",
        format: Format::Yaml,
        leading_separator: false,
    };
    assert_eq!(
        write(Some(neighbor)),
        YAML.replace("- name", "  - name").replace('\n', "\r\n")
    );
}

#[test]
fn a_blob_is_removed_with_its_separator() {
    let remove = |file: &str, index| without_blob(file, index, Format::Yaml);
    assert_eq!(remove("---\na: b\n---\nc: d\n", 0), "---\nc: d\n");
    assert_eq!(remove("---\na: b\n---\nc: d\n", 1), "---\na: b\n");
    assert_eq!(
        remove("a: b\n---\nc: d\n---\ne: f\n", 0),
        "c: d\n---\ne: f\n"
    );
    assert_eq!(
        remove("a: b\n---\nc: d\n---\ne: f\n", 1),
        "a: b\n---\ne: f\n"
    );
    assert_eq!(remove("a: b\n---\nc: d", 1), "a: b\n");
    assert_eq!(remove("\u{feff}a: b\n---\nc: d\n", 0), "\u{feff}c: d\n");
    assert_eq!(remove("---\na: b\n---\n", 0), "");
    assert_eq!(remove("\u{feff}a: b\n", 0), "");
    let remove = |file: &str, index| without_blob(file, index, Format::Json);
    assert_eq!(remove("{\"a\":1}\n{\"b\":2}\n", 0), "{\"b\":2}\n");
    assert_eq!(remove("{\"a\":1}\n{\"b\":2}\n", 1), "{\"a\":1}\n");
    assert_eq!(remove("{\"a\":1}{\"b\":2}", 1), "{\"a\":1}");
    assert_eq!(remove("{\"a\":1}\n", 0), "");
}

#[test]
fn invalid_positions_and_blobs_are_refused() {
    let file = b"a: b\nc: d\n";
    let kind = |result: Result<TextEdits, PatchRefusal>| result.unwrap_err().kind;
    assert_eq!(
        kind(insert_blob(window(file), 5, None, Format::Yaml, &channel())),
        RefusalKind::Spelling
    );
    assert_eq!(
        kind(insert_blob(
            window(file),
            99,
            None,
            Format::Yaml,
            &channel()
        )),
        RefusalKind::NotThere
    );
    assert_eq!(
        kind(insert_blob(
            window(file),
            10,
            None,
            Format::Yaml,
            &"x".into()
        )),
        RefusalKind::Unwritable
    );
    assert_eq!(
        kind(remove_blob(window(file), 5..99, Format::Yaml)),
        RefusalKind::NotThere
    );
}

/// The result does not depend on where the window starts, even between the two halves of a line
/// break.
#[test]
fn a_new_blob_has_the_line_breaks_of_its_place() {
    let text = "schema: olm.package\r\nname: foo\r\n---\r\nschema: olm.channel\r\nname: alpha\r\n";
    for start in 0..text.len() - 1 {
        let part = Window {
            text: &text.as_bytes()[start..],
            start,
            file_len: text.len(),
        };
        let edits = insert_blob(part, text.len(), None, Format::Yaml, &channel()).unwrap();
        let after = String::from_utf8(edits.apply(text.as_bytes())).unwrap();
        assert_eq!(
            after.replace("\r\n", "").find('\n'),
            None,
            "window from {start}: {after:?}"
        );
    }
}
