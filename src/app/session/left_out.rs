//! Edits that are left out of a save: the worker undoes them, and they follow the saved ones
//! afterwards.

use super::Session;
use crate::state::journal::JournalStep;
use crate::state::store::Notice;
use leptos::prelude::*;
use protocol::query::{ChooseEdits, Replay};
use protocol::response::OperationRefusal;

impl Session {
    /// Leaves edits out, by their index in `edits`, which are all unsaved ones. Returns for each
    /// edit the index of one that it needs, if that is left out.
    pub async fn choose_edits(
        self,
        edits: &[JournalStep],
        left_out: Vec<usize>,
    ) -> Result<Vec<Option<usize>>, String> {
        let edits = edits.iter().map(JournalStep::to_replay).collect();
        let answer = self.store.ask(ChooseEdits { edits, left_out }).await;
        let chosen = answer.map_err(|error| OperationRefusal::from(error).reason)?;
        // The view behind the review does not change: the edits return when it closes.
        self.store.take_status(chosen.replayed.status);
        Ok(chosen.needs)
    }

    /// Applies the edits that were left out again, once no save is in progress.
    pub async fn put_back(self) {
        self.finish_saving().await;
        let left_out = self.client().log().left_out();
        if left_out.is_empty() || self.putting_back.get_value() {
            return;
        }
        self.putting_back.set_value(true);
        let steps = left_out.iter().map(JournalStep::to_replay).collect();
        let answer = self.store.ask(Replay { steps }).await;
        let shown = self.store.show_merged(answer).await;
        self.putting_back.set_value(false);
        match shown {
            Ok(set_aside) if set_aside.is_empty() => {}
            Ok(set_aside) => self.store.notices.push(Notice::Reloaded { set_aside }),
            Err(why) => self.store.notices.push(Notice::Failed(format!(
                "The edits that were left out could not be applied again: {why}. They are offered when you open the files again."
            ))),
        }
    }
}
