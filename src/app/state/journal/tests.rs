//! The journal in memory, and its content on disk at any time.

use super::record::WriteBatch;
use super::*;
use proptest::prelude::*;

fn step(channel: &str) -> JournalStep {
    let op = EditOp::SetDefaultChannel {
        catalog: None,
        package: "p".into(),
        channel: channel.into(),
    };
    JournalStep {
        title: channel.into(),
        ops: vec![op],
    }
}

#[test]
fn a_new_step_drops_undone_steps() {
    let mut journal = Journal::default();
    journal.push(step("a"));
    journal.push(step("b"));
    journal.set_applied(1);
    assert_eq!(journal.applied_steps(), [step("a")]);
    journal.push(step("c"));
    journal.set_applied(9);
    assert_eq!(journal.applied_steps(), [step("a"), step("c")]);
}

#[test]
fn steps_set_aside_leave_the_others_in_order() {
    let mut journal = Journal::default();
    for name in ["a", "b", "c", "d"] {
        journal.push(step(name));
    }
    journal.set_applied(3);
    journal.drop_step(1, "gone".into());
    assert_eq!(
        journal.dropped_steps(),
        [DroppedStep {
            step: step("b"),
            reason: "gone".into()
        }]
    );
    assert_eq!(journal.applied_steps(), [step("a"), step("c")]);
    // Undone steps can still be redone.
    journal.set_applied(3);
    assert_eq!(journal.applied_steps(), [step("a"), step("c"), step("d")]);
    journal.set_applied(2);
    journal.drop_step(2, "gone too".into());
    assert_eq!(
        (
            journal.applied_steps().len(),
            journal.steps().len(),
            journal.dropped_steps().len()
        ),
        (2, 2, 2)
    );
    journal.drop_step(9, "never there".into());
    assert_eq!(journal.dropped_steps().len(), 2);
}

#[test]
fn text_of_an_older_version_is_not_applied_to_a_file_that_changed() {
    let text = |around| JournalStep {
        title: "Type".into(),
        ops: vec![EditOp::ReplaceText {
            catalog: None,
            file: "p/a.yaml".into(),
            at: "1:1-1:1".into(),
            before: String::new(),
            text: "x".into(),
            around,
        }],
    };
    let changed = ["cat/p/a.yaml".to_owned()];
    assert!(
        text(None)
            .misplaced_reason(&changed)
            .is_some_and(|reason| reason.contains("`p/a.yaml`"))
    );
    assert_eq!(
        text(None).misplaced_reason(&["cat/xp/a.yaml".to_owned()]),
        None
    );
    assert_eq!(text(Some(Box::default())).misplaced_reason(&changed), None);
    assert_eq!(step("a").misplaced_reason(&changed), None);
    // Older journals have no `around`.
    let old = r#"{"op":"replace-text","file":"p/a.yaml","at":"1:1-1:1","before":"","text":"x"}"#;
    assert_eq!(
        serde_json::from_str::<EditOp>(old).unwrap(),
        text(None).ops[0]
    );
}

#[test]
fn json_lines_can_be_read_by_the_command_line() {
    let text = format_json_lines(&[step("a"), step("b")]);
    let ops: Vec<EditOp> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(ops, [step("a").ops, step("b").ops].concat());
}

/// The storage of a journal: lines by number, changed in batches.
#[derive(Default)]
struct Disk(std::collections::BTreeMap<u32, String>);

impl Disk {
    fn run(&mut self, batch: WriteBatch) {
        if batch.clear {
            self.0.clear();
        }
        self.0.extend((batch.first..).zip(batch.lines));
    }

    fn read(&self) -> Option<StoredWork> {
        let text: String = self.0.values().map(String::as_str).collect();
        (!text.is_empty()).then(|| StoredWork::parse(text.as_bytes()).expect("a journal"))
    }
}

fn work() -> WorkState {
    WorkState {
        folder: FolderListing::new(vec![("c/a.yaml".into(), 1)]),
        saved: Some(0),
        ..WorkState::default()
    }
}

#[test]
fn an_edit_adds_one_line_and_nothing_is_written_before_the_first() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    let change = work.record_change(ChangeContent::All);
    assert_eq!(writer.batch(&change, &work, 1), None);
    for (index, name) in ["a", "b"].into_iter().enumerate() {
        work.journal.push(step(name));
        let change = work.record_change(ChangeContent::Step(step(name)));
        let batch = writer.batch(&change, &work, 2).unwrap();
        // The first edit also writes the folder's line.
        assert_eq!((batch.clear, batch.lines.len()), (index == 0, 2 - index));
        disk.run(batch);
        writer.finish_write(true);
    }
    let kept = disk.read().unwrap();
    assert_eq!(
        (&kept.journal, &kept.folder, kept.changed),
        (&work.journal, &work.folder, 2)
    );
}

#[test]
fn work_without_differences_from_the_disk_has_no_journal() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    work.journal.push(step("a"));
    let change = work.record_change(ChangeContent::Step(step("a")));
    disk.run(writer.batch(&change, &work, 1).unwrap());
    writer.finish_write(true);
    work.journal.set_applied(0);
    let change = work.record_change(ChangeContent::Applied(0));
    disk.run(writer.batch(&change, &work, 2).unwrap());
    writer.finish_write(true);
    assert!(disk.0.is_empty());
    // A redone step is unsaved again, with everything before it.
    work.journal.set_applied(1);
    let change = work.record_change(ChangeContent::Applied(1));
    disk.run(writer.batch(&change, &work, 3).unwrap());
    assert_eq!(disk.read().unwrap().journal, work.journal);
}

#[test]
fn a_journal_of_a_newer_build_or_without_a_head_is_not_read() {
    assert_eq!(StoredWork::parse(b""), Err(UnreadableJournal::Damaged));
    assert_eq!(
        StoredWork::parse(b"00000000 {}\n"),
        Err(UnreadableJournal::Damaged)
    );
    let json = r#"{"record":"journal","version":3,"more":1}"#;
    let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
    assert_eq!(
        StoredWork::parse(line.as_bytes()),
        Err(UnreadableJournal::Newer)
    );
}

#[test]
fn saved_steps_are_not_restored_but_a_later_undo_is() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    let mut write = |work: &mut WorkState, what: ChangeContent| {
        let change = work.record_change(what);
        if let Some(batch) = writer.batch(&change, work, 1) {
            disk.run(batch);
            writer.finish_write(true);
        }
        disk.read().map(|kept| kept.journal.steps().to_vec())
    };
    for name in ["a", "b"] {
        work.journal.push(step(name));
        write(&mut work, ChangeContent::Step(step(name)));
    }
    work.saved = Some(2);
    assert_eq!(write(&mut work, ChangeContent::All), None);
    work.journal.push(step("c"));
    assert_eq!(
        write(&mut work, ChangeContent::Step(step("c"))).unwrap(),
        [step("c")]
    );
    work.journal.set_applied(1);
    work.unsaved = vec![step("as free text")];
    assert_eq!(
        write(&mut work, ChangeContent::Applied(1)).unwrap(),
        [step("as free text")]
    );
    work.journal.set_applied(3);
    work.unsaved.clear();
    assert_eq!(
        write(&mut work, ChangeContent::Applied(3)).unwrap(),
        [step("c")]
    );
}

/// Writes a change to the disk like the page does.
fn write(
    work: &mut WorkState,
    writer: &mut JournalWriter,
    disk: &mut Disk,
    what: ChangeContent,
) -> Option<StoredWork> {
    let change = work.record_change(what);
    if let Some(batch) = writer.batch(&change, work, 1) {
        disk.run(batch);
        writer.finish_write(true);
    }
    disk.read()
}

fn typed(text: &str) -> EditOp {
    EditOp::ReplaceText {
        catalog: None,
        file: "a.yaml".into(),
        at: "1:1-1:1".into(),
        before: String::new(),
        text: text.into(),
        around: Some(Box::default()),
    }
}

#[test]
fn typing_is_recorded_before_it_becomes_a_step_and_once_afterwards() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    let ops = |kept: Option<StoredWork>| -> Vec<EditOp> {
        kept.iter()
            .flat_map(|kept| kept.journal.applied_steps())
            .flat_map(|step| step.ops.clone())
            .collect()
    };
    work.draft = vec![typed("a")];
    assert_eq!(
        ops(write(
            &mut work,
            &mut writer,
            &mut disk,
            ChangeContent::Draft
        )),
        [typed("a")]
    );
    work.draft = vec![typed("ab"), typed("c")];
    assert_eq!(
        ops(write(
            &mut work,
            &mut writer,
            &mut disk,
            ChangeContent::Draft
        )),
        [typed("ab"), typed("c")]
    );
    // The first of them is a step now.
    work.draft = vec![typed("c")];
    let step = JournalStep {
        title: "Type".into(),
        ops: vec![typed("ab")],
    };
    work.journal.push(step.clone());
    let kept = write(
        &mut work,
        &mut writer,
        &mut disk,
        ChangeContent::Step(step.clone()),
    );
    assert_eq!(ops(kept), [typed("ab"), typed("c")]);
    assert_eq!(
        disk.0.len(),
        5,
        "the step and what is typed behind it, not all lines anew"
    );
    work.draft.clear();
    let kept = write(&mut work, &mut writer, &mut disk, ChangeContent::Draft);
    assert_eq!(kept.unwrap().journal, work.journal);
    // Without typed text a step is one line.
    work.journal.push(step.clone());
    let change = work.record_change(ChangeContent::Step(step));
    assert_eq!(writer.batch(&change, &work, 1).unwrap().lines.len(), 1);
}

#[test]
fn continued_typing_is_one_journal_step() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    work.journal.push(step("a"));
    write(
        &mut work,
        &mut writer,
        &mut disk,
        ChangeContent::Step(step("a")),
    );
    let first = JournalStep {
        title: "Type".into(),
        ops: vec![typed("x")],
    };
    work.journal.push(first.clone());
    write(
        &mut work,
        &mut writer,
        &mut disk,
        ChangeContent::Step(first),
    );
    let both = JournalStep {
        title: "Type".into(),
        ops: vec![typed("x"), typed("y")],
    };
    work.journal.set_applied(1);
    work.journal.push(both.clone());
    let kept = write(
        &mut work,
        &mut writer,
        &mut disk,
        ChangeContent::LastStep(2, both.clone()),
    )
    .unwrap();
    assert_eq!(kept.journal.applied_steps(), [step("a"), both]);
    assert_eq!(kept.damaged, 0);
}

#[test]
fn typing_that_is_reverted_leaves_no_journal() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    work.draft = vec![typed("a")];
    assert!(
        write(&mut work, &mut writer, &mut disk, ChangeContent::Draft)
            .unwrap()
            .has_work()
    );
    work.draft.clear();
    assert_eq!(
        write(&mut work, &mut writer, &mut disk, ChangeContent::Draft),
        None
    );
}

#[test]
fn an_interrupted_save_is_continued_file_by_file() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    for name in ["a", "b"] {
        work.journal.push(step(name));
        write(
            &mut work,
            &mut writer,
            &mut disk,
            ChangeContent::Step(step(name)),
        );
    }
    let file = |path: &str, crc: u32| SavedFile {
        path: path.into(),
        crc,
        ops: vec![typed(path)],
    };
    work.saving = Some(PendingSave {
        steps: 2,
        files: vec![
            file("c/a.yaml", 1),
            file("c/b.yaml", 2),
            file("c/c.yaml", 3),
        ],
    });
    write(&mut work, &mut writer, &mut disk, ChangeContent::All);
    // An edit while saving.
    work.journal.push(step("later"));
    let kept = write(
        &mut work,
        &mut writer,
        &mut disk,
        ChangeContent::Step(step("later")),
    )
    .unwrap();
    assert_eq!(kept.possibly_written().count(), 3);
    let since = |on_disk: &[(&str, u32)]| {
        let on_disk = on_disk
            .iter()
            .map(|(path, crc)| ((*path).to_owned(), *crc))
            .collect();
        kept.clone()
            .after_interrupted_save(&on_disk)
            .journal
            .applied_steps()
            .to_vec()
    };
    // The crash was before the first file was written.
    assert_eq!(
        since(&[("c/a.yaml", 9), ("c/b.yaml", 9)]),
        [step("a"), step("b"), step("later")]
    );
    // After the first file: its changes are not applied again.
    let left = since(&[("c/a.yaml", 1), ("c/b.yaml", 9)]);
    assert_eq!(left[0].ops, [typed("c/b.yaml"), typed("c/c.yaml")]);
    assert_eq!(left[1..], [step("later")]);
    // After the last file.
    assert_eq!(
        since(&[("c/a.yaml", 1), ("c/b.yaml", 2), ("c/c.yaml", 3)]),
        [step("later")]
    );
    // Nothing of a completed save is left.
    work.saving = None;
    work.saved = Some(2);
    let kept = write(&mut work, &mut writer, &mut disk, ChangeContent::All).unwrap();
    assert_eq!(
        (
            kept.possibly_written().count(),
            kept.journal.applied_steps()
        ),
        (0, &[step("later")][..])
    );
}

#[test]
fn deselected_edits_survive_a_save() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    work.journal.push(step("saved"));
    work.left_out = vec![step("left out")];
    work.saving = Some(PendingSave {
        steps: 1,
        files: vec![SavedFile {
            path: "c/a.yaml".into(),
            crc: 1,
            ops: Vec::new(),
        }],
    });
    let kept = write(&mut work, &mut writer, &mut disk, ChangeContent::All).unwrap();
    assert_eq!(
        kept.journal.applied_steps(),
        [step("saved"), step("left out")]
    );
    let on_disk = |crc| [("c/a.yaml".to_owned(), crc)].into();
    let after = |crc| kept.clone().after_interrupted_save(&on_disk(crc)).journal;
    assert_eq!(after(1).applied_steps(), [step("left out")]);
    assert_eq!(after(9).applied_steps().len(), 2);
    // An edit in the meantime comes before those that are left out.
    work.journal.push(step("meanwhile"));
    let change = ChangeContent::Step(step("meanwhile"));
    let kept = write(&mut work, &mut writer, &mut disk, change).unwrap();
    assert_eq!(
        kept.journal.applied_steps(),
        [step("saved"), step("meanwhile"), step("left out")]
    );
    (work.saved, work.saving) = (Some(2), None);
    let kept = write(&mut work, &mut writer, &mut disk, ChangeContent::All).unwrap();
    assert_eq!(kept.journal.applied_steps(), [step("left out")]);
}

#[test]
fn steps_after_a_damaged_record_are_kept_and_it_is_reported() {
    let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
    for name in ["a", "b", "c", "d", "e"] {
        work.journal.push(step(name));
        write(
            &mut work,
            &mut writer,
            &mut disk,
            ChangeContent::Step(step(name)),
        );
    }
    work.journal.set_applied(4);
    write(&mut work, &mut writer, &mut disk, ChangeContent::Applied(4));
    let whole = disk.0.clone();
    for line in 1..=5 {
        disk.0 = whole.clone();
        let damaged = disk.0[&line].replace("channel", "chaxnel");
        disk.0.insert(line, damaged);
        let kept = disk.read().unwrap();
        let names: Vec<&str> = kept
            .journal
            .applied_steps()
            .iter()
            .map(|step| step.title.as_str())
            .collect();
        let left: Vec<&str> = (1..)
            .zip(["a", "b", "c", "d"])
            .filter(|(at, _)| *at != line)
            .map(|(_, name)| name)
            .collect();
        assert_eq!((names, kept.damaged), (left, 1), "line {line}");
    }
    // The undo is unreadable, so all steps are kept.
    disk.0 = whole.clone();
    disk.0.insert(6, "torn".into());
    let kept = disk.read().unwrap();
    assert_eq!((kept.journal.applied_steps().len(), kept.damaged), (5, 1));
}

#[derive(Debug, Clone)]
enum Act {
    Edit(u8),
    GoTo(usize),
    Refuse(usize),
    Original(u8),
    TakeOut,
    Save,
    /// The worker answers this many times before the storage writes anything.
    Hurry(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => any::<u8>().prop_map(Act::Edit),
        2 => (0usize..6).prop_map(Act::GoTo),
        1 => (0usize..4).prop_map(Act::Refuse),
        1 => (0u8..3).prop_map(Act::Original),
        1 => Just(Act::TakeOut),
        1 => Just(Act::Save),
        2 => (1usize..4).prop_map(Act::Hurry),
    ]
}

proptest! {
    /// In any order of events, with failing writes: once a change is written, the disk has the work
    /// as of that change or a later one; a failed write keeps the previous state.
    #[test]
    fn written_state_is_never_outdated_or_partial(
        acts in prop::collection::vec((act(), any::<bool>(), 0u8..4), 1..40),
    ) {
        let (mut work, mut writer, mut disk) = (work(), JournalWriter::default(), Disk::default());
        let mut states = vec![work.unsaved_journal()];
        let mut waiting: Vec<(WorkChange, usize)> = Vec::new();
        let (mut hold, mut seen) = (0, 0);
        for (act, fails, _) in acts {
            let content = match act {
                Act::Edit(name) => {
                    let new = step(&name.to_string());
                    work.journal.push(new.clone());
                    ChangeContent::Step(new)
                }
                Act::GoTo(steps) => {
                    work.journal.set_applied(steps);
                    ChangeContent::Applied(work.journal.applied_steps().len())
                }
                Act::Refuse(index) => {
                    work.journal.drop_step(index, "no".into());
                    work.saved = Some(0);
                    ChangeContent::All
                }
                Act::Original(file) => {
                    let path = format!("c/{file}");
                    work.originals.insert(path.clone(), u32::from(file));
                    ChangeContent::Original { path, crc: u32::from(file) }
                }
                Act::TakeOut => ChangeContent::TakenOut,
                Act::Save => {
                    work.saved = Some(work.journal.applied_steps().len());
                    ChangeContent::All
                }
                Act::Hurry(count) => {
                    hold = count;
                    continue;
                }
            };
            let applied = work.journal.applied_steps().len();
            // A worker that set steps aside starts from the disk's state.
            work.saved = work.saved.filter(|&saved| saved <= work.journal.steps().len()).or(Some(0));
            let is_undone = work.saved.is_some_and(|saved| saved > applied);
            work.unsaved = if is_undone { vec![step(&format!("to {applied}"))] } else { Vec::new() };
            waiting.push((work.record_change(content), states.len()));
            states.push(work.unsaved_journal());
            if hold > 0 {
                hold -= 1;
                continue;
            }
            for (change, state) in waiting.drain(..) {
                let before = disk.read();
                match writer.batch(&change, &work, 7) {
                    None => {}
                    Some(_) if fails => {
                        writer.finish_write(false);
                        prop_assert_eq!(disk.read(), before);
                        continue;
                    }
                    Some(batch) => {
                        disk.run(batch);
                        writer.finish_write(true);
                    }
                }
                let on_disk = disk.read().map(|kept| kept.journal);
                let fits = |journal: &Journal| match &on_disk {
                    Some(on_disk) => on_disk == journal,
                    None => journal.is_empty() && journal.dropped_steps().is_empty(),
                };
                let position = states.iter().rposition(fits);
                prop_assert!(position.is_some_and(|position| position >= state), "{:?} after {:?}", on_disk, states);
                seen = seen.max(state);
                if let Some(kept) = disk.read() {
                    prop_assert!(kept.originals.iter().all(|(path, crc)| work.originals.get(path) == Some(crc)));
                }
            }
        }
        prop_assert!(seen < states.len());
    }
}
