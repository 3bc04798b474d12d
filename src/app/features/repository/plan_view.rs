//! The result of a task: each catalog with its verdict and consequences, changed texts, and pull
//! requests.

use super::Findings;
use super::grid::verdict_mark;
use crate::components::consequences::ConsequenceList;
use crate::components::diff::render_diffs;
use crate::context::AppContext;
use crate::widgets::short_text::in_code;
use crate::words;
use leptos::prelude::*;
use protocol::repository::{PlannedCatalog, RepositoryPlan};
use protocol::views::FileDiff;

/// Catalogs with the same result.
#[derive(Debug, Clone, PartialEq)]
struct CatalogGroup {
    names: Vec<String>,
    planned: PlannedCatalog,
}

fn group_catalogs(catalogs: &[PlannedCatalog]) -> Vec<CatalogGroup> {
    let mut groups: Vec<CatalogGroup> = Vec::new();
    for planned in catalogs {
        let is_same = |group: &&mut CatalogGroup| {
            let other = &group.planned;
            other.operator == planned.operator
                && other.is_new == planned.is_new
                && other.passes == planned.passes
                && other.is_part == planned.is_part
                && other.is_refused == planned.is_refused
                && other.message == planned.message
                && other.diff.is_some() == planned.diff.is_some()
                && other.consequences.tables == planned.consequences.tables
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.names.push(planned.catalog.clone()),
            None => groups.push(CatalogGroup {
                names: vec![planned.catalog.clone()],
                planned: planned.clone(),
            }),
        }
    }
    groups
}

fn outcome(catalog: &PlannedCatalog) -> String {
    let verdict = match (catalog.passes, catalog.is_part) {
        (true, false) => "passes opm validate",
        (true, true) => {
            "has no errors in this operator's part (the whole is too large to be judged here)"
        }
        (false, _) => "fails opm validate",
    };
    match (catalog.is_refused, catalog.diff.is_some(), catalog.is_new) {
        (true, ..) => "cannot be rendered".to_owned(),
        (_, false, _) => "does not change".to_owned(),
        (_, _, true) => format!("is new, and {verdict}"),
        (_, _, false) => format!("changes, and {verdict}"),
    }
}

/// The whole plan. Findings link to the files of `operator`.
#[component]
pub(super) fn PlanView(app: AppContext, plan: RepositoryPlan, operator: String) -> impl IntoView {
    let RepositoryPlan {
        refused,
        findings,
        notes,
        files,
        catalogs,
        pull_requests,
        ..
    } = plan;
    let are_several_operators = catalogs
        .windows(2)
        .any(|pair| pair[0].operator != pair[1].operator);
    let is_empty = refused.is_empty()
        && files.is_empty()
        && catalogs.iter().all(|catalog| catalog.diff.is_none());
    let nothing_to_write = pull_requests.is_empty() && refused.is_empty() && !is_empty;
    let (written, later): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| {
        pull_requests
            .iter()
            .any(|request| request.files.contains(&file.path))
    });
    let catalog_diffs: Vec<_> = catalogs
        .iter()
        .filter_map(|catalog| catalog.diff.clone())
        .collect();
    view! {
        {(!refused.is_empty())
            .then(|| {
                view! {
                    <h3 class="repo-title">"It cannot be done"</h3>
                    <Findings app operator=operator.clone() findings=refused label="Why it cannot be done"/>
                }
            })}
        {is_empty.then(|| view! { <p class="preview-note">"Nothing to change: everything is as it would be made."</p> })}
        {nothing_to_write.then(|| note("`release-config.yaml` is already up to date: there is nothing to write."))}
        {notes.into_iter().map(|note| view! { <p class="preview-note">{note}</p> }).collect_view()}
        {(!catalogs.is_empty())
            .then(|| {
                view! {
                    <h3 class="repo-title">"Catalogs"</h3>
                    <ul class="repo-list" aria-label="What becomes of the catalogs">
                        {group_catalogs(&catalogs).into_iter().map(|group| catalog_item(group, are_several_operators)).collect_view()}
                    </ul>
                }
            })}
        {(!findings.is_empty())
            .then(|| {
                view! {
                    <h3 class="repo-title">{words::count(findings.len() as u32, "finding")}</h3>
                    <Findings app operator=operator.clone() findings label="Findings"/>
                }
            })}
        {file_diffs("Files to write", written)}
        {file_diffs("What the pipeline changes after the merge", later)}
        {(!catalog_diffs.is_empty())
            .then(|| {
                view! {
                    <details class="repo-details">
                        <summary>{format!("Text of {}", words::count(catalog_diffs.len() as u32, "catalog"))}</summary>
                        {render_diffs(catalog_diffs)}
                    </details>
                }
            })}
    }
    .into_any()
}

fn file_diffs(title: &'static str, files: Vec<FileDiff>) -> Option<impl IntoView> {
    (!files.is_empty()).then(|| {
        view! {
            <h3 class="repo-title">{title}</h3>
            {render_diffs(files)}
        }
    })
}

/// `names_operator`: the plan has catalogs of several operators.
fn catalog_item(group: CatalogGroup, names_operator: bool) -> impl IntoView {
    let CatalogGroup { names, planned } = group;
    let result = outcome(&planned);
    let mut name = names.join(", ");
    if names_operator {
        name = format!("{} {name}", planned.operator);
    }
    let passes = planned.passes && !planned.is_refused;
    let consequences =
        (planned.diff.is_some() && !planned.is_new).then(|| planned.consequences.clone());
    let message = planned.message.clone();
    view! {
        <li class="repo-planned">
            <p>
                {verdict_mark(passes)}
                " " <strong>{name}</strong> " " {result}
            </p>
            {(!message.is_empty()).then(|| view! { <p class="mono dim">{message}</p> })}
            {consequences.map(|consequences| view! { <ConsequenceList consequences/> })}
        </li>
    }
    .into_any()
}

/// Renders a note. Backticks in its text mark code.
pub(super) fn note(text: &str) -> AnyView {
    view! { <p class="preview-note">{in_code(text)}</p> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn planned(name: &str, passes: bool) -> PlannedCatalog {
        PlannedCatalog {
            operator: "o".into(),
            catalog: name.into(),
            diff: Some(FileDiff::default()),
            passes,
            ..PlannedCatalog::default()
        }
    }

    #[test]
    fn groups_catalogs_with_the_same_outcome() {
        let groups = group_catalogs(&[
            planned("v4.17", true),
            planned("v4.18", true),
            planned("v4.19", false),
        ]);
        assert_eq!(
            groups
                .iter()
                .map(|group| group.names.join(" "))
                .collect::<Vec<_>>(),
            ["v4.17 v4.18", "v4.19"]
        );
    }

    #[test]
    fn describes_the_outcome() {
        assert_eq!(
            outcome(&planned("a", true)),
            "changes, and passes opm validate"
        );
        assert_eq!(
            outcome(&PlannedCatalog {
                is_new: true,
                ..planned("a", false)
            }),
            "is new, and fails opm validate"
        );
        assert_eq!(
            outcome(&PlannedCatalog {
                is_part: true,
                ..planned("a", true)
            }),
            "changes, and has no errors in this operator's part (the whole is too large to be judged here)"
        );
        assert_eq!(
            outcome(&PlannedCatalog {
                diff: None,
                ..planned("a", true)
            }),
            "does not change"
        );
        assert_eq!(
            outcome(&PlannedCatalog {
                is_refused: true,
                ..planned("a", true)
            }),
            "cannot be rendered"
        );
    }
}
