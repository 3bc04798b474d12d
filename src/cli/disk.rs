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
    /// goes. Answers with their paths.
    pub(super) fn write(&self) -> Result<Vec<String>, CliError> {
        Self::write_all(std::slice::from_ref(self))
    }

    /// The same for several folders: no old text goes before all new ones of all folders are on disk.
    pub(super) fn write_all(disks: &[Disk]) -> Result<Vec<String>, CliError> {
        let mut ready: Vec<(PathBuf, PathBuf, String)> = Vec::new();
        let changed = disks.iter().flat_map(|disk| disk.workspace.changed_paths().into_iter().map(move |p| (disk, p)));
        for (disk, path) in changed {
            let written = disk.workspace.bytes(path).map_err(CliError::from).and_then(|bytes| {
                let place = disk.places.get(path).cloned().unwrap_or_else(|| disk.folder.join(path));
                let place = std::fs::canonicalize(&place).unwrap_or(place);
                Ok((beside(&place, &bytes)?, place))
            });
            match written {
                // Of one folder, paths are told as seen from it.
                Ok((temporary, place)) if disks.len() > 1 => {
                    ready.push((temporary, place, disk.folder.join(path).display().to_string()));
                }
                Ok((temporary, place)) => ready.push((temporary, place, path.to_owned())),
                Err(error) => {
                    for (temporary, ..) in &ready {
                        let _ = std::fs::remove_file(temporary);
                    }
                    return Err(error);
                }
            }
        }
        let mut done = Vec::new();
        for (temporary, place, path) in &ready {
            std::fs::rename(temporary, place).map_err(|error| {
                let missing = ready.len() - done.len();
                CliError::new(format!("{}: {}", place.display(), walk::words(&error))).hint(format!(
                    "{} of {} files were written; run it again",
                    ready.len() - missing,
                    ready.len()
                ))
            })?;
            done.push(path.clone());
        }
        Ok(done)
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
