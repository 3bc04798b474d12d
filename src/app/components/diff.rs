//! The diff of one file, as text that assistive technology can read too.

use super::template_note::changed_note;
use leptos::prelude::*;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::views::{DiffHunk, DiffKind, DiffLine, FileDiff};

/// So many lines of a file are drawn; the whole is in the patch.
const SHOWN: usize = 600;

/// A change that is to be taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct Revert {
    /// Names the step.
    pub title: String,
    pub op: EditOp,
}

/// `actions` stands at the right of the file's head. With `on_revert` each change that can be taken back has a button.
#[component]
pub fn Diff(
    file: FileDiff,
    #[prop(optional)] actions: Option<AnyView>,
    #[prop(optional, into)] on_revert: Option<Callback<Revert>>,
) -> impl IntoView {
    let FileDiff { path, created, added, removed, hunks, rendered_from, is_rendered, .. } = file;
    let total: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
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
                <span class="diff-path">{path.clone()}{created.then_some(" (new file)")}</span>
                <span class="diff-count">
                    <span data-kind="added">{format!("+{added}")}<span class="visually-hidden">" lines added"</span></span>
                    <span data-kind="removed">{format!("−{removed}")}<span class="visually-hidden">" lines removed"</span></span>
                </span>
                {actions}
            </div>
            {changed_note(&rendered_from)}
            {is_rendered.then(|| view! { <p class="rendered-line">"What the template renders to; it is not saved."</p> })}
            <div class="diff-scroll" tabindex="0" role="region" aria-label=format!("Changes of {path}")>
                <div class="diff-lines" data-whole>
                    {hunks
                        .into_iter()
                        .map(|hunk| {
                            view! {
                                <div class="diff-hunk">
                                    <span>{hunk.header.clone()}</span>
                                    {on_revert.and_then(|on_revert| revert_button(&path, &hunk, on_revert))}
                                </div>
                                {hunk.lines.into_iter().map(line).collect_view()}
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

/// Where the first changed line stands now, or stood.
fn first_line(hunk: &DiffHunk) -> u32 {
    let changed = hunk.lines.iter().find(|line| line.kind != DiffKind::Context);
    changed.map_or(0, |line| if line.new > 0 { line.new } else { line.old })
}

fn line(line: DiffLine) -> impl IntoView {
    let (kind, mark, words) = match line.kind {
        DiffKind::Context => ("context", " ", ""),
        DiffKind::Added => ("added", "+", "added: "),
        DiffKind::Removed => ("removed", "−", "removed: "),
    };
    let number = |number: u32| if number == 0 { String::new() } else { number.to_string() };
    view! {
        <div class="diff-line" data-kind=kind>
            <span class="diff-number" aria-hidden="true">{number(line.old)}</span>
            <span class="diff-number" aria-hidden="true">{number(line.new)}</span>
            <span class="diff-mark" aria-hidden="true">{mark}</span>
            <span class="visually-hidden">{words}</span>
            <span class="diff-text">{line.text}</span>
        </div>
    }
    .into_any()
}
