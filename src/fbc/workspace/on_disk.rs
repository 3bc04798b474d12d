//! A catalog as the host has it: without what is not saved yet.

use super::export::unreadable;
use super::{Refused, Root, Workspace};
use crate::fbc::catalog::Catalog;

impl Workspace {
    /// The bytes of a file as the host has them, by its path in the workspace; `None` for one that an operation made.
    pub fn bytes_on_disk(&self, path: &str) -> Result<Option<Vec<u8>>, Refused> {
        let (saved, _) = self.states(path)?;
        saved.map(|saved| self.text_of(saved)).transpose().map_err(|error| unreadable(&error))
    }

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
