//! The bar that says what the last edit did to users, with its undo beside it.

use crate::app::desk::desk;
use crate::app::panels::upgrade::broken_item;
use crate::app::panels::words::{Line, Tone, consequences};
use crate::app::widgets::button::{Button, IconButton};
use crate::app::widgets::icon::Icon;
use leptos::prelude::*;

/// So many lines stand in the bar; the rest opens.
const SHOWN: usize = 2;

#[component]
pub fn ConsequenceBar() -> impl IntoView {
    let desk = desk();
    view! {
        <section class="consequence" aria-label="Last edit" hidden=move || desk.session.consequences.with(Option::is_none)>
            {move || {
                desk.session
                    .consequences
                    .get()
                    .map(|(title, found)| {
                        let lines = consequences(&found);
                        let worst = tone(&lines);
                        let summary = if found.summary.is_empty() {
                            lines.iter().take(SHOWN).map(Line::text).collect::<Vec<_>>().join(" · ")
                        } else {
                            found.summary
                        };
                        view! {
                            <div class="consequence-bar" data-tone=worst.name()>
                                <div class="consequence-text" role="status">
                                    <strong class="consequence-title">{title}</strong>
                                    <span class="dim">{summary}</span>
                                </div>
                                <details class="consequence-more">
                                    <summary class="consequence-summary">"All consequences"</summary>
                                    <ConsequenceList lines/>
                                </details>
                                <Button label="Undo" disabled=Signal::derive(move || !desk.session.can_undo()) on_press=move |()| desk.undo()/>
                                <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| desk.session.consequences.set(None)/>
                            </div>
                        }
                    })
            }}
        </section>
    }
    .into_any()
}

/// What follows from an edit, line by line.
#[component]
pub fn ConsequenceList(lines: Vec<Line>) -> impl IntoView {
    let item = |line: Line| match line {
        Line::Text(tone, text) => view! { <li class="consequence-line" data-tone=tone.name()>{text}</li> }.into_any(),
        Line::Broken(row) => broken_item(row).into_any(),
    };
    view! { <ul class="consequence-list">{lines.into_iter().map(item).collect_view()}</ul> }
}

/// The loudest tone of all lines.
fn tone(lines: &[Line]) -> Tone {
    let has = |wanted: Tone| lines.iter().any(|line| line.tone() == wanted);
    [Tone::Bad, Tone::Advice].into_iter().find(|tone| has(*tone)).unwrap_or(Tone::Plain)
}
