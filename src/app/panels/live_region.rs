//! The live regions of the page, one polite and one assertive, which always exist; and one in every
//! dialog, since everything else is inert then. Effects of keys and edits are announced here;
//! others write to them through `widgets/announce.rs`.

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

/// In a dialog: announcements while it is open, of any urgency.
#[component]
pub fn SaidInDialog(announcer: Announcer) -> impl IntoView {
    let announcement = RwSignal::new(String::new());
    for text in [announcer.polite(), announcer.urgent()] {
        effect(move |before: Option<()>| {
            let now = text.get();
            // Do not repeat announcements from before it opened.
            if before.is_some() {
                announcement.set(now);
            }
        });
    }
    view! { <p class="visually-hidden" role="status" aria-label="Said in the dialog">{announcement}</p> }
        .into_any()
}
