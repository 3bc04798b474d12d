//! `switchyard repo status`: operators by catalogs, and whether each is up to date.

use super::changes::{complain, problem_json};
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
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use template::freshness::BlobKey;

pub(super) fn run(args: &StatusArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.repository)?.with_bundles(args.known.read()?);
    let operators = files.operators(&args.operator)?;
    let found = in_parallel(&operators, |operator| operator_status(&files, operator));
    let own = match operators.as_slice() {
        [only] => only,
        _ => "",
    };
    let failing = failing_catalogs(&files, &found, own);
    let is_fresh =
        |catalog: &CatalogStatus| matches!(catalog.state, State::Fresh | State::NotMapped);
    let all_fresh = found
        .iter()
        .all(|operator| operator.problems.is_empty() && operator.catalogs.iter().all(is_fresh));
    match args.repository.output.format {
        TextOrData::Data(form) => {
            let catalogs = found.iter().flat_map(|operator| {
                operator
                    .catalogs
                    .iter()
                    .map(|catalog| catalog_json(operator, catalog))
            });
            let problems = found
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
            output::print_text(&text(&found, &failing))?;
            let errors = found
                .iter()
                .flat_map(|operator| &operator.catalogs)
                .filter_map(|catalog| match &catalog.state {
                    State::Error(problem) => Some(problem),
                    _ => None,
                });
            // A template that cannot be rendered is one problem, regardless of the number of its catalogs.
            let problems: BTreeSet<_> = found
                .iter()
                .flat_map(|operator| &operator.problems)
                .chain(errors)
                .collect();
            problems
                .iter()
                .for_each(|problem| complain(&files, problem));
            // Unreadable files are reported already.
            let is_reported =
                |problem: &Problem| problems.iter().any(|known| known.file == problem.file);
            failing
                .iter()
                .flat_map(|catalog| &catalog.because)
                .filter(|problem| !is_reported(problem))
                .for_each(|problem| complain(&files, problem));
        }
    }
    let is_good = all_fresh && failing.is_empty();
    Ok(if is_good { 0 } else { error::FAILED })
}

/// A whole catalog that `opm validate` refuses.
struct FailingCatalog {
    name: String,
    opm_message: String,
    /// One problem per failing operator.
    because: Vec<Problem>,
}

/// Finds the catalogs of these operators that do not pass as a whole. `own` names the operator if there is only one;
/// else "".
fn failing_catalogs(
    files: &RepositoryFiles,
    found: &[OperatorStatus],
    own: &str,
) -> Vec<FailingCatalog> {
    let names: BTreeSet<&str> = found
        .iter()
        .flat_map(|operator| &operator.catalogs)
        .map(|catalog| catalog.catalog.as_str())
        .collect();
    let mut names: Vec<&str> = names
        .into_iter()
        .filter(|name| files.is_folder(&format!("{}/{name}", layout::CATALOGS)))
        .collect();
    names.sort_by_key(|name| catalog_rank(name));
    let judged = in_parallel(&names, |name| {
        let verdict = WholeCatalog::read(files, name).verdict(&[]);
        (!verdict.passed).then(|| FailingCatalog {
            name: (*name).to_owned(),
            because: failing_operators(name, &verdict, own),
            opm_message: verdict.opm_message.unwrap_or_default(),
        })
    });
    judged.into_iter().flatten().collect()
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
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    put("operator", operator.operator.as_str().into());
    put("catalog", catalog.catalog.as_str().into());
    put("template", catalog.template.as_deref().into());
    put("migrate", catalog.is_migrated.into());
    put("state", catalog.state.name().into());
    match &catalog.state {
        State::Stale(differences) => {
            put("added", keys(&differences.added));
            put("removed", keys(&differences.removed));
            put("changed", keys(&differences.changed));
        }
        State::UnknownBundles(images) => drop(put("unknown", json!(images))),
        State::Error(problem) => drop(put("problem", problem_json(problem))),
        State::Fresh | State::NoCatalog | State::NoTemplate | State::NotMapped => {}
    }
    Value::Object(fields)
}

fn keys(keys: &[BlobKey]) -> Value {
    keys.iter()
        .map(|key| json!([key.schema, key.package, key.name]))
        .collect()
}

/// Formats the table, and remarks on catalogs that are not up to date.
fn text(found: &[OperatorStatus], failing: &[FailingCatalog]) -> String {
    let operators: Vec<&OperatorStatus> = found
        .iter()
        .filter(|operator| !operator.catalogs.is_empty())
        .collect();
    let mut names: Vec<&str> = operators
        .iter()
        .flat_map(|operator| &operator.catalogs)
        .map(|c| c.catalog.as_str())
        .collect();
    names.sort_by_key(|name| catalog_rank(name));
    names.dedup();
    if operators.is_empty() {
        return "no operator has file-based catalogs\n".to_owned();
    }
    let header: Vec<&str> = std::iter::once("OPERATOR")
        .chain(names.iter().copied())
        .collect();
    let row = |operator: &&OperatorStatus| {
        let cell = |name: &&str| {
            let states = operator
                .catalogs
                .iter()
                .filter(|catalog| catalog.catalog == **name)
                .map(|c| word(&c.state));
            let states: Vec<&str> = states.collect();
            if states.is_empty() {
                "-".to_owned()
            } else {
                states.join("/")
            }
        };
        std::iter::once(operator.operator.clone())
            .chain(names.iter().map(cell))
            .collect::<Vec<String>>()
    };
    let mut out = table(&header, &operators.iter().map(row).collect::<Vec<_>>());
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

/// Returns the text of a cell.
fn word(state: &State) -> &'static str {
    match state {
        State::NoCatalog => "missing",
        State::UnknownBundles(_) => "unknown",
        state => state.name(),
    }
}

/// Groups remarks on catalogs, with the catalogs of each.
fn group_states(operator_status: &OperatorStatus) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for catalog in &operator_status.catalogs {
        let Some(note) = state_note(catalog) else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| *known == note) {
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

fn blob_names(what: &str, keys: &[BlobKey]) -> Option<String> {
    let names = keys
        .iter()
        .map(|key| format!("{} {}", key.schema.trim_start_matches("olm."), key.name));
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
}
