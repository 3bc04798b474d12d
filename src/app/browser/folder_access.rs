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

/// The access needed below a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// Whether this browser supports writable folders.
pub fn is_supported() -> bool {
    !property(&window(), "FileSystemHandle").is_undefined() && can_pick_folder()
}

/// Asks the user for permission, unless already answered. The error is the browser's reason for not
/// asking.
pub async fn permit(handle: &FileSystemHandle, access: Access) -> Result<bool, String> {
    let mode = match access {
        Access::Read => "read",
        Access::Write => "readwrite",
    };
    // Handles of old browsers have no such method: everything they can do is allowed.
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
pub async fn look(top: &FileSystemHandle, path: &str) -> Result<Option<File>, String> {
    let look = async {
        let file = find(top, path, false).await?;
        Ok::<File, JsValue>(JsFuture::from(file.get_file()).await?.unchecked_into())
    };
    match look.await {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error_text(&error)),
    }
}

/// Reads all bytes of a file. The error is the browser's message.
pub async fn bytes(file: &File) -> Result<Vec<u8>, String> {
    let bytes = JsFuture::from(file.array_buffer())
        .await
        .map_err(|error| error_text(&error))?;
    Ok(Uint8Array::new(&bytes).to_vec())
}

/// Writes a whole file that was in the state `seen` before (`None`: it did not exist), and creates
/// missing folders. Does not overwrite a file that has changed since. Returns the new file.
pub async fn write(
    top: &FileSystemHandle,
    path: &str,
    seen: Option<&File>,
    bytes: &[u8],
) -> Result<File, String> {
    let is_same = |now: Option<&File>| stamp(now) == stamp(seen);
    if !is_same(look(top, path).await?.as_ref()) {
        return Err(CHANGED.to_owned());
    }
    let write = async {
        let file = find(top, path, true).await?;
        let written = fill(&file, seen, bytes).await;
        if written.is_err()
            && seen.is_none()
            && let Some(removed) = promise(&file, "remove", &JsValue::UNDEFINED)
        {
            // It was created for this write; if it cannot be removed, an empty file remains.
            let _ = JsFuture::from(removed).await;
        }
        written
    };
    write.await.map_err(|error| error_text(&error))
}

async fn fill(
    file: &FileSystemFileHandle,
    seen: Option<&File>,
    bytes: &[u8],
) -> Result<File, JsValue> {
    let here =
        || async { Ok::<File, JsValue>(JsFuture::from(file.get_file()).await?.unchecked_into()) };
    let seen = match seen {
        Some(seen) => seen.clone(),
        None => here().await?,
    };
    let stream: FileSystemWritableFileStream = JsFuture::from(file.create_writable())
        .await?
        .unchecked_into();
    let filled = JsFuture::from(stream.write_with_js_u8_array(&Uint8Array::from(bytes))?).await;
    // The last chance to stop: closing the stream replaces the file's content.
    let untouched = stamp(Some(&here().await?)) == stamp(Some(&seen));
    if filled.is_err() || !untouched {
        JsFuture::from(stream.abort()).await?;
        filled?;
        return Err(JsValue::from_str(CHANGED));
    }
    JsFuture::from(stream.close()).await?;
    here().await
}

const CHANGED: &str = "it changed on disk just now";

fn stamp(file: Option<&File>) -> Option<(f64, f64)> {
    file.map(|file| (file.size(), file.last_modified()))
}

async fn find(
    top: &FileSystemHandle,
    path: &str,
    make: bool,
) -> Result<FileSystemFileHandle, JsValue> {
    if path.is_empty() {
        return Ok(top.clone().unchecked_into());
    }
    let mut folder: FileSystemDirectoryHandle = top.clone().unchecked_into();
    let (folders, name) = path
        .rsplit_once('/')
        .map_or((None, path), |(folders, name)| (Some(folders), name));
    for part in folders.into_iter().flat_map(|folders| folders.split('/')) {
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(make);
        folder = JsFuture::from(folder.get_directory_handle_with_options(part, &options))
            .await?
            .unchecked_into();
    }
    let options = FileSystemGetFileOptions::new();
    options.set_create(make);
    Ok(
        JsFuture::from(folder.get_file_handle_with_options(name, &options))
            .await?
            .unchecked_into(),
    )
}

/// Returns the folder for files without one: a new folder `name` in `top`, or `top` itself if it is
/// empty and has this name. The error explains why there is none.
pub async fn folder_for(
    top: &FileSystemDirectoryHandle,
    name: &str,
) -> Result<FileSystemDirectoryHandle, String> {
    let folder = async {
        if top.name() == name && is_empty(top).await? {
            return Ok(top.clone());
        }
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let made = JsFuture::from(top.get_directory_handle_with_options(name, &options)).await?;
        let made: FileSystemDirectoryHandle = made.unchecked_into();
        match is_empty(&made).await? {
            true => Ok(made),
            false => Err(JsValue::from_str(&format!(
                "{} already has a folder {name} that is not empty. Choose another folder",
                top.name()
            ))),
        }
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

/// Whether a handle is a folder.
pub fn is_folder(handle: &FileSystemHandle) -> bool {
    handle.kind() == FileSystemHandleKind::Directory
}

fn error_name(error: &JsValue) -> String {
    property(error, "name").as_string().unwrap_or_default()
}

fn is_missing(error: &JsValue) -> bool {
    error_name(error) == "NotFoundError"
}

/// Describes why a file could not be read or written: our text for common cases, else the
/// browser's.
fn error_text(error: &JsValue) -> String {
    why(&error_name(error), &error_message(error))
}

/// Replaces the name and message of a common browser error by our text.
fn why(name: &str, message: &str) -> String {
    let ours = match name {
        "NotAllowedError" => "the browser may not write there",
        "NoModificationAllowedError" => "it is read-only, or another program has locked it",
        "TypeMismatchError" => {
            "a folder already has this name, or a file has the name of its folder"
        }
        "QuotaExceededError" => "the disk is full",
        "NotFoundError" => "its folder no longer exists",
        "NotReadableError" => "it cannot be read",
        "TypeError" if message.contains("not allowed") => crate::state::save_state::REFUSED_NAME,
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
    ours.to_owned()
}

/// Asks for the parent folder. Returns `None` if the user cancels or denies writing.
pub async fn pick_parent() -> Result<Option<FileSystemDirectoryHandle>, String> {
    let Some(folder) = pick_handle("readwrite").await else {
        return Ok(None);
    };
    let is_allowed = permit(&folder, Access::Write).await?;
    Ok(is_allowed.then_some(folder))
}

/// Writes files below a folder; paths use `/`. Their top folder must not exist yet, and is removed
/// again if a file cannot be written.
pub async fn write_new_folder(
    parent: &FileSystemDirectoryHandle,
    files: &[(String, Vec<u8>)],
) -> Result<(), String> {
    let tops: BTreeSet<&str> = files
        .iter()
        .map(|(path, _)| path.split('/').next().unwrap_or(path))
        .collect();
    for top in &tops {
        if is_there(parent, top).await {
            return Err(format!(
                "{top} already exists; choose another name or another folder"
            ));
        }
    }
    for (path, bytes) in files {
        if let Err(why) = write(parent.unchecked_ref(), path, None, bytes).await {
            for top in &tops {
                let options = FileSystemRemoveOptions::new();
                options.set_recursive(true);
                // If it cannot be removed, the message reports it as incomplete.
                let _ = JsFuture::from(parent.remove_entry_with_options(top, &options)).await;
            }
            return Err(format!("{path}: {why}"));
        }
    }
    Ok(())
}

/// Whether a folder has an entry with this name.
async fn is_there(folder: &FileSystemDirectoryHandle, name: &str) -> bool {
    let (as_folder, as_file) = (
        FileSystemGetDirectoryOptions::new(),
        FileSystemGetFileOptions::new(),
    );
    let lookups = [
        folder.get_directory_handle_with_options(name, &as_folder),
        folder.get_file_handle_with_options(name, &as_file),
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

const WRITE_ALL: &str = "writeAll";

/// A file to write: its relative path, its previous state (`None`: it did not exist), and its new
/// bytes.
#[derive(Debug, Clone)]
pub struct ServedFile {
    pub below: String,
    pub seen: Option<File>,
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
            let seen = file
                .seen
                .as_ref()
                .map_or(JsValue::NULL, |seen| seen.clone().into());
            list.push(&Array::of3(
                &file.below.as_str().into(),
                &seen,
                &Uint8Array::from(&*file.bytes),
            ));
        }
        let written = promise(folder, WRITE_ALL, &list).ok_or("the folder is not served")?;
        Ok::<Array, JsValue>(JsFuture::from(written).await?.unchecked_into())
    };
    let written = write.await.map_err(|error| error_message(&error))?;
    Ok(written.iter().map(JsCast::unchecked_into).collect())
}

/// Number of files probed at once.
const AT_ONCE: usize = 64;

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
        // A disconnected drive or an ended program lists nothing. That does not mean that the files
        // are deleted: keep the open ones.
        if walk.files.is_empty() && !walk.unreadable.is_empty() {
            return DiskChange::default();
        }
        DiskChange {
            paths: differences(opened, &walk),
            walk: Some(walk),
        }
    } else {
        DiskChange {
            paths: unreadable(opened).await,
            walk: None,
        }
    }
}

fn differences(opened: &[PickedFile], walk: &FileWalk) -> Vec<String> {
    let stamp = |picked: &PickedFile| {
        (
            picked.file.size() as u64,
            picked.file.last_modified() as u64,
        )
    };
    let now: BTreeMap<&str, (u64, u64)> = walk
        .files
        .iter()
        .map(|f| (f.path.as_str(), stamp(f)))
        .collect();
    let then: BTreeMap<&str, (u64, u64)> =
        opened.iter().map(|f| (f.path.as_str(), stamp(f))).collect();
    let mut paths: Vec<String> = then
        .iter()
        .filter(|(path, stamp)| now.get(*path) != Some(stamp))
        .map(|(path, _)| (*path).to_owned())
        .collect();
    paths.extend(
        now.keys()
            .filter(|path| !then.contains_key(*path))
            .map(|path| (*path).to_owned()),
    );
    paths.sort();
    paths
}

async fn unreadable(opened: &[PickedFile]) -> Vec<String> {
    let mut paths = Vec::new();
    for batch in opened.chunks(AT_ONCE) {
        let readable = join_all(batch.iter().map(|picked| is_readable(&picked.file))).await;
        let gone = batch.iter().zip(readable).filter(|(_, readable)| !readable);
        paths.extend(gone.map(|(picked, _)| picked.path.clone()));
    }
    paths
}

/// Whether the file is unchanged: reads the first byte. Changes of an empty file go unnoticed,
/// because it always reads as empty.
pub async fn is_readable(file: &web_sys::File) -> bool {
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
            why(
                "NoModificationAllowedError",
                "Modifications are not allowed."
            )
            .starts_with("it is read-only")
        );
        assert!(
            why(
                "UnknownError",
                "The operation failed for an unknown transient reason"
            )
            .contains("disk is full")
        );
        assert!(why("TypeError", "Name is not allowed.").contains("zip"));
        assert_eq!(why("", CHANGED), CHANGED);
    }
}
