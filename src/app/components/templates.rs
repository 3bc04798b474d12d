//! The bar above a template or rendering: links to the rendering, or to the template and its
//! missing bundles. Also the notes that warn before a rendered file is edited, and link to its
//! template.

use crate::context::{AppContext, templates};
use crate::edits::form_values::catalog_name;
use crate::reactive::memo;
use crate::state::store::renderings;
use crate::widgets::buttons::{Button, IconButton};
use crate::widgets::icon::{Glyph, Icon};
use crate::words::count;
use leptos::prelude::*;
use protocol::templates::{MissingBundle, RenderedFrom, RenderedRow, TemplateRow};
use protocol::views::RootRow;
use wasm_bindgen_futures::spawn_local;

/// Maximum number of bundle sources named.
const NAMED: usize = 3;

/// The bar of the catalog in view; empty unless it is a template or rendering.
#[component]
pub fn TemplateBar(app: AppContext) -> impl IntoView {
    let row = memo(move |_| app.store.root_row());
    view! {
        {move || {
            let RootRow { root, template, rendered, .. } = row.get()?;
            match (template, rendered) {
                (Some(template), _) => Some(view! { <OfTemplate app root template/> }.into_any()),
                (None, Some(rendered)) => Some(view! { <OfRendered app rendered/> }.into_any()),
                (None, None) => None,
            }
        }}
    }
    .into_any()
}

#[component]
fn OfTemplate(app: AppContext, root: String, template: TemplateRow) -> impl IntoView {
    let summary = template.says.first().cloned().unwrap_or_default();
    let text = format!("This is a {}. {summary}.", template.kind);
    view! {
        <div class="rendered" data-place="centre" role="note" aria-label="Template">
            <p class="rendered-text"><Glyph icon=Icon::Info/> <span>{text}</span></p>
            {template
                .is_rendered
                .then(|| {
                    view! {
                        <Button
                            label="Render to catalogs…"
                            on_press=move |()| templates::open_render_targets(app, false)
                        />
                        <Button label="Convert template…" on_press=move |()| templates::open_template_conversion(app)/>
                        <Button
                            label="Show rendered catalog"
                            on_press=move |()| spawn_local(renderings::show_rendered(app.store, root.clone()))
                        />
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn OfRendered(app: AppContext, rendered: RenderedRow) -> impl IntoView {
    let name = app.current.name_of_catalog(&rendered.template);
    let sources = app.store.status.with_untracked(|status| {
        let name = |(place, count): &(String, u32)| (catalog_name(&status.roots, place), *count);
        rendered.sources.iter().map(name).collect::<Vec<_>>()
    });
    let text = format!(
        "Rendered from {name}, {}",
        does(rendered.holds_entries, &sources)
    );
    let (to_show, to_close) = (rendered.template.clone(), rendered.template.clone());
    let RenderedRow {
        missing, refused, ..
    } = rendered;
    let has_missing = !missing.is_empty();
    view! {
        <div class="rendered" data-place="centre" role="note" aria-label="Rendered catalog">
            <div class="rendered-text">
                <Glyph icon=if has_missing || !refused.is_empty() { Icon::Warning } else { Icon::Info }/>
                <div>
                    <p>{text}</p>
                    {(!refused.is_empty()).then(|| view! { <p class="mono">{refused}</p> })}
                    {has_missing.then(|| view! { <Missing app missing/> })}
                </div>
            </div>
            <Button label="Render to catalogs…" on_press=move |()| templates::open_render_targets(app, false)/>
            <Button label="Convert template…" on_press=move |()| templates::open_template_conversion(app)/>
            <Button label="Show template" on_press=move |()| spawn_local(renderings::show_template(app.store, to_show.clone()))/>
            <IconButton
                label="Close the rendered catalog"
                icon=Icon::Close
                quiet=true
                on_press=move |()| spawn_local(renderings::hide_rendered(app.store, to_close.clone()))
            />
        </div>
    }
    .into_any()
}

/// Describes what editing a rendering does, and the sources of its bundles.
fn does(holds_entries: bool, sources: &[(String, u32)]) -> String {
    let edits = match holds_entries {
        true => "edits go to the template",
        false => "edits go to the template where it can express them",
    };
    let from = sources.iter().take(NAMED).map(|(place, bundles)| {
        let place = if place.is_empty() {
            "the open files"
        } else {
            place
        };
        format!("{} from {place}", count(*bundles, "bundle"))
    });
    let mut from: Vec<String> = from.collect();
    if sources.len() > NAMED {
        from.push(count((sources.len() - NAMED) as u32, "other place"));
    }
    match from.is_empty() {
        true => format!("read-only: {edits}."),
        false => format!("read-only: {edits}. It uses {}.", from.join(", ")),
    }
}

/// Missing bundles, each linked to its line in the template.
#[component]
fn Missing(app: AppContext, missing: Vec<MissingBundle>) -> impl IntoView {
    let summary = match missing.len() {
        1 => "1 bundle is not open and is left out".to_owned(),
        missing => format!("{missing} bundles are not open and are left out"),
    };
    let item = move |missing: MissingBundle| {
        let MissingBundle {
            reference,
            location,
        } = missing;
        match location {
            Some(location) => view! {
                <li>
                    <button
                        type="button"
                        class="link mono"
                        title=format!("Line {} of the template", location.line)
                        on:click=move |_| {
                            let location = location.clone();
                            spawn_local(async move { app.store.show_source(&location).await });
                        }
                    >
                        {reference}
                    </button>
                </li>
            }
            .into_any(),
            None => view! { <li class="mono">{reference}</li> }.into_any(),
        }
    };
    view! {
        <details class="rendered-missing">
            <summary>{summary}</summary>
            <p>"Drop the bundle directories, or a catalog that has these bundles, on the page; the open files stay open."</p>
            <ul aria-label="Bundles that are not open">{missing.into_iter().map(item).collect_view()}</ul>
        </details>
    }
    .into_any()
}

/// Says what the file in view is rendered from, and what the next render does to `edits`.
fn note_text(from: &RenderedFrom, template: &str, edits: &str) -> String {
    let is = if from.certain { "is" } else { "seems to be" };
    format!("This file {is} rendered from {template}: the next render will lose {edits}.")
}

/// The note in a form. `on_template` opens the template; `on_here` continues with the rendering.
#[component]
pub fn FormNote(
    app: AppContext,
    from: Signal<Option<RenderedFrom>>,
    on_template: Callback<RenderedFrom>,
    on_here: Callback<()>,
) -> impl IntoView {
    view! {
        {move || {
            from.get()
                .map(|from| {
                    let note = note_text(&from, &app.current.name_of_catalog(&from.template), "this edit");
                    let text = if from.holds_entries { "Edit the template instead" } else { "Edit the template as text" };
                    view! {
                        <div class="rendered" role="note" aria-label="Rendered from a template">
                            <p class="rendered-text"><Glyph icon=Icon::Warning/> <span>{note}</span></p>
                            <div class="rendered-ways">
                                <Button label=text on_press=move |()| on_template.run(from.clone())/>
                                <Button label="Edit here anyway" on_press=move |()| on_here.run(())/>
                            </div>
                        </div>
                    }
                })
        }}
    }
    .into_any()
}

/// The note above the text of a rendered file.
#[component]
pub fn SourceNote(app: AppContext) -> impl IntoView {
    let from = memo(move |_| {
        let root = app.store.root.get();
        app.current
            .view
            .with(|view| view.rendered_from.clone().filter(|_| view.root == root))
    });
    view! {
        {move || {
            from.get()
                .map(|from| {
                    let note = note_text(&from, &app.current.name_of_catalog(&from.template), "what is edited here");
                    let package = app.current.package.get_untracked();
                    view! {
                        <div class="rendered" data-place="source" role="note" aria-label="Rendered from a template">
                            <p class="rendered-text"><Glyph icon=Icon::Warning/> <span>{note}</span></p>
                            <Button
                                label="Show the template"
                                on_press=move |()| show_template(app, from.clone(), package.clone())
                            />
                        </div>
                    }
                })
        }}
    }
    .into_any()
}

/// Renders the note below a changed file; `template` is the template's path, "" if there is none.
pub fn changed_note(template: &str) -> Option<impl IntoView + use<>> {
    (!template.is_empty()).then(|| {
        let text = format!("Rendered from {template}: the next render will lose this edit.");
        view! { <p class="rendered-line"><Glyph icon=Icon::Warning/> <span>{text}</span></p> }
    })
}

/// Shows the package in the template. Shows a template without packages as text.
pub fn show_template(app: AppContext, from: RenderedFrom, package: String) {
    let store = app.store;
    spawn_local(async move {
        renderings::show_template(store, from.template).await;
        if from.holds_entries {
            store.show_package(package).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn names_the_origin_of_the_bundles() {
        let note = |sources: &[(&str, u32)]| {
            let sources: Vec<(String, u32)> = sources
                .iter()
                .map(|(place, count)| ((*place).to_owned(), *count))
                .collect();
            does(true, &sources)
        };
        let head = "read-only: edits go to the template.";
        assert_eq!(note(&[]), head);
        assert_eq!(
            note(&[("v4.20", 2), ("", 1)]),
            format!("{head} It uses 2 bundles from v4.20, 1 bundle from the open files.")
        );
        assert!(note(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]).ends_with(", 1 other place."));
    }

    #[test]
    fn uncertain_facts_are_omitted() {
        let from = |certain| RenderedFrom {
            certain,
            ..RenderedFrom::default()
        };
        assert_eq!(
            note_text(&from(true), "basic.yaml", "this edit"),
            "This file is rendered from basic.yaml: the next render will lose this edit."
        );
        assert_eq!(
            note_text(&from(false), "basic.yaml", "this edit"),
            "This file seems to be rendered from basic.yaml: the next render will lose this edit."
        );
    }
}
