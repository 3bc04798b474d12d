//! Files created in the page that were never on disk.

use super::file_tree::PickedFile;
use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::File;

/// A file with this text and path. Fails only if the browser has no more memory.
pub fn in_memory_file(path: String, text: &str) -> Result<PickedFile, JsValue> {
    let name = path.rsplit('/').next().unwrap_or(&path);
    let file = File::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)), name)?;
    Ok(PickedFile { path, file })
}
