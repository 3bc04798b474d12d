//! The bar above a template or its rendering, and the notes that warn before a rendered file is
//! edited. They link the template and the rendering.

use crate::context::templates;
use crate::edits::form_values::catalog_name;
use crate::prelude::*;
use crate::state::store::{SourcePlace, Tab, renderings};
use crate::words::count;
use protocol::templates::{BundleSource, MissingBundle, RenderedFrom, RenderedRow, TemplateRow};
use protocol::views::RootRow;

/// Maximum number of bundle sources named.
const MAX_SOURCES: usize = 3;

/// The bar of the catalog in view; empty unless it is a template or rendering.
#[component]
pub fn TemplateBar(app: AppContext) -> impl IntoView {
    let row = memo(move |_| app.store.root_row());
    // On a graph tab, show the rendering of a template without entries: it has no graph of its own.
    effect(move |was_drawn: Option<bool>| {
        let tab = app.store.tab.get();
        let is_drawn = matches!(tab, Tab::Graph | Tab::Table | Tab::UpgradeMap);
        if is_drawn && was_drawn == Some(false) {
            let template = row.get_untracked().filter(RootRow::is_template);
            if let Some(row) = template {
                spawn_local(renderings::show_drawn(app.store, row.root));
            }
        }
        is_drawn
    });
    view! {
        {move || {
            let RootRow { root, template, rendered, .. } = row.get()?;
            match (template, rendered) {
                (Some(template), _) => Some(view! { <TemplateActions app root template/> }.into_any()),
                (None, Some(rendered)) => Some(view! { <RenderedActions app rendered/> }.into_any()),
                (None, None) => None,
            }
        }}
    }
    .into_any()
}

/// A note about a template or rendering, with what the user can do as its children.
#[component]
fn TemplateNote(
    #[prop(optional)] place: Option<&'static str>,
    label: &'static str,
    icon: Icon,
    text: String,
    /// What is shown below the text.
    #[prop(optional_no_strip)]
    details: Option<AnyView>,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="rendered" data-place=place role="note" aria-label=label>
            <div class="rendered-text">
                <Glyph icon/>
                <div><p>{text}</p> {details}</div>
            </div>
            {children()}
        </div>
    }
    .into_any()
}

#[component]
fn TemplateActions(app: AppContext, root: String, template: TemplateRow) -> impl IntoView {
    let summary = template.sentences.first().cloned().unwrap_or_default();
    let text = format!("This is a {}. {summary}.", template.kind);
    view! {
        <TemplateNote place="centre" label="Template" icon=Icon::Info text>
            {template
                .is_rendered
                .then(|| {
                    view! {
                        {render_buttons(app)}
                        {template.holds_entries.then(|| view! {
                            <Button
                                label="Show rendered catalog"
                                on_press=move |()| spawn_local(renderings::show_rendered(app.store, root.clone()))
                            />
                        })}
                    }
                })}
        </TemplateNote>
    }
    .into_any()
}

fn render_buttons(app: AppContext) -> impl IntoView {
    view! {
        <Button label="Render to catalogs…" on_press=move |()| templates::open_render_targets(app, false)/>
        <Button label="Convert template…" on_press=move |()| templates::open_template_conversion(app)/>
    }
}

#[component]
fn RenderedActions(app: AppContext, rendered: RenderedRow) -> impl IntoView {
    let name = app.current.name_of_catalog(&rendered.template);
    let sources = app.store.status.with_untracked(|status| {
        let named = |source: &BundleSource| BundleSource {
            root: catalog_name(&status.roots, &source.root),
            bundles: source.bundles,
        };
        rendered.sources.iter().map(named).collect::<Vec<_>>()
    });
    let text = match &rendered.refused {
        Some(_) => format!("Nothing is rendered from {name}."),
        None => format!(
            "Preview of what {name} renders. {}",
            describe_editing(rendered.holds_entries, &sources)
        ),
    };
    let (shown_template, closed_template) = (rendered.template.clone(), rendered.template.clone());
    let RenderedRow {
        missing, refused, ..
    } = rendered;
    let icon = if missing.is_empty() && refused.is_none() {
        Icon::Info
    } else {
        Icon::Warning
    };
    let details = (!missing.is_empty()).then(|| view! { <MissingBundles app missing/> }.into_any());
    view! {
        <TemplateNote place="centre" label="Rendered catalog" icon text details>
            {render_buttons(app)}
            <Button label="Show template" on_press=move |()| spawn_local(renderings::show_template(app.store, shown_template.clone()))/>
            <IconButton
                label="Close the rendered catalog"
                icon=Icon::Close
                quiet=true
                on_press=move |()| spawn_local(renderings::hide_rendered(app.store, closed_template.clone()))
            />
        </TemplateNote>
    }
    .into_any()
}

/// Describes where edits of a rendering go, and the sources of its bundles, whose roots are
/// displayed names.
fn describe_editing(holds_entries: bool, sources: &[BundleSource]) -> String {
    let edits = if holds_entries {
        "Edits change the template."
    } else {
        "Edits change the template if it can express them."
    };
    if sources.is_empty() {
        return edits.to_owned();
    }
    let origins = sources.iter().map(|BundleSource { root, bundles }| {
        let catalog = if root.is_empty() {
            "the open files"
        } else {
            root.as_str()
        };
        format!("{} from {catalog}", count(*bundles, "bundle"))
    });
    let mut named: Vec<String> = origins.take(MAX_SOURCES).collect();
    let others = sources.len() - named.len();
    named.extend((others > 0).then(|| count(others as u32, "other place")));
    format!("{edits} It uses {}.", named.join(", "))
}

/// Missing bundles, each linked to its line in the template.
#[component]
fn MissingBundles(app: AppContext, missing: Vec<MissingBundle>) -> impl IntoView {
    let summary = words::not_open(missing.len() as u32);
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
                            spawn_local(async move {
                                app.store.show_source(SourcePlace::new(&location), false).await;
                            });
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
            <p>"They are not rendered. Drop the bundle directories, or a catalog that has these bundles, on the page; the open files stay open."</p>
            <ul aria-label="Bundles that are not open">{missing.into_iter().map(item).collect_view()}</ul>
        </details>
    }
    .into_any()
}

/// Warns that the next render of the file's template loses `edits`.
fn note_text(from: &RenderedFrom, template: &str, edits: &str) -> String {
    let verb = if from.certain { "is" } else { "seems to be" };
    format!("This file {verb} rendered from {template}: the next render will lose {edits}.")
}

/// The note in a form. `on_template` opens the template; `on_ignore` continues with the
/// rendering.
#[component]
pub fn FormNote(
    app: AppContext,
    from: Signal<Option<RenderedFrom>>,
    on_template: Callback<RenderedFrom>,
    on_ignore: Callback<()>,
) -> impl IntoView {
    view! {
        {move || {
            from.get()
                .map(|from| {
                    let note = note_text(&from, &app.current.name_of_catalog(&from.template), "this edit");
                    let text = if from.holds_entries { "Edit the template instead" } else { "Edit the template as text" };
                    view! {
                        <TemplateNote label="Rendered from a template" icon=Icon::Warning text=note>
                            <div class="rendered-buttons">
                                <Button label=text on_press=move |()| on_template.run(from.clone())/>
                                <Button label="Edit here anyway" on_press=move |()| on_ignore.run(())/>
                            </div>
                        </TemplateNote>
                    }
                })
        }}
    }
    .into_any()
}

/// The note above the text of a rendered file.
#[component]
pub fn SourceNote(app: AppContext) -> impl IntoView {
    let source = app.store.source;
    let subject = memo(move |_| source.is_read().then(|| source.subject.get()).flatten());
    view! {
        {move || {
            subject
                .get()
                .and_then(|subject| Some((subject.rendered_from?, subject.package)))
                .map(|(from, package)| {
                    let note = note_text(&from, &app.current.name_of_catalog(&from.template), "edits made here");
                    view! {
                        <TemplateNote place="source" label="Rendered from a template" icon=Icon::Warning text=note>
                            <Button
                                label="Show the template"
                                on_press=move |()| show_package_in_template(app, from.clone(), package.clone())
                            />
                        </TemplateNote>
                    }
                })
        }}
    }
    .into_any()
}

/// Renders the note below a changed file; `template` is the template's path, "" if there is none.
/// Hedged: the file was not compared with a rendering.
pub fn changed_note(template: &str) -> Option<impl IntoView + use<>> {
    (!template.is_empty()).then(|| {
        let text =
            format!("Probably rendered from {template}: the next render will lose this edit.");
        view! { <p class="rendered-line"><Glyph icon=Icon::Warning/> <span>{text}</span></p> }
    })
}

/// Shows the package in the template. Shows a template without packages as text.
pub fn show_package_in_template(app: AppContext, from: RenderedFrom, package: String) {
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
            let sources: Vec<BundleSource> = sources
                .iter()
                .map(|(root, bundles)| BundleSource {
                    root: (*root).to_owned(),
                    bundles: *bundles,
                })
                .collect();
            describe_editing(true, &sources)
        };
        let head = "Edits change the template.";
        assert_eq!(note(&[]), head);
        assert_eq!(
            note(&[("v4.20", 2), ("", 1)]),
            format!("{head} It uses 2 bundles from v4.20, 1 bundle from the open files.")
        );
        assert!(note(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]).ends_with(", 1 other place."));
    }

    #[test]
    fn an_uncertain_origin_is_hedged() {
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
