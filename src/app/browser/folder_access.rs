//! Reads, writes and watches folders on disk, and compares the open files with the disk. A browser
//! refuses to read a `File` that changed, so reading one byte reveals a change; with a handle to
//! the disk, another walk also finds added files.

use super::document::{method, object, promise, property};
use super::file_tree::{
    FileTree, FileWalk, PickedFile, can_pick_folder, error_message, next_handle, pick_handle,
};
use futures::future::join_all;
use js_sys::{Array, Promise, Uint8Array};
use leptos::prelude::window;
use std::collections::{BTreeMap, BTreeSet};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, FileSystemHandle, FileSystemHandleKind, FileSystemRemoveOptions,
    FileSystemWritableFileStream,
};

/// Number of files probed at once.
const AT_ONCE: usize = 64;
const CHANGED: &str = "it changed on disk just now";
/// The method that only the folder of `switchyard serve` has.
const WRITE_ALL: &str = "writeAll";

/// The access to request for a file-system handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// Whether this browser supports writable folders.
pub fn is_supported() -> bool {
    !property(&window(), "FileSystemHandle").is_undefined() && can_pick_folder()
}

/// Asks the user for permission, unless already answered. Returns whether it is granted. The error
/// is the browser's reason for not asking.
pub async fn request_permission(handle: &FileSystemHandle, access: Access) -> Result<bool, String> {
    let mode = match access {
        Access::Read => "read",
        Access::Write => "readwrite",
    };
    // In old browsers handles lack this method and need no permission.
    let Some(request) = method(handle, "requestPermission") else {
        return Ok(true);
    };
    let permission = async {
        let answer: Promise = request
            .call1(handle, &object([("mode", mode.into())]))?
            .dyn_into()?;
        Ok::<bool, JsValue>(JsFuture::from(answer).await?.as_string().as_deref() == Some("granted"))
    };
    permission.await.map_err(|error| error_message(&error))
}

/// Returns the current file at `path` below `top` (with `/`; "" is `top` itself); `None` if it does
/// not exist.
pub async fn current_file(top: &FileSystemHandle, path: &str) -> Result<Option<File>, String> {
    let file = async { get_file(&find_file(top, path, IfMissing::Fail).await?).await };
    match file.await {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error_text(&error)),
    }
}

/// Reads a file. The error is a message for the user.
pub async fn read_bytes(file: &File) -> Result<Vec<u8>, String> {
    let bytes = JsFuture::from(file.array_buffer())
        .await
        .map_err(|error| error_text(&error))?;
    Ok(Uint8Array::new(&bytes).to_vec())
}

/// Replaces the content of a file, and creates the file (if `before` is `None`) and missing
/// folders. Fails if the file differs from `before`. Returns the new file.
pub async fn write(
    top: &FileSystemHandle,
    path: &str,
    before: Option<&File>,
    bytes: &[u8],
) -> Result<File, String> {
    if current_file(top, path).await?.as_ref().map(Stamp::new) != before.map(Stamp::new) {
        return Err(CHANGED.to_owned());
    }
    let write = async {
        let file = find_file(top, path, IfMissing::Create).await?;
        let written = replace_content(&file, before, bytes).await;
        if written.is_err()
            && before.is_none()
            && let Some(removed) = promise(&file, "remove", &JsValue::UNDEFINED)
        {
            // It was created for this write; if it cannot be removed, an empty file remains.
            let _ = JsFuture::from(removed).await;
        }
        written
    };
    write.await.map_err(|error| error_text(&error))
}

pub(super) async fn get_file(handle: &FileSystemFileHandle) -> Result<File, JsValue> {
    Ok(JsFuture::from(handle.get_file()).await?.unchecked_into())
}

async fn replace_content(
    file: &FileSystemFileHandle,
    before: Option<&File>,
    bytes: &[u8],
) -> Result<File, JsValue> {
    let before = match before {
        Some(before) => before.clone(),
        None => get_file(file).await?,
    };
    let stream: FileSystemWritableFileStream = JsFuture::from(file.create_writable())
        .await?
        .unchecked_into();
    let written = JsFuture::from(stream.write_with_js_u8_array(&Uint8Array::from(bytes))?).await;
    // The last chance to stop: closing the stream replaces the file's content.
    let is_unchanged = Stamp::new(&get_file(file).await?) == Stamp::new(&before);
    if written.is_err() || !is_unchanged {
        // The browser discards an unclosed stream, too.
        let _ = JsFuture::from(stream.abort()).await;
        written?;
        return Err(JsValue::from_str(CHANGED));
    }
    JsFuture::from(stream.close()).await?;
    get_file(file).await
}

/// The size in bytes of a file, and when it was modified.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stamp {
    size: f64,
    modified: f64,
}

impl Stamp {
    fn new(file: &File) -> Self {
        Self {
            size: file.size(),
            modified: file.last_modified(),
        }
    }
}

/// What to do about a missing file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfMissing {
    Fail,
    Create,
}

async fn find_file(
    top: &FileSystemHandle,
    path: &str,
    if_missing: IfMissing,
) -> Result<FileSystemFileHandle, JsValue> {
    let create = if_missing == IfMissing::Create;
    if path.is_empty() {
        return Ok(top.clone().unchecked_into());
    }
    let mut folder: FileSystemDirectoryHandle = top.clone().unchecked_into();
    let (folders, name) = path
        .rsplit_once('/')
        .map_or((None, path), |(folders, name)| (Some(folders), name));
    for part in folders.into_iter().flat_map(|folders| folders.split('/')) {
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(create);
        folder = JsFuture::from(folder.get_directory_handle_with_options(part, &options))
            .await?
            .unchecked_into();
    }
    let options = FileSystemGetFileOptions::new();
    options.set_create(create);
    Ok(
        JsFuture::from(folder.get_file_handle_with_options(name, &options))
            .await?
            .unchecked_into(),
    )
}

/// Returns a folder for new files: a new folder `name` in `top`, or `top` itself if it is empty and
/// has this name. The error is a message for the user.
pub async fn create_folder(
    top: &FileSystemDirectoryHandle,
    name: &str,
) -> Result<FileSystemDirectoryHandle, String> {
    let folder = async {
        if top.name() == name && is_empty(top).await? {
            return Ok(top.clone());
        }
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let created = JsFuture::from(top.get_directory_handle_with_options(name, &options)).await?;
        let created: FileSystemDirectoryHandle = created.unchecked_into();
        if is_empty(&created).await? {
            return Ok(created);
        }
        Err(JsValue::from_str(&format!(
            "{} already has a folder {name} that is not empty. Choose another folder",
            top.name()
        )))
    };
    folder.await.map_err(|error| error_text(&error))
}

/// Whether a folder is empty, ignoring names that start with a dot, like `.git`.
async fn is_empty(folder: &FileSystemDirectoryHandle) -> Result<bool, JsValue> {
    let values = folder.values();
    while let Some(handle) = next_handle(&values).await? {
        if !handle.name().starts_with('.') {
            return Ok(false);
        }
    }
    Ok(true)
}

pub fn is_folder(handle: &FileSystemHandle) -> bool {
    handle.kind() == FileSystemHandleKind::Directory
}

fn error_name(error: &JsValue) -> String {
    property(error, "name").as_string().unwrap_or_default()
}

fn is_missing(error: &JsValue) -> bool {
    error_name(error) == "NotFoundError"
}

fn error_text(error: &JsValue) -> String {
    explain_error(&error_name(error), &error_message(error))
}

/// Explains why a file could not be read or written, in our words for common errors.
fn explain_error(name: &str, message: &str) -> String {
    let text = match name {
        "NotAllowedError" => "the browser may not write there",
        "NoModificationAllowedError" => "it is read-only, or another program has locked it",
        "TypeMismatchError" => {
            "a folder already has this name, or a file has the name of its folder"
        }
        "QuotaExceededError" => "the disk is full; free some space and try again",
        "NotFoundError" => "its folder no longer exists",
        "NotReadableError" => "it cannot be read",
        "TypeError" if message.contains("not allowed") => crate::state::file_names::REFUSED_NAME,
        // The disk refused; these errors do not reveal the exact cause.
        "UnknownError"
        | "AbortError"
        | "InvalidStateError"
        | "InvalidModificationError"
        | "OperationError" => {
            "it could not be written: it or its folder is read-only, or the disk is full"
        }
        _ => return message.to_owned(),
    };
    text.to_owned()
}

/// Asks for a folder to write to. Returns `None` if the user cancels or denies writing.
pub async fn pick_writable_folder() -> Result<Option<FileSystemDirectoryHandle>, String> {
    let Some(folder) = pick_handle("readwrite").await else {
        return Ok(None);
    };
    let is_allowed = request_permission(&folder, Access::Write).await?;
    Ok(is_allowed.then_some(folder))
}

/// Writes files, each a path (with `/`) and its bytes, below a folder. Their top folder must not
/// exist yet, and is removed again if a file cannot be written.
pub async fn write_new_folder(
    parent: &FileSystemDirectoryHandle,
    files: &[(String, Vec<u8>)],
) -> Result<(), String> {
    let tops: BTreeSet<&str> = files
        .iter()
        .map(|(path, _)| path.split('/').next().unwrap_or(path))
        .collect();
    for top in &tops {
        if has_entry(parent, top).await {
            return Err(format!(
                "{top} already exists; choose another name or another folder"
            ));
        }
    }
    for (path, bytes) in files {
        if let Err(reason) = write(parent.unchecked_ref(), path, None, bytes).await {
            for top in &tops {
                remove_entry(parent, top, true).await;
            }
            return Err(format!("{path}: {reason}"));
        }
    }
    Ok(())
}

/// Removes what was written. If that fails, the user sees it in the folder.
pub async fn remove_entry(folder: &FileSystemDirectoryHandle, name: &str, is_recursive: bool) {
    let options = FileSystemRemoveOptions::new();
    options.set_recursive(is_recursive);
    let _ = JsFuture::from(folder.remove_entry_with_options(name, &options)).await;
}

async fn has_entry(folder: &FileSystemDirectoryHandle, name: &str) -> bool {
    let lookups = [
        folder.get_directory_handle(name),
        folder.get_file_handle(name),
    ];
    for lookup in lookups {
        if !JsFuture::from(lookup)
            .await
            .is_err_and(|error: JsValue| is_missing(&error))
        {
            return true;
        }
    }
    false
}

/// A file to write: its path relative to the served folder, its previous state (`None`: it did not
/// exist), and its new bytes.
#[derive(Debug, Clone)]
pub struct ServedFile {
    pub path: String,
    pub before: Option<File>,
    pub bytes: Vec<u8>,
}

/// Whether a handle belongs to the serving program, which writes all files of a save or none.
pub fn is_served(handle: &FileSystemHandle) -> bool {
    method(handle, WRITE_ALL).is_some()
}

/// Writes all files or none. Returns the new files in the same order.
pub async fn write_served(
    folder: &FileSystemHandle,
    files: &[ServedFile],
) -> Result<Vec<File>, String> {
    let write = async {
        let list = Array::new();
        for file in files {
            let before = file
                .before
                .as_ref()
                .map_or(JsValue::NULL, |before| before.clone().into());
            list.push(&Array::of3(
                &file.path.as_str().into(),
                &before,
                &Uint8Array::from(&*file.bytes),
            ));
        }
        let written = promise(folder, WRITE_ALL, &list).ok_or("the folder is not served")?;
        Ok::<Array, JsValue>(JsFuture::from(written).await?.unchecked_into())
    };
    let written = write.await.map_err(|error| error_message(&error))?;
    Ok(written.iter().map(JsCast::unchecked_into).collect())
}

/// How the disk differs from the open files.
#[derive(Debug, Clone, Default)]
pub struct DiskChange {
    /// Paths that were edited, added or removed, in order.
    pub paths: Vec<String>,
    /// The current tree; `None` if the browser keeps no handles and the user has to pick it again.
    pub walk: Option<FileWalk>,
}

/// Checks the disk. An empty list of paths means that nothing changed, or that nothing can be read.
pub async fn find_disk_changes(tree: &FileTree, opened: &[PickedFile]) -> DiskChange {
    if tree.leads_back_to_disk() {
        let walk = tree.walk().await;
        // A disconnected drive or an ended server lists no files, but they are not deleted.
        if walk.files.is_empty() && !walk.unreadable.is_empty() {
            return DiskChange::default();
        }
        DiskChange {
            paths: changed_paths(opened, &walk),
            walk: Some(walk),
        }
    } else {
        DiskChange {
            paths: changed_paths_without_disk(opened).await,
            walk: None,
        }
    }
}

fn changed_paths(opened: &[PickedFile], walk: &FileWalk) -> Vec<String> {
    let stamps = |files: &[PickedFile]| -> BTreeMap<String, Stamp> {
        let stamped = files
            .iter()
            .map(|picked| (picked.path.clone(), Stamp::new(&picked.file)));
        stamped.collect()
    };
    let (on_disk, when_opened) = (stamps(&walk.files), stamps(opened));
    let all: BTreeSet<&String> = on_disk.keys().chain(when_opened.keys()).collect();
    all.into_iter()
        .filter(|path| on_disk.get(*path) != when_opened.get(*path))
        .cloned()
        .collect()
}

async fn changed_paths_without_disk(opened: &[PickedFile]) -> Vec<String> {
    let mut paths = Vec::new();
    for batch in opened.chunks(AT_ONCE) {
        let unchanged = join_all(batch.iter().map(|picked| is_unchanged(&picked.file))).await;
        let changed = batch
            .iter()
            .zip(unchanged)
            .filter(|(_, unchanged)| !unchanged);
        paths.extend(changed.map(|(picked, _)| picked.path.clone()));
    }
    paths
}

/// Whether the file is unchanged since it was opened: reads its first byte. Changes of an empty
/// file go unnoticed, because it always reads as empty.
pub async fn is_unchanged(file: &File) -> bool {
    let Ok(head) = file.slice_with_i32_and_i32(0, 1) else {
        return false;
    };
    JsFuture::from(head.array_buffer()).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_refusals_are_reported_in_our_own_wording() {
        assert!(
            explain_error(
                "NoModificationAllowedError",
                "Modifications are not allowed."
            )
            .starts_with("it is read-only")
        );
        assert!(
            explain_error(
                "UnknownError",
                "The operation failed for an unknown transient reason"
            )
            .contains("disk is full")
        );
        assert!(explain_error("TypeError", "Name is not allowed.").contains("zip"));
        assert_eq!(explain_error("", CHANGED), CHANGED);
    }
}
