//! Keeps the page's address in sync with the view: another package is a step of the browser's
//! history, another view of the same one is not.

use super::AppContext;
use crate::browser::address;
use crate::reactive::effect;
use crate::state::address::Address;
use crate::state::store::ViewState;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl AppContext {
    pub(super) fn follow_address(self) {
        // The initial address is shown as soon as a catalog contains it.
        let initial = StoredValue::new(Address::read(&address::fragment()));
        effect(move |before: Option<Option<Address>>| {
            let Some(now) = self.address() else {
                return before.flatten();
            };
            if let Some(initial) = initial.try_update_value(Option::take).flatten() {
                spawn_local(async move {
                    self.go_to_address(initial).await;
                    if let Some(now) = untrack(|| self.address()) {
                        address::replace(&now.fragment());
                    }
                });
                return None;
            }
            let turned = self.second_graph.take_focus_swapped();
            match before.flatten() {
                // Switching to the other graph is not a navigation step: both were in view.
                Some(before) if !before.is_of(&now) && !turned => address::push(&now.fragment()),
                _ => address::replace(&now.fragment()),
            }
            Some(now)
        });
        address::on_travel(move || {
            if let Some(address) = Address::read(&address::fragment()) {
                spawn_local(self.go_to_address(address));
            }
        });
    }

    /// The address of the view; `None` if no package is shown.
    fn address(self) -> Option<Address> {
        Some(Address {
            root: self.store.root.get(),
            package: self.store.package.get()?,
            selection: self.store.selection.get(),
            tab: self.store.tab.get(),
            lens: self.store.question.with(|question| question.lens),
            cluster: self
                .store
                .question
                .with(|question| question.cluster.clone()),
            zoom: self.store.lanes.with(|lanes| lanes.zoom),
        })
    }

    /// Shows the target of an address, if it is open.
    async fn go_to_address(self, address: Address) {
        if untrack(|| self.address()).is_none_or(|now| now == address) {
            return;
        }
        let here = self.store.root.get_untracked();
        self.store.open_rendered_root(&address.root).await;
        let is_open = self
            .store
            .status
            .with_untracked(|status| status.roots.iter().any(|row| row.root == address.root));
        let root = if is_open {
            address.root.clone()
        } else {
            here.clone()
        };
        let rows = match root == here {
            true => self.store.packages.get_untracked(),
            false => self.store.packages_of(root.clone()).await,
        };
        if rows.iter().any(|row| row.name == address.package) {
            let look = ViewState::from_address(&address, &self.store.view_state());
            self.store
                .show_view_state(root, address.package, look)
                .await;
        }
    }
}
