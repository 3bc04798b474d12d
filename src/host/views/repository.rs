//! The page's views of the open repository.

use super::changes;
use crate::repository::{Planned, PlannedFile, Repository, RepositoryFiles, fix_words};
use ::repository::check::{self, check};
use ::repository::layout::{self, Place};
use ::repository::release_form::{self, Item};
use ::repository::render::{self, CatalogStatus, State};
use ::repository::whole_catalog::{WholeCatalogChange, failing_operators};
use ::repository::{EntryKind, FileChange, Files, Finding, Problem, Severity};
use catalog::diff::{CONTEXT, LineKind, text_diff};
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::version::Version;
use catalog::{Catalog, Content, TreeEntry};
use protocol::counting::first_of;
use protocol::repository::{
    BundleFolder, CellState, CellVerdict, OperatorCell, OperatorRow, OperatorTemplate,
    OperatorView, PlannedCatalog, PullRequest, ReleaseForm, ReleaseItem, RepositoryFinding,
    RepositoryPlan, RepositoryView, TemplateOffer,
};
use protocol::views::FileDiff;
use session::ChangedFile;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use syntax::order::SortSmall;
use verdict::consequences::for_catalogs;
use verdict::validate::judge;

/// Lists the operators by catalogs, derived from file names alone.
pub(crate) fn view(files: &dyn Files) -> RepositoryView {
    let mut catalogs = layout::catalogs(files);
    catalogs.sort_small_by_key(|name| {
        let (is_other, version, name) = layout::catalog_rank(name);
        (is_other, Reverse(version), name)
    });
    let mut has: HashMap<String, Vec<u32>> = HashMap::new();
    for (at, catalog) in (0..).zip(&catalogs) {
        for entry in files.entries(&format!("{}/{catalog}", layout::CATALOGS)) {
            has.entry(entry.name).or_default().push(at);
        }
    }
    let row = |name: String| OperatorRow {
        bundles: layout::bundles(files, &name).len() as u32,
        catalogs: has.remove(&name).unwrap_or_default(),
        name,
    };
    RepositoryView {
        operators: layout::operators(files).into_iter().map(row).collect(),
        catalogs,
    }
}

/// Returns the details of an operator.
pub(crate) fn operator(
    repository: &Repository,
    files: &RepositoryFiles<'_>,
    operator: &str,
) -> OperatorView {
    let place = &repository.place;
    let status = render::operator_status(files, operator);
    let mut released = BTreeSet::new();
    let mut verdicts: BTreeMap<String, CellVerdict> = BTreeMap::new();
    let mut failing: Vec<Problem> = Vec::new();
    for name in layout::catalogs(files) {
        let Some(catalog) = catalog_of(files, &name, operator) else {
            continue;
        };
        for package in catalog.packages() {
            released.extend(
                package
                    .bundles
                    .iter()
                    .map(|bundle| bundle.version().to_owned()),
            );
        }
        let problems = match files.whole_verdict(&name) {
            Some(verdict) => Some(failing_operators(&name, &verdict, operator)),
            None => {
                let part = failing_operators(&name, &judge(&catalog), operator);
                (!part.is_empty()).then_some(part)
            }
        };
        let verdict = match problems {
            None => CellVerdict::PartPasses,
            Some(problems) if problems.is_empty() => CellVerdict::Passes,
            Some(problems) => {
                let message = lines_of(&problems);
                failing.extend(problems);
                CellVerdict::Fails(message)
            }
        };
        verdicts.insert(name, verdict);
    }
    let of_state = status
        .catalogs
        .iter()
        .filter_map(|catalog| match &catalog.state {
            State::Error(problem) => Some(problem.clone()),
            _ => None,
        });
    let unreadable = layout::catalogs(files)
        .into_iter()
        .flat_map(|name| unreadable_in(files, layout::catalog_folder(&name, operator)));
    let problems = status.problems.iter().cloned();
    let problems = problems.chain(failing).chain(of_state).chain(unreadable);
    let mut findings: Vec<RepositoryFinding> = Vec::new();
    add(
        &mut findings,
        problems.map(|problem| finding_from_problem(place, &problem)),
    );
    let mut check_bundle = |bundle: Option<&str>| {
        let request = check::Request {
            operator,
            bundle,
            catalogs: &[],
        };
        let report = check(files, &request);
        let found = report.findings.iter();
        add(
            &mut findings,
            found.map(|finding| finding_from_check(place, finding)),
        );
        report.skipped
    };
    let cells = status
        .catalogs
        .iter()
        .map(|catalog| cell(place, catalog, &verdicts))
        .collect();
    let mut bundles: Vec<BundleFolder> = Vec::new();
    for version in layout::bundles(files, operator) {
        let entries = files.entries(&layout::bundle_folder(operator, &version));
        let has_release_config = entries
            .iter()
            .any(|entry| entry.name == layout::RELEASE_CONFIG);
        let is_released = released.contains(&version);
        if has_release_config && !is_released {
            check_bundle(Some(version.as_str()));
        }
        bundles.push(BundleFolder {
            version,
            has_release_config,
            is_released,
        });
    }
    let left_out = check_bundle(None);
    let version = |folder: &BundleFolder| Version::parse_tolerant(&folder.version).ok();
    bundles.sort_small_by(|a, b| match (version(a), version(b)) {
        (Some(a), Some(b)) => b.cmp_precedence(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    let template = |offer: release_form::Offer| OperatorTemplate {
        name: offer.template,
        kind: offer.kind,
        catalogs: offer.catalogs,
        channels: offer.channels,
        entries: offer.entries,
    };
    let templates = release_form::offers(files, operator)
        .into_iter()
        .map(template)
        .collect();
    OperatorView {
        operator: operator.to_owned(),
        cells,
        bundles,
        templates,
        findings,
        left_out,
    }
}

/// Joins the reasons why a catalog fails, one line per operator.
fn lines_of(problems: &[Problem]) -> String {
    let lines: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    lines.join("\n")
}

/// Adds findings without repeating one with equal position and message.
fn add(findings: &mut Vec<RepositoryFinding>, more: impl Iterator<Item = RepositoryFinding>) {
    for finding in more {
        let is_same = |known: &&RepositoryFinding| {
            (&known.file, known.line, &known.message)
                == (&finding.file, finding.line, &finding.message)
        };
        if !findings.iter().any(|known| is_same(&known)) {
            findings.push(finding);
        }
    }
}

fn cell(
    place: &Place,
    catalog_status: &CatalogStatus,
    verdicts: &BTreeMap<String, CellVerdict>,
) -> OperatorCell {
    let (state, note) = match &catalog_status.state {
        State::Fresh => (CellState::Fresh, String::new()),
        State::Stale(differences) => {
            let part = |what: &str, keys: &[::template::freshness::BlobKey]| {
                let names = keys
                    .iter()
                    .map(|key| format!("{} {}", key.schema.trim_start_matches("olm."), key.name));
                let names: Vec<String> = names.collect();
                (!names.is_empty()).then(|| format!("{what} {}", first_of(names.iter(), 4)))
            };
            let parts = [
                part("adds", &differences.added),
                part("removes", &differences.removed),
                part("changes", &differences.changed),
            ];
            (
                CellState::Stale,
                format!(
                    "Rendering {}.",
                    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
                ),
            )
        }
        State::NoCatalog => (
            CellState::Missing,
            match layout::name_with_v(&catalog_status.catalog) {
                Some(with_v) => format!("The mapping names it without the `v`: write `{with_v}`."),
                None => {
                    "The mapping names this catalog, which does not have the operator.".to_owned()
                }
            },
        ),
        State::NoTemplate => (
            CellState::NotJudged,
            format!(
                "There is no `{}`.",
                catalog_status.template.as_deref().unwrap_or_default()
            ),
        ),
        State::UnknownBundles(images) => (
            CellState::NotJudged,
            format!(
                "No catalog of the operator has {}: a bundle is released first, template and catalogs follow in a second \
                 pull request.",
                first_of(images.iter(), 2)
            ),
        ),
        State::Error(problem) => (
            CellState::NotJudged,
            format!("{}.", problem.message.trim_end_matches('.')),
        ),
        State::NotMapped => (
            CellState::NotJudged,
            "No mapping in `ci.yaml` names this catalog, so nothing renders it.".to_owned(),
        ),
    };
    OperatorCell {
        root: place.opened_path(&format!("{}/{}", layout::CATALOGS, catalog_status.catalog)),
        state,
        says: note,
        template: catalog_status.template.clone().unwrap_or_default(),
        verdict: verdicts
            .get(&catalog_status.catalog)
            .cloned()
            .unwrap_or_default(),
        catalog: catalog_status.catalog.clone(),
    }
}

/// Loads an operator's part of a catalog; `None` if the catalog lacks the operator.
fn catalog_of(files: &dyn Files, catalog: &str, operator: &str) -> Option<Catalog> {
    let root = format!("{}/{catalog}/", layout::CATALOGS);
    let found = walk(files, layout::catalog_folder(catalog, operator));
    let read = |path: &str| files.read(path).map_err(|failure| failure.to_string());
    let entry = |((path, reason), id): ((String, Option<String>), u32)| {
        let content = match reason.map_or_else(|| read(&path), Err) {
            Ok(bytes) => Content::Indexed(Arc::new(index_bytes(&bytes))),
            Err(reason) => Content::Unreadable(reason),
        };
        TreeEntry {
            id: FileId(id),
            path: path.strip_prefix(&root).unwrap_or(&path).to_owned(),
            content,
        }
    };
    let entries: Vec<TreeEntry> = found.into_iter().zip(0..).map(entry).collect();
    (!entries.is_empty()).then(|| Catalog::new(String::new(), entries))
}

/// Returns the paths of all files below a folder; for an unreadable one, such as a link that a
/// browser does not follow, also the reason.
fn walk(files: &dyn Files, folder: String) -> Vec<(String, Option<String>)> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder]);
    while let Some(folder) = waiting.pop() {
        for entry in files.entries(&folder) {
            let path = format!("{folder}/{}", entry.name);
            match entry.kind {
                EntryKind::Folder => waiting.push(path),
                EntryKind::File => found.push((path, None)),
                EntryKind::Unreadable(reason) => found.push((path, Some(reason))),
            }
        }
    }
    found
}

/// Finds the unreadable files below a folder.
fn unreadable_in(files: &dyn Files, folder: String) -> impl Iterator<Item = Problem> {
    let found = walk(files, folder).into_iter();
    found.filter_map(|(file, reason)| {
        Some(Problem {
            operator: String::new(),
            file,
            line: None,
            message: reason?,
            help: "put the file itself in its place".to_owned(),
        })
    })
}

pub(crate) fn finding_from_problem(place: &Place, problem: &Problem) -> RepositoryFinding {
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

pub(crate) fn finding_from_check(place: &Place, finding: &Finding) -> RepositoryFinding {
    RepositoryFinding {
        check: finding.check.to_owned(),
        is_error: finding.severity == Severity::Error,
        message: finding.message.clone(),
        file: finding.file.clone(),
        opened: place.opened_path(&finding.file),
        line: finding.line.unwrap_or(0),
        help: finding.help.clone(),
        fix: fix_words(finding),
    }
}

/// Returns the initial values of the release form.
pub(crate) fn form(place: &Place, files: &dyn Files, operator: &str, bundle: &str) -> ReleaseForm {
    let form = release_form::form(files, operator, bundle);
    let offer = |offered: release_form::Offer| TemplateOffer {
        template: offered.template,
        kind: offered.kind,
        catalogs: offered.catalogs,
        channels: offered.channels,
        entries: offered.entries,
        default_channel: offered.default_channel.unwrap_or_default(),
    };
    let item = |item: Item| ReleaseItem {
        template: item.template,
        channels: item.channels,
        replaces: item.replaces.unwrap_or_default(),
        skips: item.skips,
        skip_range: item.skip_range.unwrap_or_default(),
        default_channel: item.default_channel.unwrap_or_default(),
    };
    ReleaseForm {
        operator: operator.to_owned(),
        bundle: bundle.to_owned(),
        name: form.name.unwrap_or_default(),
        image: form.image,
        templates: form.offers.into_iter().map(offer).collect(),
        draft: form.items.into_iter().map(item).collect(),
        is_written: form.is_written,
        findings: form
            .problems
            .iter()
            .map(|problem| finding_from_problem(place, problem))
            .collect(),
    }
}

/// Returns a plan with its consequences.
pub(crate) fn plan(
    place: &Place,
    files: &RepositoryFiles<'_>,
    planned: &Planned,
) -> RepositoryPlan {
    let names: BTreeSet<&str> = planned
        .catalogs
        .iter()
        .map(|catalog| catalog.catalog.as_str())
        .collect();
    let whole = |name: &str| {
        let here = planned
            .catalogs
            .iter()
            .filter(|catalog| catalog.catalog == name);
        let changes: Vec<&FileChange> = here
            .filter_map(|planned| planned.outcome.as_ref().ok())
            .collect();
        Some(files.whole_catalog(name)?.change(&changes))
    };
    let wholes: BTreeMap<&str, WholeCatalogChange> = names
        .into_iter()
        .filter_map(|name| Some((name, whole(name)?)))
        .collect();
    let changed = planned.files.iter().filter(|change| change.is_change());
    RepositoryPlan {
        title: planned.title.clone(),
        refused: planned
            .refused
            .iter()
            .map(|problem| finding_from_problem(place, problem))
            .collect(),
        findings: planned
            .findings
            .iter()
            .map(|finding| finding_from_check(place, finding))
            .collect(),
        notes: planned.notes.clone(),
        config: planned.config.clone(),
        files: changed.map(|change| diff(place, change)).collect(),
        catalogs: planned
            .catalogs
            .iter()
            .map(|planned| catalog(place, planned, wholes.get(planned.catalog.as_str())))
            .collect(),
        pull_requests: planned
            .pull_requests
            .iter()
            .map(|pull_request| PullRequest {
                files: pull_request
                    .files
                    .iter()
                    .map(|file| place.opened_path(file))
                    .collect(),
                message: pull_request.message.clone(),
                patch: pull_request.patch.clone(),
            })
            .collect(),
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
    planned_file: &PlannedFile,
    whole: Option<&WholeCatalogChange>,
) -> PlannedCatalog {
    let mut planned = PlannedCatalog {
        operator: planned_file.operator.clone(),
        catalog: planned_file.catalog.clone(),
        ..PlannedCatalog::default()
    };
    let change = match &planned_file.outcome {
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
            let (verdict, mut consequences) = for_catalogs(&planned_file.catalog, &before, &after);
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
        Some(_) => lines_of(&failing_operators(
            &planned_file.catalog,
            &verdict,
            &planned_file.operator,
        )),
        None => verdict.opm_message.unwrap_or_default(),
    };
    planned
}
