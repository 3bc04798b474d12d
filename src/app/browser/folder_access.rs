//! Folders and files on the user's disk, by handle: permission, stat and write. The browser writes
//! to a temporary file and replaces the original when the stream is closed.

use super::file_tree::error_message;
use js_sys::{Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, FileSystemHandle, FileSystemHandleKind, FileSystemWritableFileStream,
};

/// The access needed below a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// Whether this browser supports writable folders.
pub fn is_supported() -> bool {
    web_sys::window()
        .is_some_and(|window| Reflect::has(&window, &"FileSystemHandle".into()).unwrap_or(false))
        && super::file_tree::can_pick_folder()
}

/// Asks the user for permission, unless already answered. The error is the browser's reason for not
/// even asking.
pub async fn permit(handle: &FileSystemHandle, access: Access) -> Result<bool, String> {
    let mode = match access {
        Access::Read => "read",
        Access::Write => "readwrite",
    };
    let permission = async {
        let descriptor = Object::new();
        Reflect::set(&descriptor, &"mode".into(), &mode.into())?;
        // Handles of old browsers have no such method: everything they can do is allowed.
        let Ok(request) = Reflect::get(handle, &"requestPermission".into())?.dyn_into::<Function>()
        else {
            return Ok(true);
        };
        let answer: Promise = request.call1(handle, &descriptor)?.dyn_into()?;
        Ok::<bool, JsValue>(JsFuture::from(answer).await?.as_string().as_deref() == Some("granted"))
    };
    permission.await.map_err(|error| error_message(&error))
}

/// The current file at `path` below `top` (with `/`; "" is `top` itself); `None` if it does not
/// exist.
pub async fn look(top: &FileSystemHandle, path: &str) -> Result<Option<File>, String> {
    let look = async {
        let file = find(top, path, false).await?;
        Ok::<File, JsValue>(JsFuture::from(file.get_file()).await?.unchecked_into())
    };
    match look.await {
        Ok(file) => Ok(Some(file)),
        Err(error) if is(&error, "NotFoundError") => Ok(None),
        Err(error) => Err(error_text(&error)),
    }
}

/// All bytes of a file; the error is the browser's message.
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
            && let Ok(remove) = Reflect::get(&file, &"remove".into())?.dyn_into::<Function>()
        {
            // It was created for this write; if it cannot be removed, an empty file remains.
            let _ = JsFuture::from(remove.call0(&file)?.dyn_into::<Promise>()?).await;
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

/// The folder for files without one: a new one with this name in `top`, or `top` itself if it is
/// empty and has the name. The error is why there is none.
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
    loop {
        let step = JsFuture::from(values.next()?).await?;
        if Reflect::get(&step, &"done".into())?.is_truthy() {
            return Ok(true);
        }
        let handle: FileSystemHandle = Reflect::get(&step, &"value".into())?.unchecked_into();
        if !handle.name().starts_with('.') {
            return Ok(false);
        }
    }
}

/// Whether a handle is a folder.
pub fn is_folder(handle: &FileSystemHandle) -> bool {
    handle.kind() == FileSystemHandleKind::Directory
}

fn is(error: &JsValue, name: &str) -> bool {
    Reflect::get(error, &"name".into())
        .ok()
        .and_then(|found| found.as_string())
        .as_deref()
        == Some(name)
}

/// Why a file could not be read or written: our text for common cases, else the browser's.
fn error_text(error: &JsValue) -> String {
    let name = Reflect::get(error, &"name".into())
        .ok()
        .and_then(|name| name.as_string())
        .unwrap_or_default();
    why(&name, &error_message(error))
}

/// Our text for a browser error's name and message.
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
        // Errors when the disk refuses; they do not reveal the exact cause.
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
