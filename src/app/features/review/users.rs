//! What all changes together come to, against what is on disk: the verdict of each edited catalog, and of each package that
//! changes what users get. What is the same in several catalogs is told once.

use super::commit_message::PackageNews;
use crate::components::user_table::UserTables;
use crate::context::AppContext;
use crate::edits::suggestions::catalog_name;
use crate::words;
use leptos::prelude::*;
use protocol::judgement::UserTable;
use protocol::upgrades::Baseline;

/// Of so many packages the table is shown; the tab *Compare* has all of them.
const SHOWN: usize = 12;

/// All edited catalogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Judged {
    /// Name, whether it passes, and the words of `opm validate` where it does not.
    verdicts: Vec<(String, bool, String)>,
    packages: Vec<PackageOf>,
    more: u32,
}

/// A package that differs from the disk.
#[derive(Debug, Clone, PartialEq)]
struct PackageOf {
    /// The catalogs where it is so: root and name.
    catalogs: Vec<(String, String)>,
    package: String,
    table: UserTable,
}

impl Judged {
    /// What the commit message says of users.
    pub(super) fn news(&self) -> Vec<PackageNews> {
        let news = self.packages.iter().map(|of| PackageNews {
            package: of.package.clone(),
            catalogs: of.catalogs.iter().map(|(_, name)| name.clone()).collect(),
            headline: of.table.headline.clone(),
        });
        news.collect()
    }
}

/// Every edited catalog against the disk.
pub(super) async fn judge(app: AppContext) -> Judged {
    let edited = app.store.status.with_untracked(|status| {
        let edited = status.roots.iter().filter(|row| row.edited && !row.is_template());
        edited.map(|row| (row.root.clone(), catalog_name(&status.roots, &row.root))).collect::<Vec<_>>()
    });
    let mut judged = Judged::default();
    for (root, catalog) in edited {
        let Some(found) = app.store.compare(Baseline::Disk, root.clone()).await else { continue };
        judged.verdicts.push((catalog.clone(), found.new_passed, found.new_message.clone()));
        for row in &found.packages {
            let asked = ((Baseline::Disk, root.clone()), row.package.clone(), String::new());
            if judged.packages.len() >= SHOWN {
                judged.more += 1;
                continue;
            }
            let Some(of) = app.store.compare_package(asked.0, asked.1, asked.2).await else { continue };
            let same = |known: &&mut PackageOf| known.package == row.package && known.table == of.table;
            match judged.packages.iter_mut().find(same) {
                Some(known) => known.catalogs.push((root.clone(), catalog.clone())),
                None => judged.packages.push(PackageOf {
                    catalogs: vec![(root.clone(), catalog.clone())],
                    package: row.package.clone(),
                    table: of.table.clone(),
                }),
            }
        }
    }
    judged
}

#[component]
pub(super) fn WhatUsersGet(app: AppContext, judged: RwSignal<Option<Judged>>) -> impl IntoView {
    let shown = move || match judged.get() {
        None => view! { <p class="dim">"Working out what changes for users…"</p> }.into_any(),
        Some(Judged { verdicts, packages, more }) => {
            let nothing = packages.is_empty().then(|| {
                view! { <p class="dim">"Nothing changes for users: every version has the same next step."</p> }
            });
            view! {
                <ul aria-label="Verdicts">{verdicts.into_iter().map(verdict).collect_view()}</ul>
                {nothing}
                <ul class="review-users-list" aria-label="Packages that change for users">
                    {packages.into_iter().map(|of| item(app, of)).collect_view()}
                    {(more > 0).then(|| view! { <li class="dim">{format!("and {}", words::count(more, "more package"))}</li> })}
                </ul>
            }
            .into_any()
        }
    };
    view! {
        <section class="review-users" aria-label="What this means for users" aria-live="polite">
            {shown}
        </section>
    }
    .into_any()
}

fn verdict((name, passes, message): (String, bool, String)) -> impl IntoView {
    let words = if passes { "passes opm validate" } else { "fails opm validate" };
    view! {
        <li class="consequence-line" data-tone=if passes { "good" } else { "bad" }>
            <strong>{name}</strong>
            " "
            {words}
            {(!message.is_empty()).then(|| view! { <span class="review-opm">{message}</span> })}
        </li>
    }
}

fn item(app: AppContext, of: PackageOf) -> impl IntoView {
    let PackageOf { catalogs, package, table } = of;
    let names: Vec<String> = catalogs.iter().map(|(_, name)| name.clone()).collect();
    let whose = match names.len() {
        1 => names.concat(),
        many => format!("in {many} catalogs: {}", words::listed(&names)),
    };
    let name = format!("Compare {package} in {}", names.first().cloned().unwrap_or_default());
    let root = catalogs.into_iter().next().map(|(root, _)| root).unwrap_or_default();
    let asked = package.clone();
    view! {
        <li class="review-user">
            <p>
                <strong>{package}</strong>
                <span class="dim">{format!(" · {whose}")}</span>
            </p>
            <button
                type="button"
                class="button"
                data-look="quiet"
                aria-label=name
                on:click=move |_| app.compare_package_with_disk(root.clone(), asked.clone())
            >
                "Compare"
            </button>
            <UserTables tables=vec![table]/>
        </li>
    }
}
