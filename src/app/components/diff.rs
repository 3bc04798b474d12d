//! The diff of one file as accessible text.

use super::templates::changed_note;
use crate::prelude::*;
use crate::widgets::short_text::breakable;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::views::{DiffHunk, DiffLine, FileDiff, LineKind};
use std::ops::Range;

/// Maximum number of lines drawn; the patch contains all lines.
const MAX_LINES: usize = 600;
/// Minimum width of a line number, in digits.
const MIN_DIGITS: usize = 3;
/// Removed lines in a row that are shown without a press.
const MAX_REMOVED: usize = 12;
/// Length of a line that is shown whole without a press.
const MAX_CHARACTERS: usize = 300;
/// Characters shown of a longer line, such as base64.
const START_CHARACTERS: usize = 120;

/// A change that can be reverted.
#[derive(Debug, Clone, PartialEq)]
pub struct Revert {
    /// The title of the history step.
    pub title: String,
    pub op: EditOp,
}

pub fn render_diffs(files: Vec<FileDiff>) -> Vec<AnyView> {
    let views = files.into_iter().map(|file| view! { <Diff file/> });
    views.map(IntoAny::into_any).collect()
}

/// The diff of a file. `actions` are placed at the right of its heading. With `on_revert`, each
/// revertible change has a button. If `is_split`, old lines are at the left of new ones.
#[component]
pub fn Diff(
    file: FileDiff,
    #[prop(optional)] actions: Option<AnyView>,
    #[prop(optional, into)] on_revert: Option<Callback<Revert>>,
    #[prop(optional)] is_split: Signal<bool>,
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
    let numbers = hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.old.max(line.new));
    let digits = numbers.max().unwrap_or(0).to_string().len();
    let total = count_lines(&hunks);
    let hunks = limit_lines(hunks);
    let more = total - count_lines(&hunks);
    let (heading, region) = (path.clone(), format!("Changes of {path}"));
    let lines = move || {
        let is_split = is_split.get();
        let hunk = |hunk: &DiffHunk| {
            let revert = on_revert.and_then(|on_revert| revert_button(&path, hunk, on_revert));
            render_hunk(hunk, is_split, revert)
        };
        hunks.iter().map(hunk).collect_view()
    };
    view! {
        <div class="diff">
            <div class="diff-head">
                <span class="diff-path">{breakable(&heading)}{created.then_some(" (new file)")}</span>
                <span class="diff-count">
                    <span data-kind="added">{format!("+{added}")}<span class="visually-hidden">" lines added"</span></span>
                    <span data-kind="removed">{format!("−{removed}")}<span class="visually-hidden">" lines removed"</span></span>
                </span>
                {actions}
            </div>
            {changed_note(&rendered_from)}
            {is_rendered.then(|| view! { <p class="rendered-line">"What the template renders to; it is not saved."</p> })}
            <div class="diff-scroll" tabindex="0" role="region" aria-label=region>
                <div
                    class="diff-lines"
                    data-whole
                    data-split=move || is_split.get().to_string()
                    style=("--digits", digits.max(MIN_DIGITS).to_string())
                >
                    {lines}
                </div>
            </div>
            {(more > 0).then(|| view! { <p class="diff-hunk">{format!("{more} more lines are in the patch")}</p> })}
        </div>
    }
    .into_any()
}

fn count_lines(hunks: &[DiffHunk]) -> usize {
    hunks.iter().map(|hunk| hunk.lines.len()).sum()
}

/// Keeps the first [`MAX_LINES`] lines, not counting those that are folded.
fn limit_lines(hunks: Vec<DiffHunk>) -> Vec<DiffHunk> {
    let mut shown = 0;
    let limit = |mut hunk: DiffHunk| {
        let mut removed = 0;
        let end = hunk.lines.iter().position(|line| {
            removed = match line.kind {
                LineKind::Removed => removed + 1,
                _ => 0,
            };
            shown += usize::from(removed <= MAX_REMOVED);
            shown > MAX_LINES
        });
        hunk.lines.truncate(end.unwrap_or(hunk.lines.len()));
        (!hunk.lines.is_empty()).then_some(hunk)
    };
    hunks.into_iter().map_while(limit).collect()
}

fn render_hunk(hunk: &DiffHunk, is_split: bool, revert: Option<AnyView>) -> AnyView {
    let runs = split_runs(&hunk.lines).into_iter().map(|run| match run {
        Run::Context(lines) if is_split => lines.into_iter().map(render_on_both_sides).collect(),
        Run::Context(lines) => lines.into_iter().map(render_line).collect(),
        Run::Change { removed, added } => render_change(removed, added, is_split),
    });
    view! {
        <div class="diff-hunk"><span>{hunk.header.clone()}</span>{revert}</div>
        {runs.collect::<Vec<Vec<AnyView>>>()}
    }
    .into_any()
}

fn render_change(removed: Vec<MarkedLine>, added: Vec<MarkedLine>, is_split: bool) -> Vec<AnyView> {
    let added: Vec<AnyView> = added.into_iter().map(render_line).collect();
    if removed.len() > MAX_REMOVED {
        let folded = view! { <FoldedLines lines=removed/> }.into_any();
        return match is_split {
            true => vec![render_pair(folded, added.into_any())],
            false => vec![folded, added.into_any()],
        };
    }
    let removed = removed.into_iter().map(render_line);
    if !is_split {
        return removed.chain(added).collect();
    }
    let (mut removed, mut added) = (removed.fuse(), added.into_iter().fuse());
    std::iter::from_fn(|| match (removed.next(), added.next()) {
        (None, None) => None,
        (old, new) => Some(render_pair(old.into_any(), new.into_any())),
    })
    .collect()
}

fn render_pair(old: AnyView, new: AnyView) -> AnyView {
    view! {
        <div class="diff-pair">
            <div class="diff-old">{old}</div>
            <div class="diff-new">{new}</div>
        </div>
    }
    .into_any()
}

/// Renders an unchanged line twice; assistive technology reads it once.
fn render_on_both_sides(line: MarkedLine) -> AnyView {
    let copy = render_line(line.clone());
    render_pair(
        render_line(line),
        view! { <div aria-hidden="true">{copy}</div> }.into_any(),
    )
}

/// Many removed lines as one row, until it is pressed.
#[component]
fn FoldedLines(lines: Vec<MarkedLine>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let count = words::count(lines.len() as u32, "removed line");
    let label = move || format!("{} {count}", if is_open.get() { "Hide" } else { "Show" });
    let rows = move || {
        let visible = if is_open.get() { &lines[..] } else { &[] };
        visible.iter().cloned().map(render_line).collect_view()
    };
    view! {
        <div class="diff-folded" data-kind="removed">
            <FoldButton label=derived(label) is_open/>
        </div>
        {rows}
    }
    .into_any()
}

/// A very long line. Only its start is shown until it is pressed.
#[component]
fn LongLine(text: String, hidden: u32) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let start: String = text.chars().take(START_CHARACTERS).collect();
    let more = if hidden > 0 {
        format!(" … {hidden} more characters are in the patch")
    } else {
        String::new()
    };
    let label = derived(move || match (is_open.get(), hidden) {
        (true, _) => "Show less".to_owned(),
        (false, 0) => "Show the whole line".to_owned(),
        (false, _) => "Show more of the line".to_owned(),
    });
    view! {
        {move || match is_open.get() {
            true => format!("{text}{more} "),
            false => format!("{start}… "),
        }}
        <FoldButton label is_open/>
    }
    .into_any()
}

#[component]
fn FoldButton(label: Signal<String>, is_open: RwSignal<bool>) -> impl IntoView {
    view! {
        <button
            type="button"
            class="link diff-fold"
            aria-expanded=move || is_open.get().to_string()
            on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
        >
            {label}
        </button>
    }
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

/// Successive lines of a hunk.
enum Run {
    Context(Vec<MarkedLine>),
    /// Removed lines, and the added lines in their place.
    Change {
        removed: Vec<MarkedLine>,
        added: Vec<MarkedLine>,
    },
}

/// Groups lines, and marks the differences between removed and added ones if there are equally
/// many.
fn split_runs(lines: &[DiffLine]) -> Vec<Run> {
    let is_context = |line: &DiffLine| line.kind == LineKind::Context;
    let runs = lines.chunk_by(|a, b| is_context(a) == is_context(b));
    runs.map(|run| {
        if run.first().is_some_and(is_context) {
            return Run::Context(run.iter().map(|line| (line.clone(), 0..0)).collect());
        }
        let (removed, added): (Vec<&DiffLine>, Vec<&DiffLine>) =
            run.iter().partition(|line| line.kind == LineKind::Removed);
        let is_replaced = removed.len() == added.len();
        let marks = removed
            .iter()
            .zip(&added)
            .map(|(old, new)| match is_replaced {
                true => find_difference(&old.text, &new.text),
                false => (0..0, 0..0),
            });
        let (mut old, mut new): (Vec<_>, Vec<_>) = marks.unzip();
        old.resize(removed.len(), 0..0);
        new.resize(added.len(), 0..0);
        Run::Change {
            removed: removed.into_iter().cloned().zip(old).collect(),
            added: added.into_iter().cloned().zip(new).collect(),
        }
    })
    .collect()
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

fn render_line((line, mark): MarkedLine) -> AnyView {
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
        _ if line.text.chars().count() > MAX_CHARACTERS => {
            view! { <LongLine text=line.text hidden=line.hidden/> }.into_any()
        }
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
    fn differing_words_are_marked() {
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

    fn line(kind: LineKind, text: &str) -> DiffLine {
        DiffLine {
            kind,
            old: 0,
            new: 0,
            text: text.into(),
            hidden: 0,
        }
    }

    #[test]
    fn only_lines_that_replace_each_other_are_paired() {
        let lines = [
            line(LineKind::Removed, "a: b"),
            line(LineKind::Added, "a: c"),
            line(LineKind::Context, "x"),
            line(LineKind::Added, "y: z"),
        ];
        let marks = |run: &Run| -> Vec<(usize, usize)> {
            let lines = match run {
                Run::Context(lines) => lines.iter().chain(&[]),
                Run::Change { removed, added } => removed.iter().chain(added),
            };
            lines.map(|(_, mark)| (mark.start, mark.end)).collect()
        };
        let runs: Vec<_> = split_runs(&lines).iter().map(marks).collect();
        assert_eq!(runs, [vec![(3, 4), (3, 4)], vec![(0, 0)], vec![(0, 0)]]);
    }

    #[test]
    fn folded_lines_leave_room_for_others() {
        let hunk = |kind, count| DiffHunk {
            lines: vec![line(kind, "x"); count],
            ..DiffHunk::default()
        };
        let kept = |hunks| {
            let lengths = limit_lines(hunks).into_iter().map(|hunk| hunk.lines.len());
            lengths.collect::<Vec<_>>()
        };
        let removed = hunk(LineKind::Removed, 2_000);
        assert_eq!(kept(vec![removed, hunk(LineKind::Added, 10)]), [2_000, 10]);
        let added = hunk(LineKind::Added, 2_000);
        assert_eq!(kept(vec![added, hunk(LineKind::Added, 10)]), [MAX_LINES]);
    }
}
