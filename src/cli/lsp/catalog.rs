//! A catalog or a template as an editor has it: the files of a folder, and buffers in place of some. Opened anew after each
//! change; only files that changed are read and indexed again.

use super::buffer::Buffer;
use super::file_uri;
use crate::config_file;
use crate::disk::{Disk, Stamp, Texts, stamp_of};
use crate::error::CliError;
use crate::walk::{self, FoundFile};
use fbc::catalog::Content;
use fbc::ignore::FILE_NAME as IGNORE_FILE;
use fbc::index::index_bytes;
use fbc::model::FileIndex;
use fbc::template;
use fbc::workspace::Root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The buffers of the editor, by path.
pub(super) type Buffers = BTreeMap<PathBuf, Buffer>;

/// An open catalog.
pub(super) struct Catalog {
    /// The folder, or the template's file.
    place: PathBuf,
    is_template: bool,
    disk: Option<Disk>,
    /// Of a template: what is written in its file.
    file: Option<Arc<FileIndex>>,
    /// What was read of each file, as long as it stays the same.
    indexed: BTreeMap<PathBuf, (Version, Content)>,
}

/// What a content was made of.
#[derive(Debug, Clone)]
enum Version {
    Buffer(Arc<str>),
    OnDisk(Stamp),
}

impl Version {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Version::Buffer(a), Version::Buffer(b)) => Arc::ptr_eq(a, b) || a == b,
            (Version::OnDisk(a), Version::OnDisk(b)) => a == b,
            _ => false,
        }
    }
}

/// Whether a text is a template.
pub(super) fn is_template(text: &str) -> bool {
    template::of_file(&index_bytes(text.as_bytes())).is_some()
}

impl Catalog {
    /// Nothing is read before [`Catalog::refresh`].
    pub(super) fn new(place: PathBuf, is_template: bool) -> Self {
        Self {
            place,
            is_template,
            disk: None,
            file: None,
            indexed: BTreeMap::new(),
        }
    }

    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    pub(super) fn is_template(&self) -> bool {
        self.is_template
    }

    /// Whether a file is part of it.
    pub(super) fn holds(&self, file: &Path) -> bool {
        if self.is_template {
            file == self.place
        } else {
            file.starts_with(&self.place)
        }
    }

    /// Opens it as it is now.
    pub(super) fn refresh(&mut self, buffers: &Buffers) -> Result<(), CliError> {
        self.disk = None;
        let folder = match self.is_template {
            true => self.place.parent().unwrap_or(&self.place).to_path_buf(),
            false => self.place.clone(),
        };
        let mut disk = match self.is_template {
            true => {
                let Some(buffer) = buffers.get(&self.place) else {
                    return Ok(());
                };
                let index = Arc::new(index_bytes(buffer.text().as_bytes()));
                self.file = Some(index.clone());
                Disk::of_template(&self.place, buffer.text(), index)
            }
            false => self.open_folder(buffers)?,
        };
        let config = config_file::path(&folder, None);
        let is_config = |path: &Path| {
            let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            config.as_deref() == Some(whole.as_path())
        };
        let advice = match buffers.iter().find(|(path, _)| is_config(path)) {
            Some((path, buffer)) => config_file::advice_of_text(&folder, path, buffer.text()),
            None => config_file::advice(&folder, None, None)?,
        };
        disk.workspace.set_advice_source(advice);
        self.disk = Some(disk);
        Ok(())
    }

    fn open_folder(&mut self, buffers: &Buffers) -> Result<Disk, CliError> {
        let mut found = walk::walk(&self.place)?;
        let mut texts = Texts::new();
        for (path, buffer) in buffers
            .range(self.place.clone()..)
            .take_while(|(path, _)| path.starts_with(&self.place))
        {
            let Some(relative) = path
                .strip_prefix(&self.place)
                .ok()
                .and_then(|path| path.to_str())
            else {
                continue;
            };
            let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
            walk::add(&mut found, &self.place, relative.clone());
            texts.insert(relative, buffer.text().clone());
        }
        let mut versions = BTreeMap::new();
        for file in &found {
            let version = match texts.get(&file.path) {
                Some(text) => Some(Version::Buffer(text.clone())),
                None => stamp_of(&file.on_disk).map(Version::OnDisk),
            };
            versions.extend(version.map(|version| (file.on_disk.clone(), version)));
        }
        let known = |file: &FoundFile| {
            let version = versions.get(&file.on_disk)?;
            if let Version::Buffer(text) = version
                && file.path.rsplit('/').next() == Some(IGNORE_FILE)
            {
                return Some(Content::Ignore(text.as_bytes().into()));
            }
            let before = self
                .indexed
                .get(&file.on_disk)
                .filter(|(before, _)| before.is(version));
            match (before, version) {
                (Some((_, content)), _) => Some(content.clone()),
                (None, Version::Buffer(text)) => {
                    Some(Content::Indexed(Arc::new(index_bytes(text.as_bytes()))))
                }
                (None, Version::OnDisk(_)) => None,
            }
        };
        let entries = walk::index_unknown(&found, known);
        let read = found
            .iter()
            .zip(&entries)
            .filter(|(_, entry)| matches!(entry.content, Content::Indexed(_)));
        let read = read.filter_map(|(file, entry)| {
            Some((
                file.on_disk.clone(),
                (versions.get(&file.on_disk)?.clone(), entry.content.clone()),
            ))
        });
        self.indexed = read.collect();
        Ok(Disk::of_files(&self.place, found, entries, &texts))
    }

    /// The open catalog; `None` before it was read, and where it could not be.
    pub(super) fn root(&self) -> Option<&Root> {
        self.disk.as_ref()?.workspace.roots().first()
    }

    pub(super) fn disk_mut(&mut self) -> Option<&mut Disk> {
        self.disk.as_mut()
    }

    /// The facts of a file.
    pub(super) fn index_of(&self, path: &Path) -> Option<&FileIndex> {
        if self.is_template {
            return self.file.as_deref();
        }
        self.root()?
            .catalog()
            .file_at(&self.name_of(path)?)?
            .index()
            .map(|index| &**index)
    }

    /// The path on disk of a file as problems name it.
    pub(super) fn path_of(&self, file: &str) -> Option<PathBuf> {
        Some(file_uri::plain(&self.disk.as_ref()?.place(file)))
    }

    /// A file on disk as problems name it.
    pub(super) fn name_of(&self, path: &Path) -> Option<String> {
        let folder = if self.is_template {
            self.place.parent()?
        } else {
            &self.place
        };
        let relative = path.strip_prefix(folder).ok()?.to_str()?;
        Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
    }
}
