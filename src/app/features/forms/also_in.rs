//! *Also in*: the other catalogs that have the package, each with a box to tick, how it stands there and what would follow.

use crate::components::preview::{Live, Preview};
use crate::desk::Desk;
use crate::edits::other_catalogs::{self, Chosen};
use crate::edits::suggestions::catalog_name;
use crate::widgets::code_text::in_code;
use crate::widgets::dom;
use leptos::prelude::*;
use protocol::response::{Elsewhere, There};

/// The other catalogs as they were told last, and what the user said of them.
#[derive(Clone, Copy)]
pub struct Others {
    /// What was told last stays until it is told anew, so that nothing moves while somebody types.
    known: Memo<Vec<Elsewhere>>,
    chosen: RwSignal<Chosen>,
    /// What is known is of the operations as they stand.
    is_current: Memo<bool>,
}

impl Others {
    pub fn follow(live: Live) -> Self {
        let known = Memo::new(move |before: Option<&Vec<Elsewhere>>| {
            live.preview.with(|preview| match preview {
                Preview::Shown { elsewhere, .. } => elsewhere.clone(),
                _ => before.cloned().unwrap_or_default(),
            })
        });
        let is_current = Memo::new(move |_| live.preview.with(|preview| matches!(preview, Preview::Shown { .. })));
        Self { known, chosen: RwSignal::default(), is_current }
    }

    /// The roots that are ticked, of what was told.
    pub fn ticked_of(self, elsewhere: &[Elsewhere]) -> Vec<String> {
        self.chosen.with_untracked(|chosen| other_catalogs::ticked(chosen, elsewhere))
    }

    fn is_ticked(self, other: &Elsewhere) -> bool {
        self.chosen.with(|chosen| other_catalogs::is_ticked(chosen, other))
    }
}

#[component]
pub fn AlsoIn(desk: Desk, others: Others) -> impl IntoView {
    let id = dom::fresh_id("also-in");
    let known = others.known;
    let count = move || {
        known.with(|known| {
            let there = known.iter().filter(|other| other.there != There::Absent).count();
            let ticked = known.iter().filter(|other| others.is_ticked(other)).count();
            format!("{ticked} of {there}")
        })
    };
    view! {
        <Show when=move || known.with(|known| !known.is_empty())>
            <fieldset class="also-in" aria-labelledby=id.clone()>
                <legend class="field-label" id=id.clone()>"Also in"</legend>
                <p class="field-hint" aria-live="polite">
                    {count} " selected. Ticked by default where everything this edit touches is the same."
                </p>
                {move || {
                    let there = known.get().into_iter().filter(|other| other.there != There::Absent);
                    there.map(|other| row(desk, others, other)).collect_view()
                }}
                {move || {
                    let absent = known.with(|known| other_catalogs::absent(known));
                    (!absent.is_empty()).then(|| view! { <p class="field-hint">{absent}</p> })
                }}
            </fieldset>
        </Show>
    }
    .into_any()
}

fn row(desk: Desk, others: Others, other: Elsewhere) -> impl IntoView {
    let name = desk.session.status.with_untracked(|status| catalog_name(&status.roots, &other.root));
    let (note, root) = (dom::fresh_id("note"), other.root.clone());
    let is_refused = matches!(other.there, There::Refused(_));
    let standing = other_catalogs::standing(&other.there);
    let verdict = other_catalogs::verdict(&other.there);
    view! {
        <div class="also-in-row" class:is-old=move || !others.is_current.get()>
            <label class="check">
                <input
                    type="checkbox"
                    disabled=is_refused
                    aria-describedby=note.clone()
                    prop:checked=move || others.is_ticked(&other)
                    on:change=move |event| {
                        let is_on = event_target_checked(&event);
                        others.chosen.update(|chosen| {
                            chosen.insert(root.clone(), is_on);
                        });
                    }
                />
                {name}
            </label>
            <p class="also-in-note" id=note>
                <span>{in_code(&standing)}</span>
                {verdict.map(|(is_bad, words)| {
                    view! { <span class="also-in-verdict" data-tone=if is_bad { "bad" } else { "good" }>{words}</span> }
                })}
            </p>
        </div>
    }
    .into_any()
}
