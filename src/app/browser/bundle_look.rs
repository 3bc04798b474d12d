//! Checks whether dropped files may be bundles, by the names in their folders.

use super::file_tree::{FileTree, Node};
use crate::state::bundle_file_names;
use futures::future::join_all;

/// Larger folders are not searched completely for bundle directories.
const BESIDE_A_BUNDLE: usize = 200;
/// Number of folders examined at once for bundle directories. If each contains a package of a
/// catalog, the others do too.
const LOOKED_INTO: usize = 32;

impl FileTree {
    /// Whether it is worth looking for bundles: everything is a file that may hold some, or a folder that is a bundle
    /// directory or holds one. Lists two levels of folders.
    pub async fn may_hold_bundles(&self) -> bool {
        for root in &self.roots {
            let may = match root.node.is_folder() {
                true => self.holds_bundle(&root.name, &root.node).await,
                false => bundle_file_names::may_be_bundle(&root.name),
            };
            if !may {
                return false;
            }
        }
        let paths: Vec<&str> = self
            .bare
            .iter()
            .map(|picked| picked.path.as_str())
            .collect();
        !self.is_empty() && bundle_file_names::may_hold_bundles(&paths)
    }

    /// Whether a folder is a bundle directory, or one of its folders is.
    async fn holds_bundle(&self, path: &str, folder: &Node) -> bool {
        let enough = |found: usize| found < BESIDE_A_BUNDLE;
        let Ok(children) = self.listings.children(path, folder, &enough).await else {
            return false;
        };
        if bundle_file_names::is_bundle(children.keys().map(String::as_str)) {
            return true;
        }
        let folders = children
            .into_iter()
            .filter(|(_, node)| node.is_folder())
            .take(BESIDE_A_BUNDLE);
        let folders: Vec<_> = folders
            .map(|(name, node)| (format!("{path}/{name}"), node))
            .collect();
        for beside in folders.chunks(LOOKED_INTO) {
            let listed = beside
                .iter()
                .map(|(path, node)| self.listings.children(path, node, &enough));
            let listed = join_all(listed).await;
            let names = || {
                listed
                    .iter()
                    .flatten()
                    .map(|children| children.keys().map(String::as_str))
            };
            if names().any(bundle_file_names::is_bundle) {
                return true;
            }
            if beside.len() == LOOKED_INTO && names().all(bundle_file_names::is_package) {
                return false;
            }
        }
        false
    }
}
