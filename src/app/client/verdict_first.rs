//! Paints the result of an open before delivering later answers: drawing a package takes longer
//! than reading a small catalog, and the user first wants to know whether it passes.

use super::Client;
use crate::browser::performance_marks;
use protocol::{RequestBody, Response, ResponseBody};
use std::cell::RefCell;

/// Answers that wait until the end of an open is painted; `None` if there is none.
#[derive(Default)]
pub(super) struct AnswersAfterOpen(RefCell<Option<Vec<Response>>>);

/// Whether this answer ends an open.
pub(super) fn is_end_of_open(request: &RequestBody, answer: &ResponseBody) -> bool {
    let is_open = matches!(
        answer,
        ResponseBody::Opened(_) | ResponseBody::Replayed { .. }
    );
    is_open && matches!(request, RequestBody::Open { .. })
}

impl AnswersAfterOpen {
    /// Holds an answer that must wait, otherwise returns it. Spontaneous messages never wait.
    pub(super) fn hold(&self, response: Response) -> Option<Response> {
        match self.0.borrow_mut().as_mut().filter(|_| response.id != 0) {
            Some(held) => {
                held.push(response);
                None
            }
            None => Some(response),
        }
    }
}

impl Client {
    /// The end of an open is about to be shown: later answers wait for that.
    pub(super) fn paint_before_others(&self) {
        *self.0.after_open.0.borrow_mut() = Some(Vec::new());
        let client = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            performance_marks::painted_soon().await;
            let held = client.0.after_open.0.take().unwrap_or_default();
            held.into_iter()
                .for_each(|response| client.receive(response));
        });
    }
}
