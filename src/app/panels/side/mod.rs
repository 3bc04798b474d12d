//! The left panel: catalogs with their verdicts, other files, and the packages of the catalog in
//! view.

mod catalogs;
mod package_filter;
mod package_list;
pub mod packages;

use crate::widgets::list_cursor::Axis;
use crate::widgets::roving_focus;
use catalogs::Catalogs;
use leptos::prelude::*;
use packages::Packages;

#[component]
pub fn Side() -> impl IntoView {
    view! {
        <nav class="side" id="pane-side" aria-label="Catalogs and packages">
            <Catalogs/>
            <Packages/>
        </nav>
    }
    .into_any()
}

/// Arrow keys move the focus between the buttons of a list.
fn rove(event: &web_sys::KeyboardEvent) {
    roving_focus::rove(event, "button", Axis::Vertical);
}
