//! A catalog as the host has it: without what is not saved yet.

use super::{Root, Workspace};
use crate::fbc::catalog::Catalog;

impl Workspace {
    /// The packages of a catalog as they are on disk. Those that no edit touched are shared; costs by changed files.
    pub fn on_disk(&self, root: &Root) -> Catalog {
        let mut catalog = root.catalog().clone();
        for (id, file) in self.files.iter().filter(|(_, file)| file.is_changed()) {
            if root.holds(&file.path) {
                let saved = file.saved.as_ref().map(|version| version.content.clone());
                root.put_into(&mut catalog, *id, &file.path, saved);
            }
        }
        catalog
    }
}
