//! Text about the target catalogs of a template.

use crate::words::count;
use protocol::counting::first_of;
use protocol::templates::{RenderState, RenderTarget, RenderTargets};

/// Maximum number of blobs and bundles named per kind.
const NAMED: usize = 5;

/// A short description of the state.
pub(super) fn state(state: &RenderState) -> &'static str {
    match state {
        RenderState::UpToDate => "up to date",
        RenderState::OutOfDate { .. } => "out of date",
        RenderState::Missing => "missing",
        RenderState::UnknownBundles(_) => "unknown bundles",
        RenderState::Error(_) => "cannot be rendered",
    }
}

/// The tone of the state.
pub(super) fn tone(state: &RenderState) -> &'static str {
    match state {
        RenderState::UpToDate => "good",
        RenderState::OutOfDate { .. } | RenderState::Missing => "changed",
        RenderState::UnknownBundles(_) | RenderState::Error(_) => "bad",
    }
}

/// What rendering again would change, or why it is impossible, one line each.
pub(super) fn details(target: &RenderTarget) -> Vec<String> {
    match &target.state {
        RenderState::UpToDate => Vec::new(),
        RenderState::OutOfDate {
            added,
            removed,
            changed,
        } => {
            let lines = [("Adds", added), ("Removes", removed), ("Changes", changed)];
            let changes = lines.into_iter().filter(|(_, blobs)| !blobs.is_empty());
            changes
                .map(|(does, blobs)| format!("{does} {}.", join_names(blobs)))
                .collect()
        }
        RenderState::Missing => vec![format!("Rendering makes {}.", target.folder)],
        RenderState::UnknownBundles(bundles) => vec![
            match bundles.len() {
                1 => format!("1 bundle is not open: {}.", join_names(bundles)),
                several => format!("{several} bundles are not open: {}.", join_names(bundles)),
            },
            "Drop the bundle folders, or a catalog that has these bundles, on the page.".to_owned(),
        ],
        RenderState::Error(message) => vec![message.clone()],
    }
}

/// All catalogs in one sentence.
pub(super) fn summary(targets: &RenderTargets) -> String {
    let all = targets.targets.len() as u32;
    let fresh = targets
        .targets
        .iter()
        .filter(|target| target.state == RenderState::UpToDate)
        .count() as u32;
    match (all, all - fresh) {
        (0, _) => "No open catalog is rendered from this template.".to_owned(),
        (_, 0) => format!("{}: all up to date.", count(all, "catalog")),
        _ => format!("{fresh} of {} up to date.", count(all, "catalog")),
    }
}

fn join_names(names: &[String]) -> String {
    first_of(names.iter(), NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(state: RenderState) -> RenderTarget {
        RenderTarget {
            catalog: "v4.20".into(),
            folder: "catalogs/v4.20/p".into(),
            state,
        }
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_the_changes_of_a_render() {
        let stale = RenderState::OutOfDate {
            added: names(&["bundle p.v2"]),
            removed: Vec::new(),
            changed: names(&[
                "channel a",
                "channel b",
                "channel c",
                "channel d",
                "channel e",
                "channel f",
                "package p",
            ]),
        };
        let expected = [
            "Adds bundle p.v2.",
            "Changes channel a, channel b, channel c, channel d, channel e and 2 more.",
        ];
        assert_eq!(details(&target(stale)), expected);
        assert_eq!(
            details(&target(RenderState::UpToDate)),
            Vec::<String>::new()
        );
        assert_eq!(
            details(&target(RenderState::Missing)),
            ["Rendering makes catalogs/v4.20/p."]
        );
    }

    #[test]
    fn bundles_that_are_not_open_are_counted() {
        let lacking = |bundles: &[&str]| {
            details(&target(RenderState::UnknownBundles(names(bundles))))[0].clone()
        };
        assert_eq!(lacking(&["q/p:v1"]), "1 bundle is not open: q/p:v1.");
        assert_eq!(
            lacking(&["q/p:v1", "q/p:v2"]),
            "2 bundles are not open: q/p:v1, q/p:v2."
        );
    }

    #[test]
    fn the_summary_counts_up_to_date_targets() {
        let of = |states: Vec<RenderState>| {
            summary(&RenderTargets {
                targets: states.into_iter().map(target).collect(),
                ..RenderTargets::default()
            })
        };
        assert_eq!(
            of(vec![RenderState::UpToDate, RenderState::UpToDate]),
            "2 catalogs: all up to date."
        );
        assert_eq!(
            of(vec![RenderState::UpToDate, RenderState::Missing]),
            "1 of 2 catalogs up to date."
        );
        assert!(of(Vec::new()).starts_with("No open catalog"));
    }
}
