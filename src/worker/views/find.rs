//! Names for the omnibox.

use crate::fbc::workspace::{Root, Workspace};
use crate::protocol::views::Hit;

/// How well a name fits; lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Start,
    Inside,
}

/// Packages, channels and bundles whose name holds `text`, the best first; within one fit packages, then channels, then
/// bundles, in catalog order.
pub(in crate::worker) fn find(workspace: &Workspace, text: &str, limit: usize) -> Vec<Hit> {
    let wanted = text.trim().to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(Fit, u8, Hit)> = Vec::new();
    let several = workspace.roots().len() > 1;
    for root in workspace.roots() {
        for package in root.catalog().packages() {
            let detail = |what: String| if several { format!("{what} in {}", root.label()) } else { what };
            let mut add = |name: &str, kind: u8, channel: &str, bundle: &str, what: String| {
                if let Some(fit) = fit(name, &wanted) {
                    let hit = hit(root, &package.name, channel, bundle, name, detail(what));
                    found.push((fit, kind, hit));
                }
            };
            add(&package.name, 0, "", "", "package".into());
            for channel in &package.channels {
                add(channel.name.as_str(), 1, channel.name.as_str(), "", format!("channel of {}", package.name));
            }
            for bundle in &package.bundles {
                add(bundle.name.as_str(), 2, "", bundle.name.as_str(), format!("bundle of {}", package.name));
            }
        }
    }
    found.sort_by_key(|(fit, kind, _)| (*fit, *kind));
    found.into_iter().take(limit).map(|(_, _, hit)| hit).collect()
}

fn hit(root: &Root, package: &str, channel: &str, bundle: &str, label: &str, detail: String) -> Hit {
    Hit {
        root: root.name.clone(),
        package: package.to_owned(),
        channel: channel.to_owned(),
        bundle: bundle.to_owned(),
        label: label.to_owned(),
        detail,
    }
}

fn fit(name: &str, wanted: &str) -> Option<Fit> {
    let name = name.to_lowercase();
    match name.find(wanted)? {
        0 if name.len() == wanted.len() => Some(Fit::Whole),
        0 => Some(Fit::Start),
        _ => Some(Fit::Inside),
    }
}
