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
use super::{CatalogView, PlanResult, entry_order};
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
) -> PlanResult {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    let ranked = rank_entries(view, package, channel)?;
    let edges = match rule {
        EdgeRule::Replaces => replaces_edges(&ranked),
        EdgeRule::SkipPatch => y_stream_edges(&ranked, true),
        EdgeRule::ZStream => y_stream_edges(&ranked, false),
        EdgeRule::SkipRange => skip_range_edges(&ranked),
    };
    let outer = outer_edges(channel, &ranked, rule);
    let mut draft = ChannelDraft::new(channel);
    for ((entry, edges), outer) in ranked.iter().zip(edges).zip(outer) {
        let replaces = edges.replaces.or(outer.replaces);
        draft.set_replaces(entry.at, replaces.unwrap_or_default());
        let mut skips = outer.skips;
        if rule == EdgeRule::ZStream && edges.replaces.is_some() {
            // The rule's `replaces` takes precedence over one of a missing name, which becomes a
            // skip.
            skips.extend(outer.replaces);
        }
        skips.extend(edges.skips);
        draft.set_skips(entry.at, &skips);
        let skip_range = edges.skip_range.as_deref();
        draft.set_skip_range(entry.at, skip_range.unwrap_or(outer.skip_range));
    }
    Ok(draft.finish())
}

/// Returns the edges that each entry keeps under every rule.
fn outer_edges<'a>(
    channel: &'a ChannelBlob,
    ranked: &[RankedEntry<'_>],
    rule: EdgeRule,
) -> Vec<OuterEdges<'a>> {
    let present: HashSet<&str> = ranked.iter().map(|entry| entry.name).collect();
    let is_missing = |name: &str| !name.is_empty() && !present.contains(name);
    let mut outer = vec![OuterEdges::default(); ranked.len()];
    for (i, ranked_entry) in ranked.iter().enumerate() {
        // For z-streams, the highest of the y-stream keeps the edges to missing names.
        let keeper = match rule {
            EdgeRule::ZStream => {
                let stream = ranked_entry.stream();
                ranked.partition_point(|other| other.stream() <= stream) - 1
            }
            _ => i,
        };
        let entry = &channel.entries[ranked_entry.at];
        let outer = &mut outer[keeper];
        let skips = entry.skips.iter().map(|skip| skip.as_str());
        outer.skips.extend(skips.filter(|name| is_missing(name)));
        let replaces = Some(entry.replaces.as_str()).filter(|name| is_missing(name));
        match (replaces, outer.replaces) {
            (Some(name), None) => outer.replaces = Some(name),
            (Some(name), Some(other)) if name != other => outer.skips.push(name),
            _ => {}
        }
        if i == 0 {
            outer.skip_range = entry.skip_range.as_str();
        }
    }
    outer
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
    let mut names = HashSet::new();
    let mut ranked = Vec::with_capacity(channel.entries.len());
    for (at, (entry, version)) in channel
        .entries
        .iter()
        .zip(entry_order::versions(package, channel))
        .enumerate()
    {
        let name = entry.name.as_str();
        if name.is_empty() {
            return Err(
                refused!("an entry of channel `{}` has no name", channel.name.value)
                    .help("name it, or take it out of the list first")
                    .at(location(at)),
            );
        }
        if !names.insert(name) {
            return Err(refused!(
                "channel `{}` lists `{name}` more than once",
                channel.name.value
            )
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
            refused!("`{name}` {why}, so its position in the order is unknown")
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
        Some(pair) => Err(refused!(
            "`{}` and `{}` have the same version",
            pair[0].name,
            pair[1].name
        )
        .help("remove one of them from the channel first")
        .at(location(pair[1].at))),
        None => Ok(ranked),
    }
}

fn replaces_edges<'a>(ranked: &[RankedEntry<'a>]) -> Vec<Edges<'a>> {
    let lower = std::iter::once(None).chain(ranked.iter().map(|entry| Some(entry.name)));
    lower
        .take(ranked.len())
        .map(|replaces| Edges {
            replaces,
            ..Edges::default()
        })
        .collect()
}

/// Links the highest entries of the y-streams. Each skips the entries below it: with
/// `skips_streams` those of its major version, otherwise those of its y-stream.
fn y_stream_edges<'a>(ranked: &[RankedEntry<'a>], skips_streams: bool) -> Vec<Edges<'a>> {
    let mut edges = vec![Edges::default(); ranked.len()];
    // Indices of the highest entry of the previous y-stream, and of the first that may be skipped.
    let mut previous: Option<usize> = None;
    let mut start = 0;
    for (i, entry) in ranked.iter().enumerate() {
        if skips_streams && i > 0 && ranked[i - 1].major() != entry.major() {
            start = i;
        }
        if ranked
            .get(i + 1)
            .is_some_and(|next| next.stream() == entry.stream())
        {
            continue;
        }
        // Do not cut the chain to the lower major version.
        let skips = (start..i)
            .filter(|&j| !(Some(j) == previous || start > 0 && edges[j].replaces.is_some()));
        edges[i] = latest_edges(ranked, previous, skips);
        previous = Some(i);
        if !skips_streams {
            start = i + 1;
        }
    }
    edges
}

/// Returns the edges of the highest entry of a y-stream.
fn latest_edges<'a>(
    ranked: &[RankedEntry<'a>],
    previous: Option<usize>,
    skips: impl Iterator<Item = usize>,
) -> Edges<'a> {
    let mut skips: Vec<&str> = skips.map(|j| ranked[j].name).collect();
    skips.sort_small();
    Edges {
        replaces: previous.map(|j| ranked[j].name),
        skips,
        skip_range: None,
    }
}

fn skip_range_edges<'a>(ranked: &[RankedEntry<'a>]) -> Vec<Edges<'a>> {
    let mut edges = replaces_edges(ranked);
    // The starts of the previous and the current y-stream.
    let mut previous: Option<Version> = None;
    let mut start: Option<Version> = None;
    for (i, (entry, edges)) in ranked.iter().zip(&mut edges).enumerate() {
        let version = entry.version.version.without_build();
        let is_first = i == 0 || ranked[i - 1].stream() != entry.stream();
        if is_first {
            previous = start.take();
        }
        let (major, minor) = entry.stream();
        let zero = Version::new(major, minor, 0);
        let start = start.get_or_insert_with(|| {
            if version.cmp_precedence(&zero).is_lt() {
                version.clone()
            } else {
                zero
            }
        });
        let from = previous.as_ref().filter(|_| is_first).unwrap_or(start);
        // A range cannot distinguish releases of one version.
        if from.cmp_precedence(&version).is_lt() {
            edges.skip_range = Some(format!(">={from} <{version}"));
        }
    }
    edges
}
