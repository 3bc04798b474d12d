//! The staging folder, in which a run prepares new files and keeps old ones. It is on the same file
//! system as the catalog, so that files can be renamed into place.
//!
//! It is beside the catalog and not below it, because `opm` reads every file below its root. If the
//! parent folder is on another file system or not writable, the staging folder is below the root.
//! An `.indexignore` hides its content in either case: a folder beside one catalog may be below the
//! root of a larger one.

use super::texts::{NewText, conflicting_edits, has_text, nothing_written, pieces};
use crate::error::{CliError, io_reason};
use crate::output;
use catalog::ignore;
use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;

/// Prefix of the names of staging folders. Must sort after `.indexignore`: ignore files are read in
/// walk order, and the staging folder's `*` must override the catalog's own patterns.
pub(super) const PREFIX: &str = ".switchyard-";
/// A list of the files in a staging folder, for the user. The program never reads it.
pub(super) const LIST_NAME: &str = "files.txt";

/// A new file that is ready to be renamed into place.
pub(super) struct StagedFile {
    /// The path to rename it to.
    pub path: PathBuf,
    pub new: PathBuf,
    pub identity: FileIdentity,
    /// Path of the backup: a hard link to the old file, or a copy.
    pub old: PathBuf,
    /// Whether there is an old file.
    pub replaces: bool,
    /// Folders to create for it, the outermost first.
    pub missing_folders: Vec<PathBuf>,
}

/// Identifies a file across renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    inode: Inode,
    len: u64,
    modified: Option<SystemTime>,
}

/// Identifies a file on disk; zeros where the system has no inodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Inode {
    device: u64,
    number: u64,
}

/// The staging folders of a run: one for each file system.
pub(super) struct Staging<'a> {
    roots: &'a [PathBuf],
    folders: Vec<StagingFolder>,
    files: Vec<StagedFile>,
    linked: Vec<LinkedFile>,
}

struct StagingFolder {
    folder: TempDir,
    /// Shows other runs that this one is alive.
    _lock: Option<File>,
}

/// An old file with several names.
struct LinkedFile {
    inode: Inode,
    /// Index of the first of its names among the staged files.
    first: usize,
    display_path: String,
    /// Number of names that the run does not replace.
    other_names: u64,
}

impl FileIdentity {
    pub fn read(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(Self {
            inode: inode(&metadata),
            len: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

impl<'a> Staging<'a> {
    /// Creates an empty staging for catalogs in these folders.
    pub fn new(roots: &'a [PathBuf]) -> Self {
        Self {
            roots,
            folders: Vec::new(),
            files: Vec::new(),
            linked: Vec::new(),
        }
    }

    pub fn files(&self) -> &[StagedFile] {
        &self.files
    }

    /// Returns the files that have another hard link, which keeps the old content.
    pub fn partly_replaced_links(&self) -> impl Iterator<Item = &str> {
        self.linked
            .iter()
            .filter(|linked| linked.other_names > 0)
            .map(|linked| linked.display_path.as_str())
    }

    /// Writes the new content, with the owner and permissions of the old file.
    pub fn add(&mut self, text: &NewText<'_>) -> Result<(), CliError> {
        let path = &text.path;
        let failed = |error: io::Error| nothing_written(path, &error);
        let parents = path.ancestors().skip(1);
        let mut missing: Vec<&Path> = parents.take_while(|folder| !folder.exists()).collect();
        missing.reverse();
        let outermost = missing.first().copied().unwrap_or(path);
        let number = self.files.len();
        let folder = self
            .folder_for(outermost.parent().unwrap_or(Path::new(".")))
            .map_err(failed)?;
        let new = folder.join(format!("{number}.new"));
        let old = folder.join(format!("{number}.old"));
        let replaced = text.old.is_some().then(|| fs::metadata(path));
        let replaced = replaced.transpose().map_err(failed)?;
        if !self.link_to_same_file(text, replaced.as_ref(), &new)? {
            write_new(text, replaced.as_ref(), &new)?;
        }
        self.files.push(StagedFile {
            path: path.clone(),
            identity: FileIdentity::read(&new).map_err(failed)?,
            new,
            old,
            replaces: replaced.is_some(),
            missing_folders: missing.into_iter().map(Path::to_path_buf).collect(),
        });
        Ok(())
    }

    /// Writes the list for a user who finds the folder after the run was killed.
    pub fn list_files(&self) -> io::Result<()> {
        for StagingFolder { folder, .. } in &self.folders {
            let folder = folder.path();
            let mut list = format!(
                "Process {} of switchyard was replacing these files. N.old is the old file, N.new the new one.\n",
                std::process::id()
            );
            for file in self
                .files
                .iter()
                .filter(|file| file.new.starts_with(folder))
            {
                let number = file.new.file_stem().unwrap_or_default().display();
                let _ = writeln!(list, "{number} {:?}", file.path);
            }
            fs::write(folder.join(LIST_NAME), list)?;
            flush(folder);
        }
        Ok(())
    }

    /// Removes everything that was prepared or kept, after all files were written.
    pub fn remove(self) {
        for StagingFolder { folder, .. } in self.folders {
            let path = folder.path().to_path_buf();
            if let Err(error) = folder.close() {
                output::print_diagnostic(
                    "warning",
                    &format!(
                        "{} could not be removed: {}",
                        path.display(),
                        io_reason(&error)
                    ),
                    None,
                    "all files were written; remove that folder",
                );
            }
        }
    }

    /// Leaves the folders on disk. Returns their names.
    pub fn keep(self) -> Vec<String> {
        self.folders
            .into_iter()
            .map(|folder: StagingFolder| folder.folder.keep().display().to_string())
            .collect()
    }

    /// Keeps replaced names of one file as one file: links `new` to the file staged for the first
    /// name. Returns whether it did, and fails if the new texts differ.
    fn link_to_same_file(
        &mut self,
        text: &NewText<'_>,
        replaced: Option<&Metadata>,
        new: &Path,
    ) -> Result<bool, CliError> {
        let Some(replaced) = replaced.filter(|replaced| link_count(replaced) > 1) else {
            return Ok(false);
        };
        let inode = inode(replaced);
        let Some(linked) = self.linked.iter_mut().find(|linked| linked.inode == inode) else {
            self.linked.push(LinkedFile {
                inode,
                first: self.files.len(),
                display_path: text.display_path.clone(),
                other_names: link_count(replaced) - 1,
            });
            return Ok(false);
        };
        let Some(first) = self.files.get(linked.first) else {
            return Ok(false);
        };
        if !has_text(&first.new, &*text.new)? {
            return Err(conflicting_edits(&linked.display_path, &text.display_path));
        }
        linked.other_names = linked.other_names.saturating_sub(1);
        Ok(fs::hard_link(&first.new, new).is_ok())
    }

    /// Returns a staging folder from which files can be renamed into `target`. Creates it if
    /// necessary.
    fn folder_for(&mut self, target: &Path) -> io::Result<PathBuf> {
        for StagingFolder { folder, .. } in &self.folders {
            if can_rename(folder.path(), target) {
                return Ok(folder.path().to_path_buf());
            }
        }
        let root = self.roots.iter().find(|root| target.starts_with(root));
        let root = root.map_or(target, PathBuf::as_path);
        let mut result = Err(ErrorKind::CrossesDevices.into());
        for parent in root.parent().into_iter().chain([root, target]) {
            match create_staging_folder(parent) {
                Ok(folder) if can_rename(folder.path(), target) => {
                    let path = folder.path().to_path_buf();
                    let lock = File::open(&path).ok();
                    if let Some(lock) = &lock {
                        let _ = lock.try_lock();
                    }
                    self.folders.push(StagingFolder {
                        folder,
                        _lock: lock,
                    });
                    return Ok(path);
                }
                Ok(_) => {}
                Err(error) => result = Err(error),
            }
        }
        result
    }
}

/// Backs up an old file as a hard link; copies it on file systems without links.
pub(super) fn back_up(path: &Path, backup: &Path) -> io::Result<()> {
    if fs::hard_link(path, backup).is_ok() {
        return Ok(());
    }
    fs::copy(path, backup)?;
    let copy = File::open(backup)?;
    give_to_owner(&copy, &fs::metadata(path)?)?;
    copy.sync_all()
}

/// Flushes a folder, so that new names survive a power cut.
pub(super) fn flush(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Creates a staging folder that only this user may read.
fn create_staging_folder(parent: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir_in(parent)?;
    fs::write(folder.path().join(ignore::FILE_NAME), "*\n")?;
    Ok(folder)
}

/// Whether files can be renamed from one folder into another. Two mounts of one device count as
/// different.
fn can_rename(from: &Path, into: &Path) -> bool {
    // The system compares the mounts before it looks for the file.
    let missing = "missing";
    let result = fs::rename(from.join(missing), into.join(format!("{PREFIX}{missing}")));
    result.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Writes the new content to the file `new`, with the owner and permissions of the replaced file.
fn write_new(text: &NewText<'_>, replaced: Option<&Metadata>, new: &Path) -> Result<(), CliError> {
    let path = &text.path;
    let failed = |error: io::Error| nothing_written(path, &error);
    let mut file = File::create_new(new).map_err(failed)?;
    for span in pieces(&*text.new) {
        file.write_all(&text.new.piece(span)?).map_err(failed)?;
    }
    if let Some(replaced) = replaced {
        give_to_owner(&file, replaced).map_err(|error| {
            cli_error!(
                "the owner of {} cannot be kept: {}",
                path.display(),
                io_reason(&error)
            )
            .hint("nothing was written; let the owner run this, or apply the patch")
        })?;
        file.set_permissions(replaced.permissions())
            .map_err(failed)?;
    }
    file.sync_all().map_err(failed)
}

#[cfg(unix)]
fn give_to_owner(file: &File, replaced: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let current = file.metadata()?;
    match (
        id_to_set(current.uid(), replaced.uid()),
        id_to_set(current.gid(), replaced.gid()),
    ) {
        (None, None) => Ok(()),
        (user, group) => fchown(file, user, group),
    }
}

/// Returns the id to set; `None` if the file has it already.
#[cfg(unix)]
fn id_to_set(current: u32, required: u32) -> Option<u32> {
    (current != required).then_some(required)
}

#[cfg(not(unix))]
fn give_to_owner(_file: &File, _replaced: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> Inode {
    use std::os::unix::fs::MetadataExt;
    Inode {
        device: metadata.dev(),
        number: metadata.ino(),
    }
}

#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> Inode {
    Inode {
        device: 0,
        number: 0,
    }
}

/// Returns the number of hard links of a file.
#[cfg(unix)]
fn link_count(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn link_count(_metadata: &Metadata) -> u64 {
    1
}
