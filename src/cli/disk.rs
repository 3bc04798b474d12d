//! A folder on disk as a workspace, and changed files written back.

use super::error::CliError;
use super::walk::{self, Found};
use crate::fbc::model::FileId;
use crate::fbc::source::bytes::{ByteSource, ReadError};
use crate::fbc::workspace::{self, NewFile, Root, Workspace};
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// A folder that is open.
pub(super) struct Disk {
    folder: PathBuf,
    pub(super) workspace: Workspace,
    /// Where each file stands, by its path in the workspace: links are followed when they are written.
    places: BTreeMap<String, PathBuf>,
}

impl Disk {
    /// Opens a folder as one catalog, always.
    pub(super) fn open(folder: &Path) -> Result<Self, CliError> {
        let found = walk::walk(folder)?;
        // What was read is what counts: a file that changes from here on is told as changed.
        let files = Files::new(&found);
        let entries: Vec<NewFile> = walk::index(&found);
        let workspace = workspace::open_one(&folder.display().to_string(), entries, Rc::new(files));
        let places = found.into_iter().map(|f| (f.path, f.on_disk)).collect();
        Ok(Self { folder: folder.to_path_buf(), workspace, places })
    }

    /// The folder as it was named.
    pub(super) fn name(&self) -> String {
        self.folder.display().to_string()
    }

    /// Opens a folder as one catalog, or a file that is a template.
    pub(super) fn open_any(path: &Path) -> Result<Self, CliError> {
        if !path.is_file() {
            return Self::open(path);
        }
        let found = vec![walk::file(path)];
        let files = Files::new(&found);
        let Some(entry) = walk::index(&found).pop() else { return Self::open(path) };
        let workspace = workspace::open_template(entry, Rc::new(files));
        if workspace.roots().is_empty() {
            return Err(CliError::new(format!("`{}` is no template", path.display()))
                .hint("name the folder of one catalog, or a file with the schema of a template"));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let places = found.into_iter().map(|f| (f.path, f.on_disk)).collect();
        Ok(Self { folder, workspace, places })
    }

    pub(super) fn root(&self) -> Result<&Root, CliError> {
        Ok(self.workspace.root(None)?)
    }

    /// Writes the changed files, each in one step: all new texts are on disk beside the old before the first old one
    /// goes, and none goes when any of them is another one than was read. Answers with their paths.
    pub(super) fn write(&self) -> Result<Vec<String>, CliError> {
        Self::write_all(std::slice::from_ref(self))
    }

    /// The same for several folders together.
    pub(super) fn write_all(disks: &[Disk]) -> Result<Vec<String>, CliError> {
        let mut ready: Vec<Ready> = Vec::new();
        let changed = disks.iter().flat_map(|disk| disk.workspace.changed_paths().into_iter().map(move |p| (disk, p)));
        for (disk, path) in changed {
            match disk.prepare(path) {
                // Of one folder, paths are told as seen from it.
                Ok(one) if disks.len() > 1 => {
                    ready.push(Ready { path: disk.folder.join(path).display().to_string(), ..one });
                }
                Ok(one) => ready.push(one),
                Err(error) => return Err(take_away(&ready, error)),
            }
        }
        if let Some(error) = ready.iter().find_map(|one| one.still_as_read().err()) {
            return Err(take_away(&ready, error));
        }
        for (done, one) in ready.iter().enumerate() {
            if let Err(error) = std::fs::rename(&one.temporary, &one.place) {
                let (written, missing) = ready.split_at(done);
                let names = |list: &[Ready]| list.iter().map(|one| one.path.as_str()).collect::<Vec<_>>().join(", ");
                let written = if written.is_empty() { "nothing".to_owned() } else { names(written) };
                let hint = format!("written: {written}; not written: {}", names(missing));
                let message = format!("{}: {}", one.place.display(), walk::words(&error));
                return Err(take_away(missing, CliError::new(message).hint(hint)));
            }
            flush_folder(&one.place);
        }
        Ok(ready.into_iter().map(|one| one.path).collect())
    }

    fn prepare(&self, path: &str) -> Result<Ready, CliError> {
        let bytes = self.workspace.bytes(path)?;
        let place = self.places.get(path).cloned().unwrap_or_else(|| self.folder.join(path));
        let place = std::fs::canonicalize(&place).unwrap_or(place);
        let read = self.workspace.bytes_at_first(path)?;
        Ok(Ready { temporary: beside(&place, &bytes)?, place, path: path.to_owned(), read })
    }
}

/// A new text that is on disk beside the file it is for.
struct Ready {
    temporary: PathBuf,
    place: PathBuf,
    /// As it is told.
    path: String,
    /// What was read; `None`: there was no such file.
    read: Option<Vec<u8>>,
}

impl Ready {
    /// Compares the bytes on disk with those that were read; dates do not tell everything.
    fn still_as_read(&self) -> Result<(), CliError> {
        let now = match std::fs::read(&self.place) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(CliError::new(format!("{}: {}", self.place.display(), walk::words(&error)))),
        };
        if now == self.read {
            return Ok(());
        }
        let message = format!("{} changed on disk since it was read", self.place.display());
        Err(CliError::new(message).hint("nothing was written; run it again"))
    }
}

fn take_away(ready: &[Ready], error: CliError) -> CliError {
    for one in ready {
        // What cannot be taken away is a file with a telling name, and the error says more.
        let _ = std::fs::remove_file(&one.temporary);
    }
    error
}

/// So that the new name outlives a power cut; systems without such a flush do it by themselves.
fn flush_folder(place: &Path) {
    if let Some(folder) = place.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

/// Writes a new file in the folder of `place`, with the permissions of what stands there.
fn beside(place: &Path, bytes: &[u8]) -> Result<PathBuf, CliError> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let name = place.file_name().map_or_else(|| "new".into(), |n| n.to_string_lossy());
    let says = |error: std::io::Error| CliError::new(format!("{}: {}", place.display(), walk::words(&error)));
    std::fs::create_dir_all(folder).map_err(says)?;
    let temporary = folder.join(format!(".{name}.switchyard-{}", std::process::id()));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Ok(metadata) = std::fs::metadata(place) {
            own(&temporary, &metadata);
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        says(error)
    })?;
    Ok(temporary)
}

/// Keeps the owner, where the user may give files away at all.
#[cfg(unix)]
fn own(file: &Path, like: &Metadata) {
    use std::os::unix::fs::{MetadataExt, chown};
    let _ = chown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn own(_file: &Path, _like: &Metadata) {}

/// The files that were indexed, to be read again.
struct Files(Vec<OpenedFile>);

struct OpenedFile {
    path: PathBuf,
    as_indexed: Option<(u64, Option<SystemTime>)>,
}

impl Files {
    fn new(found: &[Found]) -> Self {
        let opened = |found: &Found| OpenedFile {
            path: found.on_disk.clone(),
            as_indexed: std::fs::metadata(&found.on_disk).ok().map(|m| stamp(&m)),
        };
        Self(found.iter().map(opened).collect())
    }
}

impl ByteSource for Files {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(id, span): &(FileId, Range<u64>)| {
            let Some(opened) = self.0.get(id.0 as usize) else {
                return Err(ReadError::Failed { path: format!("file {}", id.0), reason: "not open".to_owned() });
            };
            let path = opened.path.display().to_string();
            let failed = |error: std::io::Error| ReadError::Failed { path: path.clone(), reason: walk::words(&error) };
            let mut file = File::open(&opened.path).map_err(failed)?;
            if file.metadata().ok().map(|m| stamp(&m)) != opened.as_indexed {
                return Err(ReadError::Changed { path });
            }
            file.seek(SeekFrom::Start(span.start)).map_err(failed)?;
            let mut bytes = vec![0; (span.end - span.start) as usize];
            file.read_exact(&mut bytes).map_err(failed)?;
            Ok(bytes)
        };
        spans.iter().map(read).collect()
    }
}

fn stamp(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}
