//! Opens a folder on disk as a session.

use super::walk::{self, FoundFile};
use super::{STDIN_NAME, is_dash, read_stdin};
use crate::args::BundlesArgs;
use crate::error::{CliError, io_reason};
use crate::output::problems::Incomplete;
use crate::{output, write};
use ::catalog::TreeEntry;
use ::catalog::index::index_bytes;
use ::catalog::model::{FileId, FileIndex, Package, Template};
use ::catalog::source::{ByteSource, ReadError};
use ::catalog::{Catalog, CatalogFile, Content};
use session::{self, Root, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;
use syntax::did_you_mean::did_you_mean;
use template::{self, source_lines};

/// The session folder of bundles; no template has this name.
const BUNDLE_FOLDER: &str = "--bundles";
/// At most this many packages are listed in an error message.
const MAX_NAMES: usize = 12;

/// A catalog, or a template with its rendered catalog, that is open as a session.
pub(crate) struct Disk {
    folder: PathBuf,
    pub session: Session,
    /// The path on disk of each file, by its path in the session.
    paths_on_disk: BTreeMap<String, PathBuf>,
    /// The root of the open template.
    template: Option<String>,
}

impl Disk {
    /// Opens a folder, or standard input, as exactly one catalog. Warns if it is empty.
    pub fn open(folder: &Path) -> Result<Self, CliError> {
        let disk = Self::open_without_warning(folder)?;
        if disk.is_empty() {
            let files = disk.root()?.catalog().files().len();
            let problem = if files == 0 {
                "has no files"
            } else {
                "has no catalog blobs"
            };
            let help = "expected for a new catalog; otherwise name the folder of one catalog";
            output::print_diagnostic("warning", &format!("{} {problem}", disk.name()), None, help);
        } else if disk.has_only_templates()? {
            let message = format!("{} has templates and no catalog", disk.name());
            let help = "to check what a template renders to, name its file, and its bundles with --bundles";
            output::print_diagnostic("warning", &message, None, help);
        }
        Ok(disk)
    }

    pub fn open_without_warning(folder: &Path) -> Result<Self, CliError> {
        if is_dash(folder) {
            let bytes = read_stdin()?;
            Ok(Self::in_memory(Path::new(STDIN_NAME), STDIN_NAME, bytes))
        } else {
            Self::from_folder(folder)
        }
    }

    /// Opens a catalog whose only file is a rendered template, which is not on disk.
    pub fn from_text(template: &Path, text: Vec<u8>) -> Self {
        let file = format!("{} (rendered)", template.display());
        Self::in_memory(template, &file, text)
    }

    fn in_memory(folder: &Path, file: &str, bytes: Vec<u8>) -> Self {
        let entry = indexed(0, file.to_owned(), Arc::new(index_bytes(&bytes)));
        let files = Files(vec![FileSource::InMemory(bytes.into())]);
        let name = folder.display().to_string();
        let session = session::open_one(&name, vec![entry], Rc::new(files));
        Self::new(folder, session, Vec::new())
    }

    fn new(folder: &Path, session: Session, found: Vec<FoundFile>) -> Self {
        Self {
            folder: folder.to_path_buf(),
            session,
            paths_on_disk: found
                .into_iter()
                .map(|file| (file.path, file.on_disk))
                .collect(),
            template: None,
        }
    }

    fn from_folder(folder: &Path) -> Result<Self, CliError> {
        let found = walk::walk(folder)?;
        write::report_leftovers(folder, found.iter().map(|file| &file.on_disk));
        let sources = sources_on_disk(&found);
        let entries = walk::index(&found);
        Ok(Self::from_entries(folder, found, entries, sources))
    }

    fn from_entries(
        folder: &Path,
        found: Vec<FoundFile>,
        entries: Vec<TreeEntry>,
        sources: Vec<FileSource>,
    ) -> Self {
        let name = folder.display().to_string();
        let session = session::open_one(&name, entries, Rc::new(Files(sources)));
        Self::new(folder, session, found)
    }

    /// Opens indexed files as one catalog. `texts` replace files of the same path.
    pub fn from_files(
        folder: &Path,
        found: Vec<FoundFile>,
        entries: Vec<TreeEntry>,
        texts: &Texts,
    ) -> Self {
        let mut sources = sources_on_disk(&found);
        for (file, source) in found.iter().zip(&mut sources) {
            if let Some(text) = texts.get(&file.path) {
                *source = FileSource::InMemory(text.clone().into());
            }
        }
        Self::from_entries(folder, found, entries, sources)
    }

    /// Opens a file's text as a template, or as a catalog of one file. A text that is not a
    /// template has no root.
    pub fn from_file(
        path: &Path,
        text: &Arc<str>,
        index: Arc<FileIndex>,
        is_template: bool,
    ) -> Self {
        let found = walk::file(path);
        let entry = indexed(0, found.path.clone(), index);
        let files = Rc::new(Files(vec![FileSource::InMemory(text.clone().into())]));
        let session = if is_template {
            session::open_template(entry, files)
        } else {
            session::open_one(&path.display().to_string(), vec![entry], files)
        };
        Self::new(path.parent().unwrap_or(path), session, vec![found])
    }

    /// Whether the catalog passes and has no blobs, except in ignored files.
    pub fn is_empty(&self) -> bool {
        let Ok(root) = self.root() else { return false };
        let catalog = root.catalog();
        let has_blobs = |file: &CatalogFile| {
            !file.ignored && file.index().is_some_and(|index| !index.blobs.is_empty())
        };
        root.verdict().passed && !catalog.files().iter().any(has_blobs)
    }

    /// Whether the catalog has templates and no packages. For `opm` these are blobs of an unknown
    /// schema, so it may pass.
    fn has_only_templates(&self) -> Result<bool, CliError> {
        let catalog = self.root()?.catalog();
        let is_template = |file: &CatalogFile| {
            let index = file.index();
            index.is_some_and(|index| template::template_of_file(index).is_some())
        };
        Ok(catalog.included_files().any(is_template)
            && catalog.packages().all(|package| package.name.is_empty()))
    }

    /// Returns the folder as given on the command line.
    pub fn name(&self) -> String {
        self.folder.display().to_string()
    }

    /// Opens a folder as one catalog, a file of blobs as a catalog of its own, or a template file:
    /// alone, or with its rendered catalog if bundles are given.
    pub fn open_any(path: &Path, bundles: &BundlesArgs) -> Result<Self, CliError> {
        if !path.is_file() {
            return Self::open(path);
        }
        let found = vec![walk::file(path)];
        let sources = sources_on_disk(&found);
        let Some(entry) = walk::index(&found).pop() else {
            return Self::open(path);
        };
        let folder = path.parent().unwrap_or(path);
        let is_template = matches!(&entry.content, Content::Indexed(index) if template::template_of_file(index).is_some());
        if !is_template {
            let disk = Self::from_entries(folder, found, vec![entry], sources);
            if disk.root()?.catalog().packages().next().is_none() {
                return Err(cli_error!(
                    "`{}` is not a template, and has no blob of a package",
                    path.display()
                )
                .hint("name the folder of one catalog, or a file of blobs or with the schema of a template"));
            }
            return Ok(disk);
        }
        let template = entry.path.clone();
        let session = if bundles.is_empty() {
            session::open_template(entry, Rc::new(Files(sources)))
        } else {
            open_with_bundles(path, entry, sources, bundles)?
        };
        Ok(Self {
            template: Some(template),
            ..Self::new(folder, session, found)
        })
    }

    /// Returns the root of the template, which operations target; `None` if a catalog is open.
    pub fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    pub fn rendered_root(&self) -> Option<&Root> {
        self.session
            .roots()
            .iter()
            .find(|root| root.rendering().is_some())
    }

    pub fn root(&self) -> Result<&Root, CliError> {
        Ok(self.session.root(self.template())?)
    }

    pub fn folder(&self) -> &Path {
        if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        }
    }

    /// Returns the path on disk of an existing or new file of the session.
    pub fn path_on_disk(&self, path: &str) -> PathBuf {
        let existing = self.paths_on_disk.get(path).cloned();
        existing.unwrap_or_else(|| self.folder().join(path))
    }
}

/// Opens a template with its rendered catalog, beside a catalog of the user's bundles. `sources`
/// contains the template's file.
fn open_with_bundles(
    path: &Path,
    entry: TreeEntry,
    mut sources: Vec<FileSource>,
    bundles: &BundlesArgs,
) -> Result<Session, CliError> {
    let template = entry.path.clone();
    let references = match &entry.content {
        Content::Indexed(index) => {
            template::template_of_file(index).map_or_else(Vec::new, source_lines::references)
        }
        _ => Vec::new(),
    };
    let bundle_files = bundles
        .read()?
        .into_catalog_files(&references)
        .map_err(|message| cli_error!("{}: {message}", path.display()))?;
    let mut entries = Vec::new();
    for (number, file) in bundle_files.into_iter().enumerate() {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let path = format!("{BUNDLE_FOLDER}/{number}/{name}");
        entries.push(indexed(
            sources.len(),
            path,
            Arc::new(index_bytes(&file.bytes)),
        ));
        sources.push(FileSource::InMemory(file.bytes.into()));
    }
    let source = Rc::new(Files(sources));
    let mut session = if entries.is_empty() {
        session::open_template(entry, source)
    } else {
        entries.push(entry);
        let mut session = session::open(entries, source);
        session.treat_as_one(BUNDLE_FOLDER, true);
        session
    };
    let root = session.root(Some(&template)).ok();
    let parsed = root.and_then(|root| root.template());
    let can_render = parsed.is_some_and(|parsed| !matches!(parsed, Template::Composite));
    if can_render {
        session.show_rendered(&template)?;
    }
    Ok(session)
}

fn indexed(id: usize, path: String, index: Arc<FileIndex>) -> TreeEntry {
    TreeEntry {
        id: FileId(id as u32),
        path,
        content: Content::Indexed(index),
    }
}

/// Texts that replace files, by path in the session: the open documents of an editor.
pub(crate) type Texts = BTreeMap<String, Arc<str>>;

/// The sources of the indexed files, for reading them again.
struct Files(Vec<FileSource>);

enum FileSource {
    /// Later changes of the file are reported as changes by another program.
    OnDisk {
        path: PathBuf,
        /// The stamp when the file was indexed.
        as_indexed: Option<Stamp>,
    },
    InMemory(Arc<[u8]>),
}

/// Size and modification time, to detect that a file on disk has changed.
pub(crate) type Stamp = (u64, Option<SystemTime>);

fn sources_on_disk(found: &[FoundFile]) -> Vec<FileSource> {
    let source = |found: &FoundFile| FileSource::OnDisk {
        path: found.on_disk.clone(),
        as_indexed: stamp_of(&found.on_disk),
    };
    found.iter().map(source).collect()
}

impl ByteSource for Files {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(id, span): &(FileId, Range<u64>)| self.read_span(*id, span);
        spans.iter().map(read).collect()
    }
}

impl Files {
    fn read_span(&self, id: FileId, span: &Range<u64>) -> Result<Vec<u8>, ReadError> {
        let not_open = || ReadError::Failed {
            path: format!("file {}", id.0),
            reason: "not open".to_owned(),
        };
        let (path_on_disk, as_indexed) = match self.0.get(id.0 as usize).ok_or_else(not_open)? {
            FileSource::OnDisk { path, as_indexed } => (path, as_indexed),
            FileSource::InMemory(bytes) => {
                let piece = bytes.get(span.start as usize..span.end as usize);
                return piece.map(<[u8]>::to_vec).ok_or_else(not_open);
            }
        };
        let path = path_on_disk.display().to_string();
        let failed = |error: std::io::Error| ReadError::Failed {
            path: path.clone(),
            reason: io_reason(&error),
        };
        let mut file = File::open(path_on_disk).map_err(failed)?;
        if file.metadata().ok().map(|metadata| stamp(&metadata)) != *as_indexed {
            return Err(ReadError::Changed { path });
        }
        file.seek(SeekFrom::Start(span.start)).map_err(failed)?;
        let mut bytes = vec![0; (span.end - span.start) as usize];
        file.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// Returns the stamp of a file; `None` if it does not exist.
pub(crate) fn stamp_of(path: &Path) -> Option<Stamp> {
    std::fs::metadata(path)
        .ok()
        .map(|metadata| stamp(&metadata))
}

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

/// Finds a package of a catalog; the error suggests similar names.
pub(crate) fn package<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Package, CliError> {
    catalog.package(name).map(|p| &**p).ok_or_else(|| {
        let names = catalog.packages().map(|p| &*p.name);
        cli_error!("package \"{name}\" not found").hint(did_you_mean(
            name,
            names,
            "`switchyard list packages DIR` lists them",
        ))
    })
}

/// Finds the packages of these names; without names, all that satisfy `is_relevant`. The error
/// about an unknown name includes unreadable parts of the catalog, which may contain it.
/// `is_partial_accepted` is the option `--partial`.
pub(crate) fn packages<'a>(
    catalog: &'a Catalog,
    names: &[&str],
    is_relevant: fn(&Package) -> bool,
    incomplete: &Incomplete,
    is_partial_accepted: bool,
) -> Result<Vec<&'a Package>, CliError> {
    if names.is_empty() {
        return Ok(catalog
            .packages()
            .map(|p| &**p)
            .filter(|package| is_relevant(package))
            .collect());
    }
    names
        .iter()
        .map(|name| package(catalog, name))
        .collect::<Result<_, _>>()
        .inspect_err(|_| {
            incomplete.report(is_partial_accepted, 0);
        })
}

/// Finds the package of this name; without a name, the only one.
pub(crate) fn chosen_package<'a>(
    catalog: &'a Catalog,
    name: Option<&str>,
) -> Result<&'a Package, CliError> {
    match name {
        Some(name) => package(catalog, name),
        None => package(
            catalog,
            only_package(catalog.packages(), "the catalog has")?,
        ),
    }
}

/// Returns the name of the only package; otherwise an error that lists the packages. `subject`
/// starts the message, such as `the catalog has`.
pub(crate) fn only_package<'a>(
    packages: impl Iterator<Item = &'a Arc<Package>>,
    subject: &str,
) -> Result<&'a str, CliError> {
    // A template's bundle that is only an image has no package yet.
    let names: BTreeSet<&str> = packages
        .map(|package| &*package.name)
        .filter(|name| !name.is_empty())
        .collect();
    let mut all = names.iter();
    match (all.next(), names.len()) {
        (Some(only), 1) => Ok(only),
        (None, _) => Err(cli_error!("{subject} no package")
            .hint("name the folder of a catalog that has packages")),
        (Some(_), count) => {
            let mut listed: Vec<&str> = names.iter().copied().take(MAX_NAMES).collect();
            if count > MAX_NAMES {
                listed.push("…");
            }
            let hint = format!(
                "name one after DIR, or with --package: {}",
                listed.join(", ")
            );
            Err(cli_error!("{subject} {count} packages, and none was named").hint(hint))
        }
    }
}
