//! Loading files: distributed to the indexers, or indexed here if there are none, until all are done. What was open
//! stays unchanged until then.

use super::blobs::unpacked;
use super::channel::{Server, Shared, post, post_answer};
use super::indexer::{Failure, IndexerMessage, Job, index};
use super::list_files::as_listed;
use super::read::{Buffers, whole};
use super::run_first_open::NO_LOAD;
use crate::archive::Packing;
use crate::git_index::{self, HiddenPaths};
use crate::index_scheduler::{IN_FLIGHT, IndexScheduler};
use crate::repository::ListedFile;
use fbc::catalog::Content;
use fbc::model::FileId;
use fbc::repository::place::Place;
use fbc::workspace::NewFile;
use gloo::timers::callback::Timeout;
use protocol::request::{InputFile, OpenMode};
use protocol::{Response, ResponseBody};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use web_sys::File;

/// The page hears of the progress at most this often.
const REPORT_MS: f64 = 50.0;

/// An indexer starts in 20 to 60 ms; one that has not after so long is not counted on.
const STARTED_BY_MS: u32 = 3_000;

/// An open in progress.
pub(super) struct Load {
    number: u32,
    /// The request that it will answer.
    request: u64,
    mode: OpenMode,
    /// The repository that files are of; those are opened by name.
    place: Option<Place>,
    /// How all of it was packed, if it came from one archive.
    packing: Option<Packing>,
    files: Vec<Loaded>,
    scheduler: IndexScheduler,
    /// Files whose content is not known yet, and indices of Git that are not read yet.
    left: usize,
    /// Folders of work trees with what their indices name.
    indices: Vec<(String, HiddenPaths)>,
    bytes: u64,
    total_bytes: u64,
    last_report: f64,
}

struct Loaded {
    offered: InputFile,
    file: Option<File>,
    content: Option<Content>,
    /// Its original bytes, where they are known from before.
    known_as: Option<FileId>,
    /// It is of a repository, and read when something asks for it.
    is_listed: bool,
}

impl Loaded {
    /// What did not change on disk is not read again.
    fn reuse(&mut self, server: &Server) {
        let Some(file) = &self.file else { return };
        let known = server.host.as_on_disk(&self.offered.path);
        // What could not be read is tried again.
        let is_read = |known: &NewFile| matches!(known.content, Content::Indexed(_) | Content::Ignore(_));
        if let Some(known) = known.filter(|known| is_read(known) && server.source.is_same(known.id, file)) {
            self.content = Some(known.content);
            self.known_as = Some(known.id);
        }
    }

    /// The folder of the work tree whose index this is.
    fn index_of(&self) -> Option<(&str, &File)> {
        let folder = git_index::work_tree(&self.offered.path).filter(|_| self.offered.size <= git_index::MOST_BYTES)?;
        Some((folder, self.file.as_ref()?))
    }

    fn is_ignore_file(&self) -> bool {
        self.offered.path.rsplit('/').next() == Some(".indexignore")
    }
}

/// Begins an open in place of one that is under way.
pub(super) fn begin(shared: &Shared, request: u64, mode: OpenMode, files: Vec<(InputFile, Option<File>)>) {
    end_with_cancelled(shared);
    let (files, packing) = match unpacked(files) {
        Ok(unpacked) => unpacked,
        Err(message) => return post_answer(shared, request, ResponseBody::Failed { message }, 0.0),
    };
    let mut files: Vec<Loaded> = files
        .into_iter()
        .map(|(offered, file)| {
            let content = file.is_none().then(|| not_opened(&offered));
            Loaded { offered, file, content, known_as: None, is_listed: false }
        })
        .collect();
    let place = match mode {
        OpenMode::Add => None,
        OpenMode::Replace | OpenMode::Reload => Place::find(files.iter().map(|file| file.offered.path.as_str())),
    };
    if let Some(place) = &place {
        for file in files.iter_mut().filter(|file| place.inside(&file.offered.path).is_some()) {
            file.is_listed = true;
            file.content.get_or_insert(Content::Unread);
        }
    }
    if mode == OpenMode::Reload {
        let server = shared.borrow();
        files.iter_mut().filter(|file| !file.is_listed).for_each(|file| file.reuse(&server));
    }
    let number = {
        let mut server = shared.borrow_mut();
        server.loads += 1;
        let number = server.loads;
        let to_index = (0..).zip(&files).filter(|(_, file)| file.content.is_none() && !file.is_ignore_file());
        let mut scheduler = IndexScheduler::new(to_index.map(|(index, file)| (index, file.offered.size)));
        for (&indexer, line) in &server.indexers {
            match line.runs {
                true => scheduler.started(indexer),
                false => scheduler.add_indexer(indexer),
            }
        }
        server.load = Some(Load {
            number,
            request,
            mode,
            place,
            packing,
            scheduler,
            left: files.iter().filter(|file| file.content.is_none()).count()
                + files.iter().filter(|file| file.index_of().is_some()).count(),
            indices: Vec::new(),
            bytes: 0,
            total_bytes: files.iter().map(|file| file.offered.size).sum(),
            last_report: 0.0,
            files,
        });
        number
    };
    read_ignore_files(shared, number);
    read_git_indices(shared, number);
    wait_for_indexers(shared, number);
    go_on(shared);
}

/// Ends an open in progress; what was open before stays. The page ends the indexers, which are at work for nothing.
pub(super) fn cancel(shared: &Shared) {
    end_with_cancelled(shared);
}

fn end_with_cancelled(shared: &Shared) {
    end_with(shared, ResponseBody::Cancelled);
}

/// Ends the load that is under way with this answer.
fn end_with(shared: &Shared, answer: ResponseBody) {
    let load = shared.borrow_mut().load.take();
    if let Some(load) = load {
        post_answer(shared, load.request, answer, 0.0);
    }
}

/// An indexer that can neither start nor fail to (its script does not come) is not waited for.
fn wait_for_indexers(shared: &Shared, number: u32) {
    let shared = shared.clone();
    let look = move || {
        let is_late = {
            let mut server = shared.borrow_mut();
            let load = server.load.as_mut().filter(|load| load.number == number && load.scheduler.only_starts());
            load.map(|load| load.scheduler.give_up_starting()).is_some()
        };
        if is_late {
            go_on(&shared);
        }
    };
    Timeout::new(STARTED_BY_MS, look).forget();
}

pub(super) fn indexer_added(shared: &Shared, indexer: u32) {
    if let Some(load) = &mut shared.borrow_mut().load {
        load.scheduler.add_indexer(indexer);
    }
    go_on(shared);
}

/// An indexer died. The page has started another in its place, as long as it thinks that this helps.
pub(super) fn indexer_lost(shared: &Shared, indexer: u32) {
    {
        let mut server = shared.borrow_mut();
        server.indexers.remove(&indexer);
        let Some(load) = &mut server.load else { return };
        if let Some(file) = load.scheduler.lost(indexer) {
            load.put(file, deadly());
        }
    }
    go_on(shared);
}

/// The page ends the indexers with each open, and when it brings another worker up to date.
pub(super) fn indexers_ended(shared: &Shared) {
    {
        let mut server = shared.borrow_mut();
        server.indexers.clear();
        let Some(load) = &mut server.load else { return };
        load.scheduler.ended();
    }
    go_on(shared);
}

/// Handles an indexer's message.
pub(super) fn hear(shared: &Shared, indexer: u32, message: IndexerMessage) {
    {
        let mut server = shared.borrow_mut();
        if message == IndexerMessage::Runs
            && let Some(line) = server.indexers.get_mut(&indexer)
        {
            line.runs = true;
        }
        if matches!(&message, IndexerMessage::Done { load: NO_LOAD, .. }) {
            server.warmed_files += 1;
            return;
        }
        let Some(load) = &mut server.load else { return };
        match message {
            IndexerMessage::Runs => load.scheduler.started(indexer),
            IndexerMessage::Bytes { load: number, bytes } if number == load.number => load.bytes += bytes,
            IndexerMessage::Done { load: number, file, index } if number == load.number => {
                if load.scheduler.done(indexer, file) {
                    load.put(file, Content::Indexed(Arc::new(index)));
                }
            }
            IndexerMessage::Failed { load: number, file, failure } if number == load.number => {
                if load.scheduler.done(indexer, file) {
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

    fn report_progress(&mut self) {
        let now = js_sys::Date::now();
        if now - self.last_report < REPORT_MS {
            return;
        }
        self.last_report = now;
        let body = ResponseBody::Progress {
            bytes: self.bytes.min(self.total_bytes),
            total_bytes: self.total_bytes,
            files: self.files.len().saturating_sub(self.left) as u32,
            total_files: self.files.len() as u32,
        };
        post(&Response::unasked(body));
    }
}

fn not_opened(offered: &InputFile) -> Content {
    let why = Some(&offered.unreadable).filter(|why| !why.is_empty());
    Content::Unreadable(why.cloned().unwrap_or_else(|| "the browser could not open it".into()))
}

fn unreadable(failure: Failure) -> Content {
    Content::Unreadable(match failure {
        Failure::Changed => "it changed on disk while it was read".into(),
        Failure::Unreadable(words) => words,
    })
}

/// The error for files whose reader died when no replacement can be started: their content is unknown.
const NO_READER: &str = "The file reader stopped and could not be restarted, so some files were not read. \
                         What was open before is unchanged. Download unsaved edits, reload the page, then open the \
                         files again.";

fn deadly() -> Content {
    Content::Unreadable("the file reader crashed on it twice".into())
}

/// Deals what can be dealt, or ends the load.
fn go_on(shared: &Shared) {
    let mut own = Vec::new();
    let mut are_unreported = false;
    let is_done = {
        let server = &mut *shared.borrow_mut();
        let Some(load) = &mut server.load else { return };
        load.report_progress();
        if load.scheduler.has_indexers() {
            for (indexer, file) in load.scheduler.assign() {
                let source = load.files.get(file as usize).and_then(|loaded| loaded.file.clone());
                if let (Some(line), Some(source)) = (server.indexers.get(&indexer), source) {
                    let job = Job { load: load.number, file, source };
                    // A port to a dead indexer accepts it too; the page will report the death.
                    let _ = line.port.post_message(&job.to_message());
                }
            }
        } else {
            let left = load.scheduler.take_over();
            are_unreported = !left.suspects.is_empty();
            own = left
                .unread
                .into_iter()
                .filter_map(|file| {
                    let source = load.files.get(file as usize)?.file.clone()?;
                    Some(Job { load: load.number, file, source })
                })
                .collect();
        }
        load.left == 0
    };
    if are_unreported {
        end_with(shared, ResponseBody::Failed { message: NO_READER.to_owned() });
    } else if is_done {
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
                    IndexerMessage::Failed { failure, .. } => unreadable(failure),
                    IndexerMessage::Done { index, .. } => Content::Indexed(Arc::new(index)),
                    IndexerMessage::Bytes { .. } | IndexerMessage::Runs => continue,
                };
                put_content(&shared, job.load, job.file, content);
            }
        });
    }
}

fn note_bytes(shared: &Shared, number: u32, bytes: u64) {
    if let Some(load) = shared.borrow_mut().load.as_mut().filter(|load| load.number == number) {
        load.bytes += bytes;
        load.report_progress();
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
        let is_asked = |file: &Loaded| file.is_ignore_file() && !file.is_listed;
        let ignore_files = (0..).zip(&load.files).filter(|(_, file)| is_asked(file));
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

/// What a browser does not show of a work tree, its index does. An unreadable one shows nothing.
fn read_git_indices(shared: &Shared, number: u32) {
    let indices: Vec<(String, File)> = {
        let server = shared.borrow();
        let files = server.load.iter().flat_map(|load| &load.files);
        files.filter_map(Loaded::index_of).map(|(folder, file)| (folder.to_owned(), file.clone())).collect()
    };
    for (folder, file) in indices {
        let shared = shared.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let bytes = whole(&file).await.unwrap_or_default();
            let is_done = {
                let mut server = shared.borrow_mut();
                let Some(load) = server.load.as_mut().filter(|load| load.number == number) else { return };
                load.indices.push((folder, git_index::read_index(&bytes).unwrap_or_default()));
                load.left -= 1;
                load.left == 0
            };
            if is_done {
                finish(&shared);
            }
        });
    }
}

impl Load {
    /// Adds the links that the browser did not show.
    fn add_hidden_files(&mut self) {
        let found: Vec<git_index::HiddenFile> = {
            let opened: BTreeSet<&str> = self.files.iter().map(|file| file.offered.path.as_str()).collect();
            // Links of an operator of which only names are known are found with its files.
            let operator_of = |path: &str| self.place.as_ref().and_then(|place| place.operator_of(path));
            let is_named = opened.iter().any(|path| path.ends_with('/'));
            let whole: BTreeSet<String> = opened
                .iter()
                .filter(|path| is_named && !path.ends_with('/'))
                .filter_map(|path| operator_of(path))
                .collect();
            let wanted = |path: &str| !is_named || operator_of(path).is_none_or(|operator| whole.contains(&operator));
            let of_index =
                |(folder, named): &(String, HiddenPaths)| git_index::hidden_files(named, folder, &opened, wanted);
            self.indices.iter().flat_map(of_index).collect()
        };
        for git_index::HiddenFile { path, content, hides_below } in found {
            if hides_below {
                let below = format!("{path}/");
                self.files.retain(|file| !file.offered.path.starts_with(&below));
            }
            let offered = InputFile { path, size: 0, modified: 0, unreadable: String::new() };
            let is_listed = self.place.as_ref().is_some_and(|place| place.inside(&offered.path).is_some());
            self.files.push(Loaded { offered, file: None, content: Some(content), known_as: None, is_listed });
        }
    }
}

fn finish(shared: &Shared) {
    let (request, answer) = {
        let server = &mut *shared.borrow_mut();
        let Some(mut load) = server.load.take() else { return };
        load.add_hidden_files();
        let (mut files, mut listed) = (Vec::new(), Vec::new());
        let mut opened: BTreeSet<FileId> = BTreeSet::new();
        for Loaded { offered, file, content, known_as, is_listed } in load.files {
            let id = known_as.unwrap_or_else(|| server.host.new_file_id());
            opened.insert(id);
            if let Some(file) = file.filter(|_| known_as.is_none()) {
                server.source.add(id, offered.path.clone(), file);
            }
            let content = content.unwrap_or(Content::Unread);
            match is_listed {
                true => {
                    let content = as_listed(id, &offered, content);
                    listed.push(ListedFile { path: offered.path, listed: content });
                }
                false => files.push(NewFile { id, path: offered.path, content }),
            }
        }
        server.host.set_packing(load.packing.filter(|_| load.mode != OpenMode::Add));
        let answer = match load.place {
            Some(place) => server.host.open_repository(load.mode, place, listed, files),
            None => server.host.open(load.mode, files),
        };
        let is_open = matches!(answer, ResponseBody::Opened(_) | ResponseBody::Replayed { .. });
        if load.mode != OpenMode::Add && is_open {
            server.source.keep_only(&opened);
            server.links = load.indices;
        }
        (load.request, answer)
    };
    post_answer(shared, request, answer, 0.0);
}
