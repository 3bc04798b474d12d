//! Folders that were listed while somebody looked what was dropped, for the open that follows at once: a browser takes longer
//! to list the folders of a catalog than to read a small one. Later walks see the disk as it is then.

use super::file_tree::Node;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsValue;

type Children = BTreeMap<String, Node>;

/// Folders by path, each listed to its end; nothing is kept until [`Listings::keep`].
#[derive(Debug, Clone, Default)]
pub(super) struct Listings(Option<Rc<RefCell<BTreeMap<String, Children>>>>);

impl Listings {
    /// From now on each folder is listed once.
    pub(super) fn keep(&mut self) {
        self.0 = Some(Rc::default());
    }

    /// The next walk lists all folders anew.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// What is in a folder. `goes_on` is called with the number found so far; once it returns false, the rest is skipped.
    pub(super) async fn children(
        &self,
        path: &str,
        folder: &Node,
        goes_on: &impl Fn(usize) -> bool,
    ) -> Result<Children, JsValue> {
        let Some(known) = &self.0 else {
            return folder.children(goes_on).await;
        };
        // Cloned out of the borrow, which must not last while something is awaited.
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
