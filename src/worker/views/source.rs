//! Lines of a file.

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
    let path = workspace.root(Some(&root))?.full_path(&file);
    let lines = workspace.lines(&path, first, count.min(MOST_LINES))?;
    Ok(SourceView {
        root,
        file,
        first: lines.first,
        lines: lines.lines,
        total_lines: lines.total,
        changed_lines: lines.changed,
    })
}
