//! The strip below the centre: problems at the left, history at the right.

use super::pane_splitter::{PaneSplitter, pane_width};
use crate::commands::Command;
use crate::context::{AppContext, app_context};
use crate::features::problems::Problems;
use crate::state::panel_layout::Pane;
use crate::widgets::button::IconButton;
use crate::widgets::dom;
use crate::widgets::icon::Icon;
use leptos::prelude::*;

#[component]
pub fn BottomPanel() -> impl IntoView {
    let app = app_context();
    let is_open = move || app.problem_list.open.get().is_some();
    let is_low = Signal::derive(move || app.workbench.frame().with(|frame| frame.is_away(Pane::Below)));
    let label =
        Signal::derive(move || if is_low.get() { "Make problems larger" } else { "Make problems smaller" }.to_owned());
    let icon = Signal::derive(move || if is_low.get() { Icon::ChevronUp } else { Icon::ChevronDown });
    view! {
        <div
            class="below"
            id="pane-below"
            style=("--below", pane_width(app.workbench, Pane::Below))
            data-low=move || is_low.get().to_string()
            data-open=move || is_open().to_string()
        >
            <PaneSplitter pane=Pane::Below/>
            <Problems/>
            <div class="below-scroll" tabindex="0">
                <History/>
            </div>
            <div class="below-size">
                <IconButton label=label icon=icon keys=Command::Problems.keys() quiet=true on_press=move |()| app.workbench.toggle_pane(Pane::Below)/>
            </div>
        </div>
    }
    .into_any()
}

/// Id of the step that was applied last.
const LAST_STEP: &str = "history-last";

/// Where there is room for one step only, it is the last one.
fn keep_step_in_view(app: AppContext) {
    Effect::new(move |_| {
        let applied = app.store.status.with(|status| status.applied_steps);
        if applied > 0 {
            request_animation_frame(|| dom::reveal(LAST_STEP));
        }
    });
}

#[component]
fn History() -> impl IntoView {
    let app = app_context();
    let steps = move || {
        app.store.status.with(|status| {
            let applied = status.applied_steps;
            let rows = status.history.iter().enumerate();
            rows.map(|(index, row)| (index, row.title.clone(), index < applied, index + 1 == applied))
                .collect::<Vec<_>>()
        })
    };
    keep_step_in_view(app);
    let is_empty = move || app.store.status.with(|status| status.history.is_empty());
    view! {
        <section aria-labelledby="history-title">
            <div class="below-head">
                <h2 class="below-title" id="history-title">"History"</h2>
                <span class="dim" hidden=move || !is_empty()>"No edits yet"</span>
            </div>
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
                                    on:click=move |_| app.go_to(index + 1)
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
