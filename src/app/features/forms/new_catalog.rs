//! *New catalog…*: a name, OpenShift versions, a layout.

use super::form::typed_before_note;
use crate::context::{drops, unfinished_work};
use crate::edits::drafts::NewCatalogText;
use crate::prelude::*;
use crate::state::catalogs::{Format, Layout, NewCatalog, parse_versions};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::fields::{LineField, SelectField, select_options};
use protocol::request::OpenMode;

/// Returns the new catalogs, or the error of the versions.
fn new_catalog(form: &NewCatalogText) -> Result<NewCatalog, String> {
    Ok(NewCatalog {
        name: form.name.trim().to_owned(),
        versions: parse_versions(&form.versions)?,
        layout: match form.layout.as_str() {
            "one" => Layout::OneFile,
            _ => Layout::Folders,
        },
        format: match form.format.as_str() {
            "json" => Format::Json,
            _ => Format::Yaml,
        },
    })
}

#[component]
pub fn NewCatalogDialog() -> impl IntoView {
    let app = app_context();
    let open = drops::open_paths(app);
    // Loose files form one catalog with all folders beside them, so a new catalog replaces them.
    let is_loose = open.iter().any(|path| !path.contains('/'));
    let initial = NewCatalogText {
        name: "catalog".to_owned(),
        versions: String::new(),
        layout: "folders".to_owned(),
        format: "yaml".to_owned(),
        mode: if is_loose { "instead" } else { "beside" }.to_owned(),
    };
    let form = RwSignal::new(initial.clone());
    let catalog = move || form.with(new_catalog);
    let open_mode = move || {
        let is_beside = app.current.is_open.get() && form.with(|form| form.mode == "beside");
        if is_beside {
            OpenMode::Add
        } else {
            OpenMode::Replace
        }
    };
    let opened = StoredValue::new(initial);
    let draft = app
        .overlays
        .kept
        .try_update_value(|kept| opened.with_value(|opened| kept.new_catalogs.take(opened)));
    let is_typed_before = RwSignal::new(false);
    if let Some(draft) = draft.flatten() {
        form.set(draft);
        is_typed_before.set(true);
    }
    let start_again = Callback::new(move |()| {
        is_typed_before.set(false);
        form.set(opened.get_value());
        // The pressed button disappears, which loses the focus: restore it.
        dom::focus_first_later("#new-catalog .field");
    });
    let keep_and_close = move |()| {
        let (opened, now) = (opened.get_value(), form.get_untracked());
        let typed = (now != opened).then_some(now);
        app.overlays
            .kept
            .update_value(|kept| kept.new_catalogs.keep(opened, typed));
        close(app);
    };
    let is_open = app.current.is_open.get_untracked();
    let complaint = memo(move |_| {
        let is_beside = open_mode() == OpenMode::Add;
        let open = if is_beside { open.as_slice() } else { &[] };
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
    let press = Press::default();
    let create = move || {
        if let Ok(new) = untrack(catalog)
            && complaint.with_untracked(String::is_empty)
            && press.begin()
        {
            drops::create_catalogs(app, new, untrack(open_mode));
        }
    };
    let files = move || catalog().map(|new| first_files(&new)).unwrap_or_default();
    let edits = untrack(|| app.store.status.unsaved_edit_count());
    let lost_edits = move || {
        (open_mode() == OpenMode::Replace && edits > 0).then(
            || view! { <p class="field-error">{unfinished_work::replace_warning(app, edits)}</p> },
        )
    };
    let options = |choices: &[(&str, &str)]| Signal::stored(select_options(choices));
    let text = move |field: fn(&mut NewCatalogText) -> &mut String| {
        let value = derived(move || form.with(|form| field(&mut form.clone()).clone()));
        let change = Callback::new(move |text: String| form.update(|form| *field(form) = text));
        (value, change)
    };
    let (name, set_name) = text(|form| &mut form.name);
    let (version, set_version) = text(|form| &mut form.versions);
    let (layout, set_layout) = text(|form| &mut form.layout);
    let (format, set_format) = text(|form| &mut form.format);
    let (mode, set_mode) = text(|form| &mut form.mode);
    view! {
        <Dialog title="New catalog" size=Size::Small on_close=keep_and_close>
            <form
                node_ref=node
                id="new-catalog"
                novalidate
                on:submit=move |event| {
                    event.prevent_default();
                    create();
                }
            >
                <div class="dialog-body form-inputs">
                    {move || is_typed_before.get().then(|| typed_before_note(start_again))}
                    {dropped
                        .map(|name| {
                            view! { <p class="form-help"><code>{name}</code>" was dropped; it is added when the catalog is created."</p> }
                        })}
                    <LineField
                        label="Name"
                        value=name
                        on_change=set_name
                        hint=Signal::stored("The folder of the catalog.".to_owned())
                        error=complaint
                    />
                    <LineField
                        label="OpenShift versions"
                        value=version
                        on_change=set_version
                        hint=Signal::stored("Such as 4.16, 4.17 or 4.16-4.18: a catalog for each. Empty: one catalog.".to_owned())
                        error=wrong_versions
                    />
                    <SelectField
                        label="Layout"
                        value=layout
                        options=options(&[("folders", "A folder for each package"), ("one", "One file for all packages")])
                        on_change=set_layout
                    />
                    <SelectField
                        label="Format"
                        value=format
                        options=options(&[("yaml", "YAML"), ("json", "JSON")])
                        on_change=set_format
                    />
                    <Show when=move || is_open && !is_loose>
                        <SelectField
                            label="Open it"
                            value=mode
                            options=options(&[("beside", "Beside what is open"), ("instead", "In place of what is open")])
                            on_change=set_mode
                        />
                    </Show>
                    {lost_edits}
                    <p class="field-hint">
                        "Packages go to " {move || in_code(&words::list_names(&files()))}
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

/// Returns the path of the first file in each new catalog, in backticks.
fn first_files(new: &NewCatalog) -> Vec<String> {
    let file = new.first_file().replace("{{.Package}}", "PACKAGE");
    new.roots()
        .iter()
        .map(|root| format!("`{root}/{file}`"))
        .collect()
}
