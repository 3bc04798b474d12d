//! The diff of one file as accessible text.

use super::templates::changed_note;
use crate::widgets::short_text::breakable;
use leptos::prelude::*;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::views::{DiffHunk, DiffLine, FileDiff, LineKind};
use std::ops::Range;

/// Maximum number of lines drawn; the patch contains all lines.
const SHOWN: usize = 600;

/// A change that can be reverted.
#[derive(Debug, Clone, PartialEq)]
pub struct Revert {
    /// The title of the history step.
    pub title: String,
    pub op: EditOp,
}

/// Renders the diffs of several files.
pub fn diffs(files: Vec<FileDiff>) -> Vec<AnyView> {
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
    let digits = hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.old.max(line.new))
        .max()
        .unwrap_or(0);
    let digits = digits.to_string().len().max(3);
    let mut left = SHOWN;
    let hunks: Vec<DiffHunk> = hunks
        .into_iter()
        .map_while(|mut hunk| {
            if left == 0 {
                return None;
            }
            hunk.lines.truncate(left);
            left -= hunk.lines.len();
            Some(hunk)
        })
        .collect();
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
                                {mark_lines(hunk.lines).into_iter().map(line).collect_view()}
                            }
                        })
                        .collect_view()}
                </div>
            </div>
            {(total > SHOWN)
                .then(|| view! { <p class="diff-hunk">{format!("{} more lines are in the patch", total - SHOWN)}</p> })}
        </div>
    }
    .into_any()
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

/// Returns the line number of the first changed line: the new number, or the old one if it was
/// removed.
fn first_line(hunk: &DiffHunk) -> u32 {
    let changed = hunk
        .lines
        .iter()
        .find(|line| line.kind != LineKind::Context);
    changed.map_or(0, |line| if line.new > 0 { line.new } else { line.old })
}

/// A line with its changed part as a byte range at character boundaries; empty if all of it
/// changed.
type MarkedLine = (DiffLine, Range<usize>);

/// Marks the differences between removed lines and the added lines that replace them. Runs of equal
/// length are compared line by line.
fn mark_lines(lines: Vec<DiffLine>) -> Vec<MarkedLine> {
    let mut out: Vec<MarkedLine> = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|a, b| (a.kind == LineKind::Context) == (b.kind == LineKind::Context))
    {
        let removed = run
            .iter()
            .take_while(|line| line.kind == LineKind::Removed)
            .count();
        let (before, after) = run.split_at(removed);
        let pairs = !before.is_empty() && before.len() == after.len();
        let marks = match pairs {
            false => vec![0..0; run.len()],
            true => {
                let both = before.iter().zip(after);
                let (old, new): (Vec<_>, Vec<_>) = both
                    .map(|(old, new)| differing(&old.text, &new.text))
                    .unzip();
                [old, new].concat()
            }
        };
        out.extend(run.iter().cloned().zip(marks));
    }
    out
}

/// Returns the differing parts of two lines, at word boundaries; both are empty if the lines have
/// too little in common.
fn differing(before: &str, after: &str) -> (Range<usize>, Range<usize>) {
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
    let (rest, other) = (&before[start..], &after[start..]);
    let mut end: usize = rest
        .chars()
        .rev()
        .zip(other.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let tail = &rest[rest.len() - end..];
    end -= tail
        .chars()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum::<usize>();
    let kept = before[..start].trim().len() + end;
    match kept {
        0 => (0..0, 0..0),
        _ => (start..before.len() - end, start..after.len() - end),
    }
}

fn line((line, mark): MarkedLine) -> impl IntoView {
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
            let (old, new) = differing(before, after);
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
