//! The page's address. Another package is a new step in the browser's history; another view of the
//! same package is not.

use super::AppContext;
use crate::browser::document;
use crate::reactive::effect;
use crate::state::address::Address;
use crate::state::store::renderings;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Shows the page's address, and updates it when the view changes.
pub(super) fn sync_address(app: AppContext) {
    // The initial address is shown as soon as a catalog contains it.
    let initial = StoredValue::new(Address::parse(&document::address_fragment()));
    effect(move |before: Option<Option<Address>>| {
        let Some(now) = address_in_view(app) else {
            return before.flatten();
        };
        if let Some(initial) = initial.try_update_value(Option::take).flatten() {
            spawn_local(async move {
                go_to_address(app, initial).await;
                if let Some(now) = untrack(|| address_in_view(app)) {
                    document::replace_address(&now.fragment());
                }
            });
            return None;
        }
        match before.flatten() {
            Some(before) if !before.is_same_package(&now) => {
                document::push_address(&now.fragment())
            }
            _ => document::replace_address(&now.fragment()),
        }
        Some(now)
    });
    document::on_history_navigation(move || {
        if let Some(address) = Address::parse(&document::address_fragment()) {
            spawn_local(go_to_address(app, address));
        }
    });
}

/// Returns the address of the view; `None` if no package is shown.
fn address_in_view(app: AppContext) -> Option<Address> {
    Some(Address {
        root: app.store.root.get(),
        package: app.store.package.get()?,
        selection: app.store.selection.get(),
        tab: app.store.tab.get(),
        lens: app.store.question.with(|question| question.lens),
        cluster: app.store.question.with(|question| question.cluster.clone()),
    })
}

/// Shows what an address refers to, if it is open.
async fn go_to_address(app: AppContext, address: Address) {
    if untrack(|| address_in_view(app)).is_none_or(|now| now == address) {
        return;
    }
    let in_view = app.store.root.get_untracked();
    renderings::open_rendered_root(app.store, &address.root).await;
    let root = if app.store.status.is_root_open(&address.root) {
        address.root.clone()
    } else {
        in_view.clone()
    };
    let rows = if root == in_view {
        app.store.packages.get_untracked()
    } else {
        app.store.fetch_packages(root.clone()).await
    };
    if rows.iter().any(|row| row.name == address.package) {
        app.store.show_address(root, address).await;
    }
}
