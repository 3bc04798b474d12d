//! The sample catalog, which ships with the page: the only thing besides its own program that the
//! page ever fetches.

use super::file_tree::{FileTree, PickedFile};
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, Response};

/// A static host lists no folders, so the sample's files are named here.
const FILES: [&str; 3] = [
    "lantern/catalog.yaml",
    "tidewater/catalog.yaml",
    "switchboard/catalog.json",
];

/// Fetches the sample from the page's own origin.
pub async fn fetch() -> Result<FileTree, JsValue> {
    let window = web_sys::window().ok_or("no window")?;
    let mut files = Vec::new();
    for path in FILES {
        let response: Response = JsFuture::from(window.fetch_with_str(&format!("sample/{path}")))
            .await?
            .dyn_into()?;
        if !response.ok() {
            return Err(JsValue::from_str(&format!(
                "sample/{path}: {}",
                response.status()
            )));
        }
        let bytes = JsFuture::from(response.array_buffer()?).await?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let file = File::new_with_buffer_source_sequence(&Array::of1(&bytes), name)?;
        files.push(PickedFile {
            path: format!("sample/{path}"),
            file,
        });
    }
    Ok(FileTree::from_files(files))
}

/// Whether these are the sample's paths.
pub fn is_sample<'a>(paths: impl Iterator<Item = &'a str>) -> bool {
    let mut files: Vec<String> = FILES.iter().map(|file| format!("sample/{file}")).collect();
    files.sort();
    paths.eq(files.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_list_names_every_file_of_the_sample() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/sample");
        let mut found = Vec::new();
        for folder in std::fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            for file in std::fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                found.push(
                    file.strip_prefix(&root)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .replace('\\', "/"),
                );
            }
        }
        let mut listed = FILES.to_vec();
        listed.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, listed);
    }
}
