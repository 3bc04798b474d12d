//! Groups typed text into history steps: consecutive text at one place is one step. Each change is
//! judged immediately, and all are undone together.
//!
//! Another place, another file, a paste, any other edit, undo, a save, and leaving the editor start
//! another step.

use crate::widgets::editor::text::Change;
use crate::widgets::editor::typing::InputKind;

/// Maximum distance in lines from the last change.
const NEAR: u32 = 1;

/// The last applied typed text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TypingRun {
    last: Option<Typed>,
    /// Ends after this number of further steps.
    ends_after: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
struct Typed {
    file: String,
    /// First and last affected line in the current text.
    lines: (u32, u32),
    kind: InputKind,
    /// The workspace revision right after it.
    revision: u64,
}

impl TypingRun {
    /// Whether a change belongs to the last step.
    pub(super) fn goes_on(
        &self,
        file: &str,
        change: &Change,
        kind: InputKind,
        revision: u64,
    ) -> bool {
        self.last.as_ref().is_some_and(|last| {
            let is_typed = kind == InputKind::Keys && last.kind == InputKind::Keys;
            is_typed
                && last.file == file
                && last.revision == revision
                && is_near(last.lines, change)
        })
    }

    /// Records an applied change; `revision` is the workspace's current one.
    pub(super) fn add_change(
        &mut self,
        file: &str,
        change: &Change,
        kind: InputKind,
        revision: u64,
    ) {
        let own = (change.from.line, change.end().line);
        let before = self
            .last
            .take()
            .filter(|last| last.file == file && is_near(last.lines, change));
        let lines = before.map_or(own, |last| {
            let end = (i64::from(last.lines.1) + change.shift()).max(1) as u32;
            (last.lines.0.min(own.0), end.max(own.1))
        });
        self.last = Some(Typed {
            file: file.to_owned(),
            lines,
            kind,
            revision,
        });
        match self.ends_after {
            Some(0 | 1) => self.end(),
            Some(steps) => self.ends_after = Some(steps - 1),
            None => {}
        }
    }

    /// Ends the run: further text is another step.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    /// Ends the run after this number of pending steps.
    pub(super) fn end_after(&mut self, steps: usize) {
        match steps {
            0 => self.end(),
            steps => self.ends_after = Some(steps),
        }
    }
}

/// Whether a change affects these lines or adjacent ones.
fn is_near(lines: (u32, u32), change: &Change) -> bool {
    change.from.line <= lines.1.saturating_add(NEAR)
        && change.to.line.saturating_add(NEAR) >= lines.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::editor::text::TextPosition;

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
    fn text_typed_on_at_one_place_is_one_step() {
        let mut run = after(&typed(4, "x"), KEYS);
        assert!(run.goes_on("a.yaml", &typed(4, "y"), KEYS, 7));
        run.add_change("a.yaml", &typed(4, "\n\n"), KEYS, 8);
        assert!(
            run.goes_on("a.yaml", &typed(7, "z"), KEYS, 8),
            "the place grows with its lines"
        );
        assert!(!run.goes_on("a.yaml", &typed(8, "z"), KEYS, 8));
        assert!(!run.goes_on("a.yaml", &typed(2, "z"), KEYS, 8));
    }

    #[test]
    fn another_file_another_edit_and_a_paste_begin_another_step() {
        let run = after(&typed(4, "x"), KEYS);
        assert!(!run.goes_on("b.yaml", &typed(4, "y"), KEYS, 7));
        assert!(
            !run.goes_on("a.yaml", &typed(4, "y"), KEYS, 8),
            "something else was applied"
        );
        assert!(!run.goes_on("a.yaml", &typed(4, "y"), InputKind::AtOnce, 7));
        assert!(!after(&typed(4, "x"), InputKind::AtOnce).goes_on(
            "a.yaml",
            &typed(4, "y"),
            KEYS,
            7
        ));
        assert!(!TypingRun::default().goes_on("a.yaml", &typed(4, "y"), KEYS, 7));
    }

    #[test]
    fn leaving_the_editor_ends_the_run_after_pending_changes() {
        let mut run = after(&typed(4, "x"), KEYS);
        run.end_after(1);
        assert!(
            run.goes_on("a.yaml", &typed(4, "y"), KEYS, 7),
            "typed before the editor was left"
        );
        run.add_change("a.yaml", &typed(4, "y"), KEYS, 8);
        assert!(!run.goes_on("a.yaml", &typed(4, "z"), KEYS, 8));
        let mut run = after(&typed(4, "x"), KEYS);
        run.end_after(0);
        assert!(!run.goes_on("a.yaml", &typed(4, "y"), KEYS, 7));
    }
}
