//! The inspector's content for a package: its definition, its channels, its icon.

use super::requirements::{required_by, requirement_facts};
use super::{
    InspectionSubject, conditions, fact, group, shorten, with_facts, with_note, written_fact,
};
use crate::views::bundles;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fbc::graph::PackageGraph;
use fbc::model::{Located, PackageBlob, picture};
use fbc::upgrade::status_conditions::Scope;
use protocol::inspection::{Fact, FactGroup, FactsAbout, IconView, Inspection};
use serde_json::Value;

/// The only media types of icons that the page shows.
const IMAGES: [&str; 4] = ["image/svg+xml", "image/png", "image/jpeg", "image/gif"];

pub(super) fn inspect(subject: InspectionSubject<'_>) -> Inspection {
    let package = subject.package;
    let blob = package.packages.first();
    let document = blob.filter(|blob| blob.has_icon || blob.has_description);
    let document = document.and_then(|blob| subject.document(blob.file, blob.index));
    let newest = bundles(package).into_iter().next();
    Inspection {
        title: package.name.to_string(),
        kind: "package".into(),
        version: String::new(),
        channels: package
            .channels
            .iter()
            .map(|c| {
                (
                    c.name.value.to_string(),
                    c.name.as_str() == package.default_channel(),
                )
            })
            .collect(),
        groups: requires(subject)
            .into_iter()
            .chain(with_facts([
                group(FactsAbout::Itself, "Package", facts(subject, blob)),
                group(FactsAbout::Itself, "Contents", contents(subject)),
                group(
                    FactsAbout::RequiredBy,
                    "Required by",
                    required_by(subject, package.bundles.iter().map(|bundle| &**bundle)),
                ),
                group(
                    FactsAbout::Itself,
                    "Description",
                    description(document.as_ref()),
                ),
            ]))
            .collect(),
        icon: icon(document.as_ref()),
        description: document_description(document.as_ref())
            .unwrap_or_default()
            .to_owned(),
        problems: subject.problems(|problem| problem.channel.is_none() && problem.bundle.is_none()),
        location: blob
            .map(|blob| subject.location(blob.file, blob.index, blob.place))
            .or_else(|| {
                // A package without a definition gets the place of its newest bundle.
                newest.map(|bundle| subject.location(bundle.file, bundle.index, bundle.place))
            }),
    }
}

fn facts(subject: InspectionSubject<'_>, blob: Option<&Located<PackageBlob>>) -> Vec<Fact> {
    let package = subject.package;
    let mut facts = Vec::new();
    match blob {
        Some(blob) => {
            let at = |place| subject.location(blob.file, blob.index, place);
            let default = match blob.default_channel.as_str() {
                "" => with_note(
                    "a fresh install needs one",
                    written_fact("Default channel", "none", at(blob.place)),
                ),
                name => written_fact("Default channel", name, at(blob.default_channel.place)),
            };
            facts.extend([
                written_fact("Name", blob.name.as_str(), at(blob.name.place)),
                default,
            ]);
        }
        None => facts.push(with_note(
            "no `olm.package` document has this name",
            fact("Name", &*package.name),
        )),
    }
    for blob in package.packages.iter().skip(1) {
        facts.push(written_fact(
            "Defined again",
            blob.name.as_str(),
            subject.location(blob.file, blob.index, blob.place),
        ));
    }
    facts.extend(conditions(subject, &[Scope::Package]));
    facts
}

/// Requirements of new installs: those of the default channel's head, if it is a bundle.
fn requires(subject: InspectionSubject<'_>) -> Option<FactGroup> {
    let graph = PackageGraph::build(subject.package);
    let channel = graph.channel(subject.package.default_channel())?;
    let blob = subject
        .package
        .bundle(graph.name_at(channel, channel.head()?))?;
    let document = subject.document(blob.file, blob.index);
    let version = if blob.version().is_empty() {
        blob.name.as_str()
    } else {
        blob.version()
    };
    let title = format!("The head of {}, {version}, requires", channel.name);
    let facts = requirement_facts(subject, blob, document.as_ref());
    Some(group(FactsAbout::HeadRequires, title, facts))
}

fn contents(subject: InspectionSubject<'_>) -> Vec<Fact> {
    let package = subject.package;
    let mut facts = vec![
        fact("Channels", package.channels.len().to_string()),
        fact("Bundles", package.bundles.len().to_string()),
    ];
    if let Some(newest) = bundles(package).first() {
        let at = subject.location(newest.file, newest.index, newest.place);
        facts.push(with_note(
            newest.version(),
            written_fact("Highest version", newest.name.as_str(), at),
        ));
    }
    for other in &package.others {
        let at = subject.location(other.file, other.index, other.place);
        facts.push(with_note(
            other.name.as_str(),
            written_fact("Other document", other.schema.as_str(), at),
        ));
    }
    facts
}

fn document_description(document: Option<&Value>) -> Option<&str> {
    document?.get("description")?.as_str()
}

fn description(document: Option<&Value>) -> Vec<Fact> {
    document_description(document)
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

/// A `data:` URL of a known media type and pure base64, so that it can only be an image; or why it is not shown.
pub(crate) fn picture(media_type: &str, data: &str) -> IconView {
    let data: String = data.split_ascii_whitespace().collect();
    if data.is_empty() {
        return IconView::None;
    }
    if !IMAGES.contains(&media_type) {
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
