//! *Compare with…*: the catalog in view against another, or against itself on disk: packages by
//! number of affected versions, and for the package in view its changes, broken invariants, and
//! affected users.

use super::catalog_matrix::CatalogMatrix;
use super::comparison_text::{counts, effect, next_step, through};
use super::everyone_text::version_or_name;
use super::incomplete::incomplete;
use crate::commands::Command;
use crate::components::user_table::UserTables;
use crate::context::{AppContext, app_context};
use crate::edits::suggestions::catalog_name;
use crate::reactive::memo;
use crate::state::element_ids::COMPARE_WITH;
use crate::widgets::button::Button;
use crate::widgets::code_text::in_code;
use crate::widgets::list_cursor::Axis;
use crate::widgets::roving_focus::rove;
use crate::widgets::segmented::Segmented;
use crate::words;
use leptos::prelude::*;
use protocol::counting::and_more;
use protocol::judgement::Tone;
use protocol::upgrades::{
    Baseline, ComparedKind, ComparedRow, Comparison, PackageComparison, UserRow,
};
use protocol::views::RootRow;
use wasm_bindgen_futures::spawn_local;

/// Maximum number of open catalogs offered; the list above has all.
const OFFERED: usize = 6;
/// Maximum number of affected users drawn; the others are counted.
const SHOWN: usize = 300;

#[component]
pub fn Compare() -> impl IntoView {
    let app = app_context();
    let kind = RwSignal::new("catalogs");
    let has_other = memo(move |_| app.store.has_several_catalogs());
    let is_matrix = memo(move |_| has_other.get() && kind.get() == "matrix");
    let same = memo(move |_| {
        app.comparison
            .old
            .with(Option::is_some)
            .then(|| app.comparison.catalogs.get())
            .flatten()
            .filter(|found| found.packages.is_empty())
    });
    // For equal catalogs, compare their files too.
    let files = RwSignal::new(None::<bool>);
    crate::reactive::effect(move |_| {
        files.set(None);
        let Some(found) = same.get() else { return };
        spawn_local(async move {
            let answer = app
                .comparison
                .has_same_files(found.old.clone(), found.root.clone())
                .await;
            if same.try_get_untracked().flatten() == Some(found) {
                files.try_set(answer);
            }
        });
    });
    view! {
        <section class="compare" aria-label="Compare">
            <Show when=move || has_other.get()>
                <div class="compare-kinds">
                    <Segmented
                        label="What is compared"
                        options=&[("catalogs", "Old against new"), ("matrix", "Versions by catalog")]
                        selected=kind
                        on_select=move |key| kind.set(key)
                    />
                </div>
            </Show>
            <Show when=move || is_matrix.get()>
                <CatalogMatrix/>
            </Show>
            <div class="compare-old-new" hidden=move || is_matrix.get()>
                <Bar app/>
                <Show when=move || app.comparison.old.with(Option::is_none)>
                    <Offers app/>
                </Show>
                {move || same.get().map(|found| nothing_changed(&found, files.get()))}
                <div
                    class="compare-body"
                    hidden=move || app.comparison.old.with(Option::is_none) || same.with(Option::is_some)
                >
                    <div class="compare-packages">
                        {move || app.comparison.catalogs.get().map(|found| packages(app, &found))}
                    </div>
                    <div class="compare-package" tabindex="0" role="region" aria-label="What differs">
                        {move || app.comparison.package.get().map(|found| package(&found))}
                    </div>
                </div>
            </div>
        </section>
    }
    .into_any()
}

/// Suggested baselines while none is chosen.
#[component]
fn Offers(app: AppContext) -> impl IntoView {
    let choose = move |old: Baseline| move |()| app.store.compare_with(Some(old.clone()));
    let others = move || {
        let root = app.store.root.get();
        app.store.status.with(|status| {
            let others = status
                .roots
                .iter()
                .filter(|row| !row.is_template() && row.root != root)
                .take(OFFERED);
            let name = |row: &RootRow| (row.root.clone(), catalog_name(&status.roots, &row.root));
            others.map(name).collect::<Vec<_>>()
        })
    };
    view! {
        <div class="compare-none">
            <p>"Choose what users have now. You can also drop another catalog on the page, such as another branch or OCP version."</p>
            <div class="compare-offers">
                <Button label="What is on disk" on_press=choose(Baseline::Disk)/>
                {move || {
                    let button = |(root, name): (String, String)| view! { <Button label=name on_press=choose(Baseline::Catalog(root))/> };
                    others().into_iter().map(button).collect_view()
                }}
                <Button label="Open another…" on_press=move |()| Command::OpenFolder.run(app)/>
            </div>
        </div>
    }
    .into_any()
}

/// The compared catalogs.
#[component]
fn Bar(app: AppContext) -> impl IntoView {
    let names = memo(move |_| {
        app.store.status.with(|status| {
            let roots = status.roots.iter().filter(|row| !row.is_template());
            roots
                .map(|row| (row.root.clone(), catalog_name(&status.roots, &row.root)))
                .collect::<Vec<_>>()
        })
    });
    let here = move || {
        let root = app.store.root.get();
        names.with(|names| {
            names
                .iter()
                .find(|(known, _)| *known == root)
                .map(|(_, name)| name.clone())
        })
    };
    let old = app.comparison.old;
    let swap = move |()| {
        if let Some(Baseline::Catalog(other)) = old.get_untracked() {
            let here = Baseline::Catalog(app.store.root.get_untracked());
            app.store.compare_catalog(other.clone(), here);
            app.show_root(other);
        }
    };
    view! {
        <div class="compare-bar">
            <label class="question-label" for=COMPARE_WITH>"Users come from"</label>
            <select
                class="field-input compare-select"
                id=COMPARE_WITH
                on:change=move |event| {
                    app.store.compare_with(against(&event_target_value(&event)));
                }
            >
                <option value="" prop:selected=move || old.with(Option::is_none)>"choose…"</option>
                <option value=value(&Baseline::Disk) prop:selected=move || old.with(|old| *old == Some(Baseline::Disk))>
                    "what is on disk"
                </option>
                {move || {
                    let root = app.store.root.get();
                    let others = names.get().into_iter().filter(|(known, _)| *known != root);
                    others
                        .map(|(root, name)| {
                            let own = Baseline::Catalog(root);
                            let value = value(&own);
                            let is_it = move || old.with(|old| old.as_ref() == Some(&own));
                            view! { <option value=value prop:selected=is_it>{name}</option> }
                        })
                        .collect_view()
                }}
            </select>
            <span class="dim">"and get"</span>
            <strong class="mono">{here}</strong>
            <span class="dim" hidden=move || old.with(|old| *old != Some(Baseline::Disk))>"as it is edited here"</span>
            <Show when=move || old.with(|old| matches!(old, Some(Baseline::Catalog(_))))>
                <Button label="Swap" on_press=swap/>
            </Show>
        </div>
    }
    .into_any()
}

/// The value of a choice; "" is none.
fn value(against: &Baseline) -> String {
    match against {
        Baseline::Disk => "disk".to_owned(),
        Baseline::Catalog(root) => format!("at:{root}"),
    }
}

fn against(value: &str) -> Option<Baseline> {
    match value.strip_prefix("at:") {
        Some(root) => Some(Baseline::Catalog(root.to_owned())),
        None => (value == "disk").then_some(Baseline::Disk),
    }
}

/// Equal catalogs. `files`: whether their files are equal too, if known.
fn nothing_changed(found: &Comparison, files: Option<bool>) -> impl IntoView + use<> {
    view! {
        <div class="compare-none" role="group" aria-label="Both catalogs">
            <p>{same_words(found, files)}</p>
            {(!found.new_passed).then(|| fails(found))}
            {incomplete(found.incomplete.clone())}
        </div>
    }
    .into_any()
}

fn same_words(found: &Comparison, files: Option<bool>) -> String {
    if !found.incomplete.is_empty() {
        return "What could be read is the same in both catalogs.".to_owned();
    }
    let same = "Nothing changed: both catalogs have the same packages, channels and bundles.";
    match files {
        Some(true) => format!("{same} The files are identical."),
        Some(false) => {
            format!(
                "{same} Their files differ in what changes no upgrade, such as comments, order or descriptions."
            )
        }
        None => same.to_owned(),
    }
}

/// Number of differing packages in the catalog in view, as in the filter beside it, and of those
/// that only the old one has.
fn count_changes(found: &Comparison) -> String {
    let is_gone = |row: &&ComparedRow| row.kind == ComparedKind::Removed;
    let gone = found.packages.iter().filter(is_gone).count() as u32;
    let differ = found.packages.len() as u32 - gone;
    let differ = match differ {
        1 => "1 package differs".to_owned(),
        _ => format!("{} differ", words::packages(differ)),
    };
    let gone = match gone {
        0 => String::new(),
        1 => ", 1 is gone".to_owned(),
        _ => format!(", {gone} are gone"),
    };
    format!("{differ}{gone}, {} the same", found.same)
}

/// The packages that differ, most affected versions first.
fn packages(app: AppContext, found: &Comparison) -> impl IntoView + use<> {
    let summary = count_changes(found);
    let rows = found
        .packages
        .iter()
        .cloned()
        .map(|row| package_row(app, row))
        .collect_view();
    view! {
        <p class="compare-told">{summary}</p>
        {(!found.new_passed).then(|| fails(found))}
        {incomplete(found.incomplete.clone())}
        <ul aria-label="Packages that differ" on:keydown=move |event| rove(&event, "button", Axis::Vertical)>{rows}</ul>
    }
    .into_any()
}

/// The new catalog is refused. The problem list has the reasons, which may be unrelated to the
/// differences.
fn fails(found: &Comparison) -> impl IntoView + use<> {
    let is_as_before = found.verdict_tone != Tone::Bad;
    let message = match (&found.old, is_as_before) {
        (Baseline::Catalog(_), true) => format!("Both fail. The new one {}.", found.verdict),
        (_, true) => format!("The catalog {}.", found.verdict),
        (Baseline::Disk, false) => {
            "The catalog fails opm validate now; on disk it passes.".to_owned()
        }
        (_, false) => "The new one fails opm validate; the old one passes.".to_owned(),
    };
    view! { <p class="compare-fails" data-tone=found.verdict_tone.name() title=found.new_message.clone()>{message}</p> }
}

/// The affected users.
fn affected_users(row: &ComparedRow) -> String {
    match (row.hit, row.is_fresh_changed) {
        _ if row.is_hidden => "not known".to_owned(),
        (0, _) if row.is_unlisted_changed => "versions not listed here".to_owned(),
        (0, false) => "none affected".to_owned(),
        (0, true) => "new installs only".to_owned(),
        (hit, _) => format!("{} affected", words::count(hit, "version")),
    }
}

fn package_row(app: AppContext, row: ComparedRow) -> impl IntoView {
    let name = row.package.clone();
    let is_here = memo({
        let name = name.clone();
        move |_| {
            app.comparison
                .gone
                .get()
                .unwrap_or_else(|| app.current.package.get())
                == name
        }
    });
    let counts = counts(&row);
    let (package, is_gone) = (name.clone(), row.kind == ComparedKind::Removed);
    let affected = affected_users(&row);
    view! {
        <li>
            <button
                type="button"
                class="compare-row"
                title=row.summary
                aria-current=move || is_here.get().then_some("true")
                on:click=move |_| {
                    if is_gone {
                        app.comparison.gone.set(Some(package.clone()));
                    } else {
                        app.comparison.gone.set(None);
                        app.show_package(package.clone());
                    }
                }
            >
                <span class="compare-name">{name}</span>
                <span class="row-count">{affected}</span>
                <span class="compare-counts">
                    {counts.into_iter().map(|(tone, text)| view! { <span data-tone=tone>{text}</span> }).collect_view()}
                </span>
            </button>
        </li>
    }
    .into_any()
}

/// A package in both catalogs.
fn package(found: &PackageComparison) -> impl IntoView + use<> {
    // Without rows nothing is known: there is always one for new installs.
    let is_same = !found.table.rows.is_empty()
        && found.changes.is_empty()
        && found.users.is_empty()
        && found.table.broken.is_empty()
        && found.entries.is_empty();
    let changes = found.changes.clone();
    let entries = found
        .entries
        .iter()
        .filter(|entry| !entry.detail.is_empty());
    let details: Vec<String> = entries
        .map(|entry| format!("`{}` in `{}`: {}", entry.name, entry.channel, entry.detail))
        .collect();
    let users = found
        .users
        .iter()
        .take(SHOWN)
        .cloned()
        .map(user_row)
        .collect_view();
    let more = found.users.len().saturating_sub(SHOWN);
    let tables = vec![found.table.clone()];
    let (on_cluster, cluster) = (found.on_cluster.clone(), &found.cluster);
    let of_cluster = format!("On OpenShift {}", cluster.openshift);
    let has_cluster_notes = !on_cluster.is_empty();
    let (has_users, has_changes) = (
        !found.users.is_empty(),
        !(changes.is_empty() && details.is_empty()),
    );
    view! {
        <h2 class="compare-title">{found.package.clone()}</h2>
        {is_same.then(|| view! { <p class="dim">"No user of this package gets a different upgrade."</p> })}
        {(!is_same)
            .then(|| {
                view! {
                    <h3 class="compare-heading">"What users get"</h3>
                    <UserTables tables/>
                }
            })}
        {has_cluster_notes
            .then(|| {
                view! {
                    <h3 class="compare-heading">{of_cluster.clone()}</h3>
                    <ul class="compare-list" aria-label=of_cluster>
                        {on_cluster.into_iter().map(|line| view! { <li>{in_code(&line)}</li> }).collect_view()}
                    </ul>
                }
            })}
        {has_users
            .then(|| {
                view! {
                    <details class="compare-each" open>
                    <summary class="compare-heading">"Version by version"</summary>
                    <table class="table everyone-table">
                        <caption class="visually-hidden">"Who is affected"</caption>
                        <thead>
                            <tr>
                                {["From", "OLM", "Next step", "End", "Effect"]
                                    .into_iter()
                                    .map(|name| view! { <th scope="col">{name}</th> })
                                    .collect_view()}
                            </tr>
                        </thead>
                        <tbody>{users}</tbody>
                    </table>
                    {(more > 0).then(|| view! { <p class="dim">{and_more(more)}</p> })}
                    </details>
                }
            })}
        {has_changes
            .then(|| {
                view! {
                    <h3 class="compare-heading">"What changed"</h3>
                    <ul class="compare-list" aria-label="What changed">
                        {changes.into_iter().chain(details).map(|line| view! { <li>{in_code(&line)}</li> }).collect_view()}
                    </ul>
                }
            })}
    }
    .into_any()
}

fn user_row(user: UserRow) -> impl IntoView {
    let (tone, text) = effect(&user.effect);
    let [old_error, new_error] = &user.errors;
    let next = (
        next_step(user.old_next.as_ref(), old_error),
        next_step(user.new_next.as_ref(), new_error),
    );
    let end = (
        version_or_name(&user.old_last).to_owned(),
        version_or_name(&user.new_last).to_owned(),
    );
    view! {
        <tr title=user.says.clone()>
            <th scope="row" class="everyone-version mono">{version_or_name(&user.from).to_owned()}</th>
            <td>{through(&user)}</td>
            <td class="mono">{turn(next)}</td>
            <td class="mono">{turn(end)}</td>
            <td><span class="strip-mark" data-tone=tone>{text}</span></td>
        </tr>
    }
    .into_any()
}

/// The old and new value, or a single one if they are equal.
fn turn((was, is): (String, String)) -> impl IntoView {
    if was == is {
        return view! { <span>{is}</span> }.into_any();
    }
    view! {
        <s class="compare-was">{was}</s>
        " "
        <span class="visually-hidden">"now "</span>
        <strong>{is}</strong>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_only_compared_packages_as_the_same() {
        let of = |incomplete: &[&str]| Comparison {
            incomplete: incomplete.iter().map(|file| (*file).to_owned()).collect(),
            ..Comparison::default()
        };
        let same = "Nothing changed: both catalogs have the same packages, channels and bundles.";
        assert_eq!(same_words(&of(&[]), None), same);
        assert_eq!(
            same_words(&of(&[]), Some(true)),
            format!("{same} The files are identical.")
        );
        assert!(same_words(&of(&[]), Some(false)).contains("Their files differ"));
        let some = of(&["`a.yaml` cannot be read"]);
        assert_eq!(
            same_words(&some, Some(true)),
            "What could be read is the same in both catalogs."
        );
    }
}
