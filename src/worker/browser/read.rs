//! Reads files in the browser: streams them in chunks through one reused buffer, and rereads spans
//! of opened files.
//!
//! Reading each file as a whole `ArrayBuffer` would produce as much garbage as the tree is large.

use crate::indexing::MAX_WHOLE;
use catalog::model::FileId;
use catalog::source::{ByteSource, ReadError};
use futures::channel::oneshot;
use futures::future::{Either, select};
use gloo::timers::callback::Interval;
use js_sys::{ArrayBuffer, Function, Reflect, Uint8Array};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, File, FileReaderSync, ReadableStreamByobReader, ReadableStreamGetReaderOptions,
    ReadableStreamReaderMode,
};

/// Size of a buffer. The browser fills about 64 kB at a time, whatever the buffer's size.
const BUFFER: u32 = 256 * 1024;
/// A read that takes longer than this (up to twice as long) has stalled, which happens rarely; the
/// rest is then read as a whole.
const STALL_MS: u32 = 5_000;

/// Spans at most this many bytes apart are read in one call.
const MAX_GAP: u64 = 64 * 1024;

/// Why a file could not be read to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReadFailure {
    /// Its size differs from the offered one.
    #[error("it changed on disk while it was read")]
    Changed,
    #[error("{0}")]
    Browser(String),
}

impl From<JsValue> for ReadFailure {
    fn from(error: JsValue) -> Self {
        let text = |key: &str| {
            Reflect::get(&error, &key.into())
                .ok()
                .and_then(|value| value.as_string())
        };
        // The browser's error for a file whose size or date has changed.
        if text("name").as_deref() == Some("NotReadableError") {
            return ReadFailure::Changed;
        }
        ReadFailure::Browser(text("message").unwrap_or_else(|| "unknown error".into()))
    }
}

/// Buffers, reused from file to file.
#[derive(Default)]
pub(super) struct Buffers {
    free: Vec<ArrayBuffer>,
    scratch: Vec<u8>,
}

/// Passes a file to `feed` in chunks, and checks that it has the offered size. Stops once `feed`
/// returns false.
pub(super) async fn stream(
    buffers: &RefCell<Buffers>,
    file: &File,
    mut feed: impl FnMut(&[u8]) -> bool,
) -> Result<(), ReadFailure> {
    let size = file.size() as u64;
    if size <= MAX_WHOLE {
        // A stream and its timer cost more than the bytes of a small file.
        feed(&read_stream(file).await?);
        return Ok(());
    }
    let mut fed = 0;
    let mut wants_more = true;
    let mut take = |chunk: &Uint8Array| -> bool {
        let length = chunk.length() as usize;
        let buffers = &mut *buffers.borrow_mut();
        if buffers.scratch.len() < length {
            buffers.scratch.resize(length, 0);
        }
        let bytes = &mut buffers.scratch[..length];
        chunk.copy_to(bytes);
        wants_more = feed(bytes);
        fed += length as u64;
        wants_more
    };
    let streamed = match byob_reader(file) {
        Some(reader) => {
            let buffer = buffers
                .borrow_mut()
                .free
                .pop()
                .unwrap_or_else(|| ArrayBuffer::new(BUFFER));
            let end = pump(&reader, buffer, &mut take).await?;
            match end {
                PumpEnd::Done(buffer) => {
                    buffers.borrow_mut().free.push(buffer);
                    true
                }
                PumpEnd::Stalled | PumpEnd::Enough => {
                    // The result of cancelling does not matter.
                    let _ = reader.cancel();
                    false
                }
            }
        }
        None => false,
    };
    if !wants_more {
        return Ok(());
    }
    if !streamed {
        let rest = file.slice_with_f64(fed as f64)?;
        let bytes = Uint8Array::new(&JsFuture::from(rest.array_buffer()).await?);
        fed += u64::from(bytes.length());
        feed(&bytes.to_vec());
    }
    if fed == size {
        Ok(())
    } else {
        Err(ReadFailure::Changed)
    }
}

enum PumpEnd {
    Done(ArrayBuffer),
    Stalled,
    /// `feed` needs no more bytes.
    Enough,
}

async fn pump(
    reader: &ReadableStreamByobReader,
    mut buffer: ArrayBuffer,
    take: &mut impl FnMut(&Uint8Array) -> bool,
) -> Result<PumpEnd, ReadFailure> {
    let watch = ReadWatch::begin();
    let mut stalled = watch.stalled;
    loop {
        let read = JsFuture::from(reader.read_with_array_buffer_view(&Uint8Array::new(&buffer)));
        let step = match select(read, stalled).await {
            Either::Left((step, still)) => {
                stalled = still;
                step?
            }
            Either::Right(_) => return Ok(PumpEnd::Stalled),
        };
        watch.reads.set(watch.reads.get() + 1);
        if let Ok(chunk) = Reflect::get(&step, &"value".into())?.dyn_into::<Uint8Array>() {
            // The browser returns the same memory as a new buffer.
            buffer = chunk.buffer();
            if chunk.length() > 0 && !take(&chunk) {
                return Ok(PumpEnd::Enough);
            }
        }
        if Reflect::get(&step, &"done".into())?.is_truthy() {
            return Ok(PumpEnd::Done(buffer));
        }
    }
}

/// Detects a stalled read. Uses one timer for all reads of a file, because one timer per read would
/// cost as much as the reads.
struct ReadWatch {
    reads: Rc<Cell<u64>>,
    /// Fires once a read has taken longer than [`STALL_MS`].
    stalled: oneshot::Receiver<()>,
    _timer: Interval,
}

impl ReadWatch {
    fn begin() -> Self {
        let reads = Rc::new(Cell::new(0));
        let (sender, stalled) = oneshot::channel();
        let (mut sender, mut last_reads, current_reads) = (Some(sender), 0, reads.clone());
        let timer = Interval::new(STALL_MS, move || {
            if last_reads == current_reads.get()
                && let Some(sender) = sender.take()
            {
                // The receiver is gone once the reads have ended.
                let _ = sender.send(());
            }
            last_reads = current_reads.get();
        });
        Self {
            reads,
            stalled,
            _timer: timer,
        }
    }
}

/// Returns a BYOB reader; `None` if the browser lacks them.
fn byob_reader(file: &File) -> Option<ReadableStreamByobReader> {
    let options = ReadableStreamGetReaderOptions::new();
    options.set_mode(ReadableStreamReaderMode::Byob);
    let stream = file.stream();
    let get: Function = Reflect::get(&stream, &"getReader".into())
        .ok()?
        .dyn_into()
        .ok()?;
    Some(get.call1(&stream, &options).ok()?.unchecked_into())
}

pub(super) async fn read_stream(file: &File) -> Result<Vec<u8>, ReadFailure> {
    let bytes = Uint8Array::new(&JsFuture::from(file.array_buffer()).await?).to_vec();
    if bytes.len() as f64 == file.size() {
        Ok(bytes)
    } else {
        Err(ReadFailure::Changed)
    }
}

/// Files by id. An id always refers to the same bytes; a file that is opened again gets a new id.
#[derive(Default)]
pub(super) struct FileSource {
    files: RefCell<BTreeMap<FileId, Opened>>,
    changed: RefCell<BTreeSet<String>>,
}

struct Opened {
    file: File,
    path: String,
    size: u64,
}

impl FileSource {
    pub fn add(&self, id: FileId, path: String, file: File) {
        let size = file.size() as u64;
        self.files
            .borrow_mut()
            .insert(id, Opened { file, path, size });
    }

    /// Drops all files except these.
    pub fn keep_only(&self, ids: &BTreeSet<FileId>) {
        self.files
            .borrow_mut()
            .retain(|known, _| ids.contains(known));
    }

    /// Whether a file has the size and date with which it was opened under this id.
    pub fn is_same(&self, id: FileId, file: &File) -> bool {
        let stamp = |file: &File| (file.size(), file.last_modified());
        self.files
            .borrow()
            .get(&id)
            .is_some_and(|known| stamp(&known.file) == stamp(file))
    }

    /// Returns the paths of files found to have changed on disk since the last call.
    pub fn take_changed(&self) -> Vec<String> {
        std::mem::take(&mut *self.changed.borrow_mut())
            .into_iter()
            .collect()
    }

    fn read_span(&self, id: FileId, span: Range<u64>) -> Result<Vec<u8>, ReadError> {
        let files = self.files.borrow();
        let Some(opened) = files.get(&id) else {
            return Err(ReadError::Failed {
                path: format!("file {}", id.0),
                reason: "it is not open".into(),
            });
        };
        let changed = || {
            self.changed.borrow_mut().insert(opened.path.clone());
            ReadError::Changed {
                path: opened.path.clone(),
            }
        };
        // In a browser that fetches the size late, a changed file may return different bytes
        // without an error.
        if span.end > opened.size || opened.file.size() as u64 != opened.size {
            return Err(changed());
        }
        let read = opened
            .file
            .slice_with_f64_and_f64(span.start as f64, span.end as f64)
            .and_then(|slice| read_blob(&slice));
        match read {
            Ok(bytes) if bytes.len() as u64 == span.end.saturating_sub(span.start) => Ok(bytes),
            // The browser's errors vary, but the file was readable when it was opened.
            _ => Err(changed()),
        }
    }
}

pub(super) fn read_blob(blob: &Blob) -> Result<Vec<u8>, JsValue> {
    Ok(Uint8Array::new(&FileReaderSync::new()?.read_as_array_buffer(blob)?.into()).to_vec())
}

/// Reads the current content of a whole file.
pub(super) fn read_whole(file: &File) -> Result<Vec<u8>, String> {
    read_blob(file)
        .ok()
        .filter(|bytes| bytes.len() as f64 == file.size())
        .ok_or_else(|| "it changed on disk just now".to_owned())
}

impl ByteSource for FileSource {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let mut parts = Vec::with_capacity(spans.len());
        let mut remaining = spans;
        while let Some((file, first)) = remaining.first() {
            let mut joined = first.clone();
            let near = remaining.iter().take_while(|(other, span)| {
                let is_near = other == file
                    && span.start >= joined.start
                    && span.start <= joined.end.saturating_add(MAX_GAP);
                if is_near {
                    joined.end = joined.end.max(span.end);
                }
                is_near
            });
            let (group, others) = remaining.split_at(near.count().max(1));
            let bytes = self.read_span(*file, joined.clone())?;
            for (_, span) in group {
                let index =
                    |offset: u64| (offset.saturating_sub(joined.start) as usize).min(bytes.len());
                let part = bytes.get(index(span.start)..index(span.end));
                parts.push(part.unwrap_or_default().to_vec());
            }
            remaining = others;
        }
        Ok(parts)
    }
}
