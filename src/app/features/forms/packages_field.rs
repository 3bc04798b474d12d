//! Packages to copy between two open catalogs: those of the source, and which of them the target
//! has.

use crate::context::AppContext;
use crate::edits::form_values::names;
use crate::reactive::{effect, memo};
use crate::widgets::fields::{Checklist, ChecklistItem};
use leptos::prelude::*;
use std::collections::BTreeSet;
use wasm_bindgen_futures::spawn_local;

/// `value` is the form's list: names separated by commas.
#[component]
pub(super) fn PackagesField(
    app: AppContext,
    /// The roots of the catalogs.
    #[prop(into)]
    from: Signal<Option<String>>,
    #[prop(into)] to: Signal<Option<String>>,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(into)] error: Signal<String>,
) -> impl IntoView {
    let (in_source, has) = (packages_of(app, from), packages_of(app, to));
    let items = memo(move |_| {
        let own: BTreeSet<String> = has.get().into_iter().collect();
        let note = |name: &String| {
            if own.contains(name) {
                "there already".to_owned()
            } else {
                String::new()
            }
        };
        in_source
            .get()
            .into_iter()
            .map(|name| ChecklistItem {
                note: note(&name),
                name,
            })
            .collect::<Vec<_>>()
    });
    let ticked =
        Signal::derive(move || value.with(|text| names(text).into_iter().collect::<BTreeSet<_>>()));
    let take =
        move |all: BTreeSet<String>| on_change.run(all.into_iter().collect::<Vec<_>>().join(", "));
    view! { <Checklist label="Packages" items ticked on_change=take error/> }
}

/// The names of a catalog's packages, kept in sync with it.
fn packages_of(app: AppContext, root: Signal<Option<String>>) -> ReadSignal<Vec<String>> {
    let (packages, set_packages) = signal(Vec::new());
    let root = memo(move |_| root.get());
    effect(move |_| {
        let Some(catalog) = root.get() else {
            return set_packages.set(Vec::new());
        };
        spawn_local(async move {
            let rows = app.store.packages_of(catalog.clone()).await;
            if root.try_get_untracked() == Some(Some(catalog)) {
                set_packages.try_set(rows.into_iter().map(|row| row.name).collect());
            }
        });
    });
    packages
}
