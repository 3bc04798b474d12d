//! The repository: a grid of operators and catalogs, details of the selected operator, and tasks.

mod findings;
mod grid;
mod operator_panel;
mod plan_view;
mod release;
mod release_items;
mod tasks;

use crate::context::{AppContext, TaskDialog, app_context};
use crate::reactive::memo;
use crate::state::repository::{StateFilter, columns, filter_rows};
use crate::widgets::announce;
use crate::widgets::button::Button;
use crate::widgets::code_text::in_code;
use crate::widgets::field_text::field_text;
use crate::words;
use grid::Grid;
use leptos::prelude::*;
use operator_panel::OperatorPanel;
use protocol::repository::{OperatorRow, RepositoryTask};

/// The dialog of a task.
#[component]
pub fn RepositoryTaskDialog(task: TaskDialog) -> impl IntoView {
    match task {
        TaskDialog::Release {
            operator,
            bundle,
            dropped,
        } => view! { <release::ReleaseDialog operator bundle dropped/> }.into_any(),
        TaskDialog::Plain(task) => {
            let title = match &task {
                RepositoryTask::Render { operator } => format!("Bring {operator} up to date"),
                RepositoryTask::Fix { operator, .. } => {
                    format!("Correct the configuration of {operator}")
                }
                _ => "Change the repository".to_owned(),
            };
            view! { <tasks::PlainDialog title task/> }.into_any()
        }
        TaskDialog::Promote { operators } => view! { <tasks::PromoteDialog operators/> }.into_any(),
        TaskDialog::Onboard { operator } => view! { <tasks::OnboardDialog operator/> }.into_any(),
    }
}

/// The repository as the center view.
#[component]
pub fn RepositoryPanel() -> impl IntoView {
    let app = app_context();
    let of = app.repository;
    let (name, state) = (
        RwSignal::new(String::new()),
        RwSignal::new(StateFilter::All),
    );
    let catalogs = memo(move |_| {
        let in_repository = of.view().with(|view| {
            view.as_ref()
                .map(|view| view.catalogs.clone())
                .unwrap_or_default()
        });
        of.known().with(|known| columns(&in_repository, known))
    });
    let rows = memo(move |_| {
        let known = of.known().get();
        of.view().with(|view| match view {
            Some(view) => filter_rows(&view.operators, &known, &name.get(), state.get()),
            None => Vec::new(),
        })
    });
    announce::follow_alert(move || of.failed().get().unwrap_or_default());
    view! {
        <section class="repo" aria-label="Repository">
            <Bar app name state rows/>
            {move || {
                of.failed().get().map(|why| view! { <p class="repo-note">{in_code(&why)}</p> })
            }}
            <Submission app/>
            <div class="repo-parts" data-chosen=move || of.chosen().with(Option::is_some).to_string()>
                {move || match of.view().with(Option::is_some) {
                    false => view! { <p class="repo-note">"Reading the names of the repository’s files…"</p> }.into_any(),
                    true => view! { <Grid app rows catalogs all=Signal::derive(move || state.get() != StateFilter::All)/> }.into_any(),
                }}
                {move || of.chosen().get().map(|operator| view! { <OperatorPanel app operator/> })}
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Bar(
    app: AppContext,
    name: RwSignal<String>,
    state: RwSignal<StateFilter>,
    rows: Memo<Vec<OperatorRow>>,
) -> impl IntoView {
    let of = app.repository;
    let total = move || {
        of.view()
            .with(|view| view.as_ref().map_or(0, |view| view.operators.len()))
    };
    let summary = move || {
        let (visible, total) = (rows.with(Vec::len), total());
        let known = of.known().with(|known| known.len());
        let counted = match visible == total {
            true => words::count(total as u32, "operator"),
            false => format!("{visible} of {}", words::count(total as u32, "operator")),
        };
        match state.get() == StateFilter::All || known >= total {
            true => counted,
            false => format!("{counted}; judged {known} so far"),
        }
    };
    announce::follow(summary);
    view! {
        <div class="repo-bar">
            <label class="repo-field">
                <span class="visually-hidden">"Operator name contains"</span>
                <input
                    class="field-input"
                    type="search"
                    placeholder="Operator"
                    use:field_text=Signal::from(name)
                    on:input=move |event| name.set(event_target_value(&event))
                />
            </label>
            <label class="repo-field">
                <span class="visually-hidden">"State"</span>
                <select
                    class="field-input"
                    on:change=move |event| {
                        let key = event_target_value(&event);
                        let chosen = StateFilter::ALL.into_iter().find(|filter| filter.key() == key);
                        state.set(chosen.unwrap_or_default());
                    }
                >
                    {StateFilter::ALL
                        .into_iter()
                        .map(|filter| {
                            view! {
                                <option value=filter.key() prop:selected=move || state.get() == filter>
                                    {filter.label()}
                                </option>
                            }
                        })
                        .collect_view()}
                </select>
            </label>
            <p class="repo-count">{summary}</p>
            <Button
                label="Next OpenShift version…"
                on_press=move |()| app.repository.open_task(TaskDialog::Promote { operators: Vec::new() })
            />
        </div>
    }
    .into_any()
}

/// The latest pull requests, each with its commit message and patch.
#[component]
fn Submission(app: AppContext) -> impl IntoView {
    move || {
        let handed = app.repository.handed().get();
        let is_there = app
            .store
            .status
            .with(|status| !status.changed_files.is_empty());
        (is_there && !handed.is_empty())
            .then(|| view! { <plan_view::PullRequests app requests=handed/> })
    }
}
