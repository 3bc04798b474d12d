//! The strip below the centre: problems at the left, history at the right.

use super::problems::Problems;
use crate::app::desk::desk;
use crate::app::widgets::button::IconButton;
use crate::app::widgets::icon::Icon;
use leptos::prelude::*;

#[component]
pub fn Below() -> impl IntoView {
    let board = desk().board;
    let is_tall = RwSignal::new(false);
    let label =
        Signal::derive(move || if is_tall.get() { "Make problems smaller" } else { "Make problems larger" }.to_owned());
    let icon = Signal::derive(move || if is_tall.get() { Icon::ChevronDown } else { Icon::ChevronUp });
    view! {
        <div class="below" data-tall=move || is_tall.get().to_string() data-open=move || board.open.get().is_some().to_string()>
            <Problems/>
            <div class="below-scroll" tabindex="0">
                <History/>
            </div>
            <div class="below-size">
                <IconButton label=label icon=icon quiet=true on_press=move |()| is_tall.update(|tall| *tall = !*tall)/>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn History() -> impl IntoView {
    let desk = desk();
    let steps = move || {
        desk.session.status.with(|status| {
            let applied = status.applied_steps;
            let rows = status.history.iter().enumerate();
            rows.map(|(index, row)| (index, row.title.clone(), index < applied, index + 1 == applied))
                .collect::<Vec<_>>()
        })
    };
    let is_empty = move || desk.session.status.with(|status| status.history.is_empty());
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
                        let end = if is_applied { "go back to here" } else { "undone; redo up to here" };
                        let hint = format!("{title}: {end}");
                        view! {
                            <li>
                                <button
                                    type="button"
                                    class="history-step"
                                    data-undone=(!is_applied).then_some("true")
                                    aria-current=is_last.then_some("step")
                                    title=hint
                                    on:click=move |_| desk.go_to(index + 1)
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
