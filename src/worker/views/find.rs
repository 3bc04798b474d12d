//! Search results of the omnibox, with their wording.

use fbc::search::{self, HitKind, Index};
use fbc::workspace::Workspace;
use protocol::response::Found;
use protocol::views::Hit;

/// The best hits, best first. `index` must be up to date with the workspace.
pub(crate) fn find(index: &Index, workspace: &Workspace, text: &str, limit: usize) -> Found {
    let answer = index.find(workspace, text, limit);
    let hits = answer
        .hits
        .into_iter()
        .map(|found| hit(workspace, found))
        .collect();
    Found {
        hits,
        total: u32::try_from(answer.total).unwrap_or(u32::MAX),
    }
}

fn hit(workspace: &Workspace, found: search::Hit) -> Hit {
    let detail = whereabouts(workspace, &found);
    Hit {
        kind: word(found.kind).to_owned(),
        detail,
        marks: found
            .marks
            .into_iter()
            .map(|mark| (mark.start as u32, mark.end as u32))
            .collect(),
        label: found.text,
        root: found.root,
        package: found.package,
        channel: found.channel,
        bundle: found.bundle,
        problem: found.problem.and_then(|at| u32::try_from(at).ok()),
    }
}

fn word(kind: HitKind) -> &'static str {
    match kind {
        HitKind::Package => "package",
        HitKind::Channel => "channel",
        HitKind::Bundle => "bundle",
        HitKind::Entry => "entry without bundle",
        HitKind::Version => "version",
        HitKind::DisplayName => "display name",
        HitKind::ProvidedApi => "provided API",
        HitKind::RequiredApi => "required API",
        HitKind::PropertyType => "property type",
        HitKind::Image => "image",
        HitKind::Problem => "problem",
    }
}

/// The bundle or package that a name belongs to, and its catalog if there are several.
fn whereabouts(workspace: &Workspace, found: &search::Hit) -> String {
    let of = match found.kind {
        HitKind::Package => "",
        HitKind::Version | HitKind::Image | HitKind::DisplayName => &found.bundle,
        HitKind::ProvidedApi | HitKind::RequiredApi | HitKind::PropertyType => &found.bundle,
        HitKind::Channel | HitKind::Bundle | HitKind::Entry | HitKind::Problem => &found.package,
    };
    let root = workspace
        .root(Some(&found.root))
        .ok()
        .filter(|_| workspace.roots().len() > 1);
    match (of, root.map(|root| root.label())) {
        (of, None) => of.to_owned(),
        ("", Some(root)) => root.to_owned(),
        (of, Some(root)) => format!("{of} in {root}"),
    }
}
