//! The main view of one package.

use super::marks::Marks;
use super::{bundles, compare, table, template, upgrade};
use crate::host::ViewInput;
use crate::lanes;
use fbc::edit::plan::bundles::is_changed;
use fbc::edit::range_pattern;
use fbc::graph::PackageGraph;
use fbc::graph::layout::{LayoutRequest, RouteRequest, Selection, lane_order, layout};
use fbc::model::Package;
use fbc::order::SortSmall;
use fbc::workspace::{Refused, Root};
use protocol::Json;
use protocol::request::PackageRequest;
use protocol::response::PackageView;
use protocol::views::{Lens, Origin, PathStep, UpgradeAnswer, UpgradePath};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) fn view(input: ViewInput<'_>, wanted: &PackageRequest) -> Result<PackageView, Refused> {
    let root = input.workspace.root(Some(&wanted.root))?;
    let package = find(root, &wanted.package)?;
    let graph = PackageGraph::build(package);
    let selected = wanted
        .lanes
        .selected
        .as_ref()
        .map(|entry| entry.name.as_str());
    let origin = upgrade::origin(package, &wanted.question, selected);
    let mut request = lanes::request(&wanted.lanes);
    let mut answer = upgrade::answer(root, package, origin, &wanted.question);
    // Don't draw routes for a mere selection.
    let routes = match wanted.question.origin {
        Origin::Fresh if answer.origin != Origin::Fresh => Vec::new(),
        _ => routes(&answer, wanted.question.lens),
    };
    request.routes.clone_from(&routes);
    request.edited = input
        .touched
        .iter()
        .flat_map(|step| step.entries(&root.name, &package.name))
        .collect();
    // Removed entries are drawn, but have no details.
    let old = wanted
        .baseline
        .as_ref()
        .and_then(|against| compare::old(input.workspace, against, root).ok());
    let old = old
        .as_ref()
        .and_then(|catalog| catalog.package(&wanted.package));
    let beside = old.map(|old| PackageGraph::build_with_removed(package, old));
    let drawn = beside.as_ref().unwrap_or(&graph);
    let marks = Marks::from_problems(root.problems_of(&package.name));
    request.kept = marks.with_errors().map(Into::into).collect();
    let laid = layout(drawn, &request);
    let order = lane_order(&graph, &request);
    let channel_names = |order: &[u32]| -> Vec<String> {
        let channels = order
            .iter()
            .filter_map(|&channel| graph.channels.get(channel as usize));
        channels.map(|channel| channel.name.to_string()).collect()
    };
    let channels = channel_names(&order);
    let unarranged = match request.order.is_empty() {
        true => channels.clone(),
        false => channel_names(&lane_order(
            &graph,
            &LayoutRequest {
                order: Vec::new(),
                ..request
            },
        )),
    };
    let settled = settle_order(&wanted.lanes.default_order, unarranged);
    let places: HashMap<&str, usize> = channels.iter().map(String::as_str).zip(0..).collect();
    answer
        .channels
        .sort_small_by_key(|answer| places.get(answer.channel.as_str()).copied());
    let bundle = |bundle: &fbc::model::BundleBlob| {
        (bundle.name.value.to_string(), bundle.version().to_owned())
    };
    Ok(PackageView {
        root: wanted.root.clone(),
        package: wanted.package.clone(),
        default_channel: package.default_channel().to_owned(),
        lanes: Arc::new(lanes::lanes(drawn, &laid, &routes, &marks)),
        table: table::rows(root, package, &graph, &order, &marks),
        answer,
        bundles: bundles(package)
            .into_iter()
            .map(|located| bundle(located))
            .collect(),
        channels,
        default_order: settled,
        problems: root.problems_of(&package.name).cloned().map(Json).collect(),
        deprecations: deprecations(package),
        migratable: package
            .bundles
            .iter()
            .filter(|bundle| is_changed(bundle))
            .count() as u32,
        substitutions: template::substitutions(root),
        rendered_from: template::rendered_from(input.workspace, &root.name, &package.name),
        range_patterns: range_pattern::all(&graph, package),
    })
}

/// `order` with the removed names of `before`, each after its former predecessor, so that entries restored by undo, or
/// drawn as removed, keep their place.
fn settle_order(before: &[String], order: Vec<String>) -> Vec<String> {
    let known: HashSet<String> = order.iter().cloned().collect();
    let mut settled = order;
    let mut last: Option<&String> = None;
    for name in before {
        if !known.contains(name) {
            let at = last
                .and_then(|last| settled.iter().position(|name| name == last))
                .map_or(0, |at| at + 1);
            settled.insert(at, name.clone());
        }
        last = Some(name);
    }
    settled
}

pub(crate) fn find<'a>(root: &'a Root, name: &str) -> Result<&'a Arc<Package>, Refused> {
    root.catalog()
        .package(name)
        .ok_or_else(|| Refused::new(format!("no package `{name}` in `{}`", root.name)))
}

/// The path under the chosen lens, and the steps under the other lens that are not on it.
fn routes(answer: &UpgradeAnswer, lens: Lens) -> Vec<RouteRequest> {
    let (chosen, other) = match lens {
        Lens::V0 => (&answer.v0, &answer.v1),
        Lens::V1 => (&answer.v1, &answer.v0),
    };
    let from = match &answer.origin {
        Origin::Installed(name) => Some(name.as_str()),
        Origin::Fresh | Origin::Everyone => None,
    };
    let chosen = steps(from, chosen);
    let on_it: HashSet<(&str, &str)> = chosen
        .iter()
        .map(|(from, to)| (*from, to.name.as_str()))
        .collect();
    let others = steps(from, other)
        .into_iter()
        .filter(|(from, to)| !on_it.contains(&(*from, to.name.as_str())));
    let all = chosen
        .iter()
        .copied()
        .map(|step| (step, true))
        .chain(others.map(|step| (step, false)));
    all.map(|((from, to), chosen)| RouteRequest {
        from: Selection {
            channel: None,
            name: from.into(),
        },
        to: Selection {
            channel: (!to.channel.is_empty()).then(|| to.channel.as_str().into()),
            name: to.name.as_str().into(),
        },
        chosen,
    })
    .collect()
}

/// Each step with its origin. A new install has no origin.
fn steps<'a>(from: Option<&'a str>, path: &'a UpgradePath) -> Vec<(&'a str, &'a PathStep)> {
    let names = path.steps.iter().map(|step| Some(step.name.as_str()));
    let starts = std::iter::once(from).chain(names);
    starts
        .zip(&path.steps)
        .filter_map(|(from, step)| Some((from?, step)))
        .collect()
}

fn deprecations(package: &Package) -> Vec<(String, String)> {
    let entries = package.deprecations.iter().flat_map(|blob| &blob.entries);
    entries
        .map(|entry| {
            let of = match entry.schema.as_str() {
                "olm.package" => "package".to_owned(),
                schema => format!(
                    "{} {}",
                    schema.trim_start_matches("olm."),
                    entry.name.as_str()
                ),
            };
            (of, entry.message.value.to_string())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::settle_order;

    #[test]
    fn removed_entries_keep_their_place() {
        let names = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let after = |before: &str, now: &str| settle_order(&names(before), names(now)).join(" ");
        assert_eq!(after("", "a b"), "a b");
        assert_eq!(after("a b c", "a c"), "a b c");
        assert_eq!(
            after("a b c d", "d new a"),
            "d new a b c",
            "behind what it was behind"
        );
        assert_eq!(after("gone a", "a"), "gone a");
    }
}
