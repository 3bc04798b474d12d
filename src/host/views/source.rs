//! Shows the lines of a file and searches its text.

use super::problems;
use protocol::diagnostic::Location;
use protocol::request::SourceAt;
use protocol::views::{FoundText, LineEnd, SourceLine, SourceView, TextMatch, TextMatches};
use session::{self, LineEnding, Refused, Session, TextSearch};

/// Maximum number of lines in one answer: more than a screen shows, and enough for a typical file.
const MAX_LINES: u32 = 4_000;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the current lines of a file. A path with a leading `/` is a file outside of any catalog.
pub(crate) fn lines(
    session: &Session,
    root: String,
    file: String,
    at: &SourceAt,
) -> Result<SourceView, Refused> {
    let owner = match path_outside_catalogs(&file) {
        Some(_) => None,
        None => Some(session.root(Some(&root))?),
    };
    let path = owner.map_or_else(
        || file.trim_start_matches('/').to_owned(),
        |owner| owner.full_path(&file),
    );
    let (first, count) = match *at {
        SourceAt::Lines { first, count } => (first, count),
        SourceAt::Around { line, count } => (line.saturating_sub(count / 2).max(1), count),
    };
    let count = count.min(MAX_LINES);
    let mut lines = session.files().lines(&path, first, count)?;
    if lines.first > lines.total {
        // The file has become shorter.
        let first = lines.total.saturating_sub(count / 2).max(1);
        lines = session.files().lines(&path, first, count)?;
    }
    let last = lines.first + lines.lines.len() as u32;
    let mut problems = owner.map_or_else(Vec::new, |owner| {
        problems::marks_of_lines(owner.problems(), &file, lines.first, last.saturating_sub(1))
    });
    let is_rendered = owner.is_some_and(|owner| owner.rendering().is_some() && path == owner.name);
    let mut numbered_lines = lines.lines.iter().zip(lines.first..);
    let locked = match numbered_lines.find(|(line, _)| !line.is_utf8) {
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
            let location = &mut mark.location;
            if location.line == 1 {
                location.column = location.column.saturating_sub(1).max(1);
            }
            if location.end_line == 1 {
                location.end_column = location.end_column.saturating_sub(1).max(1);
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
    search: TextSearch<'_>,
) -> Result<FoundText, Refused> {
    let path = match path_outside_catalogs(file) {
        Some(path) => path.to_owned(),
        None => session.root(Some(root))?.full_path(file),
    };
    let session::FoundText { at, number, count } = session.files().find_text(&path, search)?;
    Ok(FoundText { at, number, count })
}

/// Returns the lines of all files that contain a text; those of the catalog `in_view` come first.
pub(crate) fn search_text(
    session: &Session,
    text: &str,
    in_view: &str,
    limit: usize,
) -> TextMatches {
    let in_view = session.root(Some(in_view)).ok();
    let is_first = |path: &str| in_view.is_some_and(|root| root.contains_file(path));
    let found = session.files().search_text(text, is_first, limit);
    let length = text.chars().count() as u32;
    let lines = found.lines.into_iter().map(|line| {
        let mut roots = in_view.into_iter().chain(session.roots());
        let root = roots.find(|root| root.rendering().is_none() && root.contains_file(&line.path));
        let file = root.map_or_else(
            || format!("/{}", line.path),
            |root| root.relative(&line.path).to_owned(),
        );
        TextMatch {
            root: root.map(|root| root.name.clone()).unwrap_or_default(),
            location: Location {
                file,
                line: line.line,
                column: line.column,
                end_line: line.line,
                end_column: line.column + length,
            },
            text: line.text,
            mark: (line.mark.start as u32, line.mark.end as u32),
            path: line.path,
        }
    });
    TextMatches {
        lines: lines.collect(),
        matches: u32::try_from(found.matches).unwrap_or(u32::MAX),
        files: found.files as u32,
        unreadable_files: found.unreadable_files as u32,
    }
}

/// Returns the session path of a file outside of any catalog, whose path has a leading `/`.
fn path_outside_catalogs(file: &str) -> Option<&str> {
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
