//! The page's two file inputs: the start page has them in `index.html`, the workbench its own.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

pub const FOLDER: &str = "catalog-folder";
pub const FILES: &str = "catalog-files";

/// Opens the folder input.
pub fn click_folder() {
    click(FOLDER);
}

/// Opens the file input.
pub fn click_files() {
    click(FILES);
}

fn click(id: &str) {
    if let Some(input) = document()
        .get_element_by_id(id)
        .and_then(|found| found.dyn_into::<HtmlInputElement>().ok())
    {
        input.click();
    }
}
