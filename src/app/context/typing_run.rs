//! Which typed texts are one step of the history: those typed one after the other at one place. Each is judged as it comes, and
//! all of them are undone together.
//!
//! Another place, another file, a paste, any other edit, undo, a save, and leaving the editor begin another step.

use crate::widgets::editor::text::Change;
use crate::widgets::editor::typing::InputKind;

/// A change this many lines from the last one is still at its place.
const NEAR: u32 = 1;

/// The typed text that was applied last.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TypingRun {
    last: Option<Typed>,
    /// After so many more steps it ends.
    ends_after: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
struct Typed {
    file: String,
    /// First and last line that it touched, as they are now.
    lines: (u32, u32),
    kind: InputKind,
    /// Of the workspace, right after it.
    revision: u64,
}

impl TypingRun {
    /// Whether a change is a part of the step that was made last.
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

    /// A change is applied; `revision` is that of the workspace now.
    pub(super) fn made(&mut self, file: &str, change: &Change, kind: InputKind, revision: u64) {
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

    /// What is typed next is another step.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    /// It ends after so many steps that are on their way.
    pub(super) fn end_after(&mut self, steps: usize) {
        match steps {
            0 => self.end(),
            steps => self.ends_after = Some(steps),
        }
    }
}

/// Whether a change touches these lines or the ones beside them.
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
        run.made("a.yaml", change, kind, 7);
        run
    }

    #[test]
    fn text_typed_on_at_one_place_is_one_step() {
        let mut run = after(&typed(4, "x"), KEYS);
        assert!(run.goes_on("a.yaml", &typed(4, "y"), KEYS, 7));
        run.made("a.yaml", &typed(4, "\n\n"), KEYS, 8);
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
    fn a_left_editor_ends_it_after_what_is_on_its_way() {
        let mut run = after(&typed(4, "x"), KEYS);
        run.end_after(1);
        assert!(
            run.goes_on("a.yaml", &typed(4, "y"), KEYS, 7),
            "typed before the editor was left"
        );
        run.made("a.yaml", &typed(4, "y"), KEYS, 8);
        assert!(!run.goes_on("a.yaml", &typed(4, "z"), KEYS, 8));
        let mut run = after(&typed(4, "x"), KEYS);
        run.end_after(0);
        assert!(!run.goes_on("a.yaml", &typed(4, "y"), KEYS, 7));
    }
}
