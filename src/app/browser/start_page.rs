//! The start page before the program runs, the sample, and a new version of the page.

use super::document::{FILES, FOLDER, listen};
use super::file_tree::{FileTree, PickedFile, error_message};
use js_sys::{Array, Promise};
use leptos::prelude::{LocalStorage, StoredValue, WithValue, document, window};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Element, Event, File, FileSystemDirectoryHandle, HtmlElement, HtmlInputElement, Response,
};

/// A user request on the start page.
#[derive(Debug, Clone)]
pub enum StartPageAction {
    /// Items from a drop, an input, the operating system, or a picker that was already open.
    FileTree(FileTree),
    /// Open a folder with the browser's picker, or else with the input.
    Folder,
    Files,
    Sample,
    NewCatalog,
    /// The serving program did not provide its folder; contains the reason.
    NotServed(String),
}

/// The start page's element, kept while it is outside the document.
#[derive(Debug, Clone, Copy)]
pub struct StartPage(StoredValue<HtmlElement, LocalStorage>);

#[wasm_bindgen]
extern "C" {
    /// Passes everything opened so far to `take`, and later the result of an open picker.
    #[wasm_bindgen(js_namespace = switchyard, js_name = takeGiven)]
    fn take_given(take: &JsValue);
}

impl StartPage {
    /// Takes over the start page; `hear` receives earlier and later user requests. `None` if
    /// `index.html` has no start page.
    pub fn take_over(hear: impl Fn(StartPageAction) + Clone + 'static) -> Option<Self> {
        let main: HtmlElement = document().get_element_by_id("start")?.dyn_into().ok()?;
        let page = Self(StoredValue::new_local(main));
        for (id, action) in [
            ("start-folder", StartPageAction::Folder),
            ("start-files", StartPageAction::Files),
            ("start-sample", StartPageAction::Sample),
            ("start-new", StartPageAction::NewCatalog),
        ] {
            let hear = hear.clone();
            let button = page.part(id)?;
            listen(&button, "click", move |_: Event| hear(action.clone())).for_good();
        }
        for id in [FOLDER, FILES] {
            let (hear, input) = (
                hear.clone(),
                page.part(id)?.unchecked_into::<HtmlInputElement>(),
            );
            listen(&input.clone(), "change", move |_: Event| {
                hear(StartPageAction::FileTree(FileTree::from_input(&input)));
                // Otherwise picking the same item again triggers no change event.
                input.set_value("");
            })
            .for_good();
        }
        if let Some(boot) = page.part("boot") {
            boot.remove();
        }
        let take = Closure::<dyn Fn(String, JsValue)>::new(move |kind: String, value| {
            if let Some(action) = parse_action(&kind, value) {
                hear(action);
            }
        });
        // The callback lives as long as the page: a picker may be open.
        take_given(&take.into_js_value());
        Some(page)
    }

    /// Adds the start page to the document, unless it is already there: moving it would lose the
    /// focus.
    pub fn show(self) {
        self.0.with_value(|main| {
            if let Some(body) = document().body().filter(|_| !main.is_connected()) {
                // Fails only for a node that cannot be a child of the body.
                let _ = body.prepend_with_node_1(main);
            }
        });
    }

    /// Removes the start page from the document.
    pub fn hide(self) {
        self.0.with_value(|main| main.remove());
    }

    /// Returns the start page's element with this id.
    pub fn part(self, id: &str) -> Option<Element> {
        self.0
            .with_value(|main| main.query_selector(&format!("#{id}")).ok().flatten())
    }
}

/// Parses an item that `boot.js` took: `kind` is its name for `value`.
fn parse_action(kind: &str, value: JsValue) -> Option<StartPageAction> {
    Some(match kind {
        "dropped" => {
            StartPageAction::FileTree(FileTree::from_items(&value.unchecked_into::<Array>()))
        }
        "picked" => StartPageAction::FileTree(FileTree::from_picked(
            value
                .unchecked_into::<Array>()
                .iter()
                .map(JsCast::unchecked_into),
        )),
        "folder" => StartPageAction::FileTree(FileTree::from_handle(
            value.unchecked_ref::<FileSystemDirectoryHandle>(),
        )),
        "launched" => StartPageAction::FileTree(FileTree::from_handles(
            value
                .unchecked_into::<Array>()
                .iter()
                .map(JsCast::unchecked_into),
        )),
        "sample" => StartPageAction::Sample,
        "new" => StartPageAction::NewCatalog,
        "not-served" => StartPageAction::NotServed(error_message(&value)),
        _ => return None,
    })
}

/// A static host lists no folders, so the sample's files are named here.
const SAMPLE_FILES: [&str; 3] = [
    "lantern/catalog.yaml",
    "tidewater/catalog.yaml",
    "switchboard/catalog.json",
];

/// Fetches the sample from the page's own origin.
pub async fn fetch_sample() -> Result<FileTree, JsValue> {
    let mut files = Vec::new();
    for path in SAMPLE_FILES {
        let response: Response = JsFuture::from(window().fetch_with_str(&format!("sample/{path}")))
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

/// Whether these are the sample's paths. `paths` must be sorted.
pub fn is_sample<'a>(paths: impl Iterator<Item = &'a str>) -> bool {
    let mut files: Vec<String> = SAMPLE_FILES
        .iter()
        .map(|file| format!("sample/{file}"))
        .collect();
    files.sort();
    paths.eq(files.iter().map(String::as_str))
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyard, js_name = hearOfNewer)]
    fn hear_of_newer(tell: &JsValue);

    #[wasm_bindgen(js_namespace = switchyard, js_name = startNewer)]
    fn start_newer() -> Promise;
}

/// Calls `tell` for each newer version.
pub fn on_new_version(tell: impl Fn() + 'static) {
    // The callback lives as long as the page.
    hear_of_newer(&Closure::<dyn Fn()>::new(tell).into_js_value());
}

/// Starts the new version by reloading the page, unless other tabs have it open. Returns the number
/// of other tabs.
pub async fn start_new_version() -> u32 {
    let others = JsFuture::from(start_newer())
        .await
        .ok()
        .and_then(|others| others.as_f64());
    others.map_or(0, |others| others as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_list_names_every_file_of_the_sample() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/sample");
        let mut present = Vec::new();
        for folder in std::fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            for file in std::fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                present.push(
                    file.strip_prefix(&root)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .replace('\\', "/"),
                );
            }
        }
        let mut listed = SAMPLE_FILES.to_vec();
        listed.sort_unstable();
        present.sort_unstable();
        assert_eq!(present, listed);
    }
}
