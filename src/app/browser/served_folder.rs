//! The folder provided by the serving program, in the form of a browser handle (`host.js` of
//! `switchyard serve`). It is read like any other, and written as a whole.

use super::file_tree::error_message;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileSystemHandle};

const WRITE_ALL: &str = "writeAll";

/// A file to write: its relative path, its previous state (`None`: it did not exist), and its new
/// bytes.
#[derive(Debug, Clone)]
pub struct ServedFile {
    pub below: String,
    pub seen: Option<File>,
    pub bytes: Vec<u8>,
}

/// Whether a handle is the serving program's, which writes all files of a save or none.
pub fn is_served(handle: &FileSystemHandle) -> bool {
    writer(handle).is_some()
}

/// Writes all files or none. Returns the new files in the same order.
pub async fn write_all(
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
        let write = writer(folder).ok_or("the folder is not served")?;
        let written: Promise = write.call1(folder, &list)?.dyn_into()?;
        Ok::<Array, JsValue>(JsFuture::from(written).await?.unchecked_into())
    };
    let written = write.await.map_err(|error| error_message(&error))?;
    Ok(written.iter().map(JsCast::unchecked_into).collect())
}

fn writer(handle: &FileSystemHandle) -> Option<Function> {
    Reflect::get(handle, &WRITE_ALL.into())
        .ok()?
        .dyn_into()
        .ok()
}
