//! *New catalog…*: a name, OpenShift versions, a layout.

use super::form::typed_before;
use crate::context::{AppContext, app_context};
use crate::edits::drafts::NewCatalogText;
use crate::reactive::{effect, memo};
use crate::state::catalogs::{Format, Layout, NewCatalog, versions};
use crate::widgets::buttons::Press;
use crate::widgets::buttons::{Button, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::fields::{LineField, SelectField};
use crate::widgets::short_text::in_code;
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::request::OpenMode;

/// The values of the form.
#[derive(Clone, Copy)]
struct NewCatalogForm {
    name: RwSignal<String>,
    versions: RwSignal<String>,
    layout: RwSignal<String>,
    format: RwSignal<String>,
    mode: RwSignal<String>,
}

impl NewCatalogForm {
    fn new() -> Self {
        Self {
            name: RwSignal::new("catalog".to_owned()),
            versions: RwSignal::default(),
            layout: RwSignal::new("folders".to_owned()),
            format: RwSignal::new("yaml".to_owned()),
            mode: RwSignal::new("beside".to_owned()),
        }
    }

    fn text(self) -> NewCatalogText {
        NewCatalogText {
            name: self.name.get_untracked(),
            versions: self.versions.get_untracked(),
            layout: self.layout.get_untracked(),
            format: self.format.get_untracked(),
            mode: self.mode.get_untracked(),
        }
    }

    fn restore(self, text: NewCatalogText) {
        let NewCatalogText {
            name,
            versions,
            layout,
            format,
            mode,
        } = text;
        self.name.set(name);
        self.versions.set(versions);
        self.layout.set(layout);
        self.format.set(format);
        self.mode.set(mode);
    }

    /// Returns the new catalogs, or the error of the versions.
    fn catalog(self) -> Result<NewCatalog, String> {
        Ok(NewCatalog {
            name: self.name.with(|name| name.trim().to_owned()),
            versions: self.versions.with(|text| versions(text))?,
            layout: if self.layout.with(|layout| layout == "one") {
                Layout::OneFile
            } else {
                Layout::Folders
            },
            format: if self.format.with(|format| format == "json") {
                Format::Json
            } else {
                Format::Yaml
            },
        })
    }

    fn mode(self, app: AppContext) -> OpenMode {
        let is_beside = app.current.is_open.get() && self.mode.with(|mode| mode == "beside");
        if is_beside {
            OpenMode::Add
        } else {
            OpenMode::Replace
        }
    }
}

#[component]
pub fn NewCatalogDialog() -> impl IntoView {
    let app = app_context();
    let form = NewCatalogForm::new();
    let open = app.new_catalogs.open_paths();
    // Loose files form one catalog with all folders beside them, so a new catalog replaces them.
    let is_loose = open.iter().any(|path| !path.contains('/'));
    if is_loose {
        form.mode.set("instead".to_owned());
    }
    let opened = StoredValue::new(form.text());
    let kept = app
        .overlays
        .kept_dialogs
        .try_update_value(|kept| opened.with_value(|opened| kept.new_catalogs.take(opened)));
    let is_typed_before = RwSignal::new(false);
    if let Some(text) = kept.flatten() {
        form.restore(text);
        is_typed_before.set(true);
    }
    let start_again = Callback::new(move |()| {
        is_typed_before.set(false);
        form.restore(opened.get_value());
        // The pressed button disappears, which loses the focus: restore it.
        dom::focus_first_later("#new-catalog .field");
    });
    let keep_and_close = move |()| {
        app.overlays
            .kept_dialogs
            .update_value(|kept| kept.new_catalogs.keep(opened.get_value(), form.text()));
        close(app);
    };
    let is_open = app.current.is_open.get_untracked();
    let complaint = memo(move |_| {
        let is_beside = form.mode(app) == OpenMode::Add;
        let open = if is_beside { open.as_slice() } else { &[] };
        form.catalog().map_or_else(
            |_| String::new(),
            |new| new.complaint(open.iter().map(String::as_str)),
        )
    });
    let wrong_versions = memo(move |_| form.catalog().err().unwrap_or_default());
    let dropped =
        app.drops
            .dropped_bundles()
            .map(|dropped| match dropped.read.bundles.as_slice() {
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
        if let Ok(new) = untrack(|| form.catalog())
            && complaint.with_untracked(String::is_empty)
            && press.begin()
        {
            app.drops.create_catalogs(new, untrack(|| form.mode(app)));
        }
    };
    let files = move || {
        form.catalog()
            .map_or_else(|_| Vec::new(), |new| places(&new))
    };
    let edits = untrack(|| app.store.status.unsaved_edits());
    let loses = move || {
        (form.mode(app) == OpenMode::Replace && edits > 0).then(|| {
            let (them, they_are) = if edits == 1 {
                ("it", "it is")
            } else {
                ("them", "they are")
            };
            let end = if app.unfinished.keeps_edits() {
                app.unfinished.way_back(them)
            } else {
                format!("{they_are} discarded.")
            };
            let edits = words::count(edits, "edit");
            view! { <p class="field-error">{format!("{edits} not yet saved: {end}")}</p> }
        })
    };
    let pairs = |all: &[(&str, &str)]| {
        Signal::stored(
            all.iter()
                .map(|(key, label)| ((*key).to_owned(), (*label).to_owned()))
                .collect::<Vec<_>>(),
        )
    };
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
                <div class="dialog-body form-asked">
                    {move || is_typed_before.get().then(|| typed_before(start_again))}
                    {dropped
                        .map(|name| {
                            view! { <p class="form-help"><code>{name}</code>" was dropped; it is added when the catalog is created."</p> }
                        })}
                    <LineField
                        label="Name"
                        value=form.name
                        on_change=move |text: String| form.name.set(text)
                        hint=Signal::stored("The folder of the catalog.".to_owned())
                        error=complaint
                    />
                    <LineField
                        label="OpenShift versions"
                        value=form.versions
                        on_change=move |text: String| form.versions.set(text)
                        hint=Signal::stored("Such as 4.16, 4.17 or 4.16-4.18: a catalog for each. Empty: one catalog.".to_owned())
                        error=wrong_versions
                    />
                    <SelectField
                        label="Layout"
                        value=form.layout
                        options=pairs(&[("folders", "A folder for each package"), ("one", "One file for all packages")])
                        on_change=move |text: String| form.layout.set(text)
                    />
                    <SelectField
                        label="Format"
                        value=form.format
                        options=pairs(&[("yaml", "YAML"), ("json", "JSON")])
                        on_change=move |text: String| form.format.set(text)
                    />
                    <Show when=move || is_open && !is_loose>
                        <SelectField
                            label="Open it"
                            value=form.mode
                            options=pairs(&[("beside", "Beside what is open"), ("instead", "In place of what is open")])
                            on_change=move |text: String| form.mode.set(text)
                        />
                    </Show>
                    {loses}
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
                            on_press=move |()| app.drops.open_bundles_as_catalog()
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
fn places(new: &NewCatalog) -> Vec<String> {
    let file = new.first_file().replace("{{.Package}}", "PACKAGE");
    new.roots()
        .iter()
        .map(|root| format!("`{root}/{file}`"))
        .collect()
}
