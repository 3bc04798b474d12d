//! Tests that continuous typing becomes part of the last step.

use super::*;
use protocol::judgement::{Judgement, Tone};

#[test]
fn continued_typing_is_undone_with_its_step() {
    let (mut session, _) = one();
    let opened = session.files().bytes("cat/p/catalog.yaml").unwrap();
    let first = session
        .apply_to_last_step("Type", &[replace_text("4:17-4:18", "a", "b")])
        .unwrap();
    assert_eq!(
        (session.history().len(), session.applied_steps()),
        (1, 1),
        "there was no step to extend"
    );
    assert_eq!(first.packages.len(), 1);
    let second = session
        .apply_to_last_step("Type", &[replace_text("4:18-4:18", "", " ")])
        .unwrap();
    session
        .apply_to_last_step("Type", &[replace_text("4:19-4:19", "", "# changed")])
        .unwrap();
    assert_eq!(second.files, ["cat/p/catalog.yaml"], "each part is judged");
    assert_eq!(
        (session.history().len(), session.history()[0].ops.len()),
        (1, 3)
    );
    let text = String::from_utf8(session.files().bytes("cat/p/catalog.yaml").unwrap()).unwrap();
    assert!(text.contains("defaultChannel: b # changed\n"), "{text}");
    session.undo().unwrap();
    assert_eq!(session.files().bytes("cat/p/catalog.yaml").unwrap(), opened);
    session.redo().unwrap();
    assert_eq!(
        session.files().bytes("cat/p/catalog.yaml").unwrap(),
        text.as_bytes()
    );
    // Replaying the step's operations gives the same result, as a new worker does.
    let (mut again, _) = one();
    again
        .apply("Type", &session.history()[0].ops.clone())
        .unwrap();
    assert_eq!(
        again.files().bytes("cat/p/catalog.yaml").unwrap(),
        text.as_bytes()
    );
}

#[test]
fn undone_saved_and_full_steps_are_not_extended() {
    let (mut session, _) = one();
    session
        .apply("one", &[default_channel(None, "p", "b")])
        .unwrap();
    session
        .apply("two", &[default_channel(None, "q", "b")])
        .unwrap();
    session.undo().unwrap();
    session
        .apply_to_last_step("more", &[default_channel(None, "r", "b")])
        .unwrap();
    let titles = |session: &Session| {
        session
            .history()
            .iter()
            .map(|s| s.title.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(&session), ["one", "more"]);
    // After saving, undo can still reach the saved state.
    for (id, path) in [(0, "cat/p/catalog.yaml"), (2, "cat/r/catalog.yaml")] {
        let bytes = session.files().bytes(path).unwrap();
        let host = HostFile {
            id: FileId(100 + id),
            path: path.to_owned(),
            bytes,
        };
        assert!(mark_saved(&mut session, host).unwrap());
    }
    assert_eq!(session.changes().saved_steps(), Some(2));
    session
        .apply_to_last_step("on", &[default_channel(None, "p", "a")])
        .unwrap();
    assert_eq!(titles(&session), ["one", "more", "on"]);
    for at in 0..200 {
        session
            .apply_to_last_step("on", &[default_channel(None, "p", ["a", "b"][at % 2])])
            .unwrap();
    }
    assert!(session.history().iter().all(|step| step.ops.len() <= 100));
}

/// Types a text letter by letter at a position in `p`'s file.
fn letters(session: &mut Session, line: u32, column: u32, text: &str) -> Vec<Applied> {
    let mut typed = Vec::new();
    for (at, letter) in (column..).zip(text.chars()) {
        let op = replace_text(&format!("{line}:{at}-{line}:{at}"), "", &letter.to_string());
        typed.push(session.apply_to_last_step("Type", &[op]).unwrap());
    }
    typed
}

#[test]
fn a_word_is_compared_with_the_state_before_its_first_letter() {
    let text =
        |name: &str| package("p").replace("replaces: p.v1.0.0", &format!("replaces: {name}"));
    let open_with = |name: &str| {
        let host = Rc::new(MemorySource::default());
        open(vec![host.add(0, "cat/p/catalog.yaml", text(name))], host)
    };
    let line = package("p")
        .lines()
        .position(|line| line.contains("replaces"))
        .unwrap() as u32
        + 1;
    // Remove the name and type it again letter by letter.
    let mut session = open_with("p.v1.0.0");
    let column = "  replaces: p.v".len() as u32 + 1;
    let taken = replace_text(
        &format!("{line}:{column}-{line}:{}", column + 5),
        "1.0.0",
        "",
    );
    session.apply("Type", &[taken]).unwrap();
    let typed = letters(&mut session, line, column, "1.0.0");
    let broken_messages = |applied: &Applied| {
        applied
            .consequences
            .group_broken(9)
            .into_iter()
            .map(|diagnostic| diagnostic.2.message)
            .collect::<Vec<_>>()
    };
    for applied in &typed {
        assert!(
            broken_messages(applied)
                .iter()
                .all(|message| !message.contains("instead of `p.v1.`")),
            "{:?}",
            broken_messages(applied)
        );
    }
    let last = typed.last().unwrap();
    assert_eq!(
        (broken_messages(last), last.consequences.judgement()),
        (Vec::new(), Judgement::Neutral),
        "the text is as before"
    );
    assert_eq!(last.consequences.summary(), "still passes opm validate");
    assert!(
        last.packages.iter().any(|(_, name)| &**name == "p"),
        "its views changed with this letter"
    );
    // A refused letter does not end the typing run.
    let elsewhere = replace_text("1:1-1:2", "x", "y");
    assert!(session.apply_to_last_step("Type", &[elsewhere]).is_err());
    let more = letters(&mut session, line, column + 5, "5");
    let mut at_once = open_with("p.v1.0.0");
    let place = format!("{line}:{}-{line}:{}", column + 5, column + 5);
    let whole = at_once
        .apply("Type", &[replace_text(&place, "", "5")])
        .unwrap();
    assert_eq!(more[0].consequences, whole.consequences);
}

#[test]
fn text_in_the_middle_of_typing_is_not_readable_yet() {
    let (mut session, _) = one();
    let line = package("p")
        .lines()
        .position(|line| line.contains("replaces"))
        .unwrap() as u32
        + 1;
    let column = "  replaces: p.v1.0.0".len() as u32 + 1;
    letters(&mut session, line, column, "\n");
    let typed = letters(&mut session, line + 1, 1, "  skips");
    let last = &typed.last().unwrap().consequences;
    assert_eq!(last.judgement(), Judgement::Unfinished);
    assert_eq!(last.reason(), "`p/catalog.yaml` is not readable yet");
    assert_eq!(
        (last.tables.len(), last.broken.len()),
        (0, 0),
        "unreadable text is not removed"
    );
    assert!(
        last.facts().iter().all(|fact| fact.tone != Tone::Bad),
        "{:?}",
        last.facts()
    );
    let done = letters(&mut session, line + 1, "  skips".len() as u32 + 1, ": []");
    assert_eq!(
        done.last().unwrap().consequences.judgement(),
        Judgement::Neutral
    );
}
