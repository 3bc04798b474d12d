//! The two file inputs of the workbench; the start page has its own in `index.html`. Used by
//! buttons, tests, and browsers without a folder picker. They are hidden and not tab stops, since
//! each has a button.

use crate::browser::file_input_ids::{FILES, FOLDER};
use crate::browser::file_tree::FileTree;
use crate::context::app_context;
use leptos::html;
use leptos::prelude::*;

#[component]
pub fn FileInputs() -> impl IntoView {
    let app = app_context();
    let folder = NodeRef::<html::Input>::new();
    let files = NodeRef::<html::Input>::new();
    let changed = move |input: NodeRef<html::Input>| {
        if let Some(input) = input.get_untracked() {
            app.drops.offer(FileTree::from_input(&input));
            // So that picking the same item again triggers a change.
            input.set_value("");
        }
    };
    view! {
        <div class="visually-hidden">
            <label for=FOLDER>"Catalog folder"</label>
            <input node_ref=folder id=FOLDER type="file" tabindex="-1" prop:webkitdirectory=true on:change=move |_| changed(folder)/>
            <label for=FILES>"Catalog files"</label>
            <input node_ref=files id=FILES type="file" tabindex="-1" multiple on:change=move |_| changed(files)/>
        </div>
    }
    .into_any()
}
