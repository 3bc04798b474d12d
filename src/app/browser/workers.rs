//! Workers that run the page's own wasm.
//!
//! They start from a blob, because a worker from a URL is not bound by the policy in the page's `<meta>`, and they get the
//! page's compiled module, so that nothing is fetched or compiled twice and both are of one build.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Url, Worker, WorkerOptions, WorkerType};

/// Name of the worker that owns the workspace.
pub const HOST: &str = "host";
/// Name of a worker that indexes files.
pub const INDEXER: &str = "indexer";

/// Starts a worker; its `name` says what it is to be.
pub fn start(name: &str) -> Result<Worker, JsValue> {
    let glue = glue_url().ok_or_else(|| JsValue::from_str("the page does not name its script"))?;
    // `initSync` runs `main` inside the first message, and `main` sets the handler for all later ones: none is lost.
    let source = format!(
        "import {{ initSync }} from {glue:?};\nonmessage = e => {{ onmessage = null; initSync({{ module: e.data }}); }};"
    );
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&JsValue::from_str(&source)), &bag)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(name);
    let worker = Worker::new_with_options(&url, &options);
    Url::revoke_object_url(&url)?;
    let worker = worker?;
    worker.post_message(&wasm_bindgen::module())?;
    Ok(worker)
}

/// Absolute address of the wasm's JavaScript, as trunk put it on the boot script.
fn glue_url() -> Option<String> {
    let document = web_sys::window()?.document()?;
    let script = document.query_selector("script[data-js]").ok()??;
    let base: Option<String> = document.unchecked_ref::<web_sys::Node>().base_uri().ok()?;
    Url::new_with_base(&script.get_attribute("data-js")?, &base?).ok().map(|url| url.href())
}
