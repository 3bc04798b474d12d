//! The worker takes long: what it is at, and the ways out. Shown on the page, and in a dialog that lies over it.

use crate::context::AppContext;
use crate::state::worker_watchdog::Busy;
use crate::widgets::button::{Button, Look};
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;

#[component]
pub fn BusyNote(app: AppContext) -> impl IntoView {
    let busy = app.store.busy;
    let is_recovering = app.store.recovering;
    let text = move || told(busy.get(), is_recovering.get());
    view! {
        <Show when=move || busy.get() != Busy::No>
            <div class="banner" data-tone="info" role="group" aria-label="Busy">
                <Glyph icon=Icon::Info/>
                <p class="banner-text" role="status">{text}</p>
                <Show when=move || !is_recovering.get()>
                    <Button label="Cancel" on_press=move |()| app.give_up()/>
                </Show>
                <Show when=move || busy.get() == Busy::Stuck>
                    <Button
                        label="Stop and restart the reader"
                        look=Look::Primary
                        on_press=move |()| app.restart_worker()
                    />
                </Show>
            </div>
        </Show>
    }
    .into_any()
}

fn told(busy: Busy, is_recovering: bool) -> &'static str {
    match (busy, is_recovering) {
        (Busy::No, _) => "",
        (Busy::Slow, false) => "The reader of the catalogs is still working on what was asked.",
        (Busy::Slow, true) => "The reader of the catalogs is being started again, and reads the files once more.",
        (Busy::Stuck, false) => {
            "The reader of the catalogs has not answered for 10 seconds. Restarted, it reads the files again and applies \
             your edits again."
        }
        (Busy::Stuck, true) => {
            "The reader of the catalogs is being started again and has not answered for 10 seconds. Stopped once more, it \
             sets the edit aside that it cannot get over."
        }
    }
}
