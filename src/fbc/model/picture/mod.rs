//! Whether a picture from a catalog may be shown: decided from its bytes before anything decodes them, since a small file
//! can be a picture of gigabytes, or of billions of shapes.
//!
//! Knows neither base64 nor the page. A refused picture is not an error of the catalog: it is just not shown.

mod raster;
mod svg;
#[cfg(test)]
mod tests;

/// Most bytes of a picture.
const BYTES: usize = 1 << 20;
/// The most pixels, over all frames of an animation: a browser needs four times as many bytes.
const PIXELS: u64 = 4096 * 4096;
/// Pictures inside of pictures.
const DEEP: usize = 2;

/// Why a picture of this media type is not shown: lower case, without a period. `None` when it may be.
pub fn refused(media_type: &str, bytes: &[u8]) -> Option<String> {
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
        return svg::refused(bytes, deep, refused_at);
    }
    // Browsers decide by the bytes, whatever image type the media type claims.
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
