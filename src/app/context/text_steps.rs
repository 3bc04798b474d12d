//! Sends typed text to the session step by step, and runs actions that wait for it. Lives as long
//! as the page, so nothing is lost when another tab is shown.
//!
//! Consecutive text at one position is one history step ([`TypingRun`]): each change is validated
//! immediately, and all are undone together. Another position, another file, a paste, any other
//! edit, undo, a save, and leaving the editor start another step.

use crate::reactive::spawn_local;
use crate::session::Session;
use crate::widgets::editor::input::InputKind;
use crate::widgets::editor::text::{Change, TextPosition};
use leptos::prelude::*;
use protocol::operation::{EditOp, TextAnchor};
use protocol::response::OperationRefusal;
use protocol::views::Status;
use std::collections::VecDeque;

/// Text typed at most this number of lines from the last change continues its step.
const MAX_DISTANCE_LINES: u32 = 1;

#[derive(Debug, Clone, PartialEq)]
struct TextStep {
    /// Name of the catalog; `None` if only one is open.
    catalog: Option<String>,
    file: String,
    change: Change,
    kind: InputKind,
}

/// The question before an undo whose step changed another file than the one in view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoQuestion {
    pub title: String,
    pub file: String,
    /// The session's revision; another revision makes the question void.
    revision: u64,
}

impl UndoQuestion {
    /// Creates the question; `None` if the last step changed `file` of `root`, or there is no step.
    fn new(status: &Status, root: &str, file: &str) -> Option<Self> {
        let last_step = status.history.get(status.applied_steps.checked_sub(1)?)?;
        let changed_file = status.last_step_files.first()?;
        let paths = paths_in_workspace(root, file);
        let is_shown = status
            .last_step_files
            .iter()
            .any(|path| paths.contains(path));
        (!is_shown).then(|| Self {
            title: last_step.title.clone(),
            file: changed_file.clone(),
            revision: status.revision,
        })
    }

    pub fn is_valid(&self, status: &Status) -> bool {
        self.revision == status.revision
    }
}

/// Returns the possible session paths of a root's file: the root is a folder, or a template file.
fn paths_in_workspace(root: &str, file: &str) -> [String; 3] {
    let join = |folder: &str| match folder {
        "" => file.to_owned(),
        folder => format!("{folder}/{file}"),
    };
    let parent = root.rsplit_once('/').map_or("", |(parent, _)| parent);
    // The path of a file outside all roots starts at the top.
    let from_top = file.strip_prefix('/').unwrap_or(file);
    [join(root), join(parent), from_top.to_owned()]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryMove {
    Undo,
    Redo,
}

/// Why a step was refused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefusedText {
    pub file: String,
    pub reason: String,
    pub help: String,
}

/// Asks the editor for the typed text. `true` turns the text into a step, `false` only records it.
type EditorCallback = Callback<bool>;

/// Sends typed text step by step, and runs actions that wait for it.
#[derive(Clone, Copy)]
pub struct TextSteps {
    session: Session,
    waiting: StoredValue<VecDeque<TextStep>>,
    /// The step being applied.
    sent: StoredValue<Option<TextStep>>,
    /// Text in the editor that is not a step yet.
    unfinished: StoredValue<Option<TextStep>>,
    /// The refused edit, and later ones that depend on it.
    refused: StoredValue<Vec<TextStep>>,
    editor: StoredValue<Option<EditorCallback>>,
    /// Actions to run when all steps are applied.
    when_applied: StoredValue<Vec<Box<dyn FnOnce()>>, LocalStorage>,
    is_sending: StoredValue<bool>,
    /// Steps through the history; the first one is in progress.
    moves: StoredValue<VecDeque<HistoryMove>>,
    /// The last typed text, which further text may extend.
    run: StoredValue<TypingRun>,
    /// Number of times that all steps were applied.
    pub all_applied: RwSignal<u32>,
    pub failed: RwSignal<Option<RefusedText>>,
    pub undo_question: RwSignal<Option<UndoQuestion>>,
    /// Whether to focus the source when it is next shown.
    pub focus: StoredValue<bool>,
}

impl TextSteps {
    pub(super) fn new(session: Session) -> Self {
        Self {
            session,
            waiting: StoredValue::default(),
            sent: StoredValue::default(),
            unfinished: StoredValue::default(),
            refused: StoredValue::default(),
            editor: StoredValue::default(),
            when_applied: StoredValue::new_local(Vec::new()),
            is_sending: StoredValue::default(),
            moves: StoredValue::default(),
            run: StoredValue::default(),
            all_applied: RwSignal::default(),
            failed: RwSignal::default(),
            undo_question: RwSignal::default(),
            focus: StoredValue::default(),
        }
    }

    pub fn is_all_applied(self) -> bool {
        !self.is_sending.get_value() && self.waiting.with_value(VecDeque::is_empty)
    }

    pub fn add(self, catalog: Option<String>, file: String, change: Change, kind: InputKind) {
        self.unfinished.set_value(None);
        self.waiting.update_value(|waiting| {
            waiting.push_back(TextStep {
                catalog,
                file,
                change,
                kind,
            })
        });
        self.record();
        self.send();
    }

    /// Ends the typing run when the editor is left: further text starts another step.
    pub fn finish_run(self) {
        let pending_steps =
            self.waiting.with_value(VecDeque::len) + usize::from(self.is_sending.get_value());
        self.run.update_value(|run| run.end_after(pending_steps));
    }

    pub fn set_editor(self, callback: EditorCallback) {
        self.editor.set_value(Some(callback));
    }

    /// Records that the editor's text is fully applied as steps.
    pub fn note_all_typed(self) {
        self.unfinished.set_value(None);
        self.record();
    }

    /// Turns the typed text into a step.
    pub fn finish_typing(self) {
        self.ask_editor(true);
    }

    /// Records typed text before the page may be gone.
    pub fn record_typed(self) {
        self.ask_editor(false);
        self.record();
    }

    fn ask_editor(self, ends_step: bool) {
        if let Some(callback) = self.editor.try_get_value().flatten() {
            callback.try_run(ends_step);
        }
    }

    /// Records text in the editor that is not a step yet; `None` if there is none.
    pub fn note_typed(self, catalog: Option<String>, file: String, change: Option<Change>) {
        self.unfinished.set_value(change.map(|change| TextStep {
            catalog,
            file,
            change,
            kind: InputKind::Keys,
        }));
        self.record();
    }

    /// Runs an action after all typed text is a step, unless one is refused.
    pub fn when_applied(self, action: impl FnOnce() + 'static) {
        self.when_applied
            .update_value(|actions| actions.push(Box::new(action)));
        self.send();
    }

    /// Undoes the last step if it changed the shown file; otherwise asks.
    pub fn undo_in_file(self) {
        self.move_in_history(HistoryMove::Undo);
    }

    pub fn redo(self) {
        self.move_in_history(HistoryMove::Redo);
    }

    /// Makes the moves one after the other: only after an edit or a move is the last step known.
    /// Text typed meanwhile waits.
    fn move_in_history(self, history_move: HistoryMove) {
        self.moves
            .update_value(|moves| moves.push_back(history_move));
        if self.moves.with_value(VecDeque::len) > 1 {
            return;
        }
        spawn_local(async move {
            while let Some(next) = self.moves.with_value(|moves| moves.front().copied()) {
                self.session.store.wait_for_edits().await;
                match next {
                    HistoryMove::Redo => self.session.redo_and_wait().await,
                    HistoryMove::Undo => {
                        let question = self.question_before_undo();
                        if question.is_none() {
                            self.session.undo_and_wait().await;
                        }
                        self.undo_question.set(question);
                    }
                }
                self.moves.update_value(|moves| {
                    moves.pop_front();
                });
            }
            self.send();
        });
    }

    fn question_before_undo(self) -> Option<UndoQuestion> {
        let store = self.session.store;
        let (root, place) = untrack(|| (store.root.get(), store.source.place.get()));
        let file = place.map(|place| place.file).unwrap_or_default();
        store
            .status
            .with_untracked(|status| UndoQuestion::new(status, &root, &file))
    }

    /// Drops the refused edits of a file.
    pub fn discard_refused(self, file: &str) {
        self.take_refused(file);
        self.unfinished.set_value(None);
        self.record();
    }

    /// Removes the refused edits of a file, and shows those of another file.
    fn take_refused(self, file: &str) -> Vec<TextStep> {
        let all = self
            .refused
            .try_update_value(std::mem::take)
            .unwrap_or_default();
        let (in_file, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|step| step.file == file);
        let failed = others.first().map(|step| RefusedText {
            file: step.file.clone(),
            reason: "it was refused before".to_owned(),
            help: "try it again to see why".to_owned(),
        });
        self.refused.set_value(others);
        self.failed.set(failed);
        in_file
    }

    /// Adds a step to a file with a refused edit, on which the step depends.
    pub fn add_refused(self, catalog: Option<String>, file: String, change: Change) {
        self.unfinished.set_value(None);
        let step = TextStep {
            catalog,
            file,
            change,
            kind: InputKind::Keys,
        };
        self.refused.update_value(|refused| refused.push(step));
        self.record();
    }

    /// Retries the refused edits of a file in order.
    pub fn retry(self, file: &str) {
        let refused = self.take_refused(file);
        self.waiting.update_value(|waiting| {
            refused
                .into_iter()
                .rev()
                .for_each(|step| waiting.push_front(step))
        });
        self.send();
    }

    pub fn refused_in(self, file: &str) -> Vec<Change> {
        self.refused.with_value(|all| {
            all.iter()
                .filter(|step| step.file == file)
                .map(|step| step.change.clone())
                .collect()
        })
    }

    /// Records unapplied typed text in the journal, in order.
    fn record(self) {
        let mut all = self.refused.get_value();
        all.extend(self.sent.get_value());
        all.extend(self.waiting.get_value());
        all.extend(self.unfinished.get_value());
        self.session
            .note_typed(all.into_iter().map(text_operation).collect());
    }

    fn send(self) {
        if self.is_sending.get_value() || !self.moves.with_value(VecDeque::is_empty) {
            return;
        }
        let Some(step) = self.waiting.try_update_value(VecDeque::pop_front).flatten() else {
            let actions = self.when_applied.try_update_value(std::mem::take);
            actions.into_iter().flatten().for_each(|action| action());
            self.all_applied.update(|count| *count += 1);
            return;
        };
        self.is_sending.set_value(true);
        self.sent.set_value(Some(step.clone()));
        let file = step.file.clone();
        let revision = self.revision();
        let continues_run = self
            .run
            .with_value(|run| run.continues(&step.file, &step.change, step.kind, revision));
        let (title, ops) = (format!("Change text of {file}"), vec![text_operation(step)]);
        let on_end = move |outcome| self.finish_step(file, outcome);
        if continues_run {
            self.session.apply_to_last_step(title, ops, on_end);
        } else {
            self.session.apply(title, ops, on_end);
        }
    }

    /// Handles the outcome of the step being applied, and sends the next one.
    fn finish_step(self, file: String, outcome: Result<(), OperationRefusal>) {
        self.is_sending.set_value(false);
        let sent = self.sent.try_update_value(Option::take).flatten();
        let revision = self.revision();
        self.run.update_value(|run| match &sent {
            Some(sent) if outcome.is_ok() => {
                run.add_change(&sent.file, &sent.change, sent.kind, revision)
            }
            _ => run.end(),
        });
        if let Err(refusal) = outcome {
            self.keep_refused(file, sent, refusal);
        }
        self.record();
        self.send();
    }

    /// Keeps a refused step, together with the waiting steps in the same file, which depend on it.
    fn keep_refused(self, file: String, sent: Option<TextStep>, refusal: OperationRefusal) {
        let waiting = self
            .waiting
            .try_update_value(std::mem::take)
            .unwrap_or_default();
        let (dependent, others): (VecDeque<_>, VecDeque<_>) =
            waiting.into_iter().partition(|step| step.file == file);
        self.waiting.set_value(others);
        self.refused
            .update_value(|refused| refused.extend(sent.into_iter().chain(dependent)));
        self.when_applied.update_value(Vec::clear);
        self.session.notifications.toasts.error(format!(
            "Text typed in {file} was not applied: {}. It stays in Source until you try again or discard it.",
            refusal.reason
        ));
        self.failed.set(Some(RefusedText {
            file,
            reason: refusal.reason,
            help: refusal.help,
        }));
    }

    fn revision(self) -> u64 {
        untrack(|| self.session.store.status.revision())
    }
}

fn text_operation(step: TextStep) -> EditOp {
    let TextStep {
        catalog,
        file,
        change,
        ..
    } = step;
    let at = format_range(change.from, change.to);
    let Change {
        above,
        below,
        before,
        text,
        ..
    } = change;
    // The file may be read again while this is pending.
    let around = Some(Box::new(TextAnchor {
        above,
        below,
        ..TextAnchor::default()
    }));
    // The path of a file outside all catalogs starts at the top.
    let (catalog, file) = match file.strip_prefix('/') {
        Some(file) => (Some(String::new()), file.to_owned()),
        None => (catalog, file),
    };
    EditOp::ReplaceText {
        catalog,
        file,
        at,
        before,
        text,
        around,
    }
}

fn format_range(from: TextPosition, to: TextPosition) -> String {
    format!("{}:{}-{}:{}", from.line, from.column, to.line, to.column)
}

/// The last applied typed text.
#[derive(Debug, Clone, PartialEq, Default)]
struct TypingRun {
    last: Option<TypedChange>,
    /// The number of steps after which the run ends; `None`: it goes on.
    remaining_steps: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
struct TypedChange {
    file: String,
    /// First and last affected line in the current text.
    lines: (u32, u32),
    kind: InputKind,
    /// The session's revision right after it was applied.
    revision: u64,
}

impl TypingRun {
    /// Whether a change continues the last step.
    fn continues(&self, file: &str, change: &Change, kind: InputKind, revision: u64) -> bool {
        self.last.as_ref().is_some_and(|last| {
            let is_typed = kind == InputKind::Keys && last.kind == InputKind::Keys;
            is_typed
                && last.file == file
                && last.revision == revision
                && is_near(last.lines, change)
        })
    }

    /// Records an applied change; `revision` is the session's current one.
    fn add_change(&mut self, file: &str, change: &Change, kind: InputKind, revision: u64) {
        let changed = (change.from.line, change.end().line);
        let last = self
            .last
            .take()
            .filter(|last| last.file == file && is_near(last.lines, change));
        let lines = last.map_or(changed, |last| {
            let end = (i64::from(last.lines.1) + change.shift()).max(1) as u32;
            (last.lines.0.min(changed.0), end.max(changed.1))
        });
        self.last = Some(TypedChange {
            file: file.to_owned(),
            lines,
            kind,
            revision,
        });
        match self.remaining_steps {
            Some(0 | 1) => self.end(),
            Some(steps) => self.remaining_steps = Some(steps - 1),
            None => {}
        }
    }

    fn end(&mut self) {
        *self = Self::default();
    }

    /// Ends the run after this number of pending steps.
    fn end_after(&mut self, steps: usize) {
        match steps {
            0 => self.end(),
            steps => self.remaining_steps = Some(steps),
        }
    }
}

/// Whether a change affects these lines or adjacent ones.
fn is_near(lines: (u32, u32), change: &Change) -> bool {
    change.from.line <= lines.1.saturating_add(MAX_DISTANCE_LINES)
        && change.to.line.saturating_add(MAX_DISTANCE_LINES) >= lines.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::HistoryRow;

    #[test]
    fn undo_asks_if_the_last_step_changed_another_file() {
        let status = |file: &str| Status {
            history: vec![HistoryRow {
                title: "Set replaces".into(),
            }],
            applied_steps: 1,
            last_step_files: vec![file.to_owned()],
            ..Status::default()
        };
        let question_file = |status: &Status, root: &str, file: &str| {
            UndoQuestion::new(status, root, file).map(|question| question.file)
        };
        let changed = status("of/v4.18/p/catalog.yaml");
        assert_eq!(question_file(&changed, "of/v4.18", "p/catalog.yaml"), None);
        let other = Some("of/v4.18/p/catalog.yaml".to_owned());
        assert_eq!(question_file(&changed, "of/v4.18", "q/catalog.yaml"), other);
        assert_eq!(
            question_file(&changed, "of/v4.17", "p/catalog.yaml"),
            other,
            "the same name in another catalog"
        );
        assert_eq!(
            question_file(&status("t/latest.yaml"), "t/latest.yaml", "latest.yaml"),
            None
        );
        assert_eq!(
            question_file(&status("Dockerfile"), "of/v4.17", "/Dockerfile"),
            None
        );
        assert_eq!(
            question_file(&Status::default(), "", "p/catalog.yaml"),
            None
        );
    }

    #[test]
    fn a_change_is_an_operation_on_the_text() {
        let change = Change {
            from: TextPosition::new(3, 5),
            to: TextPosition::new(4, 1),
            before: "a\r\n".into(),
            text: "b".into(),
            ..Change::default()
        };
        let step = TextStep {
            catalog: Some("c".into()),
            file: "p/x.yaml".into(),
            change,
            kind: InputKind::default(),
        };
        let EditOp::ReplaceText {
            catalog,
            file,
            at,
            before,
            text,
            ..
        } = text_operation(step)
        else {
            panic!()
        };
        assert_eq!(
            (catalog.as_deref(), file.as_str(), at.as_str()),
            (Some("c"), "p/x.yaml", "3:5-4:1")
        );
        assert_eq!((before.as_str(), text.as_str()), ("a\r\n", "b"));
    }

    const KEYS: InputKind = InputKind::Keys;

    fn typed(line: u32, text: &str) -> Change {
        let from = TextPosition::new(line, 1);
        Change {
            from,
            to: from,
            text: text.into(),
            ..Change::default()
        }
    }

    fn after(change: &Change, kind: InputKind) -> TypingRun {
        let mut run = TypingRun::default();
        run.add_change("a.yaml", change, kind, 7);
        run
    }

    #[test]
    fn continued_typing_at_one_place_is_one_step() {
        let mut run = after(&typed(4, "x"), KEYS);
        assert!(run.continues("a.yaml", &typed(4, "y"), KEYS, 7));
        run.add_change("a.yaml", &typed(4, "\n\n"), KEYS, 8);
        assert!(
            run.continues("a.yaml", &typed(7, "z"), KEYS, 8),
            "the place grows with its lines"
        );
        assert!(!run.continues("a.yaml", &typed(8, "z"), KEYS, 8));
        assert!(!run.continues("a.yaml", &typed(2, "z"), KEYS, 8));
    }

    #[test]
    fn another_file_another_edit_or_a_paste_starts_a_new_step() {
        let run = after(&typed(4, "x"), KEYS);
        assert!(!run.continues("b.yaml", &typed(4, "y"), KEYS, 7));
        assert!(
            !run.continues("a.yaml", &typed(4, "y"), KEYS, 8),
            "something else was applied"
        );
        assert!(!run.continues("a.yaml", &typed(4, "y"), InputKind::AtOnce, 7));
        assert!(!after(&typed(4, "x"), InputKind::AtOnce).continues(
            "a.yaml",
            &typed(4, "y"),
            KEYS,
            7
        ));
        assert!(!TypingRun::default().continues("a.yaml", &typed(4, "y"), KEYS, 7));
    }

    #[test]
    fn leaving_the_editor_ends_the_run_after_pending_changes() {
        let mut run = after(&typed(4, "x"), KEYS);
        run.end_after(1);
        assert!(
            run.continues("a.yaml", &typed(4, "y"), KEYS, 7),
            "typed before the editor was left"
        );
        run.add_change("a.yaml", &typed(4, "y"), KEYS, 8);
        assert!(!run.continues("a.yaml", &typed(4, "z"), KEYS, 8));
        let mut run = after(&typed(4, "x"), KEYS);
        run.end_after(0);
        assert!(!run.continues("a.yaml", &typed(4, "y"), KEYS, 7));
    }
}
