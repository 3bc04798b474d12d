//! Reads files while the page still lists the rest: it sends them as it finds them. Their `Open` takes over what was
//! read; an `Open` of other files starts anew.

use super::channel::{Shared, post_event};
use super::files_being_read::{Load, Loaded};
use super::load;
use crate::first_lanes;
use fbc::workspace::NewFile;
use protocol::request::InputFile;
use protocol::response::Event;
use web_sys::File;

/// Minimum of bytes found, and of bytes still unread at the end of the listing, to send first lanes: smaller loads
/// finish too soon for them to be seen.
const MANY_FOUND: u64 = 2 << 20;
const MANY_LEFT: u64 = 8 << 20;

/// Progress of the first lanes: an image of the first package to be in view.
#[derive(Default)]
pub(super) enum FirstLanes {
    #[default]
    NotBegun,
    /// Waiting for these files.
    Of(Vec<u32>),
    /// Sent, or there are none.
    Done,
}

/// Adds files of a coming `Open`. If another open is in progress, they wait for their own.
pub(super) fn take(shared: &Shared, files: impl Iterator<Item = (InputFile, Option<File>)>) {
    let number = {
        let server = &mut *shared.borrow_mut();
        let load = match server.load.take() {
            None => Load::new(server),
            Some(load) => load,
        };
        let load = server.load.insert(load);
        if load.open_request.is_some() {
            return;
        }
        load.append(
            files
                .map(|(offered, file)| Loaded::new(offered, file))
                .collect(),
        );
        load.begin_with_first_lanes();
        load.number
    };
    load::wait_for_indexers(shared, number);
    load::go_on(shared);
}

/// Discards the files read ahead; their `Open` will not come.
pub(super) fn stop(shared: &Shared) {
    shared
        .borrow_mut()
        .load
        .take_if(|load| load.open_request.is_none());
}

impl Load {
    /// Schedules the files of the first package to be in view before others.
    fn begin_with_first_lanes(&mut self) {
        if matches!(self.first_lanes, FirstLanes::NotBegun) {
            let first =
                first_lanes::first_files(self.files.iter().map(|file| file.offered.path.as_str()));
            if !first.is_empty() {
                self.first_lanes = FirstLanes::Of(first.into_iter().map(|at| at as u32).collect());
            }
        }
        if let FirstLanes::Of(first) = &self.first_lanes {
            self.scheduler.put_first(first);
        }
    }

    /// The files of the first package, once their content is known. `None` for a small load.
    fn take_first_files(&mut self) -> Option<Vec<usize>> {
        let FirstLanes::Of(first) = &self.first_lanes else {
            return None;
        };
        let first: Vec<usize> = first.iter().map(|&at| at as usize).collect();
        let is_known = |&at: &usize| {
            self.files
                .get(at)
                .is_some_and(|file| file.content.is_some())
        };
        if !first.iter().all(is_known) {
            return None;
        }
        let left = self
            .files
            .iter()
            .filter(|file| self.open_request.is_none() || file.content.is_none());
        let bytes: u64 = left.map(|file| file.offered.size).sum();
        if bytes
            < if self.open_request.is_none() {
                MANY_FOUND
            } else {
                MANY_LEFT
            }
        {
            return None;
        }
        self.first_lanes = FirstLanes::Done;
        Some(first)
    }
}

/// Sends the lanes of the first package to be in view, once its files are read.
pub(super) fn show_first_lanes(shared: &Shared) {
    let drawn = {
        let server = &mut *shared.borrow_mut();
        let Some(load) = &mut server.load else { return };
        let Some(first) = load.take_first_files() else {
            return;
        };
        let mut files = Vec::with_capacity(first.len());
        for at in first {
            let Some(loaded) = load.files.get_mut(at) else {
                return;
            };
            let (Some(content), Some(file)) = (&loaded.content, &loaded.file) else {
                continue;
            };
            let id = *loaded.known_as.get_or_insert_with(|| {
                let id = server.host.new_file_id();
                server
                    .source
                    .add(id, loaded.offered.path.clone(), file.clone());
                id
            });
            files.push(NewFile {
                id,
                path: loaded.offered.path.clone(),
                content: content.clone(),
            });
        }
        first_lanes::first_lanes(server.source.clone(), files)
    };
    if let Some(first_lanes::FirstLanes { package, svg }) = drawn {
        post_event(Event::FirstLanes { package, svg });
    }
}
