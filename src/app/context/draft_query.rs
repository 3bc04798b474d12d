//! Preliminary queries: a version range being typed, and the operations of a drag.

use super::context_signal::ContextSignal;
use crate::reactive::memo;
use crate::state::store::WorkspaceStore;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::views::UpgradeQuestion;

#[derive(Clone, Copy)]
pub struct DraftQuery {
    range: ContextSignal<Option<String>>,
    /// The upgrade question with the range being typed.
    pub question: Memo<UpgradeQuestion>,
    drag_ops: ContextSignal<Vec<EditOp>>,
}

impl DraftQuery {
    pub(super) fn new(store: WorkspaceStore) -> Self {
        let range = ContextSignal::new(None::<String>);
        let question = memo(move |_| {
            let question = store.question.get();
            match range.get() {
                Some(range) => UpgradeQuestion {
                    range: range.trim().to_owned(),
                    ..question
                },
                None => question,
            }
        });
        Self {
            range,
            question,
            drag_ops: ContextSignal::default(),
        }
    }

    /// The text in the field *Version range* that is not submitted yet.
    pub fn range(self) -> ReadSignal<Option<String>> {
        self.range.reader()
    }

    pub fn type_range(self, text: Option<String>) {
        self.range.set(text);
    }

    /// The operations of the current drag.
    pub fn drag_ops(self) -> ReadSignal<Vec<EditOp>> {
        self.drag_ops.reader()
    }

    pub fn set_drag_ops(self, ops: Vec<EditOp>) {
        self.drag_ops.set(ops);
    }
}
