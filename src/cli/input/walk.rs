//! The files of a folder as `opm` finds them (`opm-semantics` 1.1): everything except directories.
//! Links to files are followed, links to directories are not.

use super::in_parallel;
use crate::error::{CliError, io_reason};
use ::catalog::TreeEntry;
use ::catalog::ignore::{FILE_NAME, IgnoreRules};
use ::catalog::index::{FileIndexer, too_long};
use ::catalog::model::{FileId, FileIndex};
use ::catalog::roots::{name_of, parent};
use ::catalog::{Content, walk_order};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Largest and smallest read buffer, in bytes.
const MAX_BUFFER: usize = 256 * 1024;
const MIN_BUFFER: usize = 4096;

/// A file of the folder, and its path on disk.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    /// Relative to the folder, with `/`.
    pub path: String,
    pub on_disk: PathBuf,
    kind: FileKind,
}

#[derive(Debug, Clone, PartialEq)]
enum FileKind {
    File,
    LinkToDirectory,
    BrokenLink,
    /// The system's error, or another reason why it is not read.
    Unreadable(String),
}

impl FoundFile {
    /// Returns why the file cannot be read, in `opm`'s words.
    pub fn obstacle(&self, folder: &Path) -> Option<String> {
        match &self.kind {
            FileKind::File => None,
            FileKind::LinkToDirectory => Some(format!(
                "read {}/{}: is a directory",
                folder.display(),
                self.path
            )),
            FileKind::BrokenLink => Some(format!("open {}: no such file or directory", self.path)),
            FileKind::Unreadable(reason) => Some(format!("open {}: {reason}", self.path)),
        }
    }
}

/// Lists all files of a folder, in walk order.
pub(crate) fn walk(folder: &Path) -> Result<Vec<FoundFile>, CliError> {
    Ok(walk_while(folder, |_| true)?.unwrap_or_default())
}

/// Like [`walk`], but stops and returns `None` if `should_continue` returns false for the number of
/// files found so far.
pub(crate) fn walk_while(
    folder: &Path,
    should_continue: impl Fn(usize) -> bool,
) -> Result<Option<Vec<FoundFile>>, CliError> {
    let path = folder.display();
    let metadata = std::fs::metadata(folder).map_err(|e| {
        cli_error!("stat {path}: {}", io_reason(&e)).hint("name the folder of one catalog")
    })?;
    if !metadata.is_dir() {
        return Err(
            cli_error!("\"{path}\" is not a directory").hint("name the folder of one catalog")
        );
    }
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let path = prefix.trim_end_matches('/').to_owned();
                found.push(FoundFile {
                    path,
                    on_disk: folder,
                    kind: FileKind::Unreadable(io_reason(&error)),
                });
                continue;
            }
        };
        for entry in entries {
            if !should_continue(found.len()) {
                return Ok(None);
            }
            let entry = entry?;
            let path = format!("{prefix}{}", name_to_text(&entry.file_name()));
            let on_disk = entry.path();
            let file_type = entry.file_type()?;
            if file_type.is_dir() {
                folders.push((on_disk, format!("{path}/")));
                continue;
            }
            let kind = if file_type.is_symlink() {
                link_kind(&on_disk)
            } else {
                file_kind(file_type)
            };
            found.push(FoundFile {
                path,
                on_disk,
                kind,
            });
        }
    }
    found.sort_by(|a, b| walk_order(&a.path, &b.path));
    let mut taken = HashSet::new();
    for file in &mut found {
        // A converted name may equal an existing one.
        while !taken.insert(file.path.clone()) {
            file.path.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Ok(should_continue(found.len()).then_some(found))
}

/// Converts a name to text, with invalid UTF-8 bytes as `\xNN`.
fn name_to_text(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Classifies a file that is not a link. Pipes and devices may block or be endless, so they are not
/// read.
#[cfg(unix)]
fn file_kind(file_type: FileType) -> FileKind {
    use std::os::unix::fs::FileTypeExt;
    let noun = if file_type.is_fifo() {
        "a pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else if file_type.is_char_device() || file_type.is_block_device() {
        "a device"
    } else {
        return FileKind::File;
    };
    FileKind::Unreadable(format!("it is {noun}, not a file, so it is not read"))
}

#[cfg(not(unix))]
fn file_kind(_file_type: FileType) -> FileKind {
    FileKind::File
}

/// Describes a file outside of a walked folder, with its name as the path.
pub(crate) fn file(path: &Path) -> FoundFile {
    let name = path
        .file_name()
        .map_or_else(|| "template".to_owned(), name_to_text);
    FoundFile {
        path: name,
        on_disk: path.to_path_buf(),
        kind: FileKind::File,
    }
}

/// Inserts a file that is not on disk yet, in walk order. Does nothing if it is listed.
pub(crate) fn add(found: &mut Vec<FoundFile>, folder: &Path, path: String) {
    let index = found.partition_point(|other| walk_order(&other.path, &path) == Ordering::Less);
    if found.get(index).is_none_or(|other| other.path != path) {
        let on_disk = folder.join(&path);
        found.insert(
            index,
            FoundFile {
                path,
                on_disk,
                kind: FileKind::File,
            },
        );
    }
}

/// Indexes all files, streamed, several at a time. Ignored files are not read.
pub(crate) fn index(found: &[FoundFile]) -> Vec<TreeEntry> {
    index_until(found, |_| None, None).unwrap_or_default()
}

/// Like [`index`], but does not read a file whose content `cached` returns. `None` if the deadline
/// is missed.
pub(crate) fn index_until(
    found: &[FoundFile],
    cached: impl Fn(&FoundFile) -> Option<Content>,
    deadline: Option<Instant>,
) -> Option<Vec<TreeEntry>> {
    let mut contents: Vec<Option<Content>> = vec![None; found.len()];
    let mut rules = IgnoreRules::default();
    for (file, content) in found.iter().zip(&mut contents) {
        if name_of(&file.path) == FILE_NAME && file.kind == FileKind::File {
            let ignore_file = match cached(file) {
                Some(cached) => cached,
                None => match std::fs::read(&file.on_disk) {
                    Ok(bytes) => Content::Ignore(bytes.into()),
                    Err(error) => Content::Unreadable(io_reason(&error)),
                },
            };
            // The catalog reports a line that is too long. The patterns before it apply here, too.
            if let Content::Ignore(bytes) = &ignore_file {
                let _ = rules.add(parent(&file.path), bytes);
            }
            *content = Some(ignore_file);
        }
    }
    let mut to_read = Vec::new();
    for (index, file) in found.iter().enumerate() {
        let content = &mut contents[index];
        match &file.kind {
            _ if content.is_some() => {}
            FileKind::LinkToDirectory => *content = Some(Content::LinkToDirectory),
            FileKind::BrokenLink => *content = Some(Content::BrokenLink),
            FileKind::Unreadable(reason) => *content = Some(Content::Unreadable(reason.clone())),
            FileKind::File if rules.ignores(&file.path) => *content = Some(Content::Unread),
            FileKind::File => match cached(file) {
                None => to_read.push(index),
                cached => *content = cached,
            },
        }
    }
    let read_contents = in_parallel(&to_read, |&index| {
        match index_file(&found[index].on_disk, deadline) {
            Ok(index) => Content::Indexed(Arc::new(index)),
            Err(error) => Content::Unreadable(io_reason(&error)),
        }
    });
    for (index, content) in to_read.into_iter().zip(read_contents) {
        contents[index] = Some(content);
    }
    if is_past(deadline) {
        return None;
    }
    let entries = found
        .iter()
        .zip(contents)
        .enumerate()
        .map(|(index, (file, content))| TreeEntry {
            id: FileId(index as u32),
            path: file.path.clone(),
            content: content.unwrap_or(Content::Unread),
        })
        .collect();
    Some(entries)
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() > deadline)
}

/// Indexes a file. Does not read it after the deadline; the caller then discards the result.
fn index_file(path: &Path, deadline: Option<Instant>) -> io::Result<FileIndex> {
    if is_past(deadline) {
        return Ok(FileIndexer::new().finish());
    }
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    if let Some(reason) = too_long(len) {
        return Err(io::Error::other(reason));
    }
    let mut buffer = vec![0; (len as usize + 1).clamp(MIN_BUFFER, MAX_BUFFER)];
    let mut indexer = FileIndexer::new();
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(indexer.finish()),
            Ok(n) => indexer.feed(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn link_kind(link: &Path) -> FileKind {
    match std::fs::metadata(link) {
        Ok(metadata) if metadata.is_dir() => FileKind::LinkToDirectory,
        Ok(metadata) => file_kind(metadata.file_type()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => FileKind::BrokenLink,
        Err(error) => FileKind::Unreadable(io_reason(&error)),
    }
}

/// Decodes the percent escapes of a text; `None` if one is invalid.
pub(crate) fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => u8::try_from(hex_digit(bytes.next())? * 16 + hex_digit(bytes.next())?).ok()?,
            byte => byte,
        });
    }
    Some(out)
}

fn hex_digit(byte: Option<u8>) -> Option<u32> {
    char::from(byte?).to_digit(16)
}

#[cfg(test)]
mod tests {
    use super::percent_decode;

    #[test]
    fn escapes_are_removed() {
        assert_eq!(
            percent_decode("a%20b/%C3%bC+").as_deref(),
            Some("a b/ü+".as_bytes())
        );
        assert_eq!(percent_decode("%00%ff"), Some(vec![0, 255]));
        for wrong in ["%", "%2", "%zz", "a%+1"] {
            assert_eq!(percent_decode(wrong), None, "{wrong}");
        }
    }
}
