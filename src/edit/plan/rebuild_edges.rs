//! `rebuild-edges`: derives the edges of a channel from its entries' versions by a rule.
//!
//! The rule alone determines edges between entries. Edges to missing names stay: skips of such
//! names; `replaces` of such a name on an entry without a `replaces` by the rule; and the lowest
//! entry's skip range.
//!
//! - `replaces`: each entry replaces the next lower one.
//! - `skip-patch`: the linking of the semver template (`opm-semantics` 4.3). The highest entry of a
//!   y-stream replaces the highest of the previous y-stream, and skips everything else that is
//!   lower in its major version; the others have no edges. The template creates a channel per major
//!   version. In a channel with several, the first y-stream of one replaces the highest entry of
//!   the previous one, so that there is one head, and the highest entries of the y-streams above it
//!   are not skipped, so that nothing below is stranded.
//! - `z-stream`: the z-stream graph in OLM's documentation, as required by the invariants
//!   `latest-patch` and `latest-patch-at-once`. The highest entry of a y-stream skips all others in
//!   it and replaces the highest of the previous y-stream. The skipped ones have no edges, so edges
//!   into the y-stream lead to its highest entry.
//! - `skip-range`: like `replaces`, and each entry's range covers its y-stream from the start; the
//!   range of a y-stream's first entry covers the previous y-stream too.

use super::Refused;
use super::channel_draft::ChannelDraft;
use super::{CatalogView, PlanStep, entry_order};
use catalog::model::{ChannelBlob, Located, Package};
use catalog::version::{Version, VersionRelease};
use protocol::operation::EdgeRule;
use std::cmp::Ordering;
use std::collections::HashSet;
use syntax::order::SortSmall;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    rule: EdgeRule,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    let ranked = rank_entries(view, package, channel)?;
    let edges = match rule {
        EdgeRule::Replaces => chain(&ranked),
        EdgeRule::SkipPatch => skip_patch(&ranked),
        EdgeRule::ZStream => z_streams(&ranked),
        EdgeRule::SkipRange => skip_ranges(&ranked),
    };
    let present: HashSet<&str> = ranked.iter().map(|entry| entry.name).collect();
    let outside = |name: &str| !name.is_empty() && !present.contains(name);
    let mut held = vec![OuterEdges::default(); ranked.len()];
    for (i, entry) in ranked.iter().enumerate() {
        // For z-streams, the highest of the y-stream keeps the edges to missing names.
        let holder = match rule {
            EdgeRule::ZStream => {
                i + ranked[i..]
                    .iter()
                    .take_while(|other| other.stream() == entry.stream())
                    .count()
                    - 1
            }
            _ => i,
        };
        let entry = &channel.entries[entry.at];
        let held = &mut held[holder];
        held.skips.extend(
            entry
                .skips
                .iter()
                .map(|s| s.as_str())
                .filter(|name| outside(name)),
        );
        let replaces = Some(entry.replaces.as_str()).filter(|name| outside(name));
        match (replaces, held.replaces) {
            (Some(name), None) => held.replaces = Some(name),
            (Some(name), Some(kept)) if name != kept => held.skips.push(name),
            _ => {}
        }
        if i == 0 {
            held.skip_range = entry.skip_range.as_str();
        }
    }
    let mut draft = ChannelDraft::new(channel);
    for ((entry, edges), held) in ranked.iter().zip(edges).zip(held) {
        draft.set_replaces(
            entry.at,
            edges.replaces.or(held.replaces).unwrap_or_default(),
        );
        let mut skips = held.skips;
        // For z-streams, a `replaces` of a missing name becomes a skip if the rule sets another
        // `replaces`.
        skips.extend(
            held.replaces
                .filter(|_| rule == EdgeRule::ZStream && edges.replaces.is_some()),
        );
        skips.extend(edges.skips);
        draft.set_skips(entry.at, &skips);
        draft.set_skip_range(
            entry.at,
            edges.skip_range.as_deref().unwrap_or(held.skip_range),
        );
    }
    Ok(draft.finish())
}

/// An entry's edges to missing names, and the lowest entry's range.
#[derive(Debug, Clone, Default)]
struct OuterEdges<'a> {
    replaces: Option<&'a str>,
    skips: Vec<&'a str>,
    skip_range: &'a str,
}

/// An entry with its version. Lists of these are sorted ascending.
struct RankedEntry<'a> {
    at: usize,
    name: &'a str,
    version: VersionRelease,
}

impl RankedEntry<'_> {
    fn major(&self) -> u64 {
        self.version.version.major()
    }

    fn stream(&self) -> (u64, u64) {
        (self.version.version.major(), self.version.version.minor())
    }
}

/// The edges that a rule gives an entry.
#[derive(Debug, Clone, Default)]
struct Edges<'a> {
    replaces: Option<&'a str>,
    skips: Vec<&'a str>,
    skip_range: Option<String>,
}

fn rank_entries<'a>(
    view: &CatalogView<'_>,
    package: &Package,
    channel: &'a Located<ChannelBlob>,
) -> Result<Vec<RankedEntry<'a>>, Refused> {
    let location = |at: usize| view.locate(channel, channel.entries[at].name.place);
    let mut seen = HashSet::new();
    let mut ranked = Vec::with_capacity(channel.entries.len());
    for (at, (entry, version)) in channel
        .entries
        .iter()
        .zip(entry_order::versions(package, channel))
        .enumerate()
    {
        let name = entry.name.as_str();
        if name.is_empty() {
            return Err(Refused::new(format!(
                "an entry of channel `{}` has no name",
                channel.name.value
            ))
            .help("name it, or take it out of the list first")
            .at(location(at)));
        }
        if !seen.insert(name) {
            return Err(Refused::new(format!(
                "channel `{}` lists `{name}` more than once",
                channel.name.value
            ))
            .help("remove the duplicate entry first")
            .at(location(at)));
        }
        let version = version.ok_or_else(|| {
            let (why, help) = match package.bundle(name) {
                None => ("has no bundle", "add the bundle, or remove the entry first"),
                Some(_) => (
                    "has no single valid version",
                    "fix its `olm.package` property first",
                ),
            };
            Refused::new(format!(
                "`{name}` {why}, so its position in the order is unknown"
            ))
            .help(help)
            .at(location(at))
        })?;
        ranked.push(RankedEntry { at, name, version });
    }
    ranked.sort_small_by(|a, b| a.version.compare(&b.version));
    match ranked
        .windows(2)
        .find(|pair| pair[0].version.compare(&pair[1].version) == Ordering::Equal)
    {
        Some(pair) => Err(Refused::new(format!(
            "`{}` and `{}` have the same version",
            pair[0].name, pair[1].name
        ))
        .help("remove one of them from the channel first")
        .at(location(pair[1].at))),
        None => Ok(ranked),
    }
}

fn chain<'a>(ranked: &[RankedEntry<'a>]) -> Vec<Edges<'a>> {
    let below = std::iter::once(None).chain(ranked.iter().map(|entry| Some(entry.name)));
    ranked
        .iter()
        .zip(below)
        .map(|(_, replaces)| Edges {
            replaces,
            ..Edges::default()
        })
        .collect()
}

fn skip_patch<'a>(ranked: &[RankedEntry<'a>]) -> Vec<Edges<'a>> {
    let mut edges = vec![Edges::default(); ranked.len()];
    // The highest of the previous y-stream, and the start of the current major version.
    let mut before: Option<usize> = None;
    let mut major = 0;
    for (i, entry) in ranked.iter().enumerate() {
        if i > 0 && ranked[i - 1].major() != entry.major() {
            major = i;
        }
        if ranked
            .get(i + 1)
            .is_some_and(|next| next.stream() == entry.stream())
        {
            continue;
        }
        // Do not cut the chain to the lower major version.
        let mut skips: Vec<&str> = (major..i)
            .filter(|&j| !(Some(j) == before || major > 0 && edges[j].replaces.is_some()))
            .map(|j| ranked[j].name)
            .collect();
        skips.sort_small();
        edges[i] = Edges {
            replaces: before.map(|j| ranked[j].name),
            skips,
            skip_range: None,
        };
        before = Some(i);
    }
    edges
}

fn z_streams<'a>(ranked: &[RankedEntry<'a>]) -> Vec<Edges<'a>> {
    let mut edges = vec![Edges::default(); ranked.len()];
    let mut before: Option<usize> = None;
    let mut begin = 0;
    for (i, entry) in ranked.iter().enumerate() {
        if ranked
            .get(i + 1)
            .is_some_and(|next| next.stream() == entry.stream())
        {
            continue;
        }
        let mut skips: Vec<&str> = ranked[begin..i].iter().map(|entry| entry.name).collect();
        skips.sort_small();
        edges[i] = Edges {
            replaces: before.map(|j| ranked[j].name),
            skips,
            skip_range: None,
        };
        (before, begin) = (Some(i), i + 1);
    }
    edges
}

fn skip_ranges<'a>(ranked: &[RankedEntry<'a>]) -> Vec<Edges<'a>> {
    let mut edges = chain(ranked);
    // The starts of the previous and the current y-stream.
    let mut before: Option<Version> = None;
    let mut begin: Option<Version> = None;
    for (i, (entry, edges)) in ranked.iter().zip(&mut edges).enumerate() {
        let own = entry.version.version.without_build();
        let is_first = i == 0 || ranked[i - 1].stream() != entry.stream();
        if is_first {
            before = begin.take();
        }
        let (major, minor) = entry.stream();
        let zero = Version::new(major, minor, 0);
        let begin = begin.get_or_insert_with(|| {
            if own.cmp_precedence(&zero).is_lt() {
                own.clone()
            } else {
                zero
            }
        });
        let from = before.as_ref().filter(|_| is_first).unwrap_or(begin);
        // Only `replaces` distinguishes releases of one version.
        if from.cmp_precedence(&own).is_lt() {
            edges.skip_range = Some(format!(">={from} <{own}"));
        }
    }
    edges
}
