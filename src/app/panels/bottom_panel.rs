//! The strip below the center: a tab of problems and one of the history. The history stays readable
//! for assistive technology while problems are shown, as feedback for the last action; only its
//! buttons are not tab stops then.

use super::pane_splitter::{PaneSplitter, pane_width};
use crate::commands::Command;
use crate::context::{AppContext, app_context};
use crate::features::problems::Problems;
use crate::reactive::{effect, memo};
use crate::state::panel_layout::Pane;
use crate::widgets::button::IconButton;
use crate::widgets::dom;
use crate::widgets::icon::Icon;
use crate::widgets::tabs::{Tab, TabRow};
use leptos::prelude::*;

const TABS: &[Tab] = &[
    Tab {
        key: "problems",
        label: "Problems",
        keys: "",
    },
    Tab {
        key: "history",
        label: "History",
        keys: "",
    },
];

#[component]
pub fn BottomPanel() -> impl IntoView {
    let app = app_context();
    let tab = RwSignal::new("problems");
    let is_history = memo(move |_| tab.get() == "history");
    let is_open = move || app.problem_list.open.get().is_some() && !is_history.get();
    // An empty panel takes one line, whatever its size.
    let is_bare = memo(move |_| match is_history.get() {
        true => app.store.status.with(|status| status.history.is_empty()),
        false => app.store.problems.with(Vec::is_empty),
    });
    let is_away = memo(move |_| {
        app.workbench
            .frame()
            .with(|frame| frame.is_away(Pane::Below))
    });
    let is_low = Signal::derive(move || is_bare.get() || is_away.get());
    let label = Signal::derive(move || {
        if is_low.get() {
            "Make problems larger"
        } else {
            "Make problems smaller"
        }
        .to_owned()
    });
    let icon = Signal::derive(move || {
        if is_low.get() {
            Icon::ChevronUp
        } else {
            Icon::ChevronDown
        }
    });
    // Show the problems when the user navigates to one.
    effect(move |_| {
        let is_led =
            app.problem_list.open.get().is_some() || app.problem_list.wanted.get().is_some();
        if is_led {
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
            data-low=move || is_low.get().to_string()
            data-open=move || is_open().to_string()
            data-tab=move || tab.get()
            data-bare=move || is_bare.get().to_string()
        >
            <PaneSplitter pane=Pane::Below/>
            <div class="below-tabs">
                <TabRow label="Problems and history" prefix="below" tabs=TABS selected=tab on_select=choose count=Callback::new(count)/>
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
            <div class="below-size" hidden=move || is_bare.get()>
                <IconButton label=label icon=icon keys=Command::Problems.keys() quiet=true on_press=move |()| app.workbench.toggle_pane(Pane::Below)/>
            </div>
        </div>
    }
    .into_any()
}

/// Id of the last applied step.
const LAST_STEP: &str = "history-last";

/// If there is room for a single step, it is the last one.
fn keep_step_in_view(app: AppContext) {
    effect(move |_| {
        let applied = app.store.status.with(|status| status.applied_steps);
        if applied > 0 {
            request_animation_frame(|| dom::reveal(LAST_STEP));
        }
    });
}

#[component]
fn History(is_shown: Memo<bool>) -> impl IntoView {
    let app = app_context();
    let steps = move || {
        app.store.status.with(|status| {
            let applied = status.applied_steps;
            let rows = status.history.iter().enumerate();
            rows.map(|(index, row)| {
                (
                    index,
                    row.title.clone(),
                    index < applied,
                    index + 1 == applied,
                )
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
                        let (index, title, is_applied, is_last) = step;
                        let end = if is_applied { "go back to this step" } else { "undone; redo up to this step" };
                        let hint = format!("{title}: {end}");
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
                                    on:click=move |_| app.edits.go_to(index + 1)
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
