//! The result of a task: each catalog with its verdict and consequences, changed texts, and pull
//! requests.

use super::Findings;
use super::grid::verdict_mark;
use crate::components::consequences::{ConsequenceList, JudgementMark};
use crate::components::diff::render_diffs;
use crate::prelude::*;
use protocol::judgement::UpgradeImpact;
use protocol::repository::{PlannedCatalog, RepositoryPlan};
use protocol::views::{Consequences, FileDiff};

/// Catalogs with the same result.
#[derive(Debug, Clone, PartialEq)]
struct CatalogGroup {
    names: Vec<String>,
    /// What is shown of them: without name and texts.
    planned: PlannedCatalog,
}

fn group_catalogs(catalogs: Vec<PlannedCatalog>) -> Vec<CatalogGroup> {
    let mut groups: Vec<CatalogGroup> = Vec::new();
    for mut planned in catalogs {
        let name = std::mem::take(&mut planned.catalog);
        planned.diff = planned.diff.map(|_| FileDiff::default());
        let Consequences {
            judgement,
            facts,
            mut tables,
            ..
        } = planned.consequences;
        for table in &mut tables {
            table.rows.retain(|row| row.fate != UpgradeImpact::Same);
        }
        planned.consequences = Consequences {
            judgement,
            facts,
            tables,
            ..Consequences::default()
        };
        match groups.iter_mut().find(|group| group.planned == planned) {
            Some(group) => group.names.push(name),
            None => groups.push(CatalogGroup {
                names: vec![name],
                planned,
            }),
        }
    }
    groups
}

fn outcome(CatalogGroup { names, planned }: &CatalogGroup) -> String {
    let in_number = |one, several| if names.len() == 1 { one } else { several };
    let verdict = match (planned.passes, planned.is_part) {
        (true, false) => in_number("passes opm validate", "pass opm validate"),
        (true, true) => in_number(
            "has no errors in this operator's part; the whole catalog is not judged here",
            "have no errors in this operator's part; the whole catalogs are not judged here",
        ),
        (false, _) => in_number("fails opm validate", "fail opm validate"),
    };
    match (planned.is_refused, planned.diff.is_some(), planned.is_new) {
        (true, ..) => "cannot be rendered".to_owned(),
        (_, false, _) => in_number("does not change", "do not change").to_owned(),
        (_, _, true) => format!("{} new, and {verdict}", in_number("is", "are")),
        (_, _, false) => format!("{}, and {verdict}", in_number("changes", "change")),
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
    let changes = !files.is_empty() || catalogs.iter().any(|catalog| catalog.diff.is_some());
    let is_refused = !refused.is_empty() || catalogs.iter().any(|catalog| catalog.is_refused);
    let nothing_to_write = changes && refused.is_empty() && pull_requests.is_empty();
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
        {(!changes && !is_refused).then(|| note("Nothing to change: all files are up to date."))}
        {nothing_to_write.then(|| note("`release-config.yaml` is already up to date: there is nothing to write."))}
        {notes.iter().map(|text| note(text)).collect_view()}
        {(!catalogs.is_empty())
            .then(|| {
                view! {
                    <h3 class="repo-title">"Catalogs"</h3>
                    <ul class="repo-list" aria-label="What becomes of the catalogs">
                        {group_catalogs(catalogs).into_iter().map(|group| catalog_item(group, are_several_operators)).collect_view()}
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
fn catalog_item(group: CatalogGroup, names_operator: bool) -> AnyView {
    let result = outcome(&group);
    let CatalogGroup { names, planned } = group;
    let mut name = names.join(", ");
    if names_operator {
        name = format!("{} {name}", planned.operator);
    }
    let passes = planned.passes && !planned.is_refused;
    let consequences = (planned.diff.is_some() && !planned.is_new).then_some(planned.consequences);
    let message = planned.message;
    view! {
        <li class="repo-planned">
            <p>
                {verdict_mark(passes)}
                " " <strong>{name}</strong> " " {result}
            </p>
            {(!message.is_empty()).then(|| view! { <p class="mono dim">{message}</p> })}
            {consequences
                .map(|consequences| {
                    view! {
                        <JudgementMark judgement=consequences.judgement/>
                        <ConsequenceList consequences/>
                    }
                })}
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
    use protocol::judgement::{JudgedFact, UserTable, UserTableRow};

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
    fn groups_catalogs_that_read_alike() {
        let unaffected = UserTable {
            rows: vec![UserTableRow::default()],
            ..UserTable::default()
        };
        let mut with_row = planned("v4.18", true);
        with_row.consequences.tables = vec![unaffected];
        let mut without_rows = planned("v4.17", true);
        without_rows.consequences.tables = vec![UserTable::default()];
        let mut other_fact = with_row.clone();
        other_fact.consequences.facts = vec![JudgedFact::default()];
        let groups = group_catalogs(vec![
            without_rows,
            with_row,
            other_fact,
            planned("v4.19", false),
        ]);
        let names: Vec<String> = groups.iter().map(|group| group.names.join(" ")).collect();
        assert_eq!(names, ["v4.17 v4.18", "v4.18", "v4.19"]);
    }

    #[test]
    fn describes_the_outcome() {
        let describe = |planned: PlannedCatalog, count: usize| {
            let names = vec![planned.catalog.clone(); count];
            outcome(&CatalogGroup { names, planned })
        };
        let is_new = PlannedCatalog {
            is_new: true,
            ..planned("a", false)
        };
        let part = PlannedCatalog {
            is_part: true,
            ..planned("a", true)
        };
        let unchanged = PlannedCatalog {
            diff: None,
            ..planned("a", true)
        };
        let refused = PlannedCatalog {
            is_refused: true,
            ..planned("a", true)
        };
        assert_eq!(
            describe(planned("a", true), 1),
            "changes, and passes opm validate"
        );
        assert_eq!(
            describe(planned("a", true), 2),
            "change, and pass opm validate"
        );
        assert_eq!(
            [describe(is_new.clone(), 1), describe(is_new, 2)],
            [
                "is new, and fails opm validate",
                "are new, and fail opm validate"
            ]
        );
        assert_eq!(
            describe(part, 1),
            "changes, and has no errors in this operator's part; the whole catalog is not judged here"
        );
        assert_eq!(describe(unchanged, 2), "do not change");
        assert_eq!(describe(refused, 2), "cannot be rendered");
    }
}
