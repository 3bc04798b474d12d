//! Detects media types as far as `opm init` needs: it accepts images, and names the type of other
//! files.

use regex_lite::Regex;

/// The detected type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    /// An image of this media type.
    Image(&'static str),
    /// Another type; "" if unknown.
    Other(&'static str),
}

/// The media type, and the bytes at an offset that identify it.
type Signature = (&'static str, usize, &'static [u8]);

const CAMERA_RAW: Signature = ("image/x-canon-cr2", 8, b"CR\x02");

const IMAGES: &[Signature] = &[
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/jp2", 0, b"\x00\x00\x00\x0cjP  \r\n\x87\n\x00"),
    ("image/png", 0, b"\x89PNG"),
    ("image/gif", 0, b"GIF"),
    ("image/webp", 8, b"WEBP"),
    ("image/tiff", 0, b"II*\0"),
    ("image/tiff", 0, b"MM\0*"),
    ("image/bmp", 0, b"BM"),
    ("image/vnd.ms-photo", 0, b"II\xbc"),
    ("image/vnd.adobe.photoshop", 0, b"8BPS"),
    ("image/vnd.microsoft.icon", 0, b"\0\0\x01\0"),
    ("image/vnd.dwg", 0, b"AC10"),
];

const OTHERS: &[Signature] = &[
    ("application/pdf", 0, b"%PDF"),
    ("application/epub+zip", 30, b"mimetypeapplication/epub+zip"),
    ("application/zip", 0, b"PK\x03\x04"),
    ("application/zip", 0, b"PK\x05\x06"),
    ("application/zip", 0, b"PK\x07\x08"),
    ("application/gzip", 0, b"\x1f\x8b\x08"),
    ("application/x-bzip2", 0, b"BZh"),
    ("application/x-7z-compressed", 0, b"7z\xbc\xaf\x27\x1c"),
    ("application/x-xz", 0, b"\xfd7zXZ\0"),
    ("application/zstd", 0, b"\x28\xb5\x2f\xfd"),
    ("application/vnd.rar", 0, b"Rar!\x1a\x07"),
    ("application/x-tar", 257, b"ustar"),
    ("application/rtf", 0, b"{\\rtf"),
    ("application/postscript", 0, b"%!"),
    ("application/vnd.sqlite3", 0, b"SQLi"),
    ("application/x-executable", 0, b"\x7fELF"),
    ("application/vnd.microsoft.portable-executable", 0, b"MZ"),
    ("application/wasm", 0, b"\0asm\x01\0\0\0"),
    ("application/x-shockwave-flash", 0, b"CWS"),
    ("application/x-shockwave-flash", 0, b"FWS"),
    ("application/font-woff", 0, b"wOFF\0\x01\0\0"),
    ("application/font-woff", 0, b"wOF2\0\x01\0\0"),
    ("application/font-sfnt", 0, b"\0\x01\0\0\0"),
    ("application/font-sfnt", 0, b"OTTO\0"),
    ("audio/mpeg", 0, b"ID3"),
    ("audio/mpeg", 0, b"\xff\xfb"),
    ("audio/midi", 0, b"MThd"),
    ("audio/ogg", 0, b"OggS"),
    ("audio/x-flac", 0, b"fLaC"),
    ("audio/x-wav", 8, b"WAVE"),
    ("audio/amr", 0, b"#!AMR"),
    ("video/x-msvideo", 8, b"AVI"),
    ("video/x-flv", 0, b"FLV\x01"),
    ("video/mpeg", 0, b"\0\0\x01\xba"),
    ("video/mp4", 4, b"ftypisom"),
    ("video/mp4", 4, b"ftypmp42"),
    ("video/quicktime", 4, b"ftypqt"),
    ("video/x-matroska", 0, b"\x1a\x45\xdf\xa3"),
];

pub(super) fn detect_image(bytes: &[u8]) -> Media {
    let is_match = |(_, offset, magic): &&Signature| {
        bytes
            .get(*offset..)
            .is_some_and(|bytes| bytes.starts_with(magic))
    };
    // Camera raw files start like TIFF images.
    if bytes.starts_with(b"II*\0") && is_match(&&CAMERA_RAW) {
        return Media::Image(CAMERA_RAW.0);
    }
    if let Some((media_type, ..)) = IMAGES.iter().find(is_match) {
        return Media::Image(media_type);
    }
    if is_heif(bytes) {
        return Media::Image("image/heif");
    }
    if let Some((media_type, ..)) = OTHERS.iter().find(is_match) {
        return Media::Other(media_type);
    }
    if is_svg(bytes) {
        Media::Image("image/svg+xml")
    } else {
        Media::Other("")
    }
}

/// Whether it is an ISO container with one of HEIF's brands.
fn is_heif(bytes: &[u8]) -> bool {
    let brand = bytes.get(8..12).unwrap_or_default();
    let list = bytes.get(16..).unwrap_or_default();
    bytes.get(4..8) == Some(b"ftyp")
        && (brand == b"heic"
            || matches!(brand, b"mif1" | b"msf1")
                && list.chunks(4).take(8).any(|brand| brand == b"heic"))
}

/// Whether the text is a complete `svg` element after an optional XML declaration and document
/// type; ignores comments. Like `opm`'s pattern, does not match an element with a `*` inside.
fn is_svg(bytes: &[u8]) -> bool {
    if bytes.len() >= 24 && bytes[..24].iter().any(|b| *b <= 8) {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    let text = without_comments(&text);
    let pattern =
        r"(?i)^\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype svg[^>]*>\s*)?<svg[^>]*>[^*]*</svg>\s*$";
    Regex::new(pattern).is_ok_and(|svg| svg.is_match(&text))
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        let Some((_, after)) = comment.split_once("-->") else {
            break;
        };
        out.push_str(before);
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{Media, detect_image};

    #[test]
    fn the_type_follows_from_the_content() {
        let image = |bytes: &[u8]| match detect_image(bytes) {
            Media::Image(media_type) => media_type,
            Media::Other(_) => "none",
        };
        assert_eq!(
            image(b"<?xml version=\"1.0\"?><!-- * --><SVG a=\"b\"><g/></SVG>\n"),
            "image/svg+xml"
        );
        assert_eq!(image(b"<svg/>"), "none");
        assert_eq!(image(b"<svg>a * b</svg>"), "none");
        assert_eq!(image(b"<svg></svg>tail"), "none");
        assert_eq!(image(b"\x89PNG\r\n\x1a\n"), "image/png");
        assert_eq!(image(b"RIFF\0\0\0\0WEBPVP8 "), "image/webp");
        assert_eq!(image(b"II*\0\x10\0\0\0CR\x02\0"), "image/x-canon-cr2");
        assert_eq!(image(b"II*\0\x10\0\0\0"), "image/tiff");
        assert_eq!(detect_image(b"%PDF-1.4"), Media::Other("application/pdf"));
        assert_eq!(detect_image(b"{}"), Media::Other(""));
    }
}
