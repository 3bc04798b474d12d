//! The preview of operations that are not applied yet: the diff, and what follows. Asked of the worker a moment after
//! the last change.

use super::suggest::catalog_name;
use super::ticks;
use crate::app::desk::Desk;
use crate::app::panels::consequence::ConsequenceList;
use crate::app::panels::diff::Diff;
use crate::app::panels::problems::in_code;
use crate::app::panels::words::{consequences, place};
use crate::app::state::session;
use crate::app::widgets::button::Button;
use crate::fbc::edit::op::EditOp;
use crate::protocol::response::{Elsewhere, Refusal, There};
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
        /// Every other catalog that is open.
        elsewhere: Vec<Elsewhere>,
    },
    Refused(Refusal),
}

/// The preview of operations that still change.
#[derive(Clone, Copy)]
pub struct Live {
    pub preview: RwSignal<Preview>,
    /// The operations that [`Preview::Shown`] is of.
    of: StoredValue<Vec<EditOp>>,
}

impl Live {
    /// The other catalogs, told for exactly these operations: asked anew where the preview is of others.
    pub async fn elsewhere(self, desk: Desk, ops: &[EditOp]) -> Result<Vec<Elsewhere>, Refusal> {
        let is_known = self.of.try_with_value(|of| *of == ops).unwrap_or_default();
        if is_known && let Some(Preview::Shown { elsewhere, .. }) = self.preview.try_get_untracked() {
            return Ok(elsewhere);
        }
        Ok(desk.session.preview(ops.to_vec(), true).await?.elsewhere)
    }
}

/// Follows `ops` (`None`: not complete) and keeps the preview of the last ones, with every other open catalog.
pub fn follow(desk: Desk, ops: Signal<Option<Vec<EditOp>>>) -> Live {
    let preview = RwSignal::new(Preview::Nothing);
    let of = StoredValue::new(Vec::new());
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
                let answer = desk.session.preview(ops.clone(), true).await;
                if ticket.try_get_value() == Some(mine) {
                    of.try_set_value(ops);
                    preview.try_set(told(answer));
                }
            });
        };
        set_timeout(ask, REST);
        wanted
    });
    Live { preview, of }
}

fn told(answer: Result<session::Preview, Refusal>) -> Preview {
    match answer {
        Ok(session::Preview { diffs, consequences, elsewhere }) => {
            Preview::Shown { diffs, found: Box::new(consequences), elsewhere }
        }
        Err(refusal) => Preview::Refused(refusal),
    }
}

/// The region *Preview*, with *Consequences* in it.
#[component]
pub fn PreviewPane(
    desk: Desk,
    live: Live,
    /// Stands above the diff.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let preview = live.preview;
    view! {
        <p class="visually-hidden" role="status">{move || preview.with(spoken)}</p>
        <section class="preview" aria-label="Preview" tabindex="0">
            {children.map(|children| children())}
            {move || match preview.get() {
                Preview::Nothing => view! { <p class="preview-note">"Fill in the form, and what it changes is shown here."</p> }.into_any(),
                Preview::Waiting => view! { <p class="preview-note">"Working it out…"</p> }.into_any(),
                Preview::Refused(refusal) => {
                    let root = live.of.with_value(|ops| ops.first().and_then(EditOp::catalog).map(str::to_owned));
                    view! { <Refused desk refusal root/> }.into_any()
                }
                Preview::Shown { diffs, found, elsewhere } => view! { <Shown desk diffs found=*found elsewhere/> }.into_any(),
            }}
        </section>
    }
}

/// The preview in one line, for those who do not see it change.
pub fn spoken(preview: &Preview) -> String {
    match preview {
        Preview::Nothing | Preview::Waiting => String::new(),
        Preview::Refused(refusal) => format!("Cannot be done: {}", refusal.reason),
        Preview::Shown { found, .. } if !found.summary.is_empty() => found.summary.clone(),
        Preview::Shown { found, .. } => {
            consequences(found).first().map(|line| line.text().to_owned()).unwrap_or_default()
        }
    }
}

/// What is refused at a place of a file can be written there by hand. `root` is the file's catalog; `None`: the one in
/// view.
#[component]
fn Refused(desk: Desk, refusal: Refusal, root: Option<String>) -> impl IntoView {
    let Refusal { reason, help, location, report } = refusal;
    let by_hand = location.clone().filter(|location| !location.file.is_empty());
    view! {
        <div class="refusal">
            <p><strong>"Cannot be done: "</strong>{in_code(&reason)}</p>
            {(!help.is_empty()).then(|| view! { <p>{in_code(&help)}</p> })}
            {location.map(|location| view! { <p class="mono">{place(&location)}</p> })}
            {by_hand
                .map(|location| {
                    let go = move |()| desk.edit_as_text(root.clone(), location.clone());
                    view! { <Button label="Edit as text" on_press=go/> }
                })}
            {(!report.is_empty())
                .then(|| {
                    let copy = move |()| desk.copy_report(report.clone());
                    view! { <Button label="Copy report" on_press=copy/> }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn Shown(desk: Desk, diffs: Vec<FileDiff>, found: Consequences, elsewhere: Vec<Elsewhere>) -> impl IntoView {
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
        {elsewhere.into_iter().filter_map(|other| there(desk, other)).collect_view()}
    }
    .into_any()
}

/// What would follow and change in another catalog, to be opened.
fn there(desk: Desk, other: Elsewhere) -> Option<AnyView> {
    let name = desk.session.status.with_untracked(|status| catalog_name(&status.roots, &other.root));
    let verdict = ticks::verdict(&other.there);
    let body = match other.there {
        There::Absent => return None,
        There::Refused(refusal) => view! { <Refused desk refusal root=Some(other.root.clone())/> }.into_any(),
        There::Would { diffs, consequences: found, .. } => {
            let lines = consequences(&found);
            view! {
                <ConsequenceList lines/>
                {diffs.into_iter().map(|file| view! { <Diff file/> }).collect_view()}
            }
            .into_any()
        }
    };
    let words = verdict.map_or_else(|| "cannot be done".to_owned(), |(_, words)| words);
    let view = view! {
        <details class="preview-there">
            <summary class="preview-there-name">
                <strong>{name}</strong>
                " "
                <span class="dim">{words}</span>
            </summary>
            {body}
        </details>
    };
    Some(view.into_any())
}
