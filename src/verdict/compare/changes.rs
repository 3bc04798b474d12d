//! The differences of a package: default channel, channels, bundles and entries, as data and as
//! sentences.
//!
//! Unfinished parts are reported separately: a package or channel that never had an entry. `opm`
//! refuses it until the next step, but it harms nobody.

use super::{ChannelPair, Comparison, DefaultChannelChange, InUse, Pair, Touched};
use catalog::graph::{ChannelGraph, PackageGraph};
use catalog::model::{BundleBlob, Entry, Package};
use catalog::version::Version;
use catalog::version::version_line::{Cut, Interval};
use protocol::counting::{count_of, first_of, quoted};
use protocol::upgrades::{ComparedKind, EntryChange};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::everyone::PathSummary;
use upgrade::{Installed, Lens};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecationChange {
    /// The deprecated object: `package`, or a channel or bundle with its name in backticks.
    pub what: String,
    /// The deprecation messages; "" for none.
    pub before: Text,
    pub after: Text,
}

impl std::fmt::Display for DeprecationChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            what,
            before,
            after,
        } = self;
        let message = after.split_whitespace().collect::<Vec<_>>().join(" ");
        match (&**before, &**after) {
            (_, "") => write!(f, "{what} is no longer deprecated"),
            ("", _) => write!(f, "{what} is deprecated: {message}"),
            _ => write!(f, "{what} is deprecated with another message: {message}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadsMoved {
    pub channel: Text,
    /// Whether the channel itself is new or gone.
    pub kind: ComparedKind,
    pub before: Vec<Text>,
    pub after: Vec<Text>,
}

impl std::fmt::Display for HeadsMoved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let heads = |heads: &[Text], [one, several]: [&str; 2]| match heads {
            [] => "no head".to_owned(),
            [only] => format!("{one} {only}"),
            heads => format!("{several} {}", heads.join(", ")),
        };
        let channel = &self.channel;
        let is_now = |words| heads(&self.after, words);
        match self.kind {
            ComparedKind::Added => {
                write!(f, "new channel `{channel}`: {}", is_now(["head", "heads"]))
            }
            ComparedKind::Removed => write!(f, "channel `{channel}` removed"),
            ComparedKind::Changed | ComparedKind::Moved => write!(
                f,
                "{channel}: {} instead of {}",
                is_now(["the head is", "the heads are"]),
                heads(&self.before, ["", ""]).trim_start(),
            ),
        }
    }
}

impl<'a> Pair<'a> {
    /// Collects the differences, except heads, stranded entries and users.
    pub fn changes(&self) -> Comparison {
        let kind = match (self.old, self.new) {
            (None, Some(_)) => ComparedKind::Added,
            (Some(_), None) => ComparedKind::Removed,
            _ => ComparedKind::Changed,
        };
        let default =
            |package: Option<&Package>| Text::from(package.map_or("", Package::default_channel));
        let defaults = DefaultChannelChange {
            old: default(self.old),
            new: default(self.new),
        };
        // Bundles shared by both states are neither added nor removed.
        let may_differ = self.touched() == Touched::Anywhere;
        let bundles = |package: Option<&'a Package>| -> HashSet<&'a Text> {
            package
                .filter(|_| may_differ)
                .into_iter()
                .flat_map(|p| &p.bundles)
                .map(|b| &b.name.value)
                .collect()
        };
        let (old_bundles, new_bundles) = (bundles(self.old), bundles(self.new));
        let only_in = |these: &HashSet<&Text>, those: &HashSet<&Text>| -> Vec<Text> {
            let mut only: Vec<Text> = these
                .difference(those)
                .map(|name| Text::clone(name))
                .collect();
            only.sort_small();
            only
        };
        Comparison {
            package: self.name.clone(),
            kind,
            default_channel: (kind == ComparedKind::Changed && defaults.old != defaults.new)
                .then_some(defaults),
            channels_added: self
                .channels
                .iter()
                .filter(|c| c.in_new && !c.in_old)
                .map(|c| c.name.clone())
                .collect(),
            channels_gone: self.gone_channels(),
            bundles_added: only_in(&new_bundles, &old_bundles),
            bundles_gone: only_in(&old_bundles, &new_bundles),
            deprecations: self.deprecations(),
            entries: self.entries(),
            unfinished: find_unfinished(self.old, self.new),
            ..Comparison::default()
        }
    }

    /// Lists the deprecations that exist in only one state or have different messages; the package
    /// first.
    fn deprecations(&self) -> Vec<DeprecationChange> {
        let (before, after) = (messages(self.old), messages(self.new));
        let all: BTreeSet<&(u8, String)> = before.keys().chain(after.keys()).collect();
        all.into_iter()
            .filter_map(|key: &(u8, String)| {
                let message =
                    |of: &BTreeMap<(u8, String), Text>| of.get(key).cloned().unwrap_or_default();
                let (before, after) = (message(&before), message(&after));
                (before != after).then(|| DeprecationChange {
                    what: key.1.clone(),
                    before,
                    after,
                })
            })
            .collect()
    }

    /// Whether a bundle in both states differs in more than its position.
    pub(super) fn bundles_differ(&self) -> bool {
        let (Some(old), Some(new)) = (self.old, self.new) else {
            return true;
        };
        let before: BTreeMap<&Text, &BundleBlob> =
            old.bundles.iter().map(|b| (&b.name.value, &**b)).collect();
        new.bundles.iter().any(|b| {
            before
                .get(&b.name.value)
                .is_none_or(|old| !same_content(old, b))
        })
    }

    /// Lists the changed entries by channel, in the pair's order; within a channel, New's entries
    /// in order, then removed ones. Skips shared channels.
    fn entries(&self) -> Vec<EntryChange> {
        let mut changes = Vec::new();
        let common = self
            .channels
            .iter()
            .filter(|c| c.in_old && c.in_new && !self.shared.contains(&c.name));
        let blobs = [self.old, self.new]
            .map(|package| package.map(Package::channels_by_name).unwrap_or_default());
        for channel in common {
            let [old, new] = blobs
                .each_ref()
                .map(|blobs| blobs.get(&*channel.name)?.first().map(|c| &*c.data));
            let (Some(old), Some(new)) = (old, new) else {
                continue;
            };
            let before: HashMap<&Text, &Entry> = old
                .entries
                .iter()
                .rev()
                .map(|e| (&e.name.value, e))
                .collect();
            let mut add = |name: &Text, kind, detail| {
                changes.push(EntryChange {
                    channel: channel.name.to_string(),
                    name: name.to_string(),
                    kind,
                    detail,
                });
            };
            let mut seen = HashSet::default();
            for entry in new.entries.iter().filter(|e| seen.insert(&e.name.value)) {
                match before.get(&entry.name.value) {
                    None => add(&entry.name.value, ComparedKind::Added, String::new()),
                    Some(was) => match detail(was, entry) {
                        detail if detail.is_empty() => {}
                        detail => add(&entry.name.value, ComparedKind::Changed, detail),
                    },
                }
            }
            let names = old.entries.iter().map(|e| &e.name.value);
            let gone: BTreeSet<&Text> = names.filter(|name| !seen.contains(name)).collect();
            gone.into_iter()
                .for_each(|name| add(name, ComparedKind::Removed, String::new()));
        }
        changes
    }
}

impl Comparison {
    /// One sentence per difference, with names in backticks.
    pub fn sentences(&self) -> Vec<String> {
        let begun = self.unfinished.iter().map(ToString::to_string);
        match self.kind {
            ComparedKind::Added => {
                return std::iter::once("package added".to_owned())
                    .chain(begun)
                    .collect();
            }
            ComparedKind::Removed => return vec!["package removed".to_owned()],
            ComparedKind::Changed | ComparedKind::Moved => {}
        }
        let mut sentences: Vec<String> = begun.collect();
        if let Some(DefaultChannelChange { old, new }) = &self.default_channel {
            sentences.push(match (&**old, &**new) {
                ("", new) => format!("default channel is `{new}`; there was none"),
                (old, "") => format!("default channel was `{old}`; there is none now"),
                (old, new) => format!("default channel was `{old}`, is `{new}`"),
            });
        }
        // Do not repeat the heads of a new or removed channel.
        let heads_of = |channel: &Text| self.heads_moved.iter().find(|it| it.channel == *channel);
        sentences.extend(self.channels_added.iter().map(|name| {
            heads_of(name).map_or_else(|| format!("new channel `{name}`"), ToString::to_string)
        }));
        sentences.extend(self.channels_gone.iter().map(|gone| {
            let users = match gone.listed {
                0 => String::new(),
                listed => format!(
                    ": it listed {}, whose users may be subscribed to it",
                    count_of(listed, "version")
                ),
            };
            format!("channel `{}` removed{users}", gone.name)
        }));
        sentences.extend(
            self.bundles_added
                .iter()
                .map(|name| format!("bundle `{name}` added")),
        );
        sentences.extend(
            self.bundles_gone
                .iter()
                .map(|name| format!("bundle `{name}` removed")),
        );
        sentences.extend(self.deprecations.iter().map(ToString::to_string));
        sentences.extend(self.entries.iter().map(|entry| {
            let EntryChange {
                channel,
                name,
                kind,
                detail,
            } = entry;
            match kind {
                ComparedKind::Added => format!("channel `{channel}`: entry `{name}` added"),
                ComparedKind::Removed if detail.is_empty() => {
                    format!("channel `{channel}`: entry `{name}` removed")
                }
                _ => format!("channel `{channel}`: entry `{name}`: {detail}"),
            }
        }));
        let moved = self.heads_moved.iter();
        let moved = moved.filter(|heads| heads.kind == ComparedKind::Changed);
        sentences.extend(moved.map(ToString::to_string));
        let stranded = |entries: &[(Text, Text)], word: &str| {
            entries
                .iter()
                .map(|(channel, name)| format!("`{name}` in `{channel}` {word}"))
                .collect::<Vec<_>>()
        };
        sentences.extend(stranded(&self.stranded.newly, "is stranded now"));
        sentences.extend(stranded(&self.stranded.no_longer, "is no longer stranded"));
        sentences
    }
}

/// Collects the deprecation messages of a package by subject: the package, then channels, then
/// bundles.
fn messages(package: Option<&Package>) -> BTreeMap<(u8, String), Text> {
    let entries = package
        .into_iter()
        .flat_map(|package| &package.deprecations)
        .flat_map(|blob| &blob.entries);
    let keyed = entries.map(|entry| {
        let name = &entry.name.value;
        let what = match &*entry.schema.value {
            "olm.package" => (0, "package".to_owned()),
            "olm.channel" => (1, format!("channel `{name}`")),
            _ => (2, format!("bundle `{name}`")),
        };
        (what, entry.message.value.clone())
    });
    keyed.collect()
}

/// Describes the difference between two entries; "" if there is none.
fn detail(old: &Entry, new: &Entry) -> String {
    let mut parts = Vec::new();
    let mut field = |name: &str, old: &str, new: &str| match (old, new) {
        _ if old == new => {}
        ("", new) => parts.push(format!("{name} `{new}` added")),
        (old, "") => parts.push(format!("{name} `{old}` removed")),
        (old, new) => parts.push(format!("{name} was `{old}`, is `{new}`")),
    };
    field("replaces", old.replaces.as_str(), new.replaces.as_str());
    field(
        "skipRange",
        old.skip_range.as_str(),
        new.skip_range.as_str(),
    );
    if old
        .skips
        .iter()
        .map(|s| &s.value)
        .eq(new.skips.iter().map(|s| &s.value))
    {
        return parts.join("; ");
    }
    let skips =
        |entry: &Entry| -> BTreeSet<Text> { entry.skips.iter().map(|s| s.value.clone()).collect() };
    let (before, after) = (skips(old), skips(new));
    let names = |names: Vec<&Text>| quoted(names).join(", ");
    let added: Vec<&Text> = after.difference(&before).collect();
    let gone: Vec<&Text> = before.difference(&after).collect();
    if !added.is_empty() {
        parts.push(format!("also skips {}", names(added)));
    }
    if !gone.is_empty() {
        parts.push(format!("no longer skips {}", names(gone)));
    }
    parts.join("; ")
}

/// Whether two blobs of one bundle differ only in their position.
pub(super) fn same_content(old: &BundleBlob, new: &BundleBlob) -> bool {
    let versions = |bundle: &BundleBlob| -> Vec<(Text, Text)> {
        bundle
            .package_properties
            .iter()
            .map(|property| (property.version.value.clone(), property.release().into()))
            .collect()
    };
    let properties = |bundle: &BundleBlob| {
        bundle
            .properties
            .iter()
            .map(|p| p.property.clone())
            .collect::<Vec<_>>()
    };
    old.image.value == new.image.value
        && versions(old) == versions(new)
        && properties(old) == properties(new)
}

/// Entries (channel and name) that `opm` calls stranded in one state only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stranded {
    pub newly: Vec<(Text, Text)>,
    /// Without removed entries.
    pub no_longer: Vec<(Text, Text)>,
}

impl Stranded {
    /// Compares the stranded entries of two graphs and adds changed heads to `moved`. `None` means
    /// the package does not exist.
    pub(super) fn between(
        old: Option<&PackageGraph>,
        new: Option<&PackageGraph>,
        moved: &mut Vec<HeadsMoved>,
    ) -> Self {
        let is_listed = |channel: &str, entry: &str| {
            let graph = new?;
            let channel = graph.channel(channel)?;
            Some(graph.node_of(channel, entry)? < channel.present as u32)
        };
        let (old, new) = (channel_states(old), channel_states(new));
        let none = ChannelState::default();
        let mut stranded = Self::default();
        let names: BTreeSet<&Text> = old.keys().chain(new.keys()).collect();
        for channel in names {
            let (kind, was, is) = match (old.get(channel), new.get(channel)) {
                (Some(was), Some(is)) => (ComparedKind::Changed, was, is),
                (Some(was), None) => (ComparedKind::Removed, was, &none),
                (None, is) => (ComparedKind::Added, &none, is.unwrap_or(&none)),
            };
            if was.heads != is.heads {
                moved.push(HeadsMoved {
                    channel: channel.clone(),
                    kind,
                    before: was.heads.clone(),
                    after: is.heads.clone(),
                });
            }
            let entry = |name: &Text| (channel.clone(), name.clone());
            stranded
                .newly
                .extend(is.stranded.difference(&was.stranded).map(entry));
            stranded.no_longer.extend(
                was.stranded
                    .difference(&is.stranded)
                    .filter(|entry| is_listed(channel, entry) == Some(true))
                    .map(entry),
            );
        }
        stranded
    }
}

fn channel_states(graph: Option<&PackageGraph>) -> BTreeMap<Text, ChannelState> {
    let channels = graph
        .into_iter()
        .flat_map(|graph| graph.channels.iter().map(move |channel| (graph, channel)));
    channels
        .map(|(graph, channel)| (channel.name.clone(), ChannelState::new(graph, channel)))
        .collect()
}

#[derive(Debug, Default)]
struct ChannelState {
    heads: Vec<Text>,
    stranded: BTreeSet<Text>,
}

impl ChannelState {
    fn new(graph: &PackageGraph, channel: &ChannelGraph) -> Self {
        let name = |node: u32| Text::from(graph.name_at(channel, node));
        let stranded = (0..)
            .zip(&channel.nodes)
            .filter(|(_, node)| node.stranded)
            .map(|(i, _)| name(i))
            .collect();
        Self {
            heads: channel.heads.iter().map(|&node| name(node)).collect(),
            stranded,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneChannel {
    pub name: Text,
    /// Number of versions that it listed; their users may subscribe to it.
    pub listed: usize,
    /// The updates of users on versions that it did not list.
    pub(super) steps: Vec<GoneStep>,
}

/// A next step that disappears with its channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoneStep {
    users: GoneUsers,
    pub next: Installed,
    pub last: Installed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GoneUsers {
    /// A version that an entry mentioned.
    Mentioned(Installed),
    /// Versions that a range covered.
    Unlisted(Interval),
}

impl GoneChannel {
    pub(super) fn keep_in_use(&mut self, in_use: &InUse, known_names: &HashSet<Text>) {
        self.steps.retain(|step| match &step.users {
            GoneUsers::Mentioned(installed) => in_use.0.contains(installed),
            GoneUsers::Unlisted(interval) => in_use.unlisted_in(interval, known_names).count() > 0,
        });
    }
}

impl InUse {
    /// Returns the users in an interval whose names the catalog does not know.
    pub(super) fn unlisted_in<'u>(
        &'u self,
        interval: &'u Interval,
        known_names: &'u HashSet<Text>,
    ) -> impl Iterator<Item = &'u Installed> {
        self.0.iter().filter(|installed| {
            !known_names.contains(&installed.name)
                && Version::parse(&installed.version)
                    .is_ok_and(|version| interval.contains(&version))
        })
    }
}

impl Pair<'_> {
    pub(super) fn gone_channels(&self) -> Vec<GoneChannel> {
        let gone = self.channels.iter().filter(|c| c.in_old && !c.in_new);
        gone.map(|channel| GoneChannel {
            name: channel.name.clone(),
            listed: channel.users.len(),
            steps: self.gone_steps(channel),
        })
        .collect()
    }

    fn gone_steps(&self, channel: &ChannelPair) -> Vec<GoneStep> {
        let paths = &channel.v0.old;
        let bundle = |number: u32| self.versions.get(number).cloned();
        let is_listed = |number: &u32| channel.users.binary_search(number).is_ok();
        let mentioned = paths.members.iter().filter(|number| !is_listed(number));
        let mut steps: Vec<GoneStep> = mentioned
            .filter_map(|&number: &u32| {
                let path: &PathSummary = paths.get(number)?;
                Some(GoneStep {
                    users: GoneUsers::Mentioned(bundle(number)?),
                    next: bundle(path.next.as_ref()?.to)?,
                    last: bundle(path.last)?,
                })
            })
            .collect();
        if !self.old_index.has_ranges(&channel.name) {
            return steps;
        }
        let ranges = self.old_index.unlisted_steps(Lens::V0, Some(&channel.name));
        let ends = ranges
            .stretches
            .iter()
            .skip(1)
            .map(|(from, _)| from.clone());
        let stretches = ranges.stretches.iter().zip(ends.chain([Cut::end()]));
        for ((from, step), upper) in stretches {
            let Ok(Some(next)) = step else {
                continue;
            };
            let interval = Interval {
                lower: from.clone(),
                upper,
            };
            let path = self.versions.number(next).and_then(|n| paths.get(n));
            let last = path.and_then(|path| bundle(path.last));
            for versions in self.unlisted_parts(vec![interval]) {
                steps.push(GoneStep {
                    users: GoneUsers::Unlisted(versions.interval),
                    next: next.clone(),
                    last: last.clone().unwrap_or_else(|| next.clone()),
                });
            }
        }
        steps
    }
}

impl Comparison {
    pub fn is_channel_gone(&self, name: &Text) -> bool {
        self.channels_gone.iter().any(|gone| gone.name == *name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// Versions that several names share, such as releases of one version.
    ambiguous: Arc<HashSet<Text>>,
}

impl Labels {
    pub(super) fn new<'i>(installed: impl Iterator<Item = &'i Installed>) -> Self {
        let mut names: HashMap<&Text, &Text> = HashMap::default();
        let mut ambiguous = HashSet::default();
        for one in installed.filter(|one| !one.version.is_empty()) {
            if *names.entry(&one.version).or_insert(&one.name) != &one.name {
                ambiguous.insert(one.version.clone());
            }
        }
        Self {
            ambiguous: Arc::new(ambiguous),
        }
    }

    /// Formats a version: `1.0.0`; `p-v1.0.0-2 (1.0.0)` if another bundle has that version; the
    /// name if there is no version.
    pub fn label<'i>(&self, installed: &'i Installed) -> Cow<'i, str> {
        let Installed { name, version, .. } = installed;
        if version.is_empty() {
            Cow::from(&**name)
        } else if self.ambiguous.contains(version) {
            Cow::from(format!("{name} ({version})"))
        } else {
            Cow::from(&**version)
        }
    }

    /// Lists the labels: `A, B and 12 more`.
    pub(super) fn list_labels(&self, installed: &[Installed], most: usize) -> String {
        first_of(installed.iter().map(|one| self.label(one)), most)
    }
}

/// A package or channel that has no entry yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfinished {
    pub package: Text,
    /// The channel that needs an entry; `None` if the package has no channels.
    pub channel: Option<Text>,
    /// Whether no channel of the package ever had an entry: then all problems of the package follow
    /// from that.
    pub is_whole_package: bool,
    /// Whether the package has bundles that a channel could list.
    pub has_bundles: bool,
}

impl Unfinished {
    /// Whether findings in this channel ("" for the package) only exist because it is unfinished.
    pub fn covers(&self, channel: &str) -> bool {
        self.is_whole_package || self.channel.as_deref() == Some(channel)
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let package = &self.package;
        match &self.channel {
            None if self.has_bundles => {
                write!(
                    f,
                    "package {package} is not finished: add a channel for its bundles next"
                )
            }
            None => write!(
                f,
                "package {package} is not finished: add a channel next, then a bundle"
            ),
            Some(channel) if self.is_whole_package && self.has_bundles => {
                write!(
                    f,
                    "package {package} is not finished: promote a bundle into channel {channel} next"
                )
            }
            Some(channel) if self.is_whole_package => {
                write!(
                    f,
                    "package {package} is not finished: add a bundle to channel {channel} next"
                )
            }
            Some(channel) => {
                write!(
                    f,
                    "channel {channel} is not finished: add a bundle to it next, or promote one into it"
                )
            }
        }
    }
}

/// Finds the parts that the change leaves unfinished.
pub fn find_unfinished(before: Option<&Package>, after: Option<&Package>) -> Vec<Unfinished> {
    let Some(after) = after.filter(|package| !package.name.is_empty()) else {
        return Vec::new();
    };
    let of = |channel: Option<&Text>, is_whole_package| Unfinished {
        package: after.name.clone(),
        channel: channel.cloned(),
        is_whole_package,
        has_bundles: !after.bundles.is_empty(),
    };
    if !before.is_some_and(has_entries) && !has_entries(after) {
        let channels: Vec<_> = after
            .channels
            .iter()
            .map(|channel| &channel.name.value)
            .collect();
        let default = channels
            .iter()
            .find(|name| &****name == after.default_channel())
            .or(channels.first());
        return vec![of(default.copied(), true)];
    }
    let was_there = |name: &Text| before.is_some_and(|package| package.channel(name).is_some());
    let empty = after
        .channels
        .iter()
        .filter(|channel| channel.entries.is_empty());
    let begun = empty
        .map(|channel| &channel.name.value)
        .filter(|name| !was_there(name));
    begun.map(|name| of(Some(name), false)).collect()
}

fn has_entries(package: &Package) -> bool {
    package
        .channels
        .iter()
        .any(|channel| !channel.entries.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;
    use std::sync::Arc;

    /// Parses a package. A channel with the entry `none` has no entries.
    fn parse_package(text: &str) -> Arc<Package> {
        let mut package = package(text);
        for channel in &mut package.channels {
            Arc::make_mut(&mut channel.data)
                .entries
                .retain(|entry| entry.name.as_str() != "none");
        }
        Arc::new(package)
    }

    fn user_effects(before: Option<&str>, after: &str) -> Vec<String> {
        find_unfinished(
            before.map(parse_package).as_deref(),
            Some(&parse_package(after)),
        )
        .iter()
        .map(ToString::to_string)
        .collect()
    }

    #[test]
    fn an_object_without_entries_is_only_unfinished() {
        let (whole, begun) = ("c: a@1.0.0", "c: a@1.0.0\nd: none");
        assert!(user_effects(None, whole).is_empty());
        assert!(
            user_effects(Some(whole), "c: none").is_empty(),
            "the last entry was removed"
        );
        assert_eq!(
            user_effects(None, ""),
            ["package p is not finished: add a channel next, then a bundle"]
        );
        assert_eq!(
            user_effects(Some(""), "c: none"),
            ["package p is not finished: add a bundle to channel c next"]
        );
        let mut bundled = Package::clone(&parse_package(whole));
        bundled.channels.clear();
        let message = find_unfinished(None, Some(&bundled))[0].to_string();
        assert_eq!(
            message,
            "package p is not finished: add a channel for its bundles next"
        );
        let channel =
            ["channel d is not finished: add a bundle to it next, or promote one into it"];
        assert_eq!(user_effects(Some(whole), begun), channel);
        assert!(
            user_effects(Some(begun), begun).is_empty(),
            "unfinished before the edit"
        );
        assert!(user_effects(Some(""), whole).is_empty());
    }
}
