//! The tree of opened items: dropped or picked folders and files, and handles. It is walked to find
//! its files and, if the browser keeps handles, walked again to find changes on disk.

use super::document::{method, object, promise, property};
use super::folder_access;
use super::repository_folders::{RepositoryFolders, WalkStart};
use crate::state::catalogs::placeholder_text;
use crate::state::file_names;
use crate::state::save_state::FileFailure;
use crate::state::source_names::SourceNames;
use futures::future::{join, join_all};
use js_sys::{Array, AsyncIterator, Function, Promise};
use leptos::prelude::window;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DragEvent, File, FileSystemDirectoryEntry, FileSystemDirectoryHandle, FileSystemEntry,
    FileSystemFileEntry, FileSystemHandle, HtmlInputElement,
};

/// Number of files or folders requested at once while walking.
const AT_ONCE: usize = 64;
/// Number of folders listed at once before the first file is found.
const AT_FIRST: usize = 8;
/// The browser's extension of a file while it is being written, before it replaces the original.
const UNFINISHED: &str = ".crswap";
const PICKER: &str = "showDirectoryPicker";
/// Maximum number of a folder's entries that are searched for bundle directories.
const MAX_SEARCHED: usize = 200;
/// Number of folders searched at once for bundle directories. If each of them contains a catalog
/// package, assume that the others do too.
const SEARCHED_AT_ONCE: usize = 32;

/// The opened items as provided by the browser.
#[derive(Debug, Clone, Default)]
pub struct FileTree {
    pub(super) roots: Vec<Root>,
    /// Files without a handle to the disk.
    pub(super) bare: Vec<PickedFile>,
    /// The operator repository in the first root, set by [`FileTree::find_repository`].
    pub(super) repository: Option<RepositoryFolders>,
}

#[derive(Debug, Clone)]
pub(super) struct Root {
    /// Path of the root in the tree. Two folders with one name get different paths when they are
    /// opened ([`FileTree::with_unique_names`]).
    pub(super) name: String,
    pub(super) node: Node,
    /// The handle for writing to a dropped item; `None` if the browser provides none.
    handle: Option<Promise>,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Entry(FileSystemEntry),
    Handle(FileSystemHandle),
}

impl FileTree {
    /// Takes all items out of a drop. Must be called within the event handler: the browser empties
    /// the list when the handler returns.
    pub fn from_drop(event: &DragEvent) -> Self {
        let mut tree = Self::default();
        let Some(items) = event.data_transfer().map(|data| data.items()) else {
            return tree;
        };
        for item in (0..items.length())
            .filter_map(|index| items.get(index))
            .filter(|item| item.kind() == "file")
        {
            let entry = item.webkit_get_as_entry().ok().flatten();
            tree.push_item(
                entry,
                // Must be called within the event handler, too.
                promise(&item, "getAsFileSystemHandle", &JsValue::UNDEFINED),
                item.get_as_file().ok().flatten(),
            );
        }
        tree
    }

    /// Creates a tree from the items that `boot.js` took out of a drop: entry, handle promise and
    /// file of each, as far as available.
    pub fn from_items(items: &Array) -> Self {
        let mut tree = Self::default();
        for item in items.iter() {
            let [entry, handle, file] = [0, 1, 2].map(|index| {
                let value = item.unchecked_ref::<Array>().get(index);
                (!value.is_null() && !value.is_undefined()).then_some(value)
            });
            tree.push_item(
                entry.map(JsCast::unchecked_into),
                handle.map(JsCast::unchecked_into),
                file.map(JsCast::unchecked_into),
            );
        }
        tree
    }

    /// Creates a tree from a file input: single files, or a folder's files with their paths.
    pub fn from_input(input: &HtmlInputElement) -> Self {
        let files = input.files();
        Self::from_picked(
            files
                .iter()
                .flat_map(|files| (0..files.length()).filter_map(|index| files.get(index))),
        )
    }

    pub fn from_picked(files: impl IntoIterator<Item = File>) -> Self {
        let mut tree = Self::default();
        for file in files {
            let path = property(&file, "webkitRelativePath")
                .as_string()
                .filter(|path| !path.is_empty())
                .unwrap_or_else(|| file.name());
            tree.push_bare(path, file);
        }
        tree
    }

    /// Creates a tree from a folder handle of `showDirectoryPicker` or storage.
    pub fn from_handle(handle: &FileSystemDirectoryHandle) -> Self {
        Self::from_handles([handle.clone().unchecked_into()])
    }

    /// Creates a tree from handles, as passed by the operating system to an installed page.
    pub fn from_handles(handles: impl IntoIterator<Item = FileSystemHandle>) -> Self {
        let mut tree = Self::default();
        for handle in handles {
            tree.push_root(&handle.name(), Node::Handle(handle), None);
        }
        tree
    }

    /// Creates a tree from files created in the page, such as the sample's.
    pub fn from_files(files: impl IntoIterator<Item = PickedFile>) -> Self {
        Self {
            bare: files.into_iter().collect(),
            ..Self::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.roots.is_empty() && self.bare.is_empty()
    }

    /// Whether a later walk sees the current state of the disk. Otherwise the user has to pick the
    /// folder again.
    pub fn leads_back_to_disk(&self) -> bool {
        self.bare.is_empty()
    }

    /// Adds the files of another tree, whose names must not collide
    /// ([`FileTree::with_unique_names`]).
    pub fn extend(&mut self, other: Self) {
        self.bare.extend(other.bare);
        self.roots.extend(other.roots);
    }

    pub fn remove_file(&mut self, path: &str) {
        self.roots.retain(|root| root.name != path);
        self.bare.retain(|picked| picked.path != path);
    }

    /// Removes folders and files that `open` already has; returns the new ones and the removed
    /// names. Finds only duplicates for which the browser provides handles.
    pub async fn without(mut self, open: &Self) -> (Self, Vec<String>) {
        let mut open_handles = Vec::new();
        for root in &open.roots {
            if let Some(handle) = root.handle().await {
                open_handles.push((root.name.clone(), handle));
            }
        }
        let mut removed = Vec::new();
        let mut remaining = Vec::new();
        for root in std::mem::take(&mut self.roots) {
            match find_same_entry(&root, &open_handles).await {
                Some(name) => removed.push(name),
                None => remaining.push(root),
            }
        }
        self.roots = remaining;
        (self, removed)
    }

    /// Returns the writable handle above a path, and the path relative to it ("" if the handle is
    /// the file itself). `None` if the browser provides no handle.
    pub async fn writable_handle<'p>(&self, path: &'p str) -> Option<(FileSystemHandle, &'p str)> {
        let (root, relative) = self
            .roots
            .iter()
            .find_map(|root| Some((root, root.relative_path(path)?)))?;
        Some((root.handle().await?, relative))
    }

    /// Returns the browser's handles of the opened items, except that of a served folder, which the
    /// browser can neither store nor observe.
    pub async fn handles(&self) -> Vec<FileSystemHandle> {
        join_all(self.roots.iter().map(Root::handle))
            .await
            .into_iter()
            .flatten()
            .filter(|handle| !folder_access::is_served(handle))
            .collect()
    }

    /// Whether the serving program writes the files.
    pub fn is_served(&self) -> bool {
        self.roots.iter().any(|root| match &root.node {
            Node::Handle(handle) => folder_access::is_served(handle),
            Node::Entry(_) => false,
        })
    }

    /// Whether anything at these paths (`[]`: anything at all) has a writable handle. Files
    /// unpacked from a dropped archive have none.
    pub fn can_be_written(&self, paths: &[String]) -> bool {
        let mut writable = self
            .roots
            .iter()
            .filter(|root| root.handle.is_some() || matches!(root.node, Node::Handle(_)));
        if paths.is_empty() {
            return writable.next().is_some();
        }
        writable.any(|root| paths.iter().any(|path| root.relative_path(path).is_some()))
    }

    /// Renames the items so that their names are unique and not among `taken`: a path then
    /// identifies its source.
    pub fn with_unique_names(mut self, mut taken: SourceNames) -> Self {
        for root in &mut self.roots {
            root.name = taken.claim(&root.name, root.node.is_folder());
        }
        // New names of picked folders: the files of one folder stay together.
        let mut folders: BTreeMap<String, String> = BTreeMap::new();
        for picked in &mut self.bare {
            let (top, is_folder) = file_names::top(&picked.path);
            let new_top = match folders.get(top) {
                Some(name) if is_folder => name.clone(),
                _ => taken.claim(top, is_folder),
            };
            let below_top = picked.path.get(top.len()..).unwrap_or_default();
            let path = format!("{new_top}{below_top}");
            if is_folder {
                folders.insert(top.to_owned(), new_top);
            }
            picked.path = path;
        }
        self
    }

    /// Returns the top folder of files without a folder on disk, if it is the only one and nothing
    /// else is open.
    pub fn only_bare_folder(&self) -> Option<&str> {
        let first = self.bare.first().filter(|_| self.roots.is_empty())?;
        let (folder, is_folder) = file_names::top(&first.path);
        let is_in = |picked: &PickedFile| file_names::top(&picked.path) == (folder, true);
        (is_folder && self.bare.iter().all(is_in)).then_some(folder)
    }

    /// Returns the paths of the files of new catalogs, which are in no folder on disk.
    pub fn new_files(&self) -> Vec<String> {
        let is_new = |picked: &&PickedFile| {
            let folder_path = property(&picked.file, "webkitRelativePath").as_string();
            folder_path.is_none_or(|path| path.is_empty())
                && placeholder_text(&picked.path, picked.file.size() as u64).is_some()
        };
        let new = self.bare.iter().filter(is_new);
        new.map(|picked| picked.path.clone()).collect()
    }

    /// Returns the distinct names of the opened folders, archives and files as on disk.
    pub fn display_names(&self) -> Vec<String> {
        let bare = self
            .bare
            .iter()
            .map(|picked| file_names::top(&picked.path).0);
        let mut names: Vec<String> = self
            .roots
            .iter()
            .map(|root| root.name.as_str())
            .chain(bare)
            .map(str::to_owned)
            .collect();
        names.dedup();
        names
    }

    /// Creates the tree of files written to `folder`; paths that start with `name` are in it.
    pub fn written_to(name: &str, folder: &FileSystemDirectoryHandle) -> Self {
        let mut tree = Self::default();
        tree.push_root(name, Node::Handle(folder.clone().unchecked_into()), None);
        tree
    }

    pub fn names(&self) -> SourceNames {
        let mut names =
            SourceNames::from_paths(self.bare.iter().map(|picked| picked.path.as_str()));
        for root in &self.roots {
            names.claim(&root.name, root.node.is_folder());
        }
        names
    }

    /// Finds all files in their current state on disk; files without a handle are as they were
    /// opened.
    pub async fn walk(&self) -> FileWalk {
        self.walk_while(|_| true).await.unwrap_or_default()
    }

    /// Like [`Self::walk`], but stops and returns `None` once `continues` returns false.
    /// `continues` is called repeatedly with the number of files found so far.
    pub async fn walk_while(&self, continues: impl FnMut(usize) -> bool) -> Option<FileWalk> {
        self.walk_observed(continues, |_| {}).await
    }

    /// Like [`Self::walk_while`], and calls `on_files` with readable files as they are found.
    pub async fn walk_observed(
        &self,
        continues: impl FnMut(usize) -> bool,
        on_files: impl FnMut(&[PickedFile]),
    ) -> Option<FileWalk> {
        let (continues, on_files) = (RefCell::new(continues), RefCell::new(on_files));
        // Never borrowed across an await, so that folders listed in parallel can all call it.
        let observer = WalkObserver {
            continues: &|number: usize| (continues.borrow_mut())(number),
            on_files: &|files: &[PickedFile]| (on_files.borrow_mut())(files),
        };
        let mut walk = FileWalk {
            files: self.bare.clone(),
            ..FileWalk::default()
        };
        (observer.on_files)(&walk.files);
        let in_repository = self.repository_start(&mut walk).await;
        // The first root is the repository.
        let other_roots = usize::from(in_repository.is_some())..;
        let mut start = in_repository.unwrap_or_default();
        let roots = self.roots.get(other_roots).unwrap_or_default();
        for root in roots {
            let target = if root.node.is_folder() {
                &mut start.folders
            } else {
                &mut start.files
            };
            target.push((root.name.clone(), root.node.clone()));
        }
        walk.add(start, &observer).await.then(|| walk.sort())
    }

    /// Whether all files are needed as soon as they are found. A repository needs only those of
    /// some operators.
    pub fn is_read_as_found(&self) -> bool {
        self.repository.is_none()
    }

    /// Returns the single opened folder; `None` if anything else is open.
    pub(super) fn only_folder(&self) -> Option<&Node> {
        let [root] = self.roots.as_slice() else {
            return None;
        };
        (self.bare.is_empty() && root.node.is_folder()).then_some(&root.node)
    }

    pub(super) fn repository_name(&self) -> Option<&str> {
        self.roots.first().map(|root| root.name.as_str())
    }

    fn push_item(
        &mut self,
        entry: Option<FileSystemEntry>,
        handle: Option<Promise>,
        file: Option<File>,
    ) {
        if let Some(entry) = entry {
            // Entries are walked faster than handles, and follow links; only handles can be written
            // to.
            self.push_root(&entry.name(), Node::Entry(entry), handle);
        } else if let Some(file) = file {
            self.push_bare(file.name(), file);
        }
    }

    fn push_root(&mut self, name: &str, node: Node, handle: Option<Promise>) {
        self.roots.push(Root {
            name: name.to_owned(),
            node,
            handle,
        });
    }

    fn push_bare(&mut self, path: String, file: File) {
        self.bare.push(PickedFile { path, file });
    }
}

impl Root {
    /// Returns the part of the path below this root; `None` if the path is outside.
    fn relative_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.strip_prefix(self.name.as_str())? {
            "" => Some(""),
            relative if self.node.is_folder() => relative.strip_prefix('/'),
            _ => None,
        }
    }

    async fn handle(&self) -> Option<FileSystemHandle> {
        match &self.node {
            Node::Handle(handle) => Some(handle.clone()),
            // The browser returns null for items without a handle.
            Node::Entry(_) => JsFuture::from(self.handle.clone()?)
                .await
                .ok()?
                .dyn_into()
                .ok(),
        }
    }
}

/// Returns the name of the open item that is the same entry on disk.
async fn find_same_entry(root: &Root, open: &[(String, FileSystemHandle)]) -> Option<String> {
    let handle = root.handle().await?;
    for (name, other) in open {
        let is_same = JsFuture::from(handle.is_same_entry(other)).await;
        if is_same.is_ok_and(|is_same| is_same.is_truthy()) {
            return Some(name.clone());
        }
    }
    None
}

impl Node {
    pub(super) fn is_folder(&self) -> bool {
        match self {
            Node::Entry(entry) => entry.is_directory(),
            Node::Handle(handle) => folder_access::is_folder(handle),
        }
    }

    pub(super) async fn file(&self) -> Result<File, JsValue> {
        match self {
            Node::Entry(entry) => {
                let entry: &FileSystemFileEntry = entry.unchecked_ref();
                let file = await_callbacks(|on_success, on_error| {
                    entry.file_with_callback_and_callback(on_success, on_error);
                    Ok(())
                });
                Ok(file.await?.unchecked_into())
            }
            Node::Handle(handle) => folder_access::get_file(handle.unchecked_ref()).await,
        }
    }

    /// Lists the entries by name. `continues` is called with the number found so far; once it
    /// returns false, the list ends.
    pub(super) async fn children(
        &self,
        continues: &impl Fn(usize) -> bool,
    ) -> Result<BTreeMap<String, Node>, JsValue> {
        match self {
            Node::Entry(entry) => entry_children(entry.unchecked_ref(), continues).await,
            Node::Handle(handle) => handle_children(handle.unchecked_ref(), continues).await,
        }
    }
}

/// Lists a folder's entries. The reader returns at most a hundred per call, and an empty list at
/// the end.
async fn entry_children(
    folder: &FileSystemDirectoryEntry,
    continues: &impl Fn(usize) -> bool,
) -> Result<BTreeMap<String, Node>, JsValue> {
    let reader = folder.create_reader();
    let mut children = BTreeMap::new();
    loop {
        let batch = await_callbacks(|on_success, on_error| {
            reader.read_entries_with_callback_and_callback(on_success, on_error)
        })
        .await?;
        let batch: js_sys::Array = batch.unchecked_into();
        if batch.length() == 0 || !continues(children.len()) {
            return Ok(children);
        }
        for entry in batch.iter().map(JsCast::unchecked_into::<FileSystemEntry>) {
            children.insert(entry.name(), Node::Entry(entry));
        }
    }
}

async fn handle_children(
    folder: &FileSystemDirectoryHandle,
    continues: &impl Fn(usize) -> bool,
) -> Result<BTreeMap<String, Node>, JsValue> {
    let values = folder.values();
    let mut children = BTreeMap::new();
    while let Some(handle) = next_handle(&values).await? {
        if children.len().is_multiple_of(AT_ONCE) && !continues(children.len()) {
            break;
        }
        children.insert(handle.name(), Node::Handle(handle));
    }
    Ok(children)
}

/// Returns the next entry of a folder; `None` at the end.
pub(super) async fn next_handle(
    values: &AsyncIterator,
) -> Result<Option<FileSystemHandle>, JsValue> {
    let step = JsFuture::from(values.next()?).await?;
    let is_last = property(&step, "done").is_truthy();
    Ok((!is_last).then(|| property(&step, "value").unchecked_into()))
}

/// Converts a call with two callbacks to a future.
pub(super) async fn await_callbacks(
    call: impl FnOnce(&Function, &Function) -> Result<(), JsValue>,
) -> Result<JsValue, JsValue> {
    let mut call = Some(call);
    let promise = Promise::new(&mut |on_success, on_error| {
        if let Some(Err(error)) = call.take().map(|call| call(&on_success, &on_error)) {
            let _ = on_error.call1(&JsValue::UNDEFINED, &error);
        }
    });
    JsFuture::from(promise).await
}

/// Returns the browser's message for an error.
pub fn error_message(error: &JsValue) -> String {
    let text = |key: &str| property(error, key).as_string();
    [text("message"), error.as_string(), text("name")]
        .into_iter()
        .flatten()
        .find(|text| !text.trim().is_empty())
        .unwrap_or_else(|| "unknown error".into())
}

/// Whether this browser can provide a writable folder.
pub fn can_pick_folder() -> bool {
    method(&window(), PICKER).is_some()
}

/// Asks the user for a folder; `mode` is that of `showDirectoryPicker`. Returns `None` if the user
/// cancels or the browser does not support it.
pub async fn pick_handle(mode: &str) -> Option<FileSystemDirectoryHandle> {
    let options = object([("mode", mode.into())]);
    let picked = JsFuture::from(promise(&window(), PICKER, &options)?).await;
    Some(picked.ok()?.unchecked_into())
}

/// A file, and its path within the opened items: with `/`, starting with the opened folder's name.
#[derive(Debug, Clone)]
pub struct PickedFile {
    pub path: String,
    pub file: File,
}

#[derive(Debug, Clone, Default)]
pub struct FileWalk {
    /// Ordered by path.
    pub files: Vec<PickedFile>,
    /// Unreadable files and folders, with the browser's message.
    pub unreadable: Vec<FileFailure>,
    /// The opened folders without content.
    pub empty_folders: Vec<String>,
}

/// Callbacks of a walk in progress.
pub(super) struct WalkObserver<'f> {
    /// Called with the number of files found so far; once it returns false, the walk ends.
    pub(super) continues: &'f dyn Fn(usize) -> bool,
    /// Called with readable files as they are found.
    pub(super) on_files: &'f dyn Fn(&[PickedFile]),
}

impl WalkObserver<'_> {
    pub(super) const NONE: Self = Self {
        continues: &|_| true,
        on_files: &|_| {},
    };
}

impl FileWalk {
    /// Adds these files, and everything in these folders, in order. Returns false if the observer
    /// ended the walk.
    pub(super) async fn add(&mut self, start: WalkStart, observer: &WalkObserver<'_>) -> bool {
        let (mut folders, mut files) = (VecDeque::from(start.folders), VecDeque::from(start.files));
        while !folders.is_empty() || !files.is_empty() {
            let count = self.files.len() + files.len();
            if !(observer.continues)(count) {
                return false;
            }
            // Browser requests have a high latency but run in parallel. List only a few folders
            // before the first file is found: the first files are needed soon.
            let at_once = if self.files.is_empty() {
                AT_FIRST
            } else {
                AT_ONCE
            };
            let to_list: Vec<_> = folders.drain(..folders.len().min(at_once)).collect();
            let to_open: Vec<_> = files.drain(..files.len().min(AT_ONCE)).collect();
            let continues = |more: usize| (observer.continues)(count + more);
            let listed = join_all(
                to_list
                    .iter()
                    .map(|(_, folder)| folder.children(&continues)),
            );
            let (listed, ()) = join(listed, self.open(to_open, observer)).await;
            for ((path, _), children) in to_list.into_iter().zip(listed) {
                let children = match children {
                    Ok(children) => children,
                    Err(error) => {
                        let reason = error_message(&error);
                        self.unreadable.push(FileFailure { path, reason });
                        continue;
                    }
                };
                if children.is_empty() && !path.contains('/') {
                    self.empty_folders.push(path.clone());
                }
                for (name, child) in children {
                    let target = if child.is_folder() {
                        &mut folders
                    } else {
                        &mut files
                    };
                    target.push_back((format!("{path}/{name}"), child));
                }
            }
        }
        (observer.continues)(self.files.len())
    }

    /// Converts listed entries to files.
    async fn open(&mut self, mut listed: Vec<(String, Node)>, observer: &WalkObserver<'_>) {
        listed.retain(|(path, _)| !path.ends_with(UNFINISHED));
        let has_usable_name = |(path, _): &(String, Node)| {
            !path.ends_with('/') && !path.contains(char::REPLACEMENT_CHARACTER)
        };
        let (listed, nameless): (Vec<_>, Vec<_>) = listed.into_iter().partition(has_usable_name);
        let reason = "its name is not UTF-8, so a browser cannot open it";
        self.unreadable
            .extend(nameless.into_iter().map(|(path, _)| FileFailure {
                path: nameless_path(path),
                reason: reason.to_owned(),
            }));
        let opened_before = self.files.len();
        let opened = join_all(listed.iter().map(|(_, node)| node.file())).await;
        for ((path, _), file) in listed.into_iter().zip(opened) {
            match file {
                Ok(file) => self.files.push(PickedFile { path, file }),
                Err(error) => {
                    let reason = error_message(&error);
                    self.unreadable.push(FileFailure { path, reason });
                }
            }
        }
        (observer.on_files)(self.files.get(opened_before..).unwrap_or_default());
    }

    pub(super) fn sort(mut self) -> Self {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.unreadable.sort();
        self
    }
}

/// Completes the path of an entry whose name the browser reports as empty.
fn nameless_path(path: String) -> String {
    if path.ends_with('/') {
        format!("{path}(a name that is not UTF-8)")
    } else {
        path
    }
}

impl FileTree {
    /// Whether the tree may contain bundles: each item is a file that may hold some, a bundle
    /// directory, or a folder that contains one. Lists two levels of folders.
    pub async fn may_hold_bundles(&self) -> bool {
        for root in &self.roots {
            let may_hold = if root.node.is_folder() {
                contains_bundle(&root.node).await
            } else {
                file_names::may_be_bundle(&root.name)
            };
            if !may_hold {
                return false;
            }
        }
        let paths: Vec<&str> = self
            .bare
            .iter()
            .map(|picked| picked.path.as_str())
            .collect();
        !self.is_empty() && file_names::may_hold_bundles(&paths)
    }
}

/// Whether a folder is a bundle directory, or one of its folders is.
async fn contains_bundle(folder: &Node) -> bool {
    let is_below_limit = |count: usize| count < MAX_SEARCHED;
    let Ok(children) = folder.children(&is_below_limit).await else {
        return false;
    };
    if file_names::is_bundle(children.keys().map(String::as_str)) {
        return true;
    }
    let folders: Vec<Node> = children
        .into_values()
        .filter(Node::is_folder)
        .take(MAX_SEARCHED)
        .collect();
    for batch in folders.chunks(SEARCHED_AT_ONCE) {
        let listed = join_all(batch.iter().map(|folder| folder.children(&is_below_limit))).await;
        let names = || {
            listed
                .iter()
                .flatten()
                .map(|children| children.keys().map(String::as_str))
        };
        if names().any(file_names::is_bundle) {
            return true;
        }
        if batch.len() == SEARCHED_AT_ONCE && names().all(file_names::is_package) {
            return false;
        }
    }
    false
}

/// Reads a file as text; `None` if it is not readable.
pub async fn read_text(file: &File) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// Creates a file with this text and path. Fails only if the browser is out of memory.
pub fn in_memory_file(path: String, text: &str) -> Result<PickedFile, JsValue> {
    let name = path.rsplit('/').next().unwrap_or(&path);
    let file = File::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)), name)?;
    Ok(PickedFile { path, file })
}
