//! Opens files, adds and reloads them, and splits them into roots.

use super::file::{FileState, Version};
use super::history::HistoryStep;
use super::pinned_source::PinnedSource;
use super::rebase::Rebased;
use super::root::Root;
use super::{Configuration, Counters, Layout, OpenFiles, OperationLog, Refused, Session};
use catalog::model::{Blob, Body, FileId, load_rule};
use catalog::roots::{self, FileRole, RootFile, Roots};
use catalog::source::ByteSource;
use catalog::{Content, TreeEntry};
use edit::refused;
use protocol::views::UnusedFileRow;
use repository::layout::Place;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use syntax::order::SortSmall;
use syntax::place::Text;
use verdict::validate::{OpenCatalogs, judge_for_message, opm_message};

impl Session {
    pub(super) fn new(files: Vec<TreeEntry>, source: Rc<dyn ByteSource>, layout: Layout) -> Self {
        let mut session = Self {
            files: OpenFiles {
                source: PinnedSource::new(source),
                by_id: BTreeMap::new(),
                by_path: BTreeMap::new(),
                rendered: BTreeMap::new(),
            },
            unsplit_folders: BTreeSet::new(),
            folders: Vec::new(),
            roots: Vec::new(),
            open_catalogs: OpenCatalogs::default(),
            configuration: Configuration::default(),
            origins: OnceCell::new(),
            is_one_root: !matches!(layout, Layout::Split),
            repository: None,
            log: OperationLog::default(),
            typed_step: None,
            preview_cache: None,
            revision: 0,
            next_id: Self::HOST_IDS,
            counters: Counters::default(),
        };
        for file in files {
            session.files.put_file(file);
        }
        let open_catalogs = &mut session.open_catalogs;
        let judged = &mut session.counters.packages_judged;
        let root = match layout {
            Layout::Split => None,
            Layout::Template => {
                let file = session.files.template_files().into_iter().next();
                file.map(|(path, id, content)| {
                    let config = session.configuration.config_of(&session.files, &path);
                    Root::for_file(path, None, (id, content), config, open_catalogs, judged)
                })
            }
            Layout::One { folder } => {
                let entries = session.files.entries_below("");
                let config = session.configuration.config_of(&session.files, "");
                *open_catalogs = OpenCatalogs::with_catalogs(1);
                let name = String::new();
                Some(Root::new(
                    name,
                    folder,
                    entries,
                    config,
                    open_catalogs,
                    judged,
                ))
            }
        };
        if let Some(mut root) = root {
            root.update_verdict(open_catalogs);
            session.roots = vec![root];
        } else if !session.is_one_root {
            session.find_roots();
        }
        session.counters = Counters::default();
        session
    }

    /// Adds files, or replaces the original bytes of open paths. Unsaved edits are applied again in
    /// order, and those that no longer apply are reported. Refused without changes if they cannot
    /// be expressed as operations.
    pub fn add(&mut self, files: Vec<TreeEntry>) -> Result<Rebased, Refused> {
        let steps = self.changes().unsaved_steps()?;
        let forgotten = self.changes().forgotten_by_a_rebase();
        for file in self.files.by_id.values_mut() {
            file.current.clone_from(&file.saved);
        }
        self.log = OperationLog::default();
        for file in files {
            self.files.put_file(file);
        }
        self.find_roots();
        let rebased = self.apply_again(steps, forgotten);
        self.release_unused_pins();
        self.revision += 1;
        Ok(rebased)
    }

    /// Adds files under paths that are not open. Keeps the history and returns the paths that it
    /// affects. Refuses paths that are already open: a file belongs to its source.
    pub fn add_beside(&mut self, files: Vec<TreeEntry>) -> Result<Vec<String>, Refused> {
        if let Some(file) = files.iter().find(|file| {
            self.files
                .states(&file.path)
                .is_ok_and(|(saved, now)| saved.is_some() || now.is_some())
        }) {
            return Err(refused!(
                "`{}` is already open, so nothing was added",
                file.path
            ));
        }
        // A single catalog needs no name, but one beside another does.
        if self.repository.is_none()
            && let Ok(only) = self.root_position(None)
            && let name = self.roots[only].name.clone()
            && !name.is_empty()
        {
            for op in self.log.steps.iter_mut().flat_map(|step| &mut step.ops) {
                op.catalog_mut().get_or_insert_with(|| name.clone());
            }
            // An added folder is a separate catalog, even if it resembles the open one.
            if self.roots[only].is_catalog()
                && files
                    .iter()
                    .all(|file| file.path.contains('/') && !roots::is_below(&file.path, &name))
            {
                self.unsplit_folders.insert(name);
            }
        }
        for file in files {
            self.files.put_file(file);
        }
        self.find_roots();
        self.revision += 1;
        let touched = self.log.touched_files();
        let paths = touched.iter().map(|id| self.files.path_of(*id).to_owned());
        Ok(paths.collect())
    }

    /// Replaces all files with the host's current ones, and keeps the history. Returns the paths
    /// affected by the history, whose bytes were read for this. Returns `None` and changes nothing
    /// if one of these files differs from the host's last version or is gone, since the history
    /// does not apply to it.
    pub fn reload_files(&mut self, files: &[TreeEntry]) -> Result<Option<Vec<String>>, Refused> {
        let touched = self.log.touched_files();
        let new: BTreeMap<&str, &TreeEntry> = files
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect();
        for id in &touched {
            let Some(file) = self.files.by_id.get(id) else {
                return Ok(None);
            };
            let is_same = match (&file.saved, new.get(file.path.as_str())) {
                (None, None) => true,
                (Some(saved), Some(new)) => self.files.equals_saved(saved, new)?,
                _ => false,
            };
            if !is_same {
                return Ok(None);
            }
        }
        let paths = touched.iter().map(|id| self.files.path_of(*id).to_owned());
        let touched_paths: BTreeSet<String> = paths.collect();
        self.files.by_id.retain(|id, _| touched.contains(id));
        self.files
            .by_path
            .retain(|path, _| touched_paths.contains(path) || new.contains_key(path.as_str()));
        for file in files
            .iter()
            .filter(|file| !touched_paths.contains(&file.path))
        {
            self.files.put_file(file.clone());
        }
        self.find_roots();
        self.release_unused_pins();
        self.revision += 1;
        Ok(Some(touched_paths.into_iter().collect()))
    }

    /// Sets the repository that contains the files. Each folder in its `catalogs` is a catalog,
    /// even if only a part of it is open.
    pub fn set_repository(&mut self, repository: Option<Place>) {
        if self.repository != repository {
            self.repository = repository;
            self.find_roots();
            self.revision += 1;
        }
    }

    /// Splits a folder into catalogs, or keeps it whole.
    pub fn treat_as_one(&mut self, folder: &str, as_one: bool) {
        if as_one {
            // This folder replaces unsplit folders above or below it.
            self.unsplit_folders
                .retain(|f| !roots::is_below(f, folder) && !roots::is_below(folder, f));
            self.unsplit_folders.insert(folder.to_owned());
        } else {
            self.unsplit_folders.remove(folder);
        }
        self.find_roots();
        self.revision += 1;
    }

    /// Updates roots after files were added or removed: they may change the split into catalogs,
    /// for example with the first file of another version, or be templates.
    pub(super) fn find_other_roots(&mut self) {
        // A session opened as one catalog remains one.
        if self.is_one_root {
            return;
        }
        let found = self.detect_roots().roots;
        let catalogs = self
            .roots
            .iter()
            .filter(|root| root.is_catalog())
            .map(|root| &root.name);
        let templates = self
            .roots
            .iter()
            .filter(|root| root.is_template())
            .map(|root| &root.name);
        if !catalogs.eq(&found)
            || !templates.eq(self.files.template_files().iter().map(|(path, ..)| path))
        {
            self.find_roots();
        }
    }

    fn detect_roots(&self) -> Roots {
        let files = self.files.by_path.iter().filter_map(|(path, id)| {
            let version = self.files.version(*id)?;
            Some(RootFile {
                path,
                packages: defined_packages(version),
                role: file_role(path, version),
            })
        });
        let Some(place) = &self.repository else {
            return roots::find(&files.collect::<Vec<_>>(), &self.unsplit_folders);
        };
        let (inside, beside): (Vec<RootFile<'_>>, Vec<RootFile<'_>>) =
            files.partition(|file| place.repository_path(file.path).is_some());
        let mut found = if beside.is_empty() {
            Roots::default()
        } else {
            roots::find(&beside, &self.unsplit_folders)
        };
        found.roots.extend(
            inside
                .iter()
                .filter_map(|file| place.catalog_folder(file.path)),
        );
        found.roots.sort_small();
        found.roots.dedup();
        found
    }

    fn find_roots(&mut self) {
        self.preview_cache = None;
        let Roots { roots, folders } = self.detect_roots();
        self.folders = folders;
        let (mut open_catalogs, mut judged) = (OpenCatalogs::with_catalogs(roots.len()), 0);
        self.roots.clear();
        for name in roots {
            self.roots.push(Root::new(
                name.clone(),
                name.clone(),
                self.files.entries_below(&name),
                self.configuration.config_of(&self.files, &name),
                &mut open_catalogs,
                &mut judged,
            ));
        }
        for (path, id, content) in self.files.template_files() {
            let config = self.configuration.config_of(&self.files, &path);
            self.roots.push(Root::for_file(
                path,
                None,
                (id, content),
                config,
                &mut open_catalogs,
                &mut judged,
            ));
        }
        self.origins = OnceCell::new();
        self.open_catalogs = open_catalogs;
        self.counters.packages_judged += judged;
        for root in &mut self.roots {
            root.update_published(&self.files);
            root.update_verdict(&self.open_catalogs);
        }
        self.add_rendered_roots();
    }

    /// Releases original bytes that neither a file nor the history needs.
    pub(super) fn release_unused_pins(&mut self) {
        self.preview_cache = None;
        let mut needed: BTreeSet<FileId> = BTreeSet::new();
        for file in self.files.by_id.values() {
            needed.extend(file.saved.iter().chain(&file.current).map(|v| v.original));
        }
        needed.extend(self.log.steps.iter().flat_map(HistoryStep::originals));
        self.files.source.retain(|id| needed.contains(&id));
    }
}

impl OpenFiles {
    fn equals_saved(&self, saved: &Version, new: &TreeEntry) -> Result<bool, Refused> {
        let read = Version::new(new.id, new.content.clone());
        if read.pieces.len() != saved.pieces.len() {
            return Ok(false);
        }
        Ok(self.text_of(saved)? == self.text_of(&read)?)
    }

    /// Whether the path belongs to an open file, or to one that was removed since.
    pub fn has_path(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// Returns `opm validate`'s error for a split folder as one catalog; `None` if it passes.
    pub fn whole_message(&self, folder: &str) -> Option<String> {
        let catalog = catalog::Catalog::new(folder, self.entries_below(folder));
        let reports: Vec<_> = catalog
            .packages()
            .map(|package| (package, judge_for_message(package)))
            .collect();
        opm_message(
            &catalog,
            reports
                .iter()
                .map(|(package, report)| (&***package, report)),
        )
    }

    /// Sets new original bytes for a path.
    fn put_file(&mut self, file: TreeEntry) {
        let id = *self.by_path.entry(file.path.clone()).or_insert(file.id);
        let version = Version::new(file.id, file.content);
        let opened = version.index().cloned();
        let state = FileState {
            path: file.path,
            opened,
            saved: Some(version.clone()),
            current: Some(version),
        };
        self.by_id.insert(id, state);
    }

    fn template_files(&self) -> Vec<(String, FileId, Content)> {
        self.by_path
            .iter()
            .filter_map(|(path, id)| {
                let content = self.version(*id)?.content.clone();
                match &content {
                    Content::Indexed(index) if template::template_of_file(index).is_some() => {
                        Some((path.clone(), *id, content))
                    }
                    _ => None,
                }
            })
            .collect()
    }

    fn entries_below(&self, folder: &str) -> Vec<TreeEntry> {
        let below = self
            .by_path
            .iter()
            .filter(|(path, _)| roots::is_below(path, folder));
        below
            .filter_map(|(path, id)| {
                let content = self.version(*id)?.content.clone();
                Some(TreeEntry {
                    id: *id,
                    path: roots::relative(path, folder).to_owned(),
                    content,
                })
            })
            .collect()
    }
}

/// Returns the files above all catalogs and the files irrelevant to a catalog, with the reason.
pub fn unused_files(session: &Session) -> Vec<UnusedFileRow> {
    session
        .files
        .by_path
        .keys()
        .filter_map(|path| unused_file(session, path))
        .collect()
}

/// Like `unused_files`, for one path; `None` if the file matters to a catalog, is git's or does not
/// exist.
pub fn unused_file(session: &Session, path: &str) -> Option<UnusedFileRow> {
    let id = session.files.by_path.get(path)?;
    let version = session.files.version(*id)?;
    let root = session.roots.iter().find(|root| root.contains_file(path));
    if root.is_some_and(Root::is_template) {
        return None;
    }
    let file = root.and_then(|root| root.catalog.file(*id));
    let reason = match &version.content {
        _ if root.is_none() && roots::git_folder(path).is_some() => return None,
        _ if root.is_none() => Some("not in any catalog"),
        Content::Ignore(_) => return None,
        _ if file.is_some_and(|file| file.ignored) => Some("ignored by `.indexignore`"),
        Content::Unread => Some("not read"),
        // The catalog uses the readable documents; the rest is a finding.
        Content::Indexed(index)
            if index.unreadable().is_none() || index.blobs.iter().any(is_readable) =>
        {
            return None;
        }
        _ => None,
    };
    Some(UnusedFileRow {
        path: path.to_owned(),
        reason: reason.map(str::to_owned),
    })
}

fn defined_packages(version: &Version) -> Vec<Text> {
    let blobs = version.index().map_or(&[][..], |i| &i.blobs);
    blobs
        .iter()
        .filter_map(|b| match &b.body {
            Body::Package(package) => Some(package.name.value.clone()),
            _ => None,
        })
        .collect()
}

/// A broken document of a YAML or JSON file may be a blob. Others, such as a `Makefile`, are not.
fn file_role(path: &str, version: &Version) -> FileRole {
    let Some(index) = version.index() else {
        return FileRole::Other;
    };
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    let is_data = matches!(extension, Some("yaml" | "yml" | "json"));
    let may_be_blob = |blob: &Blob| match &blob.body {
        Body::Other(other) => !other.schema.is_empty(),
        Body::Unreadable => {
            is_data
                && blob.faults.iter().all(|fault| {
                    fault.rule != load_rule::BLOB_MISSING_SCHEMA
                        && fault.rule != load_rule::BLOB_NOT_OBJECT
                })
        }
        _ => true,
    };
    if template::template_of_file(index).is_some() {
        FileRole::Template
    } else if index.blobs.iter().any(may_be_blob) {
        FileRole::Blobs
    } else {
        FileRole::Other
    }
}

fn is_readable(blob: &Blob) -> bool {
    !matches!(blob.body, Body::Unreadable)
}
