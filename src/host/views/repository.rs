//! The page's views of the open repository.

use super::changes;
use crate::repository::{
    CatalogChange, Plan, PlannedPullRequest, RepositoryFiles, fix_title, rendering_failure,
};
use ::repository::check::{self, check};
use ::repository::layout::{self, Place};
use ::repository::release_form;
use ::repository::render::{self, CatalogStatus, State};
use ::repository::whole_catalog::{WholeCatalogChange, failing_operators};
use ::repository::{EntryKind, FileChange, Files, Finding, Problem};
use ::template::freshness::BlobKey;
use catalog::diff::{CONTEXT, LineKind, text_diff};
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::version::Version;
use catalog::{Catalog, Content, TreeEntry};
use protocol::counting::first_of;
use protocol::diagnostic::Severity;
use protocol::repository::{
    BundleFolder, CellState, CellVerdict, OperatorCell, OperatorRow, OperatorView, PlannedCatalog,
    PullRequest, ReleaseForm, RepositoryFinding, RepositoryPlan, RepositoryView,
};
use protocol::templates::OPM_DIFFERENCE;
use protocol::views::FileDiff;
use session::ChangedFile;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use syntax::order::SortSmall;
use verdict::consequences::for_catalogs;
use verdict::validate::judge;

/// Maximum number of blobs named for each kind of difference.
const MAX_BLOBS: usize = 4;
/// Maximum number of unknown images named.
const MAX_IMAGES: usize = 2;

/// Lists the operators and their catalogs, derived from file names alone.
pub(crate) fn view(files: &dyn Files) -> RepositoryView {
    let mut catalogs = layout::catalogs(files);
    catalogs.sort_small_by_key(|name| {
        let (is_other, version, name) = layout::catalog_rank(name);
        (is_other, Reverse(version), name)
    });
    let mut catalogs_by_operator: HashMap<String, Vec<u32>> = HashMap::new();
    for (index, catalog) in (0..).zip(&catalogs) {
        for entry in files.entries(&format!("{}/{catalog}", layout::CATALOGS)) {
            let catalogs = catalogs_by_operator.entry(entry.name).or_default();
            catalogs.push(index);
        }
    }
    let row = |name: String| OperatorRow {
        catalogs: catalogs_by_operator.remove(&name).unwrap_or_default(),
        name,
    };
    RepositoryView {
        operators: layout::operators(files).into_iter().map(row).collect(),
        catalogs,
    }
}

pub(crate) fn operator(place: &Place, files: &RepositoryFiles<'_>, operator: &str) -> OperatorView {
    let status = render::operator_status(files, operator, true);
    let judged = judge_catalogs(files, operator);
    let render_errors = status
        .catalogs
        .iter()
        .filter_map(|catalog| match &catalog.state {
            State::Error(problem) => Some(problem),
            _ => None,
        });
    // By catalog.
    let blocked: BTreeMap<&str, Problem> = status
        .catalogs
        .iter()
        .filter_map(|catalog| {
            let problem = rendering_failure(operator, catalog.rendered.as_ref()?)?;
            Some((catalog.catalog.as_str(), problem))
        })
        .collect();
    let problems = status.problems.iter();
    let problems = problems.chain(&judged.problems).chain(render_errors);
    let problems = problems.chain(blocked.values());
    let mut findings: Vec<RepositoryFinding> = Vec::new();
    add_distinct(
        &mut findings,
        problems.map(|problem| finding_from_problem(place, problem)),
    );
    let unreadable = layout::catalogs(files)
        .into_iter()
        .flat_map(|name| unreadable_files(files, layout::catalog_folder(&name, operator)));
    add_distinct(
        &mut findings,
        unreadable.map(|problem| finding_from_problem(place, &problem)),
    );
    let bundles = bundle_folders(files, operator, &judged.bundles);
    let mut check_bundle = |bundle: Option<&str>| {
        let request = check::Request {
            operator,
            bundle,
            catalogs: &[],
        };
        let report = check(files, &request);
        let found = report.findings.iter();
        add_distinct(
            &mut findings,
            found.map(|finding| finding_from_check(place, finding)),
        );
        report.skipped
    };
    for bundle in &bundles {
        if bundle.has_release_config && bundle.catalogs.is_empty() {
            check_bundle(Some(bundle.version.as_str()));
        }
    }
    let left_out = check_bundle(None);
    let templates = release_form::offers(files, operator);
    OperatorView {
        operator: operator.to_owned(),
        cells: status
            .catalogs
            .iter()
            .map(|catalog| cell(place, catalog, &judged.verdicts, &blocked))
            .collect(),
        bundles: newest_first(bundles),
        templates,
        findings,
        left_out,
    }
}

#[derive(Default)]
struct JudgedCatalogs {
    /// By catalog.
    verdicts: BTreeMap<String, CellVerdict>,
    /// Why catalogs fail.
    problems: Vec<Problem>,
    /// The catalogs that have bundles, in order, with their versions.
    bundles: Vec<(String, BTreeSet<String>)>,
}

/// Validates each catalog that has the operator: the whole catalog if possible, else the operator's
/// part.
fn judge_catalogs(files: &RepositoryFiles<'_>, operator: &str) -> JudgedCatalogs {
    let mut judged = JudgedCatalogs::default();
    for name in layout::catalogs(files) {
        let Some(catalog) = operator_part(files, &name, operator) else {
            continue;
        };
        let bundles = catalog.packages().flat_map(|package| &package.bundles);
        let versions: BTreeSet<String> =
            bundles.map(|bundle| bundle.version().to_owned()).collect();
        // A catalog that cannot be read is not reported to lack a bundle.
        if !versions.is_empty() {
            judged.bundles.push((name.clone(), versions));
        }
        let whole = files.whole_verdict(&name);
        let problems = match &whole {
            Some(verdict) => failing_operators(&name, verdict, operator),
            None => failing_operators(&name, &judge(&catalog), operator),
        };
        let verdict = if !problems.is_empty() {
            CellVerdict::Fails(join_messages(&problems))
        } else if whole.is_some() {
            CellVerdict::Passes
        } else {
            CellVerdict::PartPasses
        };
        judged.problems.extend(problems);
        judged.verdicts.insert(name, verdict);
    }
    judged
}

/// Lists an operator's bundles. `versions`: those in each of its catalogs.
fn bundle_folders(
    files: &dyn Files,
    operator: &str,
    versions: &[(String, BTreeSet<String>)],
) -> Vec<BundleFolder> {
    let folder = |version: String| {
        let entries = files.entries(&layout::bundle_folder(operator, &version));
        let (with, without): (Vec<_>, Vec<_>) = versions
            .iter()
            .partition(|(_, versions)| versions.contains(&version));
        let names = |catalogs: Vec<&(String, _)>| -> Vec<String> {
            catalogs.into_iter().map(|(name, _)| name.clone()).collect()
        };
        BundleFolder {
            has_release_config: entries
                .iter()
                .any(|entry| entry.name == layout::RELEASE_CONFIG),
            catalogs: names(with),
            lacking: names(without),
            version,
        }
    };
    layout::bundles(files, operator)
        .into_iter()
        .map(folder)
        .collect()
}

/// Sorts by version; folders whose name is no version come last.
fn newest_first(mut bundles: Vec<BundleFolder>) -> Vec<BundleFolder> {
    let version = |folder: &BundleFolder| Version::parse_tolerant(&folder.version).ok();
    bundles.sort_small_by(|a, b| Version::compare_optional(&version(b), &version(a)));
    bundles
}

/// Joins the reasons why a catalog fails, one line per operator.
fn join_messages(problems: &[Problem]) -> String {
    let lines: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    lines.join("\n")
}

/// Adds findings without repeating one with equal position and message.
fn add_distinct(
    findings: &mut Vec<RepositoryFinding>,
    added: impl Iterator<Item = RepositoryFinding>,
) {
    for finding in added {
        let is_equal = |known: &RepositoryFinding| {
            (&known.file, known.line, &known.message)
                == (&finding.file, finding.line, &finding.message)
        };
        if !findings.iter().any(is_equal) {
            findings.push(finding);
        }
    }
}

fn cell(
    place: &Place,
    status: &CatalogStatus,
    verdicts: &BTreeMap<String, CellVerdict>,
    blocked: &BTreeMap<&str, Problem>,
) -> OperatorCell {
    let state = match &status.state {
        State::Fresh => CellState::Fresh,
        State::Stale(_) if status.state.is_stale() => CellState::Stale,
        State::Stale(_) => CellState::OtherOpm,
        State::NoCatalog => CellState::Missing,
        State::NoTemplate | State::UnknownBundles(_) | State::Error(_) | State::NotMapped => {
            CellState::NotJudged
        }
    };
    OperatorCell {
        root: place.opened_path(&format!("{}/{}", layout::CATALOGS, status.catalog)),
        explanation: explain_state(status),
        template: status
            .template
            .as_deref()
            .map_or_else(String::new, |path| place.opened_path(path)),
        verdict: verdicts.get(&status.catalog).cloned().unwrap_or_default(),
        catalog: status.catalog.clone(),
        is_blocked: state == CellState::Stale && blocked.contains_key(&*status.catalog),
        state,
    }
}

fn explain_state(status: &CatalogStatus) -> String {
    match &status.state {
        State::Fresh => String::new(),
        State::Stale(differences) if differences.only_by_opm_version => format!(
            "It {OPM_DIFFERENCE}{}.",
            name_blobs(":", &differences.changed).unwrap_or_default()
        ),
        State::Stale(differences) => {
            let parts = [
                name_blobs("adds", &differences.added),
                name_blobs("removes", &differences.removed),
                name_blobs("changes", &differences.changed),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            format!("Rendering {}.", parts.join("; "))
        }
        State::NoCatalog => match layout::name_with_v(&status.catalog) {
            Some(with_v) => format!("The mapping names it without the `v`: write `{with_v}`."),
            None => "The mapping names this catalog, which does not have the operator.".to_owned(),
        },
        State::NoTemplate => format!(
            "There is no `{}`.",
            status.template.as_deref().unwrap_or_default()
        ),
        State::UnknownBundles(images) => format!(
            "The template names bundles that no catalog of the operator has: {}. Render it with `opm` once their \
             images are published.",
            first_of(images.iter(), MAX_IMAGES)
        ),
        State::Error(problem) => format!("{}.", problem.message.trim_end_matches('.')),
        State::NotMapped => {
            "No mapping in `ci.yaml` names this catalog, so nothing renders it.".to_owned()
        }
    }
}

/// Formats `adds channel stable, bundle p.v1`; `None` without blobs.
fn name_blobs(verb: &str, keys: &[BlobKey]) -> Option<String> {
    let name = |key: &BlobKey| format!("{} {}", key.schema.trim_start_matches("olm."), key.name);
    let names: Vec<String> = keys.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("{verb} {}", first_of(names.iter(), MAX_BLOBS)))
}

/// Loads an operator's part of a catalog; `None` if the catalog lacks the operator.
fn operator_part(files: &dyn Files, catalog: &str, operator: &str) -> Option<Catalog> {
    let root = format!("{}/{catalog}/", layout::CATALOGS);
    let found = walk(files, layout::catalog_folder(catalog, operator));
    let read = |path: &str| files.read(path).map_err(|failure| failure.to_string());
    let tree_entry = |(id, file): (u32, FoundFile)| {
        let FoundFile { path, unreadable } = file;
        let content = match unreadable.map_or_else(|| read(&path), Err) {
            Ok(bytes) => Content::Indexed(Arc::new(index_bytes(&bytes))),
            Err(reason) => Content::Unreadable(reason),
        };
        TreeEntry {
            id: FileId(id),
            path: path.strip_prefix(&root).unwrap_or(&path).to_owned(),
            content,
        }
    };
    let entries: Vec<TreeEntry> = (0..).zip(found).map(tree_entry).collect();
    (!entries.is_empty()).then(|| Catalog::new(String::new(), entries))
}

struct FoundFile {
    path: String,
    /// Why the file cannot be read, such as a link that a browser does not follow.
    unreadable: Option<String>,
}

/// Finds all files below a folder.
fn walk(files: &dyn Files, folder: String) -> Vec<FoundFile> {
    let (mut found, mut folders) = (Vec::new(), vec![folder]);
    while let Some(folder) = folders.pop() {
        for entry in files.entries(&folder) {
            let path = format!("{folder}/{}", entry.name);
            let unreadable = match entry.kind {
                EntryKind::Folder => {
                    folders.push(path);
                    continue;
                }
                EntryKind::File => None,
                EntryKind::Unreadable(reason) => Some(reason),
            };
            found.push(FoundFile { path, unreadable });
        }
    }
    found
}

fn unreadable_files(files: &dyn Files, folder: String) -> impl Iterator<Item = Problem> {
    walk(files, folder).into_iter().filter_map(|file| {
        let problem = Problem::new("", file.path, file.unreadable?);
        Some(problem.help("put the file itself in its place"))
    })
}

fn finding_from_problem(place: &Place, problem: &Problem) -> RepositoryFinding {
    let opened = match problem.file.as_str() {
        "" => String::new(),
        file => place.opened_path(file),
    };
    RepositoryFinding {
        is_error: true,
        message: problem.message.clone(),
        opened,
        file: problem.file.clone(),
        line: problem.line.unwrap_or(0),
        help: problem.help.clone(),
        ..RepositoryFinding::default()
    }
}

fn finding_from_check(place: &Place, finding: &Finding) -> RepositoryFinding {
    RepositoryFinding {
        check: finding.check.to_owned(),
        is_error: finding.severity == Severity::Error,
        message: finding.message.clone(),
        file: finding.file.clone(),
        opened: place.opened_path(&finding.file),
        line: finding.line.unwrap_or(0),
        help: finding.help.clone(),
        fix: fix_title(finding),
    }
}

pub(crate) fn form(place: &Place, files: &dyn Files, operator: &str, bundle: &str) -> ReleaseForm {
    let form = release_form::form(files, operator, bundle);
    ReleaseForm {
        operator: operator.to_owned(),
        bundle: bundle.to_owned(),
        name: form.name.unwrap_or_default(),
        image: form.image,
        templates: form.offers,
        draft: form.items,
        is_written: form.is_written,
        findings: form
            .problems
            .iter()
            .map(|problem| finding_from_problem(place, problem))
            .collect(),
    }
}

/// Converts a plan and computes its consequences.
pub(crate) fn plan(place: &Place, files: &RepositoryFiles<'_>, plan: &Plan) -> RepositoryPlan {
    let names: BTreeSet<&str> = plan
        .catalogs
        .iter()
        .map(|change| change.catalog.as_str())
        .collect();
    let whole_change = |name: &str| {
        let changes: Vec<&FileChange> = plan
            .catalogs
            .iter()
            .filter(|change| change.catalog == name)
            .filter_map(|change| change.outcome.as_ref().ok())
            .collect();
        Some(files.whole_catalog(name)?.change(&changes))
    };
    let whole_changes: BTreeMap<&str, WholeCatalogChange> = names
        .into_iter()
        .filter_map(|name| Some((name, whole_change(name)?)))
        .collect();
    let refused = plan.refused.iter();
    let findings = plan.findings.iter();
    let changed_files = plan.files.iter().filter(|change| change.is_change());
    let catalogs = plan.catalogs.iter();
    let pull_request = |request: &PlannedPullRequest| PullRequest {
        files: request
            .files
            .iter()
            .map(|file| place.opened_path(file))
            .collect(),
        message: request.message.clone(),
        patch: request.patch.clone(),
    };
    RepositoryPlan {
        title: plan.title.clone(),
        refused: refused
            .map(|problem| finding_from_problem(place, problem))
            .collect(),
        findings: findings
            .map(|finding| finding_from_check(place, finding))
            .collect(),
        notes: plan.notes.clone(),
        files: changed_files.map(|change| diff(place, change)).collect(),
        catalogs: catalogs
            .map(|change| catalog(place, change, whole_changes.get(change.catalog.as_str())))
            .collect(),
        pull_requests: plan.pull_requests.iter().map(pull_request).collect(),
    }
}

fn diff(place: &Place, change: &FileChange) -> FileDiff {
    let before = change.before.as_deref().unwrap_or_default();
    let hunks = text_diff(before, &change.after, CONTEXT);
    let count = |kind: LineKind| {
        hunks
            .iter()
            .flat_map(|h| &h.lines)
            .filter(|l| l.kind == kind)
            .count() as u32
    };
    let file = ChangedFile {
        path: place.opened_path(&change.path),
        created: change.before.is_none(),
        added: count(LineKind::Added),
        removed: count(LineKind::Removed),
        bytes_before: before.len() as u64,
        bytes_after: change.after.len() as u64,
        hunks,
        ..ChangedFile::default()
    };
    changes::file_diff(&file)
}

/// Returns a planned catalog with its verdict and consequences. `whole` is the whole catalog with
/// all changes of the plan, if it can be validated.
fn catalog(
    place: &Place,
    catalog_change: &CatalogChange,
    whole: Option<&WholeCatalogChange>,
) -> PlannedCatalog {
    let mut planned = PlannedCatalog {
        operator: catalog_change.operator.clone(),
        catalog: catalog_change.catalog.clone(),
        ..PlannedCatalog::default()
    };
    let change = match &catalog_change.outcome {
        Ok(change) => change,
        Err(problem) => {
            planned.is_refused = true;
            planned.message.clone_from(&problem.message);
            return planned;
        }
    };
    planned.is_new = change.before.is_none();
    planned.diff = change.is_change().then(|| diff(place, change));
    let (before, after) = change.catalogs();
    let (verdict, consequences) = match whole {
        Some(whole) => (whole.verdict().clone(), whole.consequences(change)),
        None => {
            let (verdict, mut consequences) =
                for_catalogs(&catalog_change.catalog, &before, &after);
            // The verdict on a part is not the verdict on the catalog.
            consequences.verdicts.clear();
            (verdict, consequences)
        }
    };
    if !planned.is_new && change.is_change() {
        planned.consequences = changes::consequences(&consequences);
    }
    planned.is_part = whole.is_none();
    planned.passes = verdict.passed;
    planned.message = match whole {
        Some(_) => join_messages(&failing_operators(
            &catalog_change.catalog,
            &verdict,
            &catalog_change.operator,
        )),
        None => verdict.opm_message.unwrap_or_default(),
    };
    planned
}
