//! The files of a tar. They lie in it as they are, so that none is read to list them.

use super::limits::Budget;
use super::{Member, Refused, Store, inside};
use std::collections::HashMap;
use std::io;
use tar::{Archive, EntryType};

pub(super) fn members<S: Store>(
    store: &S,
    tar: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, Refused> {
    let mut archive = Archive::new(store.open(tar));
    let mut members: Vec<Member<S::Bytes>> = Vec::new();
    // Links by place in `members`, with what they name.
    let mut links = Vec::new();
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        let name = text(&entry.path_bytes())?;
        let kind = entry.header().entry_type();
        let path = inside(&name)?;
        let is_link = kind.is_symlink() || kind.is_hard_link();
        let is_file = kind.is_file() || kind == EntryType::Continuous;
        let Some(path) = path.filter(|_| is_link || is_file) else { continue };
        budget.file()?;
        let bytes = match is_link {
            true => {
                let target = entry.link_name_bytes().map(|name| text(&name)).transpose()?.unwrap_or_default();
                links.push((members.len(), named(&path, &target, kind.is_hard_link())));
                None
            }
            false => {
                budget.part(entry.size())?;
                Some(store.part(tar, entry.raw_file_position(), entry.size())?)
            }
        };
        members.push(Member { path, bytes });
    }
    let files: HashMap<&str, &S::Bytes> =
        members.iter().filter_map(|member| Some((member.path.as_str(), member.bytes.as_ref()?))).collect();
    let found: Vec<(usize, Option<S::Bytes>)> = links
        .into_iter()
        .map(|(at, target)| (at, target.and_then(|target| files.get(target.as_str()).map(|&bytes| bytes.clone()))))
        .collect();
    for (at, bytes) in found {
        members[at].bytes = bytes;
    }
    Ok(members)
}

/// What a link names, by its path in the archive; a hard link names it from the top.
fn named(path: &str, target: &str, is_hard: bool) -> Option<String> {
    let mut parts: Vec<&str> = if is_hard || target.starts_with('/') { Vec::new() } else { path.split('/').collect() };
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
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| io::Error::other("a path is not UTF-8"))
}
