//! The inspector's content for a selected thing. Facts come from the index; text that the index lacks (a description,
//! an icon, large property values) is read from the span of the selected blob.

mod bundle;
mod channel;
mod crd_changes;
mod package;
mod property;
mod requirements;

pub(crate) use package::picture;

use super::package::find;
use fbc::catalog::Catalog;
use fbc::model::{FileId, Package};
use fbc::place::Place;
use fbc::repository::rules;
use fbc::upgrade::status_conditions::{Scope, deprecation};
use fbc::validate::explain;
use fbc::workspace::{Refused, Root, Workspace};
use protocol::Json;
use protocol::diagnostic::{Diagnostic, Location};
use protocol::inspection::{Fact, FactGroup, FactsAbout, Inspection};
use protocol::request::Target;
use serde_json::Value;

/// Most characters of a value; the source, one click away, has the rest.
const LONGEST: usize = 2_000;

pub(crate) fn inspect(
    workspace: &Workspace,
    root: &str,
    package: &str,
    target: &Target,
    others: &[Diagnostic],
) -> Result<Inspection, Refused> {
    let root = workspace.root(Some(root))?;
    if let Target::Problem { index } = target {
        return inspect_problem(root, others, *index);
    }
    let of = find(root, package)?;
    let made = root.rendering().map(|rendering| {
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
    });
    let subject = InspectionSubject {
        workspace,
        root,
        package: of,
        made: made.as_ref(),
    };
    match target {
        Target::Package => Ok(package::inspect(subject)),
        Target::Channel { channel } => channel::inspect(subject, channel),
        Target::Entry { channel, name } => bundle::inspect_entry(subject, channel, name),
        Target::Bundle { name } => bundle::inspect(subject, name),
        Target::Problem { index } => inspect_problem(root, others, *index),
    }
}

/// The inspected thing and its surroundings.
#[derive(Clone, Copy)]
struct InspectionSubject<'a> {
    workspace: &'a Workspace,
    root: &'a Root,
    package: &'a Package,
    /// The template's line that produced the thing, if the catalog is rendered.
    made: Option<&'a Location>,
}

impl InspectionSubject<'_> {
    fn catalog(&self) -> &Catalog {
        self.root.catalog()
    }

    /// The place of a blob. In a rendered catalog, the template's line.
    fn location(&self, file: FileId, blob: u32, place: Place) -> Location {
        self.made
            .cloned()
            .unwrap_or_else(|| self.catalog().location(file, blob, place))
    }

    /// The blob's document as JSON values; `None` if it cannot be read (the other facts are still shown).
    fn document(&self, file: FileId, blob: u32) -> Option<Value> {
        self.workspace.files().blob_document(self.root, file, blob)
    }

    /// Channels that list the name, and whether each is the default one.
    fn channels_of(&self, name: &str) -> Vec<(String, bool)> {
        let channels = self.package.channels.iter();
        let lists = channels.filter(|channel| {
            channel
                .entries
                .iter()
                .any(|entry| entry.name.as_str() == name)
        });
        let default = self.package.default_channel();
        lists
            .map(|channel| {
                (
                    channel.name.value.to_string(),
                    channel.name.as_str() == default,
                )
            })
            .collect()
    }

    fn problems(&self, is_of: impl Fn(&Diagnostic) -> bool) -> Vec<Json<Diagnostic>> {
        self.root
            .problems_of(&self.package.name)
            .filter(|problem| is_of(problem))
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

/// A fact with a place.
fn written_fact(label: impl Into<String>, value: impl Into<String>, location: Location) -> Fact {
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

/// Omits groups without facts.
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

/// Cuts a text at [`LONGEST`].
fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// One fact per deprecated scope.
fn conditions(subject: InspectionSubject<'_>, scopes: &[Scope<'_>]) -> Vec<Fact> {
    let of = |scope: &Scope<'_>| {
        let (blob, entry) = deprecation(subject.package, *scope)?;
        let at = subject.location(blob.file, blob.index, entry.message.place);
        let who = match scope {
            Scope::Package => "seen by everyone who has the package".to_owned(),
            Scope::Channel(name) => {
                format!(
                    "seen by subscribers of channel `{name}`, and by ClusterExtensions that name it or no channel"
                )
            }
            Scope::Bundle(name) => format!("seen while `{name}` is installed"),
        };
        Some(with_note(
            who,
            written_fact(scope.condition().as_str(), entry.message.as_str(), at),
        ))
    };
    scopes.iter().filter_map(of).collect()
}

/// `others`: problems that are listed after those of the catalog.
fn inspect_problem(root: &Root, others: &[Diagnostic], index: u32) -> Result<Inspection, Refused> {
    let own = &root.verdict().diagnostics;
    let problem = own
        .get(index as usize)
        .map(|own| &**own)
        .or_else(|| others.get((index as usize).checked_sub(own.len())?));
    let problem = problem.ok_or_else(|| Refused::new("this problem no longer exists"))?;
    let location = (!problem.location.file.is_empty()).then(|| problem.location.clone());
    let mut facts = vec![match &location {
        Some(location) => written_fact("Problem", problem.message.clone(), location.clone()),
        None => fact("Problem", problem.message.clone()),
    }];
    if !problem.help.is_empty() {
        facts.push(fact("What to do", problem.help.clone()));
    }
    facts.push(fact(
        "Decides the verdict",
        if problem.opm {
            "yes, opm validate refuses it"
        } else {
            "no"
        },
    ));
    let subject = [
        ("Package", &problem.package),
        ("Channel", &problem.channel),
        ("Bundle", &problem.bundle),
    ];
    facts.extend(
        subject
            .into_iter()
            .filter_map(|(label, name)| Some(fact(label, name.as_deref()?))),
    );
    let related = problem.related.iter();
    let related: Vec<Fact> = related
        .map(|related| written_fact("", related.message.clone(), related.location.clone()))
        .collect();
    let explanation = explain(&problem.rule).map(|rule| (rule.summary, rule.why));
    let explanation =
        explanation.or_else(|| rules::find(&problem.rule).map(|rule| (rule.summary, rule.why)));
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
