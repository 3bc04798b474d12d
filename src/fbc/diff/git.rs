//! One patch over many files, as `git apply` accepts it. Bytes are written as they are, including
//! CRLF, a byte order mark and text that is not UTF-8.

use super::hunk::Hunk;

/// The changes of one file.
#[derive(Debug, Clone, Copy)]
pub struct FilePatch<'a> {
    /// Relative to the folder in which the patch is applied, with `/`; the bytes of the name, in
    /// any encoding.
    pub path: &'a [u8],
    /// The file does not exist yet. A file is never removed: an emptied one keeps 0 bytes.
    pub is_new: bool,
    pub hunks: &'a [Hunk],
}

/// The patch. Files without change are left out.
pub fn patch(files: &[FilePatch<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.is_new || !file.hunks.is_empty())
    {
        let (old, new) = (quote_path("a/", file.path), quote_path("b/", file.path));
        out.extend_from_slice(&[b"diff --git ", &old[..], b" ", &new, b"\n"].concat());
        if file.is_new {
            out.extend_from_slice(b"new file mode 100644\n");
        }
        if file.hunks.is_empty() {
            // Git's hash of empty content; without this line git sees no patch here.
            out.extend_from_slice(b"index 0000000..e69de29\n");
            continue;
        }
        let old = if file.is_new {
            b"/dev/null".to_vec()
        } else {
            end_path(old)
        };
        out.extend_from_slice(&[b"--- ", &old[..], b"\n+++ ", &end_path(new), b"\n"].concat());
        file.hunks.iter().for_each(|hunk| hunk.write(&mut out));
    }
    out
}

/// A path as git writes it in a patch: C-quoted if it has a quote, a backslash, a control character
/// or a non-ASCII byte.
fn quote_path(prefix: &str, path: &[u8]) -> Vec<u8> {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if path.iter().all(|&byte| plain(byte)) {
        return [prefix.as_bytes(), path].concat();
    }
    let mut out = format!("\"{prefix}");
    for &byte in path {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            _ if plain(byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out.into_bytes()
}

/// A path with a blank in a `---` or `+++` line ends with a tab, because git would otherwise take
/// the rest for a date.
fn end_path(mut path: Vec<u8>) -> Vec<u8> {
    if path.contains(&b' ') && !path.starts_with(b"\"") {
        path.push(b'\t');
    }
    path
}
