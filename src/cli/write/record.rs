//! What a run is about to exchange, on disk beside the staged texts, so that the next run can put it back.

use super::staging::Staging;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Name of the record in the staging folder.
const NAME: &str = "record";
/// Its name once nothing is to be put back any more.
pub(super) const CLOSED: &str = "record.settled";

/// All that a run exchanges.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// The staging folders, on one file system each.
    pub(super) staged_in: Vec<EncodedPath>,
    pub(super) entries: Vec<Entry>,
}

/// A file, its new text and where the text before is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) place: EncodedPath,
    pub(super) staged: EncodedPath,
    /// Where the text before is kept once the exchange is made; `None`: there was no file.
    pub(super) kept: Option<EncodedPath>,
    pub(super) identity: FileIdentity,
    /// Folders that come in with the file, the outermost first.
    pub(super) folders: Vec<EncodedPath>,
}

/// What identifies a staged file, wherever it is moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileIdentity {
    number: u64,
    len: u64,
    /// Nanoseconds since 1970.
    written: u128,
}

/// A path as text, whatever its name is: bytes that are no printable ASCII, and `%`, as `%` and two digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EncodedPath(String);

impl Record {
    pub(super) fn new(staging: &Staging, entries: Vec<Entry>) -> Self {
        Self {
            staged_in: staging.folders().map(EncodedPath::of).collect(),
            entries,
        }
    }

    /// Writes the record; from here on the run can be taken back by the next.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        // It has its name when it is complete.
        let unfinished = folder.join("record.unfinished");
        let mut file = File::create(&unfinished)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&unfinished, folder.join(NAME))?;
        super::staging::flush(folder);
        Ok(())
    }

    /// `None`: nothing was exchanged, or all of it and for good.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match fs::read(folder.join(NAME)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// From here on the exchange is for good, or was taken back.
    pub(super) fn forget(folder: &Path) {
        let _ = fs::rename(folder.join(NAME), folder.join(CLOSED));
    }

    /// Whether there was a record that is forgotten.
    pub(super) fn is_closed(folder: &Path) -> bool {
        folder.join(CLOSED).exists()
    }
}

impl Entry {
    /// The place, where the new text stands there.
    pub(super) fn is_written(&self) -> Option<PathBuf> {
        let place = self.place.path();
        self.identity.stands_at(&place).then_some(place)
    }
}

impl FileIdentity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let number = 0;
        let written = metadata
            .modified()
            .ok()
            .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        Self {
            number,
            len: metadata.len(),
            written: written.map_or(0, |at| at.as_nanos()),
        }
    }

    /// Whether the staged file stands at this place.
    pub(super) fn stands_at(&self, place: &Path) -> bool {
        fs::symlink_metadata(place).is_ok_and(|metadata| Self::of(&metadata) == *self)
    }
}

impl EncodedPath {
    pub(super) fn of(path: &Path) -> Self {
        let plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'%';
        let mut text = String::new();
        for &byte in path.as_os_str().as_encoded_bytes() {
            match plain(byte) {
                true => text.push(char::from(byte)),
                false => text.push_str(&format!("%{byte:02x}")),
            }
        }
        Self(text)
    }

    pub(super) fn path(&self) -> PathBuf {
        let mut bytes = Vec::new();
        let mut rest = self.0.as_bytes();
        while let Some((&byte, behind)) = rest.split_first() {
            let code = behind
                .get(..2)
                .and_then(|digits| std::str::from_utf8(digits).ok());
            match code
                .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                .filter(|_| byte == b'%')
            {
                Some(code) => {
                    bytes.push(code);
                    rest = &behind[2..];
                }
                None => {
                    bytes.push(byte);
                    rest = behind;
                }
            }
        }
        #[cfg(unix)]
        return PathBuf::from(
            <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes),
        );
        #[cfg(not(unix))]
        return PathBuf::from(String::from_utf8_lossy(&bytes).into_owned());
    }
}
