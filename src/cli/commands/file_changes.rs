//! Prints changed and new files as a patch, or writes them.

use crate::error::{CliError, io_reason};
use crate::input::disk::Disk;
use crate::output;
use crate::write::{self, FolderLocks, NewText, Text};
use ::catalog::diff::{self, CONTEXT, FilePatch, Hunk, text_diff};
use ::edit::command_line::quote;
use ::edit::concatenate::{ConcatenatedFile, concatenate};
use protocol::counting::count_of;
use session::FileText;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, IsTerminal};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that differs from what was read.
struct FileChange {
    /// The place on disk, with links resolved.
    place: PathBuf,
    /// The path that was found; it may be a link.
    found: PathBuf,
    /// The path in the session.
    path: String,
    /// The path to print.
    shown: String,
    is_new: bool,
    hunks: Vec<Hunk>,
}

impl Text for FileText<'_> {
    fn len(&self) -> u64 {
        FileText::len(self)
    }

    fn piece(&self, span: Range<u64>) -> Result<Cow<'_, [u8]>, CliError> {
        Ok(Cow::Owned(FileText::piece(self, span)?))
    }
}

/// Writes all files of all folders, or none. Returns their printed paths.
pub(crate) fn write(disks: &[Disk], locks: &FolderLocks) -> Result<Vec<String>, CliError> {
    let (mut texts, mut paths) = (Vec::new(), Vec::new());
    for (disk, change) in changes(disks)? {
        if change.is_new && !change.place.starts_with(whole(disk.folder())) {
            let message = format!(
                "{} would be created outside of the catalog, as {}: a folder on its path is a link",
                change.shown,
                change.place.display()
            );
            return Err(CliError::new(message)
                .hint("nothing was written; replace the link by a folder, because opm does not follow it either"));
        }
        let read = disk
            .session
            .changes()
            .text_before_history(&change.path)?
            .map(|text| Box::new(text) as Box<dyn Text>);
        let new = Box::new(disk.session.files().text_now(&change.path)?);
        paths.push(change.shown.clone());
        texts.push(NewText {
            place: change.place,
            shown: change.shown,
            read,
            new,
        });
    }
    write::write(texts, locks)?;
    Ok(paths)
}

/// Returns the printed paths of changed files, and whether each is new.
pub(crate) fn files(disks: &[Disk]) -> Result<Vec<(String, bool)>, CliError> {
    Ok(changes(disks)?
        .into_iter()
        .map(|(_, change)| (change.shown, change.is_new))
        .collect())
}

/// Formats one patch for `git apply`, with paths relative to the folder that git expects.
pub(crate) fn patch(disks: &[Disk]) -> Result<Vec<u8>, CliError> {
    let changes = changes(disks)?.into_iter().map(|(_, change)| change);
    Ok(patch_files(
        disks.iter().map(Disk::folder),
        &changes.collect::<Vec<_>>(),
    ))
}

/// The place of a file, its previous text, if any, and its new text.
pub(crate) type BeforeAndAfter<'a> = (PathBuf, Option<&'a [u8]>, &'a [u8]);

/// Formats one patch of files below folders.
pub(crate) fn patch_of(folders: &[PathBuf], texts: Vec<BeforeAndAfter<'_>>) -> Vec<u8> {
    let changes: Vec<FileChange> = texts
        .into_iter()
        .map(|(found, before, after)| FileChange {
            place: whole(&found),
            path: String::new(),
            shown: found.display().to_string(),
            found,
            is_new: before.is_none(),
            hunks: text_diff(before.unwrap_or_default(), after, CONTEXT),
        })
        .collect();
    patch_files(folders.iter().map(PathBuf::as_path), &changes)
}

fn patch_files<'a>(folders: impl Iterator<Item = &'a Path>, changes: &[FileChange]) -> Vec<u8> {
    let here = std::env::current_dir().map(|here| whole(&here));
    let here = here.unwrap_or_default();
    let patch_base = PatchBase::around(folders, &here);
    let base = patch_base.folder();
    let mut files: Vec<(Vec<u8>, &FileChange)> = Vec::new();
    for change in changes {
        let path = change.place.strip_prefix(base);
        if path.is_err() && whole(change.found.parent().unwrap_or(base)).starts_with(base) {
            let message = format!("{} is a link to {}", change.shown, change.place.display());
            let help = format!(
                "git apply does not change files outside {}: use --write, or apply that part there",
                base.display()
            );
            output::print_diagnostic("warning", &message, None, &help);
        }
        let path = path
            .or_else(|_| change.place.strip_prefix("/"))
            .unwrap_or(&change.place);
        let parts: Vec<&[u8]> = path.iter().map(|part| part.as_encoded_bytes()).collect();
        files.push((parts.join(&b'/'), change));
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    if !files.is_empty() {
        tell_how_to_apply(&patch_base, &here, changes);
    }
    let patches = files.iter().map(|(path, change)| FilePatch {
        path,
        is_new: change.is_new,
        hunks: &change.hunks,
    });
    diff::patch(&patches.collect::<Vec<_>>())
}

/// Prints a hint about applying the patch, for people; for a script, only if git would silently ignore the patch.
fn tell_how_to_apply(base: &PatchBase, here: &Path, changes: &[FileChange]) {
    let is_below = changes.iter().all(|change| change.place.starts_with(here));
    let is_passed_over = base.is_repository_of(here) && !is_below;
    if is_passed_over {
        output::print_note(&format!(
            "git apply skips files outside the current folder; apply the patch with `{}`",
            base.command()
        ));
    } else if std::io::stdout().is_terminal() {
        let command = if is_below && here.starts_with(base.folder()) {
            "git apply".to_owned()
        } else {
            base.command()
        };
        output::print_note(&format!(
            "apply the patch with `{command}`, or write the files with --write"
        ));
    }
}

/// Returns each changed file once, in the order of folders and paths.
fn changes(disks: &[Disk]) -> Result<Vec<(&Disk, FileChange)>, CliError> {
    let mut changes: Vec<(&Disk, FileChange)> = Vec::new();
    let mut by_place: HashMap<PathBuf, usize> = HashMap::new();
    for disk in disks {
        for file in disk.session.changes().review()? {
            let found = disk.place(&file.path);
            let place = whole(&found);
            // With a single folder, paths are relative to it.
            let path = file.path;
            let display_path = if disks.len() > 1 {
                disk.folder().join(&path).display().to_string()
            } else {
                path.clone()
            };
            match by_place.get(&place).and_then(|at| changes.get(*at)) {
                Some((of, other)) => {
                    if of.session.files().bytes(&other.path)?
                        != disk.session.files().bytes(&path)?
                    {
                        return Err(write::places_differ(&other.shown, &display_path));
                    }
                }
                None => {
                    by_place.insert(place.clone(), changes.len());
                    let (is_new, hunks) = (file.created, file.hunks);
                    changes.push((
                        disk,
                        FileChange {
                            place,
                            found,
                            path,
                            shown: display_path,
                            is_new,
                            hunks,
                        },
                    ));
                }
            }
        }
    }
    Ok(changes)
}

/// Returns the absolute path, with links resolved as far as the path exists.
fn whole(place: &Path) -> PathBuf {
    let missing: Vec<_> = place
        .ancestors()
        .take_while(|at| at.canonicalize().is_err())
        .collect();
    let Some(first) = missing.last() else {
        return place.canonicalize().unwrap_or_else(|_| place.to_path_buf());
    };
    let above = first
        .parent()
        .filter(|above| !above.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let above = above.canonicalize().unwrap_or_else(|_| above.to_path_buf());
    above.join(
        place
            .strip_prefix(first.parent().unwrap_or(Path::new("")))
            .unwrap_or(place),
    )
}

/// A file of a new catalog.
pub(crate) struct OutputFile {
    /// Relative to the folder. Not a `String`, since a file name need not be UTF-8.
    pub(crate) path: PathBuf,
    /// Whether it contains blobs of the catalog.
    pub(crate) counts: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Joins the files with blobs to one stream.
pub(crate) fn join(files: &[OutputFile]) -> Result<Vec<u8>, CliError> {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.path.display().to_string())
        .collect();
    let counted = names.iter().zip(files).filter(|(_, file)| file.counts);
    let joined: Vec<ConcatenatedFile<'_>> = counted
        .map(|(path, file)| ConcatenatedFile {
            path,
            text: &file.bytes,
        })
        .collect();
    Ok(concatenate(&joined)?)
}

/// Refuses a folder that is not empty.
pub(crate) fn require_empty(out: &Path) -> Result<(), CliError> {
    let path = out.display();
    let mut entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(
                CliError::new(format!("{path} is a file")).hint("name a new folder with --out")
            );
        }
        Err(error) => return Err(CliError::new(format!("{path}: {}", io_reason(&error)))),
    };
    match entries.next() {
        None => Ok(()),
        Some(_) => {
            Err(CliError::new(format!("{path} is not empty")).hint("name a new folder with --out"))
        }
    }
}

/// Writes all files to the folder, or none. Creates the folder.
pub(crate) fn write_new(out: &Path, files: Vec<OutputFile>) -> Result<(), CliError> {
    let made = make(out)?;
    let folder = out.canonicalize().unwrap_or_else(|_| out.to_path_buf());
    let count = files.len();
    let texts = files
        .into_iter()
        .map(|file: OutputFile| {
            NewText::new(
                folder.join(&file.path),
                out.join(&file.path).display().to_string(),
                None,
                file.bytes,
            )
        })
        .collect();
    let written = FolderLocks::wait(&[&folder]).and_then(|locks| write::write(texts, &locks));
    match written {
        Ok(()) => output::print_note(&format!(
            "wrote {} to {}",
            count_of(count, "file"),
            out.display()
        )),
        // Remove the created folders again, except those that are not empty.
        Err(_) => made
            .iter()
            .rev()
            .for_each(|folder| drop(fs::remove_dir(folder))),
    }
    written
}

/// Creates a folder and its parents. Returns the created ones, topmost first.
fn make(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let above = folder
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut missing: Vec<PathBuf> = above
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(|error| CliError::io(folder, &error))?;
    Ok(missing)
}

/// The folder that paths of a patch are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PatchBase {
    /// The top of the repository that contains all edited folders.
    Repository(PathBuf),
    /// No repository: the current folder if it contains them all, else the edited folder.
    Folder(PathBuf),
}

impl PatchBase {
    /// Finds the base for files in these folders.
    fn around<'a>(folders: impl Iterator<Item = &'a Path>, here: &Path) -> Self {
        let folders: Vec<PathBuf> = folders.map(whole).collect();
        Self::find(&folders, here, |folder| folder.join(".git").exists())
    }

    /// Finds the base. All folders, including `here`, must be absolute and without links. `is_top` returns whether a
    /// folder is the top of a repository.
    fn find(folders: &[PathBuf], here: &Path, is_top: impl Fn(&Path) -> bool) -> Self {
        let top = folders
            .first()
            .and_then(|first| first.ancestors().find(|above| is_top(above)));
        // A folder in a nested repository belongs to that one.
        let is_its_own = |folder: &&PathBuf| folder.ancestors().find(|above| is_top(above)) != top;
        if let Some(top) = top
            && !folders.iter().any(|folder| is_its_own(&folder))
        {
            return PatchBase::Repository(top.to_path_buf());
        }
        match folders {
            [only] if !only.starts_with(here) => PatchBase::Folder(only.clone()),
            _ => PatchBase::Folder(here.to_path_buf()),
        }
    }

    fn folder(&self) -> &Path {
        match self {
            PatchBase::Repository(folder) | PatchBase::Folder(folder) => folder,
        }
    }

    /// Whether git, run in `here`, uses the repository of these paths.
    fn is_repository_of(&self, here: &Path) -> bool {
        matches!(self, PatchBase::Repository(top) if here.starts_with(top))
    }

    /// Returns the command that applies the patch from anywhere.
    fn command(&self) -> String {
        let folder = self.folder().display().to_string();
        format!("git -C {} apply", quote(&folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folders: &[&str], here: &str, tops: &[&str]) -> PatchBase {
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
        PatchBase::find(&folders, Path::new(here), |folder| {
            tops.iter().any(|top| folder == Path::new(top))
        })
    }

    #[test]
    fn the_repository_is_preferred_to_the_current_folder() {
        let top = PatchBase::Repository("/r".into());
        for here in ["/r", "/r/catalogs/v4.19", "/r/docs", "/elsewhere"] {
            assert_eq!(found(&["/r/catalogs/v4.19"], here, &["/r"]), top, "{here}");
        }
        assert_eq!(found(&["/r/a", "/r/b"], "/", &["/r"]), top);
        assert_eq!(found(&["/r"], "/", &["/r"]), top, "the whole repository");
    }

    #[test]
    fn without_one_repository_the_present_folder_counts_where_it_can() {
        assert_eq!(found(&["/c/a"], "/c", &[]), PatchBase::Folder("/c".into()));
        assert_eq!(
            found(&["/c/a"], "/elsewhere", &[]),
            PatchBase::Folder("/c/a".into())
        );
        assert_eq!(
            found(&["/c/a", "/c/b"], "/c", &[]),
            PatchBase::Folder("/c".into())
        );
        assert_eq!(
            found(&["/r/a", "/s/b"], "/", &["/r", "/s"]),
            PatchBase::Folder("/".into())
        );
        assert_eq!(
            found(&["/r/a", "/r/s/b"], "/r", &["/r", "/r/s"]),
            PatchBase::Folder("/r".into()),
            "a submodule"
        );
    }

    #[test]
    fn the_command_can_be_pasted() {
        assert_eq!(
            PatchBase::Repository("/r/a-b".into()).command(),
            "git -C /r/a-b apply"
        );
        assert_eq!(
            PatchBase::Folder("/it's here".into()).command(),
            r"git -C '/it'\''s here' apply"
        );
    }
}
