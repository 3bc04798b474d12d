//! `set-icon`: the package's icon in base64 with its media type, as `opm init` writes it.
//!
//! The type is detected from the content, never from a file name. `opm` does not check icons;
//! consoles show SVG, PNG, JPEG and GIF, so only these are accepted.

use super::{CatalogView, PlanResult, PlanStep, Refused};
use crate::patch::{Patch, Value, path};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

/// Sets a package's icon. `data`: base64 of the image; `None` removes the icon.
pub(super) fn plan(view: &CatalogView<'_>, package: &str, data: Option<&str>) -> PlanResult {
    let definition = view.definition(view.package(package)?)?;
    let patch = match data {
        Some(data) => {
            let after = &["schema", "name", "defaultChannel"];
            Patch::put(path!["icon"], decode_base64(data)?.value(), after)
        }
        None if definition.has_icon => Patch::remove(path!["icon"]),
        None => return Ok(Vec::new()),
    };
    Ok(vec![PlanStep::patch(definition, vec![patch])])
}

/// An icon that consoles can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// Standard base64 with padding, on one line.
    pub data: String,
    pub media_type: &'static str,
    /// Length of the image in bytes.
    pub size: usize,
}

impl Icon {
    pub(super) fn value(&self) -> Value {
        json!({ "base64data": self.data, "mediatype": self.media_type })
    }
}

/// Decodes an icon from base64; ignores line breaks.
///
/// # Errors
///
/// If it is not base64, empty, or not an image that consoles show.
pub fn decode_base64(data: &str) -> Result<Icon, Refused> {
    let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(&data).map_err(|error| {
        let help = if data.starts_with("data:") {
            "give only what follows the comma"
        } else {
            "give the image in standard base64, with padding"
        };
        refused!("the icon is not base64: {error}").help(help)
    })?;
    from_bytes(&bytes)
}

/// Converts an image file to an icon.
///
/// # Errors
///
/// If it is empty or not an image that consoles show.
pub fn from_bytes(bytes: &[u8]) -> Result<Icon, Refused> {
    let help = "give an SVG, PNG, JPEG or GIF image; consoles show these";
    if bytes.is_empty() {
        return Err(Refused::new("the icon is empty").help(help));
    }
    match media_type(bytes) {
        Some(media_type) => Ok(Icon {
            data: STANDARD.encode(bytes),
            media_type,
            size: bytes.len(),
        }),
        None => Err(refused!("the icon is {}", describe_unsupported(bytes)).help(help)),
    }
}

/// The first bytes of the accepted formats other than SVG.
const SIGNATURES: [(&[u8], &str); 4] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
];

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let signature = SIGNATURES
        .iter()
        .find(|(start, _)| bytes.starts_with(start));
    match signature {
        Some((_, media_type)) => Some(*media_type),
        None => is_svg(bytes).then_some("image/svg+xml"),
    }
}

fn describe_unsupported(bytes: &[u8]) -> &'static str {
    match bytes {
        [b'R', b'I', b'F', b'F', rest @ ..] if rest.get(4..8) == Some(b"WEBP") => {
            "a WebP image, which not every console shows"
        }
        [b'B', b'M', ..] => "a BMP image, which not every console shows",
        [0, 0, 1, 0, ..] => "a Windows icon, which not every console shows",
        [0x1f, 0x8b, ..] => "compressed; unpack it first",
        [b'<', ..] => "markup, but not SVG",
        _ => "not in a known image format",
    }
}

/// Whether the first XML element is `svg`, after any valid prolog.
fn is_svg(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let mut remaining = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if remaining.starts_with("<?") {
            remaining.find("?>").map(|at| at + 2)
        } else if remaining.starts_with("<!--") {
            remaining.find("-->").map(|at| at + 3)
        } else if remaining.starts_with("<!") {
            declaration_end(remaining)
        } else {
            break;
        };
        let Some(end) = end else { return false };
        remaining = remaining[end..].trim_start();
    }
    let Some(name) = remaining.strip_prefix('<') else {
        return false;
    };
    let name = name
        .split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
        .next()
        .unwrap_or_default();
    name.rsplit(':').next() == Some("svg")
}

/// Returns the end of a `<!DOCTYPE …>`, whose internal subset may contain declarations.
fn declaration_end(text: &str) -> Option<usize> {
    let close = text.find('>')?;
    match text.find('[').filter(|open| *open < close) {
        Some(_) => {
            let inner = text.find(']')?;
            text[inner..].find('>').map(|at| inner + at + 1)
        }
        None => Some(close + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(bytes: &[u8]) -> Result<&'static str, String> {
        from_bytes(bytes)
            .map(|icon| icon.media_type)
            .map_err(|refused| refused.reason)
    }

    #[test]
    fn the_type_follows_from_the_content() {
        for svg in [
            "<svg/>",
            "\u{feff} <svg xmlns=\"x\"></svg>",
            "<?xml version=\"1.0\"?>\n<!-- a > b --><!DOCTYPE svg PUBLIC \"a\" \"b\">\n<svg>",
            "<!DOCTYPE svg [\n<!ENTITY a \"b\">\n]><s:svg>",
        ] {
            assert_eq!(media(svg.as_bytes()), Ok("image/svg+xml"), "{svg}");
        }
        assert_eq!(media(b"\x89PNG\r\n\x1a\n..."), Ok("image/png"));
        assert_eq!(media(b"\xff\xd8\xff\xe0"), Ok("image/jpeg"));
        assert_eq!(media(b"GIF89a"), Ok("image/gif"));
    }

    #[test]
    fn unsupported_icons_are_refused_with_a_reason() {
        for (bytes, reason) in [
            (&b""[..], "the icon is empty"),
            (b"<html><svg/></html>", "the icon is markup, but not SVG"),
            (b"<!-- no end", "the icon is markup, but not SVG"),
            (
                b"<!DOCTYPE svg [ <!ENTITY",
                "the icon is markup, but not SVG",
            ),
            (
                b"RIFF\0\0\0\0WEBPVP8 ",
                "the icon is a WebP image, which not every console shows",
            ),
            (b"hello", "the icon is not in a known image format"),
        ] {
            assert_eq!(media(bytes), Err(reason.to_owned()));
        }
    }

    #[test]
    fn base64_is_written_on_one_line() {
        let icon = decode_base64("PHN2\r\n Zy8+\n").expect("an icon");
        assert_eq!(
            (icon.data.as_str(), icon.media_type, icon.size),
            ("PHN2Zy8+", "image/svg+xml", 6)
        );
        let refused = decode_base64("data:image/png;base64,AAAA").expect_err("no base64");
        assert_eq!(refused.help, "give only what follows the comma");
    }
}
