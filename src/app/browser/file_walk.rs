//! What a walk found: files with their paths, and what could not be opened.

use super::file_tree::{AT_ONCE, Node, sort_out, words};
use super::listings::Listings;
use futures::future::join_all;
use web_sys::File;

/// The browser's name for a file while it is being written, before it replaces the original.
const UNFINISHED: &str = ".crswap";

/// A file, and its path within what was opened: with `/`, beginning with the opened folder's own name.
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
    /// Paths that could not be opened, with the browser's words.
    pub unreadable: Vec<(String, String)>,
}

impl FileWalk {
    /// Adds these files, and all below these folders. False: `goes_on` returned false.
    pub(super) async fn add(
        &mut self,
        mut folders: Vec<(String, Node)>,
        files: &mut Vec<(String, Node)>,
        listings: &Listings,
        goes_on: &impl Fn(usize) -> bool,
    ) -> bool {
        while !folders.is_empty() {
            let found = files.len();
            if !goes_on(found) {
                return false;
            }
            // A browser answers each after a while, and many at once as fast as one.
            let batch = folders.split_off(folders.len().saturating_sub(AT_ONCE));
            let hears = |more: usize| goes_on(found + more);
            let listed = join_all(batch.iter().map(|(path, folder)| listings.children(path, folder, &hears))).await;
            for ((path, _), children) in batch.into_iter().zip(listed) {
                match children {
                    Ok(children) => {
                        for (name, child) in children {
                            sort_out((format!("{path}/{name}"), child), &mut folders, files);
                        }
                    }
                    Err(error) => self.unreadable.push((path, words(&error))),
                }
            }
        }
        files.retain(|(path, _)| !path.ends_with(UNFINISHED));
        let named = |(path, _): &(String, Node)| !path.ends_with('/') && !path.contains(char::REPLACEMENT_CHARACTER);
        if !goes_on(files.len()) {
            return false;
        }
        let (files, nameless): (Vec<_>, Vec<_>) = std::mem::take(files).into_iter().partition(named);
        let why = "its name is not UTF-8, so a browser cannot open it";
        self.unreadable.extend(nameless.into_iter().map(|(path, _)| (nameless_path(path), why.to_owned())));
        for batch in files.chunks(AT_ONCE) {
            if !goes_on(files.len()) {
                return false;
            }
            let opened = join_all(batch.iter().map(|(_, node)| node.file())).await;
            for ((path, _), file) in batch.iter().zip(opened) {
                match file {
                    Ok(file) => self.files.push(PickedFile { path: path.clone(), file }),
                    Err(error) => self.unreadable.push((path.clone(), words(&error))),
                }
            }
        }
        true
    }

    pub(super) fn sorted(mut self) -> Self {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }
}

/// A browser gives no name where it cannot represent it; a path needs one.
fn nameless_path(path: String) -> String {
    if path.ends_with('/') { format!("{path}(a name that is not UTF-8)") } else { path }
}
