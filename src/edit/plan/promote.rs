//! `promote`: adds a bundle to another channel as its head, within its chain, or skipped by another
//! entry.

use super::Refused;
use super::channel_draft::{ChannelDraft, NewEntry};
use super::{CatalogView, PlanResult, entries, entry_order, relink};
use catalog::model::{ChannelBlob, Located, Package};
use catalog::version::VersionRelease;
use protocol::operation::{Choice, PromoteAs};
use std::cmp::Ordering;

/// The fields of `promote`.
#[derive(Clone, Copy)]
pub(super) struct Promotion<'a> {
    pub package: &'a str,
    pub bundle: &'a str,
    pub to: &'a str,
    pub how: Option<PromoteAs>,
    pub replaces: &'a Choice,
    pub skip_range: &'a Choice,
    pub skips: &'a [String],
}

pub(super) fn plan(view: &CatalogView<'_>, promotion: &Promotion<'_>) -> PlanResult {
    let package = view.package(promotion.package)?;
    let channel = view.channel(package, promotion.to)?;
    if !view.lists_only_names(package) || package.bundle(promotion.bundle).is_some() {
        view.bundle(package, promotion.bundle)?;
    }
    if let Some(entry) = channel.entry(promotion.bundle) {
        return Err(refused!(
            "`{}` is already in channel `{}`",
            promotion.bundle,
            promotion.to
        )
        .help("change its edges with `set-replaces`, `add-skip` or `set-skip-range`")
        .at(view.locate(channel, entry.name.place)));
    }
    let version = entry_order::Bundles::new(package)
        .version(promotion.bundle)
        .or_else(|| {
            let is_unknown = package.bundle(promotion.bundle).is_none();
            is_unknown.then(|| entry_order::parse_name_version(promotion.bundle))?
        });
    add_entry(view, package, channel, promotion, version)
}

/// Adds a bundle of this version, which the channel does not list yet.
pub(super) fn add_entry(
    view: &CatalogView<'_>,
    package: &Package,
    channel: &Located<ChannelBlob>,
    promotion: &Promotion<'_>,
    version: Option<VersionRelease>,
) -> PlanResult {
    let target = Target::new(package, channel, version);
    if !target.is_comparable && (promotion.how.is_none() || promotion.replaces.is_default()) {
        return Err(target.refuse_unclear_placement(promotion));
    }

    let mode = promotion.how.unwrap_or(if target.is_highest() {
        PromoteAs::Head
    } else {
        PromoteAs::Chain
    });
    let mut draft = ChannelDraft::new(channel);
    let replaces = match mode {
        PromoteAs::Head => match promotion.replaces {
            Choice::Default => entry_order::present_head(channel, &target.versions)
                .map(|i| target.name(i).to_owned()),
            Choice::None => None,
            Choice::Value(name) => Some(name.clone()),
        },
        PromoteAs::Chain => {
            let link = target.link(promotion, false);
            if let Some(above) = link.above {
                draft.set_replaces(above.entry, &above.replaces);
                draft.add_skips(above.entry, above.new_skip.as_deref());
            }
            link.replaces
        }
        PromoteAs::Skipped => link_as_skipped(view, &target, promotion, &mut draft)?,
    };
    let replaces = replaces.unwrap_or_default();
    let entry = NewEntry {
        name: promotion.bundle.to_owned(),
        skips: promotion
            .skips
            .iter()
            .filter(|name| **name != promotion.bundle && **name != replaces)
            .cloned()
            .collect(),
        skip_range: match promotion.skip_range {
            Choice::Default => agreed_skip_range(package, promotion.bundle).to_owned(),
            Choice::None => String::new(),
            Choice::Value(range) => {
                entries::check_range(range)?;
                range.clone()
            }
        },
        replaces,
    };
    let at =
        entry_order::list_position(package, channel, promotion.bundle, target.version.as_ref());
    draft.insert(at, &entry);
    Ok(draft.finish())
}

/// Makes the next higher entry skip the new one. Returns what the new entry replaces.
fn link_as_skipped(
    view: &CatalogView<'_>,
    target: &Target<'_>,
    promotion: &Promotion<'_>,
    draft: &mut ChannelDraft<'_>,
) -> Result<Option<String>, Refused> {
    let channel = target.channel;
    let Some(skipping) = target.skipping_entry(promotion.replaces) else {
        return Err(refused!(
            "channel `{}` has no entry above `{}` that could skip it",
            promotion.to,
            promotion.bundle
        )
        .help("promote it as the head")
        .at(view.locate(channel, channel.name.place)));
    };
    let link = target.link(promotion, true);
    let mut skips = vec![promotion.bundle];
    if let Some(above) = &link.above {
        draft.set_replaces(above.entry, &above.replaces);
        if above.entry == skipping {
            skips.extend(above.new_skip.as_deref());
        } else {
            draft.add_skips(above.entry, above.new_skip.as_deref());
        }
    }
    draft.add_skips(skipping, skips);
    Ok(link.replaces)
}

/// Returns the skip range shared by all channels with the bundle; "" if they differ.
fn agreed_skip_range<'a>(package: &'a Package, bundle: &str) -> &'a str {
    let entries = package.entries().filter(|e| e.name.as_str() == bundle);
    let mut ranges = entries.map(|e| e.skip_range.as_str());
    let first = ranges.next().unwrap_or_default();
    if ranges.all(|range| range == first) {
        first
    } else {
        ""
    }
}

struct Link {
    replaces: Option<String>,
    above: Option<LinkAbove>,
}

/// The entry above the new one, with its new edges.
struct LinkAbove {
    entry: usize,
    replaces: String,
    /// A missing name that it replaced and now skips, so that users of that name keep their update.
    new_skip: Option<String>,
}

struct Target<'a> {
    channel: &'a Located<ChannelBlob>,
    versions: Vec<Option<VersionRelease>>,
    version: Option<VersionRelease>,
    /// The current head and the entries below it, following `replaces`.
    chain: Vec<usize>,
    /// Whether the new version and those of all entries with a bundle are known and distinct.
    is_comparable: bool,
}

impl<'a> Target<'a> {
    fn new(
        package: &'a Package,
        channel: &'a Located<ChannelBlob>,
        version: Option<VersionRelease>,
    ) -> Self {
        let versions = entry_order::versions(package, channel);
        let is_comparable = version.as_ref().is_some_and(|version| {
            versions
                .iter()
                .zip(&channel.entries)
                .all(|(other, entry)| match other {
                    Some(other) => other.compare(version) != Ordering::Equal,
                    None => package.bundle(entry.name.as_str()).is_none(),
                })
        });
        let chain = entry_order::present_head(channel, &versions)
            .map_or_else(Vec::new, |head| entry_order::replaces_chain(channel, head));
        Self {
            channel,
            versions,
            version,
            chain,
            is_comparable,
        }
    }

    fn name(&self, at: usize) -> &'a str {
        self.channel.entries[at].name.as_str()
    }

    fn is_highest(&self) -> bool {
        self.version.as_ref().is_some_and(|version| {
            let mut others = self.versions.iter().flatten();
            others.all(|other| other.compare(version).is_lt())
        })
    }

    fn is_below(&self, at: usize) -> bool {
        let versions = self.versions[at].as_ref().zip(self.version.as_ref());
        versions.is_some_and(|(other, version)| other.compare(version).is_lt())
    }

    fn is_above(&self, at: usize) -> bool {
        match (&self.versions[at], &self.version) {
            (Some(other), Some(version)) => other.compare(version).is_gt(),
            // Versions cannot be compared: the end of the chain is its lowest entry.
            (None, None) => true,
            _ => false,
        }
    }

    /// Links the new entry between the next lower entry and the one that replaced that entry.
    ///
    /// If none replaced it, the chain has a gap there or the new entry is the lowest: then the next
    /// higher entry of the chain replaces the new one. A skipped entry is not an update, so the
    /// entry that would replace it replaces the next lower one instead.
    fn link(&self, promotion: &Promotion<'_>, becomes_skipped: bool) -> Link {
        let bundle = promotion.bundle;
        let is_skipped = becomes_skipped || relink::skipped_names(self.channel).contains(bundle);
        let replaces = match promotion.replaces {
            Choice::Value(name) => Some(name.clone()),
            Choice::None => None,
            Choice::Default => self.next_lower().map(|i| self.name(i).to_owned()),
        };
        let replacing = replaces
            .as_deref()
            .and_then(|name| self.replacing_entry(name))
            .filter(|&i| !promotion.replaces.is_default() || !self.is_below(i));
        let above = match (replacing, &replaces) {
            (Some(_), _) if is_skipped => None,
            (Some(entry), _) => Some(LinkAbove {
                entry,
                replaces: bundle.to_owned(),
                new_skip: None,
            }),
            (None, lower) => {
                let end = if is_skipped {
                    lower.as_deref()
                } else {
                    Some(bundle)
                };
                end.and_then(|end| self.close_gap(bundle, end, promotion.replaces))
            }
        };
        Link { replaces, above }
    }

    /// Orders two entries, the higher version first.
    fn compare_descending(&self, a: usize, b: usize) -> Ordering {
        VersionRelease::compare_optional(&self.versions[b], &self.versions[a])
    }

    /// Returns the highest lower entry that is in the head's chain, or in no chain and not skipped
    /// (if the chain has a gap).
    fn next_lower(&self) -> Option<usize> {
        let skipped = relink::skipped_names(self.channel);
        (0..self.versions.len())
            .filter(|&i| self.is_below(i))
            .filter(|i| self.chain.contains(i) || !skipped.contains(self.name(*i)))
            .min_by(|&a, &b| self.compare_descending(a, b))
    }

    /// Returns the entry that should replace `end` (the new entry, or the one it replaces) if none
    /// leads to it yet.
    fn close_gap(&self, bundle: &str, end: &str, replaces: &Choice) -> Option<LinkAbove> {
        let link = |entry: usize, new_skip: &str| LinkAbove {
            entry,
            replaces: end.to_owned(),
            new_skip: (!["", bundle, end].contains(&new_skip)).then(|| new_skip.to_owned()),
        };
        if let Some(replacing) = self.replacing_entry(bundle) {
            return (end != bundle).then(|| link(replacing, ""));
        }
        if matches!(replaces, Choice::Value(_)) {
            return None;
        }
        let above = self.chain.iter().copied().filter(|&i| self.is_above(i));
        let next = above.max_by(|&a, &b| self.compare_descending(a, b))?;
        let old = self.channel.entries[next].replaces.as_str();
        if !self.channel.has_entry(old) {
            return Some(link(next, old));
        }
        // An edge around the new entry is kept if that entry is only skipped.
        (end == bundle && old != self.name(next)).then(|| link(next, ""))
    }

    /// Returns the entry of the chain that replaces `name`, or else any entry that does.
    fn replacing_entry(&self, name: &str) -> Option<usize> {
        let entries = &self.channel.entries;
        let chain = self.chain.iter().copied();
        chain
            .chain(0..entries.len())
            .find(|&i| entry_order::replaces(&entries[i], name))
    }

    /// Returns the entry that should skip the new one: the next higher one; for an incomparable
    /// version, the one that replaces the same entry.
    fn skipping_entry(&self, replaces: &Choice) -> Option<usize> {
        match (&self.version, replaces) {
            (Some(version), _) => entry_order::next_higher(&self.versions, version),
            (None, Choice::Value(name)) => self.replacing_entry(name),
            (None, _) => None,
        }
    }

    fn refuse_unclear_placement(&self, promotion: &Promotion<'_>) -> Refused {
        let why = match &self.version {
            None => format!("the version of `{}` cannot be read", promotion.bundle),
            Some(version) => {
                let equal = self.versions.iter().position(|v| {
                    v.as_ref()
                        .is_some_and(|v| v.compare(version) == Ordering::Equal)
                });
                match equal {
                    Some(at) => format!(
                        "`{}` and `{}` have the same version",
                        promotion.bundle,
                        self.name(at)
                    ),
                    None => format!(
                        "channel `{}` has an entry whose version cannot be read",
                        promotion.to
                    ),
                }
            }
        };
        refused!("{why}, so the place of the bundle in the channel is unknown")
            .help("use `--as head|chain|skipped` and `--replaces NAME|none`")
    }
}
