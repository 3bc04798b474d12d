//! Creates new folders in a folder picked by the user: all of their files, or nothing.

use super::file_tree::error_message;
use super::folder_access::{self, Access};
use js_sys::{Function, Object, Promise, Reflect};
use std::collections::BTreeSet;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemDirectoryHandle, FileSystemGetDirectoryOptions, FileSystemGetFileOptions,
    FileSystemHandle, FileSystemRemoveOptions,
};

/// Asks for the parent folder. `None`: the user cancelled or denied writing.
pub async fn pick_parent() -> Result<Option<FileSystemDirectoryHandle>, String> {
    let Some(window) = web_sys::window() else {
        return Ok(None);
    };
    let Ok(picker) =
        Reflect::get(&window, &"showDirectoryPicker".into()).and_then(JsCast::dyn_into::<Function>)
    else {
        return Ok(None);
    };
    let options = Object::new();
    let shown_picker = Reflect::set(&options, &"mode".into(), &"readwrite".into())
        .and_then(|_| picker.call1(&window, &options));
    let Ok(picked) = JsFuture::from(
        shown_picker
            .map_err(|error| error_message(&error))?
            .unchecked_into::<Promise>(),
    )
    .await
    else {
        return Ok(None);
    };
    let folder: FileSystemDirectoryHandle = picked.unchecked_into();
    let is_allowed =
        folder_access::permit(folder.unchecked_ref::<FileSystemHandle>(), Access::Write).await?;
    Ok(is_allowed.then_some(folder))
}

/// Writes files below a folder; paths use `/`. Their top folder must not exist yet, and is removed
/// again if a file cannot be written.
pub async fn write(
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
        if let Err(why) = folder_access::write(parent.unchecked_ref(), path, None, bytes).await {
            for top in &tops {
                let options = FileSystemRemoveOptions::new();
                options.set_recursive(true);
                // If it cannot be removed, the message says that it is incomplete.
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
    let found = [
        folder.get_directory_handle_with_options(name, &as_folder),
        folder.get_file_handle_with_options(name, &as_file),
    ];
    for found in found {
        if !JsFuture::from(found)
            .await
            .is_err_and(|error: JsValue| is_missing(&error))
        {
            return true;
        }
    }
    false
}

fn is_missing(error: &JsValue) -> bool {
    Reflect::get(error, &"name".into())
        .ok()
        .and_then(|name| name.as_string())
        .as_deref()
        == Some("NotFoundError")
}
