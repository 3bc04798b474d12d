//! *Save a part as…*: the selection on the left, its result on the right; saved as a zip or a new
//! folder. The workspace stays unchanged.

mod subset_form;
mod subset_summary;

use crate::browser::folder_access;
use crate::context::{AppContext, app_context, debounced_query};
use crate::edits::suggestions::catalog_name;
use crate::reactive::{effect, memo};
use crate::widgets::announce;
use crate::widgets::button::{Button, Look};
use crate::widgets::checklist::{Checklist, ChecklistItem};
use crate::widgets::combobox::Choice;
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::field::{ComboField, SelectField};
use crate::widgets::icon::Icon;
use leptos::html;
use leptos::prelude::*;
use protocol::query::Subset;
use protocol::response::OperationRefusal;
use std::collections::BTreeSet;
use subset_form::{ENTRIES, SubsetForm, VERSION_FIELDS};
use subset_summary::SubsetSummary;
use wasm_bindgen_futures::spawn_local;

#[component]
pub fn SaveSubset() -> impl IntoView {
    let app = app_context();
    let form = RwSignal::new(begun(app));
    know_packages(app, form);
    know_channels(app, form);
    let asked = memo(move |_| form.with(|form| form.selection().map(|of| (form.root.clone(), of))));
    let revision = memo(move |_| app.store.status.with(|status| status.revision));
    let wanted = Signal::derive(move || {
        asked
            .get()
            .ok()
            .map(|(root, selection)| (root, selection, revision.get()))
    });
    let found = debounced_query(wanted, move |(root, selection, _)| async move {
        let found = app.store.ask(Subset { root, selection }).await;
        Some(found.map_err(OperationRefusal::from))
    });
    let cannot = Signal::derive(move || !found.with(|found| matches!(found, Some(Ok(_)))));
    let failed = RwSignal::new(String::new());
    let is_busy = RwSignal::new(false);
    let part = move || {
        form.with_untracked(|form| {
            form.selection()
                .ok()
                .map(|selection| form.saved_subset(selection))
        })
    };
    let download = move |()| {
        if let Some(part) = part() {
            app.saving.download_part(part);
        }
    };
    let save = move |()| {
        let Some(part) = part() else { return };
        is_busy.set(true);
        failed.set(String::new());
        spawn_local(async move {
            let end = app.saving.save_subset_to_folder(part).await;
            is_busy.try_set(false);
            if let Err(why) = end {
                failed.try_set(format!("Nothing was saved: {why}."));
            }
        });
    };
    let node = NodeRef::<html::Form>::new();
    effect(move |_| {
        if let Some(form) = node.get() {
            // After the dialog has taken the focus itself.
            request_animation_frame(move || dom::focus_first_in(&form, "input, select"));
        }
    });
    announce::follow_alert(move || failed.get());
    view! {
        <Dialog title="Save a part as…" size=Size::Form on_close=move |()| app.overlays.close()>
            <form
                node_ref=node
                class="form"
                novalidate
                on:submit=move |event| {
                    event.prevent_default();
                    if !cannot.get_untracked() {
                        download(());
                    }
                }
            >
                <div class="form-fields">
                    <p class="form-help">
                        "Saves part of this catalog as a new one. What you keep is unchanged, byte for byte."
                    </p>
                    {fields(app, form)}
                </div>
                <SubsetSummary app found missing=Signal::derive(move || asked.get().err())/>
                <div class="form-foot">
                    <p class="form-foot-note field-error">{move || failed.get()}</p>
                    <Button label="Cancel" on_press=move |()| app.overlays.close()/>
                    {folder_access::is_supported()
                        .then(|| {
                            let disabled = Signal::derive(move || cannot.get() || is_busy.get());
                            view! { <Button label="Save to a folder…" icon=Icon::Folder disabled on_press=save/> }
                        })}
                    <Button label="Download zip" look=Look::Primary icon=Icon::Download disabled=cannot on_press=download/>
                </div>
            </form>
        </Dialog>
    }
    .into_any()
}

/// The catalog in view, or the first one, with the package in view selected.
fn begun(app: AppContext) -> SubsetForm {
    let here = app.store.root.get_untracked();
    let root = app.store.status.with_untracked(|status| {
        let mut catalogs = status.roots.iter().filter(|row| row.is_catalog());
        let own = catalogs
            .clone()
            .find(|row| row.root == here)
            .or_else(|| catalogs.next());
        own.map(|row| row.root.clone())
    });
    let root = root.unwrap_or_default();
    let package =
        Some(app.current.package.get_untracked()).filter(|name| !name.is_empty() && root == here);
    SubsetForm {
        label: app
            .store
            .status
            .with_untracked(|status| catalog_name(&status.roots, &root)),
        root,
        packages: package.into_iter().collect(),
        entries: "all".to_owned(),
        ..SubsetForm::default()
    }
}

/// Keeps the form's package list in sync with the catalog.
fn know_packages(app: AppContext, form: RwSignal<SubsetForm>) {
    let root = memo(move |_| form.with(|form| form.root.clone()));
    effect(move |_| {
        let asked = root.get();
        spawn_local(async move {
            let names: Vec<String> = app
                .store
                .packages_of(asked.clone())
                .await
                .into_iter()
                .map(|row| row.name)
                .collect();
            if form.try_with_untracked(|form| form.root == asked) == Some(true) {
                form.update(|form| {
                    form.packages.retain(|name| names.contains(name));
                    form.all = names;
                });
            }
        });
    });
}

/// Keeps the form's channel list in sync with the single selected package.
fn know_channels(app: AppContext, form: RwSignal<SubsetForm>) {
    let package =
        memo(move |_| form.with(|form| (form.root.clone(), form.only_package().cloned())));
    effect(move |_| {
        let (root, package) = package.get();
        form.update(|form| {
            form.all_channels.clear();
            form.cut_channels.clear();
        });
        let Some(package) = package else { return };
        spawn_local(async move {
            let view = app.store.package_of(root.clone(), package.clone()).await;
            let is_asked =
                |form: &SubsetForm| form.root == root && form.only_package() == Some(&package);
            if let (Some(view), Some(true)) = (view, form.try_with_untracked(is_asked)) {
                form.update(|form| form.all_channels = view.channels);
            }
        });
    });
}

fn fields(app: AppContext, form: RwSignal<SubsetForm>) -> AnyView {
    let catalogs = app.store.status.with_untracked(|status| {
        let rows = status.roots.iter().filter(|row| row.is_catalog());
        rows.map(|row| (row.root.clone(), catalog_name(&status.roots, &row.root)))
            .collect::<Vec<_>>()
    });
    let choose_catalog = {
        let catalogs = catalogs.clone();
        move |root: String| {
            let label = catalogs
                .iter()
                .find(|(own, _)| *own == root)
                .map_or_else(String::new, |(_, label)| label.clone());
            form.update(|form| {
                form.root = root;
                form.label = label;
                form.packages.clear();
            });
        }
    };
    let text = move |get: fn(&SubsetForm) -> &String| {
        Signal::derive(move || form.with(|form| get(form).clone()))
    };
    let plain = |names: &[String]| {
        names
            .iter()
            .map(|name| ChecklistItem {
                name: name.clone(),
                note: String::new(),
            })
            .collect::<Vec<_>>()
    };
    let packages = memo(move |_| form.with(|form| plain(&form.all)));
    let channels = memo(move |_| form.with(|form| plain(&form.all_channels)));
    let kept_channels: Signal<BTreeSet<String>> = Signal::derive(move || {
        form.with(|form| {
            form.all_channels
                .iter()
                .filter(|name| !form.cut_channels.contains(*name))
                .cloned()
                .collect()
        })
    });
    let keep_channels = move |kept: BTreeSet<String>| {
        form.update(|form| {
            form.cut_channels = form
                .all_channels
                .iter()
                .filter(|n| !kept.contains(*n))
                .cloned()
                .collect()
        });
    };
    let is_of_one = memo(move |_| form.with(|form| form.only_package().is_some()));
    let is_of_several = memo(move |_| form.with(|form| form.packages.len() > 1));
    let offered = Signal::derive(move || {
        kept_channels
            .get()
            .into_iter()
            .map(|name| Choice::new(name, ""))
            .collect::<Vec<_>>()
    });
    let none = Signal::derive(Vec::new);
    let folder = memo(move |_| form.with(SubsetForm::folder));
    let options: Vec<(String, String)> = ENTRIES
        .map(|(key, text)| (key.to_owned(), text.to_owned()))
        .to_vec();
    let done = |()| {};
    let version_fields = VERSION_FIELDS.map(|(entries, label, hint)| {
        let is_chosen = memo(move |_| form.with(|form| form.entries == entries));
        view! {
            <Show when=move || is_chosen.get()>
                <ComboField
                    label=label
                    value=text(|form| &form.version)
                    choices=none
                    on_change=move |text| form.update(|form| form.version = text)
                    on_done=done
                    hint=Signal::stored(hint.to_owned())
                />
            </Show>
        }
    });
    view! {
        {(catalogs.len() > 1)
            .then(|| {
                let options = Signal::stored(catalogs);
                view! { <SelectField label="Catalog" value=text(|form| &form.root) options on_change=choose_catalog/> }
            })}
        <Checklist
            label="Packages"
            items=packages
            ticked=Signal::derive(move || form.with(|form| form.packages.clone()))
            on_change=move |all| form.update(|form| form.packages = all)
        />
        <Show when=move || is_of_one.get()>
            <Checklist label="Channels" items=channels ticked=kept_channels on_change=keep_channels/>
        </Show>
        <Show when=move || is_of_several.get()>
            <ComboField
                label="Channels"
                value=text(|form| &form.channels)
                choices=none
                on_change=move |text| form.update(|form| form.channels = text)
                on_done=done
                hint=Signal::stored("Empty: all. Names, separated by commas; PACKAGE=CHANNEL for one package.".to_owned())
            />
        </Show>
        <SelectField
            label="Entries"
            value=text(|form| &form.entries)
            options=Signal::stored(options)
            on_change=move |key| form.update(|form| form.entries = key)
        />
        {version_fields}
        <ComboField
            label="Default channel"
            value=text(|form| &form.default_channel)
            choices=offered
            on_change=move |text| form.update(|form| form.default_channel = text)
            on_done=done
            hint=Signal::stored("Leave empty to keep the default channel.".to_owned())
        />
        <ComboField
            label="Folder name"
            value=folder
            choices=none
            on_change=move |text| form.update(|form| form.name = text)
            on_done=done
        />
        <label class="check">
            <input
                type="checkbox"
                prop:checked=move || form.with(|form| form.dockerfile)
                on:change=move |event| form.update(|form| form.dockerfile = event_target_checked(&event))
            />
            "Add a Dockerfile"
        </label>
    }
    .into_any()
}
