//! The start page, which is part of `index.html` so that it is usable before the program is loaded.
//! Takes it over from `boot.js`, together with anything dropped or picked by then. Does not know
//! how that is handled.

use super::event_listener::listen;
use super::file_input_ids::{FILES, FOLDER};
use super::file_tree::{FileTree, error_message};
use js_sys::Array;
use leptos::prelude::{LocalStorage, StoredValue, WithValue, document};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, FileSystemDirectoryHandle, HtmlElement, HtmlInputElement};

/// A user request on the start page.
#[derive(Debug, Clone)]
pub enum StartPageAction {
    /// By drop, by an input, by the operating system, or by a picker that was already open.
    FileTree(FileTree),
    /// By the browser's picker, or else by the input.
    Folder,
    Files,
    Sample,
    NewCatalog,
    /// The serving program did not provide its folder, with the reason.
    NotServed(String),
}

/// The start page's element, kept while it is outside the document.
#[derive(Debug, Clone, Copy)]
pub struct StartPage(StoredValue<HtmlElement, LocalStorage>);

#[wasm_bindgen]
extern "C" {
    /// Passes everything opened until now to `take`, and later the result of an open picker.
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
                // So that picking the same item again triggers a change.
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
        // For the page's lifetime: a picker may be open.
        take_given(&take.into_js_value());
        Some(page)
    }

    /// Adds it to the document unless it is already there, which would lose the focus.
    pub fn show(self) {
        self.0.with_value(|main| {
            if let Some(body) = document().body().filter(|_| !main.is_connected()) {
                // Fails only for a node that cannot be a child of the body.
                let _ = body.prepend_with_node_1(main);
            }
        });
    }

    /// Removes it from the document.
    pub fn hide(self) {
        self.0.with_value(|main| main.remove());
    }

    /// The element of this id.
    pub fn part(self, id: &str) -> Option<Element> {
        self.0
            .with_value(|main| main.query_selector(&format!("#{id}")).ok().flatten())
    }
}

/// Parses what `boot.js` took: its name for it, and the object.
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
