//! Paints the result of an open before delivering later answers: drawing a package takes longer
//! than reading a small catalog, and the user first wants to know whether it passes.

use super::Client;
use crate::browser::performance_marks;
use std::cell::RefCell;

/// Answers that wait until the end of an open is painted; `None` if there is none.
#[derive(Default)]
pub(super) struct AnswersAfterOpen(RefCell<Option<Vec<Vec<u8>>>>);

impl AnswersAfterOpen {
    /// Holds an answer that must wait. Returns whether it does.
    pub(super) fn hold(&self, answer: &[u8]) -> bool {
        let mut held = self.0.borrow_mut();
        if let Some(held) = &mut *held {
            held.push(answer.to_vec());
        }
        held.is_some()
    }
}

impl Client {
    /// The end of an open is about to be shown: later answers wait for that.
    pub(super) fn paint_before_others(&self) {
        *self.0.after_open.0.borrow_mut() = Some(Vec::new());
        let client = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            performance_marks::mark_next_paint().await;
            let held = client.0.after_open.0.take().unwrap_or_default();
            held.into_iter().for_each(|answer| client.receive(answer));
        });
    }
}
