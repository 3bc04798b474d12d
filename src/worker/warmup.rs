//! Edits that nobody sees. A browser compiles a function of the wasm when it is first called, and optimizes it once it
//! has run often. So a small made-up catalog is edited while the user still looks at theirs, so that their first edits
//! take no longer than later ones.
//!
//! It knows the host and requests as the page sends them, but no browser. [`first_open`] does the same for the first drop.

pub mod first_open;

use super::host::Host;
use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::source::bytes::{ByteSource, ReadError};
use fbc::workspace::NewFile;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::query::{
    Apply, EncodedQuery, Everyone, Inspect, PreviewEdit, Problems, Undo, Unsaved,
};
use protocol::request::{LaneOptions, OpenMode, PackageRequest, PreviewScope, Target};
use protocol::response::OperationRefusal;
use protocol::views::{EntryRef, Origin, UpgradeQuestion};
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

const CHANNELS: usize = 6;
const ENTRIES: usize = 24;
/// After so many rounds nothing gets faster any more.
const ROUNDS: usize = 24;

/// Serves requests of the kind that editing sends, one at a time, each at the cost of an ordinary answer.
pub struct Warmup {
    host: Host,
    left: Box<dyn Iterator<Item = EncodedQuery>>,
}

impl Warmup {
    /// Opens the made-up catalog.
    pub fn new() -> Self {
        let edits = (0..ROUNDS).flat_map(|round| [edits(round), structural(round)]);
        Self {
            host: opened(),
            left: Box::new(edits.flat_map(steps)),
        }
    }
}

impl Default for Warmup {
    fn default() -> Self {
        Self::new()
    }
}

impl Iterator for Warmup {
    type Item = Result<Vec<u8>, OperationRefusal>;

    fn next(&mut self) -> Option<Self::Item> {
        let query = self.left.next()?;
        Some(self.host.serve(&query, Vec::new()))
    }
}

/// The page's requests when a form is filled in, applied and undone.
fn steps(ops: Vec<EditOp>) -> Vec<EncodedQuery> {
    let (root, package) = (String::from(ROOT), String::from(PACKAGE));
    let last = EntryRef {
        channel: channel(0),
        name: bundle(ENTRIES - 1),
    };
    let target = Target::Entry {
        channel: last.channel.clone(),
        name: last.name.clone(),
    };
    let queries = [
        EncodedQuery::new(&PreviewEdit {
            ops: Json(ops.clone()),
            scope: PreviewScope::Own,
            view: None,
        }),
        EncodedQuery::new(&everyone(ops.clone())),
        EncodedQuery::new(&Apply {
            ops: Json(ops),
            title: "An edit".into(),
            view: Some(view(Some(last))),
        }),
        EncodedQuery::new(&Inspect {
            root: root.clone(),
            package: package.clone(),
            target,
        }),
        EncodedQuery::new(&Problems { root: root.clone() }),
        EncodedQuery::new(&Unsaved { root, package }),
        EncodedQuery::new(&everyone(Vec::new())),
        EncodedQuery::new(&Undo {
            view: Some(view(None)),
        }),
    ];
    queries.into_iter().flatten().collect()
}

fn question() -> UpgradeQuestion {
    UpgradeQuestion {
        origin: Origin::Installed(bundle(0)),
        ..UpgradeQuestion::default()
    }
}

/// The package as the page shows it, with this entry selected.
fn view(selected: Option<EntryRef>) -> PackageRequest {
    PackageRequest {
        root: ROOT.into(),
        package: PACKAGE.into(),
        lanes: LaneOptions {
            selected,
            fold: true,
            ..LaneOptions::default()
        },
        question: question(),
        baseline: None,
    }
}

fn everyone(ops: Vec<EditOp>) -> Everyone {
    let (root, package) = (ROOT.into(), PACKAGE.into());
    Everyone {
        view: None,
        root,
        package,
        question: question(),
        ops: Json(ops),
    }
}

const ROOT: &str = "warmup";
const PACKAGE: &str = "yard";

fn channel(index: usize) -> String {
    format!("line-{index}")
}

fn bundle(index: usize) -> String {
    format!("yard.v1.{}.{}", index / 6, index % 6)
}

/// Edits of single edges, other ones each round.
fn edits(round: usize) -> Vec<EditOp> {
    let (package, channel) = (String::from(PACKAGE), channel(round % CHANNELS));
    let (name, last) = (bundle(round % ENTRIES), bundle(ENTRIES - 1));
    let (catalog, before) = (None, bundle(ENTRIES - 3));
    vec![match round % 4 {
        0 | 2 => {
            let skip_range = Some(format!(">=0.{round}.0 <1.{}.0", round % 5));
            EditOp::SetSkipRange {
                catalog,
                package,
                channel,
                name,
                skip_range,
            }
        }
        1 => EditOp::AddSkip {
            catalog,
            package,
            channel,
            name: last,
            skip: vec![name],
            skip_matching: None,
        },
        _ => EditOp::SetReplaces {
            catalog,
            package,
            channel,
            name: last,
            replaces: Some(before),
        },
    }]
}

/// Edits around the edges: default channel, deprecations, channels.
fn structural(round: usize) -> Vec<EditOp> {
    let (catalog, package, channel) = (
        None,
        String::from(PACKAGE),
        channel(1 + round % (CHANNELS - 1)),
    );
    let message = format!("{channel} ends in round {round}.");
    vec![match round % 3 {
        0 => EditOp::SetDefaultChannel {
            catalog,
            package,
            channel,
        },
        1 => EditOp::Deprecate {
            catalog,
            package,
            channel: Some(channel),
            bundle: None,
            message,
        },
        _ => EditOp::RemoveChannel {
            catalog,
            package,
            channel,
        },
    }]
}

fn opened() -> Host {
    let text = catalog();
    let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
    let mut host = Host::new(Rc::new(Memory(vec![text.into_bytes()])));
    let file = NewFile {
        id: host.new_file_id(),
        path: format!("{ROOT}/{PACKAGE}/catalog.yaml"),
        content,
    };
    // A catalog that does not open makes the edits fail: see the tests.
    let _ = host.open(OpenMode::Replace, vec![file]);
    host
}

/// One package with all that is judged often: several channels of the same bundles, skips and ranges, interfaces that are
/// owned and required, a deprecation.
fn catalog() -> String {
    let mut text = format!(
        "schema: olm.package\nname: {PACKAGE}\ndefaultChannel: {}\n",
        channel(0)
    );
    for line in 0..CHANNELS {
        let _ = write!(
            text,
            "---\nschema: olm.channel\npackage: {PACKAGE}\nname: {}\nentries:\n",
            channel(line)
        );
        for entry in 0..ENTRIES {
            let _ = writeln!(text, "- name: {}", bundle(entry));
            if entry > 0 {
                let _ = writeln!(text, "  replaces: {}", bundle(entry - 1));
            }
            if entry > 6 && entry.is_multiple_of(6) {
                let (old, minor) = (entry / 6 - 1, entry / 6);
                let _ = writeln!(
                    text,
                    "  skips:\n  - yard.v0.9.{old}\n  skipRange: '<1.{minor}.0'"
                );
            }
        }
    }
    for entry in 0..ENTRIES {
        let (name, version) = (bundle(entry), format!("1.{}.{}", entry / 6, entry % 6));
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: {PACKAGE}\nname: {name}\nimage: quay.io/yard/yard@sha256:{entry:064x}\n\
             properties:\n- type: olm.package\n  value:\n    packageName: {PACKAGE}\n    version: {version}\n\
             - type: olm.gvk\n  value: {{group: yard.example.com, kind: Track, version: v1}}\n\
             - type: olm.gvk.required\n  value: {{group: yard.example.com, kind: Track, version: v1}}\n\
             relatedImages:\n- name: ''\n  image: quay.io/yard/yard@sha256:{entry:064x}\n"
        );
    }
    let _ = write!(
        text,
        "---\nschema: olm.deprecations\npackage: {PACKAGE}\nentries:\n- reference: {{schema: olm.bundle, name: {}}}\n  \
         message: It is old.\n",
        bundle(0)
    );
    text
}

/// The bytes of the catalog's files, by number.
struct Memory(Vec<Vec<u8>>);

impl ByteSource for Memory {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(file, span): &(FileId, Range<u64>)| {
            let text = self.0.get(file.0 as usize);
            let bytes = text.and_then(|text| text.get(span.start as usize..span.end as usize));
            bytes
                .map(<[u8]>::to_vec)
                .ok_or_else(|| ReadError::Changed { path: ROOT.into() })
        };
        spans.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::diagnostic::Severity;
    use protocol::query::Tag;
    use protocol::response::Applied;
    use protocol::wire;

    #[test]
    fn the_catalog_passes() {
        let mut host = opened();
        let problems = host.answer(Problems { root: ROOT.into() }).expect("open");
        let problems: Vec<_> = problems
            .iter()
            .map(|problem| &problem.0)
            .filter(|p| p.severity == Severity::Error)
            .collect();
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn every_request_is_answered_and_every_edit_goes_through() {
        let mut warmup = Warmup::new();
        let mut kinds = std::collections::BTreeMap::new();
        while let Some(query) = warmup.left.next() {
            let answer = warmup.host.serve(&query, Vec::new()).expect("an answer");
            let kind = match query.tag {
                Tag::PreviewEdit => "previewed",
                Tag::Apply | Tag::Undo => {
                    let applied: Applied = wire::decode(&answer).expect("the answer of an edit");
                    assert!(applied.view.is_some());
                    "applied"
                }
                Tag::Everyone => "everyone",
                _ => "looked",
            };
            *kinds.entry(kind).or_insert(0) += 1;
        }
        let edits = 2 * ROUNDS;
        let wanted = [
            ("applied", 2 * edits),
            ("everyone", 2 * edits),
            ("looked", 3 * edits),
            ("previewed", edits),
        ];
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), wanted);
    }
}
