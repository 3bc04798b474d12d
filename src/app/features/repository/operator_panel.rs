//! Details of one operator: bundles, catalogs, findings, and tasks.

use super::findings::Findings;
use crate::context::{AppContext, TaskDialog};
use crate::reactive::memo;
use crate::state::repository::{state_key, state_words, verdict_words};
use crate::widgets::button::{Button, IconButton, Look};
use crate::widgets::code_text::in_code;
use crate::widgets::icon::Icon;
use crate::words;
use leptos::prelude::*;
use protocol::repository::{
    BundleFolder, CellState, CellVerdict, OperatorCell, OperatorView, RepositoryTask,
};
use std::sync::Arc;

/// Number of bundles listed before expanding.
const BUNDLES: usize = 8;

#[component]
pub(super) fn OperatorPanel(app: AppContext, operator: String) -> impl IntoView {
    let name = operator.clone();
    let known = memo(move |_| {
        app.repository
            .known()
            .with(|known| known.get(&name).cloned())
    });
    view! {
        <section class="repo-side" aria-labelledby="repo-side-title" tabindex="-1">
            <div class="repo-side-head">
                <h2 class="repo-side-title" id="repo-side-title">{operator.clone()}</h2>
                <IconButton
                    label="Close"
                    icon=Icon::Close
                    quiet=true
                    on_press=move |()| app.repository.choose(None)
                />
            </div>
            {move || match known.get() {
                None => view! { <p class="repo-note">"Reading the operator’s files…"</p> }.into_any(),
                Some(view) => view! { <OperatorDetails app of=view/> }.into_any(),
            }}
        </section>
    }
    .into_any()
}

#[component]
fn OperatorDetails(app: AppContext, of: Arc<OperatorView>) -> impl IntoView {
    let operator = of.operator.clone();
    let is_based = of.cells.iter().any(|cell| !cell.template.is_empty());
    let stale = of
        .cells
        .iter()
        .filter(|cell| cell.state == CellState::Stale)
        .count() as u32;
    let (for_render, for_promote, for_onboard) =
        (operator.clone(), operator.clone(), operator.clone());
    view! {
        <div class="repo-actions">
            {(stale > 0)
                .then(|| {
                    let operator = for_render;
                    let press = move |()| {
                        let task = RepositoryTask::Render { operator: operator.clone() };
                        app.repository.open_task(TaskDialog::Plain(task));
                    };
                    let label = format!("Bring {} up to date…", words::count(stale, "catalog"));
                    view! { <Button label=label look=Look::Primary on_press=press/> }
                })}
            {is_based
                .then(|| {
                    let press = move |()| app.repository.open_task(TaskDialog::Promote { operators: vec![for_promote.clone()] });
                    view! { <Button label="Next OpenShift version…" on_press=press/> }
                })}
            {(!is_based)
                .then(|| {
                    let press = move |()| app.repository.open_task(TaskDialog::Onboard { operator: for_onboard.clone() });
                    view! { <Button label="Move to file-based catalogs…" on_press=press/> }
                })}
        </div>
        {(!of.findings.is_empty())
            .then(|| {
                view! {
                    <h3 class="repo-title">{words::count(of.findings.len() as u32, "finding")}</h3>
                    <Findings app operator=operator.clone() findings=of.findings.clone() label="Findings"/>
                }
            })}
        {(!of.left_out.is_empty())
            .then(|| {
                let names = of.left_out.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                let message = format!("`config.yaml` leaves out for this operator: {}.", names.join(", "));
                view! { <p class="dim">{in_code(&message)}</p> }
            })}
        <Bundles app operator=operator.clone() bundles=of.bundles.clone() is_based/>
        <h3 class="repo-title">"Catalogs"</h3>
        <ul class="repo-list" aria-label="Catalogs of the operator">
            {of.cells.iter().map(|cell| catalog(app, &operator, cell.clone())).collect_view()}
        </ul>
        {of.cells.is_empty().then(|| view! { <p class="dim">"It is in no file-based catalog."</p> })}
    }
    .into_any()
}

#[component]
fn Bundles(
    app: AppContext,
    operator: String,
    bundles: Vec<BundleFolder>,
    is_based: bool,
) -> impl IntoView {
    let shows_all = RwSignal::new(false);
    let total = bundles.len();
    let rows = move || {
        let count = if shows_all.get() { total } else { BUNDLES };
        bundles
            .iter()
            .take(count)
            .map(|bundle| bundle_row(app, &operator, bundle, is_based))
            .collect_view()
    };
    view! {
        <h3 class="repo-title">"Bundles"</h3>
        <ul class="repo-list" aria-label="Bundles">{rows}</ul>
        {move || {
            (total > BUNDLES && !shows_all.get())
                .then(|| {
                    let label = format!("Show all {total}");
                    view! { <Button label=label look=Look::Quiet on_press=move |()| shows_all.set(true)/> }
                })
        }}
        {(total == 0).then(|| view! { <p class="dim">"No folder has a bundle: it needs `manifests` and `metadata`."</p> })}
    }
    .into_any()
}

fn bundle_row(
    app: AppContext,
    operator: &str,
    folder: &BundleFolder,
    is_based: bool,
) -> impl IntoView + use<> {
    let BundleFolder {
        version,
        has_release_config,
        is_released,
    } = folder.clone();
    let state = match (is_released, has_release_config) {
        (true, _) => "in a catalog",
        (false, true) => "has a release-config.yaml",
        (false, false) => "in no catalog",
    };
    let task = TaskDialog::Release {
        operator: operator.to_owned(),
        bundle: version.clone(),
        dropped: Vec::new(),
    };
    let label = format!("Release {version}…");
    view! {
        <li class="repo-row">
            <span class="mono">{version}</span>
            <span class="dim">{state}</span>
            {(is_based && !is_released)
                .then(|| view! { <Button label=label on_press=move |()| app.repository.open_task(task.clone())/> })}
        </li>
    }
    .into_any()
}

fn catalog(app: AppContext, operator: &str, cell: OperatorCell) -> impl IntoView + use<> {
    let OperatorCell {
        catalog,
        root,
        state,
        says,
        template,
        verdict,
    } = cell;
    let (glyph, word) = state_words(state);
    let is_there = verdict != CellVerdict::None;
    let label = match verdict_words(&verdict) {
        "" => word.to_owned(),
        verdict => format!("{word}, {verdict}"),
    };
    let message = match verdict {
        CellVerdict::Fails(message) => message,
        CellVerdict::None | CellVerdict::Passes | CellVerdict::PartPasses => String::new(),
    };
    let operator = operator.to_owned();
    let name = catalog.clone();
    view! {
        <li class="repo-row" data-state=state_key(state)>
            {match is_there {
                true => {
                    let open = move |_| app.repository.open_operator_catalog(operator.clone(), root.clone());
                    view! { <button type="button" class="link" on:click=open>{name}</button> }.into_any()
                }
                false => view! { <span>{name}</span> }.into_any(),
            }}
            <span><span class="repo-mark" aria-hidden="true">{glyph}</span> " " {label}</span>
            {(!template.is_empty())
                .then(|| view! { <span class="dim repo-wide">{format!("from {}", template.rsplit('/').next().unwrap_or_default())}</span> })}
            {(!says.is_empty()).then(|| view! { <span class="dim repo-wide">{in_code(&says)}</span> })}
            {(!message.is_empty()).then(|| view! { <span class="dim repo-wide mono">{message}</span> })}
        </li>
    }
    .into_any()
}
