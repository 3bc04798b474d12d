//! Downloads, the clipboard, and bitmaps of graphs.

use super::document::method;
use super::file_tree::error_message;
use futures::channel::oneshot;
use js_sys::{Array, Uint8Array};
use leptos::prelude::{document, window};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement,
    HtmlImageElement, HtmlTextAreaElement, Url,
};

/// Lifetime of a download's URL: the browser may ask where to save before it reads the data.
const KEEP_MS: u32 = 60_000;

/// Offers bytes as a file download.
pub fn download(name: &str, mime: &str, bytes: &[u8]) -> Result<(), JsValue> {
    offer(name, &blob(mime, bytes)?)
}

/// Wraps bytes in a browser object.
pub fn blob(mime: &str, bytes: &[u8]) -> Result<Blob, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type(mime);
    Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &bag)
}

/// Offers a browser object as a file download.
pub fn offer(name: &str, file: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(file)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    gloo::timers::callback::Timeout::new(KEEP_MS, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Copies text to the clipboard. Returns false if the browser refuses both ways.
pub async fn copy(text: &str) -> bool {
    // On plain http there is no `navigator.clipboard`, although the bindings declare it as always present.
    let clipboard = window().navigator().clipboard();
    if clipboard.is_object() && JsFuture::from(clipboard.write_text(text)).await.is_ok() {
        return true;
    }
    copy_by_selection(text).unwrap_or(false)
}

fn copy_by_selection(text: &str) -> Result<bool, JsValue> {
    let document = document();
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
    let command = method(&document, "execCommand").ok_or("no command")?;
    let done = command.call1(&document, &"copy".into())?.is_truthy();
    area.remove();
    if let Some(element) =
        before.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
    {
        let _ = element.focus();
    }
    Ok(done)
}

/// Canvas limits that all browsers support: pixels per side, and in total.
const SIDE: f64 = 16_384.0;
const PIXELS: f64 = 16_384.0 * 4_096.0;

/// A rendered bitmap, with its size in pixels.
pub struct Png {
    pub file: Blob,
    pub width: u32,
    pub height: u32,
    /// Bitmap pixels per SVG pixel.
    pub scale: f64,
}

/// Draws the picture as a PNG at `scale` times its size, or smaller if the browser cannot draw
/// that. The error is the reason.
pub async fn png(svg: &[u8], scale: f64) -> Result<Png, String> {
    let drawn = async {
        let url = Url::create_object_url_with_blob(&blob("image/svg+xml", svg)?)?;
        let drawn = draw(&url, scale).await;
        Url::revoke_object_url(&url)?;
        drawn
    };
    drawn.await.map_err(|error: JsValue| error_message(&error))
}

async fn draw(url: &str, scale: f64) -> Result<Png, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(url);
    JsFuture::from(image.decode()).await?;
    let (width, height) = (
        f64::from(image.natural_width()),
        f64::from(image.natural_height()),
    );
    let scale = fitting(width, height, scale);
    let pixels = |length: f64| (length * scale) as u32;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width(pixels(width));
    canvas.set_height(pixels(height));
    let context: CanvasRenderingContext2d = canvas
        .get_context("2d")?
        .ok_or("no canvas")?
        .unchecked_into();
    let (across, down) = (f64::from(canvas.width()), f64::from(canvas.height()));
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, across, down)?;
    let (done, ended) = oneshot::channel();
    let done = Closure::once_into_js(move |file: Option<Blob>| {
        // Fails only if the caller no longer waits.
        let _ = done.send(file);
    });
    canvas.to_blob(done.unchecked_ref())?;
    let file = ended
        .await
        .ok()
        .flatten()
        .ok_or("the browser could not draw it")?;
    Ok(Png {
        file,
        width: canvas.width(),
        height: canvas.height(),
        scale,
    })
}

/// Returns the requested scale, or the largest that a browser can draw.
fn fitting(width: f64, height: f64, wanted: f64) -> f64 {
    let (width, height) = (width.max(1.0), height.max(1.0));
    wanted
        .min(SIDE / width)
        .min(SIDE / height)
        .min((PIXELS / (width * height)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{PIXELS, SIDE, fitting};

    #[test]
    fn a_picture_is_as_large_as_can_be_drawn() {
        assert_eq!(fitting(800.0, 600.0, 2.0), 2.0);
        assert_eq!(fitting(16_384.0, 100.0, 2.0), 1.0);
        assert_eq!(fitting(100.0, 4.0 * SIDE, 2.0), 0.25);
        assert!(fitting(8_000.0, 8_000.0, 2.0).powi(2) * 64e6 <= PIXELS * 1.0001);
        assert_eq!(
            fitting(0.0, 0.0, 2.0),
            2.0,
            "an empty picture divides nothing by zero"
        );
    }
}
