//! Limits of an unpacked archive.

use super::{ArchiveError, Store};
use std::io::{self, Read};

/// The limits for opening an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub files: u64,
    /// Maximum bytes of one file, and of all files.
    pub file: u64,
    pub total: u64,
    /// Maximum ratio of unpacked size to archive size; `matters` bytes are always allowed.
    pub ratio: u64,
    pub matters: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 100_000,
            file: 1 << 30,
            total: 2 << 30,
            ratio: 200,
            matters: 64 << 20,
        }
    }
}

/// The files and bytes that may still be unpacked.
pub struct Budget<'l> {
    limits: &'l Limits,
    files: u64,
    bytes: u64,
    /// The bytes allowed by the ratio.
    allowed: u64,
}

impl<'l> Budget<'l> {
    pub fn new(limits: &'l Limits, archive: u64) -> Self {
        let allowed = archive.saturating_mul(limits.ratio).max(limits.matters);
        Self {
            limits,
            files: limits.files,
            bytes: limits.total,
            allowed,
        }
    }

    /// Checks the number of files before unpacking any.
    pub fn files(&self, count: u64) -> Result<(), ArchiveError> {
        if count > self.files {
            Err(self.too_many())
        } else {
            Ok(())
        }
    }

    /// Counts another file.
    pub fn file(&mut self) -> Result<(), ArchiveError> {
        self.files = self.files.checked_sub(1).ok_or_else(|| self.too_many())?;
        Ok(())
    }

    /// Checks a file that shares bytes with the archive.
    pub fn part(&self, bytes: u64) -> Result<(), ArchiveError> {
        if bytes > self.limits.file {
            Err(self.too_much(bytes))
        } else {
            Ok(())
        }
    }

    /// Unpacks to the end, or fails at the first limit.
    pub fn keep<S: Store>(
        &mut self,
        store: &S,
        unpacked: &mut dyn Read,
    ) -> Result<S::Bytes, ArchiveError> {
        let most = self.limits.file.min(self.bytes).min(self.allowed);
        let mut counted = Counted {
            inner: unpacked,
            left: most,
            is_over: false,
        };
        let kept = store.keep(&mut counted);
        if counted.is_over {
            return Err(if most == self.allowed {
                ArchiveError::Bomb(self.limits.ratio)
            } else {
                self.too_much(most + 1)
            });
        }
        let taken = most - counted.left;
        self.bytes -= taken;
        self.allowed -= taken;
        Ok(kept?)
    }

    fn too_many(&self) -> ArchiveError {
        ArchiveError::TooMuch(format!("{} files", self.limits.files))
    }

    fn too_much(&self, bytes: u64) -> ArchiveError {
        let (most, what) = match bytes > self.limits.file {
            true => (self.limits.file, "in one file"),
            false => (self.limits.total, "in all"),
        };
        ArchiveError::TooMuch(format!("{} MB {what}", most >> 20))
    }
}

/// A reader that ends one byte after the remaining budget.
struct Counted<'r> {
    inner: &'r mut dyn Read,
    left: u64,
    is_over: bool,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => {
                self.left = left;
                Ok(read)
            }
            None => {
                self.is_over = true;
                Err(io::Error::other("too large"))
            }
        }
    }
}
