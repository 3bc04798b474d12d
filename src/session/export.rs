//! Differences from the files on disk, and their exports: bytes, a patch, commands, operations.

use super::file::Version;
use super::history::{FileChange, HistoryStep};
use super::{Changes, OUTSIDE, OpenFiles, Refused};
use catalog::diff::{self, CONTEXT, FilePatch, Hunk, LineKind};
use catalog::model::FileId;
use catalog::roots::relative;
use catalog::source::piece::{LineMarks, PieceTable};
use catalog::source::{ByteSource, ReadError};
use edit::command_line::command_line;
use edit::refused;
use protocol::operation::EditOp;
use std::borrow::Cow;
use std::ops::Range;

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangedFile {
    /// Path in the session.
    pub path: String,
    /// Name of the catalog that the file belongs to; "" above all of them.
    pub root: String,
    /// Path of the template whose next render loses the change; "" if none was found.
    pub rendered_from: String,
    /// The text of a rendered catalog, which is never saved.
    pub is_rendered: bool,
    pub created: bool,
    pub added: u32,
    pub removed: u32,
    /// Its previous size; 0 if it did not exist.
    pub bytes_before: u64,
    pub bytes_after: u64,
    pub hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchPaths {
    pub paths: Vec<String>,
    /// Whether they start at the top of the git repository.
    pub start_at_repository: bool,
}

impl OpenFiles {
    /// Returns the changed lines between a file and the host's.
    pub(super) fn diff_with_host(&self, path: &str) -> Result<Vec<Hunk>, Refused> {
        let (saved, current) = self.states(path)?;
        match (saved, current) {
            (Some(saved), Some(current))
                if saved.pieces.is_original() && saved.original == current.original =>
            {
                let marks = line_marks(saved);
                diff::file_diff(
                    &current.pieces,
                    current.original,
                    LineMarks(&marks),
                    &self.source,
                    CONTEXT,
                )
                .map_err(|e| unreadable(&e))
            }
            (saved, current) => Ok(diff::text_diff(
                &self.text_or_empty(saved)?,
                &self.text_or_empty(current)?,
                CONTEXT,
            )),
        }
    }

    /// Returns the sorted paths of the files that differ from the host's.
    pub fn changed_paths(&self) -> Vec<&str> {
        self.by_path
            .iter()
            .filter(|(_, id)| self.by_id.get(id).is_some_and(|f| f.is_changed()))
            .map(|(path, _)| path.as_str())
            .collect()
    }

    /// Returns the current bytes of a file, by its path in the session.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, Refused> {
        self.text_now(path)?.whole()
    }

    /// Like `bytes`, for reading in pieces.
    pub fn text_now(&self, path: &str) -> Result<FileText<'_>, Refused> {
        self.states(path)?
            .1
            .map(|current| self.file_text(current))
            .ok_or_else(|| no_file(path))
    }

    pub(super) fn file_text<'a>(&'a self, version: &'a Version) -> FileText<'a> {
        FileText {
            version,
            source: &self.source,
        }
    }

    pub(super) fn states(
        &self,
        path: &str,
    ) -> Result<(Option<&Version>, Option<&Version>), Refused> {
        let open = self.by_path.get(path).and_then(|id| self.by_id.get(id));
        let file = open
            .or_else(|| {
                self.rendered
                    .values()
                    .map(|rendered| &rendered.file)
                    .find(|file| file.path == path)
            })
            .ok_or_else(|| no_file(path))?;
        Ok((file.saved.as_ref(), file.current.as_ref()))
    }

    pub(super) fn text_of(&self, version: &Version) -> Result<Vec<u8>, Refused> {
        self.file_text(version).whole()
    }

    /// Returns the text of a version; empty without a version.
    pub(super) fn text_or_empty(&self, version: Option<&Version>) -> Result<Vec<u8>, Refused> {
        version.map_or_else(|| Ok(Vec::new()), |version| self.text_of(version))
    }
}

impl<'w> Changes<'w> {
    /// Returns the files that differ from the host's, with their diffs, in path order. Files
    /// without a differing line are left out.
    pub fn review(&self) -> Result<Vec<ChangedFile>, Refused> {
        let mut files = Vec::new();
        for path in self.session.files.changed_paths() {
            let file = self.review_file(path)?;
            let file = self.session.templates().without_kept_origin(file)?;
            if file.created || !file.hunks.is_empty() {
                files.push(file);
            }
        }
        Ok(files)
    }

    /// Returns the unsaved steps with a remaining effect in `changed`, the differences from the
    /// host's files. Steps that were reverted (even by hunks) or overwritten have none, nor do
    /// reverts.
    pub fn steps_in_effect(&self, changed: &[ChangedFile]) -> Vec<&'w HistoryStep> {
        let saved = self.saved_steps().unwrap_or_default();
        let unsaved = self
            .session
            .log
            .steps
            .get(saved..self.session.log.applied)
            .unwrap_or_default();
        let in_effect = unsaved.iter().filter(|step| {
            // If the file cannot be read again, keep the step.
            step.changes.iter().any(|change| {
                self.changed_between(change)
                    .map_or(true, |step| is_in_effect(&step, changed))
            })
        });
        in_effect.collect()
    }

    /// Returns the paths of changed files in a patch. They start at the top of the repository if
    /// the opened files show it, else at the opened folder.
    pub fn patch_paths(&self, changed: &[ChangedFile]) -> PatchPaths {
        let top = self.git_top(changed);
        let paths = changed.iter().map(|file| match top {
            Some("") => file.path.clone(),
            Some(top) => relative(&file.path, top).to_owned(),
            None => self.relative_to_opened(&file.path).into_owned(),
        });
        PatchPaths {
            paths: paths.collect(),
            start_at_repository: top.is_some()
                || self.session.repository.as_ref().is_some_and(|place| {
                    let mut files = changed.iter();
                    files.all(|file| place.repository_path(&file.path).is_some())
                }),
        }
    }

    /// Returns the innermost opened folder that is a git repository and contains all of `changed`;
    /// "" is above all opened folders.
    fn git_top(&self, changed: &[ChangedFile]) -> Option<&'w str> {
        let tops = self.session.files.by_path.keys().filter_map(|path| {
            let top = path
                .strip_suffix("/HEAD")
                .unwrap_or(path)
                .strip_suffix(".git")?;
            (top.is_empty() || top.ends_with('/')).then(|| top.trim_end_matches('/'))
        });
        tops.filter(|top| {
            changed
                .iter()
                .all(|file| top.is_empty() || catalog::roots::is_below(&file.path, top))
        })
        .max_by_key(|top| top.len())
    }

    pub fn review_file(&self, path: &str) -> Result<ChangedFile, Refused> {
        let files = &self.session.files;
        let (saved, current) = files.states(path)?;
        let hunks = files.diff_with_host(path)?;
        let (bytes_before, bytes_after) = (byte_count(saved), byte_count(current));
        Ok(ChangedFile {
            bytes_before,
            bytes_after,
            ..self.changed_file(path, saved.is_none(), hunks)
        })
    }

    /// Returns a patch of all changes for `git apply`.
    pub fn patch(&self) -> Result<Vec<u8>, Refused> {
        self.patch_of(|_| true)
    }

    pub fn patch_of(&self, is_selected: impl Fn(&str) -> bool) -> Result<Vec<u8>, Refused> {
        let mut files = self.review()?;
        files.retain(|file| is_selected(&file.path));
        let paths = self.patch_paths(&files).paths;
        let patches = files.iter().zip(&paths).map(|(file, path)| FilePatch {
            path: path.as_bytes(),
            is_new: file.created,
            hunks: &file.hunks,
        });
        Ok(diff::patch(&patches.collect::<Vec<_>>()))
    }

    /// Returns the applied operations as command lines, one per operation, to be run in the opened
    /// folder.
    pub fn commands(&self) -> Vec<String> {
        let folder = |root: &str| match self.relative_to_opened(root) {
            folder if folder.is_empty() => ".".to_owned(),
            folder => folder.into_owned(),
        };
        let commands = self.operations().into_iter().cloned().map(|mut op| {
            let root = self.session.root(op.catalog());
            let root = folder(root.map_or("", |root| root.name.as_str()));
            let is_outside = self.session.is_outside(op.catalog());
            if let Some(copy) = op.package_copy()
                && let Ok(source) = self.session.root(Some(copy.from))
            {
                *copy.from = folder(&source.name);
            }
            if let EditOp::ReplaceText { file, around, .. } = &mut op {
                // Name a file outside all catalogs relative to the opened folder.
                if is_outside {
                    *file = self.relative_to_opened(file).into_owned();
                }
                // Each command runs on the files as the previous ones left them.
                *around = None;
            }
            command_line(&op, &root)
        });
        commands.collect()
    }

    /// Returns the applied operations in order.
    pub fn operations(&self) -> Vec<&'w EditOp> {
        self.session
            .log
            .steps
            .iter()
            .take(self.session.log.applied)
            .flat_map(|step| &step.ops)
            .collect()
    }

    /// Returns a path relative to the opened folder: without the name of the single folder that
    /// contains everything. In a repository it is relative to the repository.
    pub fn relative_to_opened<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if let Some(place) = &self.session.repository {
            return place
                .repository_path(path)
                .map_or(Cow::Borrowed(path), Cow::Owned);
        }
        let path = match self
            .session
            .files
            .by_path
            .keys()
            .next()
            .and_then(|p| p.split_once('/'))
        {
            Some((top, _))
                if !self.session.is_one_root
                    && self
                        .session
                        .files
                        .by_path
                        .keys()
                        .all(|p| catalog::roots::is_below(p, top)) =>
            {
                if path == top {
                    ""
                } else {
                    relative(path, top)
                }
            }
            _ => path,
        };
        Cow::Borrowed(path)
    }

    /// Returns the catalog of a file and its path there, as text changes name it. A file outside
    /// all catalogs has its own path.
    pub(super) fn named_path(&self, path: &str) -> (String, String) {
        match self
            .session
            .roots
            .iter()
            .find(|root| root.rendering().is_none() && root.contains_file(path))
        {
            Some(root) => (root.name.clone(), root.relative(path).to_owned()),
            None => (OUTSIDE.to_owned(), path.to_owned()),
        }
    }

    /// Returns the operation that reverts one hunk of a review.
    pub fn revert_op(&self, path: &str, hunk: &Hunk) -> Result<EditOp, Refused> {
        let (catalog, file) = self.named_path(path);
        hunk.revert(Some(catalog), &file).ok_or_else(|| {
            refused!("a changed line of `{path}` is not UTF-8 text").help("undo the steps instead")
        })
    }

    /// Returns operations that restore the host's text of a file, last position first.
    pub(super) fn revert_ops(&self, path: &str) -> Result<Vec<EditOp>, Refused> {
        let file = self.review_file(path)?;
        file.hunks
            .iter()
            .rev()
            .map(|hunk| self.revert_op(path, hunk))
            .collect()
    }

    pub(super) fn changed_between(&self, change: &FileChange) -> Result<ChangedFile, Refused> {
        let path = self.session.files.path_of(change.id).to_owned();
        let before = change
            .before
            .clone()
            .unwrap_or_else(|| Version::empty(change.id));
        let marks = line_marks(&before);
        let source = self.session.files.file_text(&before);
        let hunks = diff::file_diff(
            &change.since,
            change.id,
            LineMarks(&marks),
            &source,
            CONTEXT,
        )
        .map_err(|e| unreadable(&e))?;
        let (bytes_before, bytes_after) = (before.pieces.len(), byte_count(change.after.as_ref()));
        Ok(ChangedFile {
            bytes_before,
            bytes_after,
            ..self.changed_file(&path, change.before.is_none(), hunks)
        })
    }

    pub(super) fn changed_file(&self, path: &str, created: bool, hunks: Vec<Hunk>) -> ChangedFile {
        let [added, removed] = [LineKind::Added, LineKind::Removed].map(|kind| {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.filter(|line| line.kind == kind).count() as u32
        });
        ChangedFile {
            path: path.to_owned(),
            root: self
                .session
                .roots
                .iter()
                .find(|root| root.contains_file(path))
                .map_or_else(String::new, |root| root.name.clone()),
            rendered_from: self
                .session
                .templates()
                .origin_of_file(path)
                .map_or_else(String::new, |origin| origin.template.clone()),
            created,
            added,
            removed,
            hunks,
            ..ChangedFile::default()
        }
    }
}

/// The text of one version of a file, for reading in pieces: a file may be too large to hold twice.
/// Also a byte source that treats this version as an original.
#[derive(Clone, Copy)]
pub struct FileText<'a> {
    version: &'a Version,
    source: &'a dyn ByteSource,
}

impl FileText<'_> {
    /// Returns the length in bytes.
    pub fn len(&self) -> u64 {
        self.version.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.version.pieces.is_empty()
    }

    /// Returns the bytes of `span`, cut at the end. Refused if the original cannot be read any
    /// more.
    pub fn piece(&self, span: Range<u64>) -> Result<Vec<u8>, Refused> {
        self.version
            .pieces
            .read(self.version.original, span, self.source)
            .map_err(|e| unreadable(&e))
    }

    pub fn whole(&self) -> Result<Vec<u8>, Refused> {
        self.piece(0..self.len())
    }
}

impl ByteSource for FileText<'_> {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        spans
            .iter()
            .map(|(_, span)| {
                self.version
                    .pieces
                    .read(self.version.original, span.clone(), self.source)
            })
            .collect()
    }
}

/// Returns the added and removed lines, without blank ones, which are equal everywhere.
fn changed_lines(hunks: &[Hunk]) -> impl Iterator<Item = (LineKind, &[u8])> {
    let lines = hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .filter(|line| line.kind != LineKind::Context);
    lines
        .filter(|line| !line.text.trim_ascii().is_empty())
        .map(|line| (line.kind, line.text.as_slice()))
}

fn byte_count(version: Option<&Version>) -> u64 {
    version.map_or(0, |version| version.pieces.len())
}

/// Returns the known line numbers in a version: those of its blobs' starts.
pub(super) fn line_marks(version: &Version) -> Vec<(u64, u32)> {
    version.index().map_or_else(Vec::new, |i| {
        i.blobs.iter().map(|b| (b.start, b.line)).collect()
    })
}

/// Whether a part of a step's change of a file remains in the file's whole change.
fn is_in_effect(step: &ChangedFile, changed: &[ChangedFile]) -> bool {
    let current = changed.iter().find(|file| file.path == step.path);
    current.is_some_and(|current| {
        current.created && step.created
            || changed_lines(&step.hunks)
                .any(|line| changed_lines(&current.hunks).any(|n| n == line))
    })
}

pub(super) fn unreadable(error: &ReadError) -> Refused {
    let help = match error {
        ReadError::Changed { .. } => "reload the folder; your edits are kept",
        ReadError::Failed { .. } => "pick the folder again; your edits are kept",
    };
    Refused::new(error.to_string()).help(help)
}

pub(super) fn no_file(path: &str) -> Refused {
    refused!("no file `{path}` is open")
}

/// Creates a table that records edits relative to a version.
pub(super) fn empty_table(version: Option<&Version>) -> PieceTable {
    PieceTable::new(version.map_or(0, |v| v.pieces.len()))
}
