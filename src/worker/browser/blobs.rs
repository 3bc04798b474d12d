//! Unpacks archives in the browser. Unpacked files become `Blob`s, which the browser may keep on
//! disk. A part of a blob is another blob and costs nothing.

use super::channel::post_event;
use super::now;
use super::read::read_blob;
use catalog::archive::{Limits, Packing, Store, is_archive, stem, unpack};
use js_sys::{Array, Uint8Array};
use protocol::request::InputFile;
use protocol::response::{Event, Progress};
use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File};

/// Bytes per read; each call costs half a millisecond, regardless of its size.
const CHUNK: u64 = 256 * 1024;

/// Interval of progress messages to the page.
const REPORT_MS: f64 = 100.0;

/// Files from the page, each with its `File`; `None` if the browser could not open it.
pub(super) type InputFiles = Vec<(InputFile, Option<File>)>;

/// The files of an offer and of the archives in it.
#[derive(Default)]
pub(super) struct UnpackedOffer {
    pub files: InputFiles,
    /// How the files were packed if all are from one archive.
    pub packing: Option<Packing>,
    /// Archives that cannot be opened, with the reason.
    pub refused: Vec<InputFile>,
}

/// Replaces each top-level archive by its content, in a folder with the archive's name; archives
/// inside folders remain files.
pub(super) fn unpack_all(offer: InputFiles) -> UnpackedOffer {
    let is_packed = |(offered, file): &(InputFile, Option<File>)| {
        file.is_some() && !offered.path.contains('/') && is_archive(&offered.path)
    };
    let is_alone = offer.len() == 1;
    let packed = offer
        .iter()
        .filter(|entry| is_packed(entry))
        .map(|(offered, _)| offered.size)
        .sum();
    let store = Blobs {
        total: packed,
        read: Cell::new(0),
        last_report: Cell::new(now()),
    };
    let mut result = UnpackedOffer::default();
    for entry in offer {
        if !is_packed(&entry) {
            result.files.push(entry);
            continue;
        }
        let (mut offered, file) = entry;
        let (Some(file), Some(folder)) = (file, stem(&offered.path)) else {
            continue;
        };
        // The page may have renamed its path: report the file's own name.
        let name = file.name();
        let archive: Blob = file.unchecked_into();
        let unpacked = match unpack(&store, &archive, &offered.path, &Limits::default()) {
            Ok(unpacked) => unpacked,
            Err(error) => {
                offered.unreadable = format!("`{name}` was not opened: {error}.");
                result.refused.push(offered);
                continue;
            }
        };
        result.packing = is_alone.then_some(unpacked.packing);
        for member in unpacked.members {
            let path = format!("{folder}/{}", member.path);
            let size = member.bytes.as_ref().map_or(0, |bytes| bytes.size() as u64);
            let file = member
                .bytes
                .and_then(|bytes| to_named_file(&bytes, &path).ok());
            let unreadable = String::new();
            result.files.push((
                InputFile {
                    path,
                    size,
                    modified: offered.modified,
                    unreadable,
                },
                file,
            ));
        }
    }
    result
}

fn to_named_file(bytes: &Blob, path: &str) -> Result<File, JsValue> {
    File::new_with_blob_sequence(&Array::of1(bytes), path.rsplit('/').next().unwrap_or(path))
}

/// Reads archives and reports progress. The worker receives no messages while it unpacks, but can
/// send some.
struct Blobs {
    /// Size of all archives in bytes.
    total: u64,
    read: Cell<u64>,
    /// When progress was last sent.
    last_report: Cell<f64>,
}

impl Blobs {
    fn note_read(&self, bytes: u64) {
        self.read.set(self.read.get() + bytes);
        if now() - self.last_report.get() >= REPORT_MS {
            self.last_report.set(now());
            post_event(Event::Progress(Progress {
                bytes: self.read.get().min(self.total),
                total_bytes: self.total,
                ..Progress::default()
            }));
        }
    }
}

impl Store for Blobs {
    type Bytes = Blob;
    type Reader<'a> = Reader<'a>;

    fn open(&self, bytes: &Blob) -> Reader<'_> {
        Reader {
            store: self,
            blob: bytes.clone(),
            size: bytes.size() as u64,
            position: 0,
            chunk: Vec::new(),
            chunk_start: 0,
        }
    }

    fn size(&self, bytes: &Blob) -> u64 {
        bytes.size() as u64
    }

    fn part(&self, bytes: &Blob, from: u64, len: u64) -> io::Result<Blob> {
        let end = from.saturating_add(len);
        if end > self.size(bytes) {
            return Err(io::Error::other("it is cut off"));
        }
        bytes
            .slice_with_f64_and_f64(from as f64, end as f64)
            .map_err(read_error)
    }

    fn keep(&self, bytes: &mut dyn Read) -> io::Result<Blob> {
        let parts = Array::new();
        let mut chunk = Vec::new();
        loop {
            chunk.clear();
            bytes.take(CHUNK).read_to_end(&mut chunk)?;
            if chunk.is_empty() {
                break;
            }
            parts.push(&Uint8Array::from(chunk.as_slice()));
        }
        Blob::new_with_u8_array_sequence(&parts).map_err(read_error)
    }
}

struct Reader<'s> {
    store: &'s Blobs,
    blob: Blob,
    size: u64,
    position: u64,
    chunk: Vec<u8>,
    /// Offset of `chunk` in the blob.
    chunk_start: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let buffered = self.chunk_start..self.chunk_start + self.chunk.len() as u64;
        if !buffered.contains(&self.position) {
            if self.position >= self.size {
                return Ok(0);
            }
            let end = (self.position + CHUNK).min(self.size);
            self.chunk = self
                .blob
                .slice_with_f64_and_f64(self.position as f64, end as f64)
                .and_then(|part| read_blob(&part))
                .map_err(|_| io::Error::other("it changed on disk just now"))?;
            self.chunk_start = self.position;
            self.store.note_read(end - self.position);
        }
        let unread = self
            .chunk
            .get((self.position - self.chunk_start) as usize..)
            .unwrap_or_default();
        let count = unread.len().min(into.len());
        into[..count].copy_from_slice(&unread[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Reader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or_else(|| io::Error::other("it is cut off"))?;
        Ok(self.position)
    }
}

fn read_error(error: JsValue) -> io::Error {
    let message = js_sys::Reflect::get(&error, &"message".into())
        .ok()
        .and_then(|message| message.as_string());
    io::Error::other(message.unwrap_or_else(|| "the browser could not store more data".to_owned()))
}
