//! *Release…*: a bundle's targets, with a live preview of the pipeline's result.

use super::findings::Findings;
use super::plan_view::note;
use super::release_items::Items;
use super::tasks::{Foot, Planned, plan_task};
use crate::components::preview::RefusalNote;
use crate::context::{AppContext, app_context};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::field::LineField;
use crate::widgets::segmented::Segmented;
use leptos::prelude::*;
use protocol::repository::{ReleaseDraft, ReleaseForm, RepositoryTask, SubmitMode};
use protocol::response::OperationRefusal;
use wasm_bindgen_futures::spawn_local;

/// The image used in the preview until one is given.
const PLACEHOLDER: &str = "example.com/to-be-built:latest";

#[component]
pub(super) fn ReleaseDialog(
    operator: String,
    bundle: String,
    dropped: Vec<(String, String)>,
) -> impl IntoView {
    let app = app_context();
    let form = RwSignal::new(None::<Result<ReleaseForm, OperationRefusal>>);
    let (of, version, files) = (operator.clone(), bundle.clone(), dropped.clone());
    spawn_local(async move {
        let found = app.repository.release_form(of, version, files).await;
        form.try_set(Some(found));
    });
    view! {
        <Dialog title=format!("Release {operator} {bundle}") size=Size::Wide on_close=move |()| app.overlays.close()>
            {move || match form.get() {
                None => {
                    view! {
                        <div class="dialog-body" tabindex="-1">
                            <p class="preview-note">"Reading the bundle and the templates…"</p>
                        </div>
                    }
                        .into_any()
                }
                Some(Err(refusal)) => {
                    view! {
                        <div class="dialog-body" tabindex="-1"><RefusalNote app refusal root=None/></div>
                    }
                        .into_any()
                }
                Some(Ok(form)) => {
                    let dropped = dropped.clone();
                    view! { <Filled app form dropped/> }.into_any()
                }
            }}
        </Dialog>
    }
    .into_any()
}

#[component]
fn Filled(app: AppContext, form: ReleaseForm, dropped: Vec<(String, String)>) -> impl IntoView {
    let image = RwSignal::new(form.image.clone());
    let items = RwSignal::new(form.draft.clone());
    let hand_in = RwSignal::new(SubmitMode::ConfigOnly);
    let (operator, bundle) = (form.operator.clone(), form.bundle.clone());
    let of = operator.clone();
    let task = Signal::derive(move || {
        let image = image.get().trim().to_owned();
        let items = items.get();
        (!items.is_empty()).then(|| {
            RepositoryTask::Release(ReleaseDraft {
                operator: of.clone(),
                bundle: bundle.clone(),
                image: if image.is_empty() {
                    PLACEHOLDER.to_owned()
                } else {
                    image
                },
                items,
                hand_in: hand_in.get(),
                dropped: dropped.clone(),
            })
        })
    });
    let found = plan_task(app, task);
    let intro = match (form.is_written, form.draft.is_empty()) {
        (true, _) => "Filled in as the bundle’s `release-config.yaml` says.",
        (false, false) => "Filled in as the release before it went.",
        (false, true) => "Choose the templates that the bundle goes into.",
    };
    let label = Signal::derive(move || match hand_in.get() {
        SubmitMode::ConfigOnly => "Write release-config.yaml".to_owned(),
        SubmitMode::All => "Write all files".to_owned(),
    });
    let planned_operator = operator.clone();
    view! {
        <div class="dialog-body repo-release" tabindex="-1">
            <div class="repo-release-form">
                {note(intro)}
                {(!form.findings.is_empty())
                    .then(|| {
                        let operator = operator.clone();
                        view! { <Findings app operator findings=form.findings.clone() label="What is not filled in"/> }
                    })}
                <LineField
                    label="Image"
                    value=image
                    on_change=move |text: String| image.set(text)
                    hint=Signal::stored(
                        "The reference that the bundle is built as. The pipeline builds it: for the preview any will do.".to_owned(),
                    )
                />
                <Items offers=form.templates.clone() name=form.name.clone() items/>
                <fieldset class="repo-fieldset">
                    <legend class="field-label">"Hand in"</legend>
                    <Segmented
                        label="Hand in"
                        hint="The pipeline makes templates and catalogs from release-config.yaml once the bundle is merged."
                        options=&[("config", "release-config.yaml only"), ("all", "Templates and catalogs too")]
                        selected=Signal::derive(move || match hand_in.get() {
                            SubmitMode::ConfigOnly => "config",
                            SubmitMode::All => "all",
                        })
                        on_select=move |key| hand_in.set(if key == "all" { SubmitMode::All } else { SubmitMode::ConfigOnly })
                    />
                    <p class="field-hint">
                        {move || match hand_in.get() {
                            SubmitMode::ConfigOnly => "One pull request with the bundle. The pipeline does the rest after the merge.",
                            SubmitMode::All => "Two pull requests: first the bundle, then templates and catalogs.",
                        }}
                    </p>
                </fieldset>
            </div>
            <div class="repo-release-preview">
                {move || match task.with(Option::is_none) {
                    true => note("Choose a template to see what the pipeline makes of it."),
                    false => {
                        let operator = planned_operator.clone();
                        view! { <Planned app found operator/> }.into_any()
                    }
                }}
            </div>
        </div>
        <Foot app label task found/>
    }
    .into_any()
}
