//! Shows the lines of a file and searches its text.

use super::problems;
use protocol::request::SourceAt;
use protocol::views::{FoundText, LineEnd, SourceLine, SourceView};
use session::{self, LineEnding, Refused, Session, TextSearch};

/// Maximum number of lines in one answer: more than a screen shows, and enough for a typical file.
const MOST_LINES: u32 = 4_000;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the current lines of a file. A path with a leading `/` is a file outside of any catalog.
pub(crate) fn lines(
    session: &Session,
    root: String,
    file: String,
    at: &SourceAt,
) -> Result<SourceView, Refused> {
    let root_of_file = match above_all(&file) {
        Some(_) => None,
        None => Some(session.root(Some(&root))?),
    };
    let path = root_of_file.map_or_else(
        || file.trim_start_matches('/').to_owned(),
        |root_of_file| root_of_file.full_path(&file),
    );
    let (first, count) = match *at {
        SourceAt::Lines { first, count } => (first, count),
        SourceAt::Around { line, count } => (line.saturating_sub(count / 2).max(1), count),
    };
    let lines = session.files().lines(&path, first, count.min(MOST_LINES))?;
    let last = lines.first + lines.lines.len() as u32;
    let mut problems = root_of_file.map_or_else(Vec::new, |root_of_file| {
        problems::marks_of_lines(
            root_of_file.problems(),
            &file,
            lines.first,
            last.saturating_sub(1),
        )
    });
    let is_rendered = root_of_file.is_some_and(|root_of_file| {
        root_of_file.rendering().is_some() && path == root_of_file.name
    });
    let locked = match lines
        .lines
        .iter()
        .zip(lines.first..)
        .find(|(line, _)| !line.is_utf8)
    {
        Some((_, number)) => format!(
            "Line {number} contains bytes that are not UTF-8, so it can only be viewed here."
        ),
        None if is_rendered => "This text is rendered: edit the template instead.".to_owned(),
        None => String::new(),
    };
    let mut source_lines: Vec<SourceLine> = lines.lines.into_iter().map(source_line).collect();
    let has_mark = lines.first == 1
        && source_lines
            .first()
            .is_some_and(|line| line.text.starts_with(BYTE_ORDER_MARK));
    if has_mark {
        if let Some(line) = source_lines.first_mut() {
            line.text.remove(0);
        }
        // Columns count the byte order mark as a character.
        for mark in &mut problems {
            let place = &mut mark.location;
            if place.line == 1 {
                place.column = place.column.saturating_sub(1).max(1);
            }
            if place.end_line == 1 {
                place.end_column = place.end_column.saturating_sub(1).max(1);
            }
        }
    }
    Ok(SourceView {
        root,
        file,
        first: lines.first,
        lines: source_lines,
        total_lines: lines.total,
        breaks: line_end(lines.breaks),
        has_mark,
        locked,
        changed_lines: lines.changed,
        problems,
        revision: session.revision(),
    })
}

/// Finds the next match of a text in a file.
pub(crate) fn find(
    session: &Session,
    root: &str,
    file: &str,
    wanted: TextSearch<'_>,
) -> Result<FoundText, Refused> {
    let path = match above_all(file) {
        Some(path) => path.to_owned(),
        None => session.root(Some(root))?.full_path(file),
    };
    let session::FoundText { at, number, count } = session.files().find_text(&path, wanted)?;
    Ok(FoundText { at, number, count })
}

/// Returns the session path of a file outside of any catalog, whose path has a leading `/`.
fn above_all(file: &str) -> Option<&str> {
    file.strip_prefix('/')
}

fn source_line(line: session::FileLine) -> SourceLine {
    SourceLine {
        text: line.text,
        end: line_end(line.ending),
        hidden: line.hidden,
    }
}

fn line_end(ending: LineEnding) -> LineEnd {
    match ending {
        LineEnding::None => LineEnd::None,
        LineEnding::Lf => LineEnd::Lf,
        LineEnding::CrLf => LineEnd::CrLf,
    }
}
