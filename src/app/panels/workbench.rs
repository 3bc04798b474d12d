//! The workbench: the panels around the center, and the order in which they are built. The frame
//! has the verdict, so it comes first; then the center; last the details.

use super::banners::Banners;
use super::bottom_panel::BottomPanel;
use super::busy_note::BusyNote;
use super::centre::CentrePanel;
use super::consequence_bar::ConsequenceBar;
use super::drawers::Drawers;
use super::header::Header;
use super::inspector::Inspector;
use super::menus::Menus;
use super::new_version::NewVersionBanner;
use super::pane_splitter::{PaneSplitter, pane_width};
use super::side::Side;
use super::start_page::Opening;
use super::status_bar::StatusBar;
use super::unsaved_work::UnfinishedOffer;
use crate::context::AppContext;
use crate::features::repository::RepositoryPanel;
use crate::state::panel_layout::Pane;
use crate::widgets::dom;
use leptos::prelude::*;

/// The built part of the workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Built {
    /// The header, catalogs, packages, and the bar with the verdict.
    #[default]
    Frame,
    /// Also the views of the package, and the strip below.
    Centre,
    /// Also the inspector, menus and drawers.
    Whole,
}

impl Built {
    /// The next stage; `None` when everything is built.
    pub fn next(self) -> Option<Self> {
        match self {
            Self::Frame => Some(Self::Centre),
            Self::Centre => Some(Self::Whole),
            Self::Whole => None,
        }
    }
}

#[component]
pub fn Workbench(app: AppContext, #[prop(into)] built: Signal<Built>) -> impl IntoView {
    view! {
        <div
            class="workbench"
            style=("--side", pane_width(app.workbench, Pane::Side))
            style=("--inspector", pane_width(app.workbench, Pane::Inspector))
            data-away=move || away(app)
            data-view=move || if app.repository.is_shown().get() { "repository" } else { "catalog" }
            data-drawer=move || app.workbench.drawer().get().map(Pane::name)
            on:keydown=move |event| leave_drawer(app, &event)
        >
            <Header/>
            <Side/>
            <main class="middle">
                <PaneSplitter pane=Pane::Side/>
                <BusyNote app/>
                <Banners/>
                <NewVersionBanner app/>
                <UnfinishedOffer/>
                <Show when=move || app.current.progress.get().is_some()>
                    <div class="banner"><Opening app/></div>
                </Show>
                <Show when=move || { built.get() >= Built::Centre }>
                    {move || match app.repository.is_shown().get() {
                        true => view! { <RepositoryPanel/> }.into_any(),
                        false => view! { <CentrePanel/> }.into_any(),
                    }}
                    <ConsequenceBar/>
                    <BottomPanel/>
                </Show>
                <Show when=move || built.get() == Built::Whole>
                    <Menus/>
                </Show>
                <PaneSplitter pane=Pane::Inspector/>
            </main>
            <Show when=move || built.get() == Built::Whole>
                <Inspector/>
                <Drawers/>
            </Show>
            <StatusBar/>
        </div>
    }
    .into_any()
}

/// Names of the hidden panels for the style sheet.
fn away(app: AppContext) -> String {
    let frame = app.workbench.frame().get();
    let away: Vec<&str> = Pane::EACH
        .into_iter()
        .filter(|pane| frame.is_away(*pane))
        .map(Pane::name)
        .collect();
    away.join(" ")
}

/// Escape closes the panel over the center of a narrow window, unless something else handled it.
fn leave_drawer(app: AppContext, event: &web_sys::KeyboardEvent) {
    if event.key() == "Escape" && !event.default_prevented() && !dom::dialog_is_open() {
        app.workbench.close_drawer();
    }
}
