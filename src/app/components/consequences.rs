//! What follows from an edit, line by line.

use super::broken_invariants::broken_item;
use crate::widgets::code_text::in_code;
use crate::words::ConsequenceLine;
use leptos::prelude::*;

#[component]
pub fn ConsequenceList(lines: Vec<ConsequenceLine>) -> impl IntoView {
    let item = |line: ConsequenceLine| match line {
        ConsequenceLine::Text(tone, text) => {
            view! { <li class="consequence-line" data-tone=tone.name()>{in_code(&text)}</li> }.into_any()
        }
        ConsequenceLine::Broken(row) => broken_item(row).into_any(),
    };
    view! { <ul class="consequence-list">{lines.into_iter().map(item).collect_view()}</ul> }
}
