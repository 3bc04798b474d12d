//! The dialogs of tasks other than a release: update, promote to the next OpenShift version,
//! convert to file-based catalogs, correct. Each previews its result.

use super::plan_view::{PlanView, note};
use crate::components::preview::RefusalNote;
use crate::context::{
    AppContext, LatestAnswer, app_context, debounced_query, is_answered, submit_when_ready,
};
use crate::widgets::announce;
use crate::widgets::button::{Button, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::field::{LineField, SelectField};
use crate::widgets::press_guard::Press;
use leptos::html;
use leptos::prelude::*;
use protocol::repository::{RepositoryPlan, RepositoryTask, ServedCatalog};
use protocol::response::OperationRefusal;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Maximum size of a catalog file read in the page.
const MOST_BYTES: f64 = 96.0 * 1024.0 * 1024.0;

type Found = Result<RepositoryPlan, OperationRefusal>;

/// The result of a task together with the task: the form may have changed.
pub(super) type PlannedTask = ReadSignal<LatestAnswer<RepositoryTask, Found>>;

/// Plans a task whenever it changes.
pub(super) fn plan_task(app: AppContext, task: Signal<Option<RepositoryTask>>) -> PlannedTask {
    debounced_query(task, move |task| async move {
        let found = app.repository.plan(task.clone()).await;
        Some((task, found))
    })
}

/// Whether a plan can be carried out.
pub(super) fn can_be_made(plan: &RepositoryPlan) -> bool {
    !plan.pull_requests.is_empty() && plan.refused.is_empty()
}

/// The result of a task with its pull requests.
#[component]
pub(super) fn Planned(app: AppContext, found: PlannedTask, operator: String) -> impl IntoView {
    view! {
        <section class="preview repo-plan" aria-label="Preview" tabindex="0">
            {move || match found.with(|found| Some(found.as_ref()?.1.clone())) {
                None => view! { <p class="preview-note">"Computing the preview…"</p> }.into_any(),
                Some(Err(refusal)) => view! { <RefusalNote app refusal root=None/> }.into_any(),
                Some(Ok(plan)) => {
                    let operator = operator.clone();
                    view! { <PlanView app plan operator/> }.into_any()
                }
            }}
        </section>
    }
    .into_any()
}

/// The foot of a task's dialog. Carries out what the form says when it is pressed, never an earlier
/// choice.
#[component]
pub(super) fn Foot(
    app: AppContext,
    #[prop(into)] label: Signal<String>,
    task: Signal<Option<RepositoryTask>>,
    found: PlannedTask,
) -> impl IntoView {
    let press = Press::new();
    let refused = RwSignal::new(None::<OperationRefusal>);
    let disabled = Signal::derive(move || {
        found.with(|found| {
            let is_refused = !matches!(found, Some((_, Ok(plan))) if can_be_made(plan));
            task.with(|task| match task {
                None => true,
                // While an earlier choice's preview is shown, a press waits for the current one.
                Some(_) => found.is_none() || (is_refused && is_answered(task.as_ref(), found)),
            })
        })
    });
    let make = submit_when_ready(task, found, move |task, found: Found| {
        let Some(plan) = found.ok().filter(can_be_made) else {
            return;
        };
        if press.begin() {
            refused.set(None);
            app.repository.apply(task, plan.pull_requests, move |end| {
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
            <Button label=label look=Look::Primary disabled=disabled on_press=move |()| make()/>
        </div>
    }
    .into_any()
}

/// The dialog of a task without fields.
#[component]
pub(super) fn PlainDialog(title: String, task: RepositoryTask) -> impl IntoView {
    let app = app_context();
    let operator = match &task {
        RepositoryTask::Render { operator } | RepositoryTask::Fix { operator, .. } => {
            operator.clone()
        }
        _ => String::new(),
    };
    let task = Signal::stored(Some(task));
    let found = plan_task(app, task);
    view! {
        <Dialog title=title size=Size::Wide on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                <Planned app found operator/>
                <Requests found/>
            </div>
            <Foot app label="Make the change" task found/>
        </Dialog>
    }
    .into_any()
}

/// The resulting pull requests.
#[component]
fn Requests(found: PlannedTask) -> impl IntoView {
    move || {
        let title = found.with(|found| match found {
            Some((_, Ok(plan))) if can_be_made(plan) => plan
                .pull_requests
                .first()
                .map(|pull_request| pull_request.message.clone()),
            _ => None,
        })?;
        Some(note(&format!(
            "Handed in as one pull request: “{}”.",
            title.lines().next().unwrap_or_default()
        )))
    }
}

/// The name after the newest version.
fn next_version(catalogs: &[String]) -> String {
    let newest = catalogs.iter().find_map(|name| {
        let (major, minor) = name.trim_start_matches('v').split_once('.')?;
        Some((major.parse::<u64>().ok()?, minor.parse::<u64>().ok()?))
    });
    newest.map_or_else(String::new, |(major, minor)| {
        format!("v{major}.{}", minor + 1)
    })
}

/// Promotes to the next OpenShift version.
#[component]
pub(super) fn PromoteDialog(operators: Vec<String>) -> impl IntoView {
    let app = app_context();
    let catalogs = app.repository.view().with_untracked(|view| {
        view.as_ref()
            .map(|view| view.catalogs.clone())
            .unwrap_or_default()
    });
    let from = RwSignal::new(catalogs.first().cloned().unwrap_or_default());
    let to = RwSignal::new(next_version(&catalogs));
    let promoted = match operators.as_slice() {
        [operator] => operator.clone(),
        _ => "all operators".to_owned(),
    };
    let operator = operators.first().cloned().unwrap_or_default();
    let task = Signal::derive(move || {
        let (from, to) = (from.get(), to.get().trim().to_owned());
        let operators = operators.clone();
        (!from.is_empty() && !to.is_empty()).then_some(RepositoryTask::Promote {
            from,
            to,
            operators,
        })
    });
    let found = plan_task(app, task);
    let options = Signal::stored(
        catalogs
            .iter()
            .map(|name| (name.clone(), name.clone()))
            .collect::<Vec<_>>(),
    );
    view! {
        <Dialog title=format!("Next OpenShift version: {promoted}") size=Size::Wide on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                {note(
                    "The catalog is copied, and `ci.yaml` names the new one. `version_promotion_strategy` says whether an \
                     operator goes with all others, by itself or never.",
                )}
                <div class="repo-form">
                    <SelectField label="From" value=from options=options on_change=move |name: String| from.set(name)/>
                    <LineField
                        label="To"
                        value=to
                        on_change=move |name: String| to.set(name)
                        hint=Signal::stored("The name of the catalog, such as v4.22.".to_owned())
                    />
                </div>
                <Planned app found operator/>
            </div>
            <Foot app label="Make the change" task found/>
        </Dialog>
    }
    .into_any()
}

/// Converts catalogs served by a registry to templates and file-based catalogs.
#[component]
pub(super) fn OnboardDialog(operator: String) -> impl IntoView {
    let app = app_context();
    let given = RwSignal::new(Vec::<ServedCatalog>::new());
    let refused = RwSignal::new(String::new());
    let onboarded = operator.clone();
    let task = Signal::derive(move || {
        let catalogs = given.get();
        (!catalogs.is_empty()).then(|| RepositoryTask::Onboard {
            operator: onboarded.clone(),
            catalogs,
        })
    });
    let found = plan_task(app, task);
    let input = NodeRef::<html::Input>::new();
    let choose = move |_| {
        let Some(files) = input.get_untracked().and_then(|input| input.files()) else {
            return;
        };
        let files: Vec<web_sys::File> =
            (0..files.length()).filter_map(|at| files.get(at)).collect();
        spawn_local(async move {
            let mut read = Vec::new();
            for file in files {
                if file.size() > MOST_BYTES {
                    refused.set(format!(
                        "{} is too large for a browser tab: use `switchyard repo onboard`.",
                        file.name()
                    ));
                    return;
                }
                let text = JsFuture::from(file.text())
                    .await
                    .ok()
                    .and_then(|text| text.as_string());
                let name = file
                    .name()
                    .rsplit_once('.')
                    .map_or(file.name(), |(name, _)| name.to_owned());
                match text {
                    Some(text) => read.push(ServedCatalog {
                        name,
                        file: file.name(),
                        text,
                    }),
                    None => return refused.set(format!("{} cannot be read.", file.name())),
                }
            }
            refused.set(String::new());
            given.set(read);
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
                    let why = refused.get();
                    (!why.is_empty()).then(|| view! { <p class="field-error">{why}</p> })
                }}
                {move || match given.with(Vec::is_empty) {
                    true => note("Choose the files to see what they come to."),
                    false => {
                        let operator = operator.clone();
                        view! { <Planned app found operator/> }.into_any()
                    }
                }}
            </div>
            <Foot app label="Make the change" task found/>
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
