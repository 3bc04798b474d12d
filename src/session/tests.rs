//! The session with small in-memory files.

mod shared_problems;
mod typed_on;
mod unpublished;

use super::*;
use catalog::testing::MemorySource;
use edit::command_line::to_arguments;
use protocol::operation::{EditOp, IfExists};
use protocol::views::LineEnd;

fn package(name: &str) -> String {
    let bundle = |n: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{n}\nimage: quay.io/x/y:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: {n}}}\n"
        )
    };
    format!(
        "---\nschema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\nentries:\n- name: {name}.v1.0.0\n- name: {name}.v1.1.0\n  replaces: {name}.v1.0.0\n---\nschema: olm.channel\npackage: {name}\nname: b\nentries:\n- name: {name}.v1.1.0\n{}{}",
        bundle("1.0.0"),
        bundle("1.1.0")
    )
}

fn default_channel(catalog: Option<&str>, package: &str, channel: &str) -> EditOp {
    EditOp::SetDefaultChannel {
        catalog: catalog.map(str::to_owned),
        package: package.to_owned(),
        channel: channel.to_owned(),
    }
}

/// Replaces text in `p`'s file.
fn replace_text(at: &str, before: &str, text: &str) -> EditOp {
    EditOp::ReplaceText {
        catalog: None,
        file: "p/catalog.yaml".to_owned(),
        at: at.to_owned(),
        before: before.to_owned(),
        text: text.to_owned(),
        around: None,
    }
}

fn replaces(package: &str, name: &str, replaces: Option<&str>) -> EditOp {
    EditOp::SetReplaces {
        catalog: None,
        package: package.to_owned(),
        channel: "a".to_owned(),
        name: name.to_owned(),
        replaces: replaces.map(str::to_owned),
    }
}

fn one() -> (Session, Rc<MemorySource>) {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "cat/p/catalog.yaml", package("p")),
        host.add(1, "cat/q/catalog.yaml", package("q")),
        host.add(2, "cat/r/catalog.yaml", package("r")),
    ];
    (open(files, host.clone()), host)
}

#[test]
fn a_refused_edit_of_a_repeated_value_names_its_anchor_and_line() {
    let host = Rc::new(MemorySource::default());
    let text = package("p").replace(
        "- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n",
        "- &base\n  name: p.v1.0.0\n  replaces: p.v0\n- <<: *base\n  name: p.v1.1.0\n",
    );
    let files = vec![host.add(0, "cat/p/catalog.yaml", text)];
    let mut session = open(files, host);
    let edit = replaces("p", "p.v1.1.0", Some("p.v0.9.0"));
    let refused = session.apply("Set replaces", &[edit]).unwrap_err();
    assert_eq!(
        refused.reason,
        "the value of entries[1].replaces comes from an alias: it is written at &base in line 10"
    );
    assert!(
        refused.help.contains("write the value out here"),
        "{}",
        refused.help
    );
}

#[test]
fn a_previewed_edit_is_applied_without_rechecking() {
    let ops = [replaces("p", "p.v1.1.0", None)];
    let (mut unseen, _) = one();
    let applied = unseen.apply("Cut", &ops).unwrap();
    let (mut session, _) = one();
    let opened = session.roots()[0].verdict().clone();
    let preview = session.preview(&ops).unwrap();
    assert_eq!(session.roots()[0].verdict(), &opened);
    let before = session.counters();
    assert_eq!(session.apply("Cut", &ops).unwrap(), applied);
    assert_eq!(session.counters(), before);
    assert_eq!(applied.consequences, preview.consequences);
    assert_eq!(session.roots()[0].verdict(), unseen.roots()[0].verdict());
    assert_eq!(
        session.files().bytes("cat/p/catalog.yaml").unwrap(),
        unseen.files().bytes("cat/p/catalog.yaml").unwrap()
    );
    session.undo();
    assert_eq!(session.roots()[0].verdict(), &opened);
}

#[test]
fn a_preview_is_dropped_by_any_other_change() {
    let ops = [replaces("p", "p.v1.1.0", None)];
    let other = [default_channel(None, "p", "b")];
    let (mut session, _) = one();
    session.preview(&ops).unwrap();
    session.apply("Other", &other).unwrap();
    let before = session.counters();
    session.apply("Cut", &ops).unwrap();
    assert_eq!(
        session.counters().packages_judged - before.packages_judged,
        1
    );
    let package = session.roots()[0].catalog().package("p").unwrap();
    assert_eq!(
        package.default_channel(),
        "b",
        "the other edit is still there"
    );
}

#[test]
fn an_edit_validates_one_package_and_parses_one_blob() {
    let (mut session, _) = one();
    assert!(
        session.roots()[0].verdict().passed,
        "{:?}",
        session.roots()[0].verdict().opm_message
    );
    let before = session.counters();
    let applied = session
        .apply("Cut", &[replaces("p", "p.v1.1.0", None)])
        .unwrap();
    let after = session.counters();
    assert_eq!(after.packages_judged - before.packages_judged, 1);
    assert_eq!(after.blobs_parsed - before.blobs_parsed, 1);
    assert_eq!(after.files_indexed, before.files_indexed);
    assert_eq!(applied.packages, [("cat".to_owned(), "p".into())]);
    assert!(!session.roots()[0].verdict().passed);
    assert!(
        applied
            .consequences
            .summary()
            .starts_with("fails opm validate now")
    );

    let undone = session.undo().unwrap();
    assert_eq!(
        session.counters().blobs_parsed,
        after.blobs_parsed,
        "undo parses nothing"
    );
    assert!(session.roots()[0].verdict().passed && undone.consequences.verdicts[0].passed_after);
    assert!(session.files().changed_paths().is_empty());
    session.redo().unwrap();
    assert_eq!(session.files().changed_paths(), ["cat/p/catalog.yaml"]);
    assert!(session.redo().is_none());
}

#[test]
fn a_preview_changes_nothing() {
    let (mut session, _) = one();
    let revision = session.revision();
    let verdict = session.roots()[0].verdict().clone();
    let preview = session
        .preview(&[
            replaces("p", "p.v1.1.0", None),
            default_channel(None, "q", "b"),
        ])
        .unwrap();
    assert_eq!(preview.files.len(), 2);
    assert_eq!((preview.files[0].added, preview.files[0].removed), (0, 1));
    assert!(preview.consequences.affects_users() && !preview.consequences.broken.is_empty());
    assert_eq!(session.roots()[0].verdict(), &verdict);
    assert_eq!((session.revision(), session.history().len()), (revision, 0));
    assert!(session.files().changed_paths().is_empty());

    assert!(
        session
            .apply(
                "x",
                &[
                    default_channel(None, "p", "b"),
                    default_channel(None, "p", "no")
                ]
            )
            .is_err()
    );
    assert!(
        session.files().changed_paths().is_empty(),
        "all operations or none"
    );
    assert_eq!(session.roots()[0].verdict(), &verdict);
}

#[test]
fn a_preview_shows_only_its_own_change() {
    let (mut session, _) = one();
    session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap();
    let preview = session
        .preview(&[replaces("p", "p.v1.1.0", Some("p.v0.9.0"))])
        .unwrap();
    let changed: Vec<String> = preview.files[0]
        .hunks
        .iter()
        .flat_map(|h| &h.lines)
        .filter(|l| l.kind != catalog::diff::LineKind::Context)
        .map(|l| String::from_utf8_lossy(&l.text).into_owned())
        .collect();
    assert_eq!(changed, ["  replaces: p.v1.0.0", "  replaces: p.v0.9.0"]);
}

#[test]
fn history_can_jump_to_any_step_and_fork() {
    let (mut session, _) = one();
    for (title, package) in [("one", "p"), ("two", "q"), ("three", "r")] {
        session
            .apply(title, &[default_channel(None, package, "b")])
            .unwrap();
    }
    session.go_to(1).unwrap();
    assert_eq!(session.files().changed_paths(), ["cat/p/catalog.yaml"]);
    assert_eq!(session.changes().commands().len(), 1);
    session
        .apply("other", &[default_channel(None, "r", "b")])
        .unwrap();
    let titles: Vec<&str> = session.history().iter().map(|s| s.title.as_str()).collect();
    assert_eq!(titles, ["one", "other"]);
    assert!(
        session
            .apply("again", &[default_channel(None, "r", "b")])
            .unwrap()
            .files
            .is_empty()
    );
    assert_eq!(
        session.history().len(),
        2,
        "an edit without effect adds no step"
    );
    session.go_to(0).unwrap();
    assert!(session.files().changed_paths().is_empty());
}

#[test]
fn a_package_is_copied_from_one_open_catalog_to_another() {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "repo/v4.18/q/catalog.yaml", package("q")),
        host.add(1, "repo/v4.18/p/catalog.yaml", package("p")),
        host.add(2, "repo/v4.19/q/catalog.yaml", package("q")),
    ];
    let mut session = open(files, host);
    let copy = |to: &str, from: &str| EditOp::CopyPackage {
        catalog: Some(to.to_owned()),
        package: "p".to_owned(),
        from: from.to_owned(),
        files: Vec::new(),
        if_there: IfExists::Refuse,
    };
    assert!(
        session
            .apply("x", &[copy("v4.19", "v4.20")])
            .unwrap_err()
            .reason
            .contains("no catalog `v4.20` is open")
    );
    assert!(
        session
            .apply("x", &[copy("v4.18", "v4.18")])
            .unwrap_err()
            .reason
            .contains("already in this catalog")
    );
    // Copies the package's current state, including edits.
    session
        .apply("x", &[default_channel(Some("v4.18"), "p", "b")])
        .unwrap();
    session.apply("x", &[copy("v4.19", "v4.18")]).unwrap();
    let text = |session: &Session, root: &str| {
        session
            .files()
            .bytes(&format!("repo/{root}/p/catalog.yaml"))
            .ok()
    };
    assert_eq!(text(&session, "v4.19"), text(&session, "v4.18"));
    assert!(
        session.root(Some("v4.19")).unwrap().verdict().passed,
        "as v4.18 does"
    );
    assert_eq!(
        session.changes().commands().last().map(String::as_str),
        Some("switchyard edit v4.19 copy-package --package p --from v4.18 --write")
    );
    session.undo().unwrap();
    assert_eq!(text(&session, "v4.19"), None);
}

#[test]
fn two_catalogs_have_separate_verdicts_and_edits() {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "repo/v4.18/catalog.yaml", package("p")),
        host.add(1, "repo/v4.19/catalog.yaml", package("p")),
        host.add(2, "repo/README.md", "# hello\n"),
    ];
    let mut session = open(files, host);
    let names: Vec<&str> = session.roots().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["repo/v4.18", "repo/v4.19"]);
    assert!(
        session
            .apply("x", &[default_channel(None, "p", "b")])
            .unwrap_err()
            .reason
            .contains("names none")
    );
    session
        .apply("x", &[default_channel(Some("v4.19"), "p", "b")])
        .unwrap();
    assert_eq!(session.files().changed_paths(), ["repo/v4.19/catalog.yaml"]);
    assert_eq!(
        session.changes().commands(),
        ["switchyard edit v4.19 set-default-channel --package p --channel b --write"]
    );
    let patch = String::from_utf8(session.changes().patch().unwrap()).unwrap();
    assert!(
        patch.starts_with("diff --git a/v4.19/catalog.yaml b/v4.19/catalog.yaml\n"),
        "{patch}"
    );
    assert_eq!(unused_files(&session)[0].path, "repo/README.md");
    assert!(session.files().whole_message("repo").is_some());
    session.treat_as_one("repo", true);
    assert_eq!(session.roots().len(), 1);
    assert!(!session.roots()[0].verdict().passed);
    assert_eq!(session.files().changed_paths().len(), 1, "edits stay");
}

/// Makes the host save a file's current state.
fn save(session: &mut Session, path: &str) {
    let bytes = session.files().bytes(path).unwrap();
    assert!(
        mark_saved(
            session,
            HostFile {
                id: FileId(900),
                path: path.to_owned(),
                bytes
            }
        )
        .unwrap()
    );
}

#[test]
fn saved_text_is_the_new_original_and_can_be_undone() {
    let (mut session, _) = one();
    let original = session.files().bytes("cat/p/catalog.yaml").unwrap();
    session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap();
    save(&mut session, "cat/p/catalog.yaml");
    assert!(session.files().changed_paths().is_empty());
    session.undo().unwrap();
    assert_eq!(
        session.files().bytes("cat/p/catalog.yaml").unwrap(),
        original
    );
    let review = session.changes().review().unwrap();
    assert_eq!(
        (review.len(), review[0].added, review[0].removed),
        (1, 1, 1)
    );
}

#[test]
fn bundles_in_the_opened_files_count_as_published() {
    let (mut session, _) = one();
    session.set_advice_source(AdviceSource::Nearest(None));
    let messages = |session: &Session| -> Vec<String> {
        let diagnostics = &session.roots()[0].verdict().diagnostics;
        diagnostics
            .iter()
            .filter(|d| d.rule == "published-bundle-changed")
            .map(|d| d.message.clone())
            .collect()
    };
    let file = session.files().bytes("cat/p/catalog.yaml").unwrap();
    let line = 1 + String::from_utf8(file)
        .unwrap()
        .lines()
        .position(|l| l == "image: quay.io/x/y:v1.0.0")
        .unwrap();
    let image = replace_text(
        &format!("{line}:8-{line}:26"),
        "quay.io/x/y:v1.0.0",
        "quay.io/x/y:v9",
    );
    session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap();
    assert!(messages(&session).is_empty());
    let preview = session.preview(std::slice::from_ref(&image)).unwrap();
    assert_eq!(preview.consequences.problems_gained.len(), 1);
    assert!(messages(&session).is_empty(), "a preview changes nothing");
    session.apply("x", &[image]).unwrap();
    let expected = ["published bundle `p.v1.0.0` now has a different image"];
    assert_eq!(messages(&session), expected);
    save(&mut session, "cat/p/catalog.yaml");
    session
        .apply("x", &[default_channel(None, "p", "a")])
        .unwrap();
    assert_eq!(messages(&session), expected, "saving publishes nothing");
    session.treat_as_one("cat", true);
    assert_eq!(messages(&session), expected);
    session.go_to(0).unwrap();
    assert!(messages(&session).is_empty());
}

#[test]
fn edits_are_applied_again_to_files_that_changed_on_disk() {
    let (mut session, host) = one();
    session
        .apply("keep", &[default_channel(None, "p", "b")])
        .unwrap();
    session
        .apply("conflict", &[replaces("q", "q.v1.1.0", None)])
        .unwrap();
    let p = format!(
        "# a comment from elsewhere\n{}",
        package("p").trim_start_matches("---\n")
    );
    let q = package("q").replace("q.v1.1.0", "q.v1.2.0");
    let files = vec![
        host.add(10, "cat/p/catalog.yaml", &p),
        host.add(11, "cat/q/catalog.yaml", &q),
    ];
    let rebased = session.add(files).unwrap();
    assert_eq!((rebased.kept_steps(), rebased.refused.len()), (1, 1));
    assert_eq!(rebased.steps[rebased.refused[0].0].0, "conflict");
    let text = String::from_utf8(session.files().bytes("cat/p/catalog.yaml").unwrap()).unwrap();
    assert_eq!(text, p.replace("defaultChannel: a", "defaultChannel: b"));
    session.undo().unwrap();
    assert_eq!(
        session.files().bytes("cat/p/catalog.yaml").unwrap(),
        p.as_bytes()
    );
}

#[test]
fn a_file_that_changed_on_disk_unseen_is_not_edited() {
    let (mut session, host) = one();
    host.remove(FileId(0));
    let refused = session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap_err();
    assert!(refused.help.contains("reload"), "{refused:?}");
    assert!(session.files().changed_paths().is_empty());
}

#[test]
fn an_edited_file_no_longer_needs_the_host() {
    let (mut session, host) = one();
    session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap();
    host.remove(FileId(0));
    session
        .apply("y", &[replaces("p", "p.v1.1.0", None)])
        .unwrap();
    session.undo().unwrap();
    assert!(session.files().bytes("cat/p/catalog.yaml").is_ok());
}

/// If an edit changes how a file is parsed, its facts are those of the new text.
#[test]
fn facts_after_an_edit_match_the_text() {
    let channel = |name: &str| {
        format!(
            "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"{name}\",\"entries\":[{{\"name\":\"p.v1.0.0\"}}]}}\n"
        )
    };
    let package = |channel: &str| {
        format!("{{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":{channel}}}\n")
    };
    // Braced YAML that a quoted name turns into JSON.
    let yaml = format!(
        "{}---\n{}---\n{}",
        package("a"),
        channel("a"),
        channel("1.0")
    );
    // JSON whose error contains its offset in the file.
    let broken = format!(
        "{}{{\"x\" 1}}\n{}{}",
        package("\"a\""),
        channel("a"),
        channel("1.0")
    );
    for text in [yaml, broken] {
        let host = Rc::new(MemorySource::default());
        let mut session = open(vec![host.add(0, "cat/catalog.yaml", &text)], host.clone());
        let before = session
            .files()
            .version(FileId(0))
            .unwrap()
            .index()
            .unwrap()
            .clone();
        session
            .apply("x", &[default_channel(None, "p", "1.0")])
            .unwrap();
        let after =
            catalog::index::index_bytes(&session.files().bytes("cat/catalog.yaml").unwrap());
        assert_eq!(
            **session.files().version(FileId(0)).unwrap().index().unwrap(),
            after,
            "{text}"
        );
        let formats_and_faults = |index: &catalog::model::FileIndex| -> Vec<_> {
            index
                .blobs
                .iter()
                .map(|b| (b.format, b.faults.clone()))
                .collect()
        };
        assert_ne!(
            formats_and_faults(&before),
            formats_and_faults(&after),
            "the edit has an effect: {text}"
        );
    }
}

/// U+0085 ends a line for the parser but not for a separator: an edit that would lose the last
/// line's end is refused.
#[test]
fn a_blob_keeps_the_end_of_its_last_line() {
    let channel =
        "schema: olm.channel\npackage: p\nname: a\nentries:\n  - name: b\n\u{85}  - name: c\n\n";
    let text = format!("{channel}---\nschema: olm.package\nname: p\n");
    let host = Rc::new(MemorySource::default());
    let mut session = open(vec![host.add(0, "cat/catalog.yaml", &text)], host.clone());
    let op = EditOp::RemoveEntry {
        catalog: None,
        package: "p".to_owned(),
        channel: "a".to_owned(),
        name: "c".to_owned(),
        then: protocol::operation::DanglingEdges::Relink,
    };
    let refused = session.apply("gone", &[op]).unwrap_err();
    assert!(
        refused
            .reason
            .contains("only some YAML readers treat as a line break"),
        "{}",
        refused.reason
    );
    assert_eq!(
        session.files().bytes("cat/catalog.yaml").unwrap(),
        text.as_bytes()
    );
}

#[test]
fn a_file_is_reverted_as_a_step() {
    let (mut session, _) = one();
    let original = session.files().bytes("cat/p/catalog.yaml").unwrap();
    let ops = [
        default_channel(None, "p", "b"),
        replaces("p", "p.v1.1.0", None),
    ];
    session.apply("x", &ops).unwrap();
    let edited = session.files().bytes("cat/p/catalog.yaml").unwrap();
    session.revert_file("cat/p/catalog.yaml").unwrap();
    assert_eq!(
        session.files().bytes("cat/p/catalog.yaml").unwrap(),
        original
    );
    assert!(session.changes().review().unwrap().is_empty());
    session.undo().unwrap();
    assert_eq!(session.files().bytes("cat/p/catalog.yaml").unwrap(), edited);
}

#[test]
fn a_range_of_lines_is_read() {
    let (mut session, _) = one();
    session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap();
    let text = package("p").replace("defaultChannel: a", "defaultChannel: b");
    // A final line break is followed by one more line.
    let all: Vec<&str> = text.split('\n').collect();
    for first in 1..=all.len() as u32 {
        let lines = session
            .files()
            .lines("cat/p/catalog.yaml", first, 3)
            .unwrap();
        let texts: Vec<&str> = lines.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            all[first as usize - 1..]
                .iter()
                .take(3)
                .copied()
                .collect::<Vec<_>>(),
            "from {first}"
        );
        assert_eq!(lines.total as usize, all.len());
        assert_eq!(
            lines.changed,
            if (2..=4).contains(&first) {
                vec![4]
            } else {
                vec![]
            }
        );
    }
    assert!(
        session
            .files()
            .lines("cat/p/catalog.yaml", 999, 3)
            .unwrap()
            .lines
            .is_empty()
    );
}

#[test]
fn lines_have_their_line_breaks() {
    let host = Rc::new(MemorySource::default());
    let text = "\u{feff}---\r\nschema: a\r\nname: x\r\n---\nschema: b\n\n---\nschema: c";
    let session = open(vec![host.add(0, "cat/x.yaml", text)], host.clone());
    let lines = session.files().lines("cat/x.yaml", 2, 9).unwrap();
    assert_eq!(
        (lines.breaks, lines.total, lines.lines.len()),
        (LineEnd::CrLf, 8, 7)
    );
    assert_eq!(
        lines
            .lines
            .last()
            .map(|line| (line.text.as_str(), line.ending)),
        Some(("schema: c", LineEnd::None))
    );
}

#[test]
fn text_is_found_forwards_backwards_and_around_the_end() {
    let (mut session, _) = one();
    session
        .apply("x", &[default_channel(None, "p", "b")])
        .unwrap();
    let find = |text, from, backwards| {
        let found = session
            .files()
            .find_text(
                "cat/p/catalog.yaml",
                TextSearch {
                    text,
                    from,
                    backwards,
                },
            )
            .unwrap();
        (
            found.at.map(|at| (at.line, at.column, at.end_column)),
            found.number,
            found.count,
        )
    };
    let text = package("p").replace("defaultChannel: a", "defaultChannel: b");
    let all: Vec<(u32, u32, u32)> = (1..)
        .zip(text.lines())
        .filter_map(|(number, line)| {
            Some((
                number,
                line.find("p.v1.1.0")? as u32 + 1,
                line.find("p.v1.1.0")? as u32 + 9,
            ))
        })
        .collect();
    for (at, place) in all.iter().enumerate() {
        let next = (at + 1) % all.len();
        assert_eq!(
            find("P.V1.1.0", (place.0, place.1 + 1), false),
            (Some(all[next]), next as u32 + 1, all.len() as u32)
        );
        let before = (at + all.len() - 1) % all.len();
        assert_eq!(
            find("p.v1.1.0", (place.0, place.1), true).0,
            Some(all[before])
        );
    }
    assert_eq!(find("no such", (1, 1), false), (None, 0, 0));
}

#[test]
fn commands_name_the_operation() {
    assert_eq!(
        to_arguments(&default_channel(Some("x"), "p", "c")),
        ["set-default-channel", "--package", "p", "--channel", "c"]
    );
}

#[test]
fn similar_fixes_are_one_step() {
    let host = Rc::new(MemorySource::default());
    let broken = |name: &str| {
        package(name).replacen(
            "v1.1.0\n  replaces",
            "v1.1.0\n  skipRange: '>=1.0.0,<1.1.0'\n  replaces",
            1,
        )
    };
    let files = vec![
        host.add(0, "p.yaml", broken("p")),
        host.add(1, "q.yaml", broken("q")),
    ];
    let mut session = open_one("dir", files, host);
    assert_eq!(session.roots()[0].errors().count(), 2);
    let of_kind = |d: &protocol::diagnostic::Diagnostic, fix: &protocol::diagnostic::Fix| {
        d.rule == "skiprange-invalid" && fix.kind == "set-skip-range"
    };
    let fixed = fix_all(&mut session, "Fix all", None, of_kind).unwrap();
    assert_eq!(
        (fixed.done.len(), fixed.refused.len(), fixed.unfinished),
        (2, 0, false)
    );
    assert_eq!(fixed.applied.files, ["p.yaml", "q.yaml"]);
    assert!(session.roots()[0].verdict().passed);
    assert_eq!(
        (session.history().len(), session.history()[0].ops.len()),
        (1, 2)
    );
    session.undo();
    assert_eq!(
        session.files().bytes("p.yaml").unwrap(),
        broken("p").as_bytes()
    );
    assert_eq!(session.roots()[0].errors().count(), 2);
    // Without such fixes nothing happens.
    assert!(
        fix_all(&mut session, "Fix all", None, |_, _| false)
            .unwrap()
            .applied
            .files
            .is_empty()
    );
}

#[test]
fn a_step_that_was_reverted_is_not_in_effect() {
    let (mut session, _) = one();
    let titles = |session: &Session| {
        let steps = session
            .changes()
            .steps_in_effect(&session.changes().review().unwrap());
        steps
            .into_iter()
            .map(|step| step.title.clone())
            .collect::<Vec<_>>()
    };
    session
        .apply("Default of p", &[default_channel(None, "p", "b")])
        .unwrap();
    session
        .apply("Cut", &[replaces("p", "p.v1.1.0", None)])
        .unwrap();
    session
        .apply("Default of q", &[default_channel(None, "q", "b")])
        .unwrap();
    assert_eq!(titles(&session), ["Default of p", "Cut", "Default of q"]);
    // Revert one hunk of a file and keep another.
    let files = session.changes().review().unwrap();
    let revert = files[0].hunks[0]
        .revert(None, "p/catalog.yaml")
        .expect("text");
    session.apply("Revert the change", &[revert]).unwrap();
    assert_eq!(titles(&session), ["Cut", "Default of q"]);
    // Overwritten changes are attributed to the later step.
    session
        .apply("Default of q again", &[default_channel(None, "q", "a")])
        .unwrap();
    assert_eq!(titles(&session), ["Cut"]);
    session
        .apply(
            "Cut undone by hand",
            &[replaces("p", "p.v1.1.0", Some("p.v1.0.0"))],
        )
        .unwrap();
    assert_eq!(titles(&session), [""; 0]);
}

#[test]
fn paths_of_a_patch_start_at_the_opened_repository() {
    let opened = |paths: &[&str]| {
        let host = Rc::new(MemorySource::default());
        let files = paths
            .iter()
            .zip(0..)
            .map(|(path, id)| match path.ends_with(".yaml") {
                true => host.add(id, path, package("p")),
                false => host.add(id, path, "ref: refs/heads/main\n"),
            });
        let mut session = open(files.collect(), host.clone());
        let catalog = session.roots()[0].name.clone();
        session
            .apply("x", &[default_channel(Some(&catalog), "p", "b")])
            .unwrap();
        let changes = session.changes();
        let paths = changes.patch_paths(&changes.review().unwrap());
        (paths.paths.concat(), paths.start_at_repository)
    };
    let in_repository = |path: &str| (path.to_owned(), true);
    let in_folder = |path: &str| (path.to_owned(), false);
    assert_eq!(opened(&["cat/p/catalog.yaml"]), in_folder("p/catalog.yaml"));
    assert_eq!(
        opened(&["cat/.git/HEAD", "cat/p/catalog.yaml"]),
        in_repository("p/catalog.yaml")
    );
    assert_eq!(
        opened(&[".git/HEAD", "cat/p/catalog.yaml"]),
        in_repository("cat/p/catalog.yaml"),
        "dropped beside it"
    );
    assert_eq!(
        opened(&["all/cat/.git", "all/cat/p/catalog.yaml", "all/x.md"]),
        in_repository("p/catalog.yaml")
    );
    assert_eq!(
        opened(&["all/other/.git", "all/cat/p/catalog.yaml"]),
        in_folder("cat/p/catalog.yaml")
    );
}

#[test]
fn edits_that_need_one_left_out_are_found() {
    let edits: Vec<Edit> = [
        ("Default of p", default_channel(None, "p", "b")),
        ("Cut", replaces("p", "p.v1.1.0", None)),
        ("Default again", default_channel(None, "p", "a")),
        ("Default of q", default_channel(None, "q", "b")),
    ]
    .map(|(title, op)| (title.to_owned(), vec![op]))
    .into();
    let needs = |left_out: &[usize]| {
        let (mut session, _) = one();
        session
            .apply("Saved", &[default_channel(None, "r", "b")])
            .unwrap();
        let path = "cat/r/catalog.yaml";
        let host = HostFile {
            id: catalog::model::FileId(99),
            path: path.into(),
            bytes: session.files().bytes(path).unwrap(),
        };
        assert!(mark_saved(&mut session, host).unwrap());
        for (title, ops) in &edits {
            session.apply(title, ops).unwrap();
        }
        let needs = session.undo_for_choice(&edits, |at| left_out.contains(&at));
        assert_eq!(session.history().len(), 1, "the saved step stays");
        assert_eq!(session.files().changed_paths(), [""; 0]);
        needs.unwrap()
    };
    assert_eq!(needs(&[]), [None; 4]);
    assert_eq!(needs(&[1]), [None; 4]);
    assert_eq!(
        needs(&[0]),
        [None, None, Some(0), None],
        "the order matters"
    );
}

#[test]
fn a_refused_choice_restores_the_history() {
    let (mut session, _) = one();
    session
        .apply("Cut", &[replaces("p", "p.v1.1.0", None)])
        .unwrap();
    let bytes = session.files().bytes("cat/p/catalog.yaml").unwrap();
    let unknown = ("Other".to_owned(), vec![default_channel(None, "x", "b")]);
    assert!(session.undo_for_choice(&[unknown], |_| false).is_err());
    assert_eq!(session.history().len(), 1);
    assert_eq!(session.files().bytes("cat/p/catalog.yaml").unwrap(), bytes);
}
