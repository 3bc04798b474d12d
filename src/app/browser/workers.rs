//! Workers that run the page's own wasm.
//!
//! They start from a blob, because a worker from a URL is not bound by the policy in the page's `<meta>`, and they get the
//! page's compiled module, so that nothing is compiled twice and both are of one build. The blob is made by `boot.js` when
//! the page starts: whether the host can be reached later, or has another build by then, does not matter.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Element, Url, Worker, WorkerOptions, WorkerType};

/// Name of the worker that owns the workspace.
pub const HOST: &str = "host";
/// Name of a worker that indexes files.
pub const INDEXER: &str = "indexer";

/// Starts a worker; its `name` says what it is to be.
pub fn start(name: &str) -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(name);
    // `initSync` runs `main` inside the first message, and `main` sets the handler for all later ones: none is lost.
    let worker = match boot_script().and_then(|script| script.get_attribute("data-worker")) {
        Some(kept) => Worker::new_with_options(&kept, &options)?,
        None => {
            let url = by_address()?;
            let worker = Worker::new_with_options(&url, &options);
            Url::revoke_object_url(&url)?;
            worker?
        }
    };
    worker.post_message(&wasm_bindgen::module())?;
    Ok(worker)
}

/// A blob that fetches the script, for where it could not be kept.
fn by_address() -> Result<String, JsValue> {
    let glue = glue_url().ok_or_else(|| JsValue::from_str("the page does not name its script"))?;
    let source = format!(
        "import {{ initSync }} from {glue:?};\nonmessage = e => {{ onmessage = null; initSync({{ module: e.data }}); }};"
    );
    let bag = BlobPropertyBag::new();
    bag.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&JsValue::from_str(&source)), &bag)?;
    Url::create_object_url_with_blob(&blob)
}

/// Absolute address of the wasm's JavaScript, as trunk put it on the boot script.
fn glue_url() -> Option<String> {
    let base: Option<String> = web_sys::window()?.document()?.unchecked_ref::<web_sys::Node>().base_uri().ok()?;
    Url::new_with_base(&boot_script()?.get_attribute("data-js")?, &base?).ok().map(|url| url.href())
}

fn boot_script() -> Option<Element> {
    web_sys::window()?.document()?.query_selector("script[data-js]").ok()?
}
