//! *Also in*: the other catalogs with the package, each with a checkbox, its differences from this
//! catalog, and the effect of the edit on its users. Placed above the fields, because these effects
//! are otherwise out of view.

use crate::components::preview::{LivePreview, Preview};
use crate::edits::form_values::catalog_name;
use crate::edits::other_catalogs::{self, Selection};
use crate::prelude::*;
use crate::widgets::fields::Check;
use protocol::query::Matrix;
use protocol::response::{OtherCatalog, OtherCatalogOutcome};
use protocol::upgrades::{MatrixColumn, MatrixRow, MatrixView};

/// The other catalogs, and the selected ones.
#[derive(Clone, Copy)]
pub struct OtherCatalogs {
    /// The last answer, kept until the next one so that nothing moves while the user types.
    known: Memo<Vec<OtherCatalog>>,
    selection: RwSignal<Selection>,
    /// Whether `known` matches the current operations.
    is_current: Memo<bool>,
    /// Whether the operations are refused in this catalog.
    is_refused: Memo<bool>,
}

impl OtherCatalogs {
    pub fn follow(live: LivePreview) -> Self {
        let known = memo(move |before: Option<&Vec<OtherCatalog>>| {
            live.preview.with(|preview| match preview {
                Preview::Shown { elsewhere, .. } => elsewhere.clone(),
                _ => before.cloned().unwrap_or_default(),
            })
        });
        let is_current = memo(move |_| {
            live.preview
                .with(|preview| matches!(preview, Preview::Shown { .. }))
        });
        let is_refused = memo(move |_| live.is_refused());
        Self {
            known,
            selection: RwSignal::default(),
            is_current,
            is_refused,
        }
    }

    /// Returns the selected roots among `elsewhere`.
    pub fn selected_among(self, elsewhere: &[OtherCatalog]) -> Vec<String> {
        self.selection
            .with(|selection| other_catalogs::selected_roots(selection, elsewhere))
    }

    /// Returns the roots of the other catalogs that *Apply* changes too.
    pub fn selected_roots(self) -> Vec<String> {
        self.known.with(|known| self.selected_among(known))
    }

    /// Returns the names of the other catalogs that *Apply* changes too.
    pub fn names(self, app: AppContext) -> Vec<String> {
        let selected = self.selected_roots();
        app.store.status.with(|status| {
            selected
                .iter()
                .map(|root| catalog_name(&status.roots, root))
                .collect()
        })
    }

    fn is_selected(self, other: &OtherCatalog) -> bool {
        self.selection
            .with(|selection| other_catalogs::is_selected(selection, other))
    }

    fn select(self, root: &str, is_selected: bool) {
        self.selection.update(|selection| {
            if is_selected {
                selection.insert(root.to_owned());
            } else {
                selection.remove(root);
            }
        });
    }

    fn select_all(self) {
        let known = self.known.get_untracked();
        self.selection.set(other_catalogs::select_all(&known));
    }
}

#[component]
pub fn AlsoIn(
    app: AppContext,
    others: OtherCatalogs,
    /// The package of the form; `None` if it is new, so that no other catalog has it.
    package: Signal<Option<String>>,
) -> impl IntoView {
    let id = dom::fresh_id("also-in");
    let known = others.known;
    // The line exists from the start, so that no field moves when the comparison arrives.
    let has_others = !other_roots(app).is_empty();
    let number = number_elsewhere(app, package);
    let any_has_package = move || {
        known.with(|known| {
            known
                .iter()
                .any(|other| other.outcome != OtherCatalogOutcome::Absent)
        })
    };
    // Collapsed to one line initially: a list that opens on its own would move the fields below.
    let is_open = RwSignal::new(false);
    let label = derived(move || {
        if is_open.get() {
            "Hide catalogs"
        } else {
            "Choose catalogs"
        }
        .to_owned()
    });
    let names = memo(move |_| others.names(app));
    let tally = move || {
        if !known.with(Vec::is_empty) {
            let is_new = package.with(Option::is_none);
            return known.with(|known| {
                names.with(|names| other_catalogs::selection_summary(names, known, is_new))
            });
        }
        if others.is_refused.get() {
            // The preview shows the reason for the refusal.
            return "Other catalogs are compared once the edit can be applied here.".to_owned();
        }
        match number.get() {
            Some(number) => format!(
                "{}. Select some once the form is filled in.",
                other_catalogs::count_with_package(number)
            ),
            None => "Other catalogs are offered once the form is filled in.".to_owned(),
        }
    };
    announce::follow(tally);
    let rows = move || {
        let mut all = known.get();
        all.sort_by_key(|other| other.outcome == OtherCatalogOutcome::Absent);
        all.into_iter()
            .map(|other| catalog_row(app, others, other))
            .collect_view()
    };
    view! {
        <Show when=move || { (has_others && number.get() != Some(0)) || any_has_package() }>
            <fieldset class="also-in" aria-labelledby=id.clone()>
                <legend class="field-label" id=id.clone()>"Also in"</legend>
                <div class="also-in-line">
                    <p class="also-in-tally">{tally}</p>
                    <button
                        type="button"
                        class="link"
                        aria-expanded=move || is_open.get().to_string()
                        prop:disabled=move || !any_has_package()
                        on:click=move |_| is_open.update(|open| *open = !*open)
                    >
                        {label}
                    </button>
                </div>
                <div class="also-in-choose" hidden=move || !is_open.get()>
                    <Button
                        label="Select all"
                        look=Look::Quiet
                        on_press=move |()| others.select_all()
                    />
                    <Button
                        label="Select none"
                        look=Look::Quiet
                        on_press=move |()| others.selection.set(Selection::new())
                    />
                </div>
                <div class="also-in-rows" hidden=move || !is_open.get()>{rows}</div>
            </fieldset>
        </Show>
    }
    .into_any()
}

/// Returns the roots of the open catalogs except the one in view.
fn other_roots(app: AppContext) -> Vec<String> {
    let here = app.store.root.get_untracked();
    app.store.status.with_untracked(|status| {
        let catalogs = status.roots.iter().filter(|row| row.is_catalog());
        catalogs
            .map(|row| row.root.clone())
            .filter(|root| *root != here)
            .collect()
    })
}

/// Returns the number of other catalogs with the package; `None` while unknown, and for a new
/// package. Queried when the form opens: a line that disappears while the user types would move the
/// fields below.
fn number_elsewhere(app: AppContext, package: Signal<Option<String>>) -> ReadSignal<Option<usize>> {
    let wanted = derived(move || {
        let package = package.get().filter(|name| !name.is_empty())?;
        let roots = other_roots(app);
        (!roots.is_empty()).then_some(Matrix { roots, package })
    });
    debounced_query(wanted, move |query| async move {
        catalogs_with_package(&app.store.ask(query).await.ok()?)
    })
}

/// Counts the catalogs with the package. Returns `None` if a catalog is unreadable, since it may
/// contain the package.
fn catalogs_with_package(matrix: &MatrixView) -> Option<usize> {
    let has_package = |(index, column): &(usize, &MatrixColumn)| {
        let is_present = |row: &MatrixRow| row.cells.get(*index).is_some_and(|cell| cell.present);
        !column.default_channel.is_empty() || matrix.rows.iter().any(is_present)
    };
    let number = matrix
        .columns
        .iter()
        .enumerate()
        .filter(has_package)
        .count();
    (matrix.incomplete.count == 0).then_some(number)
}

fn catalog_row(app: AppContext, others: OtherCatalogs, other: OtherCatalog) -> AnyView {
    let name = app.current.name_of_catalog(&other.root);
    let difference = other_catalogs::describe_difference(&other.outcome);
    if other.outcome == OtherCatalogOutcome::Absent {
        return view! {
            <div class="also-in-row">
                <p class="also-in-unknown">{name}</p>
                <p class="also-in-note">{difference}</p>
            </div>
        }
        .into_any();
    }
    let (note, root) = (dom::fresh_id("note"), other.root.clone());
    let is_refused = matches!(other.outcome, OtherCatalogOutcome::Refused(_));
    let summary = other_catalogs::summarize_outcome(&other.outcome);
    view! {
        <div class="also-in-row" class:is-old=move || !others.is_current.get()>
            <Check
                checked=derived(move || others.is_selected(&other))
                on_change=move |is_on| others.select(&root, is_on)
                disabled=is_refused
                described_by=note.clone()
            >
                {name}
            </Check>
            <p class="also-in-note" id=note>
                <span>{in_code(&difference)}</span>
                {summary.map(|summary| {
                    view! { <span class="also-in-verdict" data-tone=summary.tone.name()>{summary.text}</span> }
                })}
            </p>
        </div>
    }
    .into_any()
}
