//! A catalog root: its files in walk order, ignored files, and the packages of its blobs.
//!
//! Assembled from existing [`FileIndex`]es; reads nothing itself. Replacing a file only reassembles
//! the packages named in its old or new blobs, and reports which of them really changed.

#[cfg(test)]
mod tests;

use crate::ignore::{self, IgnoreRules};
use crate::model::{
    Blob, BlobLocation, Body, Correction, Fault, FileId, FileIndex, Located, Package, load_rule,
};
use crate::roots::{name_of, parent};
use protocol::diagnostic::Location;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::{Place, Text};

/// Initial distance of neighbouring ranks.
const RANK_GAP: u32 = 1 << 12;

/// The content of a path other than a directory.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A file (or a link to one), indexed.
    Indexed(Arc<FileIndex>),
    /// An `.indexignore`: its bytes. It is never parsed as a catalog file.
    Ignore(Arc<[u8]>),
    /// A file that the host did not read because it is ignored.
    Unread,
    /// A symbolic link to a directory: not followed, and `opm` fails to read it as a file.
    LinkToDirectory,
    /// A broken symbolic link.
    BrokenLink,
    /// Otherwise unreadable; the system's message, such as `permission denied`.
    Unreadable(String),
}

/// A path of the tree with its content.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeEntry {
    pub id: FileId,
    /// Relative to the root, with `/`.
    pub path: String,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CatalogFile {
    pub id: FileId,
    pub path: String,
    pub content: Content,
    /// Whether an `.indexignore` excludes it.
    pub ignored: bool,
    /// Walk order as a number, with gaps for added files.
    rank: u32,
    /// Number of faults in its blobs, so that verdicts can skip files without any.
    faults: usize,
}

/// A refusal by `opm` while walking and loading, before packages matter.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadFault {
    pub file: FileId,
    pub rule: String,
    /// `opm`'s message.
    pub opm: String,
    pub message: String,
    pub help: String,
    pub location: Location,
    /// The intended text, if it is certain, and the index of its blob.
    pub correction: Option<(u32, Correction)>,
}

/// The first load faults of each file and rule.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstLoadFaults {
    pub faults: Vec<LoadFault>,
    /// For each file and rule with further faults.
    pub omitted: Vec<OmittedLoadFaults>,
}

/// The load faults of one file and rule that are not listed.
#[derive(Debug, Clone, PartialEq)]
pub struct OmittedLoadFaults {
    pub count: usize,
    pub first: LoadFault,
}

/// A load fault whose messages are not created yet: there can be a million.
#[derive(Debug, Clone, Copy)]
enum FaultRef<'a> {
    Ignore(&'a LoadFault),
    Walk {
        file: &'a CatalogFile,
        rule: &'static str,
    },
    Blob {
        file: &'a CatalogFile,
        index: u32,
        blob: &'a Blob,
        fault: &'a Fault,
    },
}

impl<'a> FaultRef<'a> {
    fn file_and_rule(self) -> (FileId, &'a str) {
        match self {
            Self::Ignore(fault) => (fault.file, &fault.rule),
            Self::Walk { file, rule } => (file.id, rule),
            Self::Blob { file, fault, .. } => (file.id, &fault.rule),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Catalog {
    root: String,
    /// In walk order.
    files: Vec<CatalogFile>,
    position: HashMap<FileId, usize>,
    rules: IgnoreRules,
    ignore_faults: Vec<LoadFault>,
    packages: BTreeMap<Text, Arc<Package>>,
}

/// Compares paths in walk order: per directory, the byte order of names.
pub fn walk_order(a: &str, b: &str) -> Ordering {
    a.split('/')
        .map(str::as_bytes)
        .cmp(b.split('/').map(str::as_bytes))
}

impl Catalog {
    /// Assembles a catalog. `root` is the folder as passed by the user, which one message of `opm`
    /// contains.
    pub fn new(root: impl Into<String>, entries: Vec<TreeEntry>) -> Self {
        let mut files: Vec<CatalogFile> = entries.into_iter().map(CatalogFile::new).collect();
        files.sort_small_by(|a, b| walk_order(&a.path, &b.path));
        let mut catalog = Self {
            root: root.into(),
            files,
            ..Self::default()
        };
        catalog.assign_ranks();
        catalog.read_ignore_rules();
        catalog.assemble_all();
        catalog
    }

    /// Creates a catalog with packages but no files, for questions that only need packages.
    pub fn from_packages(packages: impl IntoIterator<Item = Arc<Package>>) -> Self {
        let packages = packages
            .into_iter()
            .map(|package| (package.name.clone(), package))
            .collect();
        Self {
            packages,
            ..Self::default()
        }
    }

    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns all files in walk order, including ignored ones.
    pub fn files(&self) -> &[CatalogFile] {
        &self.files
    }

    /// Iterates over the files that are not ignored, in walk order.
    pub fn included_files(&self) -> impl Iterator<Item = &CatalogFile> {
        self.files.iter().filter(|file| !file.ignored)
    }

    pub fn file(&self, id: FileId) -> Option<&CatalogFile> {
        self.files.get(*self.position.get(&id)?)
    }

    pub fn file_at(&self, path: &str) -> Option<&CatalogFile> {
        self.files.get(self.find(path).ok()?)
    }

    /// Returns the position of a path in walk order, or where it would be.
    fn find(&self, path: &str) -> Result<usize, usize> {
        self.files
            .binary_search_by(|file| walk_order(&file.path, path))
    }

    pub fn blob(&self, file: FileId, index: u32) -> Option<&Blob> {
        self.file(file)?.blobs().get(index as usize)
    }

    /// Iterates over all packages that a blob names, sorted by name. Undefined ones have no
    /// [`Package::packages`]; blobs without a package are gathered under "".
    pub fn packages(&self) -> impl ExactSizeIterator<Item = &Arc<Package>> {
        self.packages.values()
    }

    pub fn package(&self, name: &str) -> Option<&Arc<Package>> {
        self.packages.get(name)
    }

    /// Replaces the package by `existing` if both consist of the same blobs, so that caches by
    /// package remain valid.
    pub fn share(&mut self, existing: &Arc<Package>) {
        if let Some(package) = self
            .packages
            .get_mut(&existing.name)
            .filter(|package| package.shares_blobs_with(existing))
        {
            package.clone_from(existing);
        }
    }

    pub fn ignore_rules(&self) -> &IgnoreRules {
        &self.rules
    }

    /// Converts a blob position to a location in its file.
    pub fn location(&self, file: FileId, blob: u32, place: Place) -> Location {
        let path = self.file(file).map_or_else(String::new, |f| f.path.clone());
        let (line, column) = self.blob(file, blob).map_or((0, 0), |b| (b.line, b.column));
        locate(path, line, column, place)
    }

    /// Replaces a file's content. Returns the packages with changed facts; others in the file only
    /// moved.
    pub fn replace_file(&mut self, id: FileId, content: Content) -> BTreeSet<Text> {
        let Some(&at) = self.position.get(&id) else {
            return BTreeSet::new();
        };
        let before = self.files[at].counted_index();
        let was_ignore = matches!(self.files[at].content, Content::Ignore(_));
        let is_ignore = matches!(content, Content::Ignore(_));
        self.files[at].set_content(content);
        if was_ignore || is_ignore {
            return self.apply_ignore_rules();
        }
        let after = self.files[at].counted_index();
        self.replace_blobs(id, before.as_deref(), after.as_deref())
    }

    /// Adds a file, or replaces the one with its path. Returns the changed packages, like
    /// [`Catalog::replace_file`].
    pub fn add_file(&mut self, entry: TreeEntry) -> BTreeSet<Text> {
        let at = match self.find(&entry.path) {
            Ok(at) if self.files[at].id == entry.id => {
                return self.replace_file(entry.id, entry.content);
            }
            Ok(at) => {
                let old = self.files[at].id;
                let mut changed = self.remove_file(old);
                changed.extend(self.add_file(entry));
                return changed;
            }
            Err(at) => at,
        };
        let low = at
            .checked_sub(1)
            .map_or(0, |before| self.files[before].rank);
        let high = self.files.get(at).map_or(u32::MAX, |after| after.rank);
        let mut file = CatalogFile::new(entry);
        file.rank = low + (high - low) / 2;
        file.ignored = self.rules.ignores(&file.path);
        let id = file.id;
        let has_no_rank = file.rank == low;
        let is_ignore = matches!(file.content, Content::Ignore(_));
        self.files.insert(at, file);
        self.index_positions();
        if has_no_rank {
            self.assign_ranks();
            self.read_ignore_rules();
            self.assemble_all();
            return self.packages.keys().cloned().collect();
        }
        if is_ignore {
            return self.apply_ignore_rules();
        }
        let after = self.files[at].counted_index();
        self.replace_blobs(id, None, after.as_deref())
    }

    /// Removes a file. Returns the changed packages, like [`Catalog::replace_file`].
    pub fn remove_file(&mut self, id: FileId) -> BTreeSet<Text> {
        let Some(&at) = self.position.get(&id) else {
            return BTreeSet::new();
        };
        let file = self.files.remove(at);
        self.index_positions();
        if matches!(file.content, Content::Ignore(_)) {
            return self.apply_ignore_rules();
        }
        let before = file.counted_index();
        let rank = file.rank;
        self.replace_blobs_at(id, rank, before.as_deref(), None)
    }

    /// Returns `opm`'s refusals before it considers packages, in its order.
    pub fn load_faults(&self) -> Vec<LoadFault> {
        self.each_load_fault().collect()
    }

    /// Iterates over the load faults without collecting them: there can be a million.
    pub fn each_load_fault(&self) -> impl Iterator<Item = LoadFault> {
        self.fault_refs().map(|fault| self.load_fault(fault))
    }

    /// Counts the load faults without creating messages.
    pub fn load_fault_count(&self) -> usize {
        self.ignore_faults.len()
            + self
                .included_files()
                .map(|file| file.faults + usize::from(file.is_unreadable()))
                .sum::<usize>()
    }

    /// Returns the first load faults of each file and rule, in order, at most `max_per_rule` of
    /// each.
    pub fn first_load_faults(&self, max_per_rule: usize) -> FirstLoadFaults {
        let mut first = Vec::new();
        let mut counts: BTreeMap<(FileId, &str), (usize, Option<FaultRef<'_>>)> = BTreeMap::new();
        for fault in self.fault_refs() {
            let (count, next) = counts.entry(fault.file_and_rule()).or_default();
            *count += 1;
            if *count <= max_per_rule {
                first.push(self.load_fault(fault));
            } else if next.is_none() {
                *next = Some(fault);
            }
        }
        let omitted = counts.into_values().filter_map(|(count, next)| {
            let first = self.load_fault(next?);
            Some(OmittedLoadFaults {
                count: count - max_per_rule,
                first,
            })
        });
        FirstLoadFaults {
            faults: first,
            omitted: omitted.collect(),
        }
    }

    fn fault_refs(&self) -> impl Iterator<Item = FaultRef<'_>> {
        let file_faults = self.included_files().flat_map(|file| {
            let walk_fault_ref = file.walk_rule().map(|rule| FaultRef::Walk { file, rule });
            walk_fault_ref.into_iter().chain(blob_fault_refs(file))
        });
        self.ignore_faults
            .iter()
            .map(FaultRef::Ignore)
            .chain(file_faults)
    }

    fn load_fault(&self, found: FaultRef<'_>) -> LoadFault {
        match found {
            FaultRef::Ignore(fault) => fault.clone(),
            FaultRef::Walk { file, rule } => self.walk_fault(file, rule),
            FaultRef::Blob {
                file,
                index,
                blob,
                fault,
            } => LoadFault {
                file: file.id,
                rule: fault.rule.to_string(),
                opm: fault.opm.clone(),
                message: fault.message.clone(),
                help: fault.help.clone(),
                location: locate(file.path.clone(), blob.line, blob.column, fault.place),
                correction: fault
                    .correction
                    .as_deref()
                    .map(|correction| (index, correction.clone())),
            },
        }
    }

    /// Returns the number that `opm` gives a deprecations blob: the count of those before it in
    /// load order, over all packages.
    pub fn deprecations_before(&self, order: u64) -> usize {
        self.packages
            .values()
            .flat_map(|p| &p.deprecations)
            .filter(|d| d.order < order)
            .count()
    }

    /// Whether an `.indexignore` excludes a path, existing or not.
    pub fn ignores(&self, path: &str) -> bool {
        self.rules.ignores(path)
    }

    /// Creates the fault of a file that breaks this rule of walking.
    fn walk_fault(&self, file: &CatalogFile, rule: &'static str) -> LoadFault {
        let path = &file.path;
        let (opm, message) = match &file.content {
            Content::LinkToDirectory => (
                format!("read {}/{path}: is a directory", self.root),
                format!("`{path}` is a link to a directory, which `opm` tries to read as a file"),
            ),
            Content::Unreadable(reason) => (
                format!("open {path}: {reason}"),
                format!("`{path}` cannot be read: {reason}"),
            ),
            _ => (
                format!("open {path}: no such file or directory"),
                format!("`{path}` is a broken link"),
            ),
        };
        LoadFault {
            file: file.id,
            rule: rule.to_owned(),
            opm,
            message,
            help: "remove it, or name it in `.indexignore`".to_owned(),
            location: locate(path.clone(), 0, 0, Place::default()),
            correction: None,
        }
    }

    fn read_ignore_rules(&mut self) {
        self.rules = IgnoreRules::default();
        self.ignore_faults.clear();
        for file in &self.files {
            if !file.is_ignore_file() {
                continue;
            }
            if let Content::Ignore(bytes) = &file.content {
                if let Err(error) = self.rules.add(parent(&file.path), bytes) {
                    let line = error.line + 1;
                    self.ignore_faults.push(LoadFault {
                        file: file.id,
                        rule: load_rule::IGNORE_LINE_TOO_LONG.to_owned(),
                        opm: error.to_string(),
                        message: format!("line {line} of `{}` is longer than 64 KiB", file.path),
                        help: "break the line up".to_owned(),
                        location: locate(file.path.clone(), error.line, 0, Place::default()),
                        correction: None,
                    });
                }
            } else if let Some(rule) = file.walk_rule() {
                self.ignore_faults.push(self.walk_fault(file, rule));
            }
        }
        for file in &mut self.files {
            file.ignored = file.is_ignore_file() || self.rules.ignores(&file.path);
        }
    }
}

impl CatalogFile {
    fn new(entry: TreeEntry) -> Self {
        let mut file = Self {
            id: entry.id,
            path: entry.path,
            content: Content::Unread,
            ignored: false,
            rank: 0,
            faults: 0,
        };
        file.set_content(entry.content);
        file
    }

    fn set_content(&mut self, content: Content) {
        self.content = content;
        self.faults = self.blobs().iter().map(|blob| blob.faults.len()).sum();
    }

    /// Returns the index of the file, ignored or not.
    pub fn index(&self) -> Option<&Arc<FileIndex>> {
        match &self.content {
            Content::Indexed(index) => Some(index),
            _ => None,
        }
    }

    /// Returns the blobs of the file, ignored or not; none if it is not indexed.
    pub fn blobs(&self) -> &[Blob] {
        self.index().map_or(&[][..], |index| &index.blobs)
    }

    /// Returns why `opm` ignores the text after the last blob, with the blob's index.
    pub fn ignored_text(&self) -> Option<(u32, &Fault)> {
        let (last, before) = self.blobs().split_last()?;
        Some((before.len() as u32, last.ignored_text.as_deref()?))
    }

    /// Whether the path is something other than a readable file.
    pub fn is_unreadable(&self) -> bool {
        self.walk_rule().is_some()
    }

    /// Returns the rule of walking that the path breaks.
    fn walk_rule(&self) -> Option<&'static str> {
        match self.content {
            Content::LinkToDirectory => Some(load_rule::WALK_LINK_TO_DIRECTORY),
            Content::BrokenLink => Some(load_rule::WALK_BROKEN_LINK),
            Content::Unreadable(_) => Some(load_rule::WALK_UNREADABLE),
            Content::Indexed(_) | Content::Ignore(_) | Content::Unread => None,
        }
    }

    /// Whether `opm` refuses a blob of the file.
    pub fn has_faults(&self) -> bool {
        self.faults > 0
    }

    /// Returns the effective index: `None` for an ignored file.
    fn counted_index(&self) -> Option<Arc<FileIndex>> {
        self.index().filter(|_| !self.ignored).cloned()
    }

    fn is_ignore_file(&self) -> bool {
        name_of(&self.path) == ignore::FILE_NAME
    }
}

fn blob_fault_refs(file: &CatalogFile) -> impl Iterator<Item = FaultRef<'_>> {
    let blobs = if file.has_faults() { file.blobs() } else { &[] };
    (0..).zip(blobs).flat_map(move |(index, blob)| {
        blob.faults.iter().map(move |fault| FaultRef::Blob {
            file,
            index,
            blob,
            fault,
        })
    })
}

/// Converts `place`, relative to a blob, to a location in the file `path`. The blob starts at
/// `line` and `column`, from 0.
fn locate(path: String, line: u32, column: u32, place: Place) -> Location {
    // Only the first line of a blob may begin after another blob.
    let shift = |at: u32| if at == 0 { column } else { 0 };
    Location {
        file: path,
        line: line + place.line + 1,
        column: place.column + shift(place.line) + 1,
        end_line: line + place.end_line + 1,
        end_column: place.end_column + shift(place.end_line) + 1,
    }
}

impl Catalog {
    fn assign_ranks(&mut self) {
        let gap = RANK_GAP
            .min(u32::MAX / (self.files.len() as u32).saturating_add(2))
            .max(1);
        for (i, file) in self.files.iter_mut().enumerate() {
            file.rank = (i as u32 + 1).saturating_mul(gap);
        }
        self.index_positions();
    }

    fn index_positions(&mut self) {
        self.position = self
            .files
            .iter()
            .enumerate()
            .map(|(i, f)| (f.id, i))
            .collect();
    }

    fn assemble_all(&mut self) {
        let mut packages: HashMap<Text, Package> = HashMap::default();
        for file in self.included_files() {
            push_blobs(&mut packages, file.blobs(), file.id, file.rank);
        }
        self.packages = packages
            .into_iter()
            .map(|(name, package)| (name, Arc::new(package)))
            .collect();
    }

    /// Applies changed ignore patterns. Returns the changed packages.
    fn apply_ignore_rules(&mut self) -> BTreeSet<Text> {
        let before: Vec<(FileId, bool)> = self.files.iter().map(|f| (f.id, f.ignored)).collect();
        self.read_ignore_rules();
        let mut changed = BTreeSet::new();
        for (id, was_ignored) in before {
            let Some(file) = self.file(id) else { continue };
            let Some(index) = file.index().cloned() else {
                continue;
            };
            match (was_ignored, file.ignored) {
                (false, true) => changed.extend(self.replace_blobs(id, Some(&index), None)),
                (true, false) => changed.extend(self.replace_blobs(id, None, Some(&index))),
                _ => {}
            }
        }
        changed
    }

    fn replace_blobs(
        &mut self,
        id: FileId,
        before: Option<&FileIndex>,
        after: Option<&FileIndex>,
    ) -> BTreeSet<Text> {
        let rank = self.file(id).map_or(0, |f| f.rank);
        self.replace_blobs_at(id, rank, before, after)
    }

    /// Replaces the blobs of one file in the packages that its old or new blobs name.
    fn replace_blobs_at(
        &mut self,
        id: FileId,
        rank: u32,
        before: Option<&FileIndex>,
        after: Option<&FileIndex>,
    ) -> BTreeSet<Text> {
        let mut new_parts: HashMap<Text, Package> = HashMap::default();
        for blob in before.map_or(&[][..], |i| &i.blobs) {
            if let Some(name) = package_name(&blob.body) {
                new_parts.entry(name.clone()).or_default();
            }
        }
        push_blobs(
            &mut new_parts,
            after.map_or(&[][..], |i| &i.blobs),
            id,
            rank,
        );
        let mut changed = BTreeSet::new();
        for (name, part) in new_parts {
            let package = self.packages.entry(name.clone()).or_insert_with(|| {
                Arc::new(Package {
                    name: name.clone(),
                    ..Package::default()
                })
            });
            let package = Arc::make_mut(package);
            let mut differs = replace_run(&mut package.packages, part.packages, id, rank);
            differs |= replace_run(&mut package.channels, part.channels, id, rank);
            differs |= replace_run(&mut package.bundles, part.bundles, id, rank);
            differs |= replace_run(&mut package.deprecations, part.deprecations, id, rank);
            differs |= replace_run(&mut package.others, part.others, id, rank);
            if is_empty(package) {
                self.packages.remove(&name);
            }
            if differs {
                changed.insert(name);
            }
        }
        changed
    }
}

/// Replaces the blobs of one file in a list in load order. Returns whether facts differ, not only
/// positions.
fn replace_run<T: PartialEq>(
    list: &mut Vec<Located<T>>,
    new: Vec<Located<T>>,
    file: FileId,
    rank: u32,
) -> bool {
    let start = list.partition_point(|l| l.order >> 32 < u64::from(rank));
    let length = list[start..].iter().take_while(|l| l.file == file).count();
    let old = &list[start..start + length];
    let is_same = old.len() == new.len()
        && old
            .iter()
            .zip(&new)
            .all(|(a, b)| Arc::ptr_eq(&a.data, &b.data) || a.data == b.data);
    list.splice(start..start + length, new);
    !is_same
}

fn is_empty(package: &Package) -> bool {
    package.packages.is_empty()
        && package.channels.is_empty()
        && package.bundles.is_empty()
        && package.deprecations.is_empty()
        && package.others.is_empty()
}

/// Returns the package that a blob names. Blobs of unknown schemas may name none.
fn package_name(body: &Body) -> Option<&Text> {
    let is_optional = matches!(body, Body::Other(_));
    body.package()
        .filter(|name| !is_optional || !name.is_empty())
}

/// Adds blobs of a file to the packages that they name.
fn push_blobs(packages: &mut HashMap<Text, Package>, blobs: &[Blob], file: FileId, rank: u32) {
    for (index, blob) in (0..).zip(blobs) {
        let Some(name) = package_name(&blob.body) else {
            continue;
        };
        let package = packages.entry(name.clone()).or_insert_with(|| Package {
            name: name.clone(),
            ..Package::default()
        });
        push_blob(package, &blob.body, file, index, rank);
    }
}

fn push_blob(package: &mut Package, body: &Body, file: FileId, index: u32, rank: u32) {
    let location = BlobLocation {
        order: u64::from(rank) << 32 | u64::from(index),
        file,
        index,
    };
    match body {
        Body::Package(b) => package.packages.push(located(b, location)),
        Body::Channel(b) => package.channels.push(located(b, location)),
        Body::Bundle(b) => package.bundles.push(located(b, location)),
        Body::Deprecations(b) => package.deprecations.push(located(b, location)),
        Body::Other(b) => package.others.push(located(b, location)),
        Body::Unreadable => {}
    }
}

fn located<T>(data: &Arc<T>, location: BlobLocation) -> Located<T> {
    Located {
        file: location.file,
        index: location.index,
        order: location.order,
        data: data.clone(),
    }
}
