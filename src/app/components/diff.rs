//! The diff of one file as accessible text.

use super::templates::changed_note;
use crate::widgets::short_text::breakable;
use leptos::prelude::*;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::views::{DiffHunk, DiffLine, FileDiff, LineKind};
use std::ops::Range;

/// Maximum number of lines drawn; the patch contains all lines.
const MAX_LINES: usize = 600;
/// Minimum width of a line number, in digits.
const MIN_DIGITS: usize = 3;

/// A change that can be reverted.
#[derive(Debug, Clone, PartialEq)]
pub struct Revert {
    /// The title of the history step.
    pub title: String,
    pub op: EditOp,
}

/// Renders the diffs of several files.
pub fn render_diffs(files: Vec<FileDiff>) -> Vec<AnyView> {
    let views = files.into_iter().map(|file| view! { <Diff file/> });
    views.map(IntoAny::into_any).collect()
}

/// The diff of a file. `actions` are placed at the right of its heading. With `on_revert`, each
/// revertible change has a button.
#[component]
pub fn Diff(
    file: FileDiff,
    #[prop(optional)] actions: Option<AnyView>,
    #[prop(optional, into)] on_revert: Option<Callback<Revert>>,
) -> impl IntoView {
    let FileDiff {
        path,
        created,
        added,
        removed,
        hunks,
        rendered_from,
        is_rendered,
        ..
    } = file;
    let total: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let last_number = hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.old.max(line.new))
        .max()
        .unwrap_or(0);
    let digits = last_number.to_string().len().max(MIN_DIGITS);
    let hunks = truncate_hunks(hunks);
    view! {
        <div class="diff">
            <div class="diff-head">
                <span class="diff-path">{breakable(&path)}{created.then_some(" (new file)")}</span>
                <span class="diff-count">
                    <span data-kind="added">{format!("+{added}")}<span class="visually-hidden">" lines added"</span></span>
                    <span data-kind="removed">{format!("−{removed}")}<span class="visually-hidden">" lines removed"</span></span>
                </span>
                {actions}
            </div>
            {changed_note(&rendered_from)}
            {is_rendered.then(|| view! { <p class="rendered-line">"What the template renders to; it is not saved."</p> })}
            <div class="diff-scroll" tabindex="0" role="region" aria-label=format!("Changes of {path}")>
                <div class="diff-lines" data-whole style=("--digits", digits.to_string())>
                    {hunks
                        .into_iter()
                        .map(|hunk| {
                            view! {
                                <div class="diff-hunk">
                                    <span>{hunk.header.clone()}</span>
                                    {on_revert.and_then(|on_revert| revert_button(&path, &hunk, on_revert))}
                                </div>
                                {mark_lines(hunk.lines).into_iter().map(render_line).collect_view()}
                            }
                        })
                        .collect_view()}
                </div>
            </div>
            {(total > MAX_LINES)
                .then(|| view! { <p class="diff-hunk">{format!("{} more lines are in the patch", total - MAX_LINES)}</p> })}
        </div>
    }
    .into_any()
}

/// Keeps the first [`MAX_LINES`] lines of all hunks.
fn truncate_hunks(hunks: Vec<DiffHunk>) -> Vec<DiffHunk> {
    let mut remaining = MAX_LINES;
    hunks
        .into_iter()
        .map_while(|mut hunk| {
            if remaining == 0 {
                return None;
            }
            hunk.lines.truncate(remaining);
            remaining -= hunk.lines.len();
            Some(hunk)
        })
        .collect()
}

fn revert_button(path: &str, hunk: &DiffHunk, on_revert: Callback<Revert>) -> Option<AnyView> {
    let Json(op) = hunk.revert.clone()?;
    let line = first_line(hunk);
    let name = format!("Revert this change: {path}, line {line}");
    let title = format!("Revert the change to {path}, line {line}");
    let button = view! {
        <button
            type="button"
            class="button"
            aria-label=name
            on:click=move |_| on_revert.run(Revert { title: title.clone(), op: op.clone() })
        >
            "Revert this change"
        </button>
    };
    Some(button.into_any())
}

/// Returns the number of the first changed line: the new number, or the old one if the line was
/// removed.
fn first_line(hunk: &DiffHunk) -> u32 {
    let changed = hunk
        .lines
        .iter()
        .find(|line| line.kind != LineKind::Context);
    changed.map_or(0, |line| if line.new > 0 { line.new } else { line.old })
}

/// A line with the byte range of its changed part, at character boundaries; empty if the whole line
/// changed.
type MarkedLine = (DiffLine, Range<usize>);

/// Marks the differences between removed lines and the added lines that replace them, if there are
/// equally many.
fn mark_lines(lines: Vec<DiffLine>) -> Vec<MarkedLine> {
    let mut marked: Vec<MarkedLine> = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|a, b| (a.kind == LineKind::Context) == (b.kind == LineKind::Context))
    {
        let removed = run
            .iter()
            .take_while(|line| line.kind == LineKind::Removed)
            .count();
        let (before, after) = run.split_at(removed);
        let marks = if before.len() == after.len() {
            let (old, new): (Vec<_>, Vec<_>) = before
                .iter()
                .zip(after)
                .map(|(old, new)| find_difference(&old.text, &new.text))
                .unzip();
            [old, new].concat()
        } else {
            vec![0..0; run.len()]
        };
        marked.extend(run.iter().cloned().zip(marks));
    }
    marked
}

/// Returns the differing parts of two lines, at word boundaries; both are empty if the lines have
/// nothing else in common.
fn find_difference(before: &str, after: &str) -> (Range<usize>, Range<usize>) {
    let is_word = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let mut start: usize = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    // Extend the mark to whole words.
    start -= before[..start]
        .chars()
        .rev()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum::<usize>();
    let (before_tail, after_tail) = (&before[start..], &after[start..]);
    let mut end: usize = before_tail
        .chars()
        .rev()
        .zip(after_tail.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let common_end = &before_tail[before_tail.len() - end..];
    end -= common_end
        .chars()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum::<usize>();
    if before[..start].trim().is_empty() && end == 0 {
        return (0..0, 0..0);
    }
    (start..before.len() - end, start..after.len() - end)
}

fn render_line((line, mark): MarkedLine) -> impl IntoView {
    let (kind, sign, spoken_mark) = match line.kind {
        LineKind::Context => ("context", " ", ""),
        LineKind::Added => ("added", "+", "added: "),
        LineKind::Removed => ("removed", "−", "removed: "),
    };
    let number = |number: u32| {
        if number == 0 {
            String::new()
        } else {
            number.to_string()
        }
    };
    let parts = line
        .text
        .get(..mark.start)
        .zip(line.text.get(mark.clone()))
        .zip(line.text.get(mark.end..));
    let text = match parts {
        Some(((before, part), after)) if !part.is_empty() => {
            let (before, part, after) = (before.to_owned(), part.to_owned(), after.to_owned());
            view! { {before}<span class="diff-part">{part}</span>{after} }.into_any()
        }
        _ => line.text.into_any(),
    };
    view! {
        <div class="diff-line" data-kind=kind>
            <span class="diff-number" aria-hidden="true">{number(line.old)}</span>
            <span class="diff-number" aria-hidden="true">{number(line.new)}</span>
            <span class="diff-mark" aria-hidden="true">{sign}</span>
            <span class="visually-hidden">{spoken_mark}</span>
            <span class="diff-text">{text}</span>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_differ_are_marked() {
        let part = |before: &str, after: &str| {
            let (old, new) = find_difference(before, after);
            (before[old].to_owned(), after[new].to_owned())
        };
        assert_eq!(
            part("    replaces: p.v1.2.0", "    replaces: p.v1.1.0"),
            ("p.v1.2.0".into(), "p.v1.1.0".into())
        );
        assert_eq!(
            part("- name: a # old", "- name: b # old"),
            ("a".into(), "b".into())
        );
        assert_eq!(part("aé: x", "aé: é"), ("x".into(), "é".into()));
        assert_eq!(
            part("a", "b"),
            (String::new(), String::new()),
            "nothing is alike"
        );
        assert_eq!(part("a: b", "a: b, c"), ("b".into(), "b, c".into()));
    }

    #[test]
    fn only_lines_that_take_each_others_place_are_paired() {
        let line = |kind, text: &str| DiffLine {
            kind,
            old: 0,
            new: 0,
            text: text.into(),
        };
        let lines = vec![
            line(LineKind::Removed, "a: b"),
            line(LineKind::Added, "a: c"),
            line(LineKind::Context, "x"),
            line(LineKind::Added, "y: z"),
        ];
        let marks: Vec<Range<usize>> = mark_lines(lines)
            .into_iter()
            .map(|(_, mark)| mark)
            .collect();
        assert_eq!(marks, [3..4, 3..4, 0..0, 0..0]);
    }
}
