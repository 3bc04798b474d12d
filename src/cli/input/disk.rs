//! A folder on disk as a session.

use super::walk::{self, FoundFile};
use super::{Input, NAME, is_dash, read_span};
use crate::args::BundlesArgs;
use crate::error::{CliError, io_reason};
use crate::output;
use crate::output::problems::Incomplete;
use ::catalog::TreeEntry;
use ::catalog::index::index_bytes;
use ::catalog::model::{FileId, FileIndex, Package, Template};
use ::catalog::source::bytes::{ByteSource, ReadError};
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

/// An open folder.
pub(crate) struct Disk {
    folder: PathBuf,
    pub(crate) session: Session,
    /// The path on disk of each file, by its path in the session: writes follow links.
    places: BTreeMap<String, PathBuf>,
    /// The root of the open template.
    template: Option<String>,
}

impl Disk {
    /// Opens a folder, or standard input, as exactly one catalog. Warns if it is empty.
    pub(crate) fn open(folder: &Path) -> Result<Self, CliError> {
        let disk = Self::open_without_warning(folder)?;
        if disk.is_empty() {
            let files = disk.root()?.catalog().files().len();
            let what = if files == 0 {
                "has no files"
            } else {
                "has no catalog blobs"
            };
            let help = "expected for a new catalog; otherwise name the folder of one catalog";
            output::print_diagnostic("warning", &format!("{} {what}", disk.name()), None, help);
        }
        Ok(disk)
    }

    pub(crate) fn open_without_warning(folder: &Path) -> Result<Self, CliError> {
        match is_dash(folder) {
            true => Self::from_input(),
            false => Self::from_folder(folder),
        }
    }

    /// A catalog whose only file is standard input.
    fn from_input() -> Result<Self, CliError> {
        let input = Input::read()?;
        let entries = vec![input.file(NAME)];
        let session = session::open_one(NAME, entries, Rc::new(input));
        Ok(Self {
            folder: PathBuf::from(NAME),
            session,
            places: BTreeMap::new(),
            template: None,
        })
    }

    /// A catalog whose only file is not on disk: a rendered template.
    pub(crate) fn from_text(template: &Path, text: Vec<u8>) -> Self {
        let name = template.display().to_string();
        let input = Input::new(text);
        let entries = vec![input.file(&format!("{name} (rendered)"))];
        let session = session::open_one(&name, entries, Rc::new(input));
        Self {
            folder: template.to_path_buf(),
            session,
            places: BTreeMap::new(),
            template: None,
        }
    }

    fn from_folder(folder: &Path) -> Result<Self, CliError> {
        let found = walk::walk(folder)?;
        // Later changes of a file on disk are reported as changes by another program.
        let files = Files::new(&found, &Texts::new());
        let entries: Vec<TreeEntry> = walk::index(&found);
        Ok(Self::from_entries(folder, found, entries, files))
    }

    /// Opens indexed files as one catalog. `texts` replace files of the same path.
    pub(crate) fn from_files(
        folder: &Path,
        found: Vec<FoundFile>,
        entries: Vec<TreeEntry>,
        texts: &Texts,
    ) -> Self {
        let files = Files::new(&found, texts);
        Self::from_entries(folder, found, entries, files)
    }

    fn from_entries(
        folder: &Path,
        found: Vec<FoundFile>,
        entries: Vec<TreeEntry>,
        files: Files,
    ) -> Self {
        let session = session::open_one(&folder.display().to_string(), entries, Rc::new(files));
        let places = found.into_iter().map(|f| (f.path, f.on_disk)).collect();
        Self {
            folder: folder.to_path_buf(),
            session,
            places,
            template: None,
        }
    }

    /// Opens the text of a file as a template. Without a root if it is not one.
    pub(crate) fn from_template(path: &Path, text: &Arc<str>, index: Arc<FileIndex>) -> Self {
        Self::from_file_text(path, text, index, |entry, files| {
            session::open_template(entry, Rc::new(files))
        })
    }

    /// Opens the text of a file as a catalog without other files.
    pub(crate) fn from_lone_file(path: &Path, text: &Arc<str>, index: Arc<FileIndex>) -> Self {
        let name = path.display().to_string();
        Self::from_file_text(path, text, index, |entry, files| {
            session::open_one(&name, vec![entry], Rc::new(files))
        })
    }

    fn from_file_text(
        path: &Path,
        text: &Arc<str>,
        index: Arc<FileIndex>,
        open: impl FnOnce(TreeEntry, Files) -> Session,
    ) -> Self {
        let found = vec![walk::file(path)];
        let texts: Texts = found
            .iter()
            .map(|file| (file.path.clone(), text.clone()))
            .collect();
        let files = Files::new(&found, &texts);
        let path_in = found
            .first()
            .map_or_else(String::new, |file| file.path.clone());
        let entry = TreeEntry {
            id: FileId(0),
            path: path_in,
            content: Content::Indexed(index),
        };
        let session = open(entry, files);
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let places = found.into_iter().map(|f| (f.path, f.on_disk)).collect();
        Self {
            folder,
            session,
            places,
            template: None,
        }
    }

    /// Whether the catalog passes without any blob in a file that counts.
    pub(crate) fn is_empty(&self) -> bool {
        let Ok(root) = self.root() else { return false };
        let catalog = root.catalog();
        let has_blobs =
            |file: &CatalogFile| file.index().is_some_and(|index| !index.blobs.is_empty());
        root.verdict().passed
            && !catalog
                .files()
                .iter()
                .any(|file| !file.ignored && has_blobs(file))
    }

    /// The folder as given on the command line.
    pub(crate) fn name(&self) -> String {
        self.folder.display().to_string()
    }

    /// Opens a folder as one catalog, a file of blobs as a catalog of its own, or a template file: alone, or with its
    /// rendered catalog if bundles are given.
    pub(crate) fn open_any(path: &Path, bundles: &BundlesArgs) -> Result<Self, CliError> {
        if !path.is_file() {
            return Self::open(path);
        }
        let found = vec![walk::file(path)];
        let files = Files::new(&found, &Texts::new());
        let Some(entry) = walk::index(&found).pop() else {
            return Self::open(path);
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let is_template = matches!(&entry.content, Content::Indexed(index) if template::template_of_file(index).is_some());
        if !is_template {
            let disk = Self::from_entries(&folder, found, vec![entry], files);
            if disk.root()?.catalog().packages().next().is_none() {
                return Err(CliError::new(format!(
                    "`{}` is not a template, and has no blob of a package",
                    path.display()
                ))
                .hint("name the folder of one catalog, or a file of blobs or with the schema of a template"));
            }
            return Ok(disk);
        }
        let template = entry.path.clone();
        let session = match bundles.is_empty() {
            true => session::open_template(entry, Rc::new(files)),
            false => beside_bundles(path, entry, files, bundles)?,
        };
        let places = found.into_iter().map(|f| (f.path, f.on_disk)).collect();
        Ok(Self {
            folder,
            session,
            places,
            template: Some(template),
        })
    }

    /// The root of the template, which operations target; `None` if a catalog is open.
    pub(crate) fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    /// The template's rendered catalog, if open.
    pub(crate) fn rendered_root(&self) -> Option<&Root> {
        self.session
            .roots()
            .iter()
            .find(|root| root.rendering().is_some())
    }

    pub(crate) fn root(&self) -> Result<&Root, CliError> {
        Ok(self.session.root(self.template())?)
    }

    pub(crate) fn folder(&self) -> &Path {
        if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        }
    }

    /// The path on disk of an existing or new file of the session.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        if let Some(place) = self.places.get(path) {
            return place.clone();
        }
        // A folder's name need not be UTF-8: place a new file beside its neighbors.
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let beside =
            |other: &str| other.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
        let neighbor = self
            .places
            .iter()
            .find(|(other, _)| beside(other))
            .and_then(|(_, place)| place.parent());
        neighbor.map_or_else(|| self.folder().join(path), |folder| folder.join(name))
    }
}

/// A template beside catalogs with the given bundles, and its rendered catalog.
fn beside_bundles(
    path: &Path,
    entry: TreeEntry,
    file: Files,
    bundles: &BundlesArgs,
) -> Result<Session, CliError> {
    let template = entry.path.clone();
    let references = match &entry.content {
        Content::Indexed(index) => {
            template::template_of_file(index).map_or_else(Vec::new, source_lines::references)
        }
        _ => Vec::new(),
    };
    let known = bundles.read()?.into_catalog_files(&references);
    let known = known.map_err(|message| CliError::new(format!("{}: {message}", path.display())))?;
    let mut entries: Vec<TreeEntry> = known
        .iter()
        .enumerate()
        .map(|(at, file): (usize, &bundle::File)| {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            let content = Content::Indexed(Arc::new(index_bytes(&file.bytes)));
            TreeEntry {
                id: file_id(at),
                path: format!("{BUNDLES}/{at}/{name}"),
                content,
            }
        })
        .collect();
    entries.push(entry);
    let memory = known.into_iter().map(|file| file.bytes).collect();
    let source = Rc::new(TemplateAndBundles {
        template: file,
        bundles: memory,
    });
    let mut session = match (entries.len(), entries.pop()) {
        (1, Some(entry)) => session::open_template(entry, source),
        (_, last) => {
            entries.extend(last);
            let mut session = session::open(entries, source);
            session.treat_as_one(BUNDLES, true);
            session
        }
    };
    if session.root(Some(&template)).is_ok_and(|root: &Root| {
        root.template()
            .is_some_and(|of| !matches!(of, Template::Composite))
    }) {
        session.show_rendered(&template)?;
    }
    Ok(session)
}

fn file_id(at: usize) -> FileId {
    FileId(at as u32 + 1)
}

/// The session folder of bundles; no template has this name.
const BUNDLES: &str = "--bundles";

/// A template on disk, and the files of catalogs with its bundles, numbered from 1.
struct TemplateAndBundles {
    template: Files,
    bundles: Vec<Vec<u8>>,
}

impl ByteSource for TemplateAndBundles {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(id, span): &(FileId, Range<u64>)| match (id.0 as usize).checked_sub(1) {
            None => self.template.read_span(*id, span),
            Some(at) => {
                let bytes = self.bundles.get(at).map_or(&[][..], Vec::as_slice);
                read_span(bytes, span, || format!("file {at} of the bundles"))
            }
        };
        spans.iter().map(read).collect()
    }
}
/// Texts that replace files, by path in the session: the open documents of an editor.
pub(crate) type Texts = BTreeMap<String, Arc<str>>;

/// The indexed files, to be reread.
struct Files(Vec<OpenedFile>);

struct OpenedFile {
    path: PathBuf,
    as_indexed: Option<Stamp>,
    /// Replaces the file on disk.
    text: Option<Arc<str>>,
}

/// Size and modification time, to detect that a file on disk has changed.
pub(crate) type Stamp = (u64, Option<SystemTime>);

impl Files {
    fn new(found: &[FoundFile], texts: &Texts) -> Self {
        Self(
            found
                .iter()
                .map(|found: &FoundFile| OpenedFile {
                    path: found.on_disk.clone(),
                    as_indexed: stamp_of(&found.on_disk),
                    text: texts.get(&found.path).cloned(),
                })
                .collect(),
        )
    }
}

impl ByteSource for Files {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(id, span): &(FileId, Range<u64>)| self.read_span(*id, span);
        spans.iter().map(read).collect()
    }
}

impl Files {
    fn read_span(&self, id: FileId, span: &Range<u64>) -> Result<Vec<u8>, ReadError> {
        let Some(opened) = self.0.get(id.0 as usize) else {
            return Err(ReadError::Failed {
                path: format!("file {}", id.0),
                reason: "not open".to_owned(),
            });
        };
        let path = opened.path.display().to_string();
        if let Some(text) = &opened.text {
            let bytes = text.as_bytes().get(span.start as usize..span.end as usize);
            return bytes.map(<[u8]>::to_vec).ok_or(ReadError::Changed { path });
        }
        let failed = |error: std::io::Error| ReadError::Failed {
            path: path.clone(),
            reason: io_reason(&error),
        };
        let mut file = File::open(&opened.path).map_err(failed)?;
        if file.metadata().ok().map(|m| stamp(&m)) != opened.as_indexed {
            return Err(ReadError::Changed { path });
        }
        file.seek(SeekFrom::Start(span.start)).map_err(failed)?;
        let mut bytes = vec![0; (span.end - span.start) as usize];
        file.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// The stamp of a file; `None` if it does not exist.
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
        CliError::new(format!("package \"{name}\" not found")).hint(did_you_mean(
            name,
            names,
            "`switchyard list packages DIR` lists them",
        ))
    })
}

/// The given packages; without any, all that meet `counts`. The error about an unknown name includes unreadable parts
/// of the catalog, which may contain it.
pub(crate) fn packages<'a>(
    catalog: &'a Catalog,
    names: &[&str],
    counts: fn(&Package) -> bool,
    (incomplete, is_accepted): (&Incomplete, bool),
) -> Result<Vec<&'a Package>, CliError> {
    if names.is_empty() {
        return Ok(catalog
            .packages()
            .map(|p| &**p)
            .filter(|p| counts(p))
            .collect());
    }
    names
        .iter()
        .map(|name| package(catalog, name))
        .collect::<Result<_, _>>()
        .inspect_err(|_| {
            incomplete.report(is_accepted, 0);
        })
}

/// The package of this name; without a name, the only one.
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

/// The name of the only package; otherwise an error that lists the packages. `subject` begins its message, such as
/// `the catalog has`.
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
        (None, _) => Err(CliError::new(format!("{subject} no package"))
            .hint("name the folder of a catalog that has packages")),
        (Some(_), count) => {
            let mut listed: Vec<&str> = names.iter().copied().take(NAMED).collect();
            if count > NAMED {
                listed.push("…");
            }
            let hint = format!(
                "name one after DIR, or with --package: {}",
                listed.join(", ")
            );
            Err(CliError::new(format!("{subject} {count} packages, and none was named")).hint(hint))
        }
    }
}

/// Most packages that an error message lists.
const NAMED: usize = 12;
