//! The bar above a template or rendering: links to the rendering, or to the template and missing
//! bundles.

use crate::context::AppContext;
use crate::edits::suggestions::catalog_name;
use crate::reactive::memo;
use crate::widgets::button::{Button, IconButton};
use crate::widgets::icon::{Glyph, Icon};
use crate::words::count;
use leptos::prelude::*;
use protocol::templates::{MissingBundle, RenderedRow, TemplateRow};
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
                            on_press=move |()| app.templates.open_targets()
                        />
                        <Button label="Convert template…" on_press=move |()| app.templates.open_conversion()/>
                        <Button
                            label="Show rendered catalog"
                            on_press=move |()| spawn_local(app.store.show_rendered(root.clone()))
                        />
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn OfRendered(app: AppContext, rendered: RenderedRow) -> impl IntoView {
    let name = app
        .store
        .status
        .with_untracked(|status| catalog_name(&status.roots, &rendered.template));
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
            <Button label="Render to catalogs…" on_press=move |()| app.templates.open_targets()/>
            <Button label="Convert template…" on_press=move |()| app.templates.open_conversion()/>
            <Button label="Show template" on_press=move |()| spawn_local(app.store.show_template(to_show.clone()))/>
            <IconButton
                label="Close the rendered catalog"
                icon=Icon::Close
                quiet=true
                on_press=move |()| spawn_local(app.store.hide_rendered(to_close.clone()))
            />
        </div>
    }
    .into_any()
}

/// Describes a rendering and the sources of its bundles.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_origin_of_the_bundles() {
        let of = |sources: &[(&str, u32)]| {
            let sources: Vec<(String, u32)> = sources
                .iter()
                .map(|(place, count)| ((*place).to_owned(), *count))
                .collect();
            does(true, &sources)
        };
        let head = "read-only: edits go to the template.";
        assert_eq!(of(&[]), head);
        assert_eq!(
            of(&[("v4.20", 2), ("", 1)]),
            format!("{head} It uses 2 bundles from v4.20, 1 bundle from the open files.")
        );
        assert!(of(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]).ends_with(", 1 other place."));
    }
}
