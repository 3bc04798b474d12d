//! Everything the centre shows of one package.

use super::marks::Marks;
use super::{bundles, table, upgrade};
use crate::fbc::graph::PackageGraph;
use crate::fbc::graph::layout::{RouteRequest, Selection, layout};
use crate::fbc::model::Package;
use crate::fbc::workspace::{Refused, Root};
use crate::protocol::Json;
use crate::protocol::request::PackageRequest;
use crate::protocol::response::PackageView;
use crate::protocol::views::{Lens, NextStep, UpgradeAnswer, UpgradeQuestion};
use crate::worker::host::Shown;
use crate::worker::lanes;
use std::sync::Arc;

pub(in crate::worker) fn view(shown: Shown<'_>, wanted: &PackageRequest) -> Result<PackageView, Refused> {
    let root = shown.workspace.root(Some(&wanted.root))?;
    let package = find(root, &wanted.package)?;
    let graph = PackageGraph::build(package);
    let answer = upgrade::answer(package, &wanted.question);
    let mut request = lanes::request(&wanted.lanes);
    request.routes = routes(&answer, &wanted.question);
    request.edited = shown.touched.iter().flat_map(|step| step.entries(&root.name, &package.name)).collect();
    let laid = layout(&graph, &request);
    let order: Vec<u32> = laid.lanes.iter().map(|lane| lane.channel).collect();
    let channels = order.iter().filter_map(|&channel| graph.channels.get(channel as usize));
    let marks = Marks::of(root.problems_of(&package.name));
    let bundle = |bundle: &crate::fbc::model::BundleBlob| (bundle.name.value.to_string(), bundle.version().to_owned());
    Ok(PackageView {
        root: wanted.root.clone(),
        package: wanted.package.clone(),
        default_channel: package.default_channel().to_owned(),
        lanes: lanes::lanes(&graph, &laid, &request.routes, &marks),
        table: table::rows(root.catalog(), &graph, &order, &marks),
        answer,
        bundles: bundles(package).into_iter().map(|located| bundle(located)).collect(),
        channels: channels.map(|channel| channel.name.to_string()).collect(),
        problems: root.problems_of(&package.name).cloned().map(Json).collect(),
        deprecations: deprecations(package),
    })
}

pub(super) fn find<'a>(root: &'a Root, name: &str) -> Result<&'a Arc<Package>, Refused> {
    root.catalog().package(name).ok_or_else(|| Refused::new(format!("no package `{name}` in `{}`", root.name)))
}

/// The chosen lens's path, and of the other one the steps that are not on it.
fn routes(answer: &UpgradeAnswer, question: &UpgradeQuestion) -> Vec<RouteRequest> {
    let (chosen, other) = match question.lens {
        Lens::V0 => (&answer.v0, &answer.v1),
        Lens::V1 => (&answer.v1, &answer.v0),
    };
    if question.installed.is_none() {
        return Vec::new();
    }
    let steps = |step: &NextStep| -> Vec<(String, String)> {
        step.path.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
    };
    let chosen_steps = steps(chosen);
    let others = steps(other).into_iter().filter(|step| !chosen_steps.contains(step)).map(|step| (step, false));
    let all: Vec<_> = chosen_steps.iter().cloned().map(|step| (step, true)).chain(others).collect();
    all.into_iter()
        .map(|((from, to), is_chosen)| {
            let answer = if is_chosen { chosen } else { other };
            let channel = (answer.next.as_ref() == Some(&to)).then_some(answer.channel.as_str());
            RouteRequest {
                from: Selection { channel: None, name: from.into() },
                to: Selection { channel: channel.filter(|c| !c.is_empty()).map(Into::into), name: to.into() },
                chosen: is_chosen,
            }
        })
        .collect()
}

fn deprecations(package: &Package) -> Vec<(String, String)> {
    let entries = package.deprecations.iter().flat_map(|blob| &blob.entries);
    entries
        .map(|entry| {
            let of = match entry.schema.as_str() {
                "olm.package" => "package".to_owned(),
                schema => format!("{} {}", schema.trim_start_matches("olm."), entry.name.as_str()),
            };
            (of, entry.message.value.to_string())
        })
        .collect()
}
