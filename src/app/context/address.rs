//! The page's address. Another selection is a new step in the browser's history; another view of it
//! is not.

use super::AppContext;
use crate::browser::{address as browser_address, time};
use crate::reactive::{effect, spawn_local};
use crate::state::address::{Address, HistoryPosition};
use crate::state::store::renderings;
use leptos::prelude::*;
use protocol::query::Inspect;
use protocol::request::Target;

/// Shows the page's address, and updates it when the view changes.
pub(super) fn sync_address(app: AppContext) {
    // The initial address is shown as soon as a catalog contains it.
    let initial = StoredValue::new(Address::parse(&browser_address::address_fragment()));
    let position = app.history;
    position.set(HistoryPosition::at(browser_address::history_step()));
    effect(move |before: Option<Option<Address>>| {
        let Some(now) = address_in_view(app) else {
            return before.flatten();
        };
        // A repository loads its catalogs later: the initial address waits for one.
        let is_early = |initial: &Option<Address>| {
            initial
                .as_ref()
                .is_some_and(|initial| !initial.is_repository)
        };
        if now.is_repository && initial.with_value(is_early) {
            return before.flatten();
        }
        if let Some(initial) = initial.try_update_value(Option::take).flatten() {
            spawn_local(async move {
                go_to_address(app, initial).await;
                if let Some(now) = untrack(|| address_in_view(app)) {
                    replace_address(app, &now);
                }
            });
            return None;
        }
        let fragment = now.fragment();
        let is_step = before
            .flatten()
            .is_some_and(|before| !before.is_same_selection(&now))
            && browser_address::address_fragment() != fragment;
        let former = position.get_untracked();
        if is_step {
            position.update(HistoryPosition::push);
        }
        let step = position.get_untracked().current();
        spawn_local(async move {
            // Browsers take 10 ms or more for it: paint the selection first.
            time::next_paint_or_timeout().await;
            if !is_step {
                browser_address::replace_address(&fragment, step);
            } else if !browser_address::push_address(&fragment, step) {
                position.set(former);
            }
        });
        Some(now)
    });
    browser_address::on_history_navigation(move || {
        position.update(|position| position.move_to(browser_address::history_step()));
        if let Some(address) = Address::parse(&browser_address::address_fragment()) {
            spawn_local(go_to_step(app, address));
        }
    });
}

fn replace_address(app: AppContext, now: &Address) {
    browser_address::replace_address(&now.fragment(), app.history.get_untracked().current());
}

/// Shows a step of the history, or the next one in its direction if its selection does not exist.
async fn go_to_step(app: AppContext, address: Address) {
    renderings::open_rendered_root(app.store, &address.root).await;
    let query = Inspect {
        root: address.root.clone(),
        package: address.package.clone(),
        target: address.selection.clone().unwrap_or(Target::Package),
    };
    let mut position = app.history.get_untracked();
    if address.is_repository || app.store.ask(query).await.is_ok() {
        position.arrive();
        app.history.set(position);
        return go_to_address(app, address).await;
    }
    let steps = position.skip();
    app.history.set(position);
    // Moving by 0 steps would reload the page.
    if steps != 0 {
        browser_address::go_in_history(steps);
    }
}

/// Shows the previous selection.
pub fn go_back(app: AppContext) {
    if app.history.get_untracked().can_go_back() {
        browser_address::go_in_history(-1);
    }
}

/// Shows the selection before the user went back.
pub fn go_forward(app: AppContext) {
    if app.history.get_untracked().can_go_forward() {
        browser_address::go_in_history(1);
    }
}

/// Returns the address of the view; `None` if neither a package nor a repository is shown.
fn address_in_view(app: AppContext) -> Option<Address> {
    if app.current.is_open.get() && app.repository.in_view.get() {
        return Some(Address {
            is_repository: true,
            ..Address::default()
        });
    }
    Some(Address {
        is_repository: false,
        root: app.store.root.get(),
        package: app.store.package.get()?,
        selection: app.store.selection.get(),
        tab: app.store.tab.get(),
        lens: app.store.question.with(|question| question.lens),
        cluster: app.store.question.with(|question| question.cluster.clone()),
    })
}

/// Shows what an address refers to, if it is open.
async fn go_to_address(app: AppContext, mut address: Address) {
    if untrack(|| address_in_view(app)).is_none_or(|now| now == address) {
        return;
    }
    if address.is_repository {
        return app.repository.show();
    }
    let in_view = app.store.root.get_untracked();
    renderings::open_rendered_root(app.store, &address.root).await;
    if !app.store.status.is_root_open_untracked(&address.root) {
        address.root.clone_from(&in_view);
    }
    let rows = if address.root == in_view {
        app.store.packages.get_untracked()
    } else {
        app.store.fetch_packages(address.root.clone()).await
    };
    if rows.iter().any(|row| row.name == address.package) {
        app.store.show_address(address).await;
        app.repository.in_view.set(false);
    }
}
