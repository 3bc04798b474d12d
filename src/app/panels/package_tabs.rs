//! The package tabs above the center; hidden if there is only one.

use crate::context::{AppContext, app_context};
use crate::edits::suggestions::catalog_name;
use crate::reactive::memo;
use crate::widgets::closable_tabs::{ClosableTab, ClosableTabs};
use crate::widgets::dom;
use leptos::prelude::*;

/// Id of the tabs' content.
pub const SHOWN: &str = "package-shown";

#[component]
pub fn PackageTabs() -> impl IntoView {
    let app = app_context();
    let has_several = memo(move |_| app.tabs.opened().with(|opened| opened.tabs().len() > 1));
    let close = move |id: u32| {
        let had_focus = dom::focused_element()
            .is_some_and(|element| element.closest("[role=tablist]").ok().flatten().is_some());
        app.close_tab(id);
        if had_focus && !has_several.get_untracked() {
            dom::focus_first(".centre-bar");
        }
    };
    view! {
        <Show when=move || has_several.get()>
            <ClosableTabs
                label="Open packages"
                controls=SHOWN
                tabs=Signal::derive(move || tabs(app))
                selected=Signal::derive(move || app.tabs.opened().with(|opened| opened.current()))
                mark="edited"
                marked=Signal::derive(move || edited_tabs(app))
                second=Signal::derive(move || app.tabs.opened().with(|opened| opened.second().map(|open| open.id)))
                on_select=move |id| app.go_to_tab(id)
                on_close=close
            />
        </Show>
    }
    .into_any()
}

/// Tabs of packages with unsaved edits.
fn edited_tabs(app: AppContext) -> Vec<u32> {
    app.tabs.edited().with(|edited| {
        app.tabs.opened().with(|opened| {
            opened
                .tabs()
                .iter()
                .filter(|open| edited.has(&open.place))
                .map(|open| open.id)
                .collect()
        })
    })
}

/// Packages by name; with their catalog if several are open.
fn tabs(app: AppContext) -> Vec<ClosableTab> {
    let roots = app.store.status.with(|status| status.roots.clone());
    app.tabs.opened().with(|opened| {
        let tabs = opened.tabs();
        let first = tabs.first().map(|open| open.place.root.clone());
        let are_several = tabs
            .iter()
            .any(|open| Some(&open.place.root) != first.as_ref());
        tabs.iter()
            .map(|open| {
                let (catalog, package) = (
                    catalog_name(&roots, &open.place.root),
                    open.place.package.clone(),
                );
                let hint =
                    format!("{package} in {catalog}. Press Delete or middle-click to close.");
                let label = if are_several {
                    format!("{package} · {catalog}")
                } else {
                    package
                };
                ClosableTab {
                    id: open.id,
                    label,
                    hint,
                }
            })
            .collect()
    })
}
