//! What follows from an edit, line by line.

use super::broken_invariants::broken_item;
use crate::words::Line;
use leptos::prelude::*;

#[component]
pub fn ConsequenceList(lines: Vec<Line>) -> impl IntoView {
    let item = |line: Line| match line {
        Line::Text(tone, text) => view! { <li class="consequence-line" data-tone=tone.name()>{text}</li> }.into_any(),
        Line::Broken(row) => broken_item(row).into_any(),
    };
    view! { <ul class="consequence-list">{lines.into_iter().map(item).collect_view()}</ul> }
}
