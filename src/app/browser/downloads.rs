//! Downloads and the clipboard.

use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Document, HtmlAnchorElement, HtmlTextAreaElement, Url};

/// How long a download's address stays valid: the browser may ask where to save before it reads.
const KEEP_MS: u32 = 60_000;

/// Offers bytes as a file download.
pub fn download(name: &str, mime: &str, bytes: &[u8]) -> Result<(), JsValue> {
    offer(name, &blob(mime, bytes)?)
}

/// Bytes as a browser object.
pub fn blob(mime: &str, bytes: &[u8]) -> Result<Blob, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type(mime);
    Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &bag)
}

/// Offers a browser object as a file download.
pub fn offer(name: &str, file: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(file)?;
    let link: HtmlAnchorElement = document()?.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    gloo::timers::callback::Timeout::new(KEEP_MS, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Copies text to the clipboard; false if the browser refuses both ways.
pub async fn copy(text: &str) -> bool {
    // On plain http there is no `navigator.clipboard`, although the bindings declare it as always present.
    let clipboard = web_sys::window().map(|window| window.navigator().clipboard());
    if let Some(clipboard) = clipboard.filter(|clipboard| clipboard.is_object())
        && JsFuture::from(clipboard.write_text(text)).await.is_ok()
    {
        return true;
    }
    copy_by_selection(text).unwrap_or(false)
}

fn copy_by_selection(text: &str) -> Result<bool, JsValue> {
    let document = document()?;
    let before = document.active_element();
    // Inside an open modal dialog nothing else on the page can be focused.
    let place = match before.as_ref().map(|element| element.closest("dialog")) {
        Some(Ok(Some(dialog))) => dialog,
        _ => document.body().ok_or("no body")?.unchecked_into(),
    };
    let area: HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    area.set_value(text);
    area.set_read_only(true);
    place.append_child(&area)?;
    area.select();
    let command: Function = Reflect::get(&document, &"execCommand".into())?.unchecked_into();
    let done = command.call1(&document, &"copy".into())?.is_truthy();
    area.remove();
    if let Some(element) =
        before.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
    {
        let _ = element.focus();
    }
    Ok(done)
}

fn document() -> Result<Document, JsValue> {
    web_sys::window()
        .and_then(|window| window.document())
        .ok_or_else(|| JsValue::from_str("no document"))
}
