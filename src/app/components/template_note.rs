//! Notes that something is rendered from a template, before it is edited, with a link to the
//! template.

use crate::context::AppContext;
use crate::edits::suggestions::catalog_name;
use crate::reactive::memo;
use crate::widgets::button::Button;
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use protocol::templates::RenderedFrom;
use wasm_bindgen_futures::spawn_local;

/// The effect of editing the rendered file.
pub fn note_text(from: &RenderedFrom, template: &str) -> (String, String) {
    let is = if from.certain {
        "This file is rendered from"
    } else {
        "This file seems to be rendered from"
    };
    (
        format!("{is} {template}"),
        "the next render will lose this edit".to_owned(),
    )
}

/// The note in a form. `on_template` opens the template, `on_here` continues.
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
                    let (is, so) = note_text(&from, &template_name(app, &from));
                    let text = if from.holds_entries { "Edit the template instead" } else { "Edit the template as text" };
                    view! {
                        <div class="rendered" role="note" aria-label="Rendered from a template">
                            <p class="rendered-text"><Glyph icon=Icon::Warning/> <span>{is} ": " {so} "."</span></p>
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

/// The note above the source of a rendered file.
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
                    let (is, so) = note_text(&from, &template_name(app, &from));
                    let package = app.current.package.get_untracked();
                    view! {
                        <div class="rendered" data-place="source" role="note" aria-label="Rendered from a template">
                            <p class="rendered-text"><Glyph icon=Icon::Warning/> <span>{is} ": " {so.replace("this edit", "what is edited here")} "."</span></p>
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

/// The note of a changed file; `template` is its path, "" for none.
pub fn changed_note(template: &str) -> Option<impl IntoView + use<>> {
    (!template.is_empty()).then(|| {
        let text = format!("Rendered from {template}: the next render will lose this edit.");
        view! { <p class="rendered-line"><Glyph icon=Icon::Warning/> <span>{text}</span></p> }
    })
}

fn template_name(app: AppContext, from: &RenderedFrom) -> String {
    app.store
        .status
        .with_untracked(|status| catalog_name(&status.roots, &from.template))
}

/// Shows the package in the template, or a template without packages as text.
pub fn show_template(app: AppContext, from: RenderedFrom, package: String) {
    let store = app.store;
    spawn_local(async move {
        store.show_template(from.template).await;
        if from.holds_entries {
            store.show_package(package).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncertain_facts_are_omitted() {
        let from = |certain| RenderedFrom {
            certain,
            ..RenderedFrom::default()
        };
        assert_eq!(
            note_text(&from(true), "basic.yaml").0,
            "This file is rendered from basic.yaml"
        );
        assert_eq!(
            note_text(&from(false), "basic.yaml").0,
            "This file seems to be rendered from basic.yaml"
        );
    }
}
