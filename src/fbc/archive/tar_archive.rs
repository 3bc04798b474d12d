//! The files of a tar. They are stored uncompressed, so listing reads none of them.

use super::limits::Budget;
use super::{ArchiveError, Member, Store, inside};
use std::collections::HashMap;
use std::io;
use tar::{Archive, EntryType};

pub(super) fn members<S: Store>(
    store: &S,
    tar: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    check_names(store, tar)?;
    let mut archive = Archive::new(store.open(tar));
    let mut members: Vec<Member<S::Bytes>> = Vec::new();
    // Links by index into `members`, with their targets.
    let mut links = Vec::new();
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        let name = text(&entry.path_bytes())?;
        let kind = entry.header().entry_type();
        let path = inside(&name)?;
        let is_link = kind.is_symlink() || kind.is_hard_link();
        let is_file = kind.is_file() || kind == EntryType::Continuous;
        let Some(path) = path.filter(|_| is_link || is_file) else {
            continue;
        };
        budget.file()?;
        let bytes = match is_link {
            true => {
                let target = entry
                    .link_name_bytes()
                    .map(|name| text(&name))
                    .transpose()?
                    .unwrap_or_default();
                links.push((
                    members.len(),
                    link_target(&path, &target, kind.is_hard_link()),
                ));
                None
            }
            false => {
                budget.part(entry.size())?;
                Some(store.part(tar, entry.raw_file_position(), entry.size())?)
            }
        };
        members.push(Member { path, bytes });
    }
    let files: HashMap<&str, &S::Bytes> = members
        .iter()
        .filter_map(|member| Some((member.path.as_str(), member.bytes.as_ref()?)))
        .collect();
    let found: Vec<(usize, Option<S::Bytes>)> = links
        .into_iter()
        .map(|(at, target)| {
            (
                at,
                target.and_then(|target| files.get(target.as_str()).map(|&bytes| bytes.clone())),
            )
        })
        .collect();
    for (at, bytes) in found {
        members[at].bytes = bytes;
    }
    Ok(members)
}

/// Maximum size of the extended headers before a file, which are read at once.
const NAME: u64 = 1 << 20;

/// Checks the sizes of long names and attributes: the reader loads each completely.
fn check_names<S: Store>(store: &S, tar: &S::Bytes) -> Result<(), ArchiveError> {
    let mut archive = Archive::new(store.open(tar));
    for entry in archive.entries_with_seek()?.raw(true) {
        let entry = entry?;
        let kind = entry.header().entry_type();
        let is_name = kind.is_gnu_longname() || kind.is_gnu_longlink();
        let is_attributes = kind.is_pax_local_extensions() || kind.is_pax_global_extensions();
        if (is_name || is_attributes) && entry.size() > NAME {
            return Err(ArchiveError::TooMuch(format!(
                "{} MB in the name of one file",
                NAME >> 20
            )));
        }
    }
    Ok(())
}

/// Whether these are the first bytes of a tar: the first header's checksum matches, or it is an
/// empty tar's end.
pub(super) fn is_tar(first: &[u8]) -> bool {
    let Some(header) = first.get(..512) else {
        return false;
    };
    if header.iter().all(|byte| *byte == 0) {
        return true;
    }
    let octal: String = header[148..156]
        .iter()
        .map(|&b| char::from(b))
        .filter(char::is_ascii_digit)
        .collect();
    let sum = |byte: fn(u8) -> i64| -> i64 {
        let blanks = 8 * i64::from(b' ');
        header[..148]
            .iter()
            .chain(&header[156..])
            .map(|&b| byte(b))
            .sum::<i64>()
            + blanks
    };
    // Old writers added signed bytes.
    i64::from_str_radix(&octal, 8)
        .is_ok_and(|stored| stored == sum(i64::from) || stored == sum(|b| i64::from(b as i8)))
}

/// The target of a link as a path in the archive; hard links are relative to the top.
fn link_target(path: &str, target: &str, is_hard: bool) -> Option<String> {
    let mut parts: Vec<&str> = if is_hard || target.starts_with('/') {
        Vec::new()
    } else {
        path.split('/').collect()
    };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn text(bytes: &[u8]) -> io::Result<String> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| io::Error::other("a path is not UTF-8"))
}
