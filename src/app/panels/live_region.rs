//! What keys and edits did, told to who cannot see it: one polite region that is always in the page. Whatever tells of
//! itself (toasts, the verdict, counts of a list) is not said here again.

use crate::context::AppContext;
use crate::state::store::LastChange;
use leptos::prelude::*;

#[component]
pub fn LiveRegion(app: AppContext) -> impl IntoView {
    Effect::new(move |_| match app.store.last_change.get() {
        Some(LastChange::Made { title, consequences: found }) => {
            let summary = found.summary;
            app.notifications.announce(if summary.is_empty() { title } else { format!("{title}. {summary}") });
        }
        Some(LastChange::Undone { title }) => app.notifications.announce(title),
        None => {}
    });
    view! { <p class="visually-hidden" role="status" aria-label="What happened">{move || app.notifications.live_text().get()}</p> }
        .into_any()
}
