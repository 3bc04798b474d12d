//! A package prepared for upgrade questions: names as numbers, versions and ranges parsed once.

use super::answer::{Installed, Lens, UnlistedSteps};
use super::resolve::gvk::Apis;
use crate::hashed::HashMap;
use crate::model::Package;
use crate::model::blob::BundleBlob;
use crate::order::PutInOrder;
use crate::place::Text;
use crate::version::blang::Range;
use crate::version::{Version, VersionError, VersionRelease};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// A package prepared for upgrade questions. Holds no places; made anew when the package changes.
#[derive(Debug, Clone, Default)]
pub struct UpgradeIndex {
    package: Text,
    pub(super) default_channel: Text,
    /// In catalog order, duplicates included.
    pub(super) bundles: Vec<Bundle>,
    /// In catalog order, one a blob.
    pub(super) channels: Vec<Channel>,
    /// Positions in `channels`, by name: a package may have a thousand, of which each is asked about.
    channels_by_name: HashMap<Text, Vec<u32>>,
    /// Positions in `bundles`, in order of the names' numbers.
    bundles_by_name: Vec<(NameId, u32)>,
    names: HashMap<Text, NameId>,
    /// By number, in order of first mention: bundles, then what channels list and mention.
    pub(super) name_of: Vec<Text>,
    /// Distinct skip ranges; `None` where the text does not parse, which is no edge.
    pub(super) ranges: Vec<Option<Range>>,
    range_ids: HashMap<Text, RangeId>,
    /// Some bundle has a property that only the resolver can judge: a requirement, `olm.deprecated`, an API named twice.
    pub(super) needs_solver: bool,
    /// Nothing of the package is in the catalog at all.
    pub(super) is_empty: bool,
    /// By lens and channel; built on first use.
    pub(super) unlisted: RefCell<UnlistedByChannel>,
}

type UnlistedByChannel = HashMap<(Lens, Option<Text>), Rc<UnlistedSteps>>;

/// All of an entry that an answer depends on.
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
    /// As written; "" when there is none.
    pub version_text: Text,
    pub version: Result<Version, VersionError>,
    /// Version and release as v1 orders them.
    pub rank: Option<VersionRelease>,
    /// Its `olm.package` has a `release`.
    pub has_release: bool,
    /// Named by a bundle deprecation of the package's first deprecations blob.
    pub deprecated: bool,
    /// Carries property `olm.deprecated`, which Classic never installs.
    pub prohibited: bool,
    /// The type of its first property that OLM v1 takes for a requirement, and refuses.
    pub requirement: Option<Text>,
}

/// The types of properties that OLM v1 takes for requirements: it refuses a bundle that has one.
pub(crate) const REFUSED_BY_V1: [&str; 3] =
    ["olm.package.required", "olm.gvk.required", "olm.constraint"];

#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub name: Text,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub name: Text,
    pub id: NameId,
    /// Index of the first bundle of that name.
    pub bundle: Option<usize>,
    pub replaces: Option<NameId>,
    /// "" when absent.
    pub replaces_text: Text,
    pub skips: Vec<NameId>,
    /// Set where there is a skip range that parses.
    pub range: Option<RangeId>,
    pub range_text: Text,
}

/// An installed bundle as an index sees it.
#[derive(Debug, Clone)]
pub(super) struct Origin<'a> {
    pub installed: &'a Installed,
    /// `None`: nothing in the package names it.
    pub id: Option<NameId>,
    /// Whoever asks about many versions has them parsed already.
    version: Cow<'a, Result<Version, VersionError>>,
}

impl Origin<'_> {
    pub fn version(&self) -> Result<&Version, &VersionError> {
        Result::as_ref(&self.version)
    }
}

impl UpgradeIndex {
    pub fn new(package: &Package) -> Self {
        let mut index = Self {
            package: package.name.clone(),
            default_channel: package.default_channel().into(),
            is_empty: package.packages.is_empty()
                && package.channels.is_empty()
                && package.bundles.is_empty()
                && package.deprecations.is_empty()
                && package.others.is_empty(),
            ..Self::default()
        };
        let mut first_of = HashMap::default();
        let mut apis = Apis::default();
        for blob in &package.bundles {
            let bundle = index.bundle(blob);
            // OLM v1 does not know this requirement; Classic does.
            let requires_a_label = blob
                .properties
                .iter()
                .any(|p| &*p.kind == "olm.label.required");
            index.needs_solver |= bundle.requirement.is_some()
                || requires_a_label
                || bundle.prohibited
                || names_an_api_twice(blob, &mut apis);
            first_of.entry(bundle.id).or_insert(index.bundles.len());
            index
                .bundles_by_name
                .push((bundle.id, index.bundles.len() as u32));
            index.bundles.push(bundle);
        }
        index.bundles_by_name.put_in_order();
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
                    bundle: first_of.get(&id).copied(),
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

    /// Whether Classic's answer hangs on what only the resolver can judge: a requirement, property `olm.deprecated`, an API
    /// named twice. Otherwise the graph alone answers.
    pub fn needs_solver(&self) -> bool {
        self.needs_solver
    }

    /// The channels of one name, in catalog order.
    pub(super) fn channels_named(&self, name: &str) -> impl Iterator<Item = &Channel> {
        let positions = self
            .channels_by_name
            .get(name)
            .map_or(&[][..], Vec::as_slice);
        positions
            .iter()
            .filter_map(|&position| self.channels.get(position as usize))
    }

    /// Whether a channel gives the same answers here and there, whatever is installed: its entries say the same, and so do
    /// the bundles that they name.
    pub(crate) fn answers_as(&self, other: &Self, channel: &str) -> bool {
        self.channels_named(channel)
            .flat_map(|channel| channel.entries.iter().map(|entry| self.answer_of(entry)))
            .eq(other
                .channels_named(channel)
                .flat_map(|channel| channel.entries.iter().map(|entry| other.answer_of(entry))))
    }

    fn answer_of<'a>(&'a self, entry: &'a Entry) -> EntryAnswer<'a> {
        let bundles = self
            .bundles_named(entry.id)
            .filter_map(|at| self.bundles.get(at as usize));
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

    /// Positions of the bundles of one name, in catalog order.
    pub(super) fn bundles_named(&self, name: NameId) -> impl Iterator<Item = u32> {
        let first = self.bundles_by_name.partition_point(|(of, _)| *of < name);
        let of_name = self
            .bundles_by_name
            .iter()
            .skip(first)
            .take_while(move |(of, _)| *of == name);
        of_name.map(|(_, position)| *position)
    }

    /// A skip range by its text; `None` for one that no entry has.
    pub(super) fn range_named(&self, text: &str) -> Option<RangeId> {
        self.range_ids.get(text).copied()
    }

    /// Of a package that a catalog does not have.
    pub fn of_nothing(package: &str) -> Self {
        Self {
            package: package.into(),
            is_empty: true,
            ..Self::default()
        }
    }

    pub fn package(&self) -> &str {
        &self.package
    }

    /// Every bundle of the package as something that may be installed, in catalog order.
    pub fn installs(&self) -> Vec<Installed> {
        self.bundles
            .iter()
            .map(|b| Installed {
                name: b.name.clone(),
                version: b.version_text.clone(),
            })
            .collect()
    }

    pub(super) fn origin<'a>(&self, installed: &'a Installed) -> Origin<'a> {
        self.origin_of(installed, Cow::Owned(Version::parse(&installed.version)))
    }

    /// The same where the version is parsed already.
    pub(super) fn parsed_origin<'a>(
        &self,
        installed: &'a Installed,
        version: &'a Result<Version, VersionError>,
    ) -> Origin<'a> {
        self.origin_of(installed, Cow::Borrowed(version))
    }

    fn origin_of<'a>(
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

    /// Whether every name that `other` has, of a bundle or in a channel, is one that this has, too.
    pub(crate) fn names_all_of(&self, other: &Self) -> bool {
        other
            .name_of
            .iter()
            .all(|name| name.is_empty() || self.names.contains_key(name))
    }

    /// The first bundle of a name.
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

    fn bundle(&mut self, blob: &BundleBlob) -> Bundle {
        let version_text: Text = blob.version().into();
        let version = if let Some(fault) = &blob.package_fault {
            Err(VersionError(format!(
                "error unmarshalling package property: {fault}"
            )))
        } else if blob.package_properties.is_empty() {
            Err(VersionError(format!(
                "no package property found in bundle {}",
                crate::go_text::quote(blob.name.as_str())
            )))
        } else {
            Version::parse(&version_text)
        };
        Bundle {
            name: blob.name.value.clone(),
            id: self.intern(&blob.name.value),
            rank: version.as_ref().ok().map(VersionRelease::of_v1),
            has_release: blob
                .package_properties
                .first()
                .is_some_and(|property| !property.release.is_empty()),
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

/// By what the values say: two spellings name one API.
fn names_an_api_twice(blob: &BundleBlob, apis: &mut Apis) -> bool {
    let values = blob
        .properties
        .iter()
        .filter(|p| &*p.kind == "olm.gvk")
        .filter_map(|p| p.value.as_ref());
    let mut named: Vec<u32> = values.filter_map(|value| apis.number(value)).collect();
    named.put_in_order();
    named.windows(2).any(|pair| pair[0] == pair[1])
}
