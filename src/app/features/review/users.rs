//! Compares all changes with the disk: the verdict of each edited catalog, and each package whose
//! changes affect users' updates. Equal results of several catalogs are merged.

use super::commit_message::PackageNews;
use crate::components::consequences::{JudgementMark, UserTables};
use crate::components::problem_parts::FixButton;
use crate::context::navigation;
use crate::edits::form_values::named_roots;
use crate::prelude::*;
use crate::widgets::buttons::Disclosure;
use crate::widgets::short_text::breakable;
use crate::widgets::short_text::rest_item;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{Judgement, Tone, UserTable};
use protocol::query::{Compare, ComparePackage, Problems};
use protocol::upgrades::Baseline;
use std::collections::BTreeSet;

/// Maximum number of packages with a table; the *Compare* tab has all.
const SHOWN: usize = 12;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Judged {
    verdicts: Vec<VerdictItem>,
    packages: Vec<PackageItem>,
    more: usize,
    /// The names of all packages that differ.
    names: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct VerdictItem {
    root: String,
    catalog: String,
    verdict: String,
    tone: Tone,
    /// The message of `opm validate` if it fails.
    message: String,
    /// The errors that make it fail. Errors of changed packages come first.
    errors: Vec<Diagnostic>,
    /// Number of further errors.
    more: usize,
    /// New problems that do not make it fail.
    new_problems: Vec<Diagnostic>,
}

impl VerdictItem {
    /// Formats the verdict, e.g. `fails opm validate now: 2 errors`.
    fn sentence(&self) -> String {
        match (self.errors.len() + self.more) as u32 {
            0 => self.verdict.clone(),
            // The verdict of a catalog that failed before already contains its errors.
            _ if self.verdict.contains(" error") => self.verdict.clone(),
            count => format!("{}: {}", self.verdict, words::count(count, "error")),
        }
    }
}

/// Maximum number of errors in the summary, with their positions.
const ERRORS: usize = 3;
/// Maximum number of new problems that do not make a catalog fail.
const NEW_PROBLEMS: usize = 5;

/// Returns the first errors of a catalog, those of changed packages before others, and the number
/// of further ones. Ignores mere consequences of other errors.
fn worst(
    problems: impl Iterator<Item = Diagnostic>,
    changed: &BTreeSet<String>,
) -> (Vec<Diagnostic>, usize) {
    let is_error = |problem: &Diagnostic| problem.opm && problem.severity == Severity::Error;
    let mut errors: Vec<Diagnostic> = problems.filter(is_error).collect();
    errors.sort_by_key(|problem| {
        let is_elsewhere = is_elsewhere(problem, changed) && !problem.hides_text();
        (is_elsewhere, problem.follows.is_some())
    });
    let more = errors.len().saturating_sub(ERRORS);
    errors.truncate(ERRORS);
    (errors, more)
}

/// Whether the problem concerns no changed package.
fn is_elsewhere(problem: &Diagnostic, changed: &BTreeSet<String>) -> bool {
    let package = problem.package.as_ref();
    package.is_none_or(|name| !changed.contains(name))
}

/// A package that differs from the disk.
#[derive(Debug, Clone, PartialEq)]
struct PackageItem {
    /// The affected catalogs: root and name.
    catalogs: Vec<(String, String)>,
    package: String,
    judgement: Judgement,
    table: UserTable,
    /// One sentence per change, with names in backticks.
    changes: Vec<String>,
    /// Whether the changes affect no user's updates, so that only the changes are listed.
    is_without_users: bool,
}

/// Maximum number of changes named of a package.
const MAX_CHANGES: usize = 3;

impl PackageItem {
    fn named_changes(&self) -> &[String] {
        self.changes.get(..MAX_CHANGES).unwrap_or(&self.changes)
    }

    fn first_changes(&self) -> Vec<String> {
        let mut changes = self.named_changes().to_vec();
        let more = (self.changes.len() - changes.len()) as u32;
        changes.extend((more > 0).then(|| words::count(more, "more change")));
        changes
    }

    /// Returns one line for a commit message.
    fn headline(&self) -> String {
        let changes = self.named_changes().join("; ").replace('`', "");
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

    /// Returns the news for users in the commit message, one item per package.
    pub(super) fn news(&self) -> Vec<PackageNews> {
        let news = self.packages.iter().map(|package| PackageNews {
            package: package.package.clone(),
            catalogs: package
                .catalogs
                .iter()
                .map(|(_, name)| name.clone())
                .collect(),
            headline: package.headline(),
        });
        news.collect()
    }
}

pub(super) async fn judge(app: AppContext) -> Judged {
    let edited = app.store.status.with_untracked(|status| {
        named_roots(&status.roots, |row| row.edited && !row.is_template())
    });
    let mut judged = Judged::default();
    for (root, catalog) in edited {
        let compare = Compare {
            old: Baseline::Disk,
            root: root.clone(),
        };
        let Ok(comparison) = app.store.ask(compare).await else {
            continue;
        };
        let changed: BTreeSet<String> = comparison
            .packages
            .iter()
            .map(|row| row.package.clone())
            .collect();
        let problems = match comparison.new_passed {
            true => Vec::new(),
            false => {
                let problems = Problems { root: root.clone() };
                app.store.ask(problems).await.unwrap_or_default()
            }
        };
        let (errors, more) = worst(problems.into_iter().map(|problem| problem.0), &changed);
        let new_problems = comparison
            .new_problems
            .iter()
            .map(|problem| problem.0.clone());
        judged.verdicts.push(VerdictItem {
            root: root.clone(),
            catalog: catalog.clone(),
            verdict: comparison.verdict.clone(),
            tone: comparison.verdict_tone,
            message: comparison.new_message.clone(),
            errors,
            more,
            new_problems: sorted_new(new_problems.collect(), &changed),
        });
        for row in &comparison.packages {
            judged.names.insert(row.package.clone());
            if judged.packages.len() >= SHOWN {
                judged.more += 1;
                continue;
            }
            let compare = ComparePackage {
                old: Baseline::Disk,
                root: root.clone(),
                package: row.package.clone(),
                cluster: String::new(),
            };
            let Ok(comparison) = app.store.ask(compare).await else {
                continue;
            };
            let same = |known: &&mut PackageItem| {
                known.package == row.package
                    && known.table == comparison.table
                    && known.changes == comparison.changes
            };
            match judged.packages.iter_mut().find(same) {
                Some(known) => known.catalogs.push((root.clone(), catalog.clone())),
                None => {
                    let is_at_least_as_bad =
                        |other: &PackageItem| other.judgement >= comparison.judgement;
                    let at = judged.packages.partition_point(is_at_least_as_bad);
                    let item = PackageItem {
                        catalogs: vec![(root.clone(), catalog.clone())],
                        package: row.package.clone(),
                        judgement: comparison.judgement,
                        table: comparison.table.clone(),
                        changes: comparison.changes.clone(),
                        is_without_users: comparison.table.is_unchanged(),
                    };
                    judged.packages.insert(at, item);
                }
            }
        }
    }
    judged
}

#[component]
pub(super) fn WhatUsersGet(app: AppContext, judged: RwSignal<Option<Judged>>) -> impl IntoView {
    let content = move || match judged.get() {
        None => view! { <p class="dim">"Working out what changes for users…"</p> }.into_any(),
        Some(Judged { packages, more, .. }) => {
            let nothing = packages.is_empty().then(|| {
                view! { <p class="dim">"No package differs."</p> }
            });
            view! {
                <p class="dim">"Compared with the files on disk:"</p>
                {nothing}
                <ul class="review-users-list" aria-label="Packages that change for users">
                    {packages.into_iter().map(|package| item(app, package)).collect_view()}
                    {rest_item(more)}
                </ul>
            }
            .into_any()
        }
    };
    view! {
        <section class="review-users" aria-label="What this means for users">
            {content}
        </section>
    }
    .into_any()
}

fn verdicts_of(judged: RwSignal<Option<Judged>>) -> Memo<Option<Vec<VerdictItem>>> {
    memo(move |_| judged.with(|judged| Some(judged.as_ref()?.verdicts.clone())))
}

/// The verdict on each edited catalog, shown first: whether it passes, and the errors if not.
#[component]
pub(super) fn Verdicts(app: AppContext, judged: RwSignal<Option<Judged>>) -> impl IntoView {
    let verdicts = verdicts_of(judged);
    move || {
        let verdicts = verdicts.get().filter(|verdicts| !verdicts.is_empty())?;
        let items = verdicts
            .into_iter()
            .map(|item| verdict(app, item))
            .collect_view();
        Some(view! { <ul class="review-verdicts" aria-label="Verdicts">{items}</ul> })
    }
}

/// Renders a verdict. The message of `opm validate` is expandable, because the errors are listed
/// with their positions.
fn verdict(app: AppContext, verdict_item: VerdictItem) -> impl IntoView {
    let sentence = verdict_item.sentence();
    let VerdictItem {
        root,
        catalog,
        tone,
        message,
        errors,
        more,
        ..
    } = verdict_item;
    let message = (!message.is_empty()).then(|| {
        let message = view! { <span class="review-opm">{message}</span> }.into_any();
        let label = view! { "Output of opm validate" }.into_any();
        view! { <Disclosure class="review-opm-more" label>{message}</Disclosure> }
    });
    let has_errors = !errors.is_empty();
    let remedy = errors.first().and_then(|worst| remedy(app, worst));
    let line = |problem: Diagnostic| {
        view! { <li>{message_and_place(app, &root, &problem)}</li> }
    };
    let errors = errors.into_iter().map(line).collect_view();
    view! {
        <li class="consequence-line" data-tone=tone.name()>
            <strong>{catalog}</strong>
            " "
            {sentence}
            " "
            {remedy}
            {has_errors
                .then(|| {
                    view! {
                        <ul class="review-errors" aria-label="Errors">
                            {errors}
                            {rest_item(more)}
                        </ul>
                    }
                })}
            {message}
        </li>
    }
}

fn message_and_place(app: AppContext, root: &str, problem: &Diagnostic) -> impl IntoView + use<> {
    let (root, location) = (root.to_owned(), problem.location.clone());
    let place = words::location(&location);
    let go = move |_| app.edit_as_text(Some(root.clone()), location.clone());
    view! {
        {in_code(&problem.message)}
        " "
        {(!place.is_empty())
            .then(|| view! { <button type="button" class="link" on:click=go>{breakable(&place)}</button> })}
    }
}

/// New problems that do not make a catalog fail, by severity. Shown after the effects of the edits.
#[component]
pub(super) fn NewProblems(app: AppContext, judged: RwSignal<Option<Judged>>) -> impl IntoView {
    let verdicts = verdicts_of(judged);
    let row = move |item: VerdictItem, several: bool| {
        let more = item.new_problems.len().saturating_sub(NEW_PROBLEMS);
        let line = |problem: &Diagnostic| {
            view! {
                <li>
                    {several.then(|| view! { <strong>{item.catalog.clone()}</strong> " " })}
                    <span class="strip-mark" data-tone=level_tone(problem.severity).name()>
                        {format!("new {}", problem.severity.name())}
                    </span>
                    " "
                    {message_and_place(app, &item.root, problem)}
                </li>
            }
        };
        let lines = item
            .new_problems
            .iter()
            .take(NEW_PROBLEMS)
            .map(line)
            .collect_view();
        view! { {lines} {rest_item(more)} }
    };
    move || {
        let verdicts = verdicts.get().unwrap_or_default();
        let several = verdicts.len() > 1;
        let new = verdicts
            .into_iter()
            .filter(|verdict| !verdict.new_problems.is_empty());
        let new: Vec<_> = new.map(|item| row(item, several)).collect();
        (!new.is_empty()).then(|| {
            view! { <ul class="review-errors" aria-label="New problems">{new}</ul> }
        })
    }
}

fn level_tone(level: Severity) -> Tone {
    match level {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Advice,
        Severity::Info => Tone::Plain,
    }
}

/// Sorts problems of changed packages first, then by severity, worst first.
fn sorted_new(mut problems: Vec<Diagnostic>, changed: &BTreeSet<String>) -> Vec<Diagnostic> {
    problems.sort_by_key(|problem| (is_elsewhere(problem, changed), problem.severity));
    problems
}

/// Renders the first fix of a problem, or else its remedy. Placed on the verdict's line, so that it
/// is visible even if many catalogs fail.
fn remedy(app: AppContext, problem: &Diagnostic) -> Option<AnyView> {
    let (fix, help) = (problem.fixes.first().cloned(), problem.help.clone());
    match fix {
        _ if problem.hides_text() => {
            let (root, location) = (problem.catalog.clone(), problem.location.clone());
            let label = words::go_to_line(&location);
            let go = move |()| app.edit_as_text(Some(root.clone()), location.clone());
            Some(view! { <Button label on_press=go/> }.into_any())
        }
        Some(fix) => Some(
            view! { <FixButton app problem=problem.clone() fix tab=Signal::stored("0")/> }
                .into_any(),
        ),
        None => (!help.is_empty())
            .then(|| view! { <span class="dim">"What to do: " {in_code(&help)}</span> }.into_any()),
    }
}

fn item(app: AppContext, package_item: PackageItem) -> impl IntoView {
    // The table shows the effect of other changes.
    let changes = package_item
        .is_without_users
        .then(|| package_item.first_changes())
        .filter(|changes| !changes.is_empty());
    let PackageItem {
        catalogs,
        package,
        judgement,
        mut table,
        ..
    } = package_item;
    let names: Vec<String> = catalogs.iter().map(|(_, name)| name.clone()).collect();
    table.catalogs = names.clone();
    let whose = match names.len() {
        1 => names.concat(),
        many => format!("in {many} catalogs: {}", words::list_names(&names)),
    };
    let name = format!(
        "Compare {package} in {}",
        names.first().cloned().unwrap_or_default()
    );
    let root = catalogs
        .into_iter()
        .next()
        .map(|(root, _)| root)
        .unwrap_or_default();
    let compared = package.clone();
    view! {
        <li class="review-user">
            <p>
                <strong>{package}</strong>
                <span class="dim">{format!(" · {whose} ")}</span>
                <JudgementMark judgement/>
            </p>
            <button
                type="button"
                class="button"
                data-look="quiet"
                aria-label=name
                on:click=move |_| navigation::compare_package_with_disk(app, root.clone(), compared.clone())
            >
                "Compare"
            </button>
            {changes.map(|changes| {
                let items = changes.iter().map(|change| view! { <li>{in_code(change)}</li> });
                view! { <ul class="review-changes">{items.collect_view()}</ul> }
            })}
            <UserTables tables=vec![table]/>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_changed_packages_come_first() {
        let problem = |package: &str, severity, opm| Diagnostic {
            opm,
            package: Some(package.into()),
            ..Diagnostic::new("rule", severity, package)
        };
        let error = |package: &str| problem(package, Severity::Error, true);
        let mut all: Vec<Diagnostic> = ["a", "b", "c", "mine"].map(error).into();
        all.push(problem("mine", Severity::Warning, true));
        all.push(problem("mine", Severity::Error, false));
        let (errors, more) = worst(all.into_iter(), &BTreeSet::from(["mine".to_owned()]));
        assert_eq!(
            errors
                .iter()
                .map(|error| error.message.as_str())
                .collect::<Vec<_>>(),
            ["mine", "a", "b"]
        );
        let item = VerdictItem {
            verdict: "fails opm validate now".into(),
            errors,
            more,
            ..VerdictItem::default()
        };
        assert_eq!(
            (item.sentence().as_str(), more),
            ("fails opm validate now: 4 errors", 1)
        );
        let passes = VerdictItem {
            verdict: "still passes opm validate".into(),
            ..VerdictItem::default()
        };
        assert_eq!(passes.sentence(), "still passes opm validate");
    }

    #[test]
    fn new_problems_of_changed_packages_come_first() {
        let problem = |package: &str, severity| Diagnostic {
            package: Some(package.into()),
            ..Diagnostic::new("rule", severity, package)
        };
        let problems = vec![
            problem("other", Severity::Warning),
            problem("mine", Severity::Info),
            problem("mine", Severity::Warning),
        ];
        let sorted = sorted_new(problems, &BTreeSet::from(["mine".to_owned()]));
        let order: Vec<_> = sorted
            .iter()
            .map(|problem| (problem.message.as_str(), problem.severity))
            .collect();
        assert_eq!(
            order,
            [
                ("mine", Severity::Warning),
                ("mine", Severity::Info),
                ("other", Severity::Warning)
            ]
        );
    }

    #[test]
    fn edits_without_effect_on_users_are_described_by_their_changes() {
        let item = |is_without_users, changes: &[&str]| PackageItem {
            catalogs: Vec::new(),
            package: "p".into(),
            judgement: Judgement::Neutral,
            table: UserTable {
                headline: "No installed version gets a different update".into(),
                ..UserTable::default()
            },
            changes: changes.iter().map(|text| (*text).to_owned()).collect(),
            is_without_users,
        };
        assert_eq!(
            item(true, &["bundle `p.v1` is deprecated: move"]).headline(),
            "No installed version gets a different update; bundle p.v1 is deprecated: move"
        );
        assert_eq!(
            item(false, &["x"]).headline(),
            "No installed version gets a different update"
        );
        let four = item(true, &["a", "b", "c", "d"]);
        assert_eq!(four.first_changes(), ["a", "b", "c", "1 more change"]);
        assert!(
            four.headline().ends_with("; a; b; c"),
            "a commit message names changes or leaves them out"
        );
    }
}
