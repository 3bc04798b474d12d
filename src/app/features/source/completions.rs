//! Converts lines from the worker for the editor.
//!
//! Completions in `ci.yaml` and `release-config.yaml`: names of templates, channels, entries and
//! catalogs.

use crate::widgets::editor::marks::{Mark, Tone};
use crate::widgets::editor::text::{End, Lines, TextLine};
use crate::widgets::editor::{Piece, Suggestion};
use crate::words;
use completion::cursor_context::{CursorContext, CursorPart};
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::repository::OperatorView;
use protocol::views::{LineEnd, LineMark, SourceLine, SourceView};

/// Maximum number of characters in one text control.
const MOST: usize = 400_000;

/// The part of a view that the editor shows; with very much text only the surroundings of `line`.
pub fn piece(view: &SourceView, line: u32) -> Piece {
    let mut lines = lines(view);
    let sizes: Vec<usize> = lines.lines.iter().map(|line| line.text.len() + 1).collect();
    let (from, to) = around(&sizes, line.saturating_sub(view.first) as usize, MOST);
    if to - from < sizes.len() {
        lines = lines.part(view.first + from as u32, view.first + to as u32 - 1);
    }
    Piece {
        text_id: format!("{}\n{}", view.root, view.file),
        lines,
        total: view.total_lines,
        marks: marks(&view.problems),
        changed: view.changed_lines.clone(),
        breaks: end(view.breaks),
        locked: view.locked.clone(),
    }
}

pub fn lines(view: &SourceView) -> Lines {
    Lines {
        first: view.first,
        lines: view.lines.iter().map(line).collect(),
        has_mark: view.has_mark,
    }
}

pub fn marks(problems: &[LineMark]) -> Vec<Mark> {
    let mark = |problem: &LineMark| Mark {
        tone: tone(problem.severity),
        message: problem.message.replace('`', ""),
        line: problem.location.line,
        column: problem.location.column,
        end_line: problem.location.end_line,
        end_column: problem.location.end_column,
    };
    problems.iter().map(mark).collect()
}

/// `2 errors · 1 warning` of a file; "" if there are none.
pub fn summary(problems: &[Diagnostic], file: &str) -> String {
    let number = |severity: Severity| {
        problems
            .iter()
            .filter(|problem| problem.location.file == file && problem.severity == severity)
            .count() as u32
    };
    let counts = [
        (number(Severity::Error), "error"),
        (number(Severity::Warning), "warning"),
        (number(Severity::Info), "note"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, one)| words::count(*count, one))
        .collect();
    parts.join(" · ")
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Info => Tone::Note,
    }
}

fn line(line: &SourceLine) -> TextLine {
    let rest = if line.hidden > 0 {
        format!(" … {} more, not shown", words::bytes(line.hidden))
    } else {
        String::new()
    };
    TextLine {
        text: line.text.clone(),
        end: end(line.end),
        rest,
    }
}

fn end(end: LineEnd) -> End {
    match end {
        LineEnd::None => End::None,
        LineEnd::Lf => End::Lf,
        LineEnd::CrLf => End::CrLf,
    }
}

/// The largest neighbourhood of `at` with at most `most` characters, as balanced as possible.
fn around(sizes: &[usize], at: usize, most: usize) -> (usize, usize) {
    if sizes.iter().sum::<usize>() <= most {
        return (0, sizes.len());
    }
    let at = at.min(sizes.len().saturating_sub(1));
    let (mut from, mut to) = (at, at + 1);
    let mut left = most.saturating_sub(sizes.get(at).copied().unwrap_or_default());
    loop {
        let before = from
            .checked_sub(1)
            .and_then(|at| sizes.get(at))
            .filter(|size| **size <= left);
        if let Some(size) = before {
            (from, left) = (from - 1, left - size);
        }
        let behind = sizes.get(to).filter(|size| **size <= left);
        if let Some(size) = behind {
            (to, left) = (to + 1, left - size);
        }
        if before.is_none() && behind.is_none() {
            return (from, to);
        }
    }
}

const TYPES: [&str; 2] = ["olm.template.basic", "olm.semver"];
const STRATEGIES: [&str; 3] = ["always", "review-needed", "never"];

/// Whether a file is one of these.
pub fn is_configuration(file: &str) -> bool {
    matches!(
        file.rsplit('/').next(),
        Some("ci.yaml" | "release-config.yaml")
    )
}

/// Suggestions at a position of such a file of an operator, in a repository with these catalogs.
pub fn suggestions(
    spot: &CursorContext,
    view: &OperatorView,
    catalogs: &[String],
) -> Vec<Suggestion> {
    let choice = |name: &str, detail: &str| Suggestion {
        label: name.to_owned(),
        insert: name.to_owned(),
        detail: detail.to_owned(),
    };
    let own = view.templates.iter().filter(|template| {
        let template_name = spot
            .around
            .iter()
            .flatten()
            .find(|(key, _)| key == "template_name");
        template_name.is_none_or(|(_, name)| *name == template.name)
    });
    let names = |names: Vec<&String>, detail: &str| {
        let mut found: Vec<Suggestion> = Vec::new();
        for name in names {
            if found.iter().all(|known| known.label != *name) {
                found.push(choice(name, detail));
            }
        }
        found
    };
    let list = spot
        .path
        .rsplit('.')
        .find(|key| *key != "[]")
        .unwrap_or_default();
    match &spot.part {
        CursorPart::Value(key) if key == "template_name" => view
            .templates
            .iter()
            .map(|template| choice(&template.name, &template.kind))
            .collect(),
        CursorPart::Value(key) if key == "type" => {
            TYPES.iter().map(|kind| choice(kind, "")).collect()
        }
        CursorPart::Value(key) if key == "version_promotion_strategy" => STRATEGIES
            .iter()
            .map(|strategy| choice(strategy, ""))
            .collect(),
        CursorPart::Value(key) if key == "replaces" => names(
            own.flat_map(|template| &template.entries).collect(),
            "entry",
        ),
        CursorPart::Value(key) if key == "defaultChannel" => names(
            own.flat_map(|template| &template.channels).collect(),
            "channel",
        ),
        CursorPart::Item if list == "channels" => names(
            own.flat_map(|template| &template.channels).collect(),
            "channel",
        ),
        CursorPart::Item if list == "skips" => names(
            own.flat_map(|template| &template.entries).collect(),
            "entry",
        ),
        CursorPart::Item if list == "catalog_names" => names(catalogs.iter().collect(), "catalog"),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use completion::cursor_context::at;
    use protocol::diagnostic::Location;
    use protocol::repository::OperatorTemplate;
    #[test]
    fn very_much_text_is_cut_around_the_line() {
        assert_eq!(around(&[1, 1, 1], 1, 9), (0, 3));
        assert_eq!(around(&[5, 5, 5, 5, 5], 2, 15), (1, 4));
        assert_eq!(around(&[5, 5, 5, 5, 5], 0, 11), (0, 2));
        assert_eq!(
            around(&[5, 50, 5], 1, 10),
            (1, 2),
            "the line itself is always there"
        );
        assert_eq!(around(&[], 3, 10), (0, 0));
    }

    #[test]
    fn a_view_becomes_a_piece() {
        let view = SourceView {
            root: "c".into(),
            file: "f".into(),
            first: 7,
            lines: vec![SourceLine {
                text: "a".into(),
                end: LineEnd::CrLf,
                hidden: 2_000,
            }],
            total_lines: 9,
            breaks: LineEnd::CrLf,
            problems: vec![LineMark {
                severity: Severity::Warning,
                rule: "r".into(),
                message: "`a` is wrong".into(),
                location: Location {
                    line: 7,
                    end_line: 7,
                    column: 1,
                    end_column: 2,
                    ..Location::default()
                },
            }],
            ..SourceView::default()
        };
        let piece = piece(&view, 7);
        assert_eq!(
            (piece.total, piece.breaks, piece.lines.value().as_str()),
            (9, End::CrLf, "a … 2 kB more, not shown")
        );
        assert_eq!(
            (piece.marks[0].tone, piece.marks[0].message.as_str()),
            (Tone::Warning, "a is wrong")
        );
    }

    fn labels(text: &str) -> Vec<String> {
        let template = |name: &str, channels: &[&str]| OperatorTemplate {
            name: name.to_owned(),
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            entries: vec!["o.v1".to_owned()],
            ..OperatorTemplate::default()
        };
        let view = OperatorView {
            templates: vec![
                template("basic.yaml", &["stable"]),
                template("old.yaml", &["alpha"]),
            ],
            ..OperatorView::default()
        };
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let column = lines.last().map_or(0, |line| line.chars().count() as u32) + 1;
        let spot = at(&lines, &[], column);
        suggestions(&spot, &view, &["v4.18".to_owned()])
            .into_iter()
            .map(|found| found.label)
            .collect()
    }

    #[test]
    fn names_of_the_repository_are_offered() {
        let head = "catalog_templates:\n  - template_name: ";
        assert_eq!(labels(head), ["basic.yaml", "old.yaml"]);
        assert_eq!(labels(&format!("{head}old.yaml\n    replaces: ")), ["o.v1"]);
        assert_eq!(
            labels("fbc:\n  catalog_mapping:\n    - catalog_names:\n        - "),
            ["v4.18"]
        );
        assert_eq!(labels("fbc:\n  version_promotion_strategy: "), STRATEGIES);
        assert!(is_configuration("/r/operators/o/ci.yaml") && !is_configuration("catalog.yaml"));
    }
}
