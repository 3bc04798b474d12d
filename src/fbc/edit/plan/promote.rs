//! `promote`: a bundle enters another channel, as its head, in its chain, or behind an entry that skips it.

use super::channel_draft::{ChannelDraft, NewEntry};
use super::entry_order;
use super::refused::Refused;
use super::{CatalogView, PlanStep, entry_edges};
use crate::model::{ChannelBlob, Located, Package};
use crate::version::VersionRelease;
use protocol::operation::{Choice, PromoteAs};
use std::cmp::Ordering;

/// The operation's fields.
pub(super) struct Promotion<'a> {
    pub(super) package: &'a str,
    pub(super) bundle: &'a str,
    pub(super) to: &'a str,
    pub(super) how: Option<PromoteAs>,
    pub(super) replaces: &'a Choice,
    pub(super) skip_range: &'a Choice,
}

pub(super) fn plan(
    view: &CatalogView<'_>,
    promotion: &Promotion<'_>,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(promotion.package)?;
    let channel = view.channel(package, promotion.to)?;
    view.bundle(package, promotion.bundle)?;
    if let Some(entry) = channel
        .entries
        .iter()
        .find(|e| e.name.as_str() == promotion.bundle)
    {
        return Err(Refused::new(format!(
            "`{}` is already in channel `{}`",
            promotion.bundle, promotion.to
        ))
        .help("change its edges with `set-replaces`, `add-skip` or `set-skip-range`")
        .at(view.location(channel.file, channel.index, entry.name.place)));
    }
    enter(
        view,
        package,
        channel,
        promotion,
        entry_order::version_of(package, promotion.bundle),
    )
}

/// A bundle of this version, which the channel does not list yet, enters it.
pub(super) fn enter(
    view: &CatalogView<'_>,
    package: &Package,
    channel: &Located<ChannelBlob>,
    promotion: &Promotion<'_>,
    version: Option<VersionRelease>,
) -> Result<Vec<PlanStep>, Refused> {
    let target = Target::new(package, channel, version);
    if !target.comparable && (promotion.how.is_none() || promotion.replaces.is_default()) {
        return Err(target.say_how(promotion));
    }

    let how = promotion.how.unwrap_or(if target.is_highest() {
        PromoteAs::Head
    } else {
        PromoteAs::Chain
    });
    let mut draft = ChannelDraft::new(channel);
    let replaces = match how {
        PromoteAs::Head => match promotion.replaces {
            Choice::Default => entry_order::present_head(channel, &target.versions)
                .map(|i| target.name(i).to_owned()),
            Choice::None => None,
            Choice::Value(name) => Some(name.clone()),
        },
        PromoteAs::Chain => {
            let link = target.link(promotion.replaces);
            if let Some(above) = link.above {
                draft.set_replaces(above, promotion.bundle);
            }
            link.replaces
        }
        PromoteAs::Skipped => {
            let Some(above) = target.skipping(promotion.replaces) else {
                return Err(Refused::new(format!(
                    "channel `{}` has no entry above `{}` that could skip it",
                    promotion.to, promotion.bundle
                ))
                .help("promote it as the head")
                .at(view.location(
                    channel.file,
                    channel.index,
                    channel.name.place,
                )));
            };
            draft.add_skips(above, [promotion.bundle]);
            target.link(promotion.replaces).replaces
        }
    };
    let entry = NewEntry {
        name: promotion.bundle.to_owned(),
        replaces: replaces.unwrap_or_default(),
        skip_range: match promotion.skip_range {
            Choice::Default => agreed_skip_range(package, promotion.bundle).to_owned(),
            Choice::None => String::new(),
            Choice::Value(range) => {
                entry_edges::readable(range)?;
                range.clone()
            }
        },
    };
    let at =
        entry_order::place_in_list(package, channel, promotion.bundle, target.version.as_ref());
    draft.insert(at, &entry);
    Ok(draft.finish().into_iter().collect())
}

/// The skip range that all channels that have the bundle agree on; "" when they differ.
fn agreed_skip_range<'a>(package: &'a Package, bundle: &str) -> &'a str {
    let entries = package
        .channels
        .iter()
        .flat_map(|c| &c.entries)
        .filter(|e| e.name.as_str() == bundle);
    let mut ranges = entries.map(|e| e.skip_range.as_str());
    let Some(first) = ranges.next() else {
        return "";
    };
    if ranges.all(|range| range == first) {
        first
    } else {
        ""
    }
}

/// The position of the new entry in the chain.
struct Link {
    replaces: Option<String>,
    /// The entry that replaces the new one from now on.
    above: Option<usize>,
}

/// The channel as the new entry finds it.
struct Target<'a> {
    channel: &'a Located<ChannelBlob>,
    versions: Vec<Option<VersionRelease>>,
    version: Option<VersionRelease>,
    /// The present head and what it replaces, one after another.
    chain: Vec<usize>,
    /// The version parses, and so do those of the entries that have a bundle, and none is equal.
    comparable: bool,
}

impl<'a> Target<'a> {
    fn new(
        package: &'a Package,
        channel: &'a Located<ChannelBlob>,
        version: Option<VersionRelease>,
    ) -> Self {
        let versions = entry_order::versions(package, channel);
        let comparable = version.as_ref().is_some_and(|version| {
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
            comparable,
        }
    }

    fn name(&self, at: usize) -> &'a str {
        self.channel.entries[at].name.as_str()
    }

    fn is_highest(&self) -> bool {
        self.version.as_ref().is_some_and(|version| {
            self.versions
                .iter()
                .flatten()
                .all(|other| other.compare(version) == Ordering::Less)
        })
    }

    fn below(&self, at: usize) -> bool {
        match (&self.versions[at], &self.version) {
            (Some(other), Some(version)) => other.compare(version) == Ordering::Less,
            _ => false,
        }
    }

    /// Between the highest lower entry of the chain and what replaced that; below everything it replaces nothing, and
    /// the lowest entry replaces it if that replaced nothing.
    fn link(&self, replaces: &Choice) -> Link {
        let replaces = match replaces {
            Choice::Value(name) => Some(name.clone()),
            Choice::None => None,
            Choice::Default => {
                let lower = self.chain.iter().copied().filter(|&i| self.below(i));
                let highest = lower.reduce(|best, i| {
                    let higher = matches!(
                        (&self.versions[i], &self.versions[best]),
                        (Some(a), Some(b)) if a.compare(b) == Ordering::Greater
                    );
                    if higher { i } else { best }
                });
                highest.map(|i| self.name(i).to_owned())
            }
        };
        let above = match &replaces {
            Some(name) => self.replacing(name),
            None => self
                .lowest()
                .filter(|&i| self.channel.entries[i].replaces.is_empty()),
        };
        Link { replaces, above }
    }

    /// The entry of the chain that replaces `name`; if the chain has none, any entry that does.
    fn replacing(&self, name: &str) -> Option<usize> {
        let does = |i: &usize| entry_order::replaces(&self.channel.entries[*i], name);
        self.chain
            .iter()
            .copied()
            .find(does)
            .or_else(|| (0..self.channel.entries.len()).find(does))
    }

    /// The lowest entry of the chain.
    fn lowest(&self) -> Option<usize> {
        self.chain.iter().copied().reduce(|best, i| {
            match (&self.versions[i], &self.versions[best]) {
                (Some(a), Some(b)) if a.compare(b) == Ordering::Greater => best,
                _ => i,
            }
        })
    }

    /// The entry that is to skip the new one: the next higher; for a version that cannot be compared the one that
    /// replaces what the new entry replaces.
    fn skipping(&self, replaces: &Choice) -> Option<usize> {
        match (&self.version, replaces) {
            (Some(version), _) => entry_order::next_higher(&self.versions, version),
            (None, Choice::Value(name)) => self.replacing(name),
            (None, _) => None,
        }
    }

    fn say_how(&self, promotion: &Promotion<'_>) -> Refused {
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
        Refused::new(format!(
            "{why}, so the place of the bundle in the channel is unknown"
        ))
        .help("use `--as head|chain|skipped` and `--replaces NAME|none`")
    }
}
