//! Replaces several files, all or none: after an error or a signal every file gets its old content
//! back.
//!
//! The caller locks the catalog folder before it reads ([`FolderLocks`]). For all files, `write`
//! compares the bytes on disk with those that were read, puts the new content into a folder beside
//! the catalog ([`staging`]), backs up the old file there, and renames the new one into place.
//! SIGKILL between two renames leaves some files new and some old, each complete; the folder
//! remains and is reported ([`report_leftovers`]).
//!
//! A run never uses leftovers of an earlier run, because anyone may have created files beside a
//! catalog.

mod leftovers;
mod locks;
mod staging;
mod texts;

use crate::error::{CliError, io_reason};
use crate::output;
pub(crate) use leftovers::report_leftovers;
pub(super) use locks::FolderLocks;
use staging::{FileIdentity, StagedFile, Staging};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
pub(super) use texts::{NewText, Text, conflicting_edits};
use texts::{has_text, nothing_written};

#[cfg(test)]
mod tests;

/// Writes all files or none. If some cannot be restored after a failure, the error lists them.
pub(super) fn write(mut texts: Vec<NewText<'_>>, locks: &FolderLocks) -> Result<(), CliError> {
    if texts.is_empty() {
        return Ok(());
    }
    texts.sort_by(|a, b| a.path.cmp(&b.path));
    texts.iter().try_for_each(check_writable)?;
    let interrupt = Interrupt::watch();
    let mut staging = Staging::new(locks.folders());
    for text in &texts {
        interrupt.check()?;
        staging.add(text)?;
    }
    staging
        .list_files()
        .map_err(|error| nothing_written(&texts[0].path, &error))?;
    let mut changes = Changes::default();
    match changes.apply(&texts, staging.files(), &interrupt) {
        Ok(()) => {
            for name in staging.partly_replaced_links() {
                output::print_note(&format!(
                    "{name} has hard links; its other names keep the old content"
                ));
            }
            staging.remove();
            Ok(())
        }
        Err(error) => match changes.undo() {
            unrestored if unrestored.is_empty() => Err(error),
            unrestored => {
                let unrestored = unrestored.join("; ");
                let kept = staging.keep().join(", ");
                Err(cli_error!(
                    "{}; these files were written and could not be restored: {unrestored}; the old files are in {kept}",
                    error.message()
                )
                .hint("compare the files, then remove that folder"))
            }
        },
    }
}

#[derive(Default)]
struct Changes<'a> {
    created_folders: Vec<PathBuf>,
    files: Vec<&'a StagedFile>,
}

impl<'a> Changes<'a> {
    /// Puts the staged files into place, until one fails or a signal arrives.
    fn apply(
        &mut self,
        texts: &[NewText<'_>],
        staged: &'a [StagedFile],
        interrupt: &Interrupt,
    ) -> Result<(), CliError> {
        for (text, file) in texts.iter().zip(staged) {
            interrupt.check()?;
            match &text.old {
                Some(old) => self.replace(file, &**old)?,
                None => self.create(file)?,
            }
        }
        let folders: BTreeSet<&Path> = staged
            .iter()
            .filter_map(|file| file.path.parent())
            .collect();
        folders.into_iter().for_each(staging::flush);
        interrupt.check()
    }

    fn replace(&mut self, file: &'a StagedFile, old: &dyn Text) -> Result<(), CliError> {
        let path = &file.path;
        let failed = |error: io::Error| nothing_written(path, &error);
        let before = FileIdentity::read(path).map_err(|_| changed_meanwhile(path))?;
        staging::back_up(path, &file.old).map_err(failed)?;
        let backup = FileIdentity::read(&file.old).map_err(failed)?;
        let is_unchanged = has_text(&file.old, old)?;
        if !is_unchanged || FileIdentity::read(path).ok() != Some(before) {
            return Err(changed_meanwhile(path));
        }
        fs::rename(&file.new, path).map_err(failed)?;
        self.files.push(file);
        // A process that had the old file open may have written into it during the comparison.
        if FileIdentity::read(&file.old).ok() != Some(backup) {
            return Err(changed_meanwhile(path));
        }
        Ok(())
    }

    fn create(&mut self, file: &'a StagedFile) -> Result<(), CliError> {
        let path = &file.path;
        let failed = |error: io::Error| nothing_written(path, &error);
        for folder in &file.missing_folders {
            match fs::create_dir(folder) {
                Ok(()) => self.created_folders.push(folder.clone()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        // Unlike a rename, a link never replaces a file. Some file systems have no links.
        if fs::hard_link(&file.new, path).is_err() {
            if path.symlink_metadata().is_ok() {
                return Err(changed_meanwhile(path));
            }
            fs::rename(&file.new, path).map_err(failed)?;
        }
        self.files.push(file);
        Ok(())
    }

    /// Restores the old state. Returns the files that could not be restored, with reasons.
    fn undo(&mut self) -> Vec<String> {
        let mut unrestored = Vec::new();
        for file in self.files.drain(..).rev() {
            let path = &file.path;
            let result = match FileIdentity::read(path) {
                Ok(now) if now == file.identity && file.replaces => fs::rename(&file.old, path),
                Ok(now) if now == file.identity => fs::remove_file(path),
                Ok(_) => Err(io::Error::other("another process changed it meanwhile")),
                Err(error) if error.kind() == ErrorKind::NotFound && !file.replaces => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                unrestored.push(format!("{}: {}", path.display(), io_reason(&error)));
            }
            if let Some(folder) = path.parent() {
                staging::flush(folder);
            }
        }
        for folder in self.created_folders.drain(..).rev() {
            // Fails if another process put something in it.
            let _ = fs::remove_dir(folder);
        }
        unrestored
    }
}

/// Fails if a file must not be written, or is not the one that was read.
fn check_writable(text: &NewText<'_>) -> Result<(), CliError> {
    let path = &text.path;
    let failed = |error: io::Error| {
        cli_error!(
            "{} cannot be written: {}",
            path.display(),
            io_reason(&error)
        )
        .hint("nothing was written")
    };
    let Some(old) = &text.old else {
        return match path.symlink_metadata() {
            Ok(_) => Err(changed_meanwhile(path)),
            Err(_) => Ok(()),
        };
    };
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(changed_meanwhile(path)),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.permissions().readonly() {
        return Err(cli_error!("{} is read-only", path.display()).hint(
            "nothing was written; make the file writable, or leave out `--write` and apply the printed patch elsewhere",
        ));
    }
    if !has_text(path, &**old)? {
        return Err(changed_meanwhile(path));
    }
    OpenOptions::new()
        .append(true)
        .open(path)
        .map(drop)
        .map_err(failed)
}

fn changed_meanwhile(path: &Path) -> CliError {
    cli_error!("{} changed on disk since it was read", path.display())
        .hint("nothing was written; run it again")
}

/// Collects signals until it is dropped; afterwards they end the process as usual.
struct Interrupt {
    /// Serializes saves, because a server may receive two at once.
    _one_at_a_time: MutexGuard<'static, ()>,
}

/// The signal handlers. They are registered once per process: those of an earlier save would end
/// the process during a later one.
struct Handlers {
    /// The last signal; 0 if there was none.
    signal: Arc<AtomicUsize>,
    is_idle: Arc<AtomicBool>,
}

static HANDLERS: LazyLock<Handlers> = LazyLock::new(Handlers::register);
static WATCHING: Mutex<()> = Mutex::new(());

impl Interrupt {
    fn watch() -> Self {
        let one_at_a_time = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        HANDLERS.signal.store(0, Ordering::SeqCst);
        HANDLERS.is_idle.store(false, Ordering::SeqCst);
        Self {
            _one_at_a_time: one_at_a_time,
        }
    }

    /// Fails if a signal has arrived.
    fn check(&self) -> Result<(), CliError> {
        match HANDLERS.signal.load(Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(CliError::Interrupted(signal as i32)),
        }
    }
}

impl Drop for Interrupt {
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
                // Handlers run in the order of registration. If registration fails, the signal ends
                // the process without restoring.
                let _ = flag::register_conditional_default(signal, handlers.is_idle.clone());
                let _ = flag::register_usize(signal, handlers.signal.clone(), signal as usize);
            }
        }
        handlers
    }
}

/// Ends the process as the signal does.
pub(crate) fn end_by_signal(signal: i32) {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}
