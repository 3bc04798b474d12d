//! The preview of operations that are not applied yet: the diff, and what follows. Asked of the worker a moment after
//! the last change.

use crate::app::desk::Desk;
use crate::app::panels::consequence::ConsequenceList;
use crate::app::panels::diff::Diff;
use crate::app::panels::problems::in_code;
use crate::app::panels::words::{consequences, place};
use crate::app::state::session;
use crate::fbc::edit::op::EditOp;
use crate::protocol::response::Refusal;
use crate::protocol::views::{Consequences, FileDiff};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen_futures::spawn_local;

/// How long the form rests before the worker is asked.
const REST: Duration = Duration::from_millis(120);

/// What is known of the operations as they stand.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Preview {
    /// The form is not complete.
    #[default]
    Nothing,
    Waiting,
    Shown {
        diffs: Vec<FileDiff>,
        found: Box<Consequences>,
    },
    Refused(Refusal),
}

/// Follows `ops` (`None`: not complete) and keeps the preview of the last ones.
pub fn follow(desk: Desk, ops: Signal<Option<Vec<EditOp>>>) -> RwSignal<Preview> {
    let preview = RwSignal::new(Preview::Nothing);
    let ticket = StoredValue::new(0u32);
    Effect::new(move |before: Option<Option<Vec<EditOp>>>| {
        let wanted = ops.get();
        if before.as_ref() == Some(&wanted) {
            return wanted;
        }
        ticket.update_value(|ticket| *ticket += 1);
        let mine = ticket.get_value();
        let Some(ops) = wanted.clone() else {
            preview.set(Preview::Nothing);
            return wanted;
        };
        if preview.with_untracked(|preview| !matches!(preview, Preview::Shown { .. })) {
            preview.set(Preview::Waiting);
        }
        let ask = move || {
            if ticket.try_get_value() != Some(mine) {
                return;
            }
            spawn_local(async move {
                let answer = desk.session.preview(ops, false).await;
                if ticket.try_get_value() == Some(mine) {
                    preview.try_set(told(answer));
                }
            });
        };
        set_timeout(ask, REST);
        wanted
    });
    preview
}

fn told(answer: Result<session::Preview, Refusal>) -> Preview {
    match answer {
        Ok(session::Preview { diffs, consequences, .. }) => Preview::Shown { diffs, found: Box::new(consequences) },
        Err(refusal) => Preview::Refused(refusal),
    }
}

/// The region *Preview*, with *Consequences* in it.
#[component]
pub fn PreviewPane(preview: RwSignal<Preview>) -> impl IntoView {
    view! {
        <p class="visually-hidden" role="status">{move || preview.with(spoken)}</p>
        <section class="preview" aria-label="Preview" tabindex="0">
            {move || match preview.get() {
                Preview::Nothing => view! { <p class="preview-note">"Fill in the form, and what it changes is shown here."</p> }.into_any(),
                Preview::Waiting => view! { <p class="preview-note">"Working it out…"</p> }.into_any(),
                Preview::Refused(refusal) => view! { <Refused refusal/> }.into_any(),
                Preview::Shown { diffs, found } => view! { <Shown diffs found=*found/> }.into_any(),
            }}
        </section>
    }
}

/// The preview in one line, for those who do not see it change.
fn spoken(preview: &Preview) -> String {
    match preview {
        Preview::Nothing | Preview::Waiting => String::new(),
        Preview::Refused(refusal) => format!("Cannot be done: {}", refusal.reason),
        Preview::Shown { found, .. } if !found.summary.is_empty() => found.summary.clone(),
        Preview::Shown { found, .. } => {
            consequences(found).first().map(|line| line.text().to_owned()).unwrap_or_default()
        }
    }
}

#[component]
fn Refused(refusal: Refusal) -> impl IntoView {
    let Refusal { reason, help, location } = refusal;
    view! {
        <div class="refusal">
            <p><strong>"Cannot be done: "</strong>{in_code(&reason)}</p>
            {(!help.is_empty()).then(|| view! { <p>{in_code(&help)}</p> })}
            {location.map(|location| view! { <p class="mono">{place(&location)}</p> })}
        </div>
    }
    .into_any()
}

#[component]
fn Shown(diffs: Vec<FileDiff>, found: Consequences) -> impl IntoView {
    // Without a change there is nothing to follow from it.
    let is_same = diffs.is_empty();
    let lines = consequences(&found);
    view! {
        <section class="preview-consequences" aria-label="Consequences">
            <h3 class="preview-title">"Consequences"</h3>
            <ConsequenceList lines/>
        </section>
        <h3 class="preview-title">"Changes"</h3>
        {is_same.then(|| view! { <p class="preview-note">"Nothing changes: it is so already."</p> })}
        {diffs.into_iter().map(|file| view! { <Diff file/> }).collect_view()}
    }
    .into_any()
}
