//! Caches folder listings between examining dropped files and opening them: listing a catalog's
//! folders takes longer than reading a small catalog. Later walks list again.

use super::file_tree::Node;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsValue;

type Children = BTreeMap<String, Node>;

/// Complete listings by path; `None` until [`Listings::keep`].
#[derive(Debug, Clone, Default)]
pub(super) struct Listings(Option<Rc<RefCell<BTreeMap<String, Children>>>>);

impl Listings {
    /// Starts caching.
    pub(super) fn keep(&mut self) {
        self.0 = Some(Rc::default());
    }

    /// Clears the cache.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// The entries of a folder. `goes_on` is called with the number found so far; once it returns
    /// false, the rest is skipped.
    pub(super) async fn children(
        &self,
        path: &str,
        folder: &Node,
        goes_on: &impl Fn(usize) -> bool,
    ) -> Result<Children, JsValue> {
        let Some(known) = &self.0 else {
            return folder.children(goes_on).await;
        };
        // Cloned, since the borrow must not last across an await.
        let listed = known.borrow().get(path).cloned();
        if let Some(listed) = listed {
            return Ok(listed);
        }
        let is_whole = Cell::new(true);
        let hears = |found: usize| {
            let on = goes_on(found);
            is_whole.set(is_whole.get() && on);
            on
        };
        let children = folder.children(&hears).await?;
        if is_whole.get() {
            known.borrow_mut().insert(path.to_owned(), children.clone());
        }
        Ok(children)
    }
}
