//! Tests of finding positions again.

use super::*;
use catalog::index::index_bytes;

const CHANNEL: &str = "---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1.0.0\n- name: p.v1.1.0\n  skips:\n  - x\n  - y\n  - z\n- name: p.v1.2.0\n  skips:\n  - x\n  - y\n  - z\n- name: p.v1.3.0\n";

fn anchor_at(text: &str, place: Range<usize>) -> TextAnchor {
    let index = index_bytes(text.as_bytes());
    capture(
        text.as_bytes(),
        &place,
        path_to(text.as_bytes(), 0, Some(&index), &place),
        Digest::from_bytes(text.as_bytes()),
    )
}

fn relocate_in(
    around: &TextAnchor,
    before: &str,
    text: &str,
) -> Result<Range<usize>, RelocationError> {
    relocate(
        around,
        before,
        text.as_bytes(),
        Some(&index_bytes(text.as_bytes())),
        None,
    )
}

fn at(text: &str, what: &str) -> usize {
    text.find(what).unwrap()
}

#[test]
fn the_path_names_blob_and_entry() {
    let place = at(CHANNEL, "- name: p.v1.2.0");
    let index = index_bytes(CHANNEL.as_bytes());
    let way_to = |place: usize| path_to(CHANNEL.as_bytes(), 0, Some(&index), &(place..place));
    assert_eq!(
        way_to(place),
        ["olm.channel", "p", "a", "entries", "p.v1.1.0", "skips"]
    );
    assert_eq!(
        way_to(at(CHANNEL, "entries")),
        ["olm.channel", "p", "a", "name"]
    );
    let json = CHANNEL.lines().count();
    assert!(json > 1);
    let json = "{\n  \"schema\": \"olm.channel\",\n  \"package\": \"p\",\n  \"name\": \"a\",\n  \"entries\": [\n    {\n      \"name\": \"p.v1\",\n      \"replaces\": \"p.v0\"\n    }\n  ]\n}\n";
    let place = at(json, ",\n      \"replaces\"");
    let path = path_to(
        json.as_bytes(),
        0,
        Some(&index_bytes(json.as_bytes())),
        &(place..place),
    );
    assert_eq!(
        path,
        [
            "olm.channel",
            "p",
            "a",
            "\"entries\"",
            "\"p.v1\"",
            "\"name\""
        ]
    );
}

#[test]
fn a_place_moves_with_its_lines() {
    let place = at(CHANNEL, "- name: p.v1.2.0");
    let around = anchor_at(CHANNEL, place..place);
    assert_eq!(
        relocate_in(&around, "", CHANNEL),
        Err(RelocationError::Changed),
        "an unchanged text has the position or none"
    );
    assert_eq!(
        relocate(&around, "", CHANNEL.as_bytes(), None, Some(place..place)),
        Ok(place..place)
    );
    for (shift, text) in [
        (7, format!("# seen\n{CHANNEL}")),
        (0, format!("{CHANNEL}- name: p.v1.4.0\n")),
    ] {
        assert_eq!(
            relocate_in(&around, "", &text),
            Ok(place + shift..place + shift)
        );
    }
}

#[test]
fn equal_lines_are_distinguished_by_their_entry() {
    // Below the second list; the first one has the same lines, and the following entry is removed.
    let place = CHANNEL.rfind("- name: p.v1.3.0").unwrap();
    let around = anchor_at(CHANNEL, place..place);
    let swapped = CHANNEL.replace("- name: p.v1.2.0\n", "- name: p.v1.9.0\n");
    assert_eq!(
        relocate_in(&around, "", &swapped),
        Err(RelocationError::Changed),
        "the entry has another name"
    );
    let gone = CHANNEL.replace("- name: p.v1.2.0\n  skips:\n  - x\n  - y\n  - z\n", "");
    assert_eq!(
        relocate_in(&around, "", &gone),
        Err(RelocationError::Changed),
        "the same lines, of another entry"
    );
}

#[test]
fn another_blob_with_the_same_lines_is_not_matched() {
    let place = at(CHANNEL, "- name: p.v1.1.0");
    let around = anchor_at(CHANNEL, place..place);
    let other = CHANNEL.replace("name: a\n", "name: b\n");
    assert_eq!(
        relocate_in(&around, "", &other),
        Err(RelocationError::Changed)
    );
    let both = format!("{other}{CHANNEL}");
    assert_eq!(
        relocate_in(&around, "", &both),
        Ok(place + other.len()..place + other.len())
    );
    assert_eq!(
        relocate_in(&around, "", &format!("{CHANNEL}{CHANNEL}")),
        Err(RelocationError::Several(2))
    );
}

#[test]
fn a_changed_neighbouring_line_is_refused() {
    let place = at(CHANNEL, "- name: p.v1.1.0");
    let around = anchor_at(CHANNEL, place..place);
    assert_eq!(
        relocate_in(
            &around,
            "",
            &CHANNEL.replace("- name: p.v1.0.0\n", "- name: p.v1.0.0\n  replaces: q\n")
        ),
        Err(RelocationError::Changed)
    );
    assert_eq!(
        relocate_in(&around, "", &CHANNEL.replace("- name: p.v1.1.0\n", "")),
        Err(RelocationError::Changed)
    );
    // The replaced text must match too.
    let name = place + "- name: ".len();
    let around = anchor_at(CHANNEL, name..name + 8);
    let renamed = format!("#\n{}", CHANNEL.replace("p.v1.1.0", "p.v1.1.1"));
    assert_eq!(
        relocate_in(&around, "p.v1.1.0", &renamed),
        Err(RelocationError::Changed)
    );
}

#[test]
fn text_outside_blobs_needs_unique_lines() {
    let text = "a\nb\nc\n\n\n\n\n\n\n\n\nd\n";
    let place = 8;
    let around = capture(
        text.as_bytes(),
        &(place..place),
        Vec::new(),
        Digest::from_bytes(text.as_bytes()),
    );
    assert!(around.above.contains("c\n"), "{around:?}");
    let find = |text: &str| relocate(&around, "", text.as_bytes(), None, Some(place..place));
    assert_eq!(find(text), Ok(place..place));
    assert_eq!(
        find(&format!("# one line more\n{text}")),
        Ok(place + 16..place + 16)
    );
    let same = "\n".repeat(200);
    let around = capture(
        same.as_bytes(),
        &(100..100),
        Vec::new(),
        Digest::from_bytes(same.as_bytes()),
    );
    let longer = format!("{same}\n");
    assert!(matches!(
        super::relocate(&around, "", longer.as_bytes(), None, Some(100..100)),
        Err(RelocationError::Several(_))
    ));
    assert_eq!(
        super::relocate(&around, "", same.as_bytes(), None, Some(100..100)),
        Ok(100..100)
    );
}

#[test]
fn an_unindexed_insertion_is_found_by_its_lines() {
    let place = at(CHANNEL, "- name: p.v1.1.0");
    let typed = TextAnchor {
        digest: String::new(),
        within: Vec::new(),
        ..anchor_at(CHANNEL, place..place)
    };
    let find = |text: &str| {
        relocate(
            &typed,
            "",
            text.as_bytes(),
            Some(&index_bytes(text.as_bytes())),
            Some(place..place),
        )
    };
    assert_eq!(find(CHANNEL), Ok(place..place));
    assert_eq!(find(&format!("# a\n{CHANNEL}")), Ok(place + 4..place + 4));
    assert_eq!(
        find(&CHANNEL.replace("p.v1.0.0", "p.v0.9.0")),
        Err(RelocationError::Changed)
    );
}

#[test]
fn any_bytes_have_a_context() {
    let texts: [&[u8]; 6] = [
        b"",
        b"\n",
        b"\xff\xfe\n\xff",
        b"a\r\n\r\n",
        "ä\u{feff}ö".as_bytes(),
        &[b'x'; 9000],
    ];
    for text in texts {
        for start in (0..=text.len()).step_by(1 + text.len() / 50) {
            for end in [start, text.len()] {
                let around = capture(text, &(start..end), Vec::new(), Digest::from_bytes(text));
                let before = String::from_utf8_lossy(&text[start..end]).into_owned();
                if before.as_bytes() == &text[start..end] {
                    let place = relocate(&around, &before, text, None, Some(start..end));
                    assert_eq!(place, Ok(start..end), "{text:?} {start}..{end}");
                    // A longer text never panics.
                    let _ = relocate(
                        &around,
                        &before,
                        &[b"\n", text].concat(),
                        None,
                        Some(start..end),
                    );
                }
            }
        }
    }
}
