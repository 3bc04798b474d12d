//! Prints changed and new files as a patch, or writes them. A patch is for `git apply`.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::output;
use crate::write::{self, FolderLocks, NewText, Text};
use ::catalog::diff::{self, CONTEXT, FilePatch, Hunk, text_diff};
use ::edit::command_line::quote;
use serde_json::{Value, json};
use session::FileText;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that differs from what was read.
struct FileChange {
    /// The path on disk, with links resolved.
    target: PathBuf,
    /// The path on disk, which may be a link.
    link: PathBuf,
    session_path: String,
    /// The path to print.
    display_path: String,
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
        if change.is_new && !change.target.starts_with(resolve_links(disk.folder())) {
            let message = format!(
                "{} would be created outside of the catalog, as {}: a folder on its path is a link",
                change.display_path,
                change.target.display()
            );
            return Err(CliError::new(message)
                .hint("nothing was written; replace the link by a folder, because opm does not follow it either"));
        }
        let old = disk
            .session
            .changes()
            .text_before_history(&change.session_path)?
            .map(|text| Box::new(text) as Box<dyn Text>);
        let new = Box::new(disk.session.files().text_now(&change.session_path)?);
        paths.push(change.display_path.clone());
        texts.push(NewText {
            path: change.target,
            display_path: change.display_path,
            old,
            new,
        });
    }
    write::write(texts, locks)?;
    Ok(paths)
}

/// Returns the changed files as JSON.
pub(crate) fn files(disks: &[Disk]) -> Result<Vec<Value>, CliError> {
    let changes = changes(disks)?.into_iter();
    Ok(changes
        .map(|(_, change)| json!({ "file": change.display_path, "new": change.is_new }))
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

/// A file with its old and its new text.
pub(crate) struct ChangedText<'a> {
    pub path: PathBuf,
    /// `None` for a new file.
    pub before: Option<&'a [u8]>,
    pub after: &'a [u8],
}

/// Formats one patch of files below folders.
pub(crate) fn patch_of(folders: &[PathBuf], texts: Vec<ChangedText<'_>>) -> Vec<u8> {
    let changes: Vec<FileChange> = texts
        .into_iter()
        .map(|text| FileChange {
            target: resolve_links(&text.path),
            session_path: String::new(),
            display_path: text.path.display().to_string(),
            link: text.path,
            is_new: text.before.is_none(),
            hunks: text_diff(text.before.unwrap_or_default(), text.after, CONTEXT),
        })
        .collect();
    patch_files(folders.iter().map(PathBuf::as_path), &changes)
}

fn patch_files<'a>(folders: impl Iterator<Item = &'a Path>, changes: &[FileChange]) -> Vec<u8> {
    let current_dir = std::env::current_dir().map(|folder| resolve_links(&folder));
    let current_dir = current_dir.unwrap_or_default();
    let patch_base = PatchBase::for_folders(folders, &current_dir);
    let base = patch_base.folder();
    let mut files: Vec<(Vec<u8>, &FileChange)> = Vec::new();
    for change in changes {
        let path = change.target.strip_prefix(base);
        let link_folder = resolve_links(change.link.parent().unwrap_or(base));
        if path.is_err() && link_folder.starts_with(base) {
            let message = format!(
                "{} is a link to {}",
                change.display_path,
                change.target.display()
            );
            let help = format!(
                "git apply does not change files outside {}: use --write, or apply that part there",
                base.display()
            );
            output::print_diagnostic("warning", &message, None, &help);
        }
        let path = path
            .or_else(|_| change.target.strip_prefix("/"))
            .unwrap_or(&change.target);
        let parts: Vec<&[u8]> = path.iter().map(|part| part.as_encoded_bytes()).collect();
        files.push((parts.join(&b'/'), change));
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    if !files.is_empty() {
        print_apply_hint(&patch_base, &current_dir, changes);
    }
    let patches = files.iter().map(|(path, change)| FilePatch {
        path,
        is_new: change.is_new,
        hunks: &change.hunks,
    });
    diff::patch(&patches.collect::<Vec<_>>())
}

/// Prints a hint about applying the patch, for people; for a script, only if git would silently
/// ignore the patch.
fn print_apply_hint(base: &PatchBase, current_dir: &Path, changes: &[FileChange]) {
    let is_below = changes
        .iter()
        .all(|change| change.target.starts_with(current_dir));
    let is_skipped = base.is_repository_of(current_dir) && !is_below;
    if is_skipped {
        output::print_note(&format!(
            "git apply skips files outside the current folder; apply the patch with `{}`",
            base.command()
        ));
    } else if std::io::stdout().is_terminal() {
        let command = if is_below && current_dir.starts_with(base.folder()) {
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
    let mut by_target: HashMap<PathBuf, usize> = HashMap::new();
    for disk in disks {
        for file in disk.session.changes().review()? {
            let link = disk.path_on_disk(&file.path);
            let target = resolve_links(&link);
            let session_path = file.path;
            // With a single folder, the printed paths are relative to it.
            let display_path = if disks.len() > 1 {
                disk.folder().join(&session_path).display().to_string()
            } else {
                session_path.clone()
            };
            let earlier = by_target.get(&target).and_then(|index| changes.get(*index));
            if let Some((other_disk, other)) = earlier {
                let other_bytes = other_disk.session.files().bytes(&other.session_path)?;
                if other_bytes != disk.session.files().bytes(&session_path)? {
                    return Err(write::conflicting_edits(&other.display_path, &display_path));
                }
                continue;
            }
            by_target.insert(target.clone(), changes.len());
            let change = FileChange {
                target,
                link,
                session_path,
                display_path,
                is_new: file.created,
                hunks: file.hunks,
            };
            changes.push((disk, change));
        }
    }
    Ok(changes)
}

/// Returns the absolute path, with links resolved as far as the path exists.
fn resolve_links(path: &Path) -> PathBuf {
    let missing = path
        .ancestors()
        .take_while(|ancestor| ancestor.canonicalize().is_err());
    let Some(topmost_missing) = missing.last() else {
        return path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    };
    let parent = topmost_missing.parent().unwrap_or(Path::new(""));
    let existing = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    let existing = existing
        .canonicalize()
        .unwrap_or_else(|_| existing.to_path_buf());
    existing.join(path.strip_prefix(parent).unwrap_or(path))
}

/// Paths of a patch are relative to it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PatchBase {
    /// The top of the repository that contains all edited folders.
    Repository(PathBuf),
    /// No repository: the current folder if it contains them all, else the edited folder.
    Folder(PathBuf),
}

impl PatchBase {
    /// Finds the base for files in these folders.
    fn for_folders<'a>(folders: impl Iterator<Item = &'a Path>, current_dir: &Path) -> Self {
        let folders: Vec<PathBuf> = folders.map(resolve_links).collect();
        Self::find(&folders, current_dir, |folder| folder.join(".git").exists())
    }

    /// Finds the base. All folders must be absolute and without links. `is_top` returns whether a
    /// folder is the top of a repository.
    fn find(folders: &[PathBuf], current_dir: &Path, is_top: impl Fn(&Path) -> bool) -> Self {
        let top_of = |folder: &PathBuf| {
            let mut ancestors = folder.ancestors();
            ancestors
                .find(|ancestor| is_top(ancestor))
                .map(Path::to_path_buf)
        };
        // A folder in a nested repository belongs to that one.
        if let Some(top) = folders.first().and_then(top_of)
            && folders
                .iter()
                .all(|folder| top_of(folder).as_ref() == Some(&top))
        {
            return PatchBase::Repository(top);
        }
        match folders {
            [folder] if !folder.starts_with(current_dir) => PatchBase::Folder(folder.clone()),
            _ => PatchBase::Folder(current_dir.to_path_buf()),
        }
    }

    fn folder(&self) -> &Path {
        match self {
            PatchBase::Repository(folder) | PatchBase::Folder(folder) => folder,
        }
    }

    /// Whether git, run in this folder, uses the repository of these paths.
    fn is_repository_of(&self, folder: &Path) -> bool {
        matches!(self, PatchBase::Repository(top) if folder.starts_with(top))
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

    fn find_base(folders: &[&str], current_dir: &str, tops: &[&str]) -> PatchBase {
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
        PatchBase::find(&folders, Path::new(current_dir), |folder| {
            tops.iter().any(|top| folder == Path::new(top))
        })
    }

    #[test]
    fn the_repository_is_preferred_to_the_current_folder() {
        let top = PatchBase::Repository("/r".into());
        for here in ["/r", "/r/catalogs/v4.19", "/r/docs", "/elsewhere"] {
            assert_eq!(
                find_base(&["/r/catalogs/v4.19"], here, &["/r"]),
                top,
                "{here}"
            );
        }
        assert_eq!(find_base(&["/r/a", "/r/b"], "/", &["/r"]), top);
        assert_eq!(
            find_base(&["/r"], "/", &["/r"]),
            top,
            "the whole repository"
        );
    }

    #[test]
    fn without_a_shared_repository_the_current_folder_is_used_if_possible() {
        assert_eq!(
            find_base(&["/c/a"], "/c", &[]),
            PatchBase::Folder("/c".into())
        );
        assert_eq!(
            find_base(&["/c/a"], "/elsewhere", &[]),
            PatchBase::Folder("/c/a".into())
        );
        assert_eq!(
            find_base(&["/c/a", "/c/b"], "/c", &[]),
            PatchBase::Folder("/c".into())
        );
        assert_eq!(
            find_base(&["/r/a", "/s/b"], "/", &["/r", "/s"]),
            PatchBase::Folder("/".into())
        );
        assert_eq!(
            find_base(&["/r/a", "/r/s/b"], "/r", &["/r", "/r/s"]),
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
