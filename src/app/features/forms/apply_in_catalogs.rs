//! The *Apply* action of every form: runs the operations here and in the selected catalogs as one
//! step.

use super::also_in::OtherCatalogs;
use crate::components::preview::{Live, Preview};
use crate::context::AppContext;
use crate::edits::other_catalogs::everywhere;
use crate::widgets::buttons::Press;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;

/// All operations, and the number of other catalogs; `None` if the form is gone or reported a
/// refusal.
pub(super) async fn all_operations(
    app: AppContext,
    live: Live,
    others: OtherCatalogs,
    press: Press,
    ops: Vec<EditOp>,
) -> Option<(Vec<EditOp>, usize)> {
    let known = live.everywhere(app, &ops).await;
    // The user closed the form and thus cancelled.
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

/// An applied form closes; a refused one shows the reason and can be submitted again. It may
/// already be closed.
pub(super) fn refuse(live: Live, press: Press, refusal: OperationRefusal) {
    press.end();
    live.preview.try_set(Preview::Refused(refusal));
}
