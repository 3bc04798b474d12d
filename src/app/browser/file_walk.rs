//! The result of a walk: files with their paths, and unreadable items.

use super::file_tree::{AT_ONCE, Node, error_message, sort_out};
use super::listings::Listings;
use futures::future::{join, join_all};
use std::collections::VecDeque;
use web_sys::File;

/// The browser's name for a file while it is being written, before it replaces the original.
const UNFINISHED: &str = ".crswap";

/// A file, and its path within the opened items: with `/`, starting with the opened folder's name.
#[derive(Debug, Clone)]
pub struct PickedFile {
    pub path: String,
    pub file: File,
}

/// The result of a walk.
#[derive(Debug, Clone, Default)]
pub struct FileWalk {
    /// Ordered by path.
    pub files: Vec<PickedFile>,
    /// Unreadable paths with the browser's message.
    pub unreadable: Vec<(String, String)>,
}

/// Number of folders listed at once before the first file is found.
const AT_FIRST: usize = 8;

/// Callbacks of a walk in progress.
pub(super) struct WalkObserver<'f> {
    /// Called with the number of files found so far; once it returns false, the walk ends.
    pub(super) goes_on: &'f dyn Fn(usize) -> bool,
    /// Called with readable files as they are found.
    pub(super) files: &'f dyn Fn(&[PickedFile]),
}

impl WalkObserver<'_> {
    /// No callbacks.
    pub(super) const NONE: Self = Self {
        goes_on: &|_| true,
        files: &|_| {},
    };
}

impl FileWalk {
    /// Adds these files, and everything in these folders, in order. False: the walk was ended.
    pub(super) async fn add(
        &mut self,
        folders: Vec<(String, Node)>,
        files: Vec<(String, Node)>,
        listings: &Listings,
        hears: &WalkObserver<'_>,
    ) -> bool {
        let (mut folders, mut files) = (VecDeque::from(folders), VecDeque::from(files));
        while !folders.is_empty() || !files.is_empty() {
            let found = self.files.len() + files.len();
            if !(hears.goes_on)(found) {
                return false;
            }
            // Browser requests have a high latency but run in parallel; the first files are needed
            // soon.
            let at_once = if self.files.is_empty() {
                AT_FIRST
            } else {
                AT_ONCE
            };
            let to_list: Vec<_> = folders.drain(..folders.len().min(at_once)).collect();
            let to_open: Vec<_> = files.drain(..files.len().min(AT_ONCE)).collect();
            let goes_on = |more: usize| (hears.goes_on)(found + more);
            let listed = join_all(
                to_list
                    .iter()
                    .map(|(path, folder)| listings.children(path, folder, &goes_on)),
            );
            let (listed, ()) = join(listed, self.open(to_open, hears)).await;
            let (mut inner, mut outer) = (Vec::new(), Vec::new());
            for ((path, _), children) in to_list.into_iter().zip(listed) {
                match children {
                    Ok(children) => {
                        for (name, child) in children {
                            sort_out((format!("{path}/{name}"), child), &mut inner, &mut outer);
                        }
                    }
                    Err(error) => self.unreadable.push((path, error_message(&error))),
                }
            }
            folders.extend(inner);
            files.extend(outer);
        }
        (hears.goes_on)(self.files.len())
    }

    /// Converts listed entries to files.
    async fn open(&mut self, mut listed: Vec<(String, Node)>, hears: &WalkObserver<'_>) {
        listed.retain(|(path, _)| !path.ends_with(UNFINISHED));
        let has_usable_name = |(path, _): &(String, Node)| {
            !path.ends_with('/') && !path.contains(char::REPLACEMENT_CHARACTER)
        };
        let (listed, nameless): (Vec<_>, Vec<_>) = listed.into_iter().partition(has_usable_name);
        let why = "its name is not UTF-8, so a browser cannot open it";
        self.unreadable.extend(
            nameless
                .into_iter()
                .map(|(path, _)| (nameless_path(path), why.to_owned())),
        );
        let before = self.files.len();
        let opened = join_all(listed.iter().map(|(_, node)| node.file())).await;
        for ((path, _), file) in listed.into_iter().zip(opened) {
            match file {
                Ok(file) => self.files.push(PickedFile { path, file }),
                Err(error) => self.unreadable.push((path, error_message(&error))),
            }
        }
        (hears.files)(self.files.get(before..).unwrap_or_default());
    }

    pub(super) fn sort(mut self) -> Self {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.unreadable.sort();
        self
    }
}

/// The placeholder path for a name that the browser cannot represent.
fn nameless_path(path: String) -> String {
    if path.ends_with('/') {
        format!("{path}(a name that is not UTF-8)")
    } else {
        path
    }
}
