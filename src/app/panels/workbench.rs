//! The workbench: the panels around the center, built in stages. The frame with the verdict is
//! first, then the center with the graph, table or source, and last the details. In a narrow window
//! a button per panel opens it over the center.
//!
//! While the start page is shown, the workbench is built outside the document, so that a first drop
//! need not wait for it and its functions are already compiled.
//!
//! The strip below the center has a tab of problems and one of the history. While problems are
//! shown, the history stays readable for assistive technology, but its buttons are not tab stops.

use super::banners::{Banners, BusyNote, NewVersionBanner};
use super::consequence_bar::ConsequenceBar;
use super::header::Header;
use super::inspector::{Inspector, SelectionBar};
use super::menus::Menus;
use super::missing_parts::{EmptyCatalog, MissingParts, is_empty_catalog};
use super::side::Side;
use super::start_page::Opening;
use super::status_bar::StatusBar;
use super::unfinished_work::UnfinishedOffer;
use super::upgrade_question::UpgradeQueryBar;
use crate::browser::{document, time, workers};
use crate::commands::Command;
use crate::components::part::{Loaded, draw_part};
use crate::components::templates::{SourceNote, TemplateBar};
use crate::context::{self, drawer_button};
use crate::features::graph::GraphPanel;
use crate::features::problems::Problems;
use crate::features::repository::RepositoryPanel;
use crate::features::source::Source;
use crate::features::table::Table;
use crate::features::upgrade::{Compare, EveryoneTable};
use crate::prelude::*;
use crate::state::address::{parse_tab, tab_key};
use crate::state::layout::Pane;
use crate::state::store::Tab as Centre;
use crate::widgets::splitter::{Edge, Splitter};
use crate::widgets::tabs::{Tab, TabRow};
use futures::FutureExt;
use leptos::mount::mount_to;
use leptos::wasm_split::wasm_split;
use protocol::upgrades::Baseline;
use std::any::Any;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Id of the last applied step.
const LAST_STEP: &str = "history-last";

/// The part of the workbench that is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum BuildStage {
    /// The header, catalogs, packages, and the bar with the verdict.
    #[default]
    Frame,
    /// Also the views of the package, and the strip below.
    Centre,
    /// Also the inspector, the menus, and the panels over the center of a narrow window.
    Complete,
}

impl BuildStage {
    fn next(self) -> Self {
        match self {
            Self::Frame => Self::Centre,
            Self::Centre | Self::Complete => Self::Complete,
        }
    }
}

#[component]
pub fn Workbench(app: AppContext, stage: RwSignal<BuildStage>) -> impl IntoView {
    view! {
        <div
            class="workbench"
            style=("--side", pane_width(app.workbench, Pane::Side))
            style=("--inspector", pane_width(app.workbench, Pane::Inspector))
            data-away=move || hidden_panes(app)
            data-view=move || if app.repository.in_view.get() { "repository" } else { "catalog" }
            data-drawer=move || app.workbench.drawer.get().map(Pane::name)
            on:keydown=move |event| close_drawer_on_escape(app, &event)
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
                <Show when=move || { stage.get() >= BuildStage::Centre }>
                    {move || if app.repository.in_view.get() {
                        draw_view(app, CentreView::Repository)
                    } else {
                        view! { <CentrePanel/> }.into_any()
                    }}
                    <ConsequenceBar/>
                    <BottomPanel/>
                </Show>
                <Show when=move || stage.get() == BuildStage::Complete>
                    <Menus/>
                </Show>
                <PaneSplitter pane=Pane::Inspector/>
            </main>
            <Show when=move || stage.get() == BuildStage::Complete>
                <Inspector/>
                <Drawers/>
            </Show>
            <StatusBar/>
        </div>
    }
    .into_any()
}

/// Returns the names of the hidden panels for the style sheet.
fn hidden_panes(app: AppContext) -> String {
    let frame = app.workbench.frame.get();
    let hidden: Vec<&str> = Pane::ALL
        .into_iter()
        .filter(|pane| frame.is_hidden(*pane))
        .map(Pane::name)
        .collect();
    hidden.join(" ")
}

/// Closes the panel over the center of a narrow window on Escape, unless something else handled it.
fn close_drawer_on_escape(app: AppContext, event: &web_sys::KeyboardEvent) {
    if event.key() == "Escape"
        && !event.default_prevented()
        && !dom::dialog_is_open()
        && app.workbench.drawer.with_untracked(Option::is_some)
    {
        event.prevent_default();
        app.workbench.close_drawer();
    }
}

struct MountedWorkbench {
    element: Element,
    /// Unmounts the workbench when dropped.
    _handle: Box<dyn Any>,
}

/// Builds, shows and removes the workbench.
#[derive(Clone, Copy)]
struct WorkbenchMount {
    app: AppContext,
    /// The page's owner, which outlives the creator of the workbench.
    owner: StoredValue<Owner>,
    workbench: StoredValue<Option<MountedWorkbench>, LocalStorage>,
    stage: RwSignal<BuildStage>,
}

/// Shows the workbench whenever files are open, for the page's lifetime.
pub fn mount_while_open(app: AppContext) {
    let Some(owner) = Owner::current() else {
        return;
    };
    let mount = WorkbenchMount {
        app,
        owner: StoredValue::new(owner),
        workbench: StoredValue::new_local(None),
        stage: RwSignal::default(),
    };
    effect(move |was_open: Option<bool>| {
        let is_open = app.current.is_open.get();
        match (was_open.unwrap_or_default(), is_open) {
            (false, true) => untrack(|| mount.show()),
            // The next open starts with a new workbench.
            (true, false) => mount.remove(),
            _ => {}
        }
        is_open
    });
    spawn_local(mount.prepare());
}

impl WorkbenchMount {
    fn show(self) {
        self.build();
        let body = document().body();
        self.workbench.with_value(|workbench| {
            if let (Some(workbench), Some(body)) = (workbench, body) {
                // Fails only for a node that cannot be a child of the body.
                let _ = body.prepend_with_node_1(&workbench.element);
            }
        });
        spawn_local(async move {
            while self.is_unfinished() {
                time::next_paint_or_timeout().await;
                self.build_next_stage();
            }
        });
    }

    fn remove(self) {
        self.workbench.set_value(None);
        self.stage.set(BuildStage::default());
    }

    /// Builds the workbench in stages while the page is idle, unless data should be saved.
    async fn prepare(self) {
        if document::should_save_data() || !workers::load_program().await {
            return;
        }
        time::idle().await;
        if self.app.current.is_open.get_untracked() {
            return;
        }
        let start = time::now();
        self.build();
        while self.is_unfinished() {
            time::idle().await;
            self.build_next_stage();
        }
        time::measure("workbench", start, &[]);
    }

    fn build(self) {
        if self.workbench.with_value(Option::is_some) {
            return;
        }
        // The parent is never in the document; the workbench is moved out of it.
        let Ok(parent) = document()
            .create_element("div")
            .map(JsCast::unchecked_into::<HtmlElement>)
        else {
            return;
        };
        let (app, stage) = (self.app, self.stage);
        let handle = self.owner.with_value(|owner| {
            owner.with(|| {
                untrack(|| mount_to(parent.clone(), move || view! { <Workbench app stage/> }))
            })
        });
        let workbench = parent
            .first_element_child()
            .map(|element| MountedWorkbench {
                element,
                _handle: Box::new(handle),
            });
        self.workbench.set_value(workbench);
    }

    fn is_unfinished(self) -> bool {
        self.workbench.with_value(Option::is_some)
            && self.stage.get_untracked() != BuildStage::Complete
    }

    fn build_next_stage(self) {
        self.stage.update(|stage| *stage = stage.next());
    }
}

const fn tab(key: &'static str, label: &'static str, keys: &'static str) -> Tab {
    Tab { key, label, keys }
}

const CENTRE_TABS: &[Tab] = &[
    tab("graph", "Graph", Command::Graph.keys()),
    tab("table", "Table", Command::Table.keys()),
    tab("everyone", "Upgrade map", Command::UpgradeMap.keys()),
    tab("compare", "Compare", ""),
    tab("source", "Source", Command::Source.keys()),
];

#[component]
pub fn CentrePanel() -> impl IntoView {
    let app = app_context();
    let selected = derived(move || tab_key(app.store.tab.get()));
    let is_empty = memo(move |_| is_empty_catalog(app));
    let choose = move |key: &'static str| match parse_tab(key) {
        Centre::Source if app.store.source.place.with_untracked(Option::is_none) => {
            app.show_source_of_selected()
        }
        centre => app.store.tab.show(centre),
    };
    view! {
        <div class="centre">
            <TemplateBar app/>
            <div class="question-bar"><UpgradeQueryBar/><Comparing app/></div>
            <MissingParts app/>
            <div class="centre-bar">
                <TabRow label="Views" prefix="centre" tabs=CENTRE_TABS selected=selected on_select=choose/>
            </div>
            <div
                class="centre-panel"
                role="tabpanel"
                id=move || format!("centre-panel-{}", selected.get())
                aria-labelledby=move || format!("centre-tab-{}", selected.get())
            >
                {move || match app.store.tab.get() {
                    Centre::Graph | Centre::Table | Centre::UpgradeMap if is_empty.get() => {
                        view! { <EmptyCatalog app/> }.into_any()
                    }
                    Centre::Graph => view! { <GraphPanel app/> }.into_any(),
                    tab => draw_view(app, CentreView::Package(tab)),
                }}
            </div>
            <SelectionBar app/>
        </div>
    }
    .into_any()
}

#[wasm_split(views, wasm_split_path = ::leptos::wasm_split, fallible, preload(load_views))]
pub fn view(app: AppContext, centre: CentreView) -> Loaded<AnyView> {
    Ok(match centre {
        CentreView::Repository => view! { <RepositoryPanel/> }.into_any(),
        CentreView::Package(Centre::Graph) => ().into_any(),
        CentreView::Package(Centre::Table) => view! { <Table/> }.into_any(),
        CentreView::Package(Centre::UpgradeMap) => view! { <EveryoneTable/> }.into_any(),
        CentreView::Package(Centre::Compare) => view! { <Compare/> }.into_any(),
        CentreView::Package(Centre::Source) => view! {
            <div class="source-under-note">
                <SourceNote app/>
                <div class="source-place"><Source/></div>
            </div>
        }
        .into_any(),
    })
}

/// A view in the center that is not in the first download.
#[derive(Clone, Copy)]
pub enum CentreView {
    Repository,
    /// A view of a package other than the graph.
    Package(Centre),
}

fn draw_view(app: AppContext, centre: CentreView) -> AnyView {
    let draw = move || view(app, centre).boxed_local();
    draw_part(|| load_views().boxed_local(), draw, None)
}

/// The baseline of the catalog in view. Shown in every view, because the comparison also marks the
/// graph.
#[component]
fn Comparing(app: AppContext) -> impl IntoView {
    let baseline = memo(move |_| {
        app.comparison
            .baseline
            .get()
            .map(|baseline| match baseline {
                Baseline::Disk => "what is on disk".to_owned(),
                Baseline::Catalog(root) => app.current.name_of_catalog(&root),
            })
    });
    view! {
        <Show when=move || baseline.with(Option::is_some)>
            <div class="comparing" role="group" aria-label="Comparison">
                <span class="comparing-text" title=move || baseline.get()>"Comparing with " <strong>{move || baseline.get()}</strong></span>
                <IconButton
                    label="Stop comparing"
                    icon=Icon::Close
                    quiet=true
                    on_press=move |()| app.store.comparison.choose(None)
                />
            </div>
        </Show>
    }
    .into_any()
}

const BOTTOM_TABS: &[Tab] = &[
    tab("problems", "Problems", ""),
    tab("history", "History", ""),
];

#[component]
pub fn BottomPanel() -> impl IntoView {
    let app = app_context();
    let tab = RwSignal::new("problems");
    let is_history = memo(move |_| tab.get() == "history");
    let is_open = move || app.problem_list.open.get().is_some() && !is_history.get();
    // An empty panel is one line high, whatever its size.
    let is_empty = memo(move |_| {
        if is_history.get() {
            app.store.status.with(|status| status.history.is_empty())
        } else {
            app.store.problems.with(Vec::is_empty)
        }
    });
    let is_away = memo(move |_| {
        app.workbench
            .frame
            .with(|frame| frame.is_hidden(Pane::Below))
    });
    let is_collapsed = derived(move || is_empty.get() || is_away.get());
    // Show the problems when the user navigates to one.
    effect(move |_| {
        let is_problem_shown =
            app.problem_list.open.get().is_some() || app.problem_list.wanted.get().is_some();
        if is_problem_shown {
            tab.set("problems");
        }
    });
    let choose = move |key: &'static str| {
        tab.set(key);
        app.workbench.show_pane(Pane::Below);
    };
    let count = move |key: &'static str| match key {
        "history" => Some(app.store.status.with(|status| status.history.len() as u32))
            .filter(|steps| *steps > 0),
        _ => Some(app.store.problems.with(Vec::len) as u32).filter(|problems| *problems > 0),
    };
    view! {
        <div
            class="below"
            id="pane-below"
            style=("--below", pane_width(app.workbench, Pane::Below))
            data-low=move || is_collapsed.get().to_string()
            data-open=move || is_open().to_string()
            data-tab=move || tab.get()
            data-bare=move || is_empty.get().to_string()
        >
            <PaneSplitter pane=Pane::Below/>
            <div class="below-tabs">
                <TabRow label="Problems and history" prefix="below" tabs=BOTTOM_TABS selected=tab on_select=choose count=Callback::new(count)/>
            </div>
            <div
                class="below-problems"
                role="tabpanel"
                id="below-panel-problems"
                aria-labelledby="below-tab-problems"
                hidden=move || is_history.get()
            >
                <Problems/>
            </div>
            <div
                class="below-history"
                role="tabpanel"
                id="below-panel-history"
                aria-labelledby="below-tab-history"
                class:visually-hidden=move || !is_history.get()
                tabindex=move || is_history.get().then_some("0")
            >
                <History is_shown=is_history/>
            </div>
            <div class="below-size" hidden=move || is_empty.get()>
                <BottomSizeButton app is_collapsed/>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn BottomSizeButton(app: AppContext, is_collapsed: Signal<bool>) -> impl IntoView {
    let label = derived(move || {
        if is_collapsed.get() {
            "Make problems larger"
        } else {
            "Make problems smaller"
        }
        .to_owned()
    });
    let icon = derived(move || {
        if is_collapsed.get() {
            Icon::ChevronUp
        } else {
            Icon::ChevronDown
        }
    });
    let toggle = move |()| app.workbench.toggle_pane(Pane::Below);
    view! { <IconButton label icon quiet=true on_press=toggle/> }
}

/// Keeps the last step in view, even if there is only room for one.
fn keep_step_in_view(app: AppContext) {
    effect(move |_| {
        let applied = app.store.status.with(|status| status.applied_steps);
        if applied > 0 {
            request_animation_frame(|| dom::reveal(LAST_STEP));
        }
    });
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct HistoryStep {
    index: usize,
    title: String,
    is_applied: bool,
    /// Whether it is the last applied step.
    is_last: bool,
}

#[component]
fn History(is_shown: Memo<bool>) -> impl IntoView {
    let app = app_context();
    let steps = move || {
        app.store.status.with(|status| {
            let applied = status.applied_steps;
            let rows = status.history.iter().enumerate();
            rows.map(|(index, row)| HistoryStep {
                index,
                title: row.title.clone(),
                is_applied: index < applied,
                is_last: index + 1 == applied,
            })
            .collect::<Vec<_>>()
        })
    };
    keep_step_in_view(app);
    let is_empty = move || app.store.status.with(|status| status.history.is_empty());
    view! {
        <section aria-label="History">
            <p class="dim" hidden=move || !is_empty()>"No edits yet"</p>
            <ol aria-label="History">
                <For each=steps key=|step| step.clone() let:step>
                    {
                        let HistoryStep { index, title, is_applied, is_last } = step;
                        let effect = if is_applied { "go back to this step" } else { "undone; redo up to this step" };
                        let hint = format!("{title}: {effect}");
                        view! {
                            <li>
                                <button
                                    type="button"
                                    class="history-step"
                                    id=is_last.then_some(LAST_STEP)
                                    data-undone=(!is_applied).then_some("true")
                                    aria-current=is_last.then_some("step")
                                    title=hint
                                    tabindex=move || if is_shown.get() { "0" } else { "-1" }
                                    on:click=move |_| app.session.go_to(index + 1)
                                >
                                    {title}
                                    {(!is_applied).then(|| view! { <span class="visually-hidden">", undone"</span> })}
                                </button>
                            </li>
                        }
                    }
                </For>
            </ol>
        </section>
    }
    .into_any()
}

#[component]
pub fn Drawers() -> impl IntoView {
    let app = app_context();
    let problems = move || app.store.problems.with(Vec::len);
    view! {
        <nav class="drawers" aria-label="Panels">
            {Pane::ALL
                .into_iter()
                .map(|pane| {
                    let label = match pane {
                        Pane::Side => "Packages",
                        Pane::Inspector => "Inspector",
                        Pane::Below => "Problems",
                    };
                    let is_open = move || app.workbench.drawer.get() == Some(pane);
                    view! {
                        <button
                            type="button"
                            class="drawer-button"
                            id=drawer_button(pane)
                            aria-expanded=move || is_open().to_string()
                            on:click=move |_| app.workbench.toggle_pane(pane)
                        >
                            {label}
                            {(pane == Pane::Below)
                                .then(|| view! { <span class="chip-count">{move || format!(" {}", problems())}</span> })}
                        </button>
                    }
                })
                .collect_view()}
        </nav>
    }
    .into_any()
}

/// Returns the width of a panel for the style sheet; `None` for the default, which depends on the
/// window.
pub fn pane_width(
    workbench: context::Workbench,
    pane: Pane,
) -> impl Fn() -> Option<String> + Send + Sync + 'static {
    move || {
        workbench
            .frame
            .with(|frame| frame.extent(pane).size.map(|size| format!("{size}px")))
    }
}

#[component]
pub fn PaneSplitter(pane: Pane) -> impl IntoView {
    let app = app_context();
    let (label, controls, edge) = match pane {
        Pane::Side => ("Width of packages", "pane-side", Edge::Right),
        Pane::Inspector => ("Width of the inspector", "pane-inspector", Edge::Left),
        Pane::Below => ("Height of problems", "pane-below", Edge::Top),
    };
    view! {
        <Splitter
            label=label
            controls=controls
            edge=edge
            range=pane.size_range()
            size=derived(move || app.workbench.frame.with(|frame| frame.size(pane)))
            is_hidden=derived(move || app.workbench.frame.with(|frame| frame.is_hidden(pane)))
            on_resize=move |request| app.workbench.resize(pane, request)
            on_done=move |()| app.workbench.store_frame()
        />
    }
    .into_any()
}
