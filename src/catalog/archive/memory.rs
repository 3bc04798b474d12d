//! A store in memory, for archives that are read completely.

use super::Store;
use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::rc::Rc;

/// Keeps all bytes in memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory;

/// A range of shared bytes.
#[derive(Debug, Clone)]
pub struct Part(Rc<Vec<u8>>, Range<usize>);

impl Part {
    pub fn new(bytes: Vec<u8>) -> Self {
        let all = 0..bytes.len();
        Self(Rc::new(bytes), all)
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.get(self.1.clone()).unwrap_or_default()
    }
}

impl Store for Memory {
    type Bytes = Part;
    type Reader<'a> = Cursor<Part>;

    fn open(&self, part: &Part) -> Cursor<Part> {
        Cursor::new(part.clone())
    }

    fn size(&self, part: &Part) -> u64 {
        part.1.len() as u64
    }

    fn part(&self, Part(bytes, range): &Part, from: u64, len: u64) -> io::Result<Part> {
        let start = usize::try_from(from)
            .ok()
            .and_then(|from| range.start.checked_add(from))
            .ok_or_else(cut_off)?;
        let end = usize::try_from(len)
            .ok()
            .and_then(|len| start.checked_add(len))
            .ok_or_else(cut_off)?;
        if end > range.end {
            Err(cut_off())
        } else {
            Ok(Part(bytes.clone(), start..end))
        }
    }

    fn keep(&self, bytes: &mut dyn Read) -> io::Result<Part> {
        let mut all = Vec::new();
        bytes.read_to_end(&mut all)?;
        Ok(Part::new(all))
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

fn cut_off() -> io::Error {
    io::Error::other("cut off")
}
