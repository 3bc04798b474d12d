//! Where new texts are until they take their places: a folder on the same file system, so that taking a place is one step.
//!
//! It stands beside the catalog and not in it, since `opm` reads every file below its root. Where the catalog has the
//! file system to itself, or nothing may be written beside it, there is no such place; and what is beside one catalog may
//! be inside of a larger one. So the folder also holds an `.indexignore` that hides all it holds, from `opm` as from us.

use super::exchange::{is_text, places_differ};
use super::record::{self, EncodedPath, Entry, FileIdentity, Record};
use super::{NewText, pieces};
use crate::error::CliError;
use crate::walk::words;
use fbc::ignore;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How the names of staging folders begin. It sorts behind `.indexignore`: of the patterns of a catalog and those of a
/// folder in it the later ones count.
pub(crate) const PREFIX: &str = ".switchyard-";
/// The file that says whose the folder is, locked as long as the run is alive.
pub(crate) const OWNER: &str = "owner";
/// Names that are tried for one folder.
const TRIES: u32 = 1000;

/// Whose a staging folder is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Owner {
    pub(super) process: u32,
    /// The folders that the run changes.
    pub(super) folders: Vec<EncodedPath>,
    /// The staging folder that has the record, of several.
    pub(super) first: EncodedPath,
}

/// The staging folders of a run.
pub(super) struct Staging {
    staging_folders: Vec<StagingFolder>,
    folders: Vec<EncodedPath>,
    staged: usize,
    /// Texts of files with several names.
    linked: Vec<Linked>,
}

struct StagingFolder {
    folder: PathBuf,
    /// Its lock ends with it.
    _owner: File,
    /// Folders that files can be moved into from here.
    reaches: Vec<PathBuf>,
}

struct Linked {
    file: (u64, u64),
    staged: PathBuf,
    shown: String,
    /// Names that the run does not know.
    others: u64,
}

impl Staging {
    /// `folders` are those that the run changes.
    pub(super) fn new(beside: &Path, folders: &[PathBuf]) -> io::Result<Self> {
        let folders: Vec<EncodedPath> = folders
            .iter()
            .map(|folder| EncodedPath::of(folder))
            .collect();
        let staging_folder = StagingFolder::beside(beside, &folders, None)?;
        Ok(Self {
            staging_folders: vec![staging_folder],
            folders,
            staged: 0,
            linked: Vec::new(),
        })
    }

    /// The folder that has the record.
    pub(super) fn folder(&self) -> &Path {
        self.staging_folders
            .first()
            .map_or(Path::new("."), |staging_folder| &staging_folder.folder)
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.staging_folders
            .iter()
            .map(|staging_folder| staging_folder.folder.as_path())
    }

    /// Puts a text on disk, with the owner and the permissions of the file whose place it will take.
    pub(super) fn add(&mut self, text: &NewText<'_>) -> Result<Entry, CliError> {
        let failed = |error: io::Error| {
            CliError::new(format!("{}: {}", text.place.display(), words(&error)))
                .hint("nothing was written")
        };
        let parents = text.place.ancestors().skip(1);
        let mut missing: Vec<&Path> = parents.take_while(|folder| !folder.exists()).collect();
        missing.reverse();
        let stands_in = missing
            .first()
            .copied()
            .unwrap_or(&text.place)
            .parent()
            .unwrap_or(Path::new("."));
        let staging_folder = self.staging_folder_for(stands_in).map_err(failed)?;
        let number = self.staged;
        self.staged += 1;
        let (staged, kept) = (
            staging_folder.join(format!("{number}.new")),
            staging_folder.join(format!("{number}.old")),
        );
        let like = text
            .read
            .is_some()
            .then(|| fs::metadata(&text.place))
            .transpose()
            .map_err(failed)?;
        if !self.is_staged_by_another_name(text, like.as_ref(), &staged)? {
            stage(text, like.as_ref(), &staged)?;
        }
        Ok(Entry {
            place: EncodedPath::of(&text.place),
            identity: FileIdentity::of(&fs::symlink_metadata(&staged).map_err(failed)?),
            staged: EncodedPath::of(&staged),
            kept: like.map(|_| EncodedPath::of(&kept)),
            folders: missing.into_iter().map(EncodedPath::of).collect(),
        })
    }

    /// Files that keep a name elsewhere, which will have the text before.
    pub(super) fn named_elsewhere(&self) -> impl Iterator<Item = &str> {
        self.linked
            .iter()
            .filter(|linked| linked.others > 0)
            .map(|linked| linked.shown.as_str())
    }

    /// Removes all that was staged and kept. From here on what was exchanged is for good.
    pub(super) fn remove(self) {
        Record::forget(self.folder());
        flush(self.folder());
        for staging_folder in &self.staging_folders {
            remove_staging_folder(&staging_folder.folder);
        }
    }

    /// A file with several names stays one file, as far as its names are known.
    fn is_staged_by_another_name(
        &mut self,
        text: &NewText<'_>,
        like: Option<&Metadata>,
        staged: &Path,
    ) -> Result<bool, CliError> {
        let Some((file, names)) = like.and_then(linked) else {
            return Ok(false);
        };
        let Some(known) = self.linked.iter_mut().find(|known| known.file == file) else {
            let shown = text.shown.clone();
            self.linked.push(Linked {
                file,
                staged: staged.to_path_buf(),
                shown,
                others: names - 1,
            });
            return Ok(false);
        };
        let failed = |error: io::Error| {
            CliError::new(format!("{}: {}", known.staged.display(), words(&error)))
                .hint("nothing was written")
        };
        let mut first = File::open(&known.staged).map_err(failed)?;
        if !is_text(&mut first, &*text.new, failed)? {
            return Err(places_differ(&known.shown, &text.shown));
        }
        known.others = known.others.saturating_sub(1);
        Ok(fs::hard_link(&known.staged, staged).is_ok())
    }

    /// The staging folder from which files can be moved into a folder.
    fn staging_folder_for(&mut self, folder: &Path) -> io::Result<PathBuf> {
        for staging_folder in &mut self.staging_folders {
            if staging_folder.reaches_into(folder) {
                return Ok(staging_folder.folder.clone());
            }
        }
        let first = EncodedPath::of(self.folder());
        let mut staging_folder = StagingFolder::beside(folder, &self.folders, Some(first))?;
        let made = staging_folder.folder.clone();
        let reaches = staging_folder.reaches_into(folder);
        self.staging_folders.push(staging_folder);
        if reaches {
            Ok(made)
        } else {
            Err(ErrorKind::CrossesDevices.into())
        }
    }
}

impl StagingFolder {
    /// A new folder beside this one or, where that is another file system or nothing may be written there, in it.
    fn beside(
        folder: &Path,
        folders: &[EncodedPath],
        first: Option<EncodedPath>,
    ) -> io::Result<Self> {
        let above = folder.parent().filter(|above| same_device(above, folder));
        if let Some(Ok(staging_folder)) =
            above.map(|above| Self::create(above, folders, first.clone()))
        {
            return Ok(staging_folder);
        }
        Self::create(folder, folders, first)
    }

    fn create(
        within: &Path,
        folders: &[EncodedPath],
        first: Option<EncodedPath>,
    ) -> io::Result<Self> {
        for number in 0..TRIES {
            let folder = within.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match Self::create_as(&folder, folders, first.as_ref()) {
                Ok(Some(owner)) => {
                    return Ok(Self {
                        folder,
                        _owner: owner,
                        reaches: Vec::new(),
                    });
                }
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    remove_staging_folder(&folder);
                    return Err(error);
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// `None`: another run took the folder for what a dead one left, before it was locked.
    fn create_as(
        folder: &Path,
        folders: &[EncodedPath],
        first: Option<&EncodedPath>,
    ) -> io::Result<Option<File>> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let mut owner = match File::create_new(folder.join(OWNER)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            owner => owner?,
        };
        match owner.lock() {
            Err(error) if error.kind() != ErrorKind::Unsupported => return Err(error),
            _ => {}
        }
        let here = FileIdentity::of(&owner.metadata()?);
        if !here.stands_at(&folder.join(OWNER)) {
            return Ok(None);
        }
        let first = first.cloned().unwrap_or_else(|| EncodedPath::of(folder));
        let said = Owner {
            process: std::process::id(),
            folders: folders.to_vec(),
            first,
        };
        owner.write_all(&serde_json::to_vec(&said)?)?;
        owner.sync_all()?;
        fs::write(folder.join(ignore::FILE_NAME), "*\n")?;
        Ok(Some(owner))
    }

    fn reaches_into(&mut self, folder: &Path) -> bool {
        if self.reaches.iter().any(|known| known == folder) {
            return true;
        }
        // Within one device there may be mounts that nothing can be moved between. They are shown before it is seen that
        // there is no such file.
        let nothing = "nothing";
        let moved = fs::rename(
            self.folder.join(nothing),
            folder.join(format!("{PREFIX}{nothing}")),
        );
        let crosses = moved.is_err_and(|error| error.kind() == ErrorKind::CrossesDevices);
        let reaches = !crosses && same_device(&self.folder, folder);
        if reaches {
            self.reaches.push(folder.to_path_buf());
        }
        reaches
    }
}

/// Removes a staging folder. What cannot be removed, or is not in time, is found by the next run: by whose it is and what
/// became of it, which therefore go last, or, without them, by [`remove_empty_staging_folder`].
pub(super) fn remove_staging_folder(folder: &Path) {
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !is_bookkeeping(entry))
    {
        let _ = fs::remove_file(entry.path());
    }
    remove_empty_staging_folder(folder);
}

/// Removes a staging folder that holds no staged text; whether it is gone. Where one is left, it stays hidden.
pub(super) fn remove_empty_staging_folder(folder: &Path) -> bool {
    let is_husk = fs::read_dir(folder)
        .is_ok_and(|mut all| all.all(|entry| entry.is_ok_and(|e| is_bookkeeping(&e))));
    if !is_husk {
        return false;
    }
    for name in BOOKKEEPING {
        let _ = fs::remove_file(folder.join(name));
    }
    fs::remove_dir(folder).is_ok()
}

/// What a staging folder holds besides staged texts and their record, in the order in which it goes.
const BOOKKEEPING: [&str; 3] = [OWNER, record::CLOSED, ignore::FILE_NAME];

fn is_bookkeeping(entry: &fs::DirEntry) -> bool {
    BOOKKEEPING.iter().any(|name| entry.file_name() == *name)
}

fn stage(text: &NewText<'_>, like: Option<&Metadata>, staged: &Path) -> Result<(), CliError> {
    let failed = |error: io::Error| {
        CliError::new(format!("{}: {}", text.place.display(), words(&error)))
            .hint("nothing was written")
    };
    let mut file = File::create_new(staged).map_err(failed)?;
    for span in pieces(&*text.new) {
        file.write_all(&text.new.piece(span)?).map_err(failed)?;
    }
    if let Some(like) = like {
        give_to_owner(&file, like).map_err(|error| {
            let message = format!(
                "the owner of {} cannot be kept: {}",
                text.place.display(),
                words(&error)
            );
            CliError::new(message)
                .hint("nothing was written; let the owner run this, or apply the patch")
        })?;
        file.set_permissions(like.permissions()).map_err(failed)?;
    }
    file.sync_all().map_err(failed)
}

/// So that new names outlive a power cut; systems without such a flush do it by themselves.
pub(super) fn flush(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(unix)]
fn give_to_owner(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    let other = |own: u32, theirs: u32| (own != theirs).then_some(theirs);
    match (other(own.uid(), like.uid()), other(own.gid(), like.gid())) {
        (None, None) => Ok(()),
        (user, group) => fchown(file, user, group),
    }
}

#[cfg(not(unix))]
fn give_to_owner(_file: &File, _like: &Metadata) -> io::Result<()> {
    Ok(())
}

/// A file with several names: which it is, and how many they are.
#[cfg(unix)]
fn linked(metadata: &Metadata) -> Option<((u64, u64), u64)> {
    use std::os::unix::fs::MetadataExt;
    (metadata.nlink() > 1).then(|| ((metadata.dev(), metadata.ino()), metadata.nlink()))
}

#[cfg(not(unix))]
fn linked(_metadata: &Metadata) -> Option<((u64, u64), u64)> {
    None
}

#[cfg(unix)]
fn same_device(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.dev());
    device(one).is_some() && device(one) == device(other)
}

#[cfg(not(unix))]
fn same_device(_one: &Path, _other: &Path) -> bool {
    true
}
