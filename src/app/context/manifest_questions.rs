//! Questions from dropped Subscriptions and ClusterExtensions: where their packages are updated to.

use super::{AppContext, Overlay};
use crate::state::manifest_words::{heading, question_text};
use crate::state::store::Tab;
use leptos::prelude::*;
use protocol::manifests::{DroppedManifests, ManifestQuestion};
use protocol::views::UpgradeQuestion;
use wasm_bindgen_futures::spawn_local;

impl AppContext {
    /// Shows dropped questions: a single one without remarks directly, others as a list.
    pub(super) fn show_manifests(self, dropped: DroppedManifests) {
        match (&dropped.questions[..], &dropped.refused[..]) {
            ([only], []) if only.remarks.is_empty() && !only.roots.is_empty() => {
                let message = format!("{}: {}", heading(only), question_text(only));
                self.notifications.toasts.note(message);
                self.ask_manifest(only.clone());
            }
            _ => self.overlays.open(Overlay::Manifests(dropped)),
        }
    }

    /// Shows the package of a question, with the question filled in.
    pub fn ask_manifest(self, manifest: ManifestQuestion) {
        self.overlays.close();
        let Some(root) = manifest.roots.into_iter().next() else {
            return;
        };
        let (store, package) = (self.store, manifest.package);
        if matches!(store.tab.get_untracked(), Tab::Source | Tab::Compare) {
            store.show_tab(Tab::Graph);
        }
        spawn_local(async move {
            if store.root.get_untracked() != root {
                store.show_root(root.clone()).await;
            }
            // If the user navigated elsewhere meanwhile, stay there.
            if store.root.get_untracked() != root {
                return;
            }
            if self.current.package.get_untracked() != package {
                store.show_package(package.clone()).await;
            }
            if store.root.get_untracked() == root && self.current.package.get_untracked() == package
            {
                let cluster = store
                    .question
                    .with_untracked(|question| question.cluster.clone());
                store
                    .set_question(UpgradeQuestion {
                        cluster,
                        ..manifest.question
                    })
                    .await;
            }
        });
    }
}
