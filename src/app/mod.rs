//! The page. It draws, asks the worker and keeps what a new worker would need; it never parses, validates or lays out.

pub mod browser;
pub mod client;
pub mod state;

use leptos::prelude::*;

/// Mounts the page.
pub fn main() {
    browser::install_panic_hook();
    let client = client::Client::start(|_event| {});
    let ready = RwSignal::new("starting".to_owned());
    wasm_bindgen_futures::spawn_local({
        let client = client.clone();
        async move {
            let answer = client.ask(crate::protocol::RequestBody::Review).await;
            ready.set(format!("{answer:?}"));
        }
    });
    leptos::mount::mount_to_body(move || view! { <main><h1>"Switchyard"</h1><p>{move || ready.get()}</p></main> });
    std::mem::forget(client);
}
