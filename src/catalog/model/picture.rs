//! Decides whether a picture from a catalog is safe to show, before anything decodes it: a small
//! file can expand to gigabytes of pixels or billions of shapes.
//!
//! Knows nothing of the page. A refused picture is not shown; it is no catalog error.

mod svg;

/// Maximum size of a picture in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Maximum number of pixels over all animation frames; a browser needs four bytes for each.
const MAX_PIXELS: u64 = 4096 * 4096;
/// Maximum nesting of pictures in pictures.
const MAX_NESTING: usize = 2;

/// Returns why a picture of this media type must not be shown, in lower case without a period;
/// `None` if it may be.
pub fn why_refused(media_type: &str, bytes: &[u8]) -> Option<String> {
    check(media_type, bytes, MAX_NESTING).err()
}

fn check(media_type: &str, bytes: &[u8], nesting: usize) -> Result<(), String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!(
            "it is {} kB; at most {} kB are allowed",
            bytes.len().div_ceil(1024),
            MAX_BYTES / 1024
        ));
    }
    if media_type == "image/svg+xml" {
        return svg::check(bytes, nesting, check);
    }
    // Browsers detect images by their bytes, regardless of the image media type.
    let pixels = count_pixels(bytes).ok_or("its bytes are not a PNG, JPEG, GIF or WebP image")?;
    if pixels > MAX_PIXELS {
        return Err(format!(
            "it has {} million pixels; at most {} million are allowed",
            pixels.div_ceil(1_000_000),
            MAX_PIXELS / 1_000_000
        ));
    }
    if is_cut_off(bytes) {
        return Err("it is cut off: its data ends before the picture is complete".to_owned());
    }
    Ok(())
}

/// Counts the pixels of all frames. `None` for an unknown format, or without a size.
fn count_pixels(bytes: &[u8]) -> Option<u64> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        png_pixels(bytes)
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        jpeg_pixels(bytes)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        gif_pixels(bytes)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        webp_pixels(bytes)
    } else {
        None
    }
}

/// Whether a PNG ends before its last chunk. Not checked for other formats: browsers draw the
/// complete part of those.
fn is_cut_off(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
        && png_chunks(bytes).all(|chunk| chunk.name != b"IEND" || !chunk.is_complete)
}

struct PngChunk<'b> {
    name: &'b [u8],
    /// Whether all of its data is there.
    is_complete: bool,
}

fn png_chunks(bytes: &[u8]) -> impl Iterator<Item = PngChunk<'_>> {
    let mut at = 8usize;
    std::iter::from_fn(move || {
        let len = big_endian(bytes, at, 4)? as usize;
        let name = bytes.get(at.checked_add(4)?..at.checked_add(8)?)?;
        at = at.saturating_add(12).saturating_add(len);
        Some(PngChunk {
            name,
            is_complete: at <= bytes.len(),
        })
    })
}

fn area(width: u64, height: u64) -> u64 {
    width.saturating_mul(height)
}

fn big_endian(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(len)?)?;
    Some(
        part.iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    )
}

fn little_endian(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(len)?)?;
    Some(
        part.iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    )
}

/// Counts the pixels of a PNG. `IHDR` is the first chunk; `fcTL` starts each animation frame.
fn png_pixels(bytes: &[u8]) -> Option<u64> {
    let image = area(big_endian(bytes, 16, 4)?, big_endian(bytes, 20, 4)?);
    let frames = png_chunks(bytes).filter(|chunk| chunk.name == b"fcTL");
    let frames = frames.count() as u64;
    Some(image.saturating_mul(frames.max(1)))
}

/// Counts the pixels of the largest frame header, since decoders pick one of them.
fn jpeg_pixels(bytes: &[u8]) -> Option<u64> {
    let mut largest = None;
    let mut at = 2;
    while let Some(&[mark, kind]) = bytes
        .get(at..at + 2)
        .and_then(|pair| pair.first_chunk::<2>())
    {
        match (mark, kind) {
            (0xff, 0xff) => at += 1,
            // Markers without a length.
            (0xff, 0x01 | 0xd0..=0xd8) => at += 2,
            (0xff, 0xd9) => break,
            (0xff, 0x00) | (0..=0xfe, _) => at += 1,
            (0xff, _) => {
                if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
                    let size = area(big_endian(bytes, at + 7, 2)?, big_endian(bytes, at + 5, 2)?);
                    largest = largest.max(Some(size));
                }
                at += 2 + big_endian(bytes, at + 2, 2)?.max(2) as usize;
            }
        }
    }
    largest
}

/// Multiplies the largest size by the number of frames.
fn gif_pixels(bytes: &[u8]) -> Option<u64> {
    let screen = area(little_endian(bytes, 6, 2)?, little_endian(bytes, 8, 2)?);
    let mut at = 13 + color_table_len(little_endian(bytes, 10, 1)?);
    let (mut frames, mut largest) = (0u64, screen);
    while let Some(&kind) = bytes.get(at) {
        at += match kind {
            0x21 => 2,
            0x2c => {
                frames += 1;
                let corner = |from, size| {
                    Some(little_endian(bytes, at + from, 2)? + little_endian(bytes, at + size, 2)?)
                };
                largest = largest.max(area(corner(1, 5)?, corner(3, 7)?));
                11 + color_table_len(little_endian(bytes, at + 9, 1)?)
            }
            _ => break,
        };
        // Data blocks with a length prefix; an empty one ends the list.
        while let Some(&len) = bytes.get(at) {
            at += 1 + usize::from(len);
            if len == 0 {
                break;
            }
        }
    }
    Some(largest.saturating_mul(frames.max(1)))
}

/// Returns the size in bytes of the color table that these flags announce.
fn color_table_len(flags: u64) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

fn webp_pixels(bytes: &[u8]) -> Option<u64> {
    let (mut at, mut largest, mut frames) = (12usize, None, 0u64);
    while let (Some(kind), Some(len)) = (
        bytes.get(at..at.saturating_add(4)),
        little_endian(bytes, at.saturating_add(4), 4),
    ) {
        let data = at + 8;
        let size = match kind {
            b"VP8X" => Some(area(
                little_endian(bytes, data + 4, 3)? + 1,
                little_endian(bytes, data + 7, 3)? + 1,
            )),
            b"VP8L" => {
                let bits = little_endian(bytes, data + 1, 4)?;
                Some(area((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
            }
            b"VP8 " => Some(area(
                little_endian(bytes, data + 6, 2)? & 0x3fff,
                little_endian(bytes, data + 8, 2)? & 0x3fff,
            )),
            b"ANMF" => {
                frames += 1;
                None
            }
            _ => None,
        };
        largest = largest.max(size);
        at = data
            .saturating_add(len as usize)
            .saturating_add(len as usize & 1);
    }
    Some(largest?.saturating_mul(frames.max(1)))
}

#[cfg(test)]
mod tests {
    //! Pictures that are small to transfer and large to draw, and common ones.

    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    fn svg(text: &str) -> Option<String> {
        why_refused("image/svg+xml", text.as_bytes())
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(b"\0\0\0\x02IDAT\x78\x9c\0\0\0\0");
        bytes.extend(b"\0\0\0\0IEND\xae\x42\x60\x82");
        bytes
    }

    #[test]
    fn a_truncated_png_is_refused() {
        let whole = png(16, 16);
        for end in 24..whole.len() {
            let reason = why_refused("image/png", &whole[..end]).unwrap();
            assert!(reason.starts_with("it is cut off"), "{end}: {reason}");
        }
        // Bytes after the end of the picture do not belong to it.
        assert_eq!(
            why_refused("image/png", &[&whole[..], b"more"].concat()),
            None
        );
    }

    #[test]
    fn common_pictures_are_accepted() {
        for text in [
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0\"/></svg>",
            "<?xml version=\"1.0\"?><!-- <use> --><svg xmlns:xlink=\"x\"><defs><linearGradient id=\"a\"><stop/></linearGradient></defs><g \
             fill=\"url(#a)\"><use xlink:href=\"#b\"/><circle id=\"b\" stroke-dasharray=\"4 2\"/></g></svg>",
            "<!DOCTYPE svg [<!ENTITY ns_svg \"http://www.w3.org/2000/svg\"><!ENTITY nbsp \"&#160;\"><!ENTITY x 'a \"b\"'>\
             <!ATTLIST svg xmlns:xlink CDATA #FIXED \"http://www.w3.org/1999/xlink\">]><svg xmlns=\"&ns_svg;\">a&nbsp;b &x;</svg>",
            "<svg><style>#a, a, linearGradient stop {mask:url(#m)}</style><mask id=\"m\"><rect/></mask><a id=\"a\" href=\"#a\"/><g \
             id=\"g\"><animate href=\"#g\" values=\"#fff;#000\"/></g></svg>",
            "<svg><linearGradient id=\"a%20b\"/><path fill=\"url(#a%20b)\"/><style>@font-face{src:url('data:application/octet-stream;\
             base64,d09GMg==')}</style></svg>",
            "<svg><style>.a{fill:url(#g)}.b,.c{mask:url(#m)}</style><mask id=\"m\"><rect class=\"a\"/></mask><linearGradient \
             id=\"g\"/><rect class=\"b\"/></svg>",
        ] {
            assert_eq!(svg(text), None, "{text}");
        }
        assert_eq!(why_refused("image/png", &png(512, 512)), None);
        let inside = STANDARD.encode(png(64, 64));
        assert_eq!(
            svg(&format!(
                "<svg><image href=\"data:image/png;base64,{inside}\"/></svg>"
            )),
            None
        );
        let gif =
            b"GIF89a\x10\0\x10\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x10\0\x10\0\0\x02\x01\0\0;";
        assert_eq!(why_refused("image/gif", gif), None);
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\x01\0\x01\0\x01\x01\x11\0\xff\xd9";
        assert_eq!(why_refused("image/jpeg", jpeg), None);
    }

    /// Nine levels of ten uses each: 1.5 kB that block a browser for minutes.
    #[test]
    fn nested_uses_are_counted() {
        let mut text = String::from("<svg><g id=\"l0\"><path d=\"M0 0h1\"/></g>");
        for level in 1..=9 {
            text += &format!("<g id=\"l{level}\">");
            text += &format!("<use href=\"#l{}\"/>", level - 1).repeat(10);
            text += "</g>";
        }
        text += "</svg>";
        let reason = svg(&text).unwrap();
        assert_eq!(reason, "its references draw more than 100000 shapes");
        // Patterns and style sheet classes are counted too.
        let level = |by: &str| {
            let levels = (0..9).map(|level| {
                format!(
                    "<pattern id=\"p{level}\">{}</pattern>",
                    by.replace('N', &(level + 1).to_string()).repeat(10)
                )
            });
            levels.collect::<String>()
        };
        let patterns = format!(
            "<svg>{}<pattern id=\"p9\"><rect/></pattern><rect fill=\"url(#p0)\"/></svg>",
            level("<rect fill=\"url(#pN)\"/>")
        );
        assert!(svg(&patterns).unwrap().contains("shapes"), "{patterns}");
        let rules: String = (0..10)
            .map(|n| format!(".c{n}{{fill:url('#p{n}')}}"))
            .collect();
        let styled = format!(
            "<svg><style><![CDATA[{rules}]]></style>{}<pattern id=\"p9\"><rect/></pattern><rect class=\"c0\"/></svg>",
            level("<rect class=\"cN\"/>")
        );
        assert!(svg(&styled).unwrap().contains("shapes"), "{styled}");
    }

    #[test]
    fn excessive_pictures_are_refused_with_a_reason() {
        let laughs: String = (1..10)
            .map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)))
            .collect();
        let dashes =
            "<svg><path stroke-dasharray=\"0.0001 0.0001\" d=\"M0 0h100000\"/></svg>".to_owned();
        let image =
            |kind: &str, data: &str| format!("<svg><image href=\"data:{kind},{data}\"/></svg>");
        for (text, expected) in [
            (
                format!("<!DOCTYPE svg [<!ENTITY e0 \"ha\">{laughs}]><svg><text>&e9;</text></svg>"),
                "its entities contain",
            ),
            (
                "<!DOCTYPE svg [<!ENTITY a \"&a;\">]><svg>&a;</svg>".to_owned(),
                "its entities contain",
            ),
            (
                "<!DOCTYPE svg [<!ENTITY % a \"b\"> %a;]><svg/>".to_owned(),
                "it cannot be checked: unknown token",
            ),
            (
                "<svg><g id=\"a\"><use href=\"#a\"/></g></svg>".to_owned(),
                "it refers to itself",
            ),
            (
                format!("<svg>{}</svg>", "<g/>".repeat(50_000)),
                "it cannot be checked: nodes limit reached",
            ),
            (
                format!("<svg>{}{}</svg>", "<g>".repeat(300), "</g>".repeat(300)),
                "its elements are nested more than 256 levels deep",
            ),
            (dashes, "its lines are drawn with"),
            (
                image("image/png;base64", &STANDARD.encode(png(20_000, 20_000))),
                "image inside: it has 400 million",
            ),
            (
                image("image/svg+xml", "%3Csvg/%3E"),
                "it holds an image that cannot be checked",
            ),
            (
                "<?xml-stylesheet href='data:text/css,*{fill:url(#a)}'?><svg/>".to_owned(),
                "it holds an image that cannot be checked",
            ),
            (
                "<svg><use id='a'/><set href='#a' attributeName='href' to='#b'/></svg>".to_owned(),
                "it animates references",
            ),
        ] {
            let reason = svg(&text).unwrap_or_default();
            assert!(
                reason.starts_with(expected),
                "{reason} for {}",
                &text[..text.len().min(80)]
            );
        }
        assert_eq!(
            svg(&"x".repeat(MAX_BYTES + 1)).as_deref(),
            Some("it is 1025 kB; at most 1024 kB are allowed")
        );
        assert!(
            why_refused("image/svg+xml", b"\xff\xfe<\0s\0")
                .unwrap()
                .starts_with("it is not UTF-8")
        );
    }

    #[test]
    fn no_spelling_hides_a_reference() {
        let bomb = |first: &str, use_of: &dyn Fn(usize) -> String| {
            let levels = (0..9)
                .map(|level| format!("<g id=\"l{level}\">{}</g>", use_of(level + 1).repeat(10)));
            let levels: String = levels.collect();
            format!("{first}<svg>{levels}<g id=\"l9\"><path/></g></svg>")
        };
        let simple = bomb("", &|level| format!("<use href=\"#l{level}\"/>"));
        let huge = STANDARD.encode(png(20_000, 20_000));
        let styled = |sheet: &str| {
            format!("<svg><style>{sheet}</style><pattern id='p1'><path class='a'/></pattern></svg>")
        };
        let image = |start: &str| format!("<svg><image href=\"{start}/png;base64,{huge}\"/></svg>");
        let entity =
            |value: &str, text: &str| format!("<!DOCTYPE svg [<!ENTITY d '{value}'>]>{text}");
        let shapes = "its references draw more than 100000 shapes";
        for (text, expected) in [
            (
                entity(&simple[5..simple.len() - 6], "<svg>&d;</svg>"),
                "its entities",
            ),
            (entity("&#60;g/>", "<svg>&d;</svg>"), "its entities"),
            (
                entity(
                    &"x".repeat(100_000),
                    &format!("<svg>{}</svg>", "&d;".repeat(100)),
                ),
                "its entities expand",
            ),
            (
                bomb("", &|level| format!("<use href=\"#l&#{};\"/>", 48 + level)),
                shapes,
            ),
            (
                bomb("", &|level| format!("<use href=\"#l&#x3{level};\"/>")),
                shapes,
            ),
            (
                bomb("", &|level| format!("<use href=\"#%6c&#10;{level}\"/>")),
                shapes,
            ),
            (
                bomb("", &|level| {
                    format!("<g fill=\"URL(&quot;#l{level}&quot;)\"/>")
                }),
                shapes,
            ),
            (
                bomb("<!DOCTYPE svg [<!ENTITY l '#l'>]>", &|level| {
                    format!("<use href=\"&l;{level}\"/>")
                }),
                shapes,
            ),
            (
                format!("<!DOCTYPE svg [<!-- ' -->]>{}", simple.replace("l0", "'")),
                shapes,
            ),
            (
                "<!DOCTYPE svg [<!ATTLIST use href CDATA '#a'>]><svg/>".to_owned(),
                "its document type",
            ),
            (styled(".a{--b:'}';fill:url(#p1)}"), "it refers to itself"),
            (styled("[id=' .z:']{fill:url(#p1)}"), "it refers to itself"),
            (styled(".\\61{fill:url(#p1)}"), "it refers to itself"),
            (
                styled(".z{--z:url(#p1)}.a{fill:var(--z)}"),
                "its references contain escapes",
            ),
            (
                styled("@keyframes b{from{fill:none}to{fill:url(#p1)}}"),
                "it refers to itself",
            ),
            (
                "<svg><g style=\"fill:\\75rl(#a)\"/></svg>".to_owned(),
                "its references contain escapes",
            ),
            (
                styled("<![CDATA[/*</*/.a{fill:url(#p1)}]]>"),
                "it refers to itself",
            ),
            (
                format!(
                    "<svg><style>{}{{{}}}</style></svg>",
                    vec![".a"; 100_000].join(","),
                    "fill:url(#b);".repeat(10_000)
                ),
                "its styles have more than",
            ),
            (
                "<svg><style/><style>.a{}</style><path class=\"a a\"/></svg>"
                    .replace("{}", &"{fill:url(#b)}.a".repeat(1_001)),
                "its styles have more than",
            ),
            (image("DATA:image"), "image inside"),
            (image("d&#97;t&#10;a:IMAGE"), "image inside"),
            (entity("data", &image("&d;:image")), "image inside"),
            (image("data:x"), "image inside"),
        ] {
            let reason = svg(&text).unwrap_or_default();
            assert!(reason.starts_with(expected), "{reason:?} for {text:.200}");
        }
    }

    #[test]
    fn pixels_are_counted_for_any_declared_type() {
        let jpeg =
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\x75\x30\x75\x30\x01\x01\x11\0\xff\xd9";
        let gif = b"GIF89a\x30\x75\x30\x75\0\0\0,\0\0\0\0\x10\0\x10\0\0\x02\x01\0\0;";
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x2f\x75\0\x2f\x75\0";
        for (kind, bytes) in [
            ("image/png", png(20_000, 20_000)),
            ("image/png", jpeg.to_vec()),
            ("image/gif", gif.to_vec()),
            ("image/png", webp.to_vec()),
        ] {
            let reason = why_refused(kind, &bytes).unwrap_or_default();
            assert!(
                reason.ends_with("million pixels; at most 16 million are allowed"),
                "{reason}"
            );
        }
        assert!(
            why_refused("image/png", b"<svg/>")
                .unwrap()
                .starts_with("its bytes are not a PNG")
        );
    }

    #[test]
    fn any_bytes_are_checked_without_a_panic() {
        for whole in [
            png(8, 8),
            b"GIF89a\x30\x75\x30\x75\xf7\0\0,\0\0\0\0\x10\0\x10\0\x87".to_vec(),
            b"\xff\xd8\xff\xe0\xff\xff".to_vec(),
        ] {
            for end in 0..whole.len() {
                let _ = why_refused("image/png", &whole[..end]);
            }
        }
        let text = "<!DOCTYPE svg [<!ENTITY a 'ä'>]><svg é=\"ü\" id='ß'><style>.ä{a:url(#ß)}</style><use href='#ß'/></svg>";
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let _ = svg(&text[..end]);
        }
    }
}
