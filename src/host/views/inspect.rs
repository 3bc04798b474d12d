//! The inspector's content for the selected object. Facts come from the index; text that the index
//! lacks (a description, an icon, large property values) is read from the selected blob's span.

mod bundle;

use super::package::find;
use super::{bundles, is_partly_read};
use ::repository::rules;
use ::upgrade::status_conditions::{Scope, deprecation};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bundle::{required_by, requirement_facts};
use catalog::Catalog;
use catalog::graph::channel_order::channels_in_order;
use catalog::graph::{ChannelGraph, Node, PackageGraph};
use catalog::model::{
    BundleBlob, ChannelBlob, Entry, FileId, Located, Package, PackageBlob, picture,
};
use edit::refused;
use protocol::Json;
use protocol::counting::and_more;
use protocol::diagnostic::{Diagnostic, Location};
use protocol::inspection::{Fact, FactGroup, FactsAbout, IconView, Inspection};
use protocol::request::Target;
use serde_json::Value;
use session::{Refused, Rendering, Root, Session};
use syntax::place::{Place, Spanned, Text};
use verdict::validate::explain;

/// Maximum number of characters of a value; the source view shows all of it.
const MAX_CHARACTERS: usize = 2_000;
/// Maximum number of names listed individually.
const MAX_LISTED: usize = 40;
/// The media types of icons that the page shows.
const ICON_TYPES: [&str; 4] = ["image/svg+xml", "image/png", "image/jpeg", "image/gif"];

/// Describes the target. `other_problems` follow the catalog's own in the numbering of problems.
pub(crate) fn inspect(
    session: &Session,
    root: &str,
    package: &str,
    target: &Target,
    other_problems: &[Diagnostic],
) -> Result<Inspection, Refused> {
    let root = session.root(Some(root))?;
    if let Target::Problem { index } = target {
        return inspect_problem(root, other_problems, *index);
    }
    let template_line = root
        .rendering()
        .map(|rendering| template_line(rendering, package, target));
    let subject = InspectionSubject {
        session,
        root,
        package: find(root, package)?,
        template_line: template_line.as_ref(),
    };
    match target {
        Target::Package => Ok(inspect_package(subject)),
        Target::Channel { channel } => inspect_channel(subject, channel),
        Target::Entry { channel, name } => bundle::inspect_entry(subject, channel, name),
        Target::Bundle { name } => bundle::inspect(subject, name),
        Target::Problem { index } => inspect_problem(root, other_problems, *index),
    }
}

/// Returns the template's line that produced the target, or the nearest known line above it.
fn template_line(rendering: &Rendering, package: &str, target: &Target) -> Location {
    let line = match target {
        Target::Channel { channel } => rendering.channel_line(package, channel),
        Target::Entry { channel, name } => rendering
            .entry_line(package, channel, name)
            .or_else(|| rendering.bundle_line(name)),
        Target::Bundle { name } => rendering.bundle_line(name),
        Target::Package | Target::Problem { .. } => None,
    };
    line.or_else(|| rendering.package_line(package))
        .unwrap_or_else(|| rendering.first_line())
}

/// The inspected object and its context.
#[derive(Clone, Copy)]
struct InspectionSubject<'a> {
    session: &'a Session,
    root: &'a Root,
    package: &'a Package,
    /// In a rendered catalog, the line of the template that produced the object.
    template_line: Option<&'a Location>,
}

impl InspectionSubject<'_> {
    fn catalog(&self) -> &Catalog {
        self.root.catalog()
    }

    /// Whether only a bundle's name is known: a template names images, which rendering reads.
    fn has_only_name(&self, bundle: &BundleBlob) -> bool {
        bundle.properties.is_empty() && !self.root.is_catalog()
    }

    /// Returns the position of a blob; in a rendered catalog, the template's line.
    fn location(&self, file: FileId, blob: u32, place: Place) -> Location {
        self.template_line
            .cloned()
            .unwrap_or_else(|| self.catalog().location(file, blob, place))
    }

    /// Reads the blob's document as JSON values; `None` if it is unreadable: the other facts are
    /// still shown.
    fn document(&self, file: FileId, blob: u32) -> Option<Value> {
        self.session.files().blob_document(self.root, file, blob)
    }

    /// Returns the channels that list the name, and whether each is the default channel.
    fn channels_of(&self, name: &str) -> Vec<(String, bool)> {
        let is_named = |entry: &Entry| entry.name.as_str() == name;
        self.channels_that(|channel| channel.entries.iter().any(is_named))
    }

    /// Returns the channels that meet a condition, and whether each is the default channel.
    fn channels_that(&self, is_wanted: impl Fn(&ChannelBlob) -> bool) -> Vec<(String, bool)> {
        let default = self.package.default_channel();
        channels_in_order(self.package)
            .into_iter()
            .filter(|channel| is_wanted(channel))
            .map(|channel| {
                (
                    channel.name.value.to_string(),
                    channel.name.as_str() == default,
                )
            })
            .collect()
    }

    /// Returns a fact about a blob's text with its position; `None` if the text is empty.
    fn text_fact<B>(&self, label: &str, blob: &Located<B>, text: &Spanned<Text>) -> Option<Fact> {
        if text.is_empty() {
            return None;
        }
        let location = self.location(blob.file, blob.index, text.place);
        Some(located_fact(label, text.as_str(), location))
    }

    /// Returns the package's problems that meet a condition.
    fn problems(&self, is_wanted: impl Fn(&Diagnostic) -> bool) -> Vec<Json<Diagnostic>> {
        self.root
            .problems_of(&self.package.name)
            .filter(|problem| is_wanted(problem))
            .cloned()
            .map(Json)
            .collect()
    }
}

fn fact(label: impl Into<String>, value: impl Into<String>) -> Fact {
    Fact {
        label: label.into(),
        value: value.into(),
        ..Fact::default()
    }
}

fn located_fact(label: impl Into<String>, value: impl Into<String>, location: Location) -> Fact {
    Fact {
        location: Some(location),
        ..fact(label, value)
    }
}

fn with_note(note: impl Into<String>, fact: Fact) -> Fact {
    Fact {
        note: note.into(),
        ..fact
    }
}

/// Builds titled groups and omits those without facts.
fn groups<const N: usize>(groups: [(&str, Vec<Fact>); N]) -> Vec<FactGroup> {
    with_facts(groups.map(|(title, facts)| group(FactsAbout::Itself, title, facts)))
}

fn with_facts<const N: usize>(groups: [FactGroup; N]) -> Vec<FactGroup> {
    groups
        .into_iter()
        .filter(|group| !group.facts.is_empty())
        .collect()
}

fn group(about: FactsAbout, title: impl Into<String>, facts: Vec<Fact>) -> FactGroup {
    FactGroup {
        about,
        title: title.into(),
        facts,
    }
}

/// Cuts a text after [`MAX_CHARACTERS`] characters.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns one fact per deprecated scope, with the users who see its status condition.
fn conditions(subject: InspectionSubject<'_>, scopes: &[Scope<'_>]) -> Vec<Fact> {
    let condition_fact = |scope: &Scope<'_>| {
        let (blob, entry) = deprecation(subject.package, *scope)?;
        let location = subject.location(blob.file, blob.index, entry.message.place);
        let audience = match scope {
            Scope::Package => "seen by everyone who has the package".to_owned(),
            Scope::Channel(name) => {
                format!(
                    "seen by subscribers of channel `{name}`, and by ClusterExtensions that name it or no channel"
                )
            }
            Scope::Bundle(name) => format!("seen while `{name}` is installed"),
        };
        let condition = scope.condition();
        Some(with_note(
            audience,
            located_fact(condition.as_str(), entry.message.as_str(), location),
        ))
    };
    scopes.iter().filter_map(condition_fact).collect()
}

/// Describes the problem at `index` among the catalog's problems, followed by `other_problems`.
fn inspect_problem(
    root: &Root,
    other_problems: &[Diagnostic],
    index: u32,
) -> Result<Inspection, Refused> {
    let index = index as usize;
    let own_problems = &root.verdict().diagnostics;
    let problem = match own_problems.get(index) {
        Some(problem) => Some(&**problem),
        None => other_problems.get(index - own_problems.len()),
    };
    let problem = problem.ok_or_else(|| Refused::new("this problem no longer exists"))?;
    let location = (!problem.location.file.is_empty()).then(|| problem.location.clone());
    let mut facts = vec![match &location {
        Some(location) => located_fact("Problem", problem.message.clone(), location.clone()),
        None => fact("Problem", problem.message.clone()),
    }];
    if !problem.help.is_empty() {
        facts.push(fact("What to do", problem.help.clone()));
    }
    facts.push(fact(
        "Decides the verdict",
        if problem.is_of_opm() {
            "yes, opm validate refuses it"
        } else {
            "no"
        },
    ));
    let objects = [
        ("Package", &problem.package),
        ("Channel", &problem.channel),
        ("Bundle", &problem.bundle),
    ];
    let objects = objects.into_iter();
    facts.extend(objects.filter_map(|(label, name)| Some(fact(label, name.as_deref()?))));
    let related: Vec<Fact> = problem
        .related
        .iter()
        .map(|related| located_fact("", related.message.clone(), related.location.clone()))
        .collect();
    let explanation = explain(&problem.rule)
        .map(|rule| (rule.summary, rule.why))
        .or_else(|| rules::find(&problem.rule).map(|rule| (rule.summary, rule.why)));
    let rule = explanation.map_or_else(Vec::new, |(summary, why)| {
        vec![fact("", summary), fact("Why", why)]
    });
    Ok(Inspection {
        title: problem.rule.clone(),
        kind: "problem".into(),
        groups: groups([("Problem", facts), ("See also", related), ("Rule", rule)]),
        problems: vec![Json(problem.clone())],
        location,
        ..Inspection::default()
    })
}

fn inspect_package(subject: InspectionSubject<'_>) -> Inspection {
    let package = subject.package;
    let blob = package.packages.first();
    let document = blob.filter(|blob| blob.has_icon || blob.has_description);
    let document = document.and_then(|blob| subject.document(blob.file, blob.index));
    let newest = bundles(package).into_iter().next();
    Inspection {
        title: package.name.to_string(),
        kind: "package".into(),
        channels: subject.channels_that(|_| true),
        groups: head_requirements(subject)
            .into_iter()
            .chain(with_facts([
                group(FactsAbout::Itself, "Package", package_facts(subject, blob)),
                group(FactsAbout::Itself, "Contents", content_facts(subject)),
                group(
                    FactsAbout::RequiredBy,
                    "Required by",
                    required_by(subject, package.bundles.iter().map(|bundle| &**bundle)),
                ),
                group(
                    FactsAbout::Itself,
                    "Description",
                    description_facts(document.as_ref()),
                ),
            ]))
            .collect(),
        icon: icon(document.as_ref()),
        description: description(document.as_ref())
            .unwrap_or_default()
            .to_owned(),
        problems: subject.problems(|problem| problem.channel.is_none() && problem.bundle.is_none()),
        location: blob
            .map(|blob| subject.location(blob.file, blob.index, blob.place))
            .or_else(|| {
                // Without a definition, a package gets the position of its newest bundle.
                newest.map(|bundle| subject.location(bundle.file, bundle.index, bundle.place))
            }),
        ..Inspection::default()
    }
}

fn package_facts(subject: InspectionSubject<'_>, blob: Option<&Located<PackageBlob>>) -> Vec<Fact> {
    let package = subject.package;
    let mut facts = Vec::new();
    match blob {
        Some(blob) => {
            let location = |place| subject.location(blob.file, blob.index, place);
            let default = match blob.default_channel.as_str() {
                "" => with_note(
                    "a fresh install needs one",
                    located_fact("Default channel", "none", location(blob.place)),
                ),
                name => located_fact(
                    "Default channel",
                    name,
                    location(blob.default_channel.place),
                ),
            };
            facts.extend([
                located_fact("Name", blob.name.as_str(), location(blob.name.place)),
                default,
            ]);
        }
        None => facts.push(with_note(
            "no `olm.package` document has this name",
            fact("Name", &*package.name),
        )),
    }
    for blob in package.packages.iter().skip(1) {
        facts.push(located_fact(
            "Defined again",
            blob.name.as_str(),
            subject.location(blob.file, blob.index, blob.place),
        ));
    }
    facts.extend(conditions(subject, &[Scope::Package]));
    facts
}

/// Returns the requirements of new installs: those of the default channel's head. `None` if the
/// head is no bundle, is unknown, or if only its name is known, as in a template.
fn head_requirements(subject: InspectionSubject<'_>) -> Option<FactGroup> {
    let graph = PackageGraph::build(subject.package);
    let channel = graph.channel(subject.package.default_channel())?;
    let blob = subject
        .package
        .bundle(graph.name_at(channel, channel.head()?))?;
    if subject.has_only_name(blob) || is_in_several_blobs(subject.package, &channel.name) {
        return None;
    }
    let version = if blob.version().is_empty() {
        blob.name.as_str()
    } else {
        blob.version()
    };
    let title = format!("The head of {}, {version}, requires", channel.name);
    // The index has all values of requirements but long ones of `olm.maxOpenShiftVersion`.
    let facts = requirement_facts(subject, blob, None);
    Some(group(FactsAbout::HeadRequires, title, facts))
}

/// Whether several blobs define the channel: opm rejects that, and OLM reads the entries of all.
fn is_in_several_blobs(package: &Package, channel: &str) -> bool {
    let blobs = package.channels.iter();
    blobs
        .filter(|blob| *blob.name.value == *channel)
        .nth(1)
        .is_some()
}

fn content_facts(subject: InspectionSubject<'_>) -> Vec<Fact> {
    let package = subject.package;
    let mut facts = vec![
        fact("Channels", package.channels_by_name().len().to_string()),
        fact("Bundles", package.bundles.len().to_string()),
    ];
    if let Some(newest) = bundles(package).first() {
        let location = subject.location(newest.file, newest.index, newest.place);
        facts.push(with_note(
            newest.version(),
            located_fact("Highest version", newest.name.as_str(), location),
        ));
    }
    for other in &package.others {
        let location = subject.location(other.file, other.index, other.place);
        facts.push(with_note(
            other.name.as_str(),
            located_fact("Other document", other.schema.as_str(), location),
        ));
    }
    facts
}

fn description(document: Option<&Value>) -> Option<&str> {
    document?.get("description")?.as_str()
}

fn description_facts(document: Option<&Value>) -> Vec<Fact> {
    description(document)
        .filter(|text| !text.trim().is_empty())
        .map(|text| fact("", shorten(text.trim())))
        .into_iter()
        .collect()
}

fn icon(document: Option<&Value>) -> IconView {
    let text = |field: &str| document?.get("icon")?.get(field)?.as_str();
    let (Some(media_type), Some(data)) = (text("mediatype"), text("base64data")) else {
        return IconView::None;
    };
    picture(media_type, data)
}

/// Returns a `data:` URL, or why the icon is not shown. The known media type and valid base64
/// ensure that the URL can only be an image.
pub(crate) fn picture(media_type: &str, data: &str) -> IconView {
    let data: String = data.split_ascii_whitespace().collect();
    if data.is_empty() {
        return IconView::None;
    }
    if !ICON_TYPES.contains(&media_type) {
        return IconView::Refused(format!(
            "consoles do not show images of type `{media_type}`"
        ));
    }
    let Ok(bytes) = STANDARD.decode(&data) else {
        return IconView::Refused("it is not base64".to_owned());
    };
    match picture::why_refused(media_type, &bytes) {
        Some(reason) => IconView::Refused(reason),
        None => IconView::Shown(format!("data:{media_type};base64,{data}")),
    }
}

fn inspect_channel(subject: InspectionSubject<'_>, name: &str) -> Result<Inspection, Refused> {
    let graph = PackageGraph::build(subject.package);
    let channel = graph
        .channel(name)
        .ok_or_else(|| refused!("no channel `{name}`"))?;
    let blob = &channel.blob;
    let location = subject.location(blob.file, blob.index, blob.place);
    Ok(Inspection {
        title: name.to_owned(),
        kind: "channel".into(),
        groups: groups([
            ("Channel", channel_facts(subject, &graph, channel)),
            (
                "Stranded",
                entry_facts(subject, &graph, channel, |node| node.stranded),
            ),
            (
                "Named by edges, not listed",
                entry_facts(subject, &graph, channel, Node::is_absent),
            ),
        ]),
        problems: subject.problems(|problem| problem.channel.as_deref() == Some(name)),
        location: Some(location),
        ..Inspection::default()
    })
}

fn channel_facts(
    subject: InspectionSubject<'_>,
    graph: &PackageGraph,
    channel: &ChannelGraph,
) -> Vec<Fact> {
    let blob = &channel.blob;
    let mut facts = vec![located_fact(
        "Name",
        &*channel.name,
        subject.location(blob.file, blob.index, blob.name.place),
    )];
    if channel.is_default {
        facts.push(fact("Default channel", "yes"));
    }
    let heads: Vec<&str> = channel
        .heads
        .iter()
        .map(|&head| graph.name_at(channel, head))
        .collect();
    facts.push(match heads.as_slice() {
        _ if is_in_several_blobs(subject.package, &channel.name) => with_note(
            "several documents define the channel, and the facts are those of the first",
            fact("Head", "unknown"),
        ),
        [] => with_note("every entry is replaced or skipped", fact("Head", "none")),
        [head] if is_partly_read(subject.root, subject.package) => {
            with_note("in what could be read", fact("Head", *head))
        }
        [head] => fact("Head", *head),
        heads => with_note("opm requires exactly one", fact("Heads", heads.join(", "))),
    });
    let listed = blob.entries.len();
    let entries = fact("Entries", listed.to_string());
    facts.push(match channel.present {
        names if names == listed => entries,
        names => with_note(format!("{names} distinct names"), entries),
    });
    let skipped = channel
        .nodes
        .iter()
        .filter(|node| node.skipped && !node.is_absent())
        .count();
    if skipped > 0 {
        facts.push(fact("Skipped entries", skipped.to_string()));
    }
    facts.extend(conditions(
        subject,
        &[Scope::Package, Scope::Channel(&channel.name)],
    ));
    facts
}

/// Returns one fact per entry that meets a condition, with the entry's position.
fn entry_facts(
    subject: InspectionSubject<'_>,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    is_wanted: impl Fn(&Node) -> bool,
) -> Vec<Fact> {
    let nodes = channel.nodes.iter();
    let nodes: Vec<&Node> = nodes.filter(|node| is_wanted(node)).collect();
    let blob = &channel.blob;
    let entry_fact = |node: &&Node| {
        let name = graph.facts(node).map_or("", |facts| &facts.name);
        let Some(entry) = channel.only_line(node) else {
            return fact("", name);
        };
        let template_line = subject
            .root
            .rendering()
            .and_then(|rendering| rendering.entry_line(&subject.package.name, &channel.name, name));
        let location =
            template_line.unwrap_or_else(|| subject.location(blob.file, blob.index, entry.place));
        located_fact("", name, location)
    };
    let mut facts: Vec<Fact> = nodes.iter().take(MAX_LISTED).map(entry_fact).collect();
    if nodes.len() > MAX_LISTED {
        facts.push(fact("", and_more(nodes.len() - MAX_LISTED)));
    }
    facts
}
