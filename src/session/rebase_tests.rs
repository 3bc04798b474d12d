//! Tests of saving, merging and discarding when the disk changes.

use super::*;
use crate::open;
use catalog::testing::MemorySource;
use std::rc::Rc;

const P: &str = "cat/p/catalog.yaml";
const Q: &str = "cat/q/catalog.yaml";

fn text(name: &str) -> String {
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

fn session() -> Session {
    let host = Rc::new(MemorySource::default());
    open(
        vec![host.add(0, P, text("p")), host.add(1, Q, text("q"))],
        host.clone(),
    )
}

fn default_channel(package: &str, channel: &str) -> EditOp {
    EditOp::SetDefaultChannel {
        catalog: None,
        package: package.into(),
        channel: channel.into(),
    }
}

fn skip_range(package: &str, range: &str) -> EditOp {
    EditOp::SetSkipRange {
        catalog: None,
        package: package.into(),
        channel: "a".into(),
        name: format!("{package}.v1.1.0"),
        skip_range: Some(range.into()),
    }
}

fn host_file(id: u32, path: &str, text: &str) -> HostFile {
    HostFile {
        id: FileId(100 + id),
        path: path.into(),
        bytes: text.as_bytes().to_vec(),
    }
}

fn now(session: &Session, path: &str) -> String {
    String::from_utf8(session.files().bytes(path).unwrap()).unwrap()
}

fn save(session: &mut Session, path: &str) {
    let text = now(session, path);
    assert!(mark_saved(session, host_file(50, path, &text)).unwrap());
}

/// Checks a changed file: returns the steps that apply, and those that do not, with the reason.
fn inspect_change(
    session: &mut Session,
    host: HostFile,
) -> (BothSides, usize, Vec<(String, String)>) {
    let before = (
        session.revision(),
        now(session, P),
        now(session, Q),
        session.history().to_vec(),
    );
    let HostFileState::Changed(changed) =
        compare_with_host(session, &host.path.clone(), Some(host)).unwrap()
    else {
        panic!()
    };
    let after = (
        session.revision(),
        now(session, P),
        now(session, Q),
        session.history().to_vec(),
    );
    assert_eq!(before, after, "comparing changes nothing");
    let merged = changed.merged.clone().unwrap();
    let refused = merged
        .refused
        .iter()
        .map(|(at, why)| (merged.steps[*at].0.clone(), why.reason.clone()))
        .collect();
    (*changed, merged.kept_steps(), refused)
}

#[test]
fn host_files_are_compared_by_bytes() {
    let mut session = session();
    session.apply("x", &[default_channel("p", "b")]).unwrap();
    let here = now(&session, P);
    assert_eq!(
        compare_with_host(&mut session, P, Some(host_file(0, P, &text("p")))).unwrap(),
        HostFileState::AsRead
    );
    assert_eq!(
        compare_with_host(&mut session, P, Some(host_file(0, P, &here))).unwrap(),
        HostFileState::AsHere
    );
    assert_eq!(
        compare_with_host(&mut session, P, None).unwrap(),
        HostFileState::Gone
    );
    let same_size = text("p").replace("defaultChannel: a", "defaultChannel: c");
    let (changed, ..) = inspect_change(&mut session, host_file(0, P, &same_size));
    assert_eq!((changed.theirs.added, changed.mine.removed), (1, 1));
}

#[test]
fn a_change_elsewhere_in_the_file_merges() {
    let mut session = session();
    session
        .apply("range", &[skip_range("p", "<1.1.0")])
        .unwrap();
    session
        .apply("other", &[default_channel("q", "b")])
        .unwrap();
    let theirs = format!(
        "# seen by everyone\n{}",
        text("p").replace("defaultChannel: a", "defaultChannel: b")
    );
    let (_, kept, refused) = inspect_change(&mut session, host_file(0, P, &theirs));
    assert_eq!((kept, refused), (2, Vec::new()));
    rebase(&mut session, vec![host_file(1, P, &theirs)]).unwrap();
    let merged = theirs.replace(
        "  replaces: p.v1.0.0\n",
        "  replaces: p.v1.0.0\n  skipRange: <1.1.0\n",
    );
    assert_eq!(now(&session, P), merged);
    assert_eq!(session.changes().saved_steps(), Some(0));
    session.go_to(0).unwrap();
    assert_eq!((now(&session, P), now(&session, Q)), (theirs, text("q")));
    assert!(session.files().changed_paths().is_empty());
}

#[test]
fn conflicting_changes_of_an_entry_are_described() {
    let mut session = session();
    session
        .apply("range", &[skip_range("p", "<1.1.0")])
        .unwrap();
    let theirs = text("p").replace(
        "- name: p.v1.1.0\n  replaces: p.v1.0.0\n",
        "- name: p.v1.2.0\n",
    );
    let (changed, kept, refused) = inspect_change(&mut session, host_file(0, P, &theirs));
    assert_eq!(kept, 0);
    assert_eq!((refused[0].0.as_str(), refused.len()), ("range", 1));
    assert!(refused[0].1.contains("p.v1.1.0"), "{refused:?}");
    assert!(changed.mine.added > 0);
    rebase(&mut session, vec![host_file(1, P, &theirs)]).unwrap();
    assert_eq!((now(&session, P), session.applied_steps()), (theirs, 0));
}

#[test]
fn theirs_is_a_step_that_can_be_undone() {
    let mut session = session();
    session
        .apply(
            "both",
            &[default_channel("p", "b"), default_channel("q", "b")],
        )
        .unwrap();
    let (mine, theirs) = (now(&session, P), format!("# theirs\n{}", text("p")));
    take_theirs(&mut session, host_file(0, P, &theirs)).unwrap();
    assert_eq!(
        (now(&session, P), session.files().changed_paths()),
        (theirs, vec![Q])
    );
    session.undo().unwrap();
    assert_eq!(
        (now(&session, P), session.files().changed_paths()),
        (mine, vec![P, Q])
    );
}

#[test]
fn saved_steps_follow_saving_undo_and_a_save_of_one_file_only() {
    let mut session = session();
    assert_eq!(session.changes().saved_steps(), Some(0));
    session.apply("p", &[default_channel("p", "b")]).unwrap();
    session.apply("q", &[default_channel("q", "b")]).unwrap();
    assert_eq!(session.changes().saved_steps(), Some(0));
    save(&mut session, Q);
    assert_eq!(
        (
            session.changes().saved_steps(),
            session.files().changed_paths()
        ),
        (None, vec![P])
    );
    let steps = session.changes().unsaved_steps().unwrap();
    assert!(
        matches!(&steps[0].1[..], [EditOp::ReplaceText { file, .. }] if file == "p/catalog.yaml"),
        "{steps:?}"
    );
    save(&mut session, P);
    assert_eq!(
        (
            session.changes().saved_steps(),
            session.changes().unsaved_steps().unwrap().len()
        ),
        (Some(2), 0)
    );
    session.go_to(0).unwrap();
    assert_eq!(
        (
            session.changes().saved_steps(),
            session.files().changed_paths()
        ),
        (Some(2), vec![P, Q])
    );
    assert_eq!(
        session.changes().bytes_before_history(P).unwrap(),
        Some(text("p").into_bytes())
    );
}

#[test]
fn undone_saves_survive_reloading() {
    let mut session = session();
    session.apply("p", &[default_channel("p", "b")]).unwrap();
    session
        .apply("range", &[skip_range("p", "<1.1.0")])
        .unwrap();
    save(&mut session, P);
    let saved = now(&session, P);
    session.undo().unwrap();
    let without = now(&session, P);
    let rebased = rebase(
        &mut session,
        vec![host_file(1, Q, &format!("# theirs\n{}", text("q")))],
    )
    .unwrap();
    assert_eq!((rebased.kept_steps(), rebased.refused.len()), (1, 0));
    assert_eq!(
        (now(&session, P), session.files().changed_paths()),
        (without, vec![P])
    );
    session.undo().unwrap();
    assert_eq!(
        (now(&session, P), session.files().changed_paths().len()),
        (saved, 0)
    );
}

#[test]
fn a_new_file_that_was_saved_is_emptied_by_undo() {
    let mut session = session();
    let new = "cat/r/catalog.yaml";
    let create = EditOp::ReplaceText {
        catalog: None,
        file: "r/catalog.yaml".into(),
        at: "1:1-1:1".into(),
        before: String::new(),
        text: text("r"),
        around: None,
    };
    session.apply("new", &[create]).unwrap();
    assert_eq!(
        compare_with_host(&mut session, new, None).unwrap(),
        HostFileState::AsRead
    );
    let (_, kept, refused) =
        inspect_change(&mut session, host_file(3, new, "# somebody was faster\n"));
    assert_eq!(
        (kept, refused.len()),
        (0, 1),
        "neither text may follow the other"
    );
    assert!(refused[0].1.contains("no longer empty"), "{refused:?}");
    save(&mut session, new);
    session.undo().unwrap();
    assert_eq!(
        (now(&session, new).as_str(), session.changes().saved_steps()),
        ("", Some(1))
    );
    assert_eq!(session.changes().bytes_before_history(new).unwrap(), None);
    save(&mut session, new);
    assert_eq!(
        (
            session.files().changed_paths().len(),
            session.changes().saved_steps()
        ),
        (0, Some(0))
    );
}

fn typed_edit(file: &str, at: &str, before: &str, text: &str) -> EditOp {
    let (file, at, before, text) = (
        file.to_owned(),
        at.to_owned(),
        before.to_owned(),
        text.to_owned(),
    );
    EditOp::ReplaceText {
        catalog: None,
        file,
        at,
        before,
        text,
        around: None,
    }
}

/// Types a new line below `line`.
fn typed_below(session: &Session, line: &str, text: &str) -> EditOp {
    let at = now(session, P).lines().position(|l| l == line).unwrap() + 2;
    typed_edit("p/catalog.yaml", &format!("{at}:1-{at}:1"), "", text)
}

#[test]
fn a_typed_insertion_is_merged_at_its_place() {
    let theirs = [
        text("p").replace(
            "- name: p.v1.0.0\n",
            "- name: p.v1.0.0\n  skips: [p.v0.9.0]\n",
        ),
        format!("# one line more\n{}", text("p")),
        text("p").replacen("---\n", "", 1),
    ];
    for theirs in theirs {
        let mut session = session();
        let op = typed_below(&session, "- name: p.v1.1.0", "  skipRange: <1.1.0\n");
        session.apply("type", &[op]).unwrap();
        let mine = now(&session, P);
        assert!(mine.contains("- name: p.v1.1.0\n  skipRange: <1.1.0\n  replaces"));
        let (_, kept, refused) = inspect_change(&mut session, host_file(0, P, &theirs));
        assert_eq!((kept, refused), (1, Vec::new()));
        rebase(&mut session, vec![host_file(1, P, &theirs)]).unwrap();
        let merged = theirs.replacen(
            "- name: p.v1.1.0\n",
            "- name: p.v1.1.0\n  skipRange: <1.1.0\n",
            1,
        );
        assert_eq!(now(&session, P), merged);
    }
}

#[test]
fn conflicts_name_their_entry() {
    let mut session = session();
    let op = typed_below(&session, "- name: p.v1.1.0", "  skipRange: <1.1.0\n");
    session.apply("type", &[op]).unwrap();
    let theirs = text("p").replace(
        "- name: p.v1.1.0\n  replaces: p.v1.0.0\n",
        "- name: p.v1.2.0\n  replaces: p.v1.0.0\n",
    );
    let (_, kept, refused) = inspect_change(&mut session, host_file(0, P, &theirs));
    assert_eq!(kept, 0);
    assert!(
        refused[0].1.contains("`p` `a`") && refused[0].1.contains("p.v1.1.0"),
        "{refused:?}"
    );
}

#[test]
fn consecutively_typed_letters_move_together() {
    let mut session = session();
    session
        .apply(
            "type",
            &[typed_below(&session, "- name: p.v1.1.0", "  skip")],
        )
        .unwrap();
    let line = now(&session, P)
        .lines()
        .position(|l| l.starts_with("  skip"))
        .unwrap()
        + 1;
    let more = [
        typed_edit(
            "p/catalog.yaml",
            &format!("{line}:7-{line}:7"),
            "",
            "Range: ",
        ),
        typed_edit(
            "p/catalog.yaml",
            &format!("{line}:14-{line}:14"),
            "",
            "<1.1.0\n",
        ),
    ];
    for op in more {
        session.apply("type", &[op]).unwrap();
    }
    let mine = now(&session, P);
    assert!(
        mine.contains("- name: p.v1.1.0\n  skipRange: <1.1.0\n  replaces"),
        "{mine}"
    );
    let theirs = format!("# theirs\n{}", text("p"));
    let (_, kept, refused) = inspect_change(&mut session, host_file(0, P, &theirs));
    assert_eq!((kept, refused), (3, Vec::new()));
    rebase(&mut session, vec![host_file(1, P, &theirs)]).unwrap();
    assert_eq!(now(&session, P), format!("# theirs\n{mine}"));
    session.go_to(1).unwrap();
    session.go_to(3).unwrap();
    assert_eq!(now(&session, P), format!("# theirs\n{mine}"));
}

#[test]
fn a_step_that_is_already_on_disk_is_not_repeated() {
    let mut session = session();
    let op = typed_below(&session, "- name: p.v1.1.0", "  skipRange: <1.1.0\n");
    session.apply("type", &[op]).unwrap();
    let steps: Vec<_> = session
        .history()
        .iter()
        .map(|step| (step.title.clone(), step.ops.clone()))
        .collect();
    let written = now(&session, P);
    let host = Rc::new(MemorySource::default());
    let mut later = open(
        vec![host.add(0, P, &written), host.add(1, Q, text("q"))],
        host.clone(),
    );
    let refused = later.apply(&steps[0].0, &steps[0].1).unwrap_err();
    assert!(refused.reason.contains("have changed"), "{refused:?}");
    assert_eq!(now(&later, P), written);
}

#[test]
fn free_text_is_also_found_from_disk_to_session() {
    let mut session = session();
    session
        .apply("p", &[skip_range("p", "<1.1.0"), default_channel("p", "b")])
        .unwrap();
    session.apply("q", &[default_channel("q", "b")]).unwrap();
    save(&mut session, Q);
    let steps = session.changes().unsaved_steps().unwrap();
    let mine = now(&session, P);
    for (top, fits) in [("", true), ("# theirs\n", true)] {
        let host = Rc::new(MemorySource::default());
        let theirs = format!("{top}{}", text("p"));
        let mut later = open(
            vec![host.add(0, P, &theirs), host.add(1, Q, text("q"))],
            host.clone(),
        );
        assert_eq!(later.apply(&steps[0].0, &steps[0].1).is_ok(), fits);
        assert_eq!(now(&later, P), format!("{top}{mine}"));
    }
}
