//! The disk side of the language server: finds the folder of an open file, reads it on a separate
//! thread, and reopens it after each change; only changed files are read and indexed again.

use super::transport::Incoming;
use crate::input::changed_since::is_openshift_version;
use crate::input::config_file;
use crate::input::disk::{Disk, Stamp, Texts, stamp_of};
use crate::input::walk::{self, FoundFile};
use ::catalog::ignore::FILE_NAME as IGNORE_FILE;
use ::catalog::index::index_bytes;
use ::catalog::model::FileIndex;
use ::catalog::{Content, TreeEntry};
use language_server::{
    Buffers, Extent, Host, OpenError, Source, has_catalog_schema, normalize, session_path,
};
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
const MAX_WAIT: Duration = Duration::from_secs(3);
/// Number of bytes at the start of a file that suffice to recognize a catalog file.
const HEAD_BYTES: u64 = 64 * 1024;
/// Largest size in bytes of a file that is read as text without being indexed.
const MAX_TEXT_BYTES: u64 = 64 << 20;

// Limits for a folder that the user did not name. Catalogs have up to a few thousand files and 350
// MB.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 512 << 20;
const MAX_READING_TIME: Duration = Duration::from_secs(20);

// Limits for the search for a catalog's folder.
const MAX_VISITED_ENTRIES: usize = 10_000;
const MAX_SEARCH_TIME: Duration = Duration::from_secs(2);

/// Reads catalogs from disk.
pub(super) struct DiskHost {
    /// Wakes the server when a folder has been read.
    folder_read: SyncSender<Incoming>,
}

impl DiskHost {
    pub fn new(folder_read: SyncSender<Incoming>) -> Self {
        Self { folder_read }
    }
}

impl Host for DiskHost {
    fn path(&self, uri: &Uri) -> Option<PathBuf> {
        let host_and_path = uri.as_str().strip_prefix("file://")?;
        // The host is empty or this machine, so skip it.
        let path = &host_and_path[host_and_path.find('/')?..];
        let path = path.split(['?', '#']).next()?;
        // File names cannot contain a zero byte.
        let bytes = walk::percent_decode(path).filter(|bytes| !bytes.contains(&0))?;
        let path = path_from_bytes(bytes)?;
        Some(normalize(&without_drive_slash(path)))
    }

    fn read_text(&self, path: &Path) -> Option<String> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_TEXT_BYTES {
            return None;
        }
        if metadata.len() == 0 {
            return Some(String::new());
        }
        let bytes = std::fs::read(path).ok()?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Chooses the innermost named folder, else the nearest ancestor named after an OpenShift
    /// version, else the highest one that has only catalog files, directly or in subfolders.
    /// Without a workspace, the file may be in a home or system folder. So only the version's
    /// folder and the file's own are candidates, and all files below must be catalog files.
    fn find_folder(
        &self,
        file: &Path,
        named_folders: &[PathBuf],
        workspace: Option<&Path>,
    ) -> Option<PathBuf> {
        let named = named_folders
            .iter()
            .filter(|folder| file.starts_with(folder))
            .max_by_key(|folder| folder.components().count());
        if let Some(named) = named {
            return Some(named.clone());
        }
        let mut search = Search::start();
        let parent = file.parent().unwrap_or(file);
        let candidates: Vec<&Path> = parent
            .ancestors()
            .take_while(|folder| workspace.is_none_or(|workspace| folder.starts_with(workspace)))
            .collect();
        let version = candidates
            .iter()
            .copied()
            .find(|folder| is_openshift_version(folder));
        if workspace.is_none() {
            return version
                .into_iter()
                .chain([parent])
                .find(|folder| search.has_only_catalog_files(folder))
                .map(Path::to_path_buf);
        }
        if let Some(version) = version {
            return Some(version.to_path_buf());
        }
        let mut catalog = parent;
        for folder in candidates.into_iter().skip(1) {
            if is_boundary(catalog, folder) || !search.has_only_catalogs(folder) {
                break;
            }
            catalog = folder;
        }
        Some(catalog.to_path_buf())
    }

    fn create_catalog(&self, path: &Path, extent: Extent, is_named: bool) -> Box<dyn Source> {
        Box::new(DiskCatalog {
            path: path.to_path_buf(),
            extent,
            is_named,
            disk: None,
            file_index: None,
            cache: ContentCache::new(),
            reading: None,
            folder_read: self.folder_read.clone(),
        })
    }
}

/// A catalog on disk. A folder is read on another thread.
struct DiskCatalog {
    path: PathBuf,
    extent: Extent,
    /// Whether the user named the folder, which is then read without limits.
    is_named: bool,
    disk: Option<Disk>,
    /// The index of the file, unless the catalog is a folder.
    file_index: Option<Arc<FileIndex>>,
    cache: ContentCache,
    reading: Option<Reading>,
    /// Wakes the server when the folder has been read.
    folder_read: SyncSender<Incoming>,
}

impl Source for DiskCatalog {
    fn reopen(&mut self, buffers: &Buffers) {
        self.disk = None;
        if self.extent == Extent::Folder {
            let reader = FolderReader {
                folder: self.path.clone(),
                texts: self.buffer_texts(buffers),
                cache: std::mem::take(&mut self.cache),
                is_named: self.is_named,
            };
            self.reading = Some(Reading::start(reader, self.folder_read.clone()));
        }
    }

    fn wait(&mut self, buffers: &Buffers) -> Option<Result<(), OpenError>> {
        let disk = match &self.reading {
            None => self.open_file(buffers),
            Some(reading) => {
                let content = reading.wait()?;
                self.reading = None;
                content.map(|content| {
                    self.cache = content.cache;
                    Some(Disk::from_files(
                        &self.path,
                        content.files,
                        content.entries,
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

    fn template_index(&self) -> Option<&FileIndex> {
        self.file_index.as_deref()
    }

    fn path_on_disk(&self, file: &str) -> Option<PathBuf> {
        self.disk.as_ref().map(|disk| disk.path_on_disk(file))
    }
}

impl DiskCatalog {
    /// Opens a file's buffer as a template or a catalog; `None` if it was closed.
    fn open_file(&mut self, buffers: &Buffers) -> Result<Option<Disk>, OpenError> {
        let Some(buffer) = buffers.get(&self.path) else {
            return Ok(None);
        };
        let index = Arc::new(index_bytes(buffer.text().as_bytes()));
        self.file_index = Some(index.clone());
        let is_template = self.extent == Extent::Template;
        let disk = Disk::from_file(&self.path, buffer.text(), index, is_template);
        Ok(Some(disk))
    }

    /// Stores the opened catalog, with the advice that its configuration requests.
    fn configure(&mut self, disk: Option<Disk>, buffers: &Buffers) -> Result<(), OpenError> {
        let Some(mut disk) = disk else { return Ok(()) };
        let folder = self.extent.folder(&self.path);
        let config = config_file::path(folder, None);
        let is_config = |path: &Path| {
            let canonical = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            config.as_deref() == Some(canonical.as_path())
        };
        let advice = match buffers.iter().find(|(path, _)| is_config(path)) {
            Some((path, buffer)) => config_file::advice_of_text(folder, path, buffer.text()),
            None => config_file::advice(folder, None, None)
                .map_err(|error| OpenError::Failed(error.message()))?,
        };
        disk.session.set_advice_source(advice);
        self.disk = Some(disk);
        Ok(())
    }

    /// Returns the buffers of the catalog's files, by path in the catalog.
    fn buffer_texts(&self, buffers: &Buffers) -> Texts {
        buffers
            .range(self.path.clone()..)
            .take_while(|(path, _)| path.starts_with(&self.path))
            .filter_map(|(path, buffer)| {
                Some((session_path(&self.path, path)?, buffer.text().clone()))
            })
            .collect()
    }
}

/// Whether the catalog ends below `parent`, because that is a repository or contains the catalog's
/// Dockerfile.
fn is_boundary(catalog: &Path, parent: &Path) -> bool {
    let name = catalog.file_name().unwrap_or_default().to_string_lossy();
    parent.join(".git").exists() || parent.join(format!("{name}.Dockerfile")).exists()
}

/// Searches folders within limits, because it runs on the thread that answers.
struct Search {
    /// Number of files and folders that may still be visited.
    remaining_entries: usize,
    deadline: Instant,
}

impl Search {
    fn start() -> Self {
        Self {
            remaining_entries: MAX_VISITED_ENTRIES,
            deadline: Instant::now() + MAX_SEARCH_TIME,
        }
    }

    /// Whether all files of a folder are catalog files, and each subfolder has some.
    fn has_only_catalogs(&mut self, folder: &Path) -> bool {
        self.all_match(folder, Self::has_catalog_file)
    }

    /// Whether a folder has only catalog files, at any depth.
    fn has_only_catalog_files(&mut self, folder: &Path) -> bool {
        self.all_match(folder, Self::has_only_catalog_files)
    }

    /// Whether a folder has only catalog files, and subfolders that meet a condition. Ignores
    /// hidden files, but not hidden folders.
    fn all_match(&mut self, folder: &Path, condition: fn(&mut Self, &Path) -> bool) -> bool {
        self.all_entries(folder, |search, entry| {
            if entry.is_folder {
                !entry.is_hidden && condition(search, &entry.path)
            } else {
                entry.is_hidden || is_catalog_file(&entry.path)
            }
        })
    }

    fn has_catalog_file(&mut self, folder: &Path) -> bool {
        let mut found = false;
        self.all_entries(folder, |_, entry| {
            found = is_catalog_file(&entry.path);
            !found
        });
        found
    }

    /// Whether all entries of a folder satisfy `condition`; `false` if the folder is unreadable or
    /// a limit is exceeded.
    fn all_entries(
        &mut self,
        folder: &Path,
        mut condition: impl FnMut(&mut Self, &FolderEntry) -> bool,
    ) -> bool {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return false;
        };
        for entry in entries {
            self.remaining_entries = self.remaining_entries.saturating_sub(1);
            let Ok(entry) = entry else { return false };
            if self.remaining_entries == 0 || Instant::now() > self.deadline {
                return false;
            }
            let entry = FolderEntry {
                path: entry.path(),
                // Links to folders are not followed, as in `opm`.
                is_folder: entry.file_type().is_ok_and(|file_type| file_type.is_dir()),
                is_hidden: entry.file_name().to_string_lossy().starts_with('.'),
            };
            if !condition(self, &entry) {
                return false;
            }
        }
        true
    }
}

struct FolderEntry {
    path: PathBuf,
    is_folder: bool,
    is_hidden: bool,
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
    File::open(path).is_ok_and(|file| file.take(HEAD_BYTES).read_to_end(&mut head).is_ok())
        && has_catalog_schema(&String::from_utf8_lossy(&head))
}

/// The content of each file, by its path on disk.
type ContentCache = BTreeMap<PathBuf, CachedContent>;

struct CachedContent {
    /// The version that the content was read from.
    version: Version,
    content: Content,
}

/// The state of a file from which its content was read.
#[derive(Debug, Clone, PartialEq)]
enum Version {
    Buffer(Arc<str>),
    OnDisk(Stamp),
}

struct FolderReader {
    folder: PathBuf,
    /// The editor's buffers for files in the folder.
    texts: Texts,
    /// The content at the last time.
    cache: ContentCache,
    /// Whether the user named the folder, which is then read without limits.
    is_named: bool,
}

struct FolderContent {
    files: Vec<FoundFile>,
    entries: Vec<TreeEntry>,
    texts: Texts,
    cache: ContentCache,
}

/// A folder that is being read on another thread.
struct Reading {
    started: Instant,
    result: Receiver<Result<FolderContent, OpenError>>,
}

impl Reading {
    fn start(reader: FolderReader, done: SyncSender<Incoming>) -> Self {
        let (sender, result) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = sender.send(reader.read());
            let _ = done.send(Incoming::FolderRead);
        });
        Self {
            started: Instant::now(),
            result,
        }
    }

    /// Waits for the content of the folder; `None` if it takes longer than [`MAX_WAIT`].
    fn wait(&self) -> Option<Result<FolderContent, OpenError>> {
        let remaining = MAX_WAIT.saturating_sub(self.started.elapsed());
        match self.result.recv_timeout(remaining) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(OpenError::Failed(
                "reading the folder stopped".to_owned(),
            ))),
        }
    }
}

impl FolderReader {
    fn read(self) -> Result<FolderContent, OpenError> {
        let deadline = (!self.is_named).then(|| Instant::now() + MAX_READING_TIME);
        let files = self.find_files(deadline)?;
        let versions = self.find_versions(&files)?;
        let entries = walk::index_until(
            &files,
            |file| self.content_without_reading(file, versions.get(&file.on_disk)?),
            deadline,
        );
        let entries = entries.ok_or_else(too_slow)?;
        let mut cache = ContentCache::new();
        for (file, entry) in files.iter().zip(&entries) {
            if let Content::Indexed(_) = entry.content
                && let Some(version) = versions.get(&file.on_disk)
            {
                let (version, content) = (version.clone(), entry.content.clone());
                cache.insert(file.on_disk.clone(), CachedContent { version, content });
            }
        }
        Ok(FolderContent {
            files,
            entries,
            texts: self.texts,
            cache,
        })
    }

    /// Finds the files on disk and those that exist only in the editor.
    fn find_files(&self, deadline: Option<Instant>) -> Result<Vec<FoundFile>, OpenError> {
        let is_late = || deadline.is_some_and(|deadline| Instant::now() > deadline);
        let max_files = if self.is_named { usize::MAX } else { MAX_FILES };
        let files = walk::walk_while(&self.folder, |count| count <= max_files && !is_late())
            .map_err(|error| OpenError::Failed(error.message()))?;
        let Some(mut files) = files else {
            return Err(if is_late() {
                too_slow()
            } else {
                OpenError::TooLarge(format!("it has more than {MAX_FILES} files"))
            });
        };
        for path in self.texts.keys() {
            walk::add(&mut files, &self.folder, path.clone());
        }
        Ok(files)
    }

    /// Returns the version of each readable file, by its path on disk.
    fn find_versions(&self, files: &[FoundFile]) -> Result<BTreeMap<PathBuf, Version>, OpenError> {
        let mut versions = BTreeMap::new();
        let mut bytes_on_disk = 0;
        for file in files {
            let version = if let Some(text) = self.texts.get(&file.path) {
                Version::Buffer(text.clone())
            } else if let Some(stamp) = stamp_of(&file.on_disk) {
                bytes_on_disk += stamp.0;
                Version::OnDisk(stamp)
            } else {
                continue;
            };
            versions.insert(file.on_disk.clone(), version);
        }
        if !self.is_named && bytes_on_disk > MAX_BYTES {
            let megabytes = MAX_BYTES >> 20;
            return Err(OpenError::TooLarge(format!(
                "it has more than {megabytes} MiB"
            )));
        }
        Ok(versions)
    }

    /// Returns the content of a buffer, an empty file or an unchanged file; `None` if the file must
    /// be read.
    fn content_without_reading(&self, file: &FoundFile, version: &Version) -> Option<Content> {
        let cached = self.cache.get(&file.on_disk);
        let cached = cached.filter(|cached| cached.version == *version);
        let text = match version {
            Version::Buffer(text) => text,
            // A device or kernel file may report size zero and never end, so it is not read.
            Version::OnDisk((0, _)) => "",
            Version::OnDisk(_) => return cached.map(|cached| cached.content.clone()),
        };
        if file.path.rsplit('/').next() == Some(IGNORE_FILE) {
            return Some(Content::Ignore(text.as_bytes().into()));
        }
        Some(match cached {
            Some(cached) => cached.content.clone(),
            None => Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
        })
    }
}

fn too_slow() -> OpenError {
    let seconds = MAX_READING_TIME.as_secs();
    OpenError::TooLarge(format!("reading it takes more than {seconds} s"))
}

#[cfg(unix)]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
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
    fn find_catalog(files: &[&str], given: &[&str], file: &str) -> String {
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
            find_catalog(&files, &[], "catalogs/v4.18/p/c.yaml"),
            "catalogs/v4.18"
        );
        assert_eq!(
            find_catalog(&files, &["catalogs"], "catalogs/v4.18/p/c.yaml"),
            "catalogs"
        );
        assert_eq!(
            find_catalog(
                &files,
                &["catalogs", "catalogs/v4.18/p"],
                "catalogs/v4.18/p/c.yaml"
            ),
            "catalogs/v4.18/p"
        );
    }

    #[test]
    fn a_catalog_ends_at_a_folder_with_other_files() {
        let files = [
            "catalog/p/c.yaml",
            "catalog/q/c.yaml",
            "config/x.yaml=kind: X",
            "Makefile=all:",
        ];
        assert_eq!(find_catalog(&files, &[], "catalog/p/c.yaml"), "catalog");
        assert_eq!(
            find_catalog(&["p/c.yaml", "q/c.yaml"], &[], "p/c.yaml"),
            "",
            "the open folder is the catalog"
        );
        assert_eq!(
            find_catalog(&["p/c.yaml", "q/c.yaml", ".git/x=1"], &[], "p/c.yaml"),
            "p"
        );
        assert_eq!(
            find_catalog(&["c/a.yaml", "c.Dockerfile=FROM x"], &[], "c/a.yaml"),
            "c"
        );
        assert_eq!(
            find_catalog(
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
    fn without_an_open_folder_only_a_folder_of_catalogs_is_read() {
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
    use language_server::uri_from_path;
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
                uri_from_path(Path::new(file))
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
