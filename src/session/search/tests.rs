//! Tests the results of small catalogs with their order, and that the index follows edits.

use super::{HitKind, Index, SearchResults};
use crate::{self as session, Session};
use catalog::testing::MemorySource;
use protocol::operation::EditOp;
use std::rc::Rc;

const ANCHOR: &str = r#"schema: olm.package
name: anchor
defaultChannel: stable
---
schema: olm.channel
package: anchor
name: alpha
entries:
- name: anchor.v1.0.0
- name: anchor.v1.1.0
  replaces: anchor.v1.0.0
---
schema: olm.channel
package: anchor
name: stable
entries:
- name: anchor.v1.1.0
- name: lost.v0.9.0
---
schema: olm.bundle
package: anchor
name: anchor.v1.0.0
image: quay.io/harbor/anchor@sha256:1f00d
properties:
- {type: olm.package, value: {packageName: anchor, version: 1.0.0}}
- {type: olm.gvk, value: {group: sea.example.com, kind: AnchorChain, version: v1}}
- {type: olm.csv.metadata, value: {displayName: The Anchor, annotations: {description: holds ships}}}
---
schema: olm.bundle
package: anchor
name: anchor.v1.1.0
image: quay.io/harbor/anchor@sha256:2f00d
properties:
- {type: olm.package, value: {packageName: anchor, version: 1.1.0}}
- {type: olm.gvk, value: {group: sea.example.com, kind: AnchorChain, version: v1}}
- {type: olm.gvk.required, value: {group: sea.example.com, kind: Buoy, version: v1}}
- {type: sea.depth, value: 7}
"#;

const STABLE: &str = "schema: olm.package
name: stable
defaultChannel: a
---
schema: olm.channel
package: stable
name: a
entries:
- name: stable.v1.0.0
";

fn open_catalogs() -> (Session, Index) {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(1, "c/anchor/catalog.yaml", ANCHOR),
        host.add(2, "c/stable/catalog.yaml", STABLE),
    ];
    (session::open(files, host), Index::default())
}

fn find(index: &mut Index, session: &Session, typed: &str) -> SearchResults {
    index.refresh(session);
    index.find(session, typed, "", 50)
}

fn search(typed: &str) -> Vec<(HitKind, String)> {
    let (session, mut index) = open_catalogs();
    find(&mut index, &session, typed)
        .hits
        .into_iter()
        .map(|hit| (hit.kind, hit.text))
        .collect()
}

#[test]
fn equal_matches_are_ordered_by_kind() {
    let found = search("stable");
    assert_eq!(
        found[..2],
        [
            (HitKind::Package, "stable".to_owned()),
            (HitKind::Channel, "stable".to_owned())
        ]
    );
    assert_eq!(
        found[2],
        (HitKind::Entry, "stable.v1.0.0".to_owned()),
        "the start of a name comes after whole names"
    );
}

#[test]
fn names_of_every_kind_are_found() {
    for (typed, kind, text) in [
        ("anchor", HitKind::Package, "anchor"),
        ("alp", HitKind::Channel, "alpha"),
        ("anchor.v1.1", HitKind::Bundle, "anchor.v1.1.0"),
        ("1.1.0", HitKind::Version, "1.1.0"),
        ("the anchor", HitKind::DisplayName, "The Anchor"),
        (
            "AnchorChain",
            HitKind::ProvidedApi,
            "AnchorChain sea.example.com/v1",
        ),
        ("buoy", HitKind::RequiredApi, "Buoy sea.example.com/v1"),
        ("sea.depth", HitKind::PropertyType, "sea.depth"),
        (
            "2f00d",
            HitKind::Image,
            "quay.io/harbor/anchor@sha256:2f00d",
        ),
        ("lost", HitKind::Entry, "lost.v0.9.0"),
    ] {
        assert_eq!(
            search(typed).first(),
            Some(&(kind, text.to_owned())),
            "{typed}"
        );
    }
    assert!(
        search("holds ships").is_empty(),
        "descriptions are not searched"
    );
    let problems = search("entry-without-bundle");
    assert!(
        problems
            .iter()
            .any(|(kind, text)| *kind == HitKind::Problem && text.contains("lost.v0.9.0")),
        "{problems:?}"
    );
}

#[test]
fn a_bundle_is_shown_in_the_default_channel_that_lists_it() {
    let (session, mut index) = open_catalogs();
    let mut channel = |typed: &str| find(&mut index, &session, typed).hits.remove(0).channel;
    assert_eq!(channel("anchor.v1.1.0"), "stable");
    assert_eq!(
        channel("anchor.v1.0.0"),
        "alpha",
        "the default channel does not list it"
    );
    assert_eq!(
        channel("AnchorChain"),
        "stable",
        "of the highest version that provides it"
    );
}

#[test]
fn the_best_results_are_returned_and_all_are_counted() {
    let (session, mut index) = open_catalogs();
    let all = find(&mut index, &session, "a");
    assert_eq!(all.total, all.hits.len());
    let best = index.find(&session, "a", "", 3);
    assert_eq!((best.total, &best.hits[..]), (all.total, &all.hits[..3]));
    assert_eq!(index.find(&session, "a", "", 0).hits, []);
    assert_eq!(index.find(&session, "  ", "", 9), SearchResults::default());
}

#[test]
fn an_edit_reindexes_only_its_package() {
    let (mut session, mut index) = open_catalogs();
    assert_eq!(find(&mut index, &session, "candidate").total, 0);
    let untouched = |index: &Index| {
        index.roots[0]
            .iter()
            .map(|package_items| package_items.items.as_ptr())
            .collect::<Vec<_>>()
    };
    let before = untouched(&index);
    let add = EditOp::RenameChannel {
        catalog: None,
        package: "anchor".into(),
        channel: "alpha".into(),
        to: "candidate".into(),
    };
    session
        .apply("rename", &[add])
        .expect("a channel can be renamed");
    assert_eq!(
        find(&mut index, &session, "candidate").hits[0].channel,
        "candidate"
    );
    assert_eq!(find(&mut index, &session, "alpha").total, 0);
    assert_eq!(
        before[1],
        untouched(&index)[1],
        "`stable` was not gathered again"
    );
    session.undo();
    assert_eq!(find(&mut index, &session, "candidate").total, 0);
}

#[test]
fn results_of_the_current_catalog_come_first_and_equal_ones_are_merged() {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(1, "v4.18/anchor/catalog.yaml", ANCHOR),
        host.add(2, "v4.19/anchor/catalog.yaml", ANCHOR),
        host.add(3, "v4.19/stable/catalog.yaml", STABLE),
    ];
    let (session, mut index) = (session::open(files, host), Index::default());
    index.refresh(&session);
    let roots = |typed: &str, in_view: &str| {
        let found = index.find(&session, typed, in_view, 50);
        let hits = found.hits.into_iter();
        hits.filter(|hit| hit.kind == HitKind::Bundle)
            .map(|hit| (hit.root, hit.text, hit.other_roots))
            .collect::<Vec<_>>()
    };
    let in_4_19 = |name: &str, other_roots| ("v4.19".to_owned(), name.to_owned(), other_roots);
    assert_eq!(
        roots("anchor.v1", "v4.19"),
        [in_4_19("anchor.v1.0.0", 1), in_4_19("anchor.v1.1.0", 1)]
    );
    assert_eq!(roots("anchor.v1", "v4.18")[0].0, "v4.18");
    let files = index.find(&session, "stable/cat", "v4.18", 50).hits;
    assert_eq!(files.len(), 1, "a path is a name too");
    assert_eq!(files[0].file.as_deref(), Some("stable/catalog.yaml"));
    let paths = |typed: &str| {
        let hits = index.find(&session, typed, "", 50).hits.into_iter();
        let files = hits.filter(|hit| hit.kind == HitKind::File);
        files.map(|hit| hit.text).collect::<Vec<_>>()
    };
    let in_both = ["v4.18/anchor/catalog.yaml", "v4.19/anchor/catalog.yaml"];
    assert_eq!(paths("anchor/catalog.yaml"), in_both);
    assert_eq!(paths("yaml anchor v4"), in_both);
    assert_eq!(paths("v4.19/anchor"), in_both[1..]);
}

#[test]
fn text_is_searched_in_all_files() {
    let (session, _) = open_catalogs();
    let first = |path: &str| path.contains("stable");
    let found = session.files().search_text("HOLDS ships", first, 10);
    assert_eq!((found.matches, found.files), (1, 1));
    let line = &found.lines[0];
    assert_eq!(
        (line.path.as_str(), line.line),
        ("c/anchor/catalog.yaml", 27)
    );
    assert_eq!(&line.text[line.mark.clone()], "holds ships");
    assert!(
        line.text.starts_with("- {type"),
        "without indentation: {}",
        line.text
    );

    let found = session.files().search_text("stable", first, 2);
    assert_eq!(found.lines[0].path, "c/stable/catalog.yaml");
    assert_eq!((found.lines.len(), found.matches), (2, 5));
    assert_eq!(session.files().search_text("", first, 9).matches, 0);
}

#[test]
fn lines_with_all_words_follow_those_with_the_phrase() {
    let long = format!("{} maturity {}", "x".repeat(2 << 20), "y".repeat(300));
    let text = format!(
        "\"alpha\" of any maturity\n\"maturity\": \"Alpha\"\nmaturity alphabet\nalpha\nmaturity\n{long} alpha"
    );
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(1, "c/first.yaml", &text),
        host.add(2, "c/second.yaml", "the maturity alpha\n"),
        host.add(3, "c/.git/HEAD", "maturity alpha\n"),
    ];
    let session = session::open(files, host);
    let found = session.files().search_text("Maturity alpha", |_| false, 10);
    let place = |line: &session::FoundLine| {
        let mark = line.text[line.mark.clone()].to_owned();
        (line.line, line.column, line.end_column, mark)
    };
    let places: Vec<_> = found.lines.iter().map(place).collect();
    let long_column: u32 = (2 << 20) + 2;
    let expected = [
        (3, 1, 15, "maturity alpha"),
        (1, 5, 19, "maturity alpha"),
        (1, 2, 24, "alpha\" of any maturity"),
        (2, 2, 19, "maturity\": \"Alpha"),
        (6, long_column, long_column + 8, "maturity"),
    ];
    let expected = expected.map(|(line, column, end, mark): (u32, u32, u32, &str)| {
        (line, column, end, mark.to_owned())
    });
    assert_eq!(places, expected);
    assert_eq!((found.matches, found.files), (5, 2));
    let first_two = session.files().search_text("maturity alpha", |_| false, 2);
    assert_eq!(first_two.lines, found.lines[..2]);
    let without_both = session.files().search_text("maturity beta", |_| false, 9);
    assert_eq!(without_both.lines, []);
}

#[test]
fn a_line_of_several_pieces_is_found_once() {
    let filling = "x".repeat(3 << 20);
    let text = format!(
        "alpha, maturity {filling} alpha, maturity\nalpha, maturity {filling} maturity alpha\n"
    );
    let host = Rc::new(MemorySource::default());
    let files = vec![host.add(1, "c/catalog.yaml", &text)];
    let session = session::open(files, host);
    let found = session.files().search_text("maturity alpha", |_| false, 10);
    let lines = found.lines.iter().map(|line| line.line);
    assert_eq!(lines.collect::<Vec<_>>(), [2, 1]);
    assert_eq!(found.matches, 2);
}
