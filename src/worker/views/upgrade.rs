//! The question "from here, where?" under both lenses.

use crate::fbc::graph::names::version_in_name;
use crate::fbc::model::Package;
use crate::fbc::place::Text;
use crate::fbc::upgrade::{self, EdgeKind, Installed, Options, Step, UpgradeIndex};
use crate::protocol::views::{Lens, NextStep, UpgradeAnswer, UpgradeQuestion};

/// What is installed, with the version that the bundle (else its name) tells.
pub(super) fn installed(package: &Package, question: &UpgradeQuestion) -> Option<Installed> {
    let name = question.installed.as_deref()?;
    if let Some(bundle) = package.bundle(name) {
        return Some(Installed::new(name, bundle.version()));
    }
    // As the command line takes it: a bundle that left the catalog comes with its version.
    let (name, version) = name.split_once('@').unwrap_or((name, version_in_name(name).map_or("", |(text, _)| text)));
    Some(Installed::new(name, version))
}

pub(super) fn answer(package: &Package, question: &UpgradeQuestion) -> UpgradeAnswer {
    let index = UpgradeIndex::new(package);
    let installed = installed(package, question);
    let subscribed = if question.channel.is_empty() { package.default_channel() } else { &question.channel };
    let classic = Options {
        channels: Some(subscribed.to_owned()).filter(|channel| !channel.is_empty()).into_iter().collect(),
        ..Options::default()
    };
    let v1 = Options {
        channels: question.channels.clone(),
        range: Some(question.range.clone()).filter(|range| !range.is_empty()),
        ..Options::default()
    };
    let v0 = step(&index, Lens::V0, installed.as_ref(), &classic);
    let v1 = step(&index, Lens::V1, installed.as_ref(), &v1);
    let difference = difference(&v0, &v1);
    UpgradeAnswer { v0, v1, difference }
}

fn step(index: &UpgradeIndex, lens: Lens, installed: Option<&Installed>, options: &Options) -> NextStep {
    let of = match lens {
        Lens::V0 => upgrade::Lens::V0,
        Lens::V1 => upgrade::Lens::V1,
    };
    let answer = index.next(of, installed, options);
    let path = index.path(of, installed, options);
    let text = |text: fn(&Step) -> &Text| answer.next.as_ref().map_or_else(String::new, |step| text(step).to_string());
    NextStep {
        lens,
        next: answer.next.as_ref().map(|step| step.name.to_string()),
        version: text(|step| &step.version),
        channel: text(|step| &step.channel),
        edge: answer.next.as_ref().map_or(EdgeKind::None, |step| step.edge).as_str().to_owned(),
        error: answer.error.as_ref().map(|error| error.text.clone()),
        why: answer.why,
        path: path.steps.iter().map(|name| name.to_string()).collect(),
    }
}

/// How the two answers differ; "" when they lead to the same place.
fn difference(v0: &NextStep, v1: &NextStep) -> String {
    if v0.next == v1.next && v0.error.is_some() == v1.error.is_some() {
        return String::new();
    }
    let goes = |step: &NextStep| match (&step.next, &step.error) {
        (Some(next), _) if step.channel.is_empty() => format!("goes to `{next}`"),
        (Some(next), _) => format!("goes to `{next}` (`{}`)", step.channel),
        (None, Some(_)) => "finds no answer".to_owned(),
        (None, None) => "stays where it is".to_owned(),
    };
    format!("Classic {}; OLM v1 {}.", goes(v0), goes(v1))
}
