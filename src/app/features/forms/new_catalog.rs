//! *New catalog…*: a name and OpenShift versions.

use crate::context::{AppContext, app_context, drops, unfinished_work};
use crate::reactive::{effect, memo};
use crate::state::catalogs::{NewCatalog, parse_versions};
use crate::widgets::buttons::{Button, Look, Press};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::fields::LineField;
use crate::widgets::short_text::in_code;
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::request::OpenMode;

#[component]
pub fn NewCatalogDialog() -> impl IntoView {
    let app = app_context();
    let open = drops::open_paths(app);
    // Loose files form one catalog with all folders beside them, so a new catalog replaces them.
    let is_beside =
        app.current.is_open.get_untracked() && open.iter().all(|path| path.contains('/'));
    let (open, mode) = if is_beside {
        (open, OpenMode::Add)
    } else {
        (Vec::new(), OpenMode::Replace)
    };
    let name = RwSignal::new("catalog".to_owned());
    let versions = RwSignal::new(String::new());
    // The new catalogs, or the error of the versions.
    let catalog = move || {
        versions.with(|versions| {
            Ok::<_, String>(NewCatalog {
                name: name.get().trim().to_owned(),
                versions: parse_versions(versions)?,
            })
        })
    };
    let complaint = memo(move |_| {
        let complaint = |new: NewCatalog| new.complaint(open.iter().map(String::as_str));
        catalog().map(complaint).unwrap_or_default()
    });
    let wrong_versions = memo(move |_| catalog().err().unwrap_or_default());
    let dropped = app
        .drops
        .bundles()
        .map(|dropped| match dropped.content.bundles.as_slice() {
            [one] => one.name.clone(),
            several => words::count(several.len() as u32, "bundle"),
        });
    let is_for_bundles = dropped.is_some();
    let node = NodeRef::<html::Form>::new();
    effect(move |_| {
        if node.get().is_some() {
            // Run after the dialog has taken the focus.
            dom::focus_first_later("#new-catalog .field");
        }
    });
    let press = Press::new();
    let create = move || {
        if let Ok(new) = untrack(catalog)
            && complaint.with_untracked(String::is_empty)
            && press.begin()
        {
            drops::create_catalogs(app, new, mode);
        }
    };
    let files = move || {
        let roots = catalog().map(|new| new.roots()).unwrap_or_default();
        let files = roots
            .iter()
            .map(|root| format!("`{root}/PACKAGE/catalog.yaml`"));
        words::list_names(&files.collect::<Vec<_>>())
    };
    let edits = untrack(|| app.store.status.unsaved_edit_count());
    let lost_edits = (mode == OpenMode::Replace && edits > 0).then(|| {
        let (them, they_are) = if edits == 1 {
            ("it", "it is")
        } else {
            ("them", "they are")
        };
        let end = if unfinished_work::keeps_edits(app) {
            unfinished_work::how_to_resume(app, them)
        } else {
            format!("{they_are} discarded.")
        };
        let edits = words::count(edits, "edit");
        view! { <p class="field-error">{format!("{edits} not yet saved: {end}")}</p> }
    });
    view! {
        <Dialog title="New catalog" size=Size::Small on_close=move |()| close(app)>
            <form
                node_ref=node
                id="new-catalog"
                novalidate
                on:submit=move |event| {
                    event.prevent_default();
                    create();
                }
            >
                <div class="dialog-body form-asked">
                    {dropped
                        .map(|name| {
                            view! { <p class="form-help"><code>{name}</code>" was dropped; it is added when the catalog is created."</p> }
                        })}
                    <LineField
                        label="Name"
                        value=name
                        on_change=move |text| name.set(text)
                        hint=Signal::stored("The folder of the catalog.".to_owned())
                        error=complaint
                    />
                    <LineField
                        label="OpenShift versions"
                        value=versions
                        on_change=move |text| versions.set(text)
                        hint=Signal::stored("Such as 4.16, 4.17 or 4.16-4.18: a catalog for each. Empty: one catalog.".to_owned())
                        error=wrong_versions
                    />
                    {lost_edits}
                    <p class="field-hint">
                        "Packages go to " {move || in_code(&files())}
                        ". Nothing is written to disk until you save."
                    </p>
                </div>
                <div class="dialog-foot">
                    <Show when=move || is_for_bundles>
                        <Button
                            label="Open as a catalog instead"
                            look=Look::Quiet
                            on_press=move |()| drops::open_bundles_as_catalog(app)
                        />
                    </Show>
                    <Button label="Cancel" look=Look::Quiet on_press=move |()| close(app)/>
                    <button type="submit" class="button" data-look="primary">"Create"</button>
                </div>
            </form>
        </Dialog>
    }
    .into_any()
}

/// Closes the dialog. Discards the dropped files, so that they are not added to another catalog.
fn close(app: AppContext) {
    app.drops.take_bundles();
    app.overlays.close();
}
