//! The changed files of edits: as one patch, or as texts to write. Files are identified by their place on disk, so that
//! a file with several names, in one catalog or in two, counts once.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::output;
use crate::output::patch_base::PatchBase;
use crate::write::{self, FolderLocks, NewText, Text};
use fbc::diff::{self, FilePatch};
use fbc::diff::{CONTEXT, Hunk, text_diff};
use fbc::workspace::FileText;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that differs from what was read.
struct FileChange {
    /// The place on disk, with links resolved.
    place: PathBuf,
    /// The path that was found; it may be a link.
    found: PathBuf,
    /// The path in the workspace.
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
            .workspace
            .text_before_history(&change.path)?
            .map(|text| Box::new(text) as Box<dyn Text>);
        let new = Box::new(disk.workspace.text_now(&change.path)?);
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

/// The printed paths of changed files, and whether each is new.
pub(crate) fn files(disks: &[Disk]) -> Result<Vec<(String, bool)>, CliError> {
    Ok(changes(disks)?
        .into_iter()
        .map(|(_, change)| (change.shown, change.is_new))
        .collect())
}

/// One patch for `git apply`, with paths relative to where git expects them.
pub(crate) fn patch(disks: &[Disk]) -> Result<Vec<u8>, CliError> {
    let folders: Vec<PathBuf> = disks.iter().map(|disk| whole(disk.folder())).collect();
    let here = std::env::current_dir()
        .map(|here| whole(&here))
        .unwrap_or_default();
    let patch_base = PatchBase::find(&folders, &here, |folder| folder.join(".git").exists());
    let base = patch_base.folder();
    let mut files = Vec::new();
    for (_, change) in changes(disks)? {
        let way = change.place.strip_prefix(base);
        if way.is_err() && whole(change.found.parent().unwrap_or(base)).starts_with(base) {
            let message = format!("{} is a link to {}", change.shown, change.place.display());
            let help = format!(
                "git apply does not change files outside {}: use --write, or apply that part there",
                base.display()
            );
            output::print_diagnostic("warning", &message, None, &help);
        }
        let way = way
            .or_else(|_| change.place.strip_prefix("/"))
            .unwrap_or(&change.place);
        let parts: Vec<&[u8]> = way.iter().map(|part| part.as_encoded_bytes()).collect();
        files.push((parts.join(&b'/'), change));
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    if !files.is_empty() {
        tell_how_to_apply(
            &patch_base,
            &here,
            files.iter().map(|(_, change)| change.place.as_path()),
        );
    }
    let patches = files.iter().map(|(path, change)| FilePatch {
        path,
        is_new: change.is_new,
        hunks: &change.hunks,
    });
    Ok(diff::patch(&patches.collect::<Vec<_>>()))
}

/// The place of a file, its previous text, if any, and its new text.
pub(crate) type BeforeAndAfter<'a> = (PathBuf, Option<&'a [u8]>, &'a [u8]);

/// One patch of files below folders.
pub(crate) fn patch_of(
    folders: &[PathBuf],
    texts: &[BeforeAndAfter<'_>],
) -> Result<Vec<u8>, CliError> {
    let here = std::env::current_dir()
        .map(|here| whole(&here))
        .unwrap_or_default();
    let folders: Vec<PathBuf> = folders.iter().map(|folder| whole(folder)).collect();
    let patch_base = PatchBase::find(&folders, &here, |folder| folder.join(".git").exists());
    let mut files: Vec<(Vec<u8>, bool, Vec<Hunk>)> = Vec::new();
    for (place, before, after) in texts {
        let place = whole(place);
        let way = place.strip_prefix(patch_base.folder()).map_err(|_| {
            CliError::new(format!(
                "{} is not below {}",
                place.display(),
                patch_base.folder().display()
            ))
        })?;
        let parts: Vec<&[u8]> = way.iter().map(|part| part.as_encoded_bytes()).collect();
        files.push((
            parts.join(&b'/'),
            before.is_none(),
            text_diff(before.unwrap_or_default(), after, CONTEXT),
        ));
    }
    files.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    if !files.is_empty() {
        tell_how_to_apply(
            &patch_base,
            &here,
            texts.iter().map(|(place, ..)| place.as_path()),
        );
    }
    let patches = files.iter().map(|(path, is_new, hunks)| FilePatch {
        path,
        is_new: *is_new,
        hunks,
    });
    Ok(diff::patch(&patches.collect::<Vec<_>>()))
}

/// A hint about applying the patch, for people; for a script only if git would silently ignore the patch.
fn tell_how_to_apply<'a>(
    base: &PatchBase,
    here: &Path,
    mut places: impl Iterator<Item = &'a Path>,
) {
    let is_below = places.all(|place| place.starts_with(here));
    let is_passed_over = base.is_repository_of(here) && !is_below;
    if is_passed_over {
        output::note(&format!(
            "git apply skips files outside the current folder; apply the patch with `{}`",
            base.command()
        ));
    } else if std::io::stdout().is_terminal() {
        let command = if is_below && here.starts_with(base.folder()) {
            "git apply".to_owned()
        } else {
            base.command()
        };
        output::note(&format!(
            "apply the patch with `{command}`, or write the files with --write"
        ));
    }
}

/// Each changed file once, in the order of folders and paths.
fn changes(disks: &[Disk]) -> Result<Vec<(&Disk, FileChange)>, CliError> {
    let mut changes: Vec<(&Disk, FileChange)> = Vec::new();
    let mut by_place: HashMap<PathBuf, usize> = HashMap::new();
    for disk in disks {
        for file in disk.workspace.review()? {
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
                    if of.workspace.bytes(&other.path)? != disk.workspace.bytes(&path)? {
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

/// The absolute path with links resolved; for a new file, as far as the path exists.
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
