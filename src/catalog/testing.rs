//! Test helpers of this crate and of those above it: packages in a compact notation, and files in
//! memory.
//!
//! An entry is `NAME@VERSION r:REPLACES s:SKIP,SKIP sr:RANGE`, and its bundle may have `max:4.18`
//! (OpenShift), `kube:1.30.0`, `image:x`, `api:KIND`, `needs:KIND`, `wants:LABEL`, `asks:JSON`,
//! `!deprecated`, `!prohibited` and `!required` (an API that no bundle provides). `_` in a range is
//! a blank; a word without a key continues the range.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::index::index_bytes;
use crate::model::blob::{
    ChannelBlob, DeprecationEntry, DeprecationsBlob, Entry, PackageBlob, PackageProperty, Property,
    PropertyFact,
};
use crate::model::{BundleBlob, FileId, Located, Package};
use crate::source::{ByteSource, ReadError};
use crate::version::version_in_name;
use crate::{Content, TreeEntry};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use syntax::place::{Place, Spanned, Text};

/// What bundle an entry without a version has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MissingVersions {
    /// None.
    NoBundle,
    /// One with the version 0.0.1, 0.0.2, … in the order of the entries.
    Numbered,
    /// One with the version at the end of its name; none if the name has no version.
    FromName,
}

/// A package whose default channel is the first one.
#[derive(Debug, Clone)]
pub struct PackageBuilder {
    name: Text,
    missing_versions: MissingVersions,
    default_channel: Option<Text>,
    channels: Vec<(Text, Vec<Entry>)>,
    /// In the order of the entries.
    bundles: Vec<BundleBlob>,
    bundle_names: HashSet<Text>,
    versions: BTreeMap<Text, Text>,
    releases: BTreeMap<Text, Text>,
    deprecated: Vec<Text>,
}

/// Builds the package `p`. A line is a channel, `NAME: ENTRY; ENTRY`. An entry without a version
/// has no bundle.
pub fn package(channels: &str) -> Package {
    let mut package = PackageBuilder::with_missing_versions("p", MissingVersions::NoBundle);
    for line in channels.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (name, entries) = line.split_once(':').expect("`channel: entries`");
        package = package.channel(name, &entries.split(';').collect::<Vec<_>>());
    }
    package.build()
}

/// Builds the package `p` with these channels and entries. An entry whose name ends in a version
/// has a bundle.
pub fn versioned_package(channels: &[(&str, &[&str])]) -> Package {
    let package = PackageBuilder::with_missing_versions("p", MissingVersions::FromName);
    channels
        .iter()
        .fold(package, |package, (name, entries)| {
            package.channel(name, entries)
        })
        .build()
}

/// Like [`versioned_package`], with parsed entries.
pub fn package_of_entries(channels: Vec<(&str, Vec<Entry>)>) -> Package {
    let mut package = PackageBuilder::with_missing_versions("p", MissingVersions::FromName);
    for (name, entries) in channels {
        for entry in &entries {
            let bundle = BundleBlob {
                name: entry.name.clone(),
                ..BundleBlob::default()
            };
            package.add_bundle(bundle, "");
        }
        package.channels.push((name.into(), entries));
    }
    package.build()
}

/// Adds deprecations, as (schema, name).
pub fn deprecate(package: &mut Package, references: &[(&str, &str)]) {
    let entries = references.iter().map(|(schema, name)| DeprecationEntry {
        schema: spanned(schema),
        name: spanned(name),
        message: spanned("old"),
        place: Place::default(),
    });
    let blob = DeprecationsBlob {
        package: spanned(&package.name),
        entries: entries.collect(),
        place: Place::default(),
    };
    package.deprecations.push(located(3, 0, blob));
}

/// Parses an entry without the words of its bundle.
pub fn entry(text: &str) -> Entry {
    let mut entry = Entry::default();
    for word in text.split_whitespace() {
        if entry.name.value.is_empty() {
            entry.name = spanned(word.split('@').next().unwrap_or_default());
        } else if !set_edge(&mut entry, word) {
            panic!("no such field: {word}");
        }
    }
    entry
}

pub fn spanned(text: &str) -> Spanned<Text> {
    Spanned::new(text.into(), Place::default())
}

/// Wraps a blob with a position. Each schema has its own `file`, so that no two blobs share a
/// position.
pub fn located<T>(file: u32, index: usize, data: T) -> Located<T> {
    Located {
        file: FileId(file),
        index: index as u32,
        order: u64::from(file) * 1000 + index as u64,
        data: Arc::new(data),
    }
}

/// Words of a bundle that have no value.
const MARKS: [&str; 3] = ["!deprecated", "!prohibited", "!required"];

/// Applies a word of the entry; false if the word belongs to its bundle.
fn set_edge(entry: &mut Entry, word: &str) -> bool {
    match word.split_once(':') {
        Some(("r", name)) => entry.replaces = spanned(name),
        Some(("s", names)) => entry.skips.extend(names.split(',').map(spanned)),
        Some(("sr", range)) => entry.skip_range = spanned(&range.replace('_', " ")),
        _ if !MARKS.contains(&word) && !entry.skip_range.value.is_empty() => {
            entry.skip_range = spanned(&format!("{} {word}", entry.skip_range.value));
        }
        _ => return false,
    }
    true
}

/// Applies a word of the bundle; false if the word is unknown.
fn set_bundle(bundle: &mut BundleBlob, word: &str) -> bool {
    let api = |kind: &str| format!(r#"{{"group":"g","kind":"{kind}","version":"v1"}}"#);
    let (kind, value) = match word.split_once(':') {
        Some(("kube", version)) => {
            bundle.min_kube_version = version.into();
            return true;
        }
        Some(("image", image)) => {
            bundle.image = spanned(image);
            return true;
        }
        Some(("max", version)) => ("olm.maxOpenShiftVersion", format!("\"{version}\"")),
        Some(("api", kind)) => ("olm.gvk", api(kind)),
        Some(("asks", json)) => ("olm.constraint", json.to_owned()),
        Some(("needs", kind)) => ("olm.gvk.required", api(kind)),
        Some(("wants", label)) => ("olm.label.required", format!(r#"{{"label":"{label}"}}"#)),
        None if word == "!prohibited" => ("olm.deprecated", "{}".to_owned()),
        None if word == "!required" => ("olm.gvk.required", api("Nowhere")),
        _ => return false,
    };
    bundle.properties.push(PropertyFact {
        property: Arc::new(Property {
            kind: kind.into(),
            value: Some(value.as_str().into()),
        }),
        start: 0,
        line: 0,
    });
    true
}

impl PackageBuilder {
    /// Bundles without a version have the versions 0.0.1, 0.0.2, ….
    pub fn new(name: &str) -> Self {
        Self::with_missing_versions(name, MissingVersions::Numbered)
    }

    fn with_missing_versions(name: &str, missing_versions: MissingVersions) -> Self {
        Self {
            name: name.into(),
            missing_versions,
            default_channel: None,
            channels: Vec::new(),
            bundles: Vec::new(),
            bundle_names: HashSet::new(),
            versions: BTreeMap::new(),
            releases: BTreeMap::new(),
            deprecated: Vec::new(),
        }
    }

    pub fn default_channel(mut self, name: &str) -> Self {
        self.default_channel = Some(name.into());
        self
    }

    pub fn version(mut self, bundle: &str, version: &str) -> Self {
        self.versions.insert(bundle.into(), version.into());
        self
    }

    pub fn release(mut self, bundle: &str, release: &str) -> Self {
        self.releases.insert(bundle.into(), release.into());
        self
    }

    /// Adds a channel. The edges of its first entry are on line 1, and so on.
    pub fn channel(mut self, name: &str, entries: &[&str]) -> Self {
        let entries = entries
            .iter()
            .zip(1..)
            .map(|(text, line)| self.entry(text, line))
            .collect();
        self.channels.push((name.into(), entries));
        self
    }

    fn entry(&mut self, text: &str, line: u32) -> Entry {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let (name, version) = first.split_once('@').unwrap_or((first, ""));
        let mut entry = Entry {
            name: spanned(name),
            ..Entry::default()
        };
        let mut bundle = BundleBlob {
            name: spanned(name),
            image: spanned("quay.io/o/x:v1"),
            ..BundleBlob::default()
        };
        for word in words {
            if word == "!deprecated" {
                self.deprecated.push(name.into());
            } else {
                let is_known = set_edge(&mut entry, word) || set_bundle(&mut bundle, word);
                assert!(is_known, "no such field: {word}");
            }
        }
        self.add_bundle(bundle, version);
        let place = Place {
            start: line,
            end: line + 1,
            line,
            ..Place::default()
        };
        entry.name.place = place;
        entry.replaces.place = place;
        entry.skips.iter_mut().for_each(|skip| skip.place = place);
        entry.skip_range.place = place;
        entry
    }

    fn add_bundle(&mut self, bundle: BundleBlob, version: &str) {
        let name = &bundle.name.value;
        let version: Text = match self.missing_versions {
            _ if !version.is_empty() => version.into(),
            MissingVersions::NoBundle => return,
            MissingVersions::Numbered => format!("0.0.{}", self.bundles.len() + 1).into(),
            MissingVersions::FromName => match version_in_name(name) {
                Some((version, _)) => version.into(),
                None => return,
            },
        };
        if self.bundle_names.insert(name.clone()) {
            self.versions.entry(name.clone()).or_insert(version);
            self.bundles.push(bundle);
        }
    }

    pub fn build(self) -> Package {
        let name = spanned(&self.name);
        let default_channel = self
            .default_channel
            .or_else(|| self.channels.first().map(|(name, _)| name.clone()))
            .unwrap_or_default();
        let blob = PackageBlob {
            name: name.clone(),
            default_channel: spanned(&default_channel),
            ..PackageBlob::default()
        };
        let mut package = Package {
            name: self.name.clone(),
            packages: vec![located(0, 0, blob)],
            ..Package::default()
        };
        for (index, (channel, entries)) in self.channels.into_iter().enumerate() {
            let blob = ChannelBlob {
                package: name.clone(),
                name: spanned(&channel),
                entries,
                ..ChannelBlob::default()
            };
            package.channels.push(located(1, index, blob));
        }
        for (index, mut bundle) in self.bundles.into_iter().enumerate() {
            let version = self.versions.get(&bundle.name.value);
            let release = self.releases.get(&bundle.name.value);
            bundle.package = name.clone();
            bundle.package_properties = vec![PackageProperty {
                package_name: name.clone(),
                version: spanned(version.map_or("", |version| version)),
                release: release.map(|release| spanned(release)),
            }];
            package.bundles.push(located(2, index, bundle));
        }
        let deprecated = self.deprecated.iter().map(|bundle| DeprecationEntry {
            schema: spanned("olm.bundle"),
            name: spanned(bundle),
            ..DeprecationEntry::default()
        });
        let blob = DeprecationsBlob {
            package: name,
            entries: deprecated.collect(),
            ..DeprecationsBlob::default()
        };
        if !blob.entries.is_empty() {
            package.deprecations.push(located(3, 0, blob));
        }
        package
    }
}

/// The bytes of files by id; counts what is read.
#[derive(Debug, Default)]
pub struct MemorySource {
    files: RefCell<BTreeMap<FileId, Vec<u8>>>,
    spans_read: Cell<usize>,
    bytes_read: Cell<u64>,
}

impl MemorySource {
    /// Creates a source with one file of id 0.
    pub fn with_file(bytes: &[u8]) -> Self {
        let source = Self::default();
        source.insert(FileId(0), bytes);
        source
    }

    /// Creates files with the ids 0, 1, 2, …, and their content for a session.
    pub fn with_files<P, B>(files: impl IntoIterator<Item = (P, B)>) -> (Vec<TreeEntry>, Rc<Self>)
    where
        P: AsRef<str>,
        B: AsRef<[u8]>,
    {
        let source = Rc::new(Self::default());
        let files = files
            .into_iter()
            .zip(0..)
            .map(|((path, bytes), id)| source.add(id, path.as_ref(), bytes))
            .collect();
        (files, source)
    }

    /// Adds or replaces a file, and returns its content for a session.
    pub fn add(&self, id: u32, path: &str, bytes: impl AsRef<[u8]>) -> TreeEntry {
        let (id, bytes) = (FileId(id), bytes.as_ref());
        self.insert(id, bytes);
        let content = if path.ends_with(".indexignore") {
            Content::Ignore(bytes.into())
        } else {
            Content::Indexed(Arc::new(index_bytes(bytes)))
        };
        TreeEntry {
            id,
            path: path.to_owned(),
            content,
        }
    }

    pub fn insert(&self, id: FileId, bytes: &[u8]) {
        self.files.borrow_mut().insert(id, bytes.to_vec());
    }

    pub fn remove(&self, id: FileId) {
        self.files.borrow_mut().remove(&id);
    }

    pub fn clear(&self) {
        self.files.borrow_mut().clear();
    }

    pub fn spans_read(&self) -> usize {
        self.spans_read.get()
    }

    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    pub fn reset_counts(&self) {
        self.spans_read.set(0);
        self.bytes_read.set(0);
    }
}

/// Files with the ids 0, 1, 2, ….
impl FromIterator<Vec<u8>> for MemorySource {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(files: I) -> Self {
        let files = (0..).map(FileId).zip(files).collect();
        Self {
            files: RefCell::new(files),
            ..Self::default()
        }
    }
}

impl ByteSource for MemorySource {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let files = self.files.borrow();
        let mut texts = Vec::with_capacity(spans.len());
        for (id, span) in spans {
            let bytes = files.get(id).ok_or_else(|| ReadError::Changed {
                path: format!("file {}", id.0),
            })?;
            texts.push(bytes[span.start as usize..span.end as usize].to_vec());
            self.spans_read.set(self.spans_read.get() + 1);
            self.bytes_read
                .set(self.bytes_read.get() + (span.end - span.start));
        }
        Ok(texts)
    }
}

/// An entry as plain data: its name, what it replaces, its skips and its range.
pub type EntryData = (String, String, Vec<String>, String);

/// Returns a package with the channels `a`, `b`, `c`, …, valid or not.
pub fn package_of_channels(channels: Vec<Vec<EntryData>>) -> Package {
    let entry = |(name, replaces, skips, range): EntryData| Entry {
        name: spanned(&name),
        replaces: spanned(&replaces),
        skips: skips.iter().map(|skip| spanned(skip)).collect(),
        skip_range: spanned(&range),
        place: Place::default(),
    };
    let channels = channels
        .into_iter()
        .map(|entries| entries.into_iter().map(entry).collect());
    package_of_entries(["a", "b", "c", "d"].into_iter().zip(channels).collect())
}

/// Generates packages for property tests of this crate.
#[cfg(test)]
pub(crate) fn any_versioned_package() -> impl proptest::strategy::Strategy<Value = Package> {
    use proptest::strategy::Strategy;
    test_support::any_channels().prop_map(package_of_channels)
}
