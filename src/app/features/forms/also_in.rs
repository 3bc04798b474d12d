//! *Also in*: the other catalogs that have the package, each with a box to tick, how it stands there and what would
//! follow. It stands before the fields, since what it says is done elsewhere is done unseen.

use crate::components::preview::{Live, Preview};
use crate::context::AppContext;
use crate::edits::other_catalogs::{self, Chosen};
use crate::edits::suggestions::catalog_name;
use crate::widgets::button::{Button, Look};
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

    /// The names of the other catalogs that *Apply* changes, too.
    pub fn names(self, app: AppContext) -> Vec<String> {
        self.known.with(|known| {
            let ticked = known.iter().filter(|other| self.is_ticked(other));
            app.store.status.with(|status| ticked.map(|other| catalog_name(&status.roots, &other.root)).collect())
        })
    }

    /// Where it can be done.
    fn tick_all(self, is_on: bool) {
        let roots: Vec<String> =
            self.known.with_untracked(|known| known.iter().map(|other| other.root.clone()).collect());
        self.chosen.update(|chosen| chosen.extend(roots.into_iter().map(|root| (root, is_on))));
    }

    fn is_ticked(self, other: &OtherCatalog) -> bool {
        self.chosen.with(|chosen| other_catalogs::is_ticked(chosen, other))
    }
}

/// So many of them are in sight, whatever their number.
const ROWS: usize = 3;

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
    // They stand there from the start, so that no field moves when it is known how they differ.
    let open: Vec<String> = app.store.status.with_untracked(|status| {
        let here = app.store.root.get_untracked();
        let others = status.roots.iter().filter(|row| row.is_catalog() && row.root != here);
        others.map(|row| catalog_name(&status.roots, &row.root)).collect()
    });
    let has_others = !open.is_empty();
    let rows = open.len().min(ROWS);
    view! {
        <Show when=move || { has_others || known.with(|known| !known.is_empty()) }>
            <fieldset class="also-in" aria-labelledby=id.clone()>
                <legend class="field-label" id=id.clone()>"Also in"</legend>
                <p class="field-hint" aria-live="polite">
                    {move || match known.with(Vec::is_empty) {
                        true => "Once the form is filled in, these are compared with this catalog.".to_owned(),
                        false => format!("{} selected. Catalogs are ticked by default if everything this edit touches is the same there.", count()),
                    }}
                </p>
                <Show when=move || { known.with(Vec::len) > 1 }>
                    <p class="also-in-all">
                        <Button label="All" look=Look::Quiet on_press=move |()| others.tick_all(true)/>
                        <Button label="None" look=Look::Quiet on_press=move |()| others.tick_all(false)/>
                    </p>
                </Show>
                <div class="also-in-rows" style=("--rows", rows.to_string())>
                {
                    let open = open.clone();
                    move || {
                        let known = known.get();
                        if known.is_empty() {
                            let names = open.iter().take(ROWS).cloned();
                            return names.map(|name| view! { <p class="also-in-unknown">{name}</p> }).collect_view().into_any();
                        }
                        let there = known.into_iter().filter(|other| other.outcome != OtherCatalogOutcome::Absent);
                        // What is ticked by itself is in sight.
                        let mut there: Vec<OtherCatalog> = there.collect();
                        there.sort_by_key(|other| !other_catalogs::is_ticked(&Chosen::default(), other));
                        there.into_iter().map(|other| row(app, others, other)).collect_view().into_any()
                    }
                }
                </div>
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
