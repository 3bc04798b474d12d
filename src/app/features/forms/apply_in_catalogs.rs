//! What *Apply* does in every form: the operations here and in the catalogs that are ticked, as one step.

use super::also_in::Others;
use crate::components::preview::{Live, Preview};
use crate::context::AppContext;
use crate::edits::other_catalogs::everywhere;
use crate::widgets::press_guard::Press;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;

/// All operations, and in how many other catalogs; `None` where the form is gone, or they were refused, which it says.
pub(super) async fn all_operations(
    app: AppContext,
    live: Live,
    others: Others,
    press: Press,
    ops: Vec<EditOp>,
) -> Option<(Vec<EditOp>, usize)> {
    let known = live.everywhere(app, &ops).await;
    // Who has closed the form meanwhile did not want it.
    if press.is_gone() {
        return None;
    }
    match known {
        Ok((ops, elsewhere)) => {
            let roots = others.take_ticked(&elsewhere);
            Some((everywhere(&ops, &elsewhere, &roots), roots.len()))
        }
        Err(refusal) => {
            refuse(live, press, refusal);
            None
        }
    }
}

/// An applied form goes; a refused one says why, and can be applied again. The form may be closed by now.
pub(super) fn refuse(live: Live, press: Press, refusal: OperationRefusal) {
    press.end();
    live.preview.try_set(Preview::Refused(refusal));
}
