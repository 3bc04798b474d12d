//! Lines of a file.

use super::marks;
use crate::fbc::workspace::{Refused, Workspace};
use crate::protocol::request::SourceAt;
use crate::protocol::views::SourceView;

/// More lines than any screen has are not sent at once.
const MOST_LINES: u32 = 2_000;

/// Lines of a file of a catalog, as it is now.
pub(in crate::worker) fn lines(
    workspace: &Workspace,
    root: String,
    file: String,
    at: &SourceAt,
) -> Result<SourceView, Refused> {
    let SourceAt::Lines { first, count } = *at;
    let of = workspace.root(Some(&root))?;
    let lines = workspace.lines(&of.full_path(&file), first, count.min(MOST_LINES))?;
    let last = lines.first + lines.lines.len() as u32;
    let problems = marks::of_lines(&of.verdict().diagnostics, &file, lines.first, last.saturating_sub(1));
    Ok(SourceView {
        root,
        file,
        first: lines.first,
        lines: lines.lines,
        total_lines: lines.total,
        changed_lines: lines.changed,
        problems,
    })
}
