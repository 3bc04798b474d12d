//! The inspector's content for a bundle: its entry, properties, requirements and dependents.

use super::{
    InspectionSubject, conditions, fact, group, groups, located_fact, shorten, with_facts,
    with_note,
};
use ::upgrade::resolve::{Constraint, Offered};
use ::upgrade::status_conditions::Scope;
use catalog::graph::export::states;
use catalog::graph::{ChannelGraph, EdgeKind, Node, PackageGraph};
use catalog::model::blob::Property;
use catalog::model::{BundleBlob, Located};
use catalog::version::Version;
use edit::refused;
use protocol::counting::{and_more, count_of};
use protocol::diagnostic::Location;
use protocol::inspection::{Fact, FactGroup, FactsAbout, Inspection, NamedBundle};
use protocol::views::EntryState;
use serde_json::Value;
use session::Refused;
use std::cell::LazyCell;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use syntax::hashed::HashMap;
use syntax::place::{Place, Text};

/// Maximum number of names and images listed individually.
const MAX_LISTED: usize = 40;
/// Maximum number of packages listed for a requirement.
const MAX_SUPPLIERS: usize = 3;

pub(super) fn inspect(subject: InspectionSubject<'_>, name: &str) -> Result<Inspection, Refused> {
    let blob = subject.package.bundle(name);
    let channels = subject.channels_of(name);
    if blob.is_none() && channels.is_empty() {
        return Err(refused!("no bundle `{name}`"));
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
        problems: subject.problems(|problem| problem.bundle.as_deref() == Some(name)),
        location: blob.map(|blob| subject.location(blob.file, blob.index, blob.place)),
        ..Inspection::default()
    })
}

/// Describes an entry: its lines in the channel, then its bundle.
pub(super) fn inspect_entry(
    subject: InspectionSubject<'_>,
    channel: &str,
    name: &str,
) -> Result<Inspection, Refused> {
    let graph = PackageGraph::build(subject.package);
    let graph_channel = graph
        .channel(channel)
        .ok_or_else(|| refused!("no channel `{channel}`"))?;
    let index = graph
        .node_of(graph_channel, name)
        .ok_or_else(|| refused!("`{channel}` does not list `{name}`"))?;
    let node = &graph_channel.nodes[index as usize];
    let blob = subject.package.bundle(name);
    let facts = graph.facts(node);
    let mut state = state_facts(&graph, node);
    state.extend(conditions(
        subject,
        &[Scope::Package, Scope::Channel(channel), Scope::Bundle(name)],
    ));
    let mut groups = groups([
        ("Entry", line_facts(subject, graph_channel, node)),
        ("State", state),
        (
            "Named by",
            incoming_facts(subject, &graph, graph_channel, index),
        ),
    ]);
    groups.extend(blob.map_or_else(Vec::new, |blob| bundle_groups(subject, blob, Vec::new())));
    Ok(Inspection {
        title: name.to_owned(),
        kind: if node.is_absent() {
            "absent entry"
        } else {
            "entry"
        }
        .into(),
        version: facts.map_or_else(String::new, |facts| facts.text.to_string()),
        channels: subject.channels_of(name),
        groups,
        problems: subject.problems(|problem| {
            problem.bundle.as_deref() == Some(name)
                && problem
                    .channel
                    .as_deref()
                    .is_none_or(|problem_channel| problem_channel == channel)
        }),
        location: line_location(subject, graph_channel, node)
            .or_else(|| blob.map(|blob| subject.location(blob.file, blob.index, blob.place))),
        ..Inspection::default()
    })
}

fn line_location(
    subject: InspectionSubject<'_>,
    channel: &ChannelGraph,
    node: &Node,
) -> Option<Location> {
    let entry = channel.only_line(node)?;
    Some(subject.location(channel.blob.file, channel.blob.index, entry.place))
}

/// Returns facts about the channel's lines for this entry.
fn line_facts(subject: InspectionSubject<'_>, channel: &ChannelGraph, node: &Node) -> Vec<Fact> {
    let blob = &channel.blob;
    let text_fact = |label, text| subject.text_fact(label, blob, text);
    let mut facts = Vec::new();
    let is_listed_twice = node.lines.len() > 1;
    for entry in node
        .lines
        .iter()
        .filter_map(|&line| blob.entries.get(line as usize))
    {
        // The title has the name and links to the first line, so only further lines need a fact.
        if is_listed_twice {
            facts.extend(text_fact("Line", &entry.name));
        }
        facts.extend(text_fact("Replaces", &entry.replaces));
        let skips = entry.skips.iter().take(MAX_LISTED);
        facts.extend(skips.filter_map(|skip| text_fact("Skips", skip)));
        if entry.skips.len() > MAX_LISTED {
            facts.push(fact("Skips", and_more(entry.skips.len() - MAX_LISTED)));
        }
        facts.extend(text_fact("Skip range", &entry.skip_range));
    }
    facts
}

fn state_facts(graph: &PackageGraph, node: &Node) -> Vec<Fact> {
    let meaning = |state: EntryState| match state {
        EntryState::Head => "nothing in the channel replaces or skips it",
        EntryState::Skipped => "another entry skips it: Classic upgrades nobody to it",
        EntryState::Stranded => "neither on the head's replaces chain nor skipped: opm rejects it",
        EntryState::Cycle => "its replaces chain leads back to it",
        EntryState::Absent => "an edge names it, but the channel does not list it",
        EntryState::NoBundle => "no `olm.bundle` document has this name",
        EntryState::Duplicate => "the channel lists it more than once",
        EntryState::Deprecated | EntryState::DefaultChannel => "",
    };
    let states = states(graph, node).into_iter();
    states
        .map(|state| with_note(meaning(state), fact("", state.label())))
        .collect()
}

/// Lists the entries that replace or skip this one, or whose skip range covers it.
fn incoming_facts(
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
                    located_fact(label, name, subject.location(blob.file, blob.index, place))
                }
                None => fact(label, name),
            }
        })
        .collect();
    for range in &channel.ranges {
        let is_covered = channel
            .nodes
            .get(node as usize)
            .is_some_and(|node| graph.in_range(range, node));
        if !is_covered || range.node == node {
            continue;
        }
        let entry = blob.entries.get(range.line as usize);
        let location =
            entry.map(|entry| subject.location(blob.file, blob.index, entry.skip_range.place));
        facts.push(Fact {
            note: range.text.to_string(),
            location,
            ..fact("In the skip range of", graph.name_at(channel, range.node))
        });
    }
    facts
}

/// Returns the bundle's facts, followed by `more`.
fn bundle_groups(
    subject: InspectionSubject<'_>,
    blob: &Located<BundleBlob>,
    more: Vec<Fact>,
) -> Vec<FactGroup> {
    let document = subject.document(blob.file, blob.index);
    let text_fact = |label, text| subject.text_fact(label, blob, text);
    let plain_fact = |label, text: &Text| (!text.is_empty()).then(|| fact(label, &**text));
    let property = blob.package_properties.first();
    let facts = [
        text_fact("Name", &blob.name),
        plain_fact("Display name", &blob.display_name),
        property.and_then(|property| text_fact("Version", &property.version)),
        property.and_then(|property| text_fact("Release", property.release.as_ref()?)),
        plain_fact("Created", &blob.created),
        text_fact("Image", &blob.image),
    ];
    let facts = facts.into_iter().flatten().chain(more).collect();
    let requires = if subject.has_only_name(blob) {
        vec![unknown_content(subject)]
    } else {
        requirement_facts(subject, blob, document.as_ref())
    };
    let (provides, properties): (Vec<Fact>, Vec<Fact>) =
        property_facts(subject, blob, document.as_ref())
            .into_iter()
            .filter(|fact| !is_requirement(&fact.label))
            .partition(|fact| matches!(fact.label.as_str(), "olm.gvk" | "olm.label"));
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

/// The fact shown for the content of a bundle that a template only names.
fn unknown_content(subject: InspectionSubject<'_>) -> Fact {
    let note = if subject.root.is_template() {
        "The template names only images. “Show rendered catalog” shows what the bundle requires, provides and contains, \
         if an open catalog or bundle folder has it"
    } else {
        "No open catalog or bundle folder has the bundle: open one to see what it requires, provides and contains"
    };
    with_note(note, fact("", "unknown"))
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
        .take(MAX_LISTED)
        .map(|image| fact(text(image, "name"), text(image, "image")));
    let more = images.len().saturating_sub(MAX_LISTED);
    listed
        .chain((more > 0).then(|| fact("", and_more(more))))
        .collect()
}

/// Returns one fact per property, in file order. `document` is the reread bundle, for values that
/// the index lacks.
fn property_facts(
    subject: InspectionSubject<'_>,
    blob: &Located<BundleBlob>,
    document: Option<&Value>,
) -> Vec<Fact> {
    let values = document
        .and_then(|document| document.get("properties"))
        .and_then(Value::as_array);
    let properties = blob.properties.iter().enumerate().map(|(index, property)| {
        let indexed = property
            .value
            .as_deref()
            .and_then(|json| serde_json::from_str::<Value>(json).ok());
        let value = indexed
            .as_ref()
            .or_else(|| values?.get(index)?.get("value"));
        let place = Place {
            start: property.start,
            end: property.start,
            line: property.line,
            end_line: property.line,
            ..Place::default()
        };
        let location = subject.location(blob.file, blob.index, place);
        Fact {
            location: Some(location),
            ..property_fact(&property.kind, value)
        }
    });
    properties.collect()
}

/// Whether this type of property is a requirement.
fn is_requirement(kind: &str) -> bool {
    matches!(
        kind,
        "olm.gvk.required"
            | "olm.package.required"
            | "olm.label.required"
            | "olm.constraint"
            | "olm.maxOpenShiftVersion"
    )
}

fn property_fact(kind: &str, value: Option<&Value>) -> Fact {
    let Some(value) = value else {
        return with_note("not read", fact(kind, ""));
    };
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let api = || format!("{}.{}/{}", text("kind"), text("group"), text("version"));
    match kind {
        "olm.package" => {
            let (package, version) = (text("packageName"), text("version"));
            let (note, value) = match text("release") {
                "" => ("package and version", format!("{package} {version}")),
                release => (
                    "package, version and release",
                    format!("{package} {version} ({release})"),
                ),
            };
            with_note(note, fact(kind, value))
        }
        "olm.gvk" => with_note("provides this API", fact(kind, api())),
        "olm.gvk.required" => fact(kind, api()),
        "olm.package.required" => fact(
            kind,
            format!("{} {}", text("packageName"), text("versionRange")),
        ),
        "olm.maxOpenShiftVersion" => {
            with_note("highest OpenShift allowed", fact(kind, plain(value)))
        }
        "olm.label" => with_note("a label that can be required", fact(kind, text("label"))),
        "olm.label.required" => fact(kind, text("label")),
        "olm.constraint" => with_note(text("failureMessage"), fact(kind, plain(value))),
        "olm.deprecated" => with_note("Classic never installs it", fact(kind, plain(value))),
        "olm.csv.metadata" => csv_metadata(kind, value),
        "olm.bundle.object" => {
            with_note("a manifest of the bundle", fact(kind, object_size(value)))
        }
        _ => fact(kind, plain(value)),
    }
}

/// Shows the most useful fields of a ClusterServiceVersion.
fn csv_metadata(kind: &str, value: &Value) -> Fact {
    let text = |path: &str| {
        value
            .pointer(path)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let parts = [
        text("/displayName").map(str::to_owned),
        text("/maturity").map(|maturity| format!("maturity {maturity}")),
        text("/minKubeVersion").map(|version| format!("Kubernetes {version} or newer")),
        text("/provider/name").map(|provider| format!("by {provider}")),
    ];
    let summary = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let description = text("/description").or(text("/annotations/description"));
    with_note(
        description.map(first_paragraph).unwrap_or_default(),
        fact(kind, summary),
    )
}

fn first_paragraph(text: &str) -> String {
    shorten(text.trim().split("\n\n").next().unwrap_or_default())
}

/// Returns the size of an embedded object's base64 data; without data, the value itself.
fn object_size(value: &Value) -> String {
    match value.get("data").and_then(Value::as_str) {
        Some(data) => format!("{} bytes of base64", data.len()),
        None => plain(value),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => shorten(text),
        other => shorten(&other.to_string()),
    }
}

/// Returns one fact per requirement; its note names the bundles that meet it, if any.
pub(super) fn requirement_facts(
    subject: InspectionSubject<'_>,
    blob: &Located<BundleBlob>,
    document: Option<&Value>,
) -> Vec<Fact> {
    let facts = property_facts(subject, blob, document)
        .into_iter()
        .zip(&blob.properties);
    let required = facts.filter(|(fact, _)| is_requirement(&fact.label));
    let (facts, properties): (Vec<_>, Vec<_>) = required.unzip();
    let mut requirements: Vec<Option<Requirement<'_>>> = properties
        .iter()
        .map(|property| Requirement::from_property(property))
        .collect();
    find_suppliers(subject, blob, &mut requirements);
    let facts = facts.into_iter().zip(properties).zip(requirements);
    let facts = facts.map(|((fact, property), requirement)| {
        let Some(Requirement { suppliers, .. }) = requirement else {
            return fact;
        };
        let answer = match suppliers.as_slice() {
            [] => explain_unmet(subject, &property.kind, value_text(property)),
            suppliers => format!("Met under Classic by {}", format_suppliers(suppliers)),
        };
        let note = if fact.note.is_empty() {
            answer
        } else {
            format!("{answer}. Its message: {}", fact.note)
        };
        let named = suppliers.into_iter().take(MAX_SUPPLIERS);
        Fact {
            note,
            bundles: named.map(|supplier| supplier.bundle).collect(),
            ..fact
        }
    });
    placeholder_if_empty(facts.collect())
}

/// Adds an empty fact if there are none, so that [`with_facts`] keeps the group.
fn placeholder_if_empty(mut facts: Vec<Fact>) -> Vec<Fact> {
    if facts.is_empty() {
        facts.push(Fact::default());
    }
    facts
}

/// Finds the other packages with a bundle that requires one of these bundles, which belong to the
/// package in view.
pub(super) fn required_by<'b>(
    subject: InspectionSubject<'_>,
    bundles: impl Iterator<Item = &'b BundleBlob> + Clone,
) -> Vec<Fact> {
    let own = subject.package;
    let parts: BTreeSet<&str> = bundles.clone().flat_map(offered_parts).collect();
    let offered = LazyCell::new(|| {
        let offered = bundles.map(|bundle| Offered::from_bundle(&own.name, bundle));
        offered.collect::<Vec<_>>()
    });
    let is_met = |property: &Property| {
        let value = value_text(property);
        let mentioned = MentionedStrings::new(value);
        let may_be_met =
            mentioned.contains(&own.name) || parts.iter().any(|part| mentioned.contains(part));
        let constraint = may_be_met.then(|| Constraint::from_property(&property.kind, value));
        let constraint = constraint.flatten();
        constraint.is_some_and(|c| offered.iter().any(|bundle| c.is_met_by(bundle)))
    };
    // Most bundles of a package have equal requirements: each is judged once.
    let mut answers: HashMap<&Property, bool> = HashMap::default();
    let mut facts = Vec::new();
    let packages = subject.catalog().packages();
    for package in packages.filter(|package| package.name != own.name) {
        let bundles = package.bundles.iter();
        let dependents = bundles.filter(|bundle| {
            let properties = bundle.properties.iter().map(|fact| &*fact.property);
            properties
                .filter(|property| is_requirement(&property.kind))
                .any(|property| *answers.entry(property).or_insert_with(|| is_met(property)))
        });
        let mut dependents: Vec<_> = dependents.collect();
        dependents.sort_by(|a, b| by_version(a, b));
        let Some(highest) = dependents.last() else {
            continue;
        };
        let name = &highest.name.value;
        let note = match dependents.len() - 1 {
            0 => format!("by `{name}`"),
            others => format!("by `{name}` and {}", count_of(others, "other version")),
        };
        // Use the catalog's position: a template's line belongs to the package in view.
        let location = subject
            .catalog()
            .location(highest.file, highest.index, highest.place);
        let location = subject.template_line.is_none().then_some(location);
        facts.push(Fact {
            label: String::new(),
            value: package.name.to_string(),
            note,
            bundles: vec![NamedBundle {
                package: package.name.to_string(),
                name: name.to_string(),
            }],
            location,
        });
    }
    if facts.is_empty() && !subject.root.is_catalog() {
        return vec![with_note(
            "Other packages are in the catalogs that the template is rendered into",
            fact("", "unknown"),
        )];
    }
    placeholder_if_empty(facts)
}

/// The highest bundle of a package that meets a requirement, and the number of other bundles that
/// do.
struct Supplier {
    bundle: NamedBundle,
    others: usize,
}

/// A requirement of a bundle, and the packages with a bundle that meets it.
struct Requirement<'v> {
    constraint: Constraint,
    mentioned: MentionedStrings<'v>,
    suppliers: Vec<Supplier>,
}

impl<'v> Requirement<'v> {
    fn from_property(property: &'v Property) -> Option<Self> {
        let value = value_text(property);
        Some(Self {
            constraint: Constraint::from_property(&property.kind, value)?,
            mentioned: MentionedStrings::new(value),
            suppliers: Vec::new(),
        })
    }
}

/// Finds the suppliers of all requirements in one pass. In its own package only the bundle itself
/// counts, because no other one can be installed beside it.
fn find_suppliers(
    subject: InspectionSubject<'_>,
    own: &BundleBlob,
    requirements: &mut [Option<Requirement<'_>>],
) {
    let mut requirements: Vec<_> = requirements.iter_mut().flatten().collect();
    if requirements.is_empty() {
        return;
    }
    for package in subject.catalog().packages() {
        let mut matching: Vec<Vec<&BundleBlob>> = vec![Vec::new(); requirements.len()];
        for bundle in &package.bundles {
            if package.name == subject.package.name && bundle.name.value != own.name.value {
                continue;
            }
            let parts: Vec<&str> = offered_parts(bundle)
                .chain([package.name.as_ref()])
                .collect();
            let offered = LazyCell::new(|| Offered::from_bundle(&package.name, bundle));
            for (requirement, matching) in requirements.iter().zip(&mut matching) {
                if parts
                    .iter()
                    .any(|part| requirement.mentioned.contains(part))
                    && requirement.constraint.is_met_by(&offered)
                {
                    matching.push(bundle);
                }
            }
        }
        for (requirement, mut matching) in requirements.iter_mut().zip(matching) {
            matching.sort_by(|a, b| by_version(a, b));
            if let Some(highest) = matching.last() {
                requirement.suppliers.push(Supplier {
                    bundle: NamedBundle {
                        package: package.name.to_string(),
                        name: highest.name.value.to_string(),
                    },
                    others: matching.len() - 1,
                });
            }
        }
    }
}

/// Sorts by version; bundles without a version come first.
fn by_version(a: &BundleBlob, b: &BundleBlob) -> Ordering {
    let [a, b] = [a, b].map(|bundle| Version::parse(bundle.version()).ok());
    Version::compare_optional(&a, &b)
}

/// The strings of a requirement: a cheap filter, since a bundle that meets it has its package, a
/// group or a label among them.
struct MentionedStrings<'v> {
    /// `None` if the requirement can match bundles that it does not mention.
    strings: Option<Vec<&'v str>>,
}

impl<'v> MentionedStrings<'v> {
    fn new(requirement: &'v str) -> Self {
        let has_all = ["\"cel\"", "\"not\"", "\\"].map(|mark| !requirement.contains(mark));
        Self {
            strings: (has_all == [true; 3]).then(|| quoted_parts(requirement).collect()),
        }
    }

    fn contains(&self, part: &str) -> bool {
        let strings = self.strings.as_ref();
        strings.is_none_or(|strings| strings.contains(&part))
    }
}

/// Returns the strings of the bundle's APIs and labels. Every requirement that one of them meets
/// contains such a string.
fn offered_parts(bundle: &BundleBlob) -> impl Iterator<Item = &str> {
    let offers = bundle
        .properties
        .iter()
        .filter(|property| matches!(&*property.kind, "olm.gvk" | "olm.label"));
    offers.flat_map(|property| {
        let is_label = &*property.kind == "olm.label";
        // Versions such as `v1beta1` are in nearly all requirements, and never without a kind.
        quoted_parts(value_text(property)).filter(move |part| is_label || !part.starts_with('v'))
    })
}

/// Returns a property's value as compact JSON; "" without one.
fn value_text(property: &Property) -> &str {
    property.value.as_deref().unwrap_or_default()
}

/// Returns the strings of a compact JSON value as written, without the names of known fields.
fn quoted_parts(json: &str) -> impl Iterator<Item = &str> {
    json.split('"')
        .skip(1)
        .step_by(2)
        .filter(|part| !matches!(*part, "group" | "version" | "kind" | "label"))
}

fn format_suppliers(suppliers: &[Supplier]) -> String {
    let format = |supplier: &Supplier| match supplier.others {
        0 => format!("`{}`", supplier.bundle.name),
        others => format!(
            "`{}` and {}",
            supplier.bundle.name,
            count_of(others, "other version")
        ),
    };
    let mut parts: Vec<String> = suppliers.iter().take(MAX_SUPPLIERS).map(format).collect();
    if suppliers.len() > MAX_SUPPLIERS {
        parts.push(count_of(suppliers.len() - MAX_SUPPLIERS, "more package"));
    }
    parts.join("; ")
}

/// Explains why a requirement is unmet; names the missing package if there is one.
fn explain_unmet(subject: InspectionSubject<'_>, kind: &str, value: &str) -> String {
    let name = match kind {
        "olm.package.required" => serde_json::from_str::<Value>(value)
            .ok()
            .and_then(|value| Some(value.get("packageName")?.as_str()?.to_owned())),
        _ => None,
    };
    if !subject.root.is_catalog() {
        return "Not met by the template: see the catalogs that it is rendered into".to_owned();
    }
    match name {
        Some(name) if subject.catalog().package(&name).is_some() => {
            format!("Unmet: this catalog’s `{name}` has no version in the range")
        }
        Some(name) => format!("Unmet: this catalog has no package `{name}`"),
        None => "Unmet: no bundle of this catalog provides it".to_owned(),
    }
}
