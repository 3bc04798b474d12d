//! Owns the state: opened files, their catalogs, verdicts, edits and history.
//!
//! **Text is the truth.** Every file is a piece table over its original bytes. An operation becomes
//! text edits, the changed blobs are parsed again, and the result is compared with the intention
//! before anything is kept.
//!
//! **Versions, not inverses.** A file state is a small value ([`Version`]: pieces and facts, both
//! shared), so undo and redo restore an old value: they parse nothing and cannot give a different
//! result.
//!
//! **By package.** A change only judges packages with changed facts; [`Counters`] let tests check
//! that.
//!
//! The host provides bytes through [`ByteSource`] and chooses a [`FileId`] below
//! [`Session::HOST_IDS`] for each set of original bytes; a file that changed on disk gets a new
//! id. Nothing here panics, reads a clock or uses randomness.

mod alternatives;
mod anchored;
mod change_tracker;
mod chosen;
mod configuration;
mod convert_template;
mod copy;
mod export;
mod file;
mod file_lines;
mod file_updates;
mod find;
mod fix_all;
mod history;
mod make_template;
pub mod merge;
pub mod merge_files;
#[cfg(test)]
mod migrate_tests;
mod on_disk;
mod open;
mod open_bundles;
mod origins;
mod other_catalogs;
mod pinned_source;
mod preview_cache;
mod published;
mod rebase;
mod render_targets;
mod rendered_catalogs;
mod root;
pub mod search;
mod subset;
mod template_updates;
#[cfg(test)]
mod tests;
mod typed_text;

use catalog::TreeEntry;
use catalog::model::FileId;
use catalog::roots::Folder;
use catalog::source::ByteSource;
use configuration::Configuration;
use edit::refused;
use file::{FileState, Version};
use history::TypedStep;
use origins::Origins;
use pinned_source::PinnedSource;
use preview_cache::PreviewCache;
use rendered_catalogs::RenderedFile;
use repository::layout::Place;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdict::validate::OpenCatalogs;

pub use catalog::Content;
pub use chosen::Edit;
pub use configuration::AdviceSource;
pub use convert_template::{Conversion, NotConverted};
pub use copy::package_text;
pub use edit::plan::Refused;
pub use export::{ChangedFile, FileText, PatchPaths};
pub use file_lines::{BlobText, FileLine, FileLines};
pub use find::{FoundLine, FoundLines, TextSearch};
pub use fix_all::{Fixed, fix_all};
pub use history::{Applied, HistoryStep, Preview};
pub use make_template::NewTemplate;
pub use open::{unused_file, unused_files};
pub use other_catalogs::{
    LackingPreview, OtherCatalog, OtherCatalogOutcome, preview_in_all_catalogs, preview_lacking,
};
pub use rebase::{
    BothSides, HostFile, HostFileState, Rebased, compare_with_host, mark_saved, rebase, take_theirs,
};
pub use render_targets::{RenderTarget, TargetState, TemplateMapping};
pub use rendered_catalogs::Rendering;
pub use root::{Root, Verdict};
pub use subset::{Counts, Subset, SubsetFile, subset};

/// The catalog name in text changes of files outside all catalogs.
const OUTSIDE: &str = "";

/// Everything that is open.
pub struct Session {
    files: OpenFiles,
    /// Folders that the user does not split into catalogs.
    unsplit_folders: BTreeSet<String>,
    folders: Vec<Folder>,
    roots: Vec<Root>,
    /// Everything that the catalogs provide to one another.
    open_catalogs: OpenCatalogs,
    configuration: Configuration,
    /// Which packages are rendered from which templates, computed on first use.
    origins: OnceCell<Origins>,
    /// Whether the session was opened as one catalog or template, which it remains.
    is_one_root: bool,
    /// The repository of the files, which determines the catalog folders.
    repository: Option<Place>,
    log: OperationLog,
    /// The last typed text, while it can continue.
    typed_step: Option<TypedStep>,
    preview_cache: Option<PreviewCache>,
    revision: u64,
    next_id: u32,
    counters: Counters,
}

pub struct OpenFiles {
    source: PinnedSource,
    by_id: BTreeMap<FileId, FileState>,
    by_path: BTreeMap<String, FileId>,
    /// Renderings of open templates that were requested, by path of the template.
    rendered: BTreeMap<String, RenderedFile>,
}

#[derive(Default)]
struct OperationLog {
    /// Oldest first; the first `applied` steps are applied, the others can be redone.
    steps: Vec<HistoryStep>,
    applied: usize,
}

/// The differences from the files on disk, and the steps that made them.
#[derive(Clone, Copy)]
pub struct Changes<'w> {
    session: &'w Session,
}

/// The open templates: what they render to, and the catalogs rendered from them.
#[derive(Clone, Copy)]
pub struct Templates<'w> {
    session: &'w Session,
}

/// Turns operations into new file versions, without applying them.
struct Planner<'w> {
    session: &'w mut Session,
}

/// Amount of work since opening; lets tests check the cost of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub packages_judged: u64,
    pub blobs_parsed: u64,
    /// Whole files indexed again (free text only).
    pub files_indexed: u64,
}

/// Opens a session. [`catalog::roots`] decides how folders are split into catalogs.
pub fn open(files: Vec<TreeEntry>, source: Rc<dyn ByteSource>) -> Session {
    Session::new(files, source, Layout::Split)
}

/// Opens a session whose files are one catalog: `folder` is the argument for `opm`.
pub fn open_one(folder: &str, files: Vec<TreeEntry>, source: Rc<dyn ByteSource>) -> Session {
    Session::new(
        files,
        source,
        Layout::One {
            folder: folder.to_owned(),
        },
    )
}

/// Opens a session with one template file. It has no root if the file is not a template.
pub fn open_template(file: TreeEntry, source: Rc<dyn ByteSource>) -> Session {
    Session::new(vec![file], source, Layout::Template)
}

/// How files are grouped into catalogs.
enum Layout {
    Split,
    One { folder: String },
    Template,
}

impl Session {
    /// Ids from here on are reserved for files that operations create.
    pub const HOST_IDS: u32 = 1 << 31;

    pub fn files(&self) -> &OpenFiles {
        &self.files
    }

    pub fn changes(&self) -> Changes<'_> {
        Changes { session: self }
    }

    pub fn templates(&self) -> Templates<'_> {
        Templates { session: self }
    }

    /// Returns a number that grows with every change of the visible state: edits, undo, added
    /// files, another split into catalogs.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns the catalogs, then the templates, then the rendered catalogs, each sorted by name.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Returns a root by its path in the session, or by a unique suffix of it. `None` names the
    /// only root.
    pub fn root(&self, name: Option<&str>) -> Result<&Root, Refused> {
        self.root_position(name).map(|at| &self.roots[at])
    }

    /// Returns the folders that were split into catalogs, or that the user keeps whole.
    pub fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// Returns all steps, oldest first; those after [`Session::applied_steps`] can be redone.
    pub fn history(&self) -> &[HistoryStep] {
        &self.log.steps
    }

    pub fn applied_steps(&self) -> usize {
        self.log.applied
    }

    fn root_position(&self, name: Option<&str>) -> Result<usize, Refused> {
        let Some(name) = name else {
            // Templates and their renderings come after the catalogs.
            return match self.roots.iter().filter(|root| root.is_catalog()).count() {
                1 => Ok(0),
                0 if self.roots.iter().filter(|root| root.is_template()).count() == 1 => Ok(0),
                _ => Err(
                    Refused::new("several catalogs are open, and the operation names none")
                        .help(self.root_names()),
                ),
            };
        };
        let name = name.trim_end_matches('/');
        if let Some(at) = self.roots.iter().position(|r| r.name == name) {
            return Ok(at);
        }
        let mut matches = self
            .roots
            .iter()
            .enumerate()
            .filter(|(_, r)| r.label() == name || ends_with_path(&r.name, name));
        match (matches.next(), matches.next()) {
            (Some((at, _)), None) => Ok(at),
            (Some(_), Some(_)) => {
                Err(refused!("more than one catalog is named `{name}`").help(self.root_names()))
            }
            _ => Err(refused!("no catalog `{name}` is open").help(self.root_names())),
        }
    }

    /// Returns the path of a file named by an operation: relative to a catalog, or by itself
    /// outside all catalogs.
    fn path_in(&self, catalog: Option<&str>, file: &str) -> Result<String, Refused> {
        if self.is_outside(catalog) {
            return Ok(file.to_owned());
        }
        Ok(self.roots[self.root_position(catalog)?].full_path(file))
    }

    /// Whether an operation names no catalog because its file is outside all catalogs, such as a
    /// `ci.yaml`.
    fn is_outside(&self, catalog: Option<&str>) -> bool {
        catalog == Some(OUTSIDE) && self.roots.iter().all(|root| root.name != OUTSIDE)
    }

    /// Lists the roots, for a refusal.
    fn root_names(&self) -> String {
        let names: Vec<String> = self.roots.iter().map(|r| format!("`{}`", r.name)).collect();
        format!("name one of {}", names.join(", "))
    }
}

impl OpenFiles {
    pub fn file_count(&self) -> usize {
        self.by_id.values().filter(|f| f.current.is_some()).count()
    }

    /// Returns the total size of all current files in bytes.
    pub fn byte_count(&self) -> u64 {
        self.by_id
            .values()
            .filter_map(|f| f.current.as_ref())
            .map(|v| v.pieces.len())
            .sum()
    }

    /// Returns the paths of all existing files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path
            .iter()
            .filter(move |(_, id)| self.by_id.get(id).is_some_and(|f| f.current.is_some()))
            .map(|(path, _)| path.as_str())
    }

    /// Returns the path of a file, and its current version.
    fn named_version(&self, id: FileId) -> Result<(&str, &Version), Refused> {
        let path = self.path_of(id);
        let version = self.version(id);
        let version = version.ok_or_else(|| refused!("`{path}` no longer exists"))?;
        Ok((path, version))
    }

    /// Returns the path of a file; "" for an unknown one.
    fn path_of(&self, id: FileId) -> &str {
        self.by_id.get(&id).map_or("", |file| &file.path)
    }

    fn version_at(&self, path: &str) -> Option<&Version> {
        self.version(*self.by_path.get(path)?)
    }

    fn version(&self, id: FileId) -> Option<&Version> {
        match self.by_id.get(&id) {
            Some(file) => file.current.as_ref(),
            None => self
                .rendered
                .values()
                .find(|rendered| rendered.id == id)?
                .file
                .current
                .as_ref(),
        }
    }
}

/// Whether `path` ends with the complete path components of `suffix`.
fn ends_with_path(path: &str, suffix: &str) -> bool {
    !suffix.is_empty()
        && path
            .strip_suffix(suffix)
            .is_some_and(|head| head.ends_with('/'))
}

/// Returns the positions of the catalogs among the roots.
fn catalog_positions(roots: &[Root]) -> impl Iterator<Item = usize> {
    (0..roots.len()).filter(|&at| roots[at].is_catalog())
}

/// Returns an id for a file that the session creates.
fn take_file_id(next: &mut u32) -> FileId {
    let id = FileId(*next);
    *next = next.saturating_add(1);
    id
}
