//! A package prepared for upgrade questions: numbered names, parsed versions and ranges.

use super::answer::{Installed, Lens, UnlistedSteps};
use super::resolve::requirement::Apis;
use catalog::model::Package;
use catalog::model::blob::BundleBlob;
use catalog::version::blang::Range;
use catalog::version::{Release, Version, VersionError, VersionRelease};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use syntax::go_text::quote;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::Text;

/// A package prepared for upgrade questions. Holds no source positions; rebuilt when the package
/// changes.
#[derive(Debug, Clone, Default)]
pub struct UpgradeIndex {
    package: Text,
    pub(super) default_channel: Text,
    /// In catalog order, duplicates included.
    pub(super) bundles: Vec<Bundle>,
    /// In catalog order, one per blob.
    pub(super) channels: Vec<Channel>,
    /// Positions in `channels` by name: a package may have a thousand channels, and each is looked
    /// up.
    channels_by_name: HashMap<Text, Vec<u32>>,
    /// Positions in `bundles`, sorted by name number.
    bundles_by_name: Vec<(NameId, u32)>,
    names: HashMap<Text, NameId>,
    /// Indexed by number, in order of first mention: bundles first, then names in channels.
    pub(super) name_of: Vec<Text>,
    /// Distinct skip ranges; `None` for text that does not parse, which gives no edge.
    pub(super) ranges: Vec<Option<Range>>,
    range_ids: HashMap<Text, RangeId>,
    /// Whether a bundle has a property that only the resolver can evaluate: a requirement,
    /// `olm.deprecated`, or one API twice.
    pub(super) needs_solver: bool,
    /// Whether the catalog does not define the package at all.
    pub(super) is_empty: bool,
    /// Whether OLM v1 runs with the gate BundleReleaseSupport.
    has_release_support: bool,
    /// By lens and channel; built on first use.
    pub(super) unlisted: RefCell<UnlistedByChannel>,
}

type UnlistedByChannel = HashMap<(Lens, Option<Text>), Rc<UnlistedSteps>>;

/// The parts of an entry that affect an answer.
#[derive(PartialEq)]
struct EntryAnswer<'a> {
    name: &'a Text,
    replaces: &'a Text,
    range: &'a Text,
    skips: Vec<Option<&'a Text>>,
    bundles: Vec<BundleAnswer<'a>>,
}

#[derive(PartialEq)]
struct BundleAnswer<'a> {
    version: &'a Text,
    is_readable: bool,
    deprecated: bool,
    prohibited: bool,
    requirement: Option<&'a Text>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NameId(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RangeId(pub u32);

#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub name: Text,
    pub id: NameId,
    /// As written; "" if absent.
    pub version_text: Text,
    pub version: Result<Version, VersionError>,
    /// Version and release in v1's order.
    pub rank: Option<VersionRelease>,
    /// The release of `rank`, "" if it has none; `None` without the gate BundleReleaseSupport.
    pub release: Option<Text>,
    /// Whether its `olm.package` has a `release`.
    pub has_release: bool,
    /// Whether a bundle deprecation of the package's first deprecations blob names it.
    pub deprecated: bool,
    /// Whether it has the property `olm.deprecated`: Classic never installs it.
    pub prohibited: bool,
    /// The type of its first property that OLM v1 treats as a requirement and refuses.
    pub requirement: Option<Text>,
}

/// Property types that OLM v1 treats as requirements; it refuses bundles with one.
pub const REFUSED_BY_V1: [&str; 3] = ["olm.package.required", "olm.gvk.required", "olm.constraint"];

#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub name: Text,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub name: Text,
    pub id: NameId,
    /// Index of the first bundle with this name.
    pub bundle: Option<usize>,
    pub replaces: Option<NameId>,
    /// "" when absent.
    pub replaces_text: Text,
    pub skips: Vec<NameId>,
    /// Set if the skip range parses.
    pub range: Option<RangeId>,
    pub range_text: Text,
}

/// An installed bundle resolved against an index.
#[derive(Debug, Clone)]
pub(super) struct Origin<'a> {
    pub installed: &'a Installed,
    /// `None`: the package does not mention the name.
    pub id: Option<NameId>,
    /// Borrowed if the caller has parsed it already.
    version: Cow<'a, Result<Version, VersionError>>,
}

impl Origin<'_> {
    pub fn version(&self) -> Result<&Version, &VersionError> {
        Result::as_ref(&self.version)
    }

    /// Returns version and release in v1's order; `None` if either does not parse.
    pub fn rank(&self) -> Option<VersionRelease> {
        let version = self.version().ok()?;
        match &self.installed.release {
            None => Some(VersionRelease::from_v1(version)),
            Some(release) => Some(VersionRelease {
                version: version.clone(),
                release: Release::parse(release).ok()?,
            }),
        }
    }

    /// Returns OLM v1's error if it cannot read the installed version or release (`olm-resolution`
    /// 1.6 E3).
    pub fn error(&self) -> Option<String> {
        let Installed {
            version, release, ..
        } = self.installed;
        let Some(release) = release else {
            let error = self.version().err()?;
            return Some(format!(
                "failed to get version and release of installed bundle: {error}"
            ));
        };
        let (field, text, error) = match (self.version(), Release::parse(release)) {
            (Err(error), _) => ("version", version, error.clone()),
            (_, Err(error)) => ("release", release, error),
            _ => return None,
        };
        Some(format!(
            "failed to parse installed bundle version and release: error parsing {field} {}: {error}",
            quote(text)
        ))
    }
}

impl Bundle {
    pub fn as_installed(&self) -> Installed {
        Installed {
            name: self.name.clone(),
            version: self.version_text.clone(),
            release: self.release.clone(),
        }
    }
}

impl UpgradeIndex {
    pub fn new(package: &Package) -> Self {
        Self::prepare(package, false)
    }

    /// Creates an index for OLM v1 with the alpha gate BundleReleaseSupport: the `release` of a
    /// bundle counts, and answers have the release apart from the version.
    pub fn with_release_support(package: &Package) -> Self {
        Self::prepare(package, true)
    }

    fn prepare(package: &Package, has_release_support: bool) -> Self {
        let mut index = Self {
            has_release_support,
            package: package.name.clone(),
            default_channel: package.default_channel().into(),
            is_empty: package.blobs().next().is_none(),
            ..Self::default()
        };
        let mut first_bundles = HashMap::default();
        let mut apis = Apis::default();
        for blob in &package.bundles {
            let bundle = index.prepare_bundle(blob);
            // Classic evaluates label requirements; OLM v1 ignores them.
            let requires_label = blob
                .properties
                .iter()
                .any(|p| &*p.kind == "olm.label.required");
            index.needs_solver |= bundle.requirement.is_some()
                || requires_label
                || bundle.prohibited
                || provides_api_twice(blob, &mut apis);
            first_bundles
                .entry(bundle.id)
                .or_insert(index.bundles.len());
            index
                .bundles_by_name
                .push((bundle.id, index.bundles.len() as u32));
            index.bundles.push(bundle);
        }
        index.bundles_by_name.sort_small();
        for entry in package.deprecations.first().map_or(&[][..], |d| &d.entries) {
            if entry.schema.as_str() == "olm.bundle" {
                let id = index.names.get(entry.name.as_str()).copied();
                for bundle in index.bundles.iter_mut().filter(|b| Some(b.id) == id) {
                    bundle.deprecated = true;
                }
            }
        }
        for blob in &package.channels {
            let mut entries = Vec::with_capacity(blob.entries.len());
            for entry in &blob.entries {
                let id = index.intern(&entry.name.value);
                let range = (!entry.skip_range.is_empty())
                    .then(|| index.range_id(&entry.skip_range.value))
                    .filter(|&r| index.range(r).is_some());
                entries.push(Entry {
                    name: entry.name.value.clone(),
                    id,
                    bundle: first_bundles.get(&id).copied(),
                    replaces: (!entry.replaces.is_empty())
                        .then(|| index.intern(&entry.replaces.value)),
                    replaces_text: entry.replaces.value.clone(),
                    skips: entry.skips.iter().map(|s| index.intern(&s.value)).collect(),
                    range,
                    range_text: entry.skip_range.value.clone(),
                });
            }
            let position = index.channels.len() as u32;
            index
                .channels_by_name
                .entry(blob.name.value.clone())
                .or_default()
                .push(position);
            index.channels.push(Channel {
                name: blob.name.value.clone(),
                entries,
            });
        }
        index
    }

    /// Whether Classic needs the resolver: some bundle has a requirement, `olm.deprecated`, or one
    /// API twice. Otherwise the graph alone decides.
    pub fn needs_solver(&self) -> bool {
        self.needs_solver
    }

    pub(super) fn channels_named(&self, name: &str) -> impl Iterator<Item = &Channel> {
        let positions = self
            .channels_by_name
            .get(name)
            .map_or(&[][..], Vec::as_slice);
        positions
            .iter()
            .filter_map(|&position| self.channels.get(position as usize))
    }

    /// Whether `channel` gives equal answers in both indexes for every installed bundle: its
    /// entries and their bundles are equal.
    pub fn answers_as(&self, other: &Self, channel: &str) -> bool {
        self.channels_named(channel)
            .flat_map(|channel| channel.entries.iter().map(|entry| self.entry_answer(entry)))
            .eq(other.channels_named(channel).flat_map(|channel| {
                channel
                    .entries
                    .iter()
                    .map(|entry| other.entry_answer(entry))
            }))
    }

    fn entry_answer<'a>(&'a self, entry: &'a Entry) -> EntryAnswer<'a> {
        let bundles = self
            .bundles_named(entry.id)
            .filter_map(|position| self.bundles.get(position as usize));
        EntryAnswer {
            name: &entry.name,
            replaces: &entry.replaces_text,
            range: &entry.range_text,
            skips: entry
                .skips
                .iter()
                .map(|skip| self.name_of.get(skip.0 as usize))
                .collect(),
            bundles: bundles
                .map(|bundle| BundleAnswer {
                    version: &bundle.version_text,
                    is_readable: bundle.version.is_ok(),
                    deprecated: bundle.deprecated,
                    prohibited: bundle.prohibited,
                    requirement: bundle.requirement.as_ref(),
                })
                .collect(),
        }
    }

    /// Iterates over the positions of the bundles with this name, in catalog order.
    pub(super) fn bundles_named(&self, name: NameId) -> impl Iterator<Item = u32> {
        let first = self.bundles_by_name.partition_point(|(id, _)| *id < name);
        self.bundles_by_name
            .iter()
            .skip(first)
            .take_while(move |(id, _)| *id == name)
            .map(|(_, position)| *position)
    }

    /// Looks up a skip range by its text; `None` if no entry has it.
    pub(super) fn range_named(&self, text: &str) -> Option<RangeId> {
        self.range_ids.get(text).copied()
    }

    /// Creates the index of a package that the catalog does not contain.
    pub fn empty(package: &str) -> Self {
        Self {
            package: package.into(),
            is_empty: true,
            ..Self::default()
        }
    }

    pub fn package(&self) -> &str {
        &self.package
    }

    /// Returns the release of the bundle with this name and version, with the gate
    /// BundleReleaseSupport.
    pub fn release_of(&self, installed: &Installed) -> Option<Text> {
        let bundle = self.bundle_named(&installed.name)?;
        bundle
            .release
            .clone()
            .filter(|_| bundle.version_text == installed.version)
    }

    pub(super) fn origin<'a>(&self, installed: &'a Installed) -> Origin<'a> {
        self.parsed_origin(installed, Cow::Owned(Version::parse(&installed.version)))
    }

    /// Like `origin`, with a parsed version.
    pub(super) fn parsed_origin<'a>(
        &self,
        installed: &'a Installed,
        version: Cow<'a, Result<Version, VersionError>>,
    ) -> Origin<'a> {
        Origin {
            installed,
            id: self.names.get(&installed.name).copied(),
            version,
        }
    }

    /// Whether `self` contains every bundle and channel name of `other`.
    pub fn names_all_of(&self, other: &Self) -> bool {
        other
            .name_of
            .iter()
            .all(|name| name.is_empty() || self.names.contains_key(name))
    }

    pub(super) fn bundle_named(&self, name: &str) -> Option<&Bundle> {
        self.bundles
            .get(self.bundles_named(*self.names.get(name)?).next()? as usize)
    }

    pub(super) fn range(&self, id: RangeId) -> Option<&Range> {
        self.ranges.get(id.0 as usize)?.as_ref()
    }

    pub(super) fn range_contains(&self, id: RangeId, origin: &Origin<'_>) -> bool {
        origin
            .version()
            .is_ok_and(|v| self.range(id).is_some_and(|r| r.contains(v)))
    }

    fn prepare_bundle(&mut self, blob: &BundleBlob) -> Bundle {
        let mut version_text: Text = blob.version().into();
        let mut version = if let Some(fault) = &blob.package_fault {
            Err(VersionError(format!(
                "error unmarshalling package property: {fault}"
            )))
        } else if blob.package_properties.is_empty() {
            Err(VersionError(format!(
                "no package property found in bundle {}",
                quote(blob.name.as_str())
            )))
        } else {
            Version::parse(&version_text)
        };
        let mut rank = version.as_ref().ok().map(VersionRelease::from_v1);
        let explicit = blob
            .package_properties
            .first()
            .and_then(|property| property.release.as_ref());
        if let (true, Ok(parsed)) = (self.has_release_support, &version) {
            match explicit.map(|text| (text, Release::parse(text.as_str()))) {
                // Build metadata is the release: answers have it apart.
                None => {
                    if let Some(rank) = rank.as_ref().filter(|rank| rank.release.is_some()) {
                        version_text = rank.version.to_string().into();
                    }
                }
                Some((_, Ok(release))) => {
                    rank = Some(VersionRelease {
                        version: parsed.clone(),
                        release,
                    });
                }
                Some((text, Err(error))) => {
                    rank = None;
                    version = Err(VersionError(format!(
                        "error parsing release {}: {error}",
                        quote(text.as_str())
                    )));
                }
            }
        }
        let release = rank
            .as_ref()
            .filter(|_| self.has_release_support)
            .map(|rank| {
                rank.release
                    .as_ref()
                    .map_or_else(Text::default, |release| release.as_str().into())
            });
        Bundle {
            name: blob.name.value.clone(),
            id: self.intern(&blob.name.value),
            rank,
            release,
            has_release: !blob.release().is_empty(),
            version_text,
            version,
            deprecated: false,
            prohibited: blob.properties.iter().any(|p| &*p.kind == "olm.deprecated"),
            requirement: blob
                .properties
                .iter()
                .find(|p| REFUSED_BY_V1.contains(&&*p.kind))
                .map(|p| p.kind.clone()),
        }
    }

    fn intern(&mut self, name: &Text) -> NameId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = NameId(self.name_of.len() as u32);
        self.name_of.push(name.clone());
        self.names.insert(name.clone(), id);
        id
    }

    fn range_id(&mut self, text: &Text) -> RangeId {
        if let Some(&id) = self.range_ids.get(text) {
            return id;
        }
        let id = RangeId(self.ranges.len() as u32);
        self.ranges.push(Range::parse(text).ok());
        self.range_ids.insert(text.clone(), id);
        id
    }
}

/// Whether a bundle provides an API twice. Compares parsed values: two spellings may name one API.
fn provides_api_twice(blob: &BundleBlob, apis: &mut Apis) -> bool {
    let values = blob
        .properties
        .iter()
        .filter(|p| &*p.kind == "olm.gvk")
        .filter_map(|p| p.value.as_ref());
    let mut numbers: Vec<u32> = values.filter_map(|value| apis.number(value)).collect();
    numbers.sort_small();
    numbers.windows(2).any(|pair| pair[0] == pair[1])
}
