//! OLM Classic within one package: the next step (`olm-resolution` 2.3) and its explanation.
//!
//! Ignores requirements between bundles; [`super::resolve`] handles them.

use super::answer::{Answer, EdgeKind, ErrorKind, Installed, Options, Successor, UpgradeError};
use super::explain::{
    describe_edge, describe_unreadable_ranges, documented, join_names, join_names_and_others,
};
use super::index::{Origin, UpgradeIndex};
use super::installed_set::{Assignment, Claim, InstalledSet};
use super::subscription::{ChannelCandidate, Subscription, channel_of};
use std::cell::OnceCell;
use syntax::hashed::HashSet;
use syntax::place::Text;

/// Number of candidates named; the others are counted.
const MAX_NAMES: usize = 3;
/// Number of existing channels named if the subscribed one does not exist.
const MAX_CHANNELS: usize = 8;

/// A subscription to a package; prepares everything independent of the installed bundle once.
pub struct Subscribed<'a> {
    index: &'a UpgradeIndex,
    options: &'a Options,
    /// Prepared on first use, for a fresh install and for updates.
    fresh: OnceCell<Result<Subscription<'a>, UpgradeError>>,
    update: OnceCell<Result<Subscription<'a>, UpgradeError>>,
}

impl<'a> Subscribed<'a> {
    pub fn new(index: &'a UpgradeIndex, options: &'a Options) -> Self {
        Self {
            index,
            options,
            fresh: OnceCell::new(),
            update: OnceCell::new(),
        }
    }

    /// Returns the next step of `installed` (`None`: a fresh install).
    pub fn next(&self, installed: Option<&Installed>) -> Answer {
        let Self { index, options, .. } = self;
        let origin = installed.map(|i| index.origin(i));
        let is_fresh = origin.is_none();
        let prepared = if is_fresh { &self.fresh } else { &self.update };
        let subscription =
            match prepared.get_or_init(|| Subscription::new(index, is_fresh, options)) {
                Ok(subscription) => subscription,
                Err(error) => {
                    let why = explain_refusal(index, error, is_fresh, options);
                    return Answer::fail(error.clone(), why);
                }
            };
        let chosen = subscription.choose(origin.as_ref());
        let choice = chosen.as_ref().ok().copied().flatten();
        let why = explain_choice(subscription, origin.as_ref(), choice, options);
        match chosen {
            Ok(chosen) => Answer {
                next: chosen.and_then(|c| c.successor(origin.as_ref())),
                why,
                error: None,
            },
            Err(error) => Answer::fail(error, why),
        }
    }
}

/// Returns the next step of each member, and the head's name. A single `Err` if the subscription
/// itself is refused.
pub(super) fn everyone<'a>(
    installed_set: &InstalledSet<'a>,
    members: &[u32],
    options: &Options,
) -> Result<(Vec<Option<Successor>>, Option<&'a Text>), UpgradeError> {
    let subscription = Subscription::new(installed_set.index, false, options)?;
    let mut assignment = Assignment::new(installed_set, members);
    for (position, listed) in subscription
        .listed
        .iter()
        .enumerate()
        .filter(|(_, l)| !l.bundle.prohibited)
    {
        for edge in [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange] {
            let claim = Claim {
                position,
                entry: 0,
                edge,
            };
            assignment.claim(listed.entry, claim);
        }
    }
    let steps = members
        .iter()
        .zip(assignment.claims())
        .map(|(&member, claim): (&u32, Option<Claim>)| {
            let claim = claim?;
            let listed = *subscription.listed.get(claim.position)?;
            ChannelCandidate {
                listed,
                edge: claim.edge,
            }
            .successor(installed_set.origins.get(member as usize))
        })
        .collect();
    Ok((steps, subscription.listed.first().map(|l| &l.entry.name)))
}

/// Returns the names of a channel in Classic's order, head first, without skipped entries and those
/// without a bundle.
pub fn order(index: &UpgradeIndex, channel: &str) -> Result<Vec<Text>, UpgradeError> {
    let options = Options::for_channel(channel);
    let subscription = Subscription::new(index, false, &options)?;
    Ok(subscription
        .listed
        .iter()
        .map(|listed| listed.entry.name.clone())
        .collect())
}

/// Explains why the subscription itself is refused.
fn explain_refusal(
    index: &UpgradeIndex,
    error: &UpgradeError,
    is_fresh: bool,
    options: &Options,
) -> Vec<String> {
    let channel = channel_of(options);
    let reason = match error.kind {
        ErrorKind::ChainMany => {
            "Classic needs one chain of replacements in a channel; with several heads it resolves nothing in \
                                 the whole namespace"
                .to_owned()
        }
        ErrorKind::ChainNoHead => {
            "every entry of the channel is replaced or skipped, by another or by itself, so Classic finds no head"
                .to_owned()
        }
        ErrorKind::ChainCycle => "`replaces` forms a cycle, so the channel has no order".to_owned(),
        _ if index.channels.is_empty() => format!("package `{}` has no channels", index.package()),
        _ if !channel.is_empty() && index.channels.iter().all(|c| &*c.name != channel) => {
            let existing = join_names(index.channels.iter().map(|c| &*c.name), MAX_CHANNELS);
            format!("package `{}` has no channel `{channel}`; it has {existing}", index.package())
        }
        // `startingCSV` only applies to a fresh install.
        _ => match options.starting_csv.as_ref().filter(|name| is_fresh && !name.is_empty()) {
            Some(name) => format!("no subscribed channel lists bundle `{name}`, which startingCSV names"),
            None => "no entry of the channel has a bundle in the catalog".to_owned(),
        },
    };
    vec![reason]
}

/// Explains why `chosen` wins, and why the others lose.
fn explain_choice(
    subscription: &Subscription<'_>,
    origin: Option<&Origin<'_>>,
    chosen: Option<ChannelCandidate<'_>>,
    options: &Options,
) -> Vec<String> {
    let mut why = Vec::new();
    match (chosen, origin) {
        (Some(choice), None) => explain_fresh_install(&mut why, subscription, choice, options),
        (Some(choice), Some(origin)) if choice.listed.entry.name == origin.installed.name => {
            why.push(format!(
                "`{}` {}: it would follow itself, so nothing changes",
                choice.listed.entry.name,
                describe_edge(choice.edge, choice.listed.entry, origin)
            ));
        }
        (Some(choice), Some(origin)) => {
            explain_step(&mut why, subscription, origin, choice, options)
        }
        (None, Some(origin)) => explain_stay(&mut why, subscription, origin, options),
        (None, None) => why.push("every candidate carries property `olm.deprecated`".to_owned()),
    }
    let prohibited = describe_prohibited(subscription, origin);
    if !prohibited.is_empty() {
        why.push(format!(
            "{prohibited}: never installed, because of property `olm.deprecated`"
        ));
    }
    if channel_of(options).is_empty() && subscription.has_several_channels() {
        why.push(
            "the subscription names no channel: OLM considers all of them, the default channel first, the others by name".to_owned(),
        );
    }
    if let Some(requirement) = chosen.and_then(|c| c.listed.bundle.requirement.as_ref()) {
        why.push(format!(
            "it has requirements, such as `{requirement}`: other bundles must meet them, and OLM v1 refuses bundles with requirements"
        ));
    }
    why
}

/// Describes possible successors that Classic never installs.
fn describe_prohibited(subscription: &Subscription<'_>, origin: Option<&Origin<'_>>) -> String {
    let Some(origin) = origin else {
        let listed = subscription
            .listed
            .iter()
            .filter(|listed| listed.bundle.prohibited);
        return join_names(listed.map(|listed| &*listed.entry.name), MAX_NAMES);
    };
    let edges = subscription.prohibited_edges(origin);
    let candidates = subscription.candidates(&edges);
    join_names_and_others(candidates.map(|c| &*c.listed.entry.name), MAX_NAMES)
}

fn explain_fresh_install(
    why: &mut Vec<String>,
    subscription: &Subscription<'_>,
    choice: ChannelCandidate<'_>,
    options: &Options,
) {
    let (name, channel) = (&choice.listed.entry.name, &choice.listed.channel.name);
    if options.starting_csv.as_ref().is_some_and(|s| **s == **name) {
        why.push(format!(
            "startingCSV names `{name}`, which channel `{channel}` lists"
        ));
        return;
    }
    let head = subscription.head(channel);
    if head.is_some_and(|h| h.entry.name == *name) {
        why.push(format!("`{name}` is the head of channel `{channel}`"));
    } else {
        why.push(format!(
            "`{name}` is the installable entry nearest to the head of channel `{channel}`"
        ));
    }
}

fn explain_step(
    why: &mut Vec<String>,
    subscription: &Subscription<'_>,
    origin: &Origin<'_>,
    choice: ChannelCandidate<'_>,
    options: &Options,
) {
    let (entry, channel) = (choice.listed.entry, choice.listed.channel);
    why.push(format!(
        "in channel `{}` the entry `{}` {}",
        channel.name,
        entry.name,
        describe_edge(choice.edge, entry, origin)
    ));
    let edges = subscription.allowed_edges(origin);
    let others = || {
        let candidates = subscription.candidates(&edges);
        candidates.filter(|c| c.listed.entry.id != entry.id && Some(c.listed.entry.id) != origin.id)
    };
    // Several channels may list a bundle.
    let mut seen = HashSet::default();
    let distinct = others().filter(|c| seen.insert(c.listed.entry.id));
    let names = join_names_and_others(distinct.map(|c| &*c.listed.entry.name), MAX_NAMES);
    if !names.is_empty() {
        why.push(format!(
            "{names} could follow as well; Classic takes the candidate nearest to the head"
        ));
    }
    let head = subscription.head(&channel.name);
    let is_head = head.is_some_and(|head| head.entry.name == entry.name);
    if choice.edge == EdgeKind::SkipRange && !is_head {
        why.push(documented::RANGE_OFF_HEAD.to_owned());
    }
    let is_another_kind = match choice.edge {
        // Only edges by name can have another kind, and they are few.
        EdgeKind::SkipRange => edges.by_name().any(|(at, _)| {
            let listed = subscription.listed.get(at as usize);
            listed.is_some_and(|other| {
                other.entry.id != entry.id && Some(other.entry.id) != origin.id
            })
        }),
        kind => others().any(|other| other.edge != kind),
    };
    if is_another_kind {
        why.push(documented::PRECEDENCE.to_owned());
    }
    let versions = choice
        .listed
        .bundle
        .version
        .as_ref()
        .ok()
        .zip(origin.version().ok());
    if versions.is_some_and(|(next, installed)| next.cmp_precedence(installed).is_lt()) {
        why.push(format!(
            "it is a lower version than `{}`: Classic does not compare versions",
            origin.installed.version
        ));
    }
    explain_skipped(why, subscription, origin, &channel.name, options);
}

fn explain_stay(
    why: &mut Vec<String>,
    subscription: &Subscription<'_>,
    origin: &Origin<'_>,
    options: &Options,
) {
    let name = &origin.installed.name;
    let head = subscription.listed.first();
    let channel = channel_of(options);
    let subscribed = if channel.is_empty() {
        "any channel".to_owned()
    } else {
        format!("channel `{channel}`")
    };
    if let Some(head) = head.filter(|h| h.entry.name == *name) {
        why.push(format!(
            "`{name}` is the head of channel `{}`: nothing follows",
            head.channel.name
        ));
    } else {
        let version = &origin.installed.version;
        let range = match (origin.version().is_err(), version.is_empty()) {
            (false, _) => format!("or has a skipRange that contains `{version}`"),
            (true, false) => {
                format!("and `{version}` is not a version, so no skipRange can contain it")
            }
            (true, true) => "and its version is unknown, so no skipRange can contain it".to_owned(),
        };
        why.push(format!(
            "no installable entry of {subscribed} replaces or skips `{name}`, {range}: the bundle stays, without an error"
        ));
        let groups = subscription.groups(channel, options);
        why.extend(describe_unreadable_ranges(
            groups.flat_map(|group| group.entries.iter().copied()),
        ));
    }
    explain_skipped(why, subscription, origin, channel, options);
}

/// Names an entry that would update the installed bundle if it were not skipped itself.
fn explain_skipped(
    why: &mut Vec<String>,
    subscription: &Subscription<'_>,
    origin: &Origin<'_>,
    channel: &str,
    options: &Options,
) {
    for group in subscription.groups(channel, options) {
        for (at, edge) in group.skipped.from(origin).iter() {
            let Some(entry) = group.entries.get(at as usize) else {
                continue;
            };
            if entry.name == origin.installed.name {
                continue;
            }
            if let Some(skipping) = group.skipped_by.get(&entry.id) {
                why.push(format!(
                    "`{}` {} too, but is skipped by `{}`, and Classic never updates to a skipped entry",
                    entry.name,
                    describe_edge(edge, entry, origin),
                    skipping.name
                ));
                return;
            }
        }
    }
}
