//! The inspector's content for a bundle, and for a bundle as an entry of a channel.

use super::property::{is_provided, is_required, property_facts};
use super::requirements::{required_by, requirement_facts};
use super::{
    InspectionSubject, conditions, crd_changes, fact, group, groups, shorten, with_facts,
    with_note, written_fact,
};
use crate::views::table::word_of;
use fbc::graph::export::states;
use fbc::graph::{ChannelGraph, EdgeKind, PackageGraph};
use fbc::model::{BundleBlob, Located};
use fbc::upgrade::status_conditions::Scope;
use fbc::workspace::Refused;
use protocol::counting::and_more;
use protocol::inspection::{Fact, FactGroup, FactsAbout, IconView, Inspection};
use serde_json::Value;

/// Most names and images that are listed one by one.
const LISTED: usize = 40;

pub(super) fn inspect(subject: InspectionSubject<'_>, name: &str) -> Result<Inspection, Refused> {
    let blob = subject.package.bundle(name);
    let channels = subject.channels_of(name);
    if blob.is_none() && channels.is_empty() {
        return Err(Refused::new(format!("no bundle `{name}`")));
    }
    Ok(Inspection {
        title: name.to_owned(),
        kind: "bundle".into(),
        version: blob.map_or_else(String::new, |blob| blob.version().to_owned()),
        channels,
        groups: blob.map_or_else(Vec::new, |blob| {
            bundle_groups(
                subject,
                blob,
                conditions(subject, &[Scope::Package, Scope::Bundle(name)]),
            )
        }),
        icon: IconView::None,
        description: String::new(),
        problems: subject.problems(|problem| problem.bundle.as_deref() == Some(name)),
        location: blob.map(|blob| subject.location(blob.file, blob.index, blob.place)),
    })
}

/// An entry: its line in the channel first, then its bundle.
pub(super) fn inspect_entry(
    subject: InspectionSubject<'_>,
    channel: &str,
    name: &str,
) -> Result<Inspection, Refused> {
    let graph = PackageGraph::build(subject.package);
    let of = graph
        .channel(channel)
        .ok_or_else(|| Refused::new(format!("no channel `{channel}`")))?;
    let node = graph
        .node_of(of, name)
        .ok_or_else(|| Refused::new(format!("`{channel}` does not list `{name}`")))?;
    let blob = subject.package.bundle(name);
    let facts = of
        .nodes
        .get(node as usize)
        .and_then(|node| graph.facts(node));
    let mut state = state_facts(&graph, of, node);
    state.extend(conditions(
        subject,
        &[Scope::Package, Scope::Channel(channel), Scope::Bundle(name)],
    ));
    let mut all = groups([("Entry", line_facts(subject, of, node)), ("State", state)]);
    all.extend(groups([("Named by", named_by(subject, &graph, of, node))]));
    all.extend(crd_changes::groups(subject, &graph, of, node));
    all.extend(blob.map_or_else(Vec::new, |blob| bundle_groups(subject, blob, Vec::new())));
    Ok(Inspection {
        title: name.to_owned(),
        kind: "entry".into(),
        version: facts.map_or_else(String::new, |facts| facts.text.to_string()),
        channels: subject.channels_of(name),
        groups: all,
        icon: IconView::None,
        description: String::new(),
        problems: subject.problems(|problem| {
            problem.bundle.as_deref() == Some(name)
                && problem.channel.as_deref().is_none_or(|of| of == channel)
        }),
        location: line_location(subject, of, node)
            .or_else(|| blob.map(|blob| subject.location(blob.file, blob.index, blob.place))),
    })
}

fn line_location(
    subject: InspectionSubject<'_>,
    channel: &ChannelGraph,
    node: u32,
) -> Option<protocol::diagnostic::Location> {
    let entry = channel.only_line(channel.nodes.get(node as usize)?)?;
    Some(subject.location(channel.blob.file, channel.blob.index, entry.place))
}

/// The channel's lines for this entry.
fn line_facts(subject: InspectionSubject<'_>, channel: &ChannelGraph, node: u32) -> Vec<Fact> {
    let Some(node) = channel.nodes.get(node as usize) else {
        return Vec::new();
    };
    let blob = &channel.blob;
    let at = |place| subject.location(blob.file, blob.index, place);
    let mut facts = Vec::new();
    let several = node.lines.len() > 1;
    for entry in node
        .lines
        .iter()
        .filter_map(|&line| blob.entries.get(line as usize))
    {
        // The title has the name and links to the first line, so only further lines need a fact.
        if several {
            facts.push(written_fact(
                "Line",
                entry.name.as_str(),
                at(entry.name.place),
            ));
        }
        if !entry.replaces.is_empty() {
            facts.push(written_fact(
                "Replaces",
                entry.replaces.as_str(),
                at(entry.replaces.place),
            ));
        }
        facts.extend(
            entry
                .skips
                .iter()
                .take(LISTED)
                .map(|skip| written_fact("Skips", skip.as_str(), at(skip.place))),
        );
        if entry.skips.len() > LISTED {
            facts.push(fact("Skips", and_more(entry.skips.len() - LISTED)));
        }
        if !entry.skip_range.is_empty() {
            facts.push(written_fact(
                "Skip range",
                entry.skip_range.as_str(),
                at(entry.skip_range.place),
            ));
        }
    }
    facts
}

fn state_facts(graph: &PackageGraph, channel: &ChannelGraph, node: u32) -> Vec<Fact> {
    let Some(node) = channel.nodes.get(node as usize) else {
        return Vec::new();
    };
    let meaning = |word: &str| match word {
        "head" => "nothing in the channel replaces or skips it",
        "skipped" => "another entry skips it: nobody is upgraded to it",
        "stranded" => "neither on the head's replaces chain nor skipped: opm rejects it",
        "cycle" => "its replaces chain leads back to it",
        "absent" => "an edge names it, but the channel does not list it",
        "no-bundle" => "no `olm.bundle` document has this name",
        "duplicate" => "the channel lists it more than once",
        _ => "",
    };
    let states = states(graph, node).into_iter();
    states
        .map(|word| with_note(meaning(word), fact("", word_of(word))))
        .collect()
}

/// The entries that its edges point to.
fn named_by(
    subject: InspectionSubject<'_>,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    node: u32,
) -> Vec<Fact> {
    let blob = &channel.blob;
    let edges = channel.edges.iter().filter(|edge| edge.from == node);
    let mut facts: Vec<Fact> = edges
        .map(|edge| {
            let label = match edge.kind {
                EdgeKind::Replaces => "Replaced by",
                EdgeKind::Skips => "Skipped by",
                EdgeKind::SkipRange => "In the skip range of",
            };
            let name = graph.name_at(channel, edge.to);
            match channel.place(edge) {
                Some(place) => {
                    written_fact(label, name, subject.location(blob.file, blob.index, place))
                }
                None => fact(label, name),
            }
        })
        .collect();
    for range in &channel.ranges {
        let covers = channel
            .nodes
            .get(node as usize)
            .is_some_and(|node| graph.in_range(range, node));
        if covers && range.node != node {
            let name = graph.name_at(channel, range.node);
            let place = blob
                .entries
                .get(range.line as usize)
                .map(|entry| entry.skip_range.place);
            let of = place.map(|place| subject.location(blob.file, blob.index, place));
            facts.push(Fact {
                note: range.text.to_string(),
                location: of,
                ..fact("In the skip range of", name)
            });
        }
    }
    facts
}

/// The bundle's facts, followed by `more`.
fn bundle_groups(
    subject: InspectionSubject<'_>,
    blob: &Located<BundleBlob>,
    more: Vec<Fact>,
) -> Vec<FactGroup> {
    let document = subject.document(blob.file, blob.index);
    let at = |place| subject.location(blob.file, blob.index, place);
    let mut facts = vec![written_fact(
        "Name",
        blob.name.as_str(),
        at(blob.name.place),
    )];
    if !blob.display_name.is_empty() {
        facts.push(fact("Display name", &*blob.display_name));
    }
    if let Some(property) = blob.package_properties.first() {
        facts.push(written_fact(
            "Version",
            property.version.as_str(),
            at(property.version.place),
        ));
        if let Some(release) = property.release.as_ref().filter(|text| !text.is_empty()) {
            facts.push(written_fact("Release", release.as_str(), at(release.place)));
        }
    }
    if !blob.created.is_empty() {
        facts.push(fact("Created", &*blob.created));
    }
    if !blob.image.is_empty() {
        facts.push(written_fact(
            "Image",
            blob.image.as_str(),
            at(blob.image.place),
        ));
    }
    facts.extend(more);
    let properties = property_facts(subject, blob, document.as_ref());
    let properties = properties
        .into_iter()
        .filter(|fact| !is_required(&fact.label))
        .collect::<Vec<_>>();
    let requires = requirement_facts(subject, blob, document.as_ref());
    let (provides, properties): (Vec<Fact>, Vec<Fact>) = properties
        .into_iter()
        .partition(|fact| is_provided(&fact.label));
    with_facts([
        group(FactsAbout::Itself, "Bundle", facts),
        group(FactsAbout::Requires, "Requires", requires),
        group(
            FactsAbout::RequiredBy,
            "Required by",
            required_by(subject, std::iter::once(&**blob)),
        ),
        group(FactsAbout::Itself, "Properties", properties),
        group(FactsAbout::Provides, "Provides", provides),
        group(
            FactsAbout::RelatedImages,
            "Related images",
            related_images(blob, document.as_ref()),
        ),
    ])
}

fn related_images(blob: &BundleBlob, document: Option<&Value>) -> Vec<Fact> {
    let images = document
        .and_then(|document| document.get("relatedImages"))
        .and_then(Value::as_array);
    let Some(images) = images else {
        return match blob.related_images {
            0 => Vec::new(),
            count => vec![fact("", format!("{count} images"))],
        };
    };
    let text = |image: &Value, key: &str| {
        shorten(image.get(key).and_then(Value::as_str).unwrap_or_default())
    };
    let listed = images
        .iter()
        .take(LISTED)
        .map(|image| fact(text(image, "name"), text(image, "image")));
    let more = images.len().saturating_sub(LISTED);
    listed
        .chain((more > 0).then(|| fact("", and_more(more))))
        .collect()
}
