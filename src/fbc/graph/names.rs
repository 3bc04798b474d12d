//! The distinct names of a package, with the bundle and version of each.

use crate::hashed::HashMap;
use crate::model::{BundleBlob, Located, Package};
use crate::place::Text;
use crate::version::{Version, version_in_name};
use std::cmp::Ordering;

/// Facts of a name, independent of channels.
#[derive(Debug, Clone, PartialEq)]
pub struct NameFacts {
    pub name: Text,
    /// The version as written in the bundle, or as the name ends; "" if there is neither.
    pub text: Text,
    /// `text` if it is a strict semantic version.
    pub version: Option<Version>,
    /// The bundle's `release`; "" for none.
    pub release: Text,
    pub source: VersionSource,
    /// An `olm.bundle` blob of this name exists in the package.
    pub has_bundle: bool,
    /// The message of a deprecation of this bundle.
    pub deprecated: Option<Text>,
}

/// Where a version was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VersionSource {
    /// The bundle's `olm.package` property.
    Bundle,
    /// The end of the name, if there is no bundle or it has no version.
    Name,
    /// No version.
    None,
}

impl NameFacts {
    /// The y-stream, `(major, minor)`.
    pub fn stream(&self) -> Option<(u64, u64)> {
        self.version.as_ref().map(|v| (v.major(), v.minor()))
    }
}

/// Column order: by precedence, then build metadata, release and name, so that equal versions have
/// a fixed order. Names without a version come first, by name.
pub fn by_version(a: &NameFacts, b: &NameFacts) -> Ordering {
    match (&a.version, &b.version) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(x), Some(y)) => x.cmp_precedence(y).then_with(|| x.build().cmp(y.build())),
    }
    .then_with(|| a.release.cmp(&b.release))
    .then_with(|| a.name.cmp(&b.name))
}

/// Numbers all names that the channels of a package mention.
#[derive(Debug, Default)]
pub(super) struct NameTable<'a> {
    pub(super) facts: Vec<NameFacts>,
    numbers: HashMap<Text, u32>,
    bundles: HashMap<&'a str, &'a Located<BundleBlob>>,
    /// Messages by schema and name; the first of a reference counts.
    deprecated: HashMap<(&'a str, &'a str), &'a Text>,
}

impl<'a> NameTable<'a> {
    pub(super) fn new(package: &'a Package) -> Self {
        let mut table = Self::default();
        for bundle in &package.bundles {
            table.bundles.entry(bundle.name.as_str()).or_insert(bundle);
        }
        for entry in package.deprecations.iter().flat_map(|d| &d.data.entries) {
            // A package's deprecation has no name.
            let name = if entry.schema.as_str() == "olm.package" {
                ""
            } else {
                entry.name.as_str()
            };
            table
                .deprecated
                .entry((entry.schema.as_str(), name))
                .or_insert(&entry.message.value);
        }
        table
    }

    /// Adds bundles of the other state of the package for names that have none here.
    pub(super) fn add_bundles(&mut self, other: &'a Package) {
        for bundle in &other.bundles {
            self.bundles.entry(bundle.name.as_str()).or_insert(bundle);
        }
    }

    pub(super) fn deprecation(&self, schema: &str, name: &str) -> Option<Text> {
        self.deprecated
            .get(&(schema, name))
            .map(|&message| message.clone())
    }

    /// The number of a known name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a name; assigns one if it is new.
    pub(super) fn number(&mut self, name: &Text) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.facts.len() as u32;
        self.facts.push(self.look_up(name));
        self.numbers.insert(name.clone(), number);
        number
    }

    fn look_up(&self, name: &Text) -> NameFacts {
        let bundle = self.bundles.get(&**name).copied();
        let (text, version, source) = match bundle.map(|b| b.version()).filter(|v| !v.is_empty()) {
            Some(text) => (
                text.into(),
                Version::parse(text).ok(),
                VersionSource::Bundle,
            ),
            None => match version_in_name(name) {
                Some((text, version)) => (text.into(), Some(version), VersionSource::Name),
                None => ("".into(), None, VersionSource::None),
            },
        };
        NameFacts {
            name: name.clone(),
            text,
            version,
            release: bundle.map_or("", |b| b.release()).into(),
            source,
            has_bundle: bundle.is_some(),
            deprecated: self.deprecation("olm.bundle", name),
        }
    }
}
