//! Shows the lines of a file and searches its text.

use super::{problems, template};
use catalog::model::{Blob, Body};
use protocol::diagnostic::Location;
use protocol::request::{SourceAt, Target};
use protocol::views::{
    FoundText, LineMark, LineSubject, SourceLine, SourceView, TextMatch, TextMatches, TextRange,
};
use session::{FileLine, FileLines, Refused, Root, Session, TextSearch};

/// Maximum number of lines in one answer: more than a screen shows, and enough for a typical file.
const MAX_LINES: u32 = 4_000;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the current lines of a file. A path with a leading `/` is a file outside of any catalog.
pub(crate) fn lines(
    session: &Session,
    root: String,
    file: String,
    at: &SourceAt,
    place: u32,
) -> Result<SourceView, Refused> {
    let (owner, path) = resolve_file(session, &root, &file)?;
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
    let locked = lock_reason(&lines, is_rendered);
    let mut source_lines: Vec<SourceLine> = lines.lines.into_iter().map(source_line).collect();
    let has_mark = lines.first == 1 && strip_byte_order_mark(&mut source_lines, &mut problems);
    let subject = owner.and_then(|owner| subject_of_line(session, owner, &file, place));
    Ok(SourceView {
        root,
        file,
        first: lines.first,
        lines: source_lines,
        total_lines: lines.total,
        breaks: lines.breaks,
        has_mark,
        locked,
        changed_lines: lines.changed,
        problems,
        subject,
        revision: session.revision(),
    })
}

/// Returns the catalog of a file and the file's path in the session. A leading `/` means a file
/// outside of any catalog.
fn resolve_file<'s>(
    session: &'s Session,
    root: &str,
    file: &str,
) -> Result<(Option<&'s Root>, String), Refused> {
    if let Some(path) = file.strip_prefix('/') {
        return Ok((None, path.to_owned()));
    }
    let root = session.root(Some(root))?;
    Ok((Some(root), root.full_path(file)))
}

/// Returns what a line (from 1) of a catalog's file belongs to; `None` if the file has no package, or
/// several and the line names none or several. A line between two blobs belongs to the first.
fn subject_of_line(session: &Session, root: &Root, file: &str, line: u32) -> Option<LineSubject> {
    let blobs = &root.catalog().file_at(file)?.index()?.blobs;
    let line = line.saturating_sub(1);
    let start = blobs.partition_point(|blob| blob.line < line);
    let end = blobs.partition_point(|blob| blob.line <= line);
    // As in minified JSON.
    let has_several = end - start > 1;
    // The items of a template share its place.
    let blob = blobs
        .get(end.saturating_sub(1))
        .filter(|_| !has_several && !root.is_template());
    let candidates = if has_several {
        &blobs[start..end]
    } else {
        &blobs[..]
    };
    let package_of = |blob: &Blob| blob.body.package().filter(|name| !name.is_empty()).cloned();
    let package = blob.and_then(package_of).or_else(|| {
        let mut packages = candidates.iter().filter_map(package_of);
        let first = packages.next()?;
        packages.all(|other| other == first).then_some(first)
    })?;
    Some(LineSubject {
        target: blob.map_or(Target::Package, |blob| {
            target_of_line(&blob.body, line.saturating_sub(blob.line))
        }),
        rendered_from: template::rendered_from(session, &root.name, &package),
        package: package.to_string(),
    })
}

/// Returns the item that a line (from 0) of a blob belongs to.
fn target_of_line(body: &Body, line: u32) -> Target {
    match body {
        Body::Channel(blob) => {
            let channel = blob.name.value.to_string();
            let mut entries = blob.entries.iter().rev();
            let entry = entries.find(|entry| entry.place.line <= line);
            match entry.filter(|entry| line <= entry.place.end_line) {
                Some(entry) => Target::Entry {
                    channel,
                    name: entry.name.value.to_string(),
                },
                None => Target::Channel { channel },
            }
        }
        Body::Bundle(blob) => Target::Bundle {
            name: blob.name.value.to_string(),
        },
        _ => Target::Package,
    }
}

/// Returns why the text cannot be edited; "" if it can.
fn lock_reason(lines: &FileLines, is_rendered: bool) -> String {
    let mut numbered_lines = lines.lines.iter().zip(lines.first..);
    match numbered_lines.find(|(line, _)| !line.is_utf8) {
        Some((_, number)) => format!(
            "Line {number} contains bytes that are not UTF-8, so it can only be viewed here."
        ),
        None if is_rendered => "This text is rendered: edit the template instead.".to_owned(),
        None => String::new(),
    }
}

/// Removes the byte order mark of a file's first line, which columns count as a character. Returns
/// whether there was one.
fn strip_byte_order_mark(lines: &mut [SourceLine], problems: &mut [LineMark]) -> bool {
    let Some(line) = lines
        .first_mut()
        .filter(|line| line.text.starts_with(BYTE_ORDER_MARK))
    else {
        return false;
    };
    line.text.remove(0);
    for mark in problems {
        let location = &mut mark.location;
        if location.line == 1 {
            location.column = location.column.saturating_sub(1).max(1);
        }
        if location.end_line == 1 {
            location.end_column = location.end_column.saturating_sub(1).max(1);
        }
    }
    true
}

pub(crate) fn find(
    session: &Session,
    root: &str,
    file: &str,
    search: TextSearch<'_>,
) -> Result<FoundText, Refused> {
    let (_, path) = resolve_file(session, root, file)?;
    session.files().find_text(&path, search)
}

/// Returns the lines of all files that contain a text, then those with all of its words; of each,
/// those of the catalog `in_view` come first.
pub(crate) fn search_text(
    session: &Session,
    text: &str,
    in_view: &str,
    limit: usize,
) -> TextMatches {
    let in_view = session.root(Some(in_view)).ok();
    let is_first = |path: &str| in_view.is_some_and(|root| root.contains_file(path));
    let found = session.files().search_text(text, is_first, limit);
    let lines = found.lines.into_iter().map(|line| {
        let mut roots = in_view.into_iter().chain(session.roots());
        let root = roots.find(|root| root.rendering().is_none() && root.contains_file(&line.path));
        let file = root.map_or_else(
            || format!("/{}", line.path),
            |root| root.relative(&line.path).to_owned(),
        );
        TextMatch {
            subject: root.and_then(|root| subject_of_line(session, root, &file, line.line)),
            root: root.map(|root| root.name.clone()).unwrap_or_default(),
            location: Location {
                file,
                line: line.line,
                column: line.column,
                end_line: line.line,
                end_column: line.end_column,
            },
            text: line.text,
            mark: TextRange {
                start: line.mark.start as u32,
                end: line.mark.end as u32,
            },
            path: line.path,
        }
    });
    TextMatches {
        lines: lines.collect(),
        matches: found.matches as u32,
        files: found.files as u32,
        unreadable_files: found.unreadable_files as u32,
    }
}

fn source_line(line: FileLine) -> SourceLine {
    SourceLine {
        text: line.text,
        end: line.ending,
        hidden: line.hidden,
    }
}
