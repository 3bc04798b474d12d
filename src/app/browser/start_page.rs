//! The static start page of `index.html`, the sample catalogs, and the check for new versions of
//! the page. `boot.js` implements the JavaScript functions.

use super::document::{FILE_INPUT, FOLDER_INPUT, listen};
use super::file_tree::{FileTree, PickedFile, error_message};
use js_sys::{Array, Promise};
use leptos::prelude::{LocalStorage, StoredValue, WithValue, document, window};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event, File, HtmlElement, HtmlInputElement, Response};

/// Files of the sample: a static host lists no folders.
const SAMPLE_FILES: [&str; 3] = [
    "lantern/catalog.yaml",
    "tidewater/catalog.yaml",
    "switchboard/catalog.json",
];

/// A user action on the start page.
#[derive(Debug, Clone)]
pub enum StartPageAction {
    /// Items from a drop, an input, the operating system, or a picker that was already open.
    FileTree(FileTree),
    /// Open a folder with the browser's picker, or else with the input.
    Folder,
    Files,
    Sample,
    NewCatalog,
    /// The serving program did not provide its folder, for this reason.
    NotServed(String),
}

/// The start page's element, kept while it is outside the document.
#[derive(Debug, Clone, Copy)]
pub struct StartPage(StoredValue<HtmlElement, LocalStorage>);

#[wasm_bindgen]
extern "C" {
    /// Passes the user's last action so far to `on_action`, and later the result of an open picker.
    #[wasm_bindgen(js_namespace = switchyard, js_name = takeOver)]
    fn take_over(on_action: &JsValue);

    #[wasm_bindgen(js_namespace = switchyard, js_name = onNewVersion)]
    fn notify_new_version(callback: &JsValue);

    #[wasm_bindgen(js_namespace = switchyard, js_name = startNewVersion)]
    fn start_waiting_version() -> Promise;
}

impl StartPage {
    /// Takes over the start page from `boot.js`; `on_action` receives earlier and later actions.
    /// `None` if `index.html` has no start page.
    pub fn take_over(on_action: impl Fn(StartPageAction) + Clone + 'static) -> Option<Self> {
        let main: HtmlElement = document().get_element_by_id("start")?.dyn_into().ok()?;
        let page = Self(StoredValue::new_local(main));
        for (id, action) in [
            ("start-folder", StartPageAction::Folder),
            ("start-files", StartPageAction::Files),
            ("start-sample", StartPageAction::Sample),
            ("start-new", StartPageAction::NewCatalog),
        ] {
            let on_action = on_action.clone();
            let button = page.part(id)?;
            listen(&button, "click", move |_: Event| on_action(action.clone())).permanently();
        }
        for id in [FOLDER_INPUT, FILE_INPUT] {
            let on_action = on_action.clone();
            let input: HtmlInputElement = page.part(id)?.unchecked_into();
            listen(&input.clone(), "change", move |_: Event| {
                on_action(StartPageAction::FileTree(FileTree::from_input(&input)));
                // Otherwise picking the same item again triggers no change event.
                input.set_value("");
            })
            .permanently();
        }
        if let Some(boot) = page.part("boot") {
            boot.remove();
        }
        let callback = Closure::<dyn Fn(String, JsValue)>::new(move |kind: String, value| {
            if let Some(action) = parse_action(&kind, value) {
                on_action(action);
            }
        });
        // The callback lives as long as the page: a picker may be open.
        take_over(&callback.into_js_value());
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

    pub fn hide(self) {
        self.0.with_value(|main| main.remove());
    }

    /// Finds an element of the start page by id, even while the page is outside the document.
    pub fn part(self, id: &str) -> Option<Element> {
        self.0
            .with_value(|main| main.query_selector(&format!("#{id}")).ok().flatten())
    }
}

fn parse_action(kind: &str, value: JsValue) -> Option<StartPageAction> {
    let items = || value.unchecked_ref::<Array>().iter();
    let tree = match kind {
        "dropped" => FileTree::from_items(value.unchecked_ref()),
        "picked" => FileTree::from_picked(items().map(JsCast::unchecked_into)),
        "folder" => FileTree::from_handle(value.unchecked_ref()),
        "launched" => FileTree::from_handles(items().map(JsCast::unchecked_into)),
        "sample" => return Some(StartPageAction::Sample),
        "new" => return Some(StartPageAction::NewCatalog),
        "not-served" => return Some(StartPageAction::NotServed(error_message(&value))),
        _ => return None,
    };
    Some(StartPageAction::FileTree(tree))
}

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

/// Calls `callback` whenever a newer version is ready, for as long as the page lives.
pub fn on_new_version(callback: impl Fn() + 'static) {
    notify_new_version(&Closure::<dyn Fn()>::new(callback).into_js_value());
}

/// Starts the new version by reloading the page, unless other tabs have it open. Returns the number
/// of other tabs.
pub async fn start_new_version() -> u32 {
    let other_tabs = JsFuture::from(start_waiting_version()).await;
    let count = other_tabs.ok().and_then(|count| count.as_f64());
    count.map_or(0, |count| count as u32)
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
