//! Draws an SVG as a PNG. Knows nothing of its content.

use super::downloads::blob;
use super::file_tree::error_message;
use futures::channel::oneshot;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement, Url};

/// Canvas limits that all browsers support: pixels per side, and in total.
const SIDE: f64 = 16_384.0;
const PIXELS: f64 = 16_384.0 * 4_096.0;

/// A bitmap.
pub struct Png {
    pub file: Blob,
    pub width: u32,
    pub height: u32,
    /// Bitmap pixels per SVG pixel.
    pub scale: f64,
}

/// The picture as a PNG at `scale` times its size, or smaller if the browser could not draw that.
/// The error is the reason.
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
    let document = web_sys::window()
        .and_then(|window| window.document())
        .ok_or("no document")?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
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
        // The caller is waiting for it.
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

/// The requested scale, or the largest that a browser can draw.
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
