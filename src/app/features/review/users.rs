//! What all changes together come to, against what is on disk: the verdict of each edited catalog, and of each package that
//! changes what users get. What is the same in several catalogs is told once.

use super::commit_message::PackageNews;
use crate::components::user_table::UserTables;
use crate::context::AppContext;
use crate::edits::suggestions::catalog_name;
use crate::widgets::code_text::in_code;
use crate::widgets::disclosure::Disclosure;
use crate::words;
use leptos::prelude::*;
use protocol::judgement::{Tone, UserTable};
use protocol::upgrades::Baseline;
use std::collections::BTreeSet;

/// Of so many packages the table is shown; the tab *Compare* has all of them.
const SHOWN: usize = 12;

/// All edited catalogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Judged {
    verdicts: Vec<VerdictOf>,
    packages: Vec<PackageOf>,
    more: u32,
    /// The names of all packages that differ.
    names: BTreeSet<String>,
}

/// What becomes of the verdict of a catalog.
#[derive(Debug, Clone, PartialEq)]
struct VerdictOf {
    catalog: String,
    words: String,
    tone: Tone,
    /// The words of `opm validate` where it fails.
    message: String,
}

/// A package that differs from the disk.
#[derive(Debug, Clone, PartialEq)]
struct PackageOf {
    /// The catalogs where it is so: root and name.
    catalogs: Vec<(String, String)>,
    package: String,
    table: UserTable,
    /// What changed, a sentence each, names in backticks.
    changes: Vec<String>,
    /// Nobody gets another upgrade: what changed is all that is to be told.
    is_without_users: bool,
}

impl PackageOf {
    /// The first of what changed.
    fn first_changes(&self) -> String {
        const TOLD: usize = 3;
        let more = self.changes.len().saturating_sub(TOLD) as u32;
        let first = self.changes.iter().take(TOLD).cloned();
        let rest = (more > 0).then(|| words::count(more, "more change"));
        first.chain(rest).collect::<Vec<_>>().join("; ")
    }

    /// In one line, for a commit message.
    fn headline(&self) -> String {
        let changes = self.first_changes().replace('`', "");
        match self.is_without_users && !changes.is_empty() {
            true => format!("{}; {changes}", self.table.headline),
            false => self.table.headline.clone(),
        }
    }
}

impl Judged {
    pub(super) fn packages(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    /// What the commit message says of users.
    pub(super) fn news(&self) -> Vec<PackageNews> {
        let news = self.packages.iter().map(|of| PackageNews {
            package: of.package.clone(),
            catalogs: of.catalogs.iter().map(|(_, name)| name.clone()).collect(),
            headline: of.headline(),
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
        let (words, tone, message) = (found.verdict.clone(), found.verdict_tone, found.new_message.clone());
        judged.verdicts.push(VerdictOf { catalog: catalog.clone(), words, tone, message });
        for row in &found.packages {
            judged.names.insert(row.package.clone());
            let asked = ((Baseline::Disk, root.clone()), row.package.clone(), String::new());
            if judged.packages.len() >= SHOWN {
                judged.more += 1;
                continue;
            }
            let Some(of) = app.store.compare_package(asked.0, asked.1, asked.2).await else { continue };
            let same = |known: &&mut PackageOf| {
                known.package == row.package && known.table == of.table && known.changes == of.changes
            };
            match judged.packages.iter_mut().find(same) {
                Some(known) => known.catalogs.push((root.clone(), catalog.clone())),
                None => judged.packages.push(PackageOf {
                    catalogs: vec![(root.clone(), catalog.clone())],
                    package: row.package.clone(),
                    table: of.table.clone(),
                    changes: of.changes.clone(),
                    is_without_users: of.users.is_empty(),
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
        Some(Judged { verdicts, packages, more, .. }) => {
            let nothing = packages.is_empty().then(|| {
                view! { <p class="dim">"No package differs from what is on disk."</p> }
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
        <section class="review-users" aria-label="What this means for users">
            {shown}
        </section>
    }
    .into_any()
}

/// What fails as it did before is no news: the words of `opm validate` are asked for then.
fn verdict(VerdictOf { catalog, words, tone, message }: VerdictOf) -> impl IntoView {
    let message = match (message.is_empty(), tone) {
        (true, _) => ().into_any(),
        (false, Tone::Bad) => view! { <span class="review-opm">{message}</span> }.into_any(),
        (false, _) => {
            let message = view! { <span class="review-opm">{message}</span> }.into_any();
            let label = view! { "What opm validate says" }.into_any();
            view! { <Disclosure class="review-opm-more" label>{message}</Disclosure> }.into_any()
        }
    };
    view! {
        <li class="consequence-line" data-tone=tone.name()>
            <strong>{catalog}</strong>
            " "
            {words}
            {message}
        </li>
    }
}

fn item(app: AppContext, of: PackageOf) -> impl IntoView {
    let changes = of.first_changes();
    let PackageOf { catalogs, package, table, .. } = of;
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
            {(!changes.is_empty()).then(|| view! { <p class="review-changes">{in_code(&changes)}</p> })}
            <UserTables tables=vec![table]/>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_nothing_for_users_is_told_by_what_changed() {
        let of = |is_without_users, changes: &[&str]| PackageOf {
            catalogs: Vec::new(),
            package: "p".into(),
            table: UserTable {
                headline: "No installed version gets a different upgrade".into(),
                ..UserTable::default()
            },
            changes: changes.iter().map(|text| (*text).to_owned()).collect(),
            is_without_users,
        };
        assert_eq!(
            of(true, &["bundle `p.v1` is deprecated: move"]).headline(),
            "No installed version gets a different upgrade; bundle p.v1 is deprecated: move"
        );
        assert_eq!(of(false, &["x"]).headline(), "No installed version gets a different upgrade");
        assert_eq!(of(true, &["a", "b", "c", "d"]).first_changes(), "a; b; c; 1 more change");
    }
}
