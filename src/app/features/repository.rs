//! The repository: a grid of operators and catalogs, details of the selected operator, findings in
//! its files, and tasks. Contains the dialogs of all tasks but a release: update, promote to the
//! next OpenShift version, convert to file-based catalogs, correct. Each previews its result.

mod grid;
mod plan_view;
mod release;

use crate::browser::file_tree::read_text;
use crate::components::preview::{RefusalNote, answer_view};
use crate::components::problem_parts::severity_icon;
use crate::context::{LatestAnswer, TaskDialog, is_answered, repository, submit_when_ready};
use crate::prelude::*;
use crate::state::file_names::is_text;
use crate::state::repository::{StateFilter, columns, filter_rows, parse_version};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom::field_text;
use crate::widgets::fields::{LineField, SelectField};
use grid::{Grid, Legend, OperatorPanel};
use plan_view::{PlanView, note};
use protocol::diagnostic::Severity;
use protocol::repository::{
    OperatorRow, RepositoryFinding, RepositoryPlan, RepositoryTask, ServedCatalog,
};
use protocol::response::OperationRefusal;

/// Maximum size of a catalog file read in the page, in bytes.
const MAX_CATALOG_BYTES: f64 = 96.0 * 1024.0 * 1024.0;

type PlanResult = Result<RepositoryPlan, OperationRefusal>;

/// The plan and the task it belongs to, since the form may have changed in the meantime.
type PlannedTask = ReadSignal<LatestAnswer<RepositoryTask, PlanResult>>;

#[component]
pub fn RepositoryTaskDialog(task: TaskDialog) -> impl IntoView {
    match task {
        TaskDialog::Release {
            operator,
            bundle,
            dropped,
        } => view! { <release::ReleaseDialog operator bundle dropped/> }.into_any(),
        TaskDialog::Plain(task) => view! { <PlainDialog task/> }.into_any(),
        TaskDialog::Promote { operators } => view! { <PromoteDialog operators/> }.into_any(),
        TaskDialog::Onboard { operator } => view! { <OnboardDialog operator/> }.into_any(),
    }
}

/// The repository as the center view.
#[component]
pub fn RepositoryPanel() -> impl IntoView {
    let app = app_context();
    let repository = app.repository;
    let (name, state) = (
        RwSignal::new(String::new()),
        RwSignal::new(StateFilter::All),
    );
    let catalogs = memo(move |_| {
        let view = repository.view.get().unwrap_or_default();
        repository
            .known
            .with(|known| columns(&view.catalogs, known))
    });
    let rows = memo(move |_| {
        let known = repository.known.get();
        repository.view.with(|view| match view {
            Some(view) => filter_rows(&view.operators, &known, &name.get(), state.get()),
            None => Vec::new(),
        })
    });
    announce::follow_alert(move || repository.failed.get().unwrap_or_default());
    view! {
        <section class="repo" aria-label="Repository">
            <Bar app name state rows/>
            {move || {
                repository.failed.get().map(|why| view! { <p class="repo-note">{in_code(&why)}</p> })
            }}
            <div class="repo-parts" data-chosen=move || repository.chosen.with(Option::is_some).to_string()>
                {move || if repository.view.with(Option::is_some) {
                    view! { <Grid app rows catalogs all=derived(move || state.get() != StateFilter::All)/> }.into_any()
                } else {
                    view! { <p class="repo-note">"Reading the names of the repository’s files…"</p> }.into_any()
                }}
                {move || repository.chosen.get().map(|operator| view! { <OperatorPanel app operator/> })}
            </div>
            <Legend/>
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
    let repository = app.repository;
    let total = move || {
        repository
            .view
            .with(|view| view.as_ref().map_or(0, |view| view.operators.len()))
    };
    let summary = move || {
        let (visible, total) = (rows.with(Vec::len), total());
        let known = repository.known.with(|known| known.len());
        let mut summary = words::count(total as u32, "operator");
        if visible != total {
            summary = format!("{visible} of {summary}");
        }
        if state.get() != StateFilter::All && known < total {
            summary.push_str(&format!("; judged {known} so far"));
        }
        summary
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
                        let chosen = StateFilter::ALL.into_iter().find(|filter| filter.label() == key);
                        state.set(chosen.unwrap_or_default());
                    }
                >
                    {StateFilter::ALL
                        .into_iter()
                        .map(|filter| {
                            view! {
                                <option prop:selected=move || state.get() == filter>
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

/// The findings in repository files. A position links to the text in the files of `operator`.
#[component]
fn Findings(
    app: AppContext,
    operator: String,
    findings: Vec<RepositoryFinding>,
    label: &'static str,
) -> impl IntoView {
    let items = findings
        .into_iter()
        .map(|finding| finding_item(app, &operator, finding))
        .collect_view();
    view! { <ul class="repo-list" aria-label=label>{items}</ul> }.into_any()
}

fn finding_item(app: AppContext, operator: &str, finding: RepositoryFinding) -> AnyView {
    let RepositoryFinding {
        check,
        is_error,
        message,
        file,
        opened,
        line,
        help,
        fix,
    } = finding;
    let severity = if is_error {
        Severity::Error
    } else {
        Severity::Warning
    };
    let place = if line > 0 {
        format!("{file}:{line}")
    } else {
        file.clone()
    };
    let is_text = is_text(&file) && !opened.is_empty();
    let open = {
        let operator = operator.to_owned();
        move |_| repository::open_file(app, operator.clone(), opened.clone(), line)
    };
    let task = RepositoryTask::Fix {
        operator: operator.to_owned(),
        check: check.clone(),
        file: file.clone(),
        line,
    };
    view! {
        <li class="repo-finding">
            {severity_icon(severity)}
            <div class="repo-finding-text">
                <p>
                    {in_code(&message)} {(!check.is_empty()).then(|| view! { " " <span class="repo-check">{check}</span> })}
                </p>
                {(!help.is_empty()).then(|| view! { <p class="dim">{in_code(&sentence(&help))}</p> })}
                <p>
                    {if is_text {
                        view! { <button type="button" class="link" on:click=open>{place}</button> }.into_any()
                    } else {
                        view! { <span class="mono">{place}</span> }.into_any()
                    }}
                </p>
                {(!fix.is_empty())
                    .then(|| {
                        let press = move |()| app.repository.open_task(TaskDialog::Plain(task.clone()));
                        view! { <Button label=format!("{}…", fix.replace('`', "")) on_press=press/> }
                    })}
            </div>
        </li>
    }
    .into_any()
}

fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// Plans a task whenever it changes.
fn plan_task(app: AppContext, task: Signal<Option<RepositoryTask>>) -> PlannedTask {
    debounced_query(task, move |task| async move {
        let plan = app.repository.plan(task.clone()).await;
        Some((task, plan))
    })
}

fn can_be_applied(plan: &RepositoryPlan) -> bool {
    !plan.pull_requests.is_empty() && plan.refused.is_empty()
}

/// The result of a task with its pull requests.
#[component]
fn Planned(app: AppContext, plan: PlannedTask, operator: String) -> impl IntoView {
    view! {
        <section class="preview repo-plan" aria-label="Preview" tabindex="0">
            {move || {
                let answer = plan.with(|plan| Some(plan.as_ref()?.1.clone()));
                let operator = operator.clone();
                answer_view(app, answer, "Computing the preview…", move |plan| {
                    view! { <PlanView app plan operator/> }.into_any()
                })
            }}
        </section>
    }
    .into_any()
}

/// The foot of a task's dialog. Applies the choices at the time of the press, even if their preview
/// is still pending.
#[component]
fn Foot(
    app: AppContext,
    #[prop(into)] label: Signal<String>,
    task: Signal<Option<RepositoryTask>>,
    plan: PlannedTask,
) -> impl IntoView {
    let press = Press::default();
    let refused = RwSignal::new(None::<OperationRefusal>);
    let disabled = derived(move || {
        plan.with(|plan| {
            let is_refused = !matches!(plan, Some((_, Ok(plan))) if can_be_applied(plan));
            task.with(|task| match task {
                None => true,
                // While an earlier preview is shown, a press waits for the current one.
                Some(_) => plan.is_none() || (is_refused && is_answered(task.as_ref(), plan)),
            })
        })
    });
    let apply = submit_when_ready(task, plan, move |task, plan: PlanResult| {
        let Some(plan) = plan.ok().filter(can_be_applied) else {
            return;
        };
        if press.begin() {
            refused.set(None);
            app.repository.apply(task, plan, move |end| {
                if let Err(refusal) = end {
                    refused.try_set(Some(refusal));
                }
                press.end();
            });
        }
    });
    view! {
        {move || refused.get().map(|refusal| view! { <RefusalNote app refusal root=None/> })}
        <div class="dialog-foot">
            <span class="dialog-note">"One step, which Undo takes back. The files on disk stay as they are until you save."</span>
            <Button label="Cancel" on_press=move |()| app.overlays.close()/>
            <Button label=label look=Look::Primary disabled=disabled on_press=move |()| apply()/>
        </div>
    }
    .into_any()
}

#[component]
fn PlainDialog(task: RepositoryTask) -> impl IntoView {
    let app = app_context();
    let (title, operator) = match &task {
        RepositoryTask::Render { operator } => {
            (format!("Bring {operator} up to date"), operator.clone())
        }
        RepositoryTask::Fix { operator, .. } => (
            format!("Correct the configuration of {operator}"),
            operator.clone(),
        ),
        _ => ("Change the repository".to_owned(), String::new()),
    };
    let task = Signal::stored(Some(task));
    let plan = plan_task(app, task);
    view! {
        <Dialog title=title size=Size::Wide on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                <Planned app plan operator/>
            </div>
            <Foot app label="Make the change" task plan/>
        </Dialog>
    }
    .into_any()
}

/// Returns the name that follows the newest version.
fn next_version(catalogs: &[String]) -> String {
    let newest = catalogs.iter().find_map(|name| parse_version(name));
    newest.map_or_else(String::new, |(major, minor)| {
        format!("v{major}.{}", minor + 1)
    })
}

/// Promotes to the next OpenShift version.
#[component]
fn PromoteDialog(operators: Vec<String>) -> impl IntoView {
    let app = app_context();
    let view = app.repository.view.get_untracked().unwrap_or_default();
    let from = RwSignal::new(view.catalogs.first().cloned().unwrap_or_default());
    let to = RwSignal::new(next_version(&view.catalogs));
    let promoted = match operators.as_slice() {
        [operator] => operator.clone(),
        _ => "all operators".to_owned(),
    };
    let operator = operators.first().cloned().unwrap_or_default();
    let task = derived(move || {
        let (from, to) = (from.get(), to.get().trim().to_owned());
        let operators = operators.clone();
        (!from.is_empty() && !to.is_empty()).then_some(RepositoryTask::Promote {
            from,
            to,
            operators,
        })
    });
    let plan = plan_task(app, task);
    let options = Signal::stored(
        view.catalogs
            .iter()
            .map(|name| (name.clone(), name.clone()))
            .collect::<Vec<_>>(),
    );
    view! {
        <Dialog title=format!("Next OpenShift version: {promoted}") size=Size::Wide on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                {note(
                    "The catalog is copied, and `ci.yaml` names the new one. `version_promotion_strategy` decides whether an \
                     operator is promoted with all others, once its owners agree, or never.",
                )}
                <div class="repo-form">
                    <SelectField label="From" value=from options=options on_change=move |name: String| from.set(name)/>
                    <LineField
                        label="To"
                        value=to
                        on_change=move |name: String| to.set(name)
                        hint="The name of the next catalog."
                    />
                </div>
                <Planned app plan operator/>
            </div>
            <Foot app label="Make the change" task plan/>
        </Dialog>
    }
    .into_any()
}

/// Converts catalogs served by a registry to templates and file-based catalogs.
#[component]
fn OnboardDialog(operator: String) -> impl IntoView {
    let app = app_context();
    let catalogs = RwSignal::new(Vec::<ServedCatalog>::new());
    let refused = RwSignal::new(String::new());
    let onboarded = operator.clone();
    let task = derived(move || {
        let files = catalogs.get();
        (!files.is_empty()).then(|| RepositoryTask::Onboard {
            operator: onboarded.clone(),
            catalogs: files,
        })
    });
    let plan = plan_task(app, task);
    let input = NodeRef::<html::Input>::new();
    let choose = move |_| {
        let Some(files) = input.get_untracked().and_then(|input| input.files()) else {
            return;
        };
        let files: Vec<web_sys::File> = (0..files.length())
            .filter_map(|index| files.get(index))
            .collect();
        spawn_local(async move {
            let mut read = Vec::new();
            for file in files {
                if file.size() > MAX_CATALOG_BYTES {
                    refused.set(format!(
                        "{} is too large for a browser tab: use `switchyard repo onboard`.",
                        file.name()
                    ));
                    return;
                }
                let name = file
                    .name()
                    .rsplit_once('.')
                    .map_or(file.name(), |(name, _)| name.to_owned());
                match read_text(&file).await {
                    Some(text) => read.push(ServedCatalog {
                        name,
                        file: file.name(),
                        text,
                    }),
                    None => return refused.set(format!("{} cannot be read.", file.name())),
                }
            }
            refused.set(String::new());
            catalogs.set(read);
        });
    };
    announce::follow_alert(move || refused.get());
    view! {
        <Dialog
            title=format!("Move {operator} to file-based catalogs")
            size=Size::Wide
            on_close=move |()| app.overlays.close()
        >
            <div class="dialog-body" tabindex="-1">
                {note(
                    "Render the indexes that serve the operator now, each into a file that is called after its catalog: \
                     `opm render registry/index:v4.18 -o yaml > v4.18.yaml`.",
                )}
                <label class="field">
                    <span class="field-label">"Rendered catalogs"</span>
                    <input
                        class="field-input"
                        type="file"
                        multiple
                        accept=".yaml,.yml,.json"
                        node_ref=input
                        on:change=choose
                    />
                </label>
                {move || {
                    let reason = refused.get();
                    (!reason.is_empty()).then(|| view! { <p class="field-error">{reason}</p> })
                }}
                {move || if catalogs.with(Vec::is_empty) {
                    note("Choose the files to see the result.")
                } else {
                    let operator = operator.clone();
                    view! { <Planned app plan operator/> }.into_any()
                }}
            </div>
            <Foot app label="Make the change" task plan/>
        </Dialog>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_next_version_follows_the_newest() {
        let names = |list: &[&str]| {
            list.iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(next_version(&names(&["v4.21", "v4.9", "latest"])), "v4.22");
        assert_eq!(next_version(&names(&["latest"])), "");
    }
}
