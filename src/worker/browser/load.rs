//! Files on their way in: dealt to the indexers, or indexed here where there are none, until all are there. What was
//! open stays as it is until then.

use super::blobs::unpacked;
use super::channel::{Shared, post, post_answer};
use super::indexer::{Failure, Job, Told, index};
use super::read::{Buffers, whole};
use crate::fbc::catalog::Content;
use crate::fbc::workspace::NewFile;
use crate::protocol::request::{OfferedFile, OpenMode};
use crate::protocol::{Response, ResponseBody};
use crate::worker::archive::Packing;
use crate::worker::dealer::{Dealer, IN_FLIGHT};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use web_sys::File;

/// The page hears of the progress at most this often.
const TELL_MS: f64 = 50.0;

/// An open in progress.
pub(super) struct Load {
    number: u32,
    /// The request that it will answer.
    request: u64,
    mode: OpenMode,
    /// How all of it was packed, where it came from one archive.
    packing: Option<Packing>,
    files: Vec<Loaded>,
    dealer: Dealer,
    /// Files whose content is not known yet.
    left: usize,
    bytes: u64,
    total_bytes: u64,
    told: f64,
}

struct Loaded {
    offered: OfferedFile,
    file: Option<File>,
    content: Option<Content>,
}

impl Loaded {
    fn is_ignore_file(&self) -> bool {
        self.offered.path.rsplit('/').next() == Some(".indexignore")
    }
}

/// Begins an open in place of one that is under way.
pub(super) fn begin(shared: &Shared, request: u64, mode: OpenMode, files: Vec<(OfferedFile, Option<File>)>) {
    end_with_cancelled(shared);
    let (files, packing) = match unpacked(files) {
        Ok(unpacked) => unpacked,
        Err(message) => return post_answer(shared, request, ResponseBody::Failed { message }, 0.0),
    };
    let files: Vec<Loaded> = files
        .into_iter()
        .map(|(offered, file)| {
            let content = file.is_none().then(|| Content::Unreadable("the browser could not open it".into()));
            Loaded { offered, file, content }
        })
        .collect();
    let number = {
        let mut server = shared.borrow_mut();
        server.loads += 1;
        let number = server.loads;
        let to_index = (0..).zip(&files).filter(|(_, file)| file.content.is_none() && !file.is_ignore_file());
        let mut dealer = Dealer::new(to_index.map(|(index, file)| (index, file.offered.size)));
        for &indexer in server.indexers.keys() {
            dealer.add_indexer(indexer);
        }
        server.load = Some(Load {
            number,
            request,
            mode,
            packing,
            dealer,
            left: files.iter().filter(|file| file.content.is_none()).count(),
            bytes: 0,
            total_bytes: files.iter().map(|file| file.offered.size).sum(),
            told: 0.0,
            files,
        });
        number
    };
    read_ignore_files(shared, number);
    go_on(shared);
}

/// Ends an open in progress; what was open before stays. The page ends the indexers, which are at work for nothing.
pub(super) fn cancel(shared: &Shared) {
    if end_with_cancelled(shared) {
        shared.borrow_mut().indexers.clear();
    }
}

fn end_with_cancelled(shared: &Shared) -> bool {
    let load = shared.borrow_mut().load.take();
    let Some(load) = load else { return false };
    post_answer(shared, load.request, ResponseBody::Cancelled, 0.0);
    true
}

pub(super) fn indexer_added(shared: &Shared, indexer: u32) {
    if let Some(load) = &mut shared.borrow_mut().load {
        load.dealer.add_indexer(indexer);
    }
    go_on(shared);
}

/// An indexer died. The page has started another in its place, as long as it thinks that this helps.
pub(super) fn indexer_lost(shared: &Shared, indexer: u32) {
    {
        let mut server = shared.borrow_mut();
        server.indexers.remove(&indexer);
        let Some(load) = &mut server.load else { return };
        if let Some(file) = load.dealer.lost(indexer) {
            load.put(file, deadly());
        }
    }
    go_on(shared);
}

/// An indexer says something.
pub(super) fn hear(shared: &Shared, indexer: u32, told: Told) {
    {
        let mut server = shared.borrow_mut();
        let Some(load) = &mut server.load else { return };
        match told {
            Told::Bytes { load: number, bytes } if number == load.number => load.bytes += bytes,
            Told::Done { load: number, file, index } if number == load.number => {
                if load.dealer.done(indexer, file) {
                    load.put(file, Content::Indexed(Arc::new(index)));
                }
            }
            Told::Failed { load: number, file, failure } if number == load.number => {
                if load.dealer.done(indexer, file) {
                    load.put(file, unreadable(failure));
                }
            }
            _ => return,
        }
    }
    go_on(shared);
}

impl Load {
    fn put(&mut self, file: u32, content: Content) {
        if let Some(loaded) = self.files.get_mut(file as usize)
            && loaded.content.is_none()
        {
            loaded.content = Some(content);
            self.left -= 1;
        }
    }

    fn tell_progress(&mut self) {
        let now = js_sys::Date::now();
        if now - self.told < TELL_MS {
            return;
        }
        self.told = now;
        let body = ResponseBody::Progress {
            bytes: self.bytes.min(self.total_bytes),
            total_bytes: self.total_bytes,
            files: (self.files.len() - self.left) as u32,
            total_files: self.files.len() as u32,
        };
        post(&Response::unasked(body));
    }
}

fn unreadable(failure: Failure) -> Content {
    Content::Unreadable(match failure {
        Failure::Changed => "it changed on disk while it was read".into(),
        Failure::Unreadable(words) => words,
    })
}

fn deadly() -> Content {
    Content::Unreadable("reading it ended the reader twice".into())
}

/// Deals what can be dealt, or ends the load.
fn go_on(shared: &Shared) {
    let mut own = Vec::new();
    let is_done = {
        let server = &mut *shared.borrow_mut();
        let Some(load) = &mut server.load else { return };
        load.tell_progress();
        if load.dealer.has_indexers() {
            for (indexer, file) in load.dealer.deal() {
                let source = load.files.get(file as usize).and_then(|loaded| loaded.file.clone());
                if let (Some(line), Some(source)) = (server.indexers.get(&indexer), source) {
                    let job = Job { load: load.number, file, source };
                    // A port to a dead indexer takes it too; the page will tell of the death.
                    let _ = line.port.post_message(&job.to_message());
                }
            }
        } else {
            let (waiting, suspects) = load.dealer.take_over();
            for file in suspects {
                load.put(file, deadly());
            }
            own = waiting
                .into_iter()
                .filter_map(|file| {
                    let source = load.files.get(file as usize)?.file.clone()?;
                    Some(Job { load: load.number, file, source })
                })
                .collect();
        }
        load.left == 0
    };
    if is_done {
        finish(shared);
    } else if !own.is_empty() {
        index_here(shared, own);
    }
}

/// Without indexers the host reads the files itself, a few at a time.
fn index_here(shared: &Shared, jobs: Vec<Job>) {
    let queue = Rc::new(RefCell::new(jobs.into_iter()));
    let buffers = Rc::new(RefCell::new(Buffers::default()));
    for _ in 0..IN_FLIGHT {
        let (shared, queue, buffers) = (shared.clone(), queue.clone(), buffers.clone());
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let Some(job) = queue.borrow_mut().next() else { break };
                let on_bytes = |bytes| note_bytes(&shared, job.load, bytes);
                let content = match index(&job, &buffers, on_bytes).await {
                    Told::Failed { failure, .. } => unreadable(failure),
                    Told::Done { index, .. } => Content::Indexed(Arc::new(index)),
                    Told::Bytes { .. } => continue,
                };
                put_content(&shared, job.load, job.file, content);
            }
        });
    }
}

fn note_bytes(shared: &Shared, number: u32, bytes: u64) {
    if let Some(load) = shared.borrow_mut().load.as_mut().filter(|load| load.number == number) {
        load.bytes += bytes;
        load.tell_progress();
    }
}

fn put_content(shared: &Shared, number: u32, file: u32, content: Content) {
    if let Some(load) = shared.borrow_mut().load.as_mut().filter(|load| load.number == number) {
        load.put(file, content);
    }
    let is_done = shared.borrow().load.as_ref().is_some_and(|load| load.number == number && load.left == 0);
    if is_done {
        finish(shared);
    }
}

/// The text of an `.indexignore` is needed as it is; it is never a catalog file.
fn read_ignore_files(shared: &Shared, number: u32) {
    let files: Vec<(u32, File)> = {
        let server = shared.borrow();
        let Some(load) = &server.load else { return };
        let ignore_files = (0..).zip(&load.files).filter(|(_, file)| file.is_ignore_file());
        ignore_files.filter_map(|(index, loaded)| Some((index, loaded.file.clone()?))).collect()
    };
    for (index, file) in files {
        let shared = shared.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let content = match whole(&file).await {
                Ok(bytes) => Content::Ignore(bytes.into()),
                Err(failure) => unreadable(failure.into()),
            };
            put_content(&shared, number, index, content);
        });
    }
}

fn finish(shared: &Shared) {
    let (request, answer) = {
        let server = &mut *shared.borrow_mut();
        let Some(load) = server.load.take() else { return };
        let mut first = None;
        let mut files = Vec::with_capacity(load.files.len());
        for Loaded { offered, file, content } in load.files {
            let id = server.host.new_file_id();
            first.get_or_insert(id);
            if let Some(file) = file {
                server.source.add(id, offered.path.clone(), file);
            }
            let content = content.unwrap_or(Content::Unread);
            files.push(NewFile { id, path: offered.path, content });
        }
        server.host.set_packing(load.packing.filter(|_| load.mode != OpenMode::Add));
        let answer = server.host.open(load.mode, files);
        if load.mode != OpenMode::Add
            && let Some(first) = first
        {
            server.source.forget_before(first);
        }
        // The page ends the indexers once it has the answer, and starts others for the next open.
        server.indexers.clear();
        (load.request, answer)
    };
    post_answer(shared, request, answer, 0.0);
}
