//! The bytes of opened files, reread on demand: `FileReaderSync` over slices.
//!
//! Each call costs half a millisecond, regardless of its size, so neighboring spans of one file are read as one.

use fbc::model::FileId;
use fbc::source::bytes::{ByteSource, ReadError};
use js_sys::Uint8Array;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wasm_bindgen::JsValue;
use web_sys::{File, FileReaderSync};

/// Spans at most this many bytes apart are read in one call.
const NEAR: u64 = 64 * 1024;

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
    pub(super) fn add(&self, id: FileId, path: String, file: File) {
        let size = file.size() as u64;
        self.files
            .borrow_mut()
            .insert(id, Opened { file, path, size });
    }

    /// Forgets all files except these.
    pub(super) fn keep_only(&self, ids: &BTreeSet<FileId>) {
        self.files
            .borrow_mut()
            .retain(|known, _| ids.contains(known));
    }

    /// Whether a file is unchanged since it was opened under this id, by size and date.
    pub(super) fn is_same(&self, id: FileId, file: &File) -> bool {
        let stamp = |file: &File| (file.size(), file.last_modified());
        self.files
            .borrow()
            .get(&id)
            .is_some_and(|known| stamp(&known.file) == stamp(file))
    }

    /// Paths of files found to have changed on disk since the last call.
    pub(super) fn take_changed(&self) -> Vec<String> {
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
        // A file whose size a browser fetches late may read as different bytes without an error.
        if span.end > opened.size || opened.file.size() as u64 != opened.size {
            return Err(changed());
        }
        let read = || -> Result<Vec<u8>, JsValue> {
            let slice = opened
                .file
                .slice_with_f64_and_f64(span.start as f64, span.end as f64)?;
            Ok(
                Uint8Array::new(&FileReaderSync::new()?.read_as_array_buffer(&slice)?.into())
                    .to_vec(),
            )
        };
        match read() {
            Ok(bytes) if bytes.len() as u64 == span.end.saturating_sub(span.start) => Ok(bytes),
            // The browser's errors vary, but the file was readable when it was opened.
            _ => Err(changed()),
        }
    }
}

/// The whole file as it is on disk now.
pub(super) fn read_whole(file: &File) -> Result<Vec<u8>, String> {
    let read = || -> Result<Vec<u8>, JsValue> {
        Ok(Uint8Array::new(&FileReaderSync::new()?.read_as_array_buffer(file)?.into()).to_vec())
    };
    let bytes = read().map_err(|_| "it changed on disk just now".to_owned())?;
    if bytes.len() as f64 == file.size() {
        Ok(bytes)
    } else {
        Err("it changed on disk just now".to_owned())
    }
}

impl ByteSource for FileSource {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let mut answer = Vec::with_capacity(spans.len());
        let mut rest = spans;
        while let Some((file, first)) = rest.first() {
            let mut whole = first.clone();
            let near = rest.iter().take_while(|(other, span)| {
                let joins = other == file
                    && span.start >= whole.start
                    && span.start <= whole.end.saturating_add(NEAR);
                if joins {
                    whole.end = whole.end.max(span.end);
                }
                joins
            });
            let (group, others) = rest.split_at(near.count().max(1));
            let bytes = self.read_span(*file, whole.clone())?;
            for (_, span) in group {
                let at =
                    |offset: u64| (offset.saturating_sub(whole.start) as usize).min(bytes.len());
                answer.push(
                    bytes
                        .get(at(span.start)..at(span.end))
                        .unwrap_or_default()
                        .to_vec(),
                );
            }
            rest = others;
        }
        Ok(answer)
    }
}
