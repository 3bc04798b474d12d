//! Dropping and picking files: the target under dragged files (a package in the list, or a lane of
//! the graph, found by data attributes), and the question before the files replace an open session.
//!
//! The workbench has two file inputs, used by buttons, tests, and browsers without a folder picker;
//! the start page has its own in `index.html`. They are hidden and not tab stops, since each has a
//! button.

use crate::browser::document::{FILE_INPUT, FOLDER_INPUT};
use crate::browser::file_tree::FileTree;
use crate::context::drops::{self, DropPosition};
use crate::context::unfinished_work;
use crate::prelude::*;
use crate::widgets::dialog::{Dialog, Size};
use leptos::ev::DragEvent;
use protocol::counting::first_of;
use protocol::request::OpenMode;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The target of dragged files, and the effect of a drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropHover {
    pub place: DropPosition,
    pub text: String,
}

/// Selector of elements that accept a bundle.
const TARGET_SELECTOR: &str =
    ".row[data-package], .lane[data-channel], .lane-heading[data-channel]";
const MARK: &str = "data-held-over";
/// Maximum number of files named in the title.
const MAX_NAMED_FILES: usize = 2;

impl DropHover {
    /// Finds the target of the event and marks it.
    pub fn from_event(app: AppContext, event: &DragEvent) -> Self {
        if !app.current.is_open.get_untracked() {
            return Self {
                place: DropPosition::default(),
                text: "Drop to open".to_owned(),
            };
        }
        let target = dom::closest(event.target(), TARGET_SELECTOR).or_else(|| find_lane(event));
        let attribute = |name: &str| {
            target
                .as_ref()
                .and_then(|target| target.get_attribute(name))
        };
        let channel = attribute("data-channel").filter(|_| !is_removed(target.as_ref()));
        let place = match (attribute("data-package"), channel) {
            (Some(package), _) => DropPosition {
                package,
                channel: String::new(),
            },
            (None, Some(channel)) => DropPosition {
                package: app.current.package.get_untracked(),
                channel,
            },
            (None, None) => DropPosition::default(),
        };
        mark(target.filter(|_| !place.package.is_empty()));
        let text = match (place.package.as_str(), place.channel.as_str()) {
            ("", _) => "Drop a catalog to open it, or a bundle to add it".to_owned(),
            (package, "") => format!("Drop a bundle to add it to {package}"),
            (_, channel) => format!("Drop a bundle to add it to channel {channel}"),
        };
        Self { place, text }
    }
}

/// Marks this element and no other.
pub fn mark(target: Option<Element>) {
    let marked = document()
        .query_selector(&format!("[{MARK}]"))
        .ok()
        .flatten();
    if marked == target {
        return;
    }
    if let Some(marked) = marked {
        // Neither can fail for a valid attribute name.
        let _ = marked.remove_attribute(MARK);
    }
    if let Some(target) = target {
        let _ = target.set_attribute(MARK, "");
    }
}

/// Finds the lane at the height of an event, even beyond the lane's end.
fn find_lane(event: &DragEvent) -> Option<Element> {
    let area = dom::closest(event.target(), ".graph-area")?;
    let headings = area
        .query_selector_all(".lane-heading[data-channel] > .lane-hit")
        .ok()?;
    let y = f64::from(event.client_y());
    let hit = (0..headings.length()).find_map(|index| {
        let hit: Element = headings.get(index)?.dyn_into().ok()?;
        let rect = hit.get_bounding_client_rect();
        (rect.top() <= y && y < rect.bottom()).then_some(hit)
    });
    hit?.parent_element()
}

fn is_removed(target: Option<&Element>) -> bool {
    target.is_some_and(|target| target.class_list().contains("lane-removed"))
}

#[component]
pub fn DropDialog() -> impl IntoView {
    let app = app_context();
    let edits = untrack(|| app.store.status.unsaved_edit_count());
    let names = app.drops.dropped_names();
    let title = format!("Open {}", title_names(&names));
    let it = if names.len() == 1 { "it" } else { "them" };
    view! {
        <Dialog title size=Size::Small on_close=move |()| drops::open_dropped(app, None)>
            <div class="dialog-body">
                <p>{format!("Add {it} beside what is open, compare {it} with the catalog in view, or replace what is open?")}</p>
                {(edits > 0)
                    .then(|| {
                        view! {
                            <p class="dim">
                                {unfinished_work::replace_warning(app, edits)}
                            </p>
                        }
                    })}
            </div>
            <div class="dialog-foot">
                <Button label="Cancel" look=Look::Quiet on_press=move |()| drops::open_dropped(app, None)/>
                <Button label="Replace" on_press=move |()| drops::open_dropped(app, Some(OpenMode::Replace))/>
                <Button label="Compare" on_press=move |()| drops::compare_dropped(app)/>
                <Button label="Add" look=Look::Primary on_press=move |()| drops::open_dropped(app, Some(OpenMode::Add))/>
            </div>
        </Dialog>
    }
    .into_any()
}

/// Names the files for the title; further ones are counted.
fn title_names(names: &[String]) -> String {
    if names.is_empty() {
        "files".to_owned()
    } else {
        first_of(names.iter(), MAX_NAMED_FILES)
    }
}

#[component]
pub fn FileInputs() -> impl IntoView {
    let app = app_context();
    let folder = NodeRef::<html::Input>::new();
    let files = NodeRef::<html::Input>::new();
    let offer_files = move |input: NodeRef<html::Input>| {
        if let Some(input) = input.get_untracked() {
            drops::offer(app, FileTree::from_input(&input));
            // Reset the value, so that picking the same item again triggers a change.
            input.set_value("");
        }
    };
    view! {
        <div class="visually-hidden">
            <label for=FOLDER_INPUT>"Catalog folder"</label>
            <input node_ref=folder id=FOLDER_INPUT type="file" tabindex="-1" prop:webkitdirectory=true on:change=move |_| offer_files(folder)/>
            <label for=FILE_INPUT>"Catalog files"</label>
            <input node_ref=files id=FILE_INPUT type="file" tabindex="-1" multiple on:change=move |_| offer_files(files)/>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::title_names;

    #[test]
    fn names_the_dropped_files() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(title_names(&names(&["hub"])), "hub");
        assert_eq!(
            title_names(&names(&["a.yaml", "b.yaml", "c.yaml"])),
            "a.yaml, b.yaml and 1 more"
        );
    }
}
