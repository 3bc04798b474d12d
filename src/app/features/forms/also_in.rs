//! *Also in*: the other catalogs that have the package, each with a box to tick, how it stands there and what would follow.

use crate::components::preview::{Live, Preview};
use crate::context::AppContext;
use crate::edits::other_catalogs::{self, Chosen};
use crate::edits::suggestions::catalog_name;
use crate::widgets::code_text::in_code;
use crate::widgets::dom;
use leptos::prelude::*;
use protocol::response::{OtherCatalog, OtherCatalogOutcome};

/// The other catalogs as they were told last, and what the user said of them.
#[derive(Clone, Copy)]
pub struct Others {
    /// What was told last stays until it is told anew, so that nothing moves while somebody types.
    known: Memo<Vec<OtherCatalog>>,
    chosen: RwSignal<Chosen>,
    /// What is known is of the operations as they stand.
    is_current: Memo<bool>,
}

impl Others {
    pub fn follow(live: Live) -> Self {
        let known = Memo::new(move |before: Option<&Vec<OtherCatalog>>| {
            live.preview.with(|preview| match preview {
                Preview::Shown { elsewhere, .. } => elsewhere.clone(),
                _ => before.cloned().unwrap_or_default(),
            })
        });
        let is_current = Memo::new(move |_| live.preview.with(|preview| matches!(preview, Preview::Shown { .. })));
        Self { known, chosen: RwSignal::default(), is_current }
    }

    /// The roots that are ticked, of what was told.
    pub fn ticked_of(self, elsewhere: &[OtherCatalog]) -> Vec<String> {
        self.chosen.with_untracked(|chosen| other_catalogs::ticked(chosen, elsewhere))
    }

    fn is_ticked(self, other: &OtherCatalog) -> bool {
        self.chosen.with(|chosen| other_catalogs::is_ticked(chosen, other))
    }
}

#[component]
pub fn AlsoIn(app: AppContext, others: Others) -> impl IntoView {
    let id = dom::fresh_id("also-in");
    let known = others.known;
    let count = move || {
        known.with(|known| {
            let there = known.iter().filter(|other| other.outcome != OtherCatalogOutcome::Absent).count();
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
                    let there = known.get().into_iter().filter(|other| other.outcome != OtherCatalogOutcome::Absent);
                    there.map(|other| row(app, others, other)).collect_view()
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

fn row(app: AppContext, others: Others, other: OtherCatalog) -> impl IntoView {
    let name = app.store.status.with_untracked(|status| catalog_name(&status.roots, &other.root));
    let (note, root) = (dom::fresh_id("note"), other.root.clone());
    let is_refused = matches!(other.outcome, OtherCatalogOutcome::Refused(_));
    let standing = other_catalogs::standing(&other.outcome);
    let verdict = other_catalogs::verdict(&other.outcome);
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
