//! Decides whether a picture from a catalog is safe to show, before anything decodes it: a small
//! file can expand to gigabytes of pixels or billions of shapes.
//!
//! Knows neither base64 nor the page. A refused picture is not a catalog error: it is just not
//! shown.

mod raster;
mod svg;
#[cfg(test)]
mod tests;

/// Maximum size of a picture in bytes.
const BYTES: usize = 1 << 20;
/// Maximum number of pixels over all animation frames; a browser needs four bytes for each.
const PIXELS: u64 = 4096 * 4096;
/// Maximum nesting of pictures.
const DEEP: usize = 2;

/// Why a picture of this media type is not shown, in lower case without a period; `None` if it is.
pub fn why_refused(media_type: &str, bytes: &[u8]) -> Option<String> {
    refused_at(media_type, bytes, DEEP)
}

fn refused_at(media_type: &str, bytes: &[u8], deep: usize) -> Option<String> {
    if bytes.len() > BYTES {
        return Some(format!(
            "it is {} kB; at most {} kB are allowed",
            bytes.len() >> 10,
            BYTES >> 10
        ));
    }
    if media_type == "image/svg+xml" {
        return svg::why_refused(bytes, deep, refused_at);
    }
    // Browsers detect images by their bytes, regardless of the image media type.
    match raster::pixels(bytes) {
        None => Some("its bytes are not a PNG, JPEG, GIF or WebP image".to_owned()),
        Some(pixels) if pixels > PIXELS => Some(format!(
            "it has {} million pixels; at most {} million are allowed",
            pixels / 1_000_000,
            PIXELS / 1_000_000
        )),
        Some(_) if raster::is_cut_off(bytes) => {
            Some("it is cut off: its data ends before the picture is complete".to_owned())
        }
        Some(_) => None,
    }
}
