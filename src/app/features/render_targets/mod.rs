//! *Render to catalogs…*: a template's target catalogs, whether each is up to date, and actions to
//! render them again or add a version. Shows a preview before applying.

mod state_words;

use crate::components::preview::RefusalNote;
use crate::context::{AppContext, app_context, debounced_query, render_commands::target_names};
use crate::edits::suggestions::catalog_name;
use crate::reactive::{effect, memo};
use crate::widgets::button::{Button, Look};
use crate::widgets::code_text::in_code;
use crate::widgets::dialog::Dialog;
use crate::widgets::dom;
use crate::widgets::field::LineField;
use crate::widgets::press_guard::Press;
use leptos::html;
use leptos::prelude::*;
use protocol::query::ListRenderTargets;
use protocol::response::OperationRefusal;
use protocol::templates::{RenderTarget, RenderTargets};
use state_words::{details, state, summary, tone};
use wasm_bindgen_futures::spawn_local;

/// State shared by the parts of the dialog.
#[derive(Clone, Copy)]
struct RenderDialog {
    app: AppContext,
    press: Press,
    /// Why the last action failed.
    refused: RwSignal<Option<OperationRefusal>>,
}

impl RenderDialog {
    fn render(self, targets: &RenderTargets, catalogs: Vec<String>) {
        let (app, targets) = (self.app, targets.clone());
        self.run(async move { app.templates.preview_render(&targets, catalogs).await });
    }

    fn add(self, targets: &RenderTargets, catalog: String) {
        let (app, targets) = (self.app, targets.clone());
        self.run(async move { app.templates.preview_added_target(&targets, &catalog).await });
    }

    /// Runs one action at a time; ignores further presses.
    fn run(self, asked: impl Future<Output = Result<(), OperationRefusal>> + 'static) {
        if self.press.begin() {
            self.refused.set(None);
            spawn_local(async move {
                if let Err(refusal) = asked.await {
                    self.refused.try_set(Some(refusal));
                }
                self.press.end();
            });
        }
    }
}

/// `adds`: opened for adding a version.
#[component]
pub fn RenderTargetsDialog(template: String, adds: bool) -> impl IntoView {
    let app = app_context();
    let shown = RenderDialog {
        app,
        press: Press::new(),
        refused: RwSignal::new(None),
    };
    let revision = memo(move |_| app.store.status.with(|status| status.revision));
    let name = app
        .store
        .status
        .with_untracked(|status| catalog_name(&status.roots, &template));
    let wanted = Signal::derive(move || Some((template.clone(), revision.get())));
    let found = debounced_query(wanted, move |(template, _)| async move {
        let found = app.store.ask(ListRenderTargets { template }).await;
        Some(found.map_err(OperationRefusal::from))
    });
    let body = move || match found.get() {
        None => view! { <p class="preview-note">"Rendering, to compare…"</p> }.into_any(),
        Some(Err(refusal)) => view! { <RefusalNote app refusal root=None/> }.into_any(),
        Some(Ok(targets)) => view! { <Targets shown targets adds/> }.into_any(),
    };
    view! {
        <Dialog title="Render to catalogs" on_close=move |()| app.overlays.close()>
            <div class="dialog-body form-asked" tabindex="-1">
                <p class="form-help">
                    "What " <code>{name}</code>
                    " renders to, compared with each of its catalogs. Rendering shows a preview first."
                </p>
                {body}
                {move || shown.refused.get().map(|refusal| view! { <RefusalNote app refusal root=None/> })}
            </div>
            <div class="dialog-foot">
                <Button label="Close" look=Look::Quiet on_press=move |()| app.overlays.close()/>
                {move || {
                    let targets = found.get()?.ok()?;
                    let catalogs = target_names(&targets);
                    let disabled = catalogs.is_empty();
                    let render = move |()| shown.render(&targets, catalogs.clone());
                    Some(view! { <Button label="Render all" look=Look::Primary disabled=disabled on_press=render/> })
                }}
            </div>
        </Dialog>
    }
    .into_any()
}

#[component]
fn Targets(shown: RenderDialog, targets: RenderTargets, adds: bool) -> impl IntoView {
    let of = StoredValue::new(targets.clone());
    let rows = targets
        .targets
        .iter()
        .map(|target| row(shown, of, target.clone()))
        .collect_view();
    view! {
        <p>{summary(&targets)}</p>
        <ul class="render-targets" aria-label="Catalogs of the template">{rows}</ul>
        {match targets.mapping.as_str() {
            "" => {
                let says = "No `ci.yaml` names the catalogs of this template: these are the open catalogs that have its bundles. \
                            To add a version, write a `catalog_mapping` into the operator's `ci.yaml`.";
                view! { <p class="form-help">{in_code(says)}</p> }.into_any()
            }
            _ => view! { <AddedTarget shown targets adds/> }.into_any(),
        }}
    }
    .into_any()
}

fn row(shown: RenderDialog, of: StoredValue<RenderTargets>, target: RenderTarget) -> impl IntoView {
    let name = format!("{}, {}", target.catalog, state(&target.state));
    let lines = details(&target);
    let catalog = target.catalog.clone();
    let render = move |()| of.with_value(|of| shown.render(of, vec![catalog.clone()]));
    view! {
        <li class="render-target" aria-label=name>
            <p>
                <strong>{target.catalog.clone()}</strong>
                " "
                <span class="render-state" data-tone=tone(&target.state)>{state(&target.state)}</span>
            </p>
            <div class="render-details">{lines.into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}</div>
            {target
                .state
                .is_written()
                .then(|| view! { <Button label=format!("Render {}", target.catalog) on_press=render/> })}
        </li>
    }
}

/// Adds a catalog to the mapping: the version after the highest one, unless another name is typed.
#[component]
fn AddedTarget(shown: RenderDialog, targets: RenderTargets, adds: bool) -> impl IntoView {
    let name = RwSignal::new(targets.next.clone());
    let hint = format!(
        "The catalog's name in {}. The new catalog is rendered too.",
        targets.mapping
    );
    let node = NodeRef::<html::Form>::new();
    effect(move |_| {
        if adds && node.get().is_some() {
            // Run after the dialog has taken the focus.
            dom::focus_first_later(".render-added");
        }
    });
    view! {
        <form
            node_ref=node
            class="render-added"
            novalidate
            on:submit=move |event| {
                event.prevent_default();
                shown.add(&targets, name.get_untracked().trim().to_owned());
            }
        >
            <LineField
                label="Version"
                value=name
                on_change=move |text: String| name.set(text)
                hint=Signal::stored(hint)
            />
            <button type="submit" class="button" data-look="plain">"Add a version…"</button>
        </form>
    }
    .into_any()
}
