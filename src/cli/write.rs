//! Replaces several files as one: on an error or a signal every file gets its old content back.
//!
//! The caller locks the catalog folder before it reads ([`FolderLocks`]). New files are staged in a folder beside the
//! catalog, on the same file system. Then, for each file: give the old file a second name there, compare its bytes with
//! those that were read, and rename the new one into its place. SIGKILL between two renames leaves some files new and some
//! old, each of them whole; the staging folder stays behind.
//!
//! A run never uses what an earlier run left on disk: anybody may have created a catalog's files.

mod texts;

use crate::error::{CliError, io_reason};
use catalog::ignore;
use same_file::is_same_file;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;
pub(super) use texts::{NewText, Text, places_differ};
use texts::{has_text, nothing_written, pieces};

#[cfg(test)]
mod tests;

/// How the names of staging folders begin. It sorts after `.indexignore`, because later patterns override earlier ones.
const PREFIX: &str = ".switchyard-";
/// Lists the files of a staging folder for the user; never read by the program.
const LIST: &str = "files.txt";

/// Writes all files or none. If some cannot be restored after a failure, the error lists them.
pub(super) fn write(mut texts: Vec<NewText<'_>>, locks: &FolderLocks) -> Result<(), CliError> {
    if texts.is_empty() {
        return Ok(());
    }
    texts.sort_by(|a, b| a.place.cmp(&b.place));
    texts.iter().try_for_each(check_writable)?;
    let watch = SignalWatch::start();
    let mut staging = Staging::default();
    let mut staged = Vec::new();
    for text in &texts {
        watch.check()?;
        staged.push(staging.add(text, staged.len(), locks)?);
    }
    staging.list_files(&staged)?;
    let mut changes = Changes::default();
    let Err(error) = changes.make(&staged, &watch) else {
        return Ok(());
    };
    let unrestored = changes.undo().join("; ");
    if unrestored.is_empty() {
        return Err(error);
    }
    let kept: Vec<String> = staging
        .folders
        .into_iter()
        .map(|folder| folder.keep().display().to_string())
        .collect();
    Err(CliError::new(format!(
        "{}; these files were written and could not be restored: {unrestored}; the old files are in {}",
        error.message(),
        kept.join(", ")
    ))
    .hint("compare the files, then remove that folder"))
}

/// A new file that is ready to be renamed into place.
struct StagedFile<'a> {
    text: &'a NewText<'a>,
    /// The new content.
    new: PathBuf,
    /// Where the old file gets its second name.
    old: PathBuf,
    /// Folders to create for it, the outermost first.
    missing_folders: Vec<&'a Path>,
}

/// What a run has changed so far.
#[derive(Default)]
struct Changes<'a> {
    created_folders: Vec<&'a Path>,
    files: Vec<&'a StagedFile<'a>>,
}

impl<'a> Changes<'a> {
    fn make(&mut self, staged: &'a [StagedFile<'a>], watch: &SignalWatch) -> Result<(), CliError> {
        for file in staged {
            watch.check()?;
            match &file.text.read {
                Some(read) => self.replace(file, &**read)?,
                None => self.create(file)?,
            }
        }
        let folders: BTreeSet<&Path> = staged
            .iter()
            .filter_map(|file| file.text.place.parent())
            .collect();
        folders.into_iter().for_each(flush);
        watch.check()
    }

    fn replace(&mut self, file: &'a StagedFile<'a>, read: &dyn Text) -> Result<(), CliError> {
        let place = &file.text.place;
        let failed = |error: io::Error| nothing_written(place, &error);
        let is_linked = match keep_old(place, &file.old) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(changed_meanwhile(place));
            }
            kept => kept.map_err(failed)?,
        };
        let is_as_read = has_text(&file.old, read)?;
        // Another process may have put a new file in its place during the comparison.
        let is_there = !is_linked || is_same_file(place, &file.old).unwrap_or(false);
        if !is_as_read || !is_there {
            return Err(changed_meanwhile(place));
        }
        fs::rename(&file.new, place).map_err(failed)?;
        self.files.push(file);
        Ok(())
    }

    fn create(&mut self, file: &'a StagedFile<'a>) -> Result<(), CliError> {
        let place = &file.text.place;
        let failed = |error: io::Error| nothing_written(place, &error);
        for folder in &file.missing_folders {
            match fs::create_dir(folder) {
                Ok(()) => self.created_folders.push(folder),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        // Unlike a rename, a link never replaces a file. Some file systems have no links.
        if fs::hard_link(&file.new, place).is_err() {
            if place.symlink_metadata().is_ok() {
                return Err(changed_meanwhile(place));
            }
            fs::rename(&file.new, place).map_err(failed)?;
        }
        self.files.push(file);
        Ok(())
    }

    /// Restores the old state. Returns what could not be restored, with the reason.
    fn undo(&mut self) -> Vec<String> {
        let mut unrestored = Vec::new();
        for file in self.files.drain(..).rev() {
            let NewText {
                place, read, new, ..
            } = file.text;
            let restored = match (has_text(place, &**new), read) {
                (Ok(true), Some(_)) => fs::rename(&file.old, place),
                (Ok(true), None) => fs::remove_file(place),
                (Ok(false), _) => Err(io::Error::other("another process changed it meanwhile")),
                (Err(error), _) => Err(io::Error::other(error.message())),
            };
            if let Err(error) = restored {
                unrestored.push(format!("{}: {}", place.display(), io_reason(&error)));
            }
            place.parent().into_iter().for_each(flush);
        }
        for folder in self.created_folders.drain(..).rev() {
            // Fails if another process put something in it.
            let _ = fs::remove_dir(folder);
        }
        unrestored
    }
}

/// Fails if a file must not be written.
fn check_writable(text: &NewText<'_>) -> Result<(), CliError> {
    let place = &text.place;
    if text.read.is_none() {
        return match place.symlink_metadata() {
            Ok(_) => Err(changed_meanwhile(place)),
            Err(_) => Ok(()),
        };
    }
    let metadata = match fs::metadata(place) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(changed_meanwhile(place)),
        metadata => metadata.map_err(|error| nothing_written(place, &error))?,
    };
    if metadata.permissions().readonly() {
        return Err(CliError::new(format!("{} is read-only", place.display())).hint(
            "nothing was written; make the file writable, or leave out `--write` and apply the printed patch elsewhere",
        ));
    }
    OpenOptions::new()
        .append(true)
        .open(place)
        .map(drop)
        .map_err(|error| {
            CliError::new(format!(
                "{} cannot be written: {}",
                place.display(),
                io_reason(&error)
            ))
            .hint("nothing was written")
        })
}

fn changed_meanwhile(place: &Path) -> CliError {
    CliError::new(format!(
        "{} changed on disk since it was read",
        place.display()
    ))
    .hint("nothing was written; run it again")
}

/// The folders with new and old files, one for each file system; removed when dropped.
///
/// A folder is beside the catalog and not below it, because `opm` reads every file below its root. If that is another
/// file system or not writable, it is below the root. An `.indexignore` hides its content in either case: a folder beside
/// one catalog may be below the root of a larger one.
#[derive(Default)]
struct Staging {
    folders: Vec<TempDir>,
}

impl Staging {
    /// Writes the new content, with the owner and permissions of the old file.
    fn add<'a>(
        &mut self,
        text: &'a NewText<'_>,
        number: usize,
        locks: &FolderLocks,
    ) -> Result<StagedFile<'a>, CliError> {
        let place = &text.place;
        let failed = |error: io::Error| nothing_written(place, &error);
        let parents = place.ancestors().skip(1);
        let mut missing_folders: Vec<&Path> =
            parents.take_while(|folder| !folder.exists()).collect();
        missing_folders.reverse();
        let outermost = missing_folders.first().copied().unwrap_or(place);
        let target = outermost.parent().unwrap_or(Path::new("."));
        let folder = self.folder_for(target, locks).map_err(failed)?;
        let new = folder.join(format!("{number}.new"));
        let replaced = text.read.is_some().then(|| fs::metadata(place));
        write_new(text, replaced.transpose().map_err(failed)?.as_ref(), &new)?;
        Ok(StagedFile {
            text,
            new,
            old: folder.join(format!("{number}.old")),
            missing_folders,
        })
    }

    /// Writes the list for a user who finds the folder after the run was killed.
    fn list_files(&self, staged: &[StagedFile<'_>]) -> Result<(), CliError> {
        for folder in self.folders.iter().map(TempDir::path) {
            let mut list = String::from(
                "switchyard was replacing these files. N.old is the old file, N.new the new one.\n",
            );
            for file in staged.iter().filter(|file| file.new.starts_with(folder)) {
                let number = file.new.file_stem().unwrap_or_default().display();
                list.push_str(&format!("{number} {:?}\n", file.text.place));
            }
            fs::write(folder.join(LIST), list).map_err(|error| nothing_written(folder, &error))?;
            flush(folder);
        }
        Ok(())
    }

    /// A staging folder from which files can be renamed into `target`.
    fn folder_for(&mut self, target: &Path, locks: &FolderLocks) -> io::Result<PathBuf> {
        let mut known = self.folders.iter().map(TempDir::path);
        if let Some(folder) = known.find(|folder| reaches(folder, target)) {
            return Ok(folder.to_path_buf());
        }
        let root = locks.folders.iter().find(|root| target.starts_with(root));
        let root = root.map_or(target, PathBuf::as_path);
        let mut result = Err(ErrorKind::CrossesDevices.into());
        for within in root.parent().into_iter().chain([root, target]) {
            match create(within) {
                Ok(folder) if reaches(folder.path(), target) => {
                    let path = folder.path().to_path_buf();
                    self.folders.push(folder);
                    return Ok(path);
                }
                Ok(_) => {}
                Err(error) => result = Err(error),
            }
        }
        result
    }
}

/// Gives an old file a second name and returns true; on file systems without links, copies it.
fn keep_old(place: &Path, old: &Path) -> io::Result<bool> {
    if fs::hard_link(place, old).is_ok() {
        return Ok(true);
    }
    fs::copy(place, old)?;
    let copy = File::open(old)?;
    give_to_owner(&copy, &fs::metadata(place)?)?;
    copy.sync_all().map(|()| false)
}

/// Makes new names survive a power cut, on systems that need it.
fn flush(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn create(within: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir_in(within)?;
    fs::write(folder.path().join(ignore::FILE_NAME), "*\n")?;
    Ok(folder)
}

/// Whether files can be renamed from one folder into another. Two mounts of one device count as different.
fn reaches(from: &Path, into: &Path) -> bool {
    // The system checks the mounts before it notices that there is no such file.
    let missing = "missing";
    let renamed = fs::rename(from.join(missing), into.join(format!("{PREFIX}{missing}")));
    renamed.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn write_new(text: &NewText<'_>, like: Option<&Metadata>, new: &Path) -> Result<(), CliError> {
    let place = &text.place;
    let failed = |error: io::Error| nothing_written(place, &error);
    let mut file = File::create_new(new).map_err(failed)?;
    for span in pieces(&*text.new) {
        file.write_all(&text.new.piece(span)?).map_err(failed)?;
    }
    if let Some(like) = like {
        give_to_owner(&file, like).map_err(|error| {
            CliError::new(format!(
                "the owner of {} cannot be kept: {}",
                place.display(),
                io_reason(&error)
            ))
            .hint("nothing was written; let the owner run this, or apply the patch")
        })?;
        file.set_permissions(like.permissions()).map_err(failed)?;
    }
    file.sync_all().map_err(failed)
}

#[cfg(unix)]
fn give_to_owner(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

#[cfg(not(unix))]
fn give_to_owner(_file: &File, _like: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Holds the locks until it is dropped: runs that write in the same folder take turns.
#[derive(Debug)]
pub(super) struct FolderLocks {
    /// With links resolved.
    folders: BTreeSet<PathBuf>,
    _locks: Vec<File>,
}

impl FolderLocks {
    /// Waits until no other run writes in these folders, or the folders of these files.
    pub(super) fn wait<P: AsRef<Path>>(places: &[P]) -> Self {
        let folder = |place: &P| {
            let place = place.as_ref().canonicalize().ok()?;
            match place.is_dir() {
                true => Some(place),
                false => place.parent().map(Path::to_path_buf),
            }
        };
        // All runs lock in the order of the paths, so that no two wait for each other.
        let folders: BTreeSet<PathBuf> = places.iter().filter_map(folder).collect();
        let locks = folders
            .iter()
            .filter_map(|folder| {
                // A folder that cannot be locked is protected by the comparison with what was read.
                let file = File::open(folder).ok()?;
                file.lock().ok().map(|()| file)
            })
            .collect();
        Self {
            folders,
            _locks: locks,
        }
    }
}

/// Collects signals until it is dropped; afterwards they end the process as usual. A server may save twice at once.
struct SignalWatch {
    _one_at_a_time: MutexGuard<'static, ()>,
}

/// The handlers are registered once: those of an earlier save would end the process during a later one.
struct Handlers {
    /// The last signal; 0 if there was none.
    signal: Arc<AtomicUsize>,
    is_idle: Arc<AtomicBool>,
}

static HANDLERS: LazyLock<Handlers> = LazyLock::new(Handlers::register);
static WATCHING: Mutex<()> = Mutex::new(());

impl SignalWatch {
    fn start() -> Self {
        let one_at_a_time = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        HANDLERS.signal.store(0, Ordering::SeqCst);
        HANDLERS.is_idle.store(false, Ordering::SeqCst);
        Self {
            _one_at_a_time: one_at_a_time,
        }
    }

    /// Fails after a signal.
    fn check(&self) -> Result<(), CliError> {
        match HANDLERS.signal.load(Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(CliError::Interrupted(signal as i32)),
        }
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        HANDLERS.is_idle.store(true, Ordering::SeqCst);
    }
}

impl Handlers {
    fn register() -> Self {
        let handlers = Self {
            signal: Arc::default(),
            is_idle: Arc::new(AtomicBool::new(true)),
        };
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            use signal_hook::flag;
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                // Called in the order of registration. If it fails, the signal ends the process without restoring.
                let _ = flag::register_conditional_default(signal, handlers.is_idle.clone());
                let _ = flag::register_usize(signal, handlers.signal.clone(), signal as usize);
            }
        }
        handlers
    }
}

/// Ends the process as the signal does.
pub(crate) fn end_by(signal: i32) {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}
