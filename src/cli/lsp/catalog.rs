//! A catalog or a template in the editor's state: the files of a folder, some replaced by buffers. Reopened after each
//! change; only changed files are read and indexed again.

use super::buffer::Buffer;
use super::file_uri;
use super::folder_reader::{FolderContent, FolderReader, KnownFiles};
use crate::error::CliError;
use crate::input::config_file;
use crate::input::disk::{Disk, Texts};
use fbc::index::index_bytes;
use fbc::model::FileIndex;
use fbc::template;
use fbc::workspace::Root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The editor's buffers, by path.
pub(super) type Buffers = BTreeMap<PathBuf, Buffer>;

/// An open catalog.
pub(super) struct Catalog {
    /// The folder or file.
    place: PathBuf,
    extent: Extent,
    disk: Option<Disk>,
    /// For a template: the content of its file.
    file: Option<Arc<FileIndex>>,
    known: KnownFiles,
}

/// The extent of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Folder,
    /// One file: its folder holds other things, or is too large.
    File,
    /// The file of a template.
    Template,
}

/// Whether a text is a template.
pub(super) fn is_template(text: &str) -> bool {
    template::template_of_file(&index_bytes(text.as_bytes())).is_some()
}

impl Catalog {
    /// Nothing is read yet.
    pub(super) fn new(place: PathBuf, extent: Extent) -> Self {
        Self {
            place,
            extent,
            disk: None,
            file: None,
            known: KnownFiles::new(),
        }
    }

    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    pub(super) fn is_template(&self) -> bool {
        self.extent == Extent::Template
    }

    /// Whether a file is part of the catalog.
    pub(super) fn holds(&self, file: &Path) -> bool {
        match self.extent {
            Extent::Folder => file.starts_with(&self.place),
            Extent::File | Extent::Template => file == self.place,
        }
    }

    /// Reopens it in its present state. Returns the folder that must be read first, on another thread.
    pub(super) fn refresh(&mut self, buffers: &Buffers) -> Result<Option<FolderReader>, CliError> {
        self.disk = None;
        if self.extent == Extent::Folder {
            return Ok(Some(FolderReader {
                folder: self.place.clone(),
                texts: self.texts(buffers),
                known: std::mem::take(&mut self.known),
                is_named: false,
            }));
        }
        let Some(buffer) = buffers.get(&self.place) else {
            return Ok(None);
        };
        let index = Arc::new(index_bytes(buffer.text().as_bytes()));
        let disk = match self.is_template() {
            true => Disk::from_template(&self.place, buffer.text(), index.clone()),
            false => Disk::from_lone_file(&self.place, buffer.text(), index.clone()),
        };
        self.file = Some(index);
        self.set_disk(disk, buffers)?;
        Ok(None)
    }

    /// Opens the folder with the content that was read.
    pub(super) fn take_content(
        &mut self,
        content: FolderContent,
        buffers: &Buffers,
    ) -> Result<(), CliError> {
        self.known = content.known;
        let disk = Disk::from_files(&self.place, content.found, content.entries, &content.texts);
        self.set_disk(disk, buffers)
    }

    fn set_disk(&mut self, mut disk: Disk, buffers: &Buffers) -> Result<(), CliError> {
        let folder = self.folder();
        let config = config_file::path(folder, None);
        let is_config = |path: &Path| {
            let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            config.as_deref() == Some(whole.as_path())
        };
        let advice = match buffers.iter().find(|(path, _)| is_config(path)) {
            Some((path, buffer)) => config_file::advice_of_text(folder, path, buffer.text()),
            None => config_file::advice(folder, None, None)?,
        };
        disk.workspace.set_advice_source(advice);
        self.disk = Some(disk);
        Ok(())
    }

    /// Its folder, or the folder of its file.
    fn folder(&self) -> &Path {
        match self.extent {
            Extent::Folder => &self.place,
            Extent::File | Extent::Template => self.place.parent().unwrap_or(&self.place),
        }
    }

    /// The buffers of its files, by path in the catalog.
    fn texts(&self, buffers: &Buffers) -> Texts {
        let below = buffers
            .range(self.place.clone()..)
            .take_while(|(path, _)| path.starts_with(&self.place));
        below
            .filter_map(|(path, buffer)| Some((self.name_of(path)?, buffer.text().clone())))
            .collect()
    }

    /// The open catalog; `None` before it is read, or if it cannot be read.
    pub(super) fn root(&self) -> Option<&Root> {
        self.disk.as_ref()?.workspace.roots().first()
    }

    pub(super) fn disk_mut(&mut self) -> Option<&mut Disk> {
        self.disk.as_mut()
    }

    /// The index of a file.
    pub(super) fn index_of(&self, path: &Path) -> Option<&FileIndex> {
        if self.is_template() {
            return self.file.as_deref();
        }
        self.root()?
            .catalog()
            .file_at(&self.name_of(path)?)?
            .index()
            .map(|index| &**index)
    }

    /// The path on disk of a file that a problem names.
    pub(super) fn path_of(&self, file: &str) -> Option<PathBuf> {
        Some(file_uri::plain(&self.disk.as_ref()?.place(file)))
    }

    /// The name of a file on disk in problems.
    pub(super) fn name_of(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(self.folder()).ok()?.to_str()?;
        Some(relative.replace(std::path::MAIN_SEPARATOR, "/"))
    }
}
