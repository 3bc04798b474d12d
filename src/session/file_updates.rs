//! Turns an operation into new file versions: plans it, splices it into the text, verifies it, and
//! parses the changed blobs again. Applies nothing.

use super::export::{no_file, unreadable};
use super::file::Version;
use super::file_lines::missing_blob;
use super::{Counters, OpenFiles, Planner, Refused, take_file_id};
use catalog::ignore;
use catalog::index::index_bytes;
use catalog::model::{Blob, Body, Fault, FileId, FileIndex, Pool, lower};
use catalog::roots::name_of;
use catalog::source::text_edit::{TextEdit, TextEdits};
use catalog::{Catalog, CatalogFile, Content};
use edit::item_change::{ItemChange, resolve_items};
use edit::patch::{Patch, PatchRefusal, RefusalKind, Value};
use edit::plan::{self, CatalogView, PlanStep};
use edit::refused;
use edit::splice::blob::{self, Neighbor, Window};
use edit::verify::{EditedBlob, edit_blob};
use protocol::operation::EditOp;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use syntax::order::SortSmall;
use syntax::place::Place;
use syntax::{self, tree::Format};

/// A new version of a file.
#[derive(Debug)]
pub(super) struct FileUpdate {
    pub(super) id: FileId,
    /// Path in the session.
    pub(super) path: String,
    pub(super) version: Version,
    /// The edits of the previous version.
    pub(super) edits: TextEdits,
}

/// Edits of a file's blobs, by index.
#[derive(Debug, Default)]
pub(super) struct BlobEdits {
    pub(super) edits: Vec<TextEdit>,
    /// The new text of changed blobs.
    changed: BTreeMap<u32, Vec<u8>>,
    pub(super) removed: Vec<u32>,
    /// New blobs: the index of the preceding blob; `None`: at the end.
    pub(super) added: Vec<Option<u32>>,
}

/// Returns the refusal if the edited text does not parse as intended.
pub(super) fn reread_mismatch(report: String) -> Refused {
    let kind = Some(RefusalKind::Mismatch);
    Refused {
        kind,
        ..Refused::new("the changed text does not parse as intended").help(report)
    }
}

/// Bytes read around a position to add or remove a blob there.
pub(super) const WINDOW: u64 = 4096;

impl Planner<'_> {
    /// Returns the changed files after `op`, without applying it.
    pub(super) fn plan_updates(&mut self, op: &EditOp) -> Result<Vec<FileUpdate>, Refused> {
        if self.session.is_outside(op.catalog()) {
            return self.outside_updates(op);
        }
        let at = self.session.root_position(op.catalog())?;
        let is_text = matches!(op, EditOp::ReplaceText { .. });
        if self.session.roots[at].is_template() && !is_text {
            return self.template_file_updates(at, op);
        }
        let op = self.with_package_files(op)?;
        if self.replaces_with_same_text(&self.session.roots[at], &op) {
            return Ok(Vec::new());
        }
        let mut steps = plan::plan(&op, &CatalogView::new(&self.session.roots[at].catalog))?;
        // At equal positions, text appended to a blob precedes a blob added after it; and text at
        // the end of a file depends on the remaining content.
        steps.sort_small_by_key(|step| {
            matches!(step, PlanStep::AddBlob { .. } | PlanStep::AppendText { .. })
        });
        let mut updates = Vec::new();
        let mut pending: BTreeMap<FileId, BlobEdits> = BTreeMap::new();
        for step in steps {
            updates.extend(self.plan_step(at, step, &mut pending)?);
        }
        for (file, edits) in pending {
            updates.push(self.finish(at, file, edits)?);
        }
        Ok(updates)
    }

    /// Adds a step's blob edits to `pending`, or returns the file that it creates or changes as a
    /// whole.
    fn plan_step(
        &mut self,
        root: usize,
        step: PlanStep,
        pending: &mut BTreeMap<FileId, BlobEdits>,
    ) -> Result<Option<FileUpdate>, Refused> {
        match step {
            PlanStep::Patch {
                file,
                index,
                patches,
                items,
            } => {
                let edited = self.edit(root, file, index, patches, &items)?;
                self.record_edit(edited, file, index, pending)?;
            }
            PlanStep::RemoveBlob { file, index } | PlanStep::RemoveCopy { file, index, .. } => {
                if let PlanStep::RemoveCopy { original, .. } = step {
                    self.check_same_text(root, (file, index), original)?;
                }
                let edits = self.remove_blob(root, file, index)?;
                let pending = pending.entry(file).or_default();
                pending.edits.extend(edits.as_slice().iter().cloned());
                pending.removed.push(index);
            }
            PlanStep::AddBlob {
                file,
                after,
                format,
                value,
            } => {
                let edits = self.add_blob(root, file, after, format, &value)?;
                let pending = pending.entry(file).or_default();
                pending.edits.extend(edits.as_slice().iter().cloned());
                pending.added.push(after);
            }
            PlanStep::AppendText {
                file,
                format,
                text,
                count,
            } => {
                let pending = pending.entry(file).or_default();
                self.append_text(root, file, (format, &text, count), pending)?;
            }
            PlanStep::CreateFile {
                path,
                format,
                value,
            } => {
                let text = self.new_file_text(root, &value, format)?;
                return Ok(Some(self.create(root, &path, text)));
            }
            PlanStep::CreateText { path, text } => {
                return Ok(Some(self.create(root, &path, text.into_bytes())));
            }
            PlanStep::ReplaceText {
                file,
                from,
                to,
                before,
                text,
            } => {
                let path = self.display_path(root, file);
                let update = self.replace_text(&path, file, (from, to), &before, text)?;
                return Ok(Some(update));
            }
        }
        Ok(None)
    }

    /// Finishes a file with a single edited blob.
    pub(super) fn finish_blob(
        &mut self,
        root: usize,
        file: FileId,
        index: u32,
        edited: EditedBlob,
    ) -> Result<FileUpdate, Refused> {
        let mut pending = BTreeMap::new();
        self.record_edit(edited, file, index, &mut pending)?;
        self.finish(root, file, pending.remove(&file).unwrap_or_default())
    }

    fn record_edit(
        &self,
        edited: EditedBlob,
        file: FileId,
        index: u32,
        pending: &mut BTreeMap<FileId, BlobEdits>,
    ) -> Result<(), Refused> {
        if edited.edits.is_empty() {
            return Ok(());
        }
        let start = self.session.files.blob(file, index)?.start as usize;
        let pending = pending.entry(file).or_default();
        pending.edits.extend(edited.edits_from(start));
        pending.changed.insert(index, edited.text);
        Ok(())
    }

    /// Patches one blob; resolves `items` from its text.
    fn edit(
        &self,
        root: usize,
        file: FileId,
        index: u32,
        mut patches: Vec<Patch>,
        items: &[ItemChange],
    ) -> Result<EditedBlob, Refused> {
        let text = self.blob_text(root, file, index)?;
        let blob = self.session.files.blob(file, index)?;
        let refused = |refusal: PatchRefusal| self.refuse(root, file, index, refusal);
        patches.extend(resolve_items(&text, blob.format, None, items).map_err(refused)?);
        edit_blob(&text, blob.format, &patches).map_err(refused)
    }

    /// Refuses if the texts of two blobs differ.
    fn check_same_text(
        &self,
        root: usize,
        copy: (FileId, u32),
        original: (FileId, u32),
    ) -> Result<(), Refused> {
        let (file, index) = copy;
        let text = self.blob_text(root, file, index)?;
        if text.trim_ascii() == self.blob_text(root, original.0, original.1)?.trim_ascii() {
            return Ok(());
        }
        let location = self.session.roots[root]
            .catalog
            .location(file, index, Place::default());
        Err(Refused::new(
            "the two blobs are not identical: they differ in fields that do not affect upgrades",
        )
        .help("remove one of them as text")
        .at(location))
    }

    pub(super) fn blob_text(
        &self,
        root: usize,
        file: FileId,
        index: u32,
    ) -> Result<Vec<u8>, Refused> {
        let version = self.readable(root, file)?;
        let blob = self.session.files.blob(file, index)?;
        self.session.files.pin(version)?;
        self.session.files.read(version, blob.start, blob.end)
    }

    fn remove_blob(&self, root: usize, file: FileId, index: u32) -> Result<TextEdits, Refused> {
        let version = self.readable(root, file)?;
        let target = self.session.files.blob(file, index)?;
        self.session.files.pin(version)?;
        let (bytes, start) = self
            .session
            .files
            .window(version, target.start, target.end)?;
        let window = Window {
            text: &bytes,
            start: start as usize,
            file_len: version.pieces.len() as usize,
        };
        blob::remove_blob(
            window,
            target.start as usize..target.end as usize,
            target.format,
        )
        .map_err(|refusal| self.refuse(root, file, index, refusal))
    }

    fn add_blob(
        &self,
        root: usize,
        file: FileId,
        after: Option<u32>,
        format: Format,
        value: &Value,
    ) -> Result<TextEdits, Refused> {
        let version = self.readable(root, file)?;
        self.session.files.pin(version)?;
        let blobs = version.index().map_or(&[][..], |i| &i.blobs);
        let before = match after {
            Some(index) => blobs.get(index as usize),
            None => blobs.last(),
        };
        let at = before.map_or(version.pieces.len(), |b| b.end);
        let (bytes, start) = self.session.files.window(version, at, at)?;
        let window = Window {
            text: &bytes,
            start: start as usize,
            file_len: version.pieces.len() as usize,
        };
        let style_source =
            self.neighbor(&self.session.roots[root].catalog, Some(file), value, format)?;
        blob::insert_blob(
            window,
            at as usize,
            style_source.as_ref().map(StyleSource::borrow),
            format,
            value,
        )
        .map_err(|refusal| self.refuse(root, file, after.unwrap_or_default(), refusal))
    }

    fn new_file_text(
        &self,
        root: usize,
        value: &Value,
        format: Format,
    ) -> Result<Vec<u8>, Refused> {
        let style_source = self.neighbor(&self.session.roots[root].catalog, None, value, format)?;
        blob::new_file(
            style_source.as_ref().map(StyleSource::borrow),
            format,
            value,
        )
        .map_err(|refusal| Refused::new(refusal.reason).help(refusal.help))
    }

    /// Returns the blob whose style a new one copies: of the same package, a bundle for a bundle,
    /// otherwise a small one, preferably in the same file.
    fn neighbor(
        &self,
        catalog: &Catalog,
        file: Option<FileId>,
        value: &Value,
        format: Format,
    ) -> Result<Option<StyleSource>, Refused> {
        let package = value["package"].as_str();
        let Some(package) = package.and_then(|name| catalog.package(name)) else {
            return Ok(None);
        };
        let is_bundle = value["schema"] == "olm.bundle";
        let bundle = package.bundles.first().map(|b| (b.file, b.index));
        let places = bundle
            .filter(|_| is_bundle)
            .into_iter()
            .chain(package.channels.iter().map(|c| (c.file, c.index)))
            .chain(package.packages.iter().map(|p| (p.file, p.index)))
            .chain(bundle);
        let mut places: Vec<(FileId, u32)> = places
            .filter(|(id, index)| {
                catalog
                    .blob(*id, *index)
                    .is_some_and(|b| b.format == format)
            })
            .collect();
        places.sort_small_by_key(|(id, _)| Some(*id) != file);
        let Some((id, index)) = places.first().copied() else {
            return Ok(None);
        };
        let (Some(version), Some(blob)) = (self.session.files.version(id), catalog.blob(id, index))
        else {
            return Ok(None);
        };
        let text = self.session.files.read(version, blob.start, blob.end)?;
        let first = version
            .index()
            .and_then(|i| i.blobs.first())
            .map_or(0, |b| b.start);
        let head = self.session.files.read(version, 0, first.min(WINDOW))?;
        Ok(Some(StyleSource {
            text,
            format,
            leading_separator: memchr::memmem::find(&head, b"---").is_some(),
        }))
    }

    /// Applies the collected edits of a file and updates its facts.
    fn finish(
        &mut self,
        root: usize,
        file: FileId,
        mut pending: BlobEdits,
    ) -> Result<FileUpdate, Refused> {
        let old = self.readable(root, file)?.clone();
        let path = self.session.files.path_of(file).to_owned();
        // Adjacent removed blobs both claim the separator between them.
        let mut edits = TextEdits::join(std::mem::take(&mut pending.edits))
            .map_err(|e| Refused::new(e.to_string()))?;
        let mut version = old.edited(&edits)?;
        let index = old.index().cloned().unwrap_or_default();
        let loses_all = pending.removed.len() > 1
            && pending.removed.len() == index.blobs.len()
            && pending.added.is_empty();
        if loses_all && blob::has_no_blob(&self.session.files.text_of(&version)?) {
            edits = TextEdits::join(vec![TextEdit::delete(0..old.pieces.len() as usize)])
                .unwrap_or_default();
            version = old.edited(&edits)?;
        }
        let removed: BTreeSet<u32> = pending.removed.iter().copied().collect();
        let can_shift = pending.added.is_empty()
            && can_shift_blobs(&index, &removed)
            && !self.session.files.is_yaml_like_json(&old, &index)?
            && !self.session.files.is_yaml_like_json(&version, &index)?;
        let new = if can_shift {
            self.shift_blobs(&old, &index, &edits, &pending.changed, &removed)?
        } else {
            self.index_file(&version)?
        };
        let expected = index.blobs.len() + pending.added.len() - pending.removed.len();
        if new.blobs.len() != expected {
            return Err(reread_mismatch(format!(
                "{path} would hold {} blobs instead of {expected}",
                new.blobs.len()
            )));
        }
        self.check_changed_blobs(&path, &version, &new, &pending)?;
        version.content = Content::Indexed(Arc::new(new));
        Ok(FileUpdate {
            id: file,
            path,
            version,
            edits,
        })
    }

    /// Checks that the changed blobs have their new text in the new version.
    fn check_changed_blobs(
        &self,
        path: &str,
        version: &Version,
        new: &FileIndex,
        edits: &BlobEdits,
    ) -> Result<(), Refused> {
        let mut removed = edits.removed.clone();
        removed.sort_small();
        let mut added_after: Vec<u32> = edits.added.iter().flatten().copied().collect();
        added_after.sort_small();
        for (&index, text) in &edits.changed {
            let removed_before = removed.partition_point(|other| *other < index);
            let added_before = added_after.partition_point(|other| *other < index);
            let new_index = index as usize - removed_before + added_before;
            let Some(blob) = new.blobs.get(new_index) else {
                continue;
            };
            // Ignore trailing blank lines: they may be removed with the next blob.
            let new_text = self.session.files.read(version, blob.start, blob.end)?;
            if new_text.trim_ascii_end() != text.trim_ascii_end() {
                return Err(reread_mismatch(format!(
                    "{path} would hold different text at line {}",
                    blob.line + 1
                )));
            }
        }
        Ok(())
    }

    /// Returns the facts after edits inside blobs and removals of whole blobs: parses changed blobs
    /// and shifts the others.
    pub(super) fn shift_blobs(
        &mut self,
        old: &Version,
        index: &FileIndex,
        edits: &TextEdits,
        changed: &BTreeMap<u32, Vec<u8>>,
        removed: &BTreeSet<u32>,
    ) -> Result<FileIndex, Refused> {
        // For each edit: its range, and the shift in bytes and lines after it.
        let mut shifts: Vec<(Range<u64>, i64, i64)> = Vec::new();
        let (mut bytes, mut lines) = (0, 0);
        for edit in edits.as_slice() {
            let removed_text =
                self.session
                    .files
                    .read(old, edit.range.start as u64, edit.range.end as u64)?;
            bytes += edit.insert.len() as i64 - edit.range.len() as i64;
            lines += count_line_breaks(&edit.insert) - count_line_breaks(&removed_text);
            shifts.push((edit.range.start as u64..edit.range.end as u64, bytes, lines));
        }
        // An edit at the very start of a changed blob belongs to it.
        let shifts_at = |offset: u64, is_changed: bool| {
            let count = shifts
                .partition_point(|(at, ..)| at.end <= offset && (at.start < offset || !is_changed));
            count
                .checked_sub(1)
                .and_then(|i| shifts.get(i))
                .map_or((0, 0), |(_, bytes, lines)| (*bytes, *lines))
        };
        let mut blobs = Vec::with_capacity(index.blobs.len());
        for (i, blob) in index.blobs.iter().enumerate() {
            if removed.contains(&(i as u32)) {
                continue;
            }
            let (byte_shift, line_shift) = shifts_at(blob.start, changed.contains_key(&(i as u32)));
            let start = blob.start.saturating_add_signed(byte_shift);
            let moved = Blob {
                start,
                end: start + (blob.end - blob.start),
                line: (i64::from(blob.line) + line_shift).max(0) as u32,
                ..blob.clone()
            };
            blobs.push(match changed.get(&(i as u32)) {
                Some(text) => {
                    self.session.counters.blobs_parsed += 1;
                    let (body, faults) = parse_facts(text, blob.format);
                    if body == Body::Unreadable && blob.body != Body::Unreadable {
                        let reason = faults.first().map_or("", |f| f.message.as_str());
                        return Err(
                            Refused::new("the changed blob could not be read again").help(reason)
                        );
                    }
                    Blob {
                        end: start + text.len() as u64,
                        body,
                        faults: faults.into_boxed_slice(),
                        ..moved
                    }
                }
                None => moved,
            });
        }
        Ok(FileIndex::new(
            index.size.saturating_add_signed(bytes),
            blobs,
        ))
    }

    /// Like [`Planner::plan_updates`], for a text change of a file outside all catalogs.
    fn outside_updates(&mut self, op: &EditOp) -> Result<Vec<FileUpdate>, Refused> {
        let EditOp::ReplaceText {
            file,
            at,
            before,
            text,
            ..
        } = op
        else {
            return Err(
                Refused::new("the operation names no catalog").help(self.session.root_names())
            );
        };
        match self
            .session
            .files
            .by_path
            .get(file)
            .copied()
            .filter(|id| self.session.files.version(*id).is_some())
        {
            None if before.is_empty() => Ok(vec![
                self.create_at(file.clone(), text.clone().into_bytes()),
            ]),
            None => Err(no_file(file)),
            Some(_) if before == text => Ok(Vec::new()),
            Some(id) => {
                let range = plan::parse_range(at)?;
                Ok(vec![self.replace_text(
                    file,
                    id,
                    (range.start, range.end),
                    before,
                    text.clone(),
                )?])
            }
        }
    }

    fn create(&mut self, root: usize, relative: &str, text: Vec<u8>) -> FileUpdate {
        self.create_at(self.session.roots[root].full_path(relative), text)
    }

    fn create_at(&mut self, path: String, text: Vec<u8>) -> FileUpdate {
        let id = self
            .session
            .files
            .by_path
            .get(&path)
            .copied()
            .unwrap_or_else(|| take_file_id(&mut self.session.next_id));
        let content = content_of(&mut self.session.counters, &path, text.clone());
        let edits = TextEdits::new(vec![TextEdit::insert(0, text.clone())]).unwrap_or_default();
        FileUpdate {
            id,
            path,
            version: Version::with_text(id, text, content),
            edits,
        }
    }

    pub(super) fn index_file(&mut self, version: &Version) -> Result<FileIndex, Refused> {
        self.session.counters.files_indexed += 1;
        Ok(index_bytes(&self.session.files.text_of(version)?))
    }

    /// Returns the version of a file with known text.
    pub(super) fn readable(&self, root: usize, file: FileId) -> Result<&Version, Refused> {
        self.session
            .files
            .readable_as(&self.display_path(root, file), file)
    }

    /// Returns the path of a file in a catalog's problems.
    pub(super) fn display_path(&self, root: usize, file: FileId) -> String {
        self.session.roots[root]
            .catalog
            .file(file)
            .map_or_else(String::new, |file: &CatalogFile| file.path.clone())
    }

    pub(super) fn refuse(
        &self,
        root: usize,
        file: FileId,
        index: u32,
        refusal: PatchRefusal,
    ) -> Refused {
        refused_in(&self.session.roots[root].catalog, file, index, refusal)
    }
}

impl OpenFiles {
    /// Whether a YAML file starts with a brace: it is tried as JSON first, and an edit can turn it
    /// into JSON.
    pub(super) fn is_yaml_like_json(
        &self,
        version: &Version,
        index: &FileIndex,
    ) -> Result<bool, Refused> {
        if index.blobs.iter().all(|b| b.format == Format::Json) {
            return Ok(false);
        }
        let head = self.read(version, 0, WINDOW.min(version.pieces.len()))?;
        Ok(String::from_utf8_lossy(&head).trim_start().starts_with('{'))
    }

    pub(super) fn readable_as(&self, path: &str, file: FileId) -> Result<&Version, Refused> {
        let version = self.version(file).ok_or_else(|| no_file("(gone)"))?;
        match version.content {
            Content::Indexed(_) | Content::Ignore(_) => Ok(version),
            _ => Err(refused!("`{path}` was not read").help("remove it from `.indexignore` first")),
        }
    }

    pub(super) fn blob(&self, file: FileId, index: u32) -> Result<&Blob, Refused> {
        let blob = self
            .version(file)
            .and_then(Version::index)
            .and_then(|i| i.blobs.get(index as usize));
        blob.ok_or_else(missing_blob)
    }

    /// Pins the original, so that it is kept in memory from the first edit of a file on.
    pub(super) fn pin(&self, version: &Version) -> Result<(), Refused> {
        self.source
            .pin(version.original, version.pieces.original_len())
            .map_err(|e| unreadable(&e))
    }

    pub(super) fn read(&self, version: &Version, start: u64, end: u64) -> Result<Vec<u8>, Refused> {
        self.file_text(version).piece(start..end)
    }

    /// Returns the bytes of a range with a margin on both sides, and their offset.
    fn window(&self, version: &Version, start: u64, end: u64) -> Result<(Vec<u8>, u64), Refused> {
        let from = start.saturating_sub(WINDOW);
        let to = (end + WINDOW).min(version.pieces.len());
        Ok((self.read(version, from, to)?, from))
    }
}

pub(super) fn content_of(counters: &mut Counters, path: &str, bytes: Vec<u8>) -> Content {
    if name_of(path) == ignore::FILE_NAME {
        return Content::Ignore(bytes.into());
    }
    counters.files_indexed += 1;
    Content::Indexed(Arc::new(index_bytes(&bytes)))
}

/// Returns the refusal of a blob change, with its position in the catalog.
pub(super) fn refused_in(
    catalog: &Catalog,
    file: FileId,
    index: u32,
    refusal: PatchRefusal,
) -> Refused {
    let help = match refusal.kind {
        _ if !refusal.help.is_empty() => refusal.help,
        RefusalKind::Mismatch => {
            "nothing was changed; edit it as text, and please report this".to_owned()
        }
        _ => "edit it as text".to_owned(),
    };
    let location = catalog.location(file, index, refusal.place);
    let reason = match refusal.kind {
        RefusalKind::Inherited => format!("{} in line {}", refusal.reason, location.line),
        _ => refusal.reason,
    };
    Refused {
        kind: Some(refusal.kind),
        ..Refused::new(reason).help(help).at(location)
    }
}

/// A blob whose style is copied, with its text.
struct StyleSource {
    text: Vec<u8>,
    format: Format,
    leading_separator: bool,
}

impl StyleSource {
    fn borrow(&self) -> Neighbor<'_> {
        Neighbor {
            text: &self.text,
            format: self.format,
            leading_separator: self.leading_separator,
        }
    }
}

/// Whether the facts of unchanged blobs remain valid if only blobs change or are removed. They do
/// not if objects share lines, if formats are mixed, or if an error depends on its position.
fn can_shift_blobs(index: &FileIndex, removed: &BTreeSet<u32>) -> bool {
    // `opm` reports the offset of broken JSON in the file.
    let is_shiftable = |blob: &Blob| {
        blob.column == 0
            && blob.format == index.blobs[0].format
            && !(blob.format == Format::Json && blob.body == Body::Unreadable)
    };
    // An error counts its lines from the separator, which the first document of a file lacks.
    let mut remaining = (0..)
        .zip(&index.blobs)
        .filter(|(i, _)| !removed.contains(i));
    let becomes_first = remaining.next().filter(|(i, _)| *i > 0);
    index.blobs.iter().all(is_shiftable)
        && becomes_first.is_none_or(|(_, blob)| blob.body != Body::Unreadable)
}

/// Returns the facts of one document, and `opm`'s refusals in it.
fn parse_facts(text: &[u8], format: Format) -> (Body, Vec<Fault>) {
    let checked = syntax::parse(text, format)
        .and_then(|tree| syntax::value::check(&tree, text).map(|()| tree));
    match checked {
        Ok(tree) => lower::lower_tree(&tree, text, format, &mut Pool::default()),
        Err(error) => (
            Body::Unreadable,
            vec![lower::syntax_fault(&error, text, format)],
        ),
    }
}

pub(super) fn count_line_breaks(bytes: &[u8]) -> i64 {
    memchr::memchr_iter(b'\n', bytes).count() as i64
}
