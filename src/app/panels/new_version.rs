//! Reports that a newer version of the page is ready. It starts when the user confirms, but never
//! while there are unsaved edits.

use crate::browser::start_page;
use crate::context::AppContext;
use crate::widgets::announce;
use crate::widgets::buttons::{Button, IconButton, Look};
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The state of the update.
#[derive(Debug, Clone, Copy)]
pub struct NewVersion {
    is_announced: RwSignal<bool>,
    /// Number of other open tabs of the page when the user tried to start the new version.
    others: RwSignal<u32>,
}

impl NewVersion {
    /// Listens for a new version. Call it once per page.
    pub fn listen() -> Self {
        let banner = Self {
            is_announced: RwSignal::new(false),
            others: RwSignal::new(0),
        };
        start_page::on_new_version(move || {
            banner.others.set(0);
            banner.is_announced.set(true);
        });
        banner
    }

    fn start(self) {
        spawn_local(async move { self.others.set(start_page::start_new_version().await) });
    }
}

#[component]
pub fn NewVersionBanner(app: AppContext) -> impl IntoView {
    let version = expect_context::<NewVersion>();
    let has_edits = move || app.store.status.unsaved_edits() > 0;
    announce::follow(move || {
        if version.is_announced.get() {
            reload_hint(has_edits(), version.others.get())
        } else {
            String::new()
        }
    });
    view! {
        <Show when=move || version.is_announced.get()>
            <div class="banner" data-tone="info" role="group" aria-label="New version">
                <Glyph icon=Icon::Info/>
                <p class="banner-text">
                    <strong>{move || reload_hint(has_edits(), version.others.get())}</strong>
                </p>
                <Button
                    label="Start the new version"
                    look=Look::Primary
                    disabled=Signal::derive(has_edits)
                    on_press=move |()| version.start()
                />
                <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| version.is_announced.set(false)/>
            </div>
        </Show>
    }
    .into_any()
}

fn reload_hint(has_edits: bool, others: u32) -> String {
    let then = match (has_edits, others) {
        (true, _) => "Save or undo your edits first: it starts without them.".to_owned(),
        (false, 0) => "Starting it reloads the page.".to_owned(),
        (false, 1) => {
            "Close the other tab of Switchyard first: it still uses this version.".to_owned()
        }
        (false, others) => format!(
            "Close the other {others} tabs of Switchyard first: they still use this version."
        ),
    };
    format!("A new version of Switchyard is ready. {then}")
}

#[cfg(test)]
mod tests {
    use super::reload_hint;

    #[test]
    fn reports_what_prevents_a_reload() {
        assert!(reload_hint(false, 0).ends_with("ready. Starting it reloads the page."));
        assert!(
            reload_hint(false, 1)
                .ends_with("Close the other tab of Switchyard first: it still uses this version.")
        );
        assert!(
            reload_hint(false, 2).ends_with(
                "Close the other 2 tabs of Switchyard first: they still use this version."
            )
        );
        assert!(reload_hint(true, 2).contains("Save or undo your edits first"));
    }
}
