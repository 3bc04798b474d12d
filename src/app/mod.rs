//! The page. It draws, asks the worker and keeps what a new worker would need; it never parses, validates or lays out.

pub mod actions;
pub mod browser;
pub mod client;
pub mod desk;
pub mod panels;
pub mod state;
pub mod widgets;

use leptos::prelude::*;

/// Mounts the page.
pub fn main() {
    browser::install_panic_hook();
    leptos::mount::mount_to_body(|| {
        let actions = actions::Actions::start();
        provide_context(actions);
        view! {
            <main>
                <h1>"Switchyard"</h1>
                <button on:click=move |_| actions.open_sample()>"Try a sample"</button>
                <p role="status" aria-label="Verdict">{move || actions.session.verdict()}</p>
            </main>
        }
    });
}
