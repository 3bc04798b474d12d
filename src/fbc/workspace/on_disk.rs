//! A catalog as the host has it: without what is not saved yet.

use super::{Root, Workspace};
use crate::fbc::catalog::Catalog;
use crate::fbc::roots::relative;

impl Workspace {
    /// The packages of a catalog as they are on disk. Those that no edit touched are shared; costs by changed files.
    pub fn on_disk(&self, root: &Root) -> Catalog {
        let mut catalog = root.catalog().clone();
        for (id, file) in self.files.iter().filter(|(_, file)| file.is_changed()) {
            let lies_in = self.root_of(&file.path).and_then(|at| self.roots.get(at));
            if lies_in.is_some_and(|of| of.name == root.name) {
                let saved = file.saved.as_ref().map(|version| version.content.clone());
                super::root::put(&mut catalog, *id, relative(&file.path, &root.name), saved);
            }
        }
        catalog
    }
}
