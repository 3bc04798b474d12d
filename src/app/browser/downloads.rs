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
    HtmlElement, HtmlImageElement, HtmlTextAreaElement, Url,
};

/// Lifetime of a download's URL: the browser may ask where to save before it reads the data.
const URL_LIFETIME_MS: u32 = 60_000;

/// Canvas limits that all browsers support: pixels per side, and in total.
const MAX_SIDE: f64 = 16_384.0;
const MAX_PIXELS: f64 = 16_384.0 * 4_096.0;

/// A rendered bitmap, with its size in pixels.
pub struct Png {
    pub file: Blob,
    pub width: u32,
    pub height: u32,
    /// Bitmap pixels per SVG pixel.
    pub scale: f64,
}

pub fn download(name: &str, mime: &str, bytes: &[u8]) -> Result<(), JsValue> {
    save_blob(name, &blob(mime, bytes)?)
}

pub fn blob(mime: &str, bytes: &[u8]) -> Result<Blob, JsValue> {
    let bag = BlobPropertyBag::new();
    bag.set_type(mime);
    Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &bag)
}

pub fn save_blob(name: &str, file: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(file)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    gloo::timers::callback::Timeout::new(URL_LIFETIME_MS, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Copies text to the clipboard, by selecting it if the browser has no other method. Returns
/// whether it was copied.
pub async fn copy(text: &str) -> bool {
    // `navigator.clipboard` is undefined on plain http, although the bindings always return it.
    let clipboard = window().navigator().clipboard();
    if clipboard.is_object() && JsFuture::from(clipboard.write_text(text)).await.is_ok() {
        return true;
    }
    copy_by_selection(text).unwrap_or(false)
}

fn copy_by_selection(text: &str) -> Result<bool, JsValue> {
    let document = document();
    let focused = document.active_element();
    // Inside an open modal dialog nothing else on the page can be focused.
    let parent = match focused.as_ref().map(|element| element.closest("dialog")) {
        Some(Ok(Some(dialog))) => dialog,
        _ => document.body().ok_or("no body")?.unchecked_into(),
    };
    let area: HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    area.set_value(text);
    area.set_read_only(true);
    parent.append_child(&area)?;
    area.select();
    let command = method(&document, "execCommand").ok_or("no command")?;
    let is_copied = command.call1(&document, &"copy".into())?.is_truthy();
    area.remove();
    if let Some(Ok(element)) = focused.map(JsCast::dyn_into::<HtmlElement>) {
        let _ = element.focus();
    }
    Ok(is_copied)
}

/// Draws an SVG as a PNG at `scale` times its size, or smaller if that exceeds the browser's
/// limits. The error is the browser's message.
pub async fn draw_png(svg: &[u8], scale: f64) -> Result<Png, String> {
    let png = async {
        let url = Url::create_object_url_with_blob(&blob("image/svg+xml", svg)?)?;
        let png = draw(&url, scale).await;
        Url::revoke_object_url(&url)?;
        png
    };
    png.await.map_err(|error: JsValue| error_message(&error))
}

async fn draw(url: &str, scale: f64) -> Result<Png, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(url);
    JsFuture::from(image.decode()).await?;
    let (width, height) = (
        f64::from(image.natural_width()),
        f64::from(image.natural_height()),
    );
    let scale = limit_scale(width, height, scale);
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
    let (sender, receiver) = oneshot::channel();
    let on_blob = Closure::once_into_js(move |file: Option<Blob>| {
        // Fails only if the caller no longer waits.
        let _ = sender.send(file);
    });
    canvas.to_blob(on_blob.unchecked_ref())?;
    let file = receiver
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

/// Returns the requested scale, or the largest within the canvas limits.
fn limit_scale(width: f64, height: f64, requested: f64) -> f64 {
    let (width, height) = (width.max(1.0), height.max(1.0));
    requested
        .min(MAX_SIDE / width)
        .min(MAX_SIDE / height)
        .min((MAX_PIXELS / (width * height)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{MAX_PIXELS, MAX_SIDE, limit_scale};

    #[test]
    fn a_picture_is_as_large_as_the_browser_can_draw() {
        assert_eq!(limit_scale(800.0, 600.0, 2.0), 2.0);
        assert_eq!(limit_scale(16_384.0, 100.0, 2.0), 1.0);
        assert_eq!(limit_scale(100.0, 4.0 * MAX_SIDE, 2.0), 0.25);
        assert!(limit_scale(8_000.0, 8_000.0, 2.0).powi(2) * 64e6 <= MAX_PIXELS * 1.0001);
        assert_eq!(
            limit_scale(0.0, 0.0, 2.0),
            2.0,
            "an empty picture divides nothing by zero"
        );
    }
}
