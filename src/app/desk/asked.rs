//! What is asked while somebody is still at it: a version range half typed, operations that a drag would come to.

use super::held::Held;
use crate::state::session::Session;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::views::UpgradeQuestion;

#[derive(Clone, Copy)]
pub struct Asked {
    range: Held<Option<String>>,
    /// The question with the range as it is being typed.
    pub question: Memo<UpgradeQuestion>,
    would_be: Held<Vec<EditOp>>,
}

impl Asked {
    pub(super) fn of(session: Session) -> Self {
        let range = Held::new(None::<String>);
        let question = Memo::new(move |_| {
            let question = session.question.get();
            match range.get() {
                Some(range) => UpgradeQuestion { range: range.trim().to_owned(), ..question },
                None => question,
            }
        });
        Self { range, question, would_be: Held::default() }
    }

    /// What stands in the field *Version range* and is not asked for yet.
    pub fn range(self) -> ReadSignal<Option<String>> {
        self.range.reader()
    }

    pub fn type_range(self, text: Option<String>) {
        self.range.set(text);
    }

    /// Operations that a drag under way would come to.
    pub fn would_be(self) -> ReadSignal<Vec<EditOp>> {
        self.would_be.reader()
    }

    pub fn suppose(self, ops: Vec<EditOp>) {
        self.would_be.set(ops);
    }
}
