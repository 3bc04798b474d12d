//! The differences of a package: default channel, channels, bundles and entries, as data and as
//! sentences.

use super::shared::Touched;
use super::{Comparison, Pair, find_unfinished};
use crate::hashed::{HashMap, HashSet};
use crate::model::{BundleBlob, Entry, Package};
use crate::order::SortSmall;
use crate::place::Text;
use protocol::counting::count_of;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ChangeKind {
    #[default]
    Changed,
    Added,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryChange {
    pub channel: Text,
    pub name: Text,
    pub kind: ChangeKind,
    /// The changed fields as text; "" for an added or removed entry.
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecationChange {
    /// `package`, or a channel or bundle with its name in backticks.
    pub what: String,
    /// The messages; "" for none.
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

/// A channel whose heads differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadsMoved {
    pub channel: Text,
    pub before: Vec<Text>,
    pub after: Vec<Text>,
}

impl std::fmt::Display for HeadsMoved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |heads: &[Text]| match heads {
            [] => "none".to_owned(),
            heads => heads.join(", "),
        };
        let was = if self.before.len() > 1 {
            "heads were"
        } else {
            "head was"
        };
        let is = match (self.before.len() > 1, self.after.len() > 1) {
            (false, false) => "is",
            (true, true) => "are",
            (true, false) => "now the head is",
            (false, true) => "now the heads are",
        };
        write!(
            f,
            "{}: {was} {}, {is} {}",
            self.channel,
            names(&self.before),
            names(&self.after)
        )
    }
}

impl<'a> Pair<'a> {
    /// The differences, without heads, stranded entries and users.
    pub fn changes(&self) -> Comparison {
        let kind = match (self.old, self.new) {
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let default =
            |package: Option<&Package>| Text::from(package.map_or("", Package::default_channel));
        let defaults = (default(self.old), default(self.new));
        // Bundles shared by both states are neither added nor removed.
        let may_differ = self.find_touched() == Touched::Anywhere;
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
            default_channel: (kind == ChangeKind::Changed && defaults.0 != defaults.1)
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

    /// Deprecations that exist in one state only or have different messages; the package first.
    fn deprecations(&self) -> Vec<DeprecationChange> {
        let (before, after) = (messages(self.old), messages(self.new));
        let all: BTreeSet<&(u8, String)> = before.keys().chain(after.keys()).collect();
        let change = |key: &(u8, String)| {
            let message =
                |of: &BTreeMap<(u8, String), Text>| of.get(key).cloned().unwrap_or_default();
            let (before, after) = (message(&before), message(&after));
            (before != after).then(|| DeprecationChange {
                what: key.1.clone(),
                before,
                after,
            })
        };
        all.into_iter().filter_map(change).collect()
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

    /// By channel in the pair's order; in each, New's entries in order, then removed ones. Shared
    /// channels have none.
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
                    channel: channel.name.clone(),
                    name: name.clone(),
                    kind,
                    detail,
                });
            };
            let mut seen = HashSet::default();
            for entry in new.entries.iter().filter(|e| seen.insert(&e.name.value)) {
                match before.get(&entry.name.value) {
                    None => add(&entry.name.value, ChangeKind::Added, String::new()),
                    Some(was) => match detail(was, entry) {
                        detail if detail.is_empty() => {}
                        detail => add(&entry.name.value, ChangeKind::Changed, detail),
                    },
                }
            }
            let names = old.entries.iter().map(|e| &e.name.value);
            let gone: BTreeSet<&Text> = names.filter(|name| !seen.contains(name)).collect();
            gone.into_iter()
                .for_each(|name| add(name, ChangeKind::Removed, String::new()));
        }
        changes
    }
}

impl Comparison {
    /// One sentence per difference, with names in backticks.
    pub fn sentences(&self) -> Vec<String> {
        let begun = self.unfinished.iter().map(ToString::to_string);
        match self.kind {
            ChangeKind::Added => {
                return std::iter::once("package added".to_owned())
                    .chain(begun)
                    .collect();
            }
            ChangeKind::Removed => return vec!["package removed".to_owned()],
            ChangeKind::Changed => {}
        }
        let mut sentences: Vec<String> = begun.collect();
        if let Some((old, new)) = &self.default_channel {
            sentences.push(format!("default channel was `{old}`, is `{new}`"));
        }
        sentences.extend(
            self.channels_added
                .iter()
                .map(|name| format!("channel `{name}` added")),
        );
        sentences.extend(self.channels_gone.iter().map(|gone| {
            let versions = count_of(gone.listed, "version");
            format!(
                "channel `{}` removed: {versions} may be subscribed to it",
                gone.name
            )
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
                ChangeKind::Added => format!("channel `{channel}`: entry `{name}` added"),
                ChangeKind::Removed => format!("channel `{channel}`: entry `{name}` removed"),
                ChangeKind::Changed => format!("channel `{channel}`: entry `{name}`: {detail}"),
            }
        }));
        sentences.extend(self.heads_moved.iter().map(ToString::to_string));
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

/// Deprecation messages of a package by their subject: the package, then channels, then bundles.
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

/// The difference between two entries; "" if there is none.
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
    let names = |names: Vec<&Text>| {
        names
            .into_iter()
            .map(|n| format!("`{n}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
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
