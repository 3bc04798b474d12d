//! The live regions of the page, one polite and one urgent, which are always there; and one in every dialog, since all
//! else is inert then. What keys and edits did is said here; everything else that has something to say writes into them
//! too (`widgets/announce.rs`).

use crate::context::AppContext;
use crate::reactive::effect;
use crate::state::store::LastChange;
use crate::widgets::announce::Announcer;
use leptos::prelude::*;

#[component]
pub fn LiveRegions(app: AppContext) -> impl IntoView {
    let announcer = app.notifications.announcer;
    effect(move |_| match app.store.last_change.get() {
        Some(LastChange::Made {
            title,
            consequences: found,
        }) => {
            let summary = found.summary;
            announcer.say(if summary.is_empty() {
                title
            } else {
                format!("{title}. {summary}")
            });
        }
        Some(LastChange::Undone { title }) => announcer.say(title),
        None => {}
    });
    view! {
        <p class="live-region visually-hidden" role="status" aria-label="What happened">{announcer.polite()}</p>
        <p class="live-region visually-hidden" role="alert" aria-label="Alerts">{announcer.urgent()}</p>
    }
    .into_any()
}

/// In a dialog: what is said while it is open, however urgent.
#[component]
pub fn SaidInDialog(announcer: Announcer) -> impl IntoView {
    let said = RwSignal::new(String::new());
    for text in [announcer.polite(), announcer.urgent()] {
        effect(move |before: Option<()>| {
            let now = text.get();
            // What was said before it opened is not said again.
            if before.is_some() {
                said.set(now);
            }
        });
    }
    view! { <p class="visually-hidden" role="status" aria-label="Said in the dialog">{said}</p> }
        .into_any()
}
