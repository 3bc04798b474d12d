//! *Convert template…*: a template as one of another kind that renders to the same catalog, previewed before it is applied;
//! where no semver template makes its graph, what differs.

use crate::components::preview::{Live, Preview, PreviewPane, RefusalNote, follow};
use crate::context::{AppContext, app_context, debounced_query, held_press, is_answered};
use crate::edits::suggestions::catalog_name;
use crate::state::store::Conversion;
use crate::widgets::button::Button;
use crate::widgets::code_text::in_code;
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::press_guard::Press;
use crate::widgets::segmented::Segmented;
use crate::words::count;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;
use protocol::response::OperationRefusal;
use protocol::templates::TemplateKind;

/// Each kind: its key, and what such a template says.
const KINDS: [(TemplateKind, &str, &str); 3] = [
    (
        TemplateKind::Basic,
        "basic",
        "Channels and entries as they are rendered, bundles by their images: every edit of a channel can be made.",
    ),
    (
        TemplateKind::Semver,
        "semver",
        "Lists of images for candidate, fast and stable: channels and edges follow from the versions.",
    ),
    (
        TemplateKind::Substitutes,
        "substitutes",
        "The whole catalog, bundles in full, and a list of bundles that take the place of others.",
    ),
];

/// The answer for the chosen kind.
type Found = ReadSignal<Option<Result<Conversion, OperationRefusal>>>;

#[component]
pub fn ConvertTemplate(template: String) -> impl IntoView {
    let app = app_context();
    let name = app.store.status.with_untracked(|status| catalog_name(&status.roots, &template));
    let present = app.store.status.with_untracked(|status| {
        let row = status.roots.iter().find(|row| row.root == template);
        row.and_then(|row| row.template.as_ref()).map(|of| of.kind.clone()).unwrap_or_default()
    });
    let options = others(&present);
    let chosen = RwSignal::new(options.first().map_or(TemplateKind::Basic, |(key, _)| kind_of(key)));
    let revision = Memo::new(move |_| app.store.status.with(|status| status.revision));
    let of = template.clone();
    let wanted = Signal::derive(move || Some((of.clone(), chosen.get(), revision.get())));
    let found: Found =
        debounced_query(
            wanted,
            move |(template, into, _)| async move { Some(app.store.conversion(template, into).await) },
        );
    let ops = Memo::new(move |_| found.with(|found| Some(made(found.as_ref()?)?.to_vec())));
    let live = follow(app, PreviewScope::Own, ops.into());
    let press = Press::new();
    let of = name.clone();
    let apply = move || {
        let Some(ops) = ops.get_untracked() else { return };
        if press.begin() {
            let title = format!("Convert {of} to a {} template", key_of(chosen.get_untracked()));
            app.apply_and_close(title, ops, move |refusal| {
                live.preview.try_set(Preview::Refused(refusal));
                press.end();
            });
        }
    };
    let cannot = Signal::derive(move || ops.with(Option::is_none));
    view! {
        <Dialog title="Convert template" size=Size::Form on_close=move |()| app.overlays.close()>
            <form
                class="form"
                novalidate
                on:submit=move |event| {
                    event.prevent_default();
                    apply();
                }
            >
                <div class="form-fields">
                    <p class="form-help">
                        <code>{name}</code>
                        {format!(" is a {present}. Converted, it renders to the same catalog. It is written anew: comments are not kept.")}
                    </p>
                    <Segmented
                        label="Convert to"
                        options
                        selected=Signal::derive(move || key_of(chosen.get()))
                        on_select=move |key| chosen.set(kind_of(key))
                    />
                    <p class="field-hint">{move || says(chosen.get())}</p>
                    {move || found.with(|found| lost(found.as_ref()))}
                </div>
                {move || body(app, found, live)}
                <div class="form-foot">
                    <Button label="Cancel" on_press=move |()| app.overlays.close()/>
                    <button type="submit" class="button" data-look="primary" prop:disabled=move || cannot.get()>
                        "Convert"
                    </button>
                </div>
            </form>
        </Dialog>
    }
    .into_any()
}

/// The operations, where it can be converted.
fn made(found: &Result<Conversion, OperationRefusal>) -> Option<&[EditOp]> {
    match found {
        Ok(Conversion::Made { ops, .. }) => Some(ops),
        _ => None,
    }
}

/// What is not kept though the catalog is the same.
fn lost(found: Option<&Result<Conversion, OperationRefusal>>) -> Option<impl IntoView + use<>> {
    let Some(Ok(Conversion::Made { remarks, .. })) = found else { return None };
    let lines = remarks.iter().map(|line| view! { <li>{in_code(line)}</li> }).collect_view();
    (!remarks.is_empty()).then(|| {
        view! {
            <p class="field-hint">"Not kept:"</p>
            <ul class="part-files" aria-label="Not kept">{lines}</ul>
        }
    })
}

fn body(app: AppContext, found: Found, live: Live) -> AnyView {
    let refused = match found.get() {
        Some(Ok(Conversion::Made { .. })) => return view! { <PreviewPane app live/> }.into_any(),
        None => view! { <p class="preview-note" role="status">"Rendering, to convert…"</p> }.into_any(),
        Some(Err(refusal)) => view! { <RefusalNote app refusal root=None/> }.into_any(),
        Some(Ok(Conversion::Differs(differences))) => differing(differences).into_any(),
    };
    view! { <section class="preview" aria-label="Preview" tabindex="0">{refused}</section> }.into_any()
}

fn differing(differences: Vec<String>) -> impl IntoView {
    let found = count(differences.len() as u32, "difference");
    let lines = differences.into_iter().map(|line| view! { <li>{line}</li> }).collect_view();
    view! {
        <div class="refusal" role="status">
            <p><strong>"No semver template makes this graph: "</strong>{found}"."</p>
            <ul class="refusal-lines" aria-label="Differences">{lines}</ul>
            <p>"Change these in the template first, or choose another kind."</p>
        </div>
    }
}

/// The kinds that a template of this kind, as it is called, can be converted into.
fn others(present: &str) -> &'static [(&'static str, &'static str)] {
    match present {
        "basic template" => &[("semver", "Semver"), ("substitutes", "Substitutes")],
        "semver template" => &[("basic", "Basic"), ("substitutes", "Substitutes")],
        _ => &[("basic", "Basic"), ("semver", "Semver")],
    }
}

fn key_of(kind: TemplateKind) -> &'static str {
    KINDS.iter().find(|(of, ..)| *of == kind).map_or("", |(_, key, ..)| key)
}

fn kind_of(key: &str) -> TemplateKind {
    KINDS.iter().find(|(_, of, ..)| *of == key).map_or(TemplateKind::Basic, |(kind, ..)| *kind)
}

fn says(kind: TemplateKind) -> &'static str {
    KINDS.iter().find(|(of, ..)| *of == kind).map_or("", |(.., says)| says)
}
