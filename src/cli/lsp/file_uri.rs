//! Converts paths to the URIs of an editor, and back.

use crate::output::percent;
use lsp_types::Uri;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// The path of a URI; `None` if it does not refer to a file, such as for an unnamed buffer.
pub(super) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // The host is empty or this machine, so skip it.
    let path = &rest[rest.find('/')?..];
    let path = path.split(['?', '#']).next()?;
    // File names cannot contain a zero byte.
    let bytes = percent::decode(path).filter(|bytes| !bytes.contains(&0))?;
    let path = as_path(bytes)?;
    Some(plain(&without_drive_slash(path)))
}

/// The URI of an absolute path; `None` if it cannot be represented.
pub(super) fn from_path(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for byte in path
        .to_str()
        .map_or_else(|| path.as_os_str().as_encoded_bytes(), str::as_bytes)
    {
        match byte {
            b'\\' if cfg!(windows) => text.push('/'),
            byte if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) => {
                text.push(char::from(*byte))
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    if !text["file://".len()..].starts_with('/') {
        text.insert("file://".len(), '/');
    }
    Uri::from_str(&text).ok()
}

/// Removes `.` and `..` without access to the disk.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

#[cfg(unix)]
fn as_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn as_path(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// `/C:/folder` means `C:/folder`.
fn without_drive_slash(path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some(text) if cfg!(windows) && text.as_bytes().get(2) == Some(&b':') => {
            PathBuf::from(&text[1..])
        }
        _ => path,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn path(uri: &str) -> Option<PathBuf> {
        to_path(&Uri::from_str(uri).ok()?)
    }

    #[test]
    fn paths_and_uris() {
        for (file, uri) in [
            ("/a/b.yaml", "file:///a/b.yaml"),
            ("/a b/ü%:.yaml", "file:///a%20b/%C3%BC%25%3A.yaml"),
            ("/v4.19~/x-1_2.json", "file:///v4.19~/x-1_2.json"),
        ] {
            assert_eq!(
                from_path(Path::new(file))
                    .map(|uri| uri.as_str().to_owned())
                    .as_deref(),
                Some(uri)
            );
            assert_eq!(path(uri), Some(PathBuf::from(file)));
        }
        assert_eq!(
            path("file://localhost/a/./b/../c"),
            Some(PathBuf::from("/a/c"))
        );
        for none in [
            "untitled:Untitled-1",
            "file:///a%zz",
            "file:///a%00b",
            "https://example.com/a",
            "file://",
        ] {
            assert_eq!(path(none), None, "{none}");
        }
    }
}
