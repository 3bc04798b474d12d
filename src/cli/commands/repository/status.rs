//! `switchyard repo status`: operators by catalogs, and whether each is up to date.

use super::changes::{print_problem, problem_json};
use crate::args::author::StatusArgs;
use crate::error::{self, CliResult};
use crate::input::in_parallel;
use crate::input::repository_files::RepositoryFiles;
use crate::output::formats::TextOrData;
use crate::output::{self, table};
use ::repository::layout::{self, catalog_rank};
use ::repository::render::{CatalogStatus, OperatorStatus, State, operator_status};
use ::repository::whole_catalog::{WholeCatalog, failing_operators, format_operators};
use ::repository::{Files, Problem, UNKNOWN_IMAGE_HELP};
use protocol::templates::OPM_DIFFERENCE;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use template::freshness::BlobKey;

pub(super) fn run(args: &StatusArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.repository)?.with_bundles(args.known.read()?);
    let operators = files.operators(&args.operator)?;
    let statuses = in_parallel(&operators, |operator| {
        operator_status(&files, operator, false)
    });
    let only_operator = match operators.as_slice() {
        [operator] => operator,
        _ => "",
    };
    let failing = failing_catalogs(&files, &statuses, only_operator);
    let is_fresh = |catalog: &CatalogStatus| match &catalog.state {
        State::Fresh | State::NotMapped => true,
        State::Stale(differences) => differences.only_by_opm_version,
        _ => false,
    };
    let all_fresh = statuses
        .iter()
        .all(|operator| operator.problems.is_empty() && operator.catalogs.iter().all(is_fresh));
    match args.repository.output.format {
        TextOrData::Data(form) => {
            let catalogs = statuses.iter().flat_map(|operator| {
                operator
                    .catalogs
                    .iter()
                    .map(|catalog| catalog_json(operator, catalog))
            });
            let problems = statuses
                .iter()
                .flat_map(|operator| &operator.problems)
                .map(problem_json);
            let answer = json!({
                "format": output::FORMAT,
                "fresh": all_fresh,
                "catalogs": catalogs.collect::<Vec<Value>>(),
                "problems": problems.collect::<Vec<Value>>(),
                "failing": failing.iter().map(FailingCatalog::json).collect::<Vec<Value>>(),
            });
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            output::print_text(&to_text(&statuses, &failing))?;
            print_problems(&files, &statuses, &failing);
        }
    }
    let is_good = all_fresh && failing.is_empty();
    Ok(if is_good { 0 } else { error::FAILED })
}

/// Prints each problem once. A template that cannot be rendered is one problem, regardless of the
/// number of its catalogs.
fn print_problems(
    files: &RepositoryFiles,
    statuses: &[OperatorStatus],
    failing: &[FailingCatalog],
) {
    let errors = statuses
        .iter()
        .flat_map(|operator| &operator.catalogs)
        .filter_map(|catalog| match &catalog.state {
            State::Error(problem) => Some(problem),
            _ => None,
        });
    let problems: BTreeSet<&Problem> = statuses
        .iter()
        .flat_map(|operator| &operator.problems)
        .chain(errors)
        .collect();
    for problem in &problems {
        print_problem(files, problem);
    }
    for problem in failing.iter().flat_map(|catalog| &catalog.because) {
        // Unreadable files are reported already.
        if !problems.iter().any(|printed| printed.file == problem.file) {
            print_problem(files, problem);
        }
    }
}

/// A whole catalog that `opm validate` refuses.
struct FailingCatalog {
    name: String,
    opm_message: String,
    /// One problem per failing operator.
    because: Vec<Problem>,
}

/// Returns the names of these operators' catalogs, sorted.
fn catalog_names(statuses: &[OperatorStatus]) -> Vec<&str> {
    let catalogs = statuses.iter().flat_map(|operator| &operator.catalogs);
    let mut names: Vec<&str> = catalogs.map(|catalog| catalog.catalog.as_str()).collect();
    names.sort_by_key(|name| catalog_rank(name));
    names.dedup();
    names
}

/// Finds the catalogs of these operators that do not pass as a whole. `only_operator` is the
/// operator if there is only one, else `""`.
fn failing_catalogs(
    files: &RepositoryFiles,
    statuses: &[OperatorStatus],
    only_operator: &str,
) -> Vec<FailingCatalog> {
    let mut names = catalog_names(statuses);
    names.retain(|name| files.is_folder(&format!("{}/{name}", layout::CATALOGS)));
    let failing = in_parallel(&names, |name| {
        let verdict = WholeCatalog::read(files, name).verdict(&[]);
        (!verdict.passed).then(|| FailingCatalog {
            name: (*name).to_owned(),
            because: failing_operators(name, &verdict, only_operator),
            opm_message: verdict.opm_message.unwrap_or_default(),
        })
    });
    failing.into_iter().flatten().collect()
}

impl FailingCatalog {
    fn json(&self) -> Value {
        json!({
            "catalog": self.name,
            "opm_message": self.opm_message,
            "because": self.because.iter().map(problem_json).collect::<Vec<_>>(),
        })
    }
}

fn catalog_json(operator: &OperatorStatus, catalog: &CatalogStatus) -> Value {
    let mut answer = json!({
        "operator": operator.operator,
        "catalog": catalog.catalog,
        "template": catalog.template,
        "migrate": catalog.is_migrated,
        "state": catalog.state.name(),
    });
    match &catalog.state {
        State::Stale(differences) => {
            answer["added"] = keys_json(&differences.added);
            answer["removed"] = keys_json(&differences.removed);
            answer["changed"] = keys_json(&differences.changed);
        }
        State::UnknownBundles(images) => answer["unknown"] = json!(images),
        State::Error(problem) => answer["problem"] = problem_json(problem),
        State::Fresh | State::NoCatalog | State::NoTemplate | State::NotMapped => {}
    }
    answer
}

fn keys_json(keys: &[BlobKey]) -> Value {
    keys.iter()
        .map(|key| json!([key.schema, key.package, key.name]))
        .collect()
}

/// Formats the table, and remarks on catalogs that are not up to date.
fn to_text(statuses: &[OperatorStatus], failing: &[FailingCatalog]) -> String {
    let operators: Vec<&OperatorStatus> = statuses
        .iter()
        .filter(|operator| !operator.catalogs.is_empty())
        .collect();
    let names = catalog_names(statuses);
    if operators.is_empty() {
        return "no operator has file-based catalogs\n".to_owned();
    }
    let header: Vec<&str> = std::iter::once("OPERATOR")
        .chain(names.iter().copied())
        .collect();
    let rows: Vec<Vec<String>> = operators
        .iter()
        .map(|operator| {
            let cells = names.iter().map(|name| status_cell(operator, name));
            std::iter::once(operator.operator.clone())
                .chain(cells)
                .collect()
        })
        .collect();
    let mut out = table(&header, &rows);
    let mut lines = String::new();
    for operator in &operators {
        for (note, catalogs) in group_states(operator) {
            lines.push_str(&format!(
                "{} {}: {note}\n",
                operator.operator,
                catalogs.join(", ")
            ));
        }
    }
    for catalog in failing {
        lines.push_str(&format!(
            "{} fails opm validate because of {}\n",
            catalog.name,
            format_operators(&catalog.because)
        ));
    }
    if !lines.is_empty() {
        out.push('\n');
        out.push_str(&lines);
    }
    out
}

/// Formats the states of an operator in a catalog, which several templates may be mapped to.
fn status_cell(operator: &OperatorStatus, catalog_name: &str) -> String {
    let states: Vec<&str> = operator
        .catalogs
        .iter()
        .filter(|catalog| catalog.catalog == catalog_name)
        .map(|catalog| state_name(&catalog.state))
        .collect();
    if states.is_empty() {
        "-".to_owned()
    } else {
        states.join("/")
    }
}

fn state_name(state: &State) -> &'static str {
    match state {
        State::NoCatalog => "missing",
        State::UnknownBundles(_) => "unknown",
        state => state.name(),
    }
}

/// Returns each remark with the catalogs that it applies to.
fn group_states(operator_status: &OperatorStatus) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for catalog in &operator_status.catalogs {
        let Some(note) = state_note(catalog) else {
            continue;
        };
        match groups.iter_mut().find(|(other, _)| *other == note) {
            Some((_, catalogs)) => catalogs.push(&catalog.catalog),
            None => groups.push((note, vec![&catalog.catalog])),
        }
    }
    groups
}

fn state_note(catalog: &CatalogStatus) -> Option<String> {
    let template = catalog.template.as_deref().unwrap_or_default();
    match &catalog.state {
        State::Fresh | State::Error(_) => None,
        State::NotMapped => Some("no mapping names it, so nothing renders it".to_owned()),
        State::NoCatalog => match layout::name_with_v(&catalog.catalog) {
            Some(with_v) => Some(format!(
                "the mapping names it without the `v`: write `{with_v}`"
            )),
            None => Some("the mapping names it, but it does not contain the operator".to_owned()),
        },
        State::NoTemplate => Some(format!("there is no {template}")),
        State::UnknownBundles(images) => Some(format!(
            "no catalog has {}: {UNKNOWN_IMAGE_HELP}",
            images.join(", ")
        )),
        State::Stale(differences) if differences.only_by_opm_version => Some(format!(
            "{OPM_DIFFERENCE}{}",
            blob_names(":", &differences.changed).unwrap_or_default()
        )),
        State::Stale(differences) => {
            let parts = [
                blob_names("adds", &differences.added),
                blob_names("removes", &differences.removed),
                blob_names("changes", &differences.changed),
            ];
            Some(format!(
                "rendering {}",
                parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
            ))
        }
    }
}

/// Formats the blobs that rendering would change; `None` if there are none.
fn blob_names(verb: &str, keys: &[BlobKey]) -> Option<String> {
    let names = keys
        .iter()
        .map(|key| format!("{} {}", key.schema.trim_start_matches("olm."), key.name));
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
}
