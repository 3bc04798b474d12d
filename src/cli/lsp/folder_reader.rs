//! Reads the files of a catalog folder on a separate thread. The folder of an open file may be a home or system folder,
//! so there are limits; only regular files are read.

use crate::input::disk::{Stamp, Texts, stamp_of};
use crate::input::walk::{self, FoundFile};
use fbc::catalog::Content;
use fbc::ignore::FILE_NAME as IGNORE_FILE;
use fbc::index::index_bytes;
use fbc::workspace::NewFile;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits for a folder that the user did not name. Catalogs have up to a few thousand files and 350 MB.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 512 << 20;
const MAX_TIME: Duration = Duration::from_secs(20);
/// Most bytes of a file that is kept as text without being indexed.
const MAX_TEXT: u64 = 64 << 20;

/// The content of each file, valid while its version stays the same.
pub(super) type KnownFiles = BTreeMap<PathBuf, (Version, Content)>;

/// The source of a content.
#[derive(Debug, Clone)]
pub(super) enum Version {
    Buffer(Arc<str>),
    OnDisk(Stamp),
}

impl Version {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Version::Buffer(a), Version::Buffer(b)) => Arc::ptr_eq(a, b) || a == b,
            (Version::OnDisk(a), Version::OnDisk(b)) => a == b,
            _ => false,
        }
    }
}

/// A folder to read.
pub(super) struct FolderReader {
    pub(super) folder: PathBuf,
    /// The editor's buffers for files in the folder.
    pub(super) texts: Texts,
    pub(super) known: KnownFiles,
    /// The user named the folder, so it is read without limits.
    pub(super) is_named: bool,
}

/// The content of a folder.
pub(super) struct FolderContent {
    pub(super) found: Vec<FoundFile>,
    pub(super) entries: Vec<NewFile>,
    pub(super) texts: Texts,
    pub(super) known: KnownFiles,
}

/// Why a folder was not read.
pub(super) enum NotRead {
    /// It exceeds a limit, described as in "it has more than 3 files".
    TooLarge(String),
    Failed(String),
}

impl FolderReader {
    pub(super) fn read(self) -> Result<FolderContent, NotRead> {
        let until = (!self.is_named).then(|| Instant::now() + MAX_TIME);
        let too_slow = || {
            let seconds = MAX_TIME.as_secs();
            NotRead::TooLarge(format!("reading it takes more than {seconds} s"))
        };
        let is_late = || until.is_some_and(|until| Instant::now() > until);
        let most_files = if self.is_named { usize::MAX } else { MAX_FILES };
        let Some(mut found) =
            walk::walk_while(&self.folder, |files| files <= most_files && !is_late())
                .map_err(|error| NotRead::Failed(error.message()))?
        else {
            return Err(match is_late() {
                true => too_slow(),
                false => NotRead::TooLarge(format!("it has more than {MAX_FILES} files")),
            });
        };
        for path in self.texts.keys() {
            walk::add(&mut found, &self.folder, path.clone());
        }
        let mut versions = BTreeMap::new();
        let mut bytes = 0;
        for file in &found {
            let version = match self.texts.get(&file.path) {
                Some(text) => Version::Buffer(text.clone()),
                None => match stamp_of(&file.on_disk) {
                    Some(stamp) => {
                        bytes += stamp.0;
                        Version::OnDisk(stamp)
                    }
                    None => continue,
                },
            };
            versions.insert(file.on_disk.clone(), version);
        }
        if !self.is_named && bytes > MAX_BYTES {
            let megabytes = MAX_BYTES >> 20;
            return Err(NotRead::TooLarge(format!(
                "it has more than {megabytes} MiB"
            )));
        }
        let known = |file: &FoundFile| {
            let version = versions.get(&file.on_disk)?;
            let text = match version {
                Version::Buffer(text) => text,
                // A device file, or one of the kernel, may report size zero and have no end.
                Version::OnDisk((0, _)) => "",
                Version::OnDisk(_) => {
                    let known = self.known.get(&file.on_disk);
                    let known = known.filter(|(known, _)| known.is_same(version));
                    return known.map(|(_, content)| content.clone());
                }
            };
            if file.path.rsplit('/').next() == Some(IGNORE_FILE) {
                return Some(Content::Ignore(text.as_bytes().into()));
            }
            let known = self.known.get(&file.on_disk);
            match known.filter(|(known, _)| known.is_same(version)) {
                Some((_, content)) => Some(content.clone()),
                None => Some(Content::Indexed(Arc::new(index_bytes(text.as_bytes())))),
            }
        };
        let entries = walk::index_until(&found, known, until).ok_or_else(too_slow)?;
        let indexed = found
            .iter()
            .zip(&entries)
            .filter(|(_, entry)| matches!(entry.content, Content::Indexed(_)));
        let known = indexed.filter_map(|(file, entry)| {
            let version = versions.get(&file.on_disk)?.clone();
            Some((file.on_disk.clone(), (version, entry.content.clone())))
        });
        Ok(FolderContent {
            known: known.collect(),
            found,
            entries,
            texts: self.texts,
        })
    }
}

/// The text of a file of ordinary size; `None` for devices, pipes and sockets.
pub(super) fn read_text(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_TEXT {
        return None;
    }
    if metadata.len() == 0 {
        return Some(String::new());
    }
    let bytes = std::fs::read(path).ok()?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Some(String::from_utf8_lossy(bytes).into_owned())
}
