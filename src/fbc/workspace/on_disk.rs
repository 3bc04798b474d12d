//! A catalog as the host has it: without what is not saved yet.

use super::export::unreadable;
use super::file::{NewFile, Version};
use super::{Refused, Root, Verdict, Workspace};
use crate::catalog::Catalog;
use crate::ignore;
use crate::validate::config::FILE_NAME;

impl Workspace {
    /// The bytes of a file as the host has them, by its path in the workspace; `None` for one that an operation made.
    pub fn bytes_on_disk(&self, path: &str) -> Result<Option<Vec<u8>>, Refused> {
        let (saved, _) = self.states(path)?;
        saved
            .map(|saved| self.text_of(saved))
            .transpose()
            .map_err(|error| unreadable(&error))
    }

    /// A file as it was opened, to be opened again where it is on disk what it was; `None` for one that is not known, or
    /// was saved since.
    pub fn as_on_disk(&self, path: &str) -> Option<NewFile> {
        let saved = self.files.get(self.by_path.get(path)?)?.saved.as_ref()?;
        let opened = Version::new(saved.original, saved.content.clone());
        opened.same_text(saved).then(|| NewFile {
            id: opened.original,
            path: path.to_owned(),
            content: opened.content,
        })
    }

    /// Whether another text of this file may change what is known of a catalog. A file outside all catalogs may, if its
    /// name allows; one that `.indexignore` excludes does not count.
    pub fn affects_catalogs(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == ignore::FILE_NAME || name == FILE_NAME {
            return true;
        }
        let mut roots = self.roots.iter().filter(|root| root.holds(path)).peekable();
        if roots.peek().is_none() {
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            return ["yaml", "yml", "json"]
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known));
        }
        !roots.all(|root| root.catalog.leaves_out(root.relative(path)))
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

    /// The verdict on a catalog as it is on disk, which is `on_disk`, beside the other catalogs as they are on disk.
    /// Packages that no edit touched are not judged again.
    pub fn verdict_on_disk(&self, root: &Root, on_disk: &Catalog) -> Verdict {
        let mut open_catalogs = self.open_catalogs.clone();
        let is_edited = |of: &Root| {
            let changed = self.files.values().filter(|file| file.is_changed());
            changed.into_iter().any(|file| of.holds(&file.path))
        };
        for other in self
            .roots
            .iter()
            .filter(|of| of.is_catalog() && is_edited(of))
        {
            other.replace_provides(&self.on_disk(other), &mut open_catalogs);
        }
        root.verdict_of(on_disk, &open_catalogs)
    }
}
