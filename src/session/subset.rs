//! Cuts a part out of a catalog as a catalog of its own: the files with their text, and `opm
//! validate`'s result. Does not change the session.
//!
//! Files without removed blobs are kept, files without remaining blobs are dropped. In the others
//! only the surroundings of removed blobs are read, and then the remainder, to index it again:
//! removed blobs cost almost nothing, regardless of their size.

mod losses;

use super::file::Version;
use super::file_updates::{refused_in, reread_mismatch};
use super::{OpenFiles, Refused, Root, Session};
use catalog::index::index_bytes;
use catalog::model::{Blob, FileId, FileIndex};
use catalog::source::text_edit::{TextEdit, TextEdits};
use catalog::{Catalog, CatalogFile, Content, TreeEntry};
use edit::patch::Patch;
use edit::plan::subset::{self, Unreadable};
use edit::plan::{CatalogView, PlanStep};
use edit::refused;
use edit::splice::blob::{BOM, removed_run};
use edit::verify::edit_blob;
use protocol::subset::{EntrySelection, Selection, SubsetLosses};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::place::Place;
use syntax::tree::Format;
use verdict::validate::{self, Verdict};

/// Bytes read beside removed blobs for the separators.
const SEPARATOR_MARGIN: u64 = 4096;

/// A catalog cut out of another one.
#[derive(Debug, Clone)]
pub struct Subset {
    /// In walk order.
    pub files: Vec<SubsetFile>,
    pub verdict: Verdict,
    pub remaining: Counts,
    /// Counts of the whole catalog.
    pub total: Counts,
    pub losses: SubsetLosses,
}

#[derive(Debug, Clone)]
pub struct SubsetFile {
    /// Relative to the catalog's folder.
    pub path: String,
    /// Excluded by an `.indexignore`, or the patterns themselves: contains nothing of the catalog.
    pub ignored: bool,
    pub(super) version: Version,
}

impl SubsetFile {
    /// Returns its facts; `None` if it is not read.
    pub fn index(&self) -> Option<&Arc<FileIndex>> {
        self.version.index()
    }

    /// Whether its text is available: not every host reads ignored files.
    pub fn is_read(&self) -> bool {
        matches!(
            self.version.content,
            Content::Indexed(_) | Content::Ignore(_)
        )
    }

    /// Returns the size of its text in bytes, if available.
    pub fn len(&self) -> u64 {
        self.version.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.version.pieces.is_empty()
    }

    /// Converts it to a file of another catalog with this path.
    pub(super) fn entry(&self, number: u32, path: String) -> TreeEntry {
        TreeEntry {
            id: FileId(number),
            path,
            content: self.version.content.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub packages: u32,
    pub channels: u32,
    pub entries: u32,
    pub bundles: u32,
}

impl Counts {
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let mut counts = Self::default();
        for package in catalog
            .packages()
            .filter(|package| !package.name.is_empty())
        {
            counts.packages += 1;
            counts.channels += package.channels.len() as u32;
            counts.entries += package
                .channels
                .iter()
                .map(|channel| channel.entries.len() as u32)
                .sum::<u32>();
            counts.bundles += package.bundles.len() as u32;
        }
        counts
    }
}

#[derive(Default)]
struct FileCut {
    removed: BTreeSet<u32>,
    changed: BTreeMap<u32, Vec<Patch>>,
}

pub fn subset(
    session: &Session,
    catalog: Option<&str>,
    selection: &Selection,
    unreadable: Unreadable,
) -> Result<Subset, Refused> {
    let root = session.root(catalog)?;
    if root.is_template() {
        return Err(refused!("`{}` is a template, not a catalog", root.name)
            .help("render it first and take a subset of the result"));
    }
    let full_catalog = root.catalog();
    let steps = subset::plan(&CatalogView::new(full_catalog), selection, unreadable)?;
    let files = remaining_files(&session.files, root, steps, unreadable)?;
    let entries = files
        .iter()
        .zip(0..)
        .map(|(file, number)| file.entry(number, file.path.clone()));
    let catalog = Catalog::new(full_catalog.root(), entries.collect());
    let (remaining, total) = (
        Counts::from_catalog(&catalog),
        Counts::from_catalog(full_catalog),
    );
    let verdict = validate::judge(&catalog);
    // Cutting the head may leave its chain unreachable.
    let cuts_heads = matches!(
        selection.entries,
        EntrySelection::Between { .. } | EntrySelection::Only(_)
    );
    if cuts_heads && root.verdict().passed && !verdict.passed {
        let problem = verdict.diagnostics.iter().find(|problem| problem.opm);
        let reason = problem.map_or("", |problem| problem.message.as_str());
        return Err(refused!(
            "without the entries above the upper bound, opm validate refuses the subset: {reason}"
        )
        .help("raise the upper bound, or keep one version, with `--only VERSION`"));
    }
    Ok(Subset {
        files,
        verdict,
        remaining,
        total,
        losses: losses::losses(full_catalog, &catalog, selection),
    })
}

/// Returns the catalog's files after steps that only remove or change content.
pub(super) fn remaining_files(
    files: &OpenFiles,
    root: &Root,
    steps: Vec<PlanStep>,
    unreadable: Unreadable,
) -> Result<Vec<SubsetFile>, Refused> {
    let mut cuts: BTreeMap<FileId, FileCut> = BTreeMap::new();
    for step in steps {
        match step {
            PlanStep::RemoveBlob { file, index } => {
                cuts.entry(file).or_default().removed.insert(index);
            }
            PlanStep::Patch {
                file,
                index,
                patches,
                ..
            } => {
                cuts.entry(file)
                    .or_default()
                    .changed
                    .entry(index)
                    .or_default()
                    .extend(patches);
            }
            _ => {}
        }
    }
    let full_catalog = root.catalog();
    let folders = RemainingFolders::new(full_catalog, &cuts);
    let mut remaining = Vec::new();
    for file in full_catalog
        .files()
        .iter()
        .filter(|file| folders.keeps(&file.path))
    {
        if unreadable == Unreadable::LeftOut && !file.ignored && file.is_unreadable() {
            continue;
        }
        let Some(version) = files.version(file.id) else {
            continue;
        };
        let version = match cuts.get(&file.id) {
            None => version.clone(),
            Some(cut) if cut.removed.len() == blobs(file).len() => continue,
            Some(cut) => cut_file(files, root, file, version, cut)?,
        };
        remaining.push(SubsetFile {
            path: file.path.clone(),
            ignored: file.ignored,
            version,
        });
    }
    Ok(remaining)
}

impl OpenFiles {
    /// Returns the text of a subset's file; `None` if the host did not or cannot read it.
    pub fn subset_bytes(&self, file: &SubsetFile) -> Result<Option<Vec<u8>>, Refused> {
        if !file.is_read() {
            return Ok(None);
        }
        self.text_of(&file.version).map(Some)
    }

    pub(super) fn blob_bytes(
        &self,
        file: FileId,
        index: u32,
    ) -> Result<(Vec<u8>, Format), Refused> {
        let blob = self.blob(file, index)?;
        let version = self
            .version(file)
            .ok_or_else(|| Refused::new("this file no longer exists"))?;
        Ok((self.read(version, blob.start, blob.end)?, blob.format))
    }
}

/// Cuts a file: removes some blobs and changes others.
fn cut_file(
    files: &OpenFiles,
    root: &Root,
    file: &CatalogFile,
    old: &Version,
    cut: &FileCut,
) -> Result<Version, Refused> {
    let mut edits = Vec::new();
    for run in removed_runs(blobs(file), &cut.removed) {
        edits.push(remove_run(files, old, run)?);
    }
    let mut texts: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (&index, patches) in cut
        .changed
        .iter()
        .filter(|(index, _)| !cut.removed.contains(index))
    {
        let Some(blob) = blobs(file).get(index as usize) else {
            continue;
        };
        let text = files.read(old, blob.start, blob.end)?;
        let edited = edit_blob(&text, blob.format, patches)
            .map_err(|refusal| refused_in(root.catalog(), file.id, index, refusal))?;
        edits.extend(edited.edits_from(blob.start as usize));
        texts.insert(index, edited.text);
    }
    let edits = TextEdits::join(edits).map_err(|error| Refused::new(error.to_string()))?;
    let mut version = old.edited(&edits)?;
    let bytes = files.text_of(&version)?;
    let index = index_bytes(&bytes);
    check_cut(files, root, file, old, (cut, &texts), (&index, &bytes))?;
    version.content = Content::Indexed(Arc::new(index));
    Ok(version)
}

fn remove_run(files: &OpenFiles, old: &Version, run: &[Blob]) -> Result<TextEdit, Refused> {
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return Ok(TextEdit::delete(0..0));
    };
    let before = files.read(
        old,
        first.start.saturating_sub(SEPARATOR_MARGIN),
        first.start,
    )?;
    let after = files.read(old, last.end, last.end + SEPARATOR_MARGIN)?;
    let mut removed = removed_run(
        &before,
        &after,
        first.start as usize..last.end as usize,
        first.format,
    );
    if removed.start < BOM.len() && files.read(old, 0, BOM.len() as u64)? == BOM {
        removed.start = BOM.len();
    }
    Ok(TextEdit::delete(removed))
}

/// Checks that remaining blobs are unchanged, and changed ones are as intended.
fn check_cut(
    files: &OpenFiles,
    root: &Root,
    file: &CatalogFile,
    old: &Version,
    (cut, texts): (&FileCut, &BTreeMap<u32, Vec<u8>>),
    (new, bytes): (&FileIndex, &[u8]),
) -> Result<(), Refused> {
    let remaining_blobs: Vec<(u32, &Blob)> = (0..)
        .zip(blobs(file))
        .filter(|(index, _)| !cut.removed.contains(index))
        .collect();
    if remaining_blobs.len() != new.blobs.len() {
        let (path, found, expected) = (&file.path, new.blobs.len(), remaining_blobs.len());
        return Err(reread_mismatch(format!(
            "{path} would hold {found} blobs instead of {expected}"
        )));
    }
    for ((index, blob), now) in remaining_blobs.into_iter().zip(&new.blobs) {
        let text = bytes
            .get(now.start as usize..now.end as usize)
            .unwrap_or_default();
        let is_expected = match texts.get(&index) {
            Some(changed) => trim_separators(text) == trim_separators(changed),
            None => {
                trim_separators(text) == trim_separators(&files.read(old, blob.start, blob.end)?)
            }
        };
        if now.format != blob.format || !is_expected {
            let location = root.catalog().location(file.id, index, Place::default());
            return Err(reread_mismatch(
                "this blob would parse differently next to the blobs that are kept".to_owned(),
            )
            .at(location));
        }
    }
    Ok(())
}

/// Trims the parts of a text that may be removed along with adjacent blobs.
fn trim_separators(text: &[u8]) -> &[u8] {
    text.strip_prefix(BOM).unwrap_or(text).trim_ascii()
}

fn blobs(file: &CatalogFile) -> &[Blob] {
    file.index().map_or(&[], |index| &index.blobs)
}

/// Returns the runs of consecutive removed blobs with one format.
fn removed_runs<'b>(blobs: &'b [Blob], removed: &BTreeSet<u32>) -> Vec<&'b [Blob]> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &index in removed {
        let at = index as usize;
        let format = blobs.get(at).map(|blob| blob.format);
        match runs.last_mut() {
            Some((first, end))
                if *end == at && blobs.get(*first).map(|blob| blob.format) == format =>
            {
                *end = at + 1
            }
            _ => runs.push((at, at + 1)),
        }
    }
    runs.into_iter()
        .filter_map(|(first, end)| blobs.get(first..end))
        .collect()
}

/// Tracks which folders still have content: files without blobs are dropped with the last blob
/// beside them.
struct RemainingFolders {
    /// Folders with blobs in or below them, and whether some of these remain.
    folders: BTreeMap<String, bool>,
}

impl RemainingFolders {
    fn new(catalog: &Catalog, cuts: &BTreeMap<FileId, FileCut>) -> Self {
        let mut folders: BTreeMap<String, bool> = BTreeMap::new();
        for file in catalog
            .files()
            .iter()
            .filter(|file| !file.ignored && !blobs(file).is_empty())
        {
            let remaining_blobs = cuts
                .get(&file.id)
                .is_none_or(|cut| cut.removed.len() < blobs(file).len());
            for folder in ancestor_folders(&file.path) {
                *folders.entry(folder.to_owned()).or_default() |= remaining_blobs;
            }
        }
        Self { folders }
    }

    /// Whether a file with this path is kept, based on its folder.
    fn keeps(&self, path: &str) -> bool {
        ancestor_folders(path)
            .find_map(|folder| self.folders.get(folder))
            .copied()
            .unwrap_or(true)
    }
}

/// Returns the folders of a path, nearest first, ending with "".
fn ancestor_folders(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest.filter(|path| !path.is_empty())?;
        let folder = path.get(..path.rfind('/').unwrap_or(0))?;
        rest = Some(folder);
        Some(folder)
    })
}
