//! What was typed, on its way to the workspace: one step after the other, and what waits for them. Lives as long as the
//! page, so that nothing is lost when another tab is shown.

use crate::app::desk::Desk;
use crate::app::widgets::editor::text::{Change, Place};
use crate::fbc::edit::op::EditOp;
use leptos::prelude::*;
use std::collections::VecDeque;

/// A step that is to be made.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    /// Name of the catalog; `None` where only one is open.
    catalog: Option<String>,
    file: String,
    change: Change,
}

/// What is done when all steps are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    Undo,
    Redo,
    Save,
}

/// Why a step could not be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failed {
    pub file: String,
    pub reason: String,
    pub help: String,
}

#[derive(Clone, Copy, Default)]
pub struct Steps {
    waiting: StoredValue<VecDeque<Wanted>>,
    then: StoredValue<VecDeque<Then>>,
    is_sending: StoredValue<bool>,
    /// Counts how often all were made.
    pub settled: RwSignal<u32>,
    pub failed: RwSignal<Option<Failed>>,
    /// The source is to have the focus when it is shown next.
    pub focus: StoredValue<bool>,
}

impl Steps {
    pub fn is_settled(self) -> bool {
        !self.is_sending.get_value() && self.waiting.with_value(VecDeque::is_empty)
    }

    pub fn add(self, desk: Desk, catalog: Option<String>, file: String, change: Change) {
        self.failed.set(None);
        self.waiting.update_value(|waiting| waiting.push_back(Wanted { catalog, file, change }));
        self.send(desk);
    }

    /// Undoes, redoes or saves once everything that was typed is a step.
    pub fn then(self, desk: Desk, then: Then) {
        self.then.update_value(|waiting| waiting.push_back(then));
        self.send(desk);
    }

    /// Forgets what could not be made.
    pub fn forget(self) {
        self.waiting.update_value(VecDeque::clear);
        self.failed.set(None);
    }

    fn send(self, desk: Desk) {
        if self.is_sending.get_value() {
            return;
        }
        let Some(wanted) = self.waiting.try_update_value(VecDeque::pop_front).flatten() else {
            while let Some(then) = self.then.try_update_value(VecDeque::pop_front).flatten() {
                match then {
                    Then::Undo => desk.undo(),
                    Then::Redo => desk.redo(),
                    Then::Save => desk.save(),
                }
            }
            self.settled.update(|count| *count += 1);
            return;
        };
        self.is_sending.set_value(true);
        let file = wanted.file.clone();
        desk.apply(format!("Change text of {file}"), vec![op(wanted)], move |end| {
            self.is_sending.set_value(false);
            if let Err(refusal) = end {
                // Those behind it count on it.
                self.forget();
                self.then.update_value(VecDeque::clear);
                self.failed.set(Some(Failed { file, reason: refusal.reason, help: refusal.help }));
            }
            self.send(desk);
        });
    }
}

fn op(wanted: Wanted) -> EditOp {
    let Wanted { catalog, file, change } = wanted;
    EditOp::ReplaceText { catalog, file, at: range(change.from, change.to), before: change.before, text: change.text }
}

fn range(from: Place, to: Place) -> String {
    format!("{}:{}-{}:{}", from.line, from.column, to.line, to.column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_an_operation_on_the_text() {
        let change = Change { from: Place::new(3, 5), to: Place::new(4, 1), before: "a\r\n".into(), text: "b".into() };
        let wanted = Wanted { catalog: Some("c".into()), file: "p/x.yaml".into(), change };
        let EditOp::ReplaceText { catalog, file, at, before, text } = op(wanted) else { panic!() };
        assert_eq!((catalog.as_deref(), file.as_str(), at.as_str()), (Some("c"), "p/x.yaml", "3:5-4:1"));
        assert_eq!((before.as_str(), text.as_str()), ("a\r\n", "b"));
    }
}
