//! Names for the omnibox, in words.

use fbc::search::{self, Index, Kind};
use fbc::workspace::Workspace;
use protocol::ResponseBody;
use protocol::views::Hit;

/// What was found in a workspace that the index has followed, the best first.
pub(crate) fn find(index: &Index, workspace: &Workspace, text: &str, limit: usize) -> ResponseBody {
    let answer = index.find(workspace, text, limit);
    let hits = answer.hits.into_iter().map(|found| hit(workspace, found)).collect();
    ResponseBody::Found { hits, total: u32::try_from(answer.total).unwrap_or(u32::MAX) }
}

fn hit(workspace: &Workspace, found: search::Hit) -> Hit {
    let detail = whereabouts(workspace, &found);
    Hit {
        kind: word(found.kind).to_owned(),
        detail,
        marks: found.marks.into_iter().map(|mark| (mark.start as u32, mark.end as u32)).collect(),
        label: found.text,
        root: found.root,
        package: found.package,
        channel: found.channel,
        bundle: found.bundle,
        problem: found.problem.and_then(|at| u32::try_from(at).ok()),
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Package => "package",
        Kind::Channel => "channel",
        Kind::Bundle => "bundle",
        Kind::Entry => "entry without bundle",
        Kind::Version => "version",
        Kind::DisplayName => "display name",
        Kind::ProvidedApi => "provided API",
        Kind::RequiredApi => "required API",
        Kind::PropertyType => "property type",
        Kind::Image => "image",
        Kind::Problem => "problem",
    }
}

/// The bundle or package that a name belongs to, and the catalog where there are several.
fn whereabouts(workspace: &Workspace, found: &search::Hit) -> String {
    let of = match found.kind {
        Kind::Package => "",
        Kind::Version | Kind::Image | Kind::DisplayName => &found.bundle,
        Kind::ProvidedApi | Kind::RequiredApi | Kind::PropertyType => &found.bundle,
        Kind::Channel | Kind::Bundle | Kind::Entry | Kind::Problem => &found.package,
    };
    let root = workspace.root(Some(&found.root)).ok().filter(|_| workspace.roots().len() > 1);
    match (of, root.map(|root| root.label())) {
        (of, None) => of.to_owned(),
        ("", Some(root)) => root.to_owned(),
        (of, Some(root)) => format!("{of} in {root}"),
    }
}
