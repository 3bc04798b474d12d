//! Finds files that a browser does not show (symbolic links, and files whose names are not UTF-8)
//! in the index of a Git work tree.
//!
//! `opm` reads such files, so a verdict without them could be wrong.

use catalog::Content;
use std::collections::BTreeSet;

/// Path of the index below its work tree.
pub const INDEX: &str = ".git/index";
/// Maximum size of an index in bytes; a million files fit.
pub const MAX_INDEX_BYTES: u64 = 128 << 20;

/// Offsets of the mode and the flags within an entry.
const MODE: usize = 24;
const FLAGS: usize = 60;
/// The flag of an entry that has extended flags.
const EXTENDED: u16 = 0x4000;
/// The extended flag of a file that is not in the work tree.
const SKIP_WORKTREE: u16 = 0x4000;
/// The bits of a mode that contain the file type, and the type of a symbolic link.
const FILE_TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// Returns the folder of the work tree, "" or with a final `/`, if the path is that of an index.
pub fn work_tree(path: &str) -> Option<&str> {
    let folder = path.strip_suffix(INDEX)?;
    (folder.is_empty() || folder.ends_with('/')).then_some(folder)
}

/// Paths in an index that a browser does not show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HiddenPaths {
    /// Below the work tree.
    pub links: Vec<String>,
    /// Paths that are not UTF-8, converted lossily.
    pub not_utf8: Vec<String>,
}

/// A file to add to the opened ones, or to replace one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenFile {
    pub path: String,
    pub content: Content,
    /// Whether paths below it are dropped, because they were reached through the link.
    pub hides_below: bool,
}

/// Returns the `is_requested` links and non-UTF-8 names of an index that were not opened as files.
/// `folder`: the work tree, with a final `/`.
pub fn hidden_files(
    hidden: &HiddenPaths,
    folder: &str,
    opened: &BTreeSet<&str>,
    is_requested: impl Fn(&str) -> bool,
) -> Vec<HiddenFile> {
    let link = |path: &String| {
        let path = format!("{folder}{path}");
        if opened.contains(path.as_str()) {
            return None;
        }
        let below = format!("{path}/");
        let is_folder = opened
            .range(below.as_str()..)
            .next()
            .is_some_and(|path| path.starts_with(&below));
        let content = if is_folder {
            Content::LinkToDirectory
        } else {
            Content::Unreadable(
                "it is a symbolic link in the Git index; a browser cannot follow it, but `opm` reads its target"
                    .to_owned(),
            )
        };
        Some(HiddenFile {
            path,
            content,
            hides_below: is_folder,
        })
    };
    let name = |path: &String| HiddenFile {
        path: format!("{folder}{path}"),
        content: Content::Unreadable(
            "its name is not UTF-8, so a browser cannot open it".to_owned(),
        ),
        hides_below: false,
    };
    let found = hidden
        .links
        .iter()
        .filter_map(link)
        .chain(hidden.not_utf8.iter().map(name));
    found.filter(|hidden| is_requested(&hidden.path)).collect()
}

/// Reads an index of version 2, 3 or 4 (gitformat-index(5)); `None` for anything else. Object names
/// have 20 bytes: SHA-256 repositories are not supported.
pub fn read_index(bytes: &[u8]) -> Option<HiddenPaths> {
    let word = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let version =
        word(4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let mut hidden = HiddenPaths::default();
    let (mut at, mut name) = (12, Vec::new());
    for _ in 0..word(8)? {
        let mode = word(at + MODE)?;
        let is_extended = version > 2 && half(at + FLAGS)? & EXTENDED != 0;
        let is_left_out = is_extended && half(at + FLAGS + 2)? & SKIP_WORKTREE != 0;
        let mut name_at = at + FLAGS + if is_extended { 4 } else { 2 };
        if version == 4 {
            // Version 4 stores the number of bytes to drop from the previous name.
            let (less, after) = varint(bytes, name_at)?;
            name.truncate(name.len().checked_sub(less)?);
            name_at = after;
        } else {
            name.clear();
        }
        let length = memchr::memchr(0, bytes.get(name_at..)?)?;
        name.extend_from_slice(bytes.get(name_at..name_at + length)?);
        let end = name_at + length + 1;
        // Up to version 3 an entry is padded to a multiple of 8 bytes.
        at = if version == 4 {
            end
        } else {
            at + (end - at).next_multiple_of(8)
        };
        bytes.get(..at)?;
        if is_left_out {
            continue;
        }
        match std::str::from_utf8(&name) {
            Ok(name) if mode & FILE_TYPE == LINK => hidden.links.push(name.to_owned()),
            Ok(_) => {}
            Err(_) => hidden
                .not_utf8
                .push(String::from_utf8_lossy(&name).into_owned()),
        }
    }
    // A conflict has several entries with one name.
    hidden.links.dedup();
    hidden.not_utf8.dedup();
    Some(hidden)
}

/// Decodes a number of version 4; also returns the offset after it.
fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes an index entry with the flags of its version.
    fn entry(
        version: u32,
        mode: u32,
        before: &[u8],
        name: &[u8],
        extended: Option<u16>,
    ) -> Vec<u8> {
        let mut entry = vec![0; 24];
        entry.extend(mode.to_be_bytes());
        entry.extend([0; 32]);
        let length = name.len().min(0xfff) as u16;
        entry.extend((length | if extended.is_some() { EXTENDED } else { 0 }).to_be_bytes());
        entry.extend(extended.iter().flat_map(|flags| flags.to_be_bytes()));
        if version == 4 {
            let same = before.iter().zip(name).take_while(|(a, b)| a == b).count();
            assert!(before.len() - same < 128);
            entry.push((before.len() - same) as u8);
            entry.extend(&name[same..]);
            entry.push(0);
        } else {
            entry.extend(name);
            entry.push(0);
            entry.resize(entry.len().next_multiple_of(8), 0);
        }
        entry
    }

    fn index(version: u32, entries: &[(u32, &[u8], Option<u16>)]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend((entries.len() as u32).to_be_bytes());
        let mut before: &[u8] = b"";
        for (mode, name, extended) in entries {
            bytes.extend(entry(version, *mode, before, name, *extended));
            before = name;
        }
        bytes.extend([7; 20]);
        bytes
    }

    const FILE: u32 = 0o100_644;

    #[test]
    fn every_index_version_lists_its_links() {
        for version in 2..=4 {
            let extended = (version > 2).then_some(0);
            let left_out = (version > 2).then_some(SKIP_WORKTREE);
            let mut entries: Vec<(u32, &[u8], Option<u16>)> = vec![
                (FILE, b"catalog/a.yaml", None),
                (LINK, b"catalog/b.yaml", extended),
                (LINK, b"catalog/b.yaml", extended),
                (FILE, b"catalog/caf\xe9.yaml", None),
                (LINK, b"z", None),
            ];
            if left_out.is_some() {
                entries.push((LINK, b"zz", left_out));
            }
            let hidden = read_index(&index(version, &entries)).unwrap();
            assert_eq!(hidden.links, ["catalog/b.yaml", "z"], "version {version}");
            assert_eq!(hidden.not_utf8, ["catalog/caf\u{fffd}.yaml"]);
        }
    }

    #[test]
    fn rejects_files_that_are_not_an_index() {
        let whole = index(2, &[(LINK, b"link", None)]);
        assert!((0..whole.len() - 20).all(|end| read_index(&whole[..end]).is_none()));
        assert!(read_index(&index(5, &[])).is_none());
        assert!(read_index(b"DIRC").is_none());
    }

    #[test]
    fn unseen_links_to_files_are_unreadable() {
        let bytes = index(
            2,
            &[
                (LINK, b"c/folder", None),
                (LINK, b"c/gone", None),
                (LINK, b"c/seen", None),
            ],
        );
        let opened: BTreeSet<&str> = [
            "repo/c/folder-2/x",
            "repo/c/folder/a.yaml",
            "repo/c/seen",
            "other/c/gone",
        ]
        .into_iter()
        .collect();
        let hidden = read_index(&bytes).expect("an index");
        let found = hidden_files(&hidden, "repo/", &opened, |_| true);
        let paths: Vec<_> = found
            .iter()
            .map(|found| (found.path.as_str(), found.hides_below))
            .collect();
        assert_eq!(paths, [("repo/c/folder", true), ("repo/c/gone", false)]);
        assert_eq!(found[0].content, Content::LinkToDirectory);
        assert!(
            matches!(&found[1].content, Content::Unreadable(why) if why.contains("symbolic link"))
        );
        assert_eq!(
            hidden_files(&hidden, "repo/", &opened, |path| path.ends_with("gone")).len(),
            1
        );
    }

    #[test]
    fn an_index_is_recognized_by_its_path() {
        assert_eq!(work_tree(".git/index"), Some(""));
        assert_eq!(work_tree("repo/.git/index"), Some("repo/"));
        assert_eq!(work_tree("repo.git/index"), None);
        assert_eq!(work_tree("repo/.git/modules/x/index"), None);
    }
}
