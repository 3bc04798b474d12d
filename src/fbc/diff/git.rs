//! One patch over many files, as `git apply` takes it. Bytes are written as they are: CRLF, a byte order mark and text
//! that is no UTF-8 included.

use super::hunk::Hunk;

/// The changes of one file.
#[derive(Debug, Clone, Copy)]
pub struct FilePatch<'a> {
    /// Relative to the folder in which the patch will be applied, with `/`; the bytes of the name, of any encoding.
    pub path: &'a [u8],
    /// The file does not exist yet. A file is never removed: one that was emptied is left with 0 bytes.
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
        let (old, new) = (quoted("a/", file.path), quoted("b/", file.path));
        out.extend_from_slice(&[b"diff --git ", &old[..], b" ", &new, b"\n"].concat());
        if file.is_new {
            out.extend_from_slice(b"new file mode 100644\n");
        }
        if file.hunks.is_empty() {
            // What git names the content of an empty file by; without this line it sees no patch here.
            out.extend_from_slice(b"index 0000000..e69de29\n");
            continue;
        }
        let old = if file.is_new {
            b"/dev/null".to_vec()
        } else {
            ended(old)
        };
        out.extend_from_slice(&[b"--- ", &old[..], b"\n+++ ", &ended(new), b"\n"].concat());
        file.hunks.iter().for_each(|hunk| hunk.write(&mut out));
    }
    out
}

/// A path as git writes it in a patch: in C quotes when it has a quote, a backslash, a control character or anything that
/// is no ASCII.
fn quoted(prefix: &str, path: &[u8]) -> Vec<u8> {
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

/// A path in a `---` or `+++` line ends with a tab where it holds a blank, or what follows the blank would be taken for a
/// date.
fn ended(mut path: Vec<u8>) -> Vec<u8> {
    if path.contains(&b' ') && !path.starts_with(b"\"") {
        path.push(b'\t');
    }
    path
}
