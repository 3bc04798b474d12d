//! A catalog as saved on the host, without unsaved changes.

use super::file::Version;
use super::{Changes, OpenFiles, Refused, Root, Verdict};
use catalog::{Catalog, TreeEntry, ignore};
use verdict::validate::config::FILE_NAME;

/// Extensions of catalog files, templates and the configuration of repositories.
const CATALOG_EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

impl OpenFiles {
    /// Returns the host's bytes of a file, by its path in the session; `None` for one that an
    /// operation created.
    pub fn bytes_on_disk(&self, path: &str) -> Result<Option<Vec<u8>>, Refused> {
        let (saved, _) = self.states(path)?;
        saved.map(|saved| self.text_of(saved)).transpose()
    }

    /// Returns the file as opened, for opening it again if it is unchanged on disk; `None` if it is
    /// unknown or was saved since.
    pub fn as_on_disk(&self, path: &str) -> Option<TreeEntry> {
        let saved = self.by_id.get(self.by_path.get(path)?)?.saved.as_ref()?;
        let opened = Version::new(saved.original, saved.content.clone());
        opened.same_text(saved).then(|| TreeEntry {
            id: opened.original,
            path: path.to_owned(),
            content: opened.content,
        })
    }
}

impl Changes<'_> {
    /// Whether changing this file's text may affect a catalog. A file outside all catalogs may, if
    /// its name allows; one excluded by `.indexignore` does not.
    pub fn affects_catalogs(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == ignore::FILE_NAME || name == FILE_NAME {
            return true;
        }
        let mut roots = self
            .session
            .roots
            .iter()
            .filter(|root| root.contains_file(path))
            .peekable();
        if roots.peek().is_none() {
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            return CATALOG_EXTENSIONS
                .iter()
                .any(|expected| extension.eq_ignore_ascii_case(expected));
        }
        !roots.all(|root| root.catalog.ignores(root.relative(path)))
    }

    /// Returns a catalog's packages as saved on disk. Unedited ones are shared; the cost is
    /// proportional to the changed files.
    pub fn on_disk(&self, root: &Root) -> Catalog {
        let mut catalog = root.catalog().clone();
        for (id, file) in self
            .session
            .files
            .by_id
            .iter()
            .filter(|(_, file)| file.is_changed())
        {
            if root.contains_file(&file.path) {
                let saved = file.saved.as_ref().map(|version| version.content.clone());
                root.set_file_in(&mut catalog, *id, &file.path, saved);
            }
        }
        catalog
    }

    /// Returns the verdict on `on_disk`, a catalog as saved, next to the other catalogs as saved.
    /// Unedited packages are not judged again.
    pub fn verdict_on_disk(&self, root: &Root, on_disk: &Catalog) -> Verdict {
        let mut open_catalogs = self.session.open_catalogs.clone();
        let catalogs = self.session.roots.iter().filter(|root| root.is_catalog());
        for other in catalogs.filter(|root| {
            let mut files = self.session.files.by_id.values();
            files.any(|file| file.is_changed() && root.contains_file(&file.path))
        }) {
            other.replace_provides(&self.on_disk(other), &mut open_catalogs);
        }
        root.judge_state(on_disk, &open_catalogs)
    }
}
