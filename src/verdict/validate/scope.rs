//! The facts of one package as seen by rules: its definition, channels, entries and bundles.

use super::channel_scope::ChannelScope;
use super::findings::{Anchor, BlobRef, Finding};
use super::simulation::{Simulation, Simulator};
use super::spelling::compare_versions;
use catalog::model::{BundleBlob, Entry, Package};
use catalog::version::Version;
use protocol::operation::{EditOp, EntryPlace};
use std::cell::OnceCell;
use syntax::hashed::HashMap;
use syntax::place::Place;

pub struct Scope<'a> {
    pub package: &'a Package,
    /// One per distinct non-empty channel name, in load order; the first blob of each name counts.
    pub channels: Vec<ChannelScope<'a>>,
    channel_by_name: HashMap<&'a str, usize>,
    bundle_by_name: HashMap<&'a str, usize>,
    /// Names listed by channels, with the first effective channel (by `nth`) that lists them.
    listed: HashMap<&'a str, Option<u32>>,
    /// Positions of the effective deprecations by schema and name. Only the package's first blob is
    /// effective.
    deprecated: HashMap<(&'a str, &'a str), usize>,
    simulator: OnceCell<Simulator>,
    /// Parallel to [`Package::bundles`].
    versions: Vec<OnceCell<Option<Version>>>,
}

pub struct EntryView<'a> {
    pub channel: &'a ChannelScope<'a>,
    pub entry: &'a Entry,
    /// Index in [`Package::bundles`], and the bundle; `None` if no blob has the name.
    pub bundle: Option<(u32, &'a BundleBlob)>,
    /// Whether this is the first channel that lists the name. Problems of the bundle itself are
    /// reported only here.
    pub first_listing: bool,
}

impl EntryView<'_> {
    pub fn finding(&self, place: Place, message: impl Into<String>) -> Finding {
        self.channel
            .finding(place, message)
            .bundle(&self.entry.name.value)
    }
}

impl<'a> Scope<'a> {
    pub fn place(&self, channel: &str, name: &str) -> EntryPlace {
        EntryPlace::new(&self.package.name, channel, name)
    }

    pub fn undeprecate_bundle(&self, bundle: &str) -> EditOp {
        EditOp::set_deprecation(&self.package.name, None, Some(bundle.to_owned()), None)
    }

    pub fn new(package: &'a Package) -> Self {
        let mut scope = Self {
            package,
            channels: Vec::new(),
            channel_by_name: HashMap::default(),
            bundle_by_name: HashMap::default(),
            listed: HashMap::default(),
            deprecated: HashMap::default(),
            simulator: OnceCell::new(),
            versions: package.bundles.iter().map(|_| OnceCell::new()).collect(),
        };
        for (nth, channel) in package.channels.iter().enumerate() {
            let name = channel.name.as_str();
            let counts = !name.is_empty() && !scope.channel_by_name.contains_key(name);
            for entry in &channel.entries {
                let first = scope.listed.entry(entry.name.as_str()).or_default();
                if counts && first.is_none() {
                    *first = Some(nth as u32);
                }
            }
            if counts {
                scope.channel_by_name.insert(name, scope.channels.len());
                scope.channels.push(ChannelScope::new(nth as u32, channel));
            }
        }
        for (nth, bundle) in package.bundles.iter().enumerate() {
            scope
                .bundle_by_name
                .entry(bundle.name.as_str())
                .or_insert(nth);
        }
        for deprecations in package.deprecations.iter().take(1) {
            for (i, entry) in deprecations.entries.iter().enumerate() {
                scope
                    .deprecated
                    .entry((entry.schema.as_str(), entry.name.as_str()))
                    .or_insert(i);
            }
        }
        scope
    }

    /// Whether the package has no name: blobs without a package are gathered under "" and are
    /// unrelated.
    pub fn is_nameless(&self) -> bool {
        self.package.name.is_empty()
    }

    pub fn is_defined(&self) -> bool {
        !self.package.packages.is_empty() && !self.is_nameless()
    }

    pub fn channel(&self, name: &str) -> Option<&ChannelScope<'a>> {
        self.channels.get(*self.channel_by_name.get(name)?)
    }

    /// Returns the first bundle with this name, and its index in [`Package::bundles`].
    pub fn bundle(&self, name: &str) -> Option<(u32, &'a BundleBlob)> {
        let nth = *self.bundle_by_name.get(name)?;
        Some((nth as u32, &self.package.bundles[nth]))
    }

    /// Returns the version of the first bundle with this name; `None` if it is absent or
    /// unreadable.
    pub fn version(&self, name: &str) -> Option<&Version> {
        let (nth, bundle) = self.bundle(name)?;
        self.versions
            .get(nth as usize)?
            .get_or_init(|| Version::parse(bundle.version()).ok())
            .as_ref()
    }

    pub fn is_listed(&self, name: &str) -> bool {
        self.listed.contains_key(name)
    }

    pub fn first_to_list(&self, name: &str) -> Option<&ChannelScope<'a>> {
        let nth = (*self.listed.get(name)?)?;
        self.channels
            .binary_search_by_key(&nth, |channel| channel.nth)
            .ok()
            .map(|at| &self.channels[at])
    }

    /// Returns the position of a deprecation of this object that has no message.
    pub fn deprecation_without_message(&self, schema: &str, name: &str) -> Option<Anchor> {
        let entry =
            &self.package.deprecations.first()?.entries[*self.deprecated.get(&(schema, name))?];
        let place = if entry.message.place == Place::default() {
            entry.place
        } else {
            entry.message.place
        };
        entry
            .message
            .is_empty()
            .then_some(Anchor::new(BlobRef::Deprecations(0), place))
    }

    /// Whether an effective deprecation names this object.
    pub fn is_deprecated(&self, schema: &str, name: &str) -> bool {
        self.deprecated.contains_key(&(schema, name))
    }

    /// Returns the default channel if it is set but has no blob: `opm` then creates an empty one.
    pub fn missing_default_channel(&self) -> Option<&'a str> {
        let name = self.package.packages.first()?.default_channel.as_str();
        (!name.is_empty() && !self.channel_by_name.contains_key(name)).then_some(name)
    }

    /// Simulates these operations and returns the channel's state after them.
    pub fn simulate(&self, channel: &str, ops: &[EditOp]) -> Simulation {
        self.simulator
            .get_or_init(|| Simulator::new(self.package))
            .simulate(channel, ops)
    }

    /// Returns the entry with the highest version; among equals the last in the list, since lists
    /// mostly grow at their end.
    pub fn highest(&self, channel: &ChannelScope<'_>, entries: &[usize]) -> usize {
        entries
            .iter()
            .copied()
            .max_by(|&a, &b| {
                compare_versions(
                    self.entry_version(channel, a),
                    self.entry_version(channel, b),
                )
            })
            .unwrap_or(0)
    }

    /// Returns the entry with the lowest version; among equals the first.
    pub fn lowest(&self, channel: &ChannelScope<'_>, entries: &[usize]) -> usize {
        entries
            .iter()
            .copied()
            .min_by(|&a, &b| {
                compare_versions(
                    self.entry_version(channel, a),
                    self.entry_version(channel, b),
                )
            })
            .unwrap_or(0)
    }

    /// Returns the version of the entry's bundle; "" if it has none.
    fn entry_version(&self, channel: &ChannelScope<'_>, entry: usize) -> &str {
        let bundle = self.bundle(channel.name_of(entry));
        bundle.map_or("", |(_, bundle)| bundle.version())
    }

    pub fn entries<'s>(
        &'s self,
        channel: &'s ChannelScope<'a>,
    ) -> impl Iterator<Item = EntryView<'s>> + 's {
        channel.entries.iter().map(move |&entry| {
            let name = entry.name.as_str();
            let first_listing = self.listed.get(name) == Some(&Some(channel.nth));
            EntryView {
                channel,
                entry,
                bundle: self.bundle(name),
                first_listing,
            }
        })
    }
}
