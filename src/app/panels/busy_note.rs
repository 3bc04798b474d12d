//! Shown while the worker is slow: its task, and what the user can do. On the page, and in a dialog
//! above it.

use crate::context::AppContext;
use crate::state::worker_watchdog::Busy;
use crate::widgets::announce;
use crate::widgets::button::{Button, Look};
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;

#[component]
pub fn BusyNote(app: AppContext) -> impl IntoView {
    let busy = app.store.busy;
    let is_recovering = app.store.recovering;
    let text = move || busy_text(busy.get(), is_recovering.get());
    announce::follow(move || {
        if busy.get() == Busy::No {
            String::new()
        } else {
            text().to_owned()
        }
    });
    view! {
        <Show when=move || busy.get() != Busy::No>
            <div class="banner" data-tone="info" role="group" aria-label="Busy">
                <Glyph icon=Icon::Info/>
                <p class="banner-text">{text}</p>
                <Show when=move || !is_recovering.get()>
                    <Button label="Cancel" on_press=move |()| app.actions.client().give_up()/>
                </Show>
                <Show when=move || busy.get() == Busy::Stuck>
                    <Button
                        label="Restart the worker"
                        look=Look::Primary
                        on_press=move |()| app.actions.client().restart()
                    />
                </Show>
            </div>
        </Show>
    }
    .into_any()
}

fn busy_text(busy: Busy, is_recovering: bool) -> &'static str {
    match (busy, is_recovering) {
        (Busy::No, _) => "",
        (Busy::Slow, false) => "Still working on your last request.",
        (Busy::Slow, true) => "Restarting the background worker and reading the files again.",
        (Busy::Stuck, false) => {
            "The background worker has not answered for 10 seconds. Restart it to read the files again and reapply \
             your edits."
        }
        (Busy::Stuck, true) => {
            "The restarted background worker has not answered for 10 seconds. Restart it once more to set aside the \
             edit it fails on."
        }
    }
}
