//! What the changes mean for users, beside the changed lines: one sentence for each package that differs from the disk,
//! with *Compare* for the rest.

use crate::context::AppContext;
use crate::edits::suggestions::catalog_name;
use crate::widgets::code_text::in_code;
use crate::words;
use leptos::prelude::*;
use protocol::upgrades::{Baseline, ComparedRow};
use wasm_bindgen_futures::spawn_local;

/// So many packages are named; the tab *Compare* has all of them.
const NAMED: usize = 20;

/// A package that differs, and the catalog it is in.
#[derive(Debug, Clone, PartialEq)]
struct Differs {
    root: String,
    catalog: String,
    row: ComparedRow,
}

#[component]
pub(super) fn WhatUsersGet(app: AppContext, #[prop(into)] is_shown: Signal<bool>) -> impl IntoView {
    let found = RwSignal::new(None::<Vec<Differs>>);
    let revision = Memo::new(move |_| app.store.status.with(|status| status.revision));
    Effect::new(move |_| {
        revision.get();
        if is_shown.get() {
            spawn_local(async move {
                let differs = ask(app).await;
                found.try_set(Some(differs));
            });
        }
    });
    let rows = move || match found.get() {
        None => view! { <p class="dim">"Working out what changes for users…"</p> }.into_any(),
        Some(rows) if rows.is_empty() => {
            view! { <p class="dim">"Nothing changes for users: every version has the same next step."</p> }.into_any()
        }
        Some(rows) => {
            let more = rows.len().saturating_sub(NAMED) as u32;
            view! {
                <ul class="review-users-list" aria-label="Packages that change for users">
                    {rows.into_iter().take(NAMED).map(|differs| item(app, differs)).collect_view()}
                    {(more > 0).then(|| view! { <li class="dim">{format!("and {}", words::count(more, "more package"))}</li> })}
                </ul>
            }
            .into_any()
        }
    };
    view! {
        <section class="review-users" aria-label="What this means for users" aria-live="polite" hidden=move || !is_shown.get()>
            {rows}
        </section>
    }
    .into_any()
}

/// Every edited catalog against the disk.
async fn ask(app: AppContext) -> Vec<Differs> {
    let edited = app.store.status.with_untracked(|status| {
        let edited = status.roots.iter().filter(|row| row.edited && !row.is_template());
        edited.map(|row| (row.root.clone(), catalog_name(&status.roots, &row.root))).collect::<Vec<_>>()
    });
    let mut differs = Vec::new();
    for (root, catalog) in edited {
        let Some(found) = app.store.compare(Baseline::Disk, root.clone()).await else { continue };
        let rows = found.packages.iter().cloned();
        differs.extend(rows.map(|row| Differs { root: root.clone(), catalog: catalog.clone(), row }));
    }
    differs
}

fn item(app: AppContext, differs: Differs) -> impl IntoView {
    let Differs { root, catalog, row } = differs;
    let affected = match row.hit {
        0 => "none affected".to_owned(),
        hit => format!("{} affected", words::count(hit, "version")),
    };
    let name = format!("Compare {} in {catalog}", row.package);
    let package = row.package.clone();
    view! {
        <li class="review-user">
            <p>
                <strong>{row.package}</strong>
                <span class="dim">{format!(" · {catalog} · {affected}")}</span>
            </p>
            <p>{in_code(&row.summary)}</p>
            <button
                type="button"
                class="button"
                data-look="quiet"
                aria-label=name
                on:click=move |_| app.compare_package_with_disk(root.clone(), package.clone())
            >
                "Compare"
            </button>
        </li>
    }
    .into_any()
}
