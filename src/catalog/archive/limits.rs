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
    /// Maximum ratio of unpacked size to archive size; `always_allowed` bytes are always allowed.
    pub ratio: u64,
    pub always_allowed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 100_000,
            file: 1 << 30,
            total: 2 << 30,
            ratio: 200,
            always_allowed: 64 << 20,
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
        let allowed = archive
            .saturating_mul(limits.ratio)
            .max(limits.always_allowed);
        Self {
            limits,
            files: limits.files,
            bytes: limits.total,
            allowed,
        }
    }

    /// Checks the number of files before unpacking any.
    pub fn check_file_count(&self, count: u64) -> Result<(), ArchiveError> {
        if count > self.files {
            Err(self.too_many())
        } else {
            Ok(())
        }
    }

    pub fn count_file(&mut self) -> Result<(), ArchiveError> {
        self.files = self.files.checked_sub(1).ok_or_else(|| self.too_many())?;
        Ok(())
    }

    /// Checks the size of a file whose bytes are a part of the archive.
    pub fn check_shared_size(&self, bytes: u64) -> Result<(), ArchiveError> {
        if bytes > self.limits.file {
            Err(self.too_much(bytes))
        } else {
            Ok(())
        }
    }

    /// Stores all bytes of a reader, or fails at the first limit.
    pub fn unpack<S: Store>(
        &mut self,
        store: &S,
        unpacked: &mut dyn Read,
    ) -> Result<S::Bytes, ArchiveError> {
        let limit = self.limits.file.min(self.bytes).min(self.allowed);
        let mut counted = LimitedReader {
            inner: unpacked,
            remaining: limit,
            is_over: false,
        };
        let result = store.keep(&mut counted);
        if counted.is_over {
            return Err(if limit == self.allowed {
                ArchiveError::Bomb(self.limits.ratio)
            } else {
                self.too_much(limit + 1)
            });
        }
        let unpacked_bytes = limit - counted.remaining;
        self.bytes -= unpacked_bytes;
        self.allowed -= unpacked_bytes;
        Ok(result?)
    }

    fn too_many(&self) -> ArchiveError {
        ArchiveError::TooMuch(format!("{} files", self.limits.files))
    }

    fn too_much(&self, bytes: u64) -> ArchiveError {
        let (limit, scope) = if bytes > self.limits.file {
            (self.limits.file, "in one file")
        } else {
            (self.limits.total, "in all")
        };
        ArchiveError::TooMuch(format!("{} MB {scope}", limit >> 20))
    }
}

/// A reader that ends one byte after the remaining budget.
struct LimitedReader<'r> {
    inner: &'r mut dyn Read,
    remaining: u64,
    is_over: bool,
}

impl Read for LimitedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.remaining.checked_sub(read as u64) {
            Some(remaining) => {
                self.remaining = remaining;
                Ok(read)
            }
            None => {
                self.is_over = true;
                Err(io::Error::other("too large"))
            }
        }
    }
}
