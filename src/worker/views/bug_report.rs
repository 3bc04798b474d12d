//! A report to send to the developers when an edited text does not read back as intended, which is a bug of ours: the
//! request, and the text that it was applied to. The page only offers it for copying.

use fbc::edit::patch::RefusalKind;
use fbc::workspace::{Refused, Workspace};
use protocol::diagnostic::Location;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;

/// Limit of the report's text.
const MOST_LINES: u32 = 2_000;

/// Why operations were refused, with a report if it is a bug of ours.
pub(crate) fn refusal_with_report(
    workspace: &Workspace,
    ops: &[EditOp],
    refused: Refused,
) -> OperationRefusal {
    let is_ours = refused.kind == Some(RefusalKind::Mismatch);
    let convertible = if refused.convertible {
        template(workspace, ops)
    } else {
        String::new()
    };
    let refusal = OperationRefusal::from(refused);
    let report = if is_ours {
        report(workspace, ops, &refusal)
    } else {
        String::new()
    };
    OperationRefusal {
        report,
        convertible,
        ..refusal
    }
}

/// The template that operations concern, directly or through its rendered form.
fn template(workspace: &Workspace, ops: &[EditOp]) -> String {
    let root = ops.first().and_then(|op| workspace.root(op.catalog()).ok());
    root.map(|root| {
        root.rendering()
            .map_or(&root.name, |of| &of.template)
            .clone()
    })
    .unwrap_or_default()
}

fn report(workspace: &Workspace, ops: &[EditOp], refusal: &OperationRefusal) -> String {
    let mut lines = vec![
        format!(
            "Switchyard {}: an edit was not applied",
            env!("CARGO_PKG_VERSION")
        ),
        format!("{}: {}", refusal.reason, refusal.help),
    ];
    lines.extend(
        ops.iter()
            .filter_map(|op| Some(format!("operation: {}", serde_json::to_string(op).ok()?))),
    );
    if let Some(at) = &refusal.location {
        lines.push(format!("at {}:{}:{}", at.file, at.line, at.column));
        lines.extend(blob(workspace, at).unwrap_or_default());
    }
    lines.join("\n") + "\n"
}

/// The lines of the blob at a place. Places are relative to a catalog.
fn blob(workspace: &Workspace, at: &Location) -> Option<Vec<String>> {
    let is_it = |path: &&str| {
        path.strip_suffix(&*at.file)
            .is_some_and(|above| above.is_empty() || above.ends_with('/'))
    };
    let path = workspace.files().paths().find(is_it)?;
    let (first, last) = workspace.files().blob_lines(path, at.line).ok()??;
    let count = (last.saturating_sub(first) + 1).min(MOST_LINES);
    let lines = workspace.files().lines(path, first, count).ok()?.lines;
    Some(
        lines
            .into_iter()
            .map(|line| format!("| {}", line.text))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fbc::workspace::open_one;
    use test_support::MemorySource;

    const TEXT: &str = "schema: olm.package\nname: p\n---\nschema: olm.channel\nname: c\npackage: p\nentries: []\n";

    #[test]
    fn a_fault_of_ours_is_reported_with_what_was_asked_and_of_what() {
        let (files, source) = MemorySource::with_files([("p/catalog.yaml", TEXT)]);
        let workspace = open_one("root", files, source);
        let op = EditOp::SetDefaultChannel {
            catalog: None,
            package: "p".into(),
            channel: "c".into(),
        };
        let at = Location {
            file: "p/catalog.yaml".into(),
            line: 5,
            column: 7,
            ..Location::default()
        };
        let refused = |kind| Refused {
            kind,
            ..Refused::new("no match")
                .help("nothing was changed")
                .at(at.clone())
        };
        let ops = [op];
        assert_eq!(
            refusal_with_report(&workspace, &ops, refused(Some(RefusalKind::Alias))).report,
            ""
        );
        let report =
            refusal_with_report(&workspace, &ops, refused(Some(RefusalKind::Mismatch))).report;
        let told = [
            "no match: nothing was changed",
            "operation: {\"op\":\"set-default-channel\"",
            "at p/catalog.yaml:5:7",
            "| schema: olm.channel\n| name: c\n| package: p\n| entries: []\n",
        ];
        for part in told {
            assert!(report.contains(part), "{part}: {report}");
        }
        assert!(!report.contains("olm.package"), "{report}");
    }
}
