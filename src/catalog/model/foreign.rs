//! Recognizes files of other types by their first bytes, for better messages than a YAML parser's.

/// A file type that is opened as a catalog by mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignType {
    /// With its article, to follow "this is".
    pub name: &'static str,
    /// How to get a catalog from it, or rid of it.
    pub help: &'static str,
}

/// The bytes that identify a file type.
struct Signature {
    offset: usize,
    bytes: &'static [u8],
    file_type: ForeignType,
}

/// Number of bytes at the beginning of a file that [`foreign_type`] needs.
pub const NEEDED_BYTES: usize = 512;

const UNPACK: &str = "unpack it and keep its contents instead";
const REMOVE: &str = "remove it, or list it in `.indexignore`";
const MIGRATE: &str = "`opm migrate` turns an index database into a file-based catalog";

const SIGNATURES: [Signature; 18] = [
    signature(0, b"\x1f\x8b", "a gzip file", UNPACK),
    signature(0, b"\xfd7zXZ\0", "an xz file", UNPACK),
    signature(0, b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
    signature(4, b"1AY&SY", "a bzip2 file", UNPACK),
    signature(0, b"PK\x03\x04", "a zip file", UNPACK),
    signature(0, b"PK\x05\x06", "a zip file", UNPACK),
    signature(0, b"7z\xbc\xaf", "a 7z file", UNPACK),
    signature(0, b"Rar!\x1a", "a RAR file", UNPACK),
    signature(257, b"ustar", "a tar file", UNPACK),
    signature(0, b"\x89PNG", "a PNG picture", REMOVE),
    signature(0, b"\xff\xd8\xff", "a JPEG picture", REMOVE),
    signature(0, b"GIF87a", "a GIF picture", REMOVE),
    signature(0, b"GIF89a", "a GIF picture", REMOVE),
    signature(8, b"WEBP", "a WebP picture", REMOVE),
    signature(0, b"%PDF-", "a PDF document", REMOVE),
    signature(0, b"\x7fELF", "a program", REMOVE),
    signature(0, b"\0asm", "a WebAssembly program", REMOVE),
    signature(0, b"SQLite format 3\0", "an SQLite database", MIGRATE),
];

const fn signature(
    offset: usize,
    bytes: &'static [u8],
    name: &'static str,
    help: &'static str,
) -> Signature {
    Signature {
        offset,
        bytes,
        file_type: ForeignType { name, help },
    }
}

/// Returns the type of a file that begins with these bytes; `None` for text and unknown types.
pub fn foreign_type(first: &[u8]) -> Option<ForeignType> {
    if is_html(first) {
        return Some(ForeignType {
            name: "an HTML page",
            help: "download the file itself, not the page that shows it",
        });
    }
    SIGNATURES
        .iter()
        .find(|signature| {
            let text = first.get(signature.offset..);
            text.is_some_and(|text| text.starts_with(signature.bytes))
        })
        .map(|signature| signature.file_type)
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
    fn files_are_recognized_by_their_first_bytes() {
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
            assert_eq!(foreign_type(first).map(|f| f.name), what, "{first:?}");
        }
        let mut tar = vec![0; 257];
        tar.extend(b"ustar\0");
        assert_eq!(foreign_type(&tar).map(|f| f.name), Some("a tar file"));
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
