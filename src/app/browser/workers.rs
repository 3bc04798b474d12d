//! Starts workers and loads their program.
//!
//! Workers start from a blob, because a worker from a URL is not bound by the CSP in the page's
//! `<meta>`. All receive the same compiled program, so that it is compiled once and they run the
//! same build. `boot.js` keeps script and program when the page starts, in case the host becomes
//! unreachable or gets another build.

use crate::reactive::spawn_local;
use js_sys::{Array, Promise};
use leptos::prelude::{document, window};
use std::cell::Cell;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, Element, ErrorEvent, ErrorEventInit, Url, Worker, WorkerOptions,
    WorkerType,
};

/// Name of the worker that owns the session.
pub const HOST: &str = "host";
/// Name of a worker that indexes files.
pub const INDEXER: &str = "indexer";

#[wasm_bindgen]
extern "C" {
    /// The script that runs in a worker until its program is loaded.
    #[wasm_bindgen(thread_local_v2, js_namespace = switchyard, js_name = workerBootstrap)]
    static BOOTSTRAP: String;

    /// Returns the compiled program; fetches it again after a failure.
    #[wasm_bindgen(js_namespace = switchyard, js_name = workerProgram)]
    fn worker_program() -> Promise;
}

thread_local! {
    static IS_PROGRAM_LOADED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the workers' program is loaded. Until then no worker can respond.
pub fn is_program_loaded() -> bool {
    IS_PROGRAM_LOADED.get()
}

/// Waits until the workers' program is loaded. Returns false if loading fails.
pub async fn load_program() -> bool {
    JsFuture::from(worker_program()).await.is_ok()
}

/// Returns the number of cores reported by the browser, at least one.
pub fn cores() -> usize {
    window().navigator().hardware_concurrency().max(1.0) as usize
}

/// Starts a worker; its `name` selects its role. Messages are queued until its program is loaded.
/// If the program cannot be loaded, the worker gets an `error` event.
pub fn start(name: &str) -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(name);
    let script_url = boot_script().and_then(|script| script.get_attribute("data-worker"));
    let worker = match script_url {
        Some(url) => Worker::new_with_options(&url, &options)?,
        None => {
            let url = fallback_script_url()?;
            let worker = Worker::new_with_options(&url, &options);
            Url::revoke_object_url(&url)?;
            worker?
        }
    };
    spawn_local(send_program(worker.clone()));
    Ok(worker)
}

async fn send_program(worker: Worker) {
    let sent = match JsFuture::from(worker_program()).await {
        Ok(program) => {
            IS_PROGRAM_LOADED.set(true);
            worker.post_message(&program)
        }
        Err(error) => Err(error),
    };
    if let Err(error) = sent {
        let init = ErrorEventInit::new();
        let reason = js_sys::Object::from(error).to_string();
        init.set_message(&format!(
            "The rest of the program could not be loaded ({reason}). Check the connection, then load the page again."
        ));
        // Only a worker that was already terminated has no listener.
        if let Ok(event) = ErrorEvent::new_with_event_init_dict("error", &init) {
            let _ = worker.dispatch_event(&event);
        }
    }
}

/// Creates the URL of a script that imports the workers' script, for when `boot.js` has not kept
/// it.
fn fallback_script_url() -> Result<String, JsValue> {
    let glue = glue_url()
        .ok_or_else(|| JsValue::from_str("the page does not name its workers' script"))?;
    let source = format!(
        "import {{ initSync }} from {glue:?};{}",
        BOOTSTRAP.with(String::clone)
    );
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob =
        Blob::new_with_str_sequence_and_options(&Array::of1(&JsValue::from_str(&source)), &bag)?;
    Url::create_object_url_with_blob(&blob)
}

/// Returns the absolute URL of the workers' script, from the attributes of the boot script.
fn glue_url() -> Option<String> {
    let base = document().base_uri().ok()?;
    Url::new_with_base(&boot_script()?.get_attribute("data-worker-js")?, &base?)
        .ok()
        .map(|url| url.href())
}

fn boot_script() -> Option<Element> {
    document().query_selector("script[data-js]").ok()?
}
