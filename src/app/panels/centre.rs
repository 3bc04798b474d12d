//! The center of the workbench: the graph, table or source.

use super::graph_panes::GraphPanes;
use super::header::UpgradeQueryBar;
use super::missing_parts::{EmptyCatalog, MissingParts, is_empty_catalog};
use super::package_tabs::{PackageTabs, SHOWN};
use super::selection_bar::SelectionBar;
use crate::commands::Command;
use crate::components::template_bar::TemplateBar;
use crate::components::template_note::SourceNote;
use crate::context::{AppContext, app_context};
use crate::features::source::Source;
use crate::features::table::Table;
use crate::features::upgrade::{Compare, EveryoneQuery, EveryoneStrip, EveryoneTable};
use crate::reactive::memo;
use crate::state::store::Tab as Centre;
use crate::widgets::button::IconButton;
use crate::widgets::icon::Icon;
use crate::widgets::tabs::{Tab, TabRow};
use leptos::prelude::*;
use protocol::upgrades::Baseline;

const fn tab(key: &'static str, label: &'static str, command: Command) -> Tab {
    Tab {
        key,
        label,
        keys: command.keys(),
    }
}

const TABS: &[Tab] = &[
    tab("graph", "Graph", Command::Graph),
    tab("table", "Table", Command::Table),
    tab("everyone", "Upgrade map", Command::Everyone),
    tab("compare", "Compare", Command::Compare),
    tab("source", "Source", Command::Source),
];

fn key(centre: Centre) -> &'static str {
    match centre {
        Centre::Graph => "graph",
        Centre::Table => "table",
        Centre::Everyone => "everyone",
        Centre::Compare => "compare",
        Centre::Source => "source",
    }
}

#[component]
pub fn CentrePanel() -> impl IntoView {
    let app = app_context();
    let selected = Signal::derive(move || key(app.store.tab.get()));
    let is_empty = memo(move |_| is_empty_catalog(app));
    let everyone = EveryoneQuery::follow(app);
    let choose = move |key: &'static str| match key {
        "table" => app.store.show_tab(Centre::Table),
        "everyone" => app.store.show_tab(Centre::Everyone),
        "compare" => app.store.show_tab(Centre::Compare),
        "source" if app.store.source_place.with_untracked(Option::is_none) => {
            app.show_source_of_selected()
        }
        "source" => app.store.show_tab(Centre::Source),
        _ => app.store.show_tab(Centre::Graph),
    };
    view! {
        <div class="centre" id=SHOWN>
            <PackageTabs/>
            <TemplateBar app/>
            <UpgradeQueryBar/>
            <MissingParts app/>
            <Comparing app/>
            <div class="centre-bar">
                <TabRow label="Views" prefix="centre" tabs=TABS selected=selected on_select=choose/>
            </div>
            <div
                class="centre-panel"
                role="tabpanel"
                id=move || format!("centre-panel-{}", selected.get())
                aria-labelledby=move || format!("centre-tab-{}", selected.get())
            >
                {move || match app.store.tab.get() {
                    Centre::Graph | Centre::Table | Centre::Everyone if is_empty.get() => {
                        view! { <EmptyCatalog app/> }.into_any()
                    }
                    Centre::Graph => view! { <GraphPanes app everyone/> }.into_any(),
                    Centre::Table => view! { <Table/> }.into_any(),
                    Centre::Everyone => view! { <EveryoneTable everyone/> }.into_any(),
                    Centre::Compare => view! { <Compare/> }.into_any(),
                    Centre::Source => {
                        view! {
                            <div class="source-under-note">
                                <SourceNote app/>
                                <div class="source-place"><Source/></div>
                            </div>
                        }
                            .into_any()
                    }
                }}
            </div>
            <SelectionBar app/>
            <Show when=move || everyone.is_asked.get()>
                <EveryoneStrip everyone/>
            </Show>
        </div>
    }
    .into_any()
}

/// The baseline of the catalog in view, shown in every view because the comparison also marks the
/// graph.
#[component]
fn Comparing(app: AppContext) -> impl IntoView {
    let with = memo(move |_| {
        app.comparison.old.get().map(|old| match old {
            Baseline::Disk => "what is on disk".to_owned(),
            Baseline::Catalog(root) => app.current.name_of_catalog(&root),
        })
    });
    view! {
        <Show when=move || with.with(Option::is_some)>
            <div class="comparing" role="group" aria-label="Comparison">
                <span>"Comparing with " <strong>{move || with.get()}</strong></span>
                <IconButton
                    label="Stop comparing"
                    icon=Icon::Close
                    quiet=true
                    on_press=move |()| app.store.compare_with(None)
                />
            </div>
        </Show>
    }
    .into_any()
}
