//! Loads files: distributes them to the indexers, or indexes them here if there are no indexers.
//! The session is unchanged until all files are done. Files may be read ahead of the `Open` that
//! needs them.

use super::blobs::{InputFiles, UnpackedOffer, unpack_all};
use super::channel::{Shared, encode_answer, post_answer, post_event};
use super::files_being_read::{Load, Loaded, OpenRequest};
use super::indexer::{IndexerMessage, Job, index};
use super::now;
use super::read::{Buffers, read_stream};
use crate::git_index;
use crate::indexing::IN_FLIGHT;
use catalog::model::{FileId, FileIndex};
use catalog::{Content, TreeEntry};
use gloo::timers::callback::Timeout;
use host::repository::{Listed, ListedFile};
use protocol::request::{InputFile, OpenMode};
use protocol::response::{AskError, Event, OperationRefusal};
use repository::layout::Place;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use web_sys::File;

/// An indexer starts in 20 to 60 ms; one that has not started within this time is considered dead.
const START_TIMEOUT_MS: u32 = 3_000;
/// The error for unread files whose reader died if no replacement can be started.
const NO_READER: &str = "The file reader stopped and could not be restarted, so some files were not read. \
                         What was open before is unchanged. Download unsaved edits, reload the page, then open the \
                         files again.";

/// Begins an open and replaces the current one. Does not reread files that were read ahead.
pub(super) fn start_open(shared: &Shared, request: u64, mode: OpenMode, files: InputFiles) {
    let ahead = shared
        .borrow_mut()
        .load
        .take_if(|load| load.open_request.is_none());
    cancel(shared);
    let UnpackedOffer {
        files,
        packing,
        refused,
    } = unpack_all(files);
    if files.is_empty() && !refused.is_empty() {
        let reasons: Vec<String> = refused.into_iter().map(|file| file.unreadable).collect();
        let refused = AskError::Refused(OperationRefusal::new(reasons.join(" ")));
        return post_answer(shared, request, Err(refused), 0.0);
    }
    if !refused.is_empty() {
        post_event(Event::ArchivesRefused { archives: refused });
    }
    let mut files: Vec<Loaded> = files
        .into_iter()
        .map(|(offered, file)| Loaded::new(offered, file))
        .collect();
    let place = match mode {
        OpenMode::Add => None,
        OpenMode::Replace | OpenMode::Reload => {
            Place::find(files.iter().map(|file| file.offered.path.as_str()))
        }
    };
    if let Some(place) = &place {
        for file in files
            .iter_mut()
            .filter(|file| place.repository_path(&file.offered.path).is_some())
        {
            file.is_listed = true;
            file.content.get_or_insert(Content::Unread);
        }
    }
    if mode == OpenMode::Reload {
        let server = shared.borrow();
        files
            .iter_mut()
            .filter(|file| !file.is_listed)
            .for_each(|file| file.reuse(&server));
    }
    let total_bytes = files.iter().map(|file| file.offered.size).sum();
    let ahead = ahead
        .filter(|ahead| mode != OpenMode::Reload && place.is_none() && ahead.is_part_of(&files));
    let number = {
        let server = &mut *shared.borrow_mut();
        let mut load = ahead.unwrap_or_else(|| Load::new(server));
        let order = load.add_missing(files);
        load.unread += load
            .files
            .iter()
            .filter(|file| file.git_index().is_some())
            .count();
        load.open_request = Some(OpenRequest {
            request,
            mode,
            place,
            packing,
            order,
            total_bytes,
        });
        let number = load.number;
        server.load = Some(load);
        number
    };
    read_ignore_files(shared, number);
    read_git_indices(shared, number);
    wait_for_indexers(shared, number);
    continue_load(shared);
}

/// Cancels an open in progress and keeps the session. The page ends the indexers.
pub(super) fn cancel(shared: &Shared) {
    end_load(shared, AskError::Cancelled);
}

/// Ends the current load; its `Open`, if any, fails with this error.
fn end_load(shared: &Shared, error: AskError) {
    let open_request = shared
        .borrow_mut()
        .load
        .take()
        .and_then(|load| load.open_request);
    if let Some(open_request) = open_request {
        post_answer(shared, open_request.request, Err(error), 0.0);
    }
}

/// Stops waiting for indexers that neither start nor fail because their script never arrives.
pub(super) fn wait_for_indexers(shared: &Shared, number: u32) {
    let shared = shared.clone();
    let give_up = move || {
        let is_late = with_load(&shared, number, |load| {
            let is_late = load.scheduler.is_only_starting();
            if is_late {
                load.scheduler.give_up_starting();
            }
            is_late
        });
        if is_late == Some(true) {
            continue_load(&shared);
        }
    };
    Timeout::new(START_TIMEOUT_MS, give_up).forget();
}

pub(super) fn indexer_added(shared: &Shared, indexer: u32) {
    if let Some(load) = &mut shared.borrow_mut().load {
        load.scheduler.add_indexer(indexer);
    }
    continue_load(shared);
}

/// Handles the death of an indexer. The page has started a replacement if that may help.
pub(super) fn indexer_lost(shared: &Shared, indexer: u32) {
    {
        let mut server = shared.borrow_mut();
        server.indexers.remove(&indexer);
        let Some(load) = &mut server.load else { return };
        if let Some(file) = load.scheduler.remove_dead(indexer) {
            let reason = "the file reader crashed on it twice";
            load.add_content(file, Content::Unreadable(reason.into()));
        }
    }
    continue_load(shared);
}

/// Handles the end of all indexers, which the page ends with each open and when it brings another
/// worker up to date.
pub(super) fn indexers_ended(shared: &Shared) {
    {
        let mut server = shared.borrow_mut();
        server.indexers.clear();
        let Some(load) = &mut server.load else { return };
        load.scheduler.requeue_all();
    }
    continue_load(shared);
}

pub(super) fn handle_message(shared: &Shared, indexer: u32, message: IndexerMessage) {
    {
        let mut server = shared.borrow_mut();
        if message == IndexerMessage::Runs
            && let Some(port) = server.indexers.get_mut(&indexer)
        {
            port.is_running = true;
        }
        let Some(load) = &mut server.load else { return };
        match message {
            IndexerMessage::Runs => load.scheduler.mark_started(indexer),
            IndexerMessage::Bytes {
                load: number,
                bytes,
            } if number == load.number => load.bytes += bytes,
            IndexerMessage::Done {
                load: number,
                file,
                bytes,
                result,
            } if number == load.number => {
                load.bytes += bytes;
                if load.scheduler.mark_done(indexer, file) {
                    load.add_content(file, to_content(result));
                }
            }
            _ => return,
        }
    }
    continue_load(shared);
}

fn to_content(result: Result<FileIndex, String>) -> Content {
    match result {
        Ok(index) => Content::Indexed(Arc::new(index)),
        Err(reason) => Content::Unreadable(reason),
    }
}

/// Calls `act` with the current load if it has this number.
fn with_load<T>(shared: &Shared, number: u32, act: impl FnOnce(&mut Load) -> T) -> Option<T> {
    let mut server = shared.borrow_mut();
    let load = server.load.as_mut().filter(|load| load.number == number);
    load.map(act)
}

/// Assigns files to indexers, or ends the load if all are done.
pub(super) fn continue_load(shared: &Shared) {
    let mut own_jobs = Vec::new();
    let mut has_suspects = false;
    let is_done = {
        let server = &mut *shared.borrow_mut();
        let Some(load) = &mut server.load else { return };
        load.report_progress();
        if load.scheduler.has_indexers() {
            for (indexer, file) in load.scheduler.assign() {
                let source = load
                    .files
                    .get(file as usize)
                    .and_then(|loaded| loaded.file.clone());
                if let (Some(port), Some(source)) = (server.indexers.get(&indexer), source) {
                    let job = Job {
                        load: load.number,
                        file,
                        source,
                    };
                    // A dead indexer's port also accepts the message; the page will report its
                    // death.
                    let _ = port.port.post_message(&job.to_message());
                }
            }
        } else {
            let remaining = load.scheduler.take_over();
            has_suspects = !remaining.suspects.is_empty();
            own_jobs = remaining
                .unread
                .into_iter()
                .filter_map(|file| {
                    let source = load.files.get(file as usize)?.file.clone()?;
                    Some(Job {
                        load: load.number,
                        file,
                        source,
                    })
                })
                .collect();
        }
        load.is_done()
    };
    if has_suspects {
        let refused = OperationRefusal::new(NO_READER);
        end_load(shared, AskError::Refused(refused));
    } else if is_done {
        finish(shared);
    } else if !own_jobs.is_empty() {
        index_here(shared, own_jobs);
    }
}

/// Reads files in the host itself, a few at a time, if there are no indexers.
fn index_here(shared: &Shared, jobs: Vec<Job>) {
    let queue = Rc::new(RefCell::new(jobs.into_iter()));
    let buffers = Rc::new(RefCell::new(Buffers::default()));
    for _ in 0..IN_FLIGHT {
        let (shared, queue, buffers) = (shared.clone(), queue.clone(), buffers.clone());
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let Some(job) = queue.borrow_mut().next() else {
                    break;
                };
                let on_bytes = |bytes| note_bytes(&shared, job.load, bytes);
                let (bytes, result) = index(&job, &buffers, on_bytes).await;
                note_bytes(&shared, job.load, bytes);
                put_content(&shared, job.load, job.file, to_content(result));
            }
        });
    }
}

fn note_bytes(shared: &Shared, number: u32, bytes: u64) {
    with_load(shared, number, |load| {
        load.bytes += bytes;
        load.report_progress();
    });
}

fn put_content(shared: &Shared, number: u32, file: u32, content: Content) {
    let is_done = with_load(shared, number, |load| {
        load.add_content(file, content);
        load.is_done()
    });
    if is_done == Some(true) {
        finish(shared);
    }
}

/// Reads `.indexignore` files, whose text is needed unparsed. They are never catalog files.
fn read_ignore_files(shared: &Shared, number: u32) {
    let files: Vec<(u32, File)> = {
        let server = shared.borrow();
        let Some(load) = &server.load else { return };
        let ignore_files = (0..)
            .zip(&load.files)
            .filter(|(_, file)| file.is_ignore_file() && !file.is_listed);
        ignore_files
            .filter_map(|(index, loaded)| Some((index, loaded.file.clone()?)))
            .collect()
    };
    for (index, file) in files {
        let shared = shared.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let content = match read_stream(&file).await {
                Ok(bytes) => Content::Ignore(bytes.into()),
                Err(failure) => Content::Unreadable(failure.to_string()),
            };
            put_content(&shared, number, index, content);
        });
    }
}

/// Reads Git indices, which contain files that the browser does not show. Ignores an unreadable
/// index.
fn read_git_indices(shared: &Shared, number: u32) {
    let indices: Vec<(String, File)> = {
        let server = shared.borrow();
        let files = server.load.iter().flat_map(|load| &load.files);
        files
            .filter_map(Loaded::git_index)
            .map(|(folder, file)| (folder.to_owned(), file.clone()))
            .collect()
    };
    for (folder, file) in indices {
        let shared = shared.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let bytes = read_stream(&file).await.unwrap_or_default();
            let is_done = with_load(&shared, number, |load| {
                load.hidden_paths
                    .push((folder, git_index::read_index(&bytes).unwrap_or_default()));
                load.unread -= 1;
                load.is_done()
            });
            if is_done == Some(true) {
                finish(&shared);
            }
        });
    }
}

fn finish(shared: &Shared) {
    let (request, answer) = {
        let server = &mut *shared.borrow_mut();
        let Some(mut load) = server.load.take() else {
            return;
        };
        let Some(open_request) = load.open_request.take() else {
            return;
        };
        load.sort_files(&open_request.order);
        load.add_hidden_files(open_request.place.as_ref());
        let (mut files, mut listed) = (Vec::new(), Vec::new());
        let mut opened: BTreeSet<FileId> = BTreeSet::new();
        for Loaded {
            offered,
            file,
            content,
            known_id,
            is_listed,
        } in load.files
        {
            let id = known_id.unwrap_or_else(|| server.host.new_file_id());
            opened.insert(id);
            if let Some(file) = file.filter(|_| known_id.is_none()) {
                server.source.add(id, offered.path.clone(), file);
            }
            let content = content.unwrap_or(Content::Unread);
            if is_listed {
                listed.push(listed_file(id, offered, content));
            } else {
                files.push(TreeEntry {
                    id,
                    path: offered.path,
                    content,
                });
            }
        }
        server.host.set_packing(
            open_request
                .packing
                .filter(|_| open_request.mode != OpenMode::Add),
        );
        let answer = match open_request.place {
            Some(place) => server
                .host
                .open_repository(open_request.mode, place, listed, files),
            None => server.host.open(open_request.mode, files),
        };
        if open_request.mode != OpenMode::Add && answer.is_ok() {
            server.source.keep_only(&opened);
            server.hidden_paths = load.hidden_paths;
        }
        (open_request.request, answer)
    };
    post_answer(shared, request, encode_answer(answer), 0.0);
}

/// Reads files ahead of their `Open`. Does nothing while another `Open` is in progress: theirs will
/// read them.
pub(super) fn read_ahead(shared: &Shared, files: InputFiles) {
    let number = {
        let server = &mut *shared.borrow_mut();
        let load = server.load.take().unwrap_or_else(|| Load::new(server));
        let load = server.load.insert(load);
        if load.open_request.is_some() {
            return;
        }
        load.append(
            files
                .into_iter()
                .map(|(offered, file)| Loaded::new(offered, file))
                .collect(),
        );
        load.number
    };
    wait_for_indexers(shared, number);
    continue_load(shared);
}

/// Discards files that were read ahead, because their `Open` will not follow.
pub(super) fn stop_reading_ahead(shared: &Shared) {
    shared
        .borrow_mut()
        .load
        .take_if(|load| load.open_request.is_none());
}

/// Adds files, all of them files of `operators`, to the open repository by name.
pub(super) fn list_files(shared: &Shared, request: u64, operators: &[String], files: InputFiles) {
    let start = now();
    let answer = {
        let server = &mut *shared.borrow_mut();
        let mut listed = Vec::with_capacity(files.len());
        let hidden = {
            let opened: BTreeSet<&str> = files
                .iter()
                .map(|(offered, _)| offered.path.as_str())
                .collect();
            let is_requested = |path: &str| {
                let operator = server.host.operator_of(path);
                operator.is_some_and(|operator| operators.contains(&operator))
            };
            let in_work_tree = |(folder, paths): &(String, git_index::HiddenPaths)| {
                git_index::hidden_files(paths, folder, &opened, is_requested)
            };
            server
                .hidden_paths
                .iter()
                .flat_map(in_work_tree)
                .collect::<Vec<_>>()
        };
        let linked_folders: Vec<String> = hidden
            .iter()
            .filter(|hidden| hidden.hides_below)
            .map(|hidden| format!("{}/", hidden.path))
            .collect();
        for (offered, file) in files {
            if linked_folders
                .iter()
                .any(|folder| offered.path.starts_with(folder))
            {
                continue;
            }
            let id = server.host.new_file_id();
            let content = match file {
                Some(file) => {
                    server.source.add(id, offered.path.clone(), file);
                    Content::Unread
                }
                None => Content::Unreadable(offered.unreadable.clone()),
            };
            listed.push(listed_file(id, offered, content));
        }
        for git_index::HiddenFile { path, content, .. } in hidden {
            let id = server.host.new_file_id();
            let offered = InputFile {
                path,
                ..InputFile::default()
            };
            listed.push(listed_file(id, offered, content));
        }
        server.host.list_files(listed)
    };
    post_answer(shared, request, encode_answer(answer), now() - start);
}

/// Describes a file for the list, depending on its content.
fn listed_file(id: FileId, offered: InputFile, content: Content) -> ListedFile {
    let listed = match content {
        _ if offered.path.ends_with('/') => Listed::Folder { id },
        Content::Unreadable(reason) => Listed::Unreadable { id, reason },
        Content::LinkToDirectory => Listed::Unreadable {
            id,
            reason: "it is a link to a folder, and a browser does not follow it".to_owned(),
        },
        _ => Listed::File {
            id,
            size: offered.size,
        },
    };
    ListedFile {
        path: offered.path,
        listed,
    }
}
