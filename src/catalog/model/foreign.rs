//! Recognizes non-catalog files by their first bytes, for more helpful messages than a YAML
//! parser's.

/// A file type that is opened as a catalog by mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    /// With its article, to follow "this is".
    pub what: &'static str,
    /// The remedy.
    pub help: &'static str,
}

/// Number of bytes needed to recognize a file.
pub const ENOUGH: usize = 512;

const UNPACK: &str = "unpack it and keep its contents instead";
const REMOVE: &str = "remove it, or list it in `.indexignore`";
const PAGE: &str = "download the file itself, not the page that shows it";
const DATABASE: &str = "`opm migrate` turns an index database into a file-based catalog";

/// Returns the file type with these first bytes; `None` for text and unknown types.
pub fn foreign(first: &[u8]) -> Option<Foreign> {
    let (what, help) = match first {
        [0x1f, 0x8b, ..] => ("a gzip file", UNPACK),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => ("an xz file", UNPACK),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => ("a zstd file", UNPACK),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => ("a bzip2 file", UNPACK),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => ("a zip file", UNPACK),
        [b'7', b'z', 0xbc, 0xaf, ..] => ("a 7z file", UNPACK),
        [b'R', b'a', b'r', b'!', 0x1a, ..] => ("a RAR file", UNPACK),
        [0x89, b'P', b'N', b'G', ..] => ("a PNG picture", REMOVE),
        [0xff, 0xd8, 0xff, ..] => ("a JPEG picture", REMOVE),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("a GIF picture", REMOVE),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => ("a WebP picture", REMOVE),
        [b'%', b'P', b'D', b'F', b'-', ..] => ("a PDF document", REMOVE),
        [0x7f, b'E', b'L', b'F', ..] => ("a program", REMOVE),
        [0, b'a', b's', b'm', ..] => ("a WebAssembly program", REMOVE),
        _ if first.starts_with(b"SQLite format 3\0") => ("an SQLite database", DATABASE),
        _ if first.get(257..262) == Some(b"ustar") => ("a tar file", UNPACK),
        _ if is_html(first) => ("an HTML page", PAGE),
        _ => return None,
    };
    Some(Foreign { what, help })
}

fn is_html(first: &[u8]) -> bool {
    let text = first
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(first)
        .trim_ascii_start();
    ["<!doctype html", "<html"].iter().any(|tag| {
        text.get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::index_bytes;

    #[test]
    fn files_are_known_by_their_first_bytes() {
        for (first, what) in [
            (&b"\x1f\x8b\x08\0"[..], Some("a gzip file")),
            (b"\xfd7zXZ\0\0", Some("an xz file")),
            (b"\x28\xb5\x2f\xfd", Some("a zstd file")),
            (b"BZh91AY&SY", Some("a bzip2 file")),
            (b"PK\x03\x04", Some("a zip file")),
            (b"\x89PNG\r\n\x1a\n", Some("a PNG picture")),
            (b"%PDF-1.7", Some("a PDF document")),
            (b"SQLite format 3\0", Some("an SQLite database")),
            (
                b"\xEF\xBB\xBF \n<!DOCTYPE HTML><html>",
                Some("an HTML page"),
            ),
            (b"<HTML lang=en>", Some("an HTML page")),
            (b"BZh: a key", None),
            (b"schema: olm.package", None),
            (b"<svg", None),
            (b"", None),
        ] {
            assert_eq!(foreign(first).map(|f| f.what), what, "{first:?}");
        }
        let mut tar = vec![0; 257];
        tar.extend(b"ustar\0");
        assert_eq!(foreign(&tar).map(|f| f.what), Some("a tar file"));
    }

    #[test]
    fn foreign_files_are_named_with_opms_message() {
        for (bytes, what) in [
            (&b"\x1f\x8b\x08\0\0\0\0\0"[..], "a gzip file"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
            (b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n", "a PDF document"),
            (
                b"<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n",
                "an HTML page",
            ),
        ] {
            let index = index_bytes(bytes);
            let fault = &index.blobs[0].faults[0];
            assert_eq!(fault.message, format!("this is {what}, not a catalog"));
            assert!(!fault.opm.contains(what), "{}", fault.opm);
            assert!(!fault.help.is_empty());
        }
    }
}
