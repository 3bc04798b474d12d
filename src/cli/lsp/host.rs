//! The disk side of the language server: finds the folder of an open file, reads it on a separate thread, and reopens it
//! after each change; only changed files are read and indexed again.

use super::transport::Incoming;
use crate::input::config_file;
use crate::input::disk::{Disk, Stamp, Texts, stamp_of};
use crate::input::walk::{self, FoundFile};
use ::catalog::ignore::FILE_NAME as IGNORE_FILE;
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use ::catalog::roots::openshift_version;
use ::catalog::{Content, TreeEntry};
use language_server::{Buffers, Extent, Host, NotRead, Source, is_of_catalog, name_in, plain};
use lsp_types::Uri;
use session::Session;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

/// How long an answer waits for a folder that is being read. Then it is sent without the folder.
const READING: Duration = Duration::from_secs(3);

/// Reads catalogs from disk.
pub(super) struct DiskHost {
    /// Wakes the server when a folder has been read.
    folder_read: SyncSender<Incoming>,
}

impl DiskHost {
    pub(super) fn new(folder_read: SyncSender<Incoming>) -> Self {
        Self { folder_read }
    }
}

impl Host for DiskHost {
    fn path(&self, uri: &Uri) -> Option<PathBuf> {
        let rest = uri.as_str().strip_prefix("file://")?;
        // The host is empty or this machine, so skip it.
        let path = &rest[rest.find('/')?..];
        let path = path.split(['?', '#']).next()?;
        // File names cannot contain a zero byte.
        let bytes = walk::percent_decode(path).filter(|bytes| !bytes.contains(&0))?;
        let path = as_path(bytes)?;
        Some(plain(&without_drive_slash(path)))
    }

    fn text(&self, path: &Path) -> Option<String> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_TEXT {
            return None;
        }
        if metadata.len() == 0 {
            return Some(String::new());
        }
        let bytes = std::fs::read(path).ok()?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Chooses the innermost given folder, else the nearest ancestor named after an OpenShift version, else the highest
    /// one that holds only catalog files, directly or in subfolders. Without `top`, the file may be in a home or system
    /// folder. So only the version's folder and the file's own are candidates, and all files below must be catalog
    /// files.
    fn find_folder(&self, file: &Path, given: &[PathBuf], top: Option<&Path>) -> Option<PathBuf> {
        let mut search = Search::start();
        let own = file.parent().unwrap_or(file);
        if let Some(given) = given
            .iter()
            .filter(|folder: &&PathBuf| file.starts_with(folder))
            .max_by_key(|folder| folder.components().count())
        {
            return Some(given.clone());
        }
        let inside: Vec<&Path> = own
            .ancestors()
            .take_while(|folder| top.is_none_or(|top| folder.starts_with(top)))
            .collect();
        let version = inside
            .iter()
            .find(|folder: &&&Path| {
                folder
                    .file_name()
                    .and_then(|name| name.to_str())
                    .is_some_and(|name| openshift_version(name).is_some())
            })
            .copied();
        if top.is_none() {
            let mut candidates = version.into_iter().chain([own]);
            return candidates
                .find(|folder| search.is_all_catalogs(folder))
                .map(Path::to_path_buf);
        }
        if let Some(version) = version {
            return Some(version.to_path_buf());
        }
        let mut catalog = own;
        for folder in inside.into_iter().skip(1) {
            if is_marked(catalog, folder) || !search.holds_only_catalogs(folder) {
                break;
            }
            catalog = folder;
        }
        Some(catalog.to_path_buf())
    }

    fn catalog(&self, place: &Path, extent: Extent, is_named: bool) -> Box<dyn Source> {
        Box::new(DiskCatalog {
            place: place.to_path_buf(),
            extent,
            is_named,
            disk: None,
            file: None,
            known: KnownFiles::new(),
            reading: None,
            folder_read: self.folder_read.clone(),
        })
    }
}

/// A catalog on disk. A folder is read on another thread.
struct DiskCatalog {
    /// The folder or file.
    place: PathBuf,
    extent: Extent,
    is_named: bool,
    disk: Option<Disk>,
    /// The index of the file, unless the catalog is a folder.
    file: Option<Arc<FileIndex>>,
    known: KnownFiles,
    reading: Option<Reading>,
    folder_read: SyncSender<Incoming>,
}

impl Source for DiskCatalog {
    fn reopen(&mut self, buffers: &Buffers) {
        self.disk = None;
        if self.extent == Extent::Folder {
            let reader = FolderReader {
                folder: self.place.clone(),
                texts: self.texts(buffers),
                known: std::mem::take(&mut self.known),
                is_named: self.is_named,
            };
            self.reading = Some(Reading::start(reader, self.folder_read.clone()));
        }
    }

    fn wait(&mut self, buffers: &Buffers) -> Option<Result<(), NotRead>> {
        let disk = match &self.reading {
            None => self.open_file(buffers),
            Some(reading) => {
                let content = reading.wait()?;
                self.reading = None;
                content.map(|content| {
                    self.known = content.known;
                    let (found, entries) = (content.found, content.entries);
                    Some(Disk::from_files(
                        &self.place,
                        found,
                        entries,
                        &content.texts,
                    ))
                })
            }
        };
        Some(disk.and_then(|disk| self.configure(disk, buffers)))
    }

    fn session(&self) -> Option<&Session> {
        self.disk.as_ref().map(|disk| &disk.session)
    }

    fn session_mut(&mut self) -> Option<&mut Session> {
        self.disk.as_mut().map(|disk| &mut disk.session)
    }

    fn template(&self) -> Option<&FileIndex> {
        self.file.as_deref()
    }

    fn place(&self, file: &str) -> Option<PathBuf> {
        self.disk.as_ref().map(|disk| disk.place(file))
    }
}

impl DiskCatalog {
    /// Opens a file's buffer as a template or a catalog; `None` if it was closed.
    fn open_file(&mut self, buffers: &Buffers) -> Result<Option<Disk>, NotRead> {
        let Some(buffer) = buffers.get(&self.place) else {
            return Ok(None);
        };
        let index = Arc::new(index_bytes(buffer.text().as_bytes()));
        self.file = Some(index.clone());
        let is_template = self.extent == Extent::Template;
        let disk = Disk::from_file(&self.place, buffer.text(), index, is_template);
        Ok(Some(disk))
    }

    /// Stores the opened catalog, with the advice that its configuration requests.
    fn configure(&mut self, disk: Option<Disk>, buffers: &Buffers) -> Result<(), NotRead> {
        let Some(mut disk) = disk else { return Ok(()) };
        let folder = self.extent.folder(&self.place);
        let config = config_file::path(folder, None);
        let is_config = |path: &Path| {
            let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            config.as_deref() == Some(whole.as_path())
        };
        let advice = match buffers.iter().find(|(path, _)| is_config(path)) {
            Some((path, buffer)) => config_file::advice_of_text(folder, path, buffer.text()),
            None => config_file::advice(folder, None, None)
                .map_err(|error| NotRead::Failed(error.message()))?,
        };
        disk.session.set_advice_source(advice);
        self.disk = Some(disk);
        Ok(())
    }

    /// Returns the buffers of the catalog's files, by path in the catalog.
    fn texts(&self, buffers: &Buffers) -> Texts {
        let below = buffers
            .range(self.place.clone()..)
            .take_while(|(path, _)| path.starts_with(&self.place));
        below
            .filter_map(|(path, buffer)| Some((name_in(&self.place, path)?, buffer.text().clone())))
            .collect()
    }
}

/// Number of bytes at the start of a file that suffice to recognize a catalog file.
const HEAD: u64 = 64 * 1024;

/// Whether `above` is a repository or contains the catalog's Dockerfile, so that the catalog ends below it.
fn is_marked(catalog: &Path, above: &Path) -> bool {
    let name = catalog.file_name().unwrap_or_default().to_string_lossy();
    above.join(".git").exists() || above.join(format!("{name}.Dockerfile")).exists()
}

/// Searches folders within limits, because it runs on the thread that answers.
struct Search {
    /// Number of files and folders that may still be visited.
    left: usize,
    until: Instant,
}

impl Search {
    fn start() -> Self {
        Self {
            left: 10_000,
            until: Instant::now() + Duration::from_secs(2),
        }
    }

    /// Whether the folder holds nothing that `opm` would read and refuse, and each subfolder has catalog files.
    fn holds_only_catalogs(&mut self, folder: &Path) -> bool {
        self.is_catalogs(folder, Self::has_catalog_file)
    }

    /// Whether a folder holds only catalog files, at any depth.
    fn is_all_catalogs(&mut self, folder: &Path) -> bool {
        self.is_catalogs(folder, Self::is_all_catalogs)
    }

    /// Whether a folder holds only catalog files and subfolders that meet a condition. Ignores hidden files.
    fn is_catalogs(&mut self, folder: &Path, condition: fn(&mut Self, &Path) -> bool) -> bool {
        self.all_entries(
            folder,
            |search, path, is_folder, is_hidden| match is_folder {
                true => !is_hidden && condition(search, path),
                false => is_hidden || is_catalog_file(path),
            },
        )
    }

    fn has_catalog_file(&mut self, folder: &Path) -> bool {
        let mut found = false;
        self.all_entries(folder, |_, path, _, _| {
            found = is_catalog_file(path);
            !found
        });
        found
    }

    /// Whether all entries of a folder satisfy a condition. Its arguments are the path, whether it is a folder, and
    /// whether it is hidden. `false` if a limit is exceeded.
    fn all_entries(
        &mut self,
        folder: &Path,
        mut condition: impl FnMut(&mut Self, &Path, bool, bool) -> bool,
    ) -> bool {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return false;
        };
        for entry in entries {
            self.left = self.left.saturating_sub(1);
            let Ok(entry) = entry else { return false };
            if self.left == 0 || Instant::now() > self.until {
                return false;
            }
            // Links to folders are not followed, as in `opm`.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !condition(self, &entry.path(), is_folder, is_hidden) {
                return false;
            }
        }
        true
    }
}

fn is_catalog_file(path: &Path) -> bool {
    // Opening a pipe would block until another program writes to it.
    if !path
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
    {
        return false;
    }
    let mut head = Vec::new();
    File::open(path).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok())
        && is_of_catalog(&String::from_utf8_lossy(&head))
}

/// Limits for a folder that the user did not name. Catalogs have up to a few thousand files and 350 MB.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 512 << 20;
const MAX_TIME: Duration = Duration::from_secs(20);
/// Most bytes of a file that is read as text without being indexed.
const MAX_TEXT: u64 = 64 << 20;

/// The content of each file, with the version that it was read from.
type KnownFiles = BTreeMap<PathBuf, (Version, Content)>;

/// The state of a file from which its content was read.
#[derive(Debug, Clone)]
enum Version {
    Buffer(Arc<str>),
    OnDisk(Stamp),
}

impl Version {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Version::Buffer(a), Version::Buffer(b)) => Arc::ptr_eq(a, b) || a == b,
            (Version::OnDisk(a), Version::OnDisk(b)) => a == b,
            _ => false,
        }
    }
}

/// A folder to read.
struct FolderReader {
    folder: PathBuf,
    /// The editor's buffers for files in the folder.
    texts: Texts,
    known: KnownFiles,
    /// Whether the user named the folder, which is then read without limits.
    is_named: bool,
}

/// The content of a folder.
struct FolderContent {
    found: Vec<FoundFile>,
    entries: Vec<TreeEntry>,
    texts: Texts,
    known: KnownFiles,
}

struct Reading {
    since: Instant,
    result: Receiver<Result<FolderContent, NotRead>>,
}

impl Reading {
    fn start(reader: FolderReader, done: SyncSender<Incoming>) -> Self {
        let (sender, result) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = sender.send(reader.read());
            let _ = done.send(Incoming::FolderRead);
        });
        Self {
            since: Instant::now(),
            result,
        }
    }

    /// Waits for the content of the folder; `None` if it takes longer than [`READING`].
    fn wait(&self) -> Option<Result<FolderContent, NotRead>> {
        let left = READING.saturating_sub(self.since.elapsed());
        match self.result.recv_timeout(left) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(NotRead::Failed(
                "reading the folder stopped".to_owned(),
            ))),
        }
    }
}

impl FolderReader {
    fn read(self) -> Result<FolderContent, NotRead> {
        let until = (!self.is_named).then(|| Instant::now() + MAX_TIME);
        let is_late = || until.is_some_and(|until| Instant::now() > until);
        let most_files = if self.is_named { usize::MAX } else { MAX_FILES };
        let Some(mut found) =
            walk::walk_while(&self.folder, |files| files <= most_files && !is_late())
                .map_err(|error| NotRead::Failed(error.message()))?
        else {
            return Err(match is_late() {
                true => too_slow(),
                false => NotRead::TooLarge(format!("it has more than {MAX_FILES} files")),
            });
        };
        for path in self.texts.keys() {
            walk::add(&mut found, &self.folder, path.clone());
        }
        let mut versions = BTreeMap::new();
        let mut bytes = 0;
        for file in &found {
            let version = match self.texts.get(&file.path) {
                Some(text) => Version::Buffer(text.clone()),
                None => match stamp_of(&file.on_disk) {
                    Some(stamp) => {
                        bytes += stamp.0;
                        Version::OnDisk(stamp)
                    }
                    None => continue,
                },
            };
            versions.insert(file.on_disk.clone(), version);
        }
        if !self.is_named && bytes > MAX_BYTES {
            let megabytes = MAX_BYTES >> 20;
            return Err(NotRead::TooLarge(format!(
                "it has more than {megabytes} MiB"
            )));
        }
        let known = |file: &FoundFile| {
            let version = versions.get(&file.on_disk)?;
            let text = match version {
                Version::Buffer(text) => text,
                // A device or kernel file may report size zero and never end, so it is not read.
                Version::OnDisk((0, _)) => "",
                Version::OnDisk(_) => {
                    let known = self.known.get(&file.on_disk);
                    let known = known.filter(|(known, _)| known.is_same(version));
                    return known.map(|(_, content)| content.clone());
                }
            };
            if file.path.rsplit('/').next() == Some(IGNORE_FILE) {
                return Some(Content::Ignore(text.as_bytes().into()));
            }
            let known = self.known.get(&file.on_disk);
            match known.filter(|(known, _)| known.is_same(version)) {
                Some((_, content)) => Some(content.clone()),
                None => Some(Content::Indexed(Arc::new(index_bytes(text.as_bytes())))),
            }
        };
        let entries = walk::index_until(&found, known, until).ok_or_else(too_slow)?;
        let indexed = found
            .iter()
            .zip(&entries)
            .filter(|(_, entry)| matches!(entry.content, Content::Indexed(_)));
        let known = indexed.filter_map(|(file, entry)| {
            let version = versions.get(&file.on_disk)?.clone();
            Some((file.on_disk.clone(), (version, entry.content.clone())))
        });
        Ok(FolderContent {
            known: known.collect(),
            found,
            entries,
            texts: self.texts,
        })
    }
}

fn too_slow() -> NotRead {
    let seconds = MAX_TIME.as_secs();
    NotRead::TooLarge(format!("reading it takes more than {seconds} s"))
}

#[cfg(unix)]
fn as_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn as_path(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Removes the slash before a Windows drive: `/C:/folder` means `C:/folder`.
fn without_drive_slash(path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some(text) if cfg!(windows) && text.as_bytes().get(2) == Some(&b':') => {
            PathBuf::from(&text[1..])
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    pub(super) fn host() -> DiskHost {
        DiskHost::new(mpsc::sync_channel(1).0)
    }

    const BLOB: &str = "schema: olm.package\nname: p\n";

    /// Finds the catalog of `file` in a folder with these files. Returns a relative path.
    fn found(files: &[&str], given: &[&str], file: &str) -> String {
        let top = TempDir::new().unwrap();
        for path in files {
            let (path, text) = path.split_once('=').unwrap_or((path, BLOB));
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let given: Vec<PathBuf> = given.iter().map(|folder| top.path().join(folder)).collect();
        let catalog = host()
            .find_folder(&top.path().join(file), &given, Some(top.path()))
            .unwrap();
        catalog
            .strip_prefix(top.path())
            .unwrap()
            .display()
            .to_string()
    }

    #[test]
    fn a_version_is_a_catalog() {
        let files = [
            "catalogs/v4.18/p/c.yaml",
            "catalogs/v4.19/p/c.yaml",
            "README.md=hello",
        ];
        assert_eq!(
            found(&files, &[], "catalogs/v4.18/p/c.yaml"),
            "catalogs/v4.18"
        );
        assert_eq!(
            found(&files, &["catalogs"], "catalogs/v4.18/p/c.yaml"),
            "catalogs"
        );
        assert_eq!(
            found(
                &files,
                &["catalogs", "catalogs/v4.18/p"],
                "catalogs/v4.18/p/c.yaml"
            ),
            "catalogs/v4.18/p"
        );
    }

    #[test]
    fn a_catalog_ends_where_other_files_are() {
        let files = [
            "catalog/p/c.yaml",
            "catalog/q/c.yaml",
            "config/x.yaml=kind: X",
            "Makefile=all:",
        ];
        assert_eq!(found(&files, &[], "catalog/p/c.yaml"), "catalog");
        assert_eq!(
            found(&["p/c.yaml", "q/c.yaml"], &[], "p/c.yaml"),
            "",
            "what is open is the catalog"
        );
        assert_eq!(
            found(&["p/c.yaml", "q/c.yaml", ".git/x=1"], &[], "p/c.yaml"),
            "p"
        );
        assert_eq!(
            found(&["c/a.yaml", "c.Dockerfile=FROM x"], &[], "c/a.yaml"),
            "c"
        );
        assert_eq!(
            found(
                &[
                    "c/a.yaml",
                    "c/.indexignore=x",
                    "c/p/a.yaml",
                    "README.md=hello"
                ],
                &[],
                "c/p/a.yaml"
            ),
            "c"
        );
    }

    #[test]
    fn without_an_open_folder_only_a_folder_of_nothing_but_catalogs_is_read() {
        let find = |files: &[&str], file: &str| {
            let top = TempDir::new().unwrap();
            for path in files {
                let (path, text) = path.split_once('=').unwrap_or((path, BLOB));
                let path = top.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let folder = host().find_folder(&top.path().join(file), &[], None)?;
            let relative = folder.strip_prefix(top.path()).unwrap();
            Some(relative.display().to_string())
        };
        let some = |folder: &str| Some(folder.to_owned());
        assert_eq!(find(&["b/c.yaml", "x=1"], "b/c.yaml"), some("b"));
        assert_eq!(
            find(&["b/c.yaml", "b/.indexignore=x"], "b/c.yaml"),
            some("b")
        );
        assert_eq!(
            find(&["v4.19/b/c.yaml", "x=1"], "v4.19/b/c.yaml"),
            some("v4.19")
        );
        // A home folder.
        assert_eq!(find(&["b/c.yaml", "b/notes.txt=x"], "b/c.yaml"), None);
        assert_eq!(
            find(&["b/c.yaml", "b/p/d.yaml", "b/p/q/photo=x"], "b/c.yaml"),
            None
        );
        assert_eq!(find(&["b/c.yaml", "b/.cache/x=1"], "b/c.yaml"), None);
        assert_eq!(
            find(&["v4.19/b/c.yaml", "v4.19/x=1"], "v4.19/b/c.yaml"),
            some("v4.19/b")
        );
    }
}

#[cfg(test)]
#[cfg(unix)]
mod uri_tests {
    use super::tests::host;
    use super::*;
    use language_server::from_path;
    use std::str::FromStr;

    fn path(uri: &str) -> Option<PathBuf> {
        host().path(&Uri::from_str(uri).ok()?)
    }

    #[test]
    fn paths_and_uris() {
        for (file, uri) in [
            ("/a/b.yaml", "file:///a/b.yaml"),
            ("/a b/ü%:.yaml", "file:///a%20b/%C3%BC%25%3A.yaml"),
            ("/v4.19~/x-1_2.json", "file:///v4.19~/x-1_2.json"),
        ] {
            assert_eq!(
                from_path(Path::new(file))
                    .map(|uri| uri.as_str().to_owned())
                    .as_deref(),
                Some(uri)
            );
            assert_eq!(path(uri), Some(PathBuf::from(file)));
        }
        assert_eq!(
            path("file://localhost/a/./b/../c"),
            Some(PathBuf::from("/a/c"))
        );
        for none in [
            "untitled:Untitled-1",
            "file:///a%zz",
            "file:///a%00b",
            "https://example.com/a",
            "file://",
        ] {
            assert_eq!(path(none), None, "{none}");
        }
    }
}
