//! The session's status, the package list, and search.

use super::{bundles, template};
use crate::ViewInput;
use ::upgrade::status_conditions::{self, Scope};
use catalog::model::Package;
use protocol::diagnostic::{Diagnostic, Profile, Severity};
use protocol::repository::RepositoryStatus;
use protocol::request::ReplayStep;
use protocol::response::Found;
use protocol::views::{
    FolderRow, HistoryRow, Hit, PackageRow, RootRow, Status, TextRange, UnusedFileRow,
};
use session::search::{self, HitKind, Index};
use session::{AdviceSource, Root, Session};
use std::collections::{HashMap, HashSet};
use syntax::place::Place;

/// Returns the status. `unused_files` is `None` if the page already has them.
pub(crate) fn status(
    input: ViewInput<'_>,
    unused_files: Option<Vec<UnusedFileRow>>,
    repository: Option<RepositoryStatus>,
) -> Status {
    let session = input.session;
    let files = session.files().file_count() as u32;
    let changed = changed_paths(session);
    let roots = session.roots().iter();
    let folders = session.folders().iter().map(|folder| FolderRow {
        folder: folder.path.clone(),
        as_one: folder.as_one,
        splits: folder.splits,
        whole_message: input
            .whole_folder_messages
            .get(&folder.path)
            .cloned()
            .unwrap_or_default(),
    });
    let saved_steps = session.changes().saved_steps();
    let unsaved = match saved_steps {
        Some(saved) if saved <= session.applied_steps() => Vec::new(),
        // If the unsaved steps are unknown, this list is empty; the changed files are still
        // reported.
        _ => session.changes().unsaved_steps().unwrap_or_default(),
    };
    Status {
        revision: input.revision,
        // Without files there is no catalog, even though the session has a root.
        roots: roots
            .filter(|_| files > 0)
            .map(|root| root_row(session, root, &changed))
            .collect(),
        folders: folders.collect(),
        unused_files,
        history: session
            .history()
            .iter()
            .map(|step| HistoryRow {
                title: step.title.clone(),
            })
            .collect(),
        applied_steps: session.applied_steps(),
        last_step_files: session.changes().last_step_files(),
        saved_steps,
        unsaved: unsaved.into_iter().map(ReplayStep::from).collect(),
        changed_files: changed,
        bytes: session.files().byte_count(),
        files,
        profile: match session.advice_source() {
            AdviceSource::Nearest(profile) | AdviceSource::Given { profile, .. } => *profile,
            AdviceSource::None => Some(Profile::Opm),
        },
        config_files: session.config_files(),
        repository,
    }
}

/// Builds the row of a root. `changed` are the changed files.
fn root_row(session: &Session, root: &Root, changed: &[String]) -> RootRow {
    let verdict = root.verdict();
    let packages = root.catalog().packages();
    let is_template_of = |path: &str| {
        root.rendering()
            .is_some_and(|rendering| rendering.template == path)
    };
    // A template in a catalog's folder is a root of its own.
    let is_other_template = |path: &str| {
        let mut roots = session.roots().iter().filter(|other| other.is_template());
        roots.any(|other| other.name == path && other.name != root.name)
    };
    RootRow {
        root: root.name.clone(),
        label: root.label().to_owned(),
        packages: packages.filter(|package| !package.name.is_empty()).count() as u32,
        passed: verdict.passed,
        errors: root.errors().count() as u32,
        following: root.errors().filter(|d| d.is_consequence()).count() as u32,
        profile: root.config().settings.profile(),
        opm_message: verdict.located_message(),
        template: root.is_template().then(|| template::row(session, root)),
        rendered: root
            .rendering()
            .map(|rendering| template::rendered_row(session, rendering)),
        edited: changed.iter().any(|path| {
            root.contains_file(path) && !is_other_template(path) || is_template_of(path)
        }),
    }
}

/// Returns the rows of all packages of a catalog, by name. Blobs without a package only appear as
/// problems.
pub(crate) fn rows(input: ViewInput<'_>, root: &Root) -> Vec<PackageRow> {
    let counts = problem_counts(root, |_| true);
    let packages = root
        .catalog()
        .packages()
        .filter(|package| !package.name.is_empty());
    packages
        .map(|package| {
            let counts = counts.get(&*package.name).copied();
            package_row(input, root, package, counts.unwrap_or_default())
        })
        .collect()
}

/// Returns the row of one package; `None` if it has no name or no longer exists.
pub(crate) fn row(input: ViewInput<'_>, root: &Root, package: &str) -> Option<PackageRow> {
    let package = root.catalog().package(package);
    let package = package.filter(|package| !package.name.is_empty())?;
    let counts = problem_counts(root, |name| *name == *package.name);
    let counts = counts.into_values().next().unwrap_or_default();
    Some(package_row(input, root, package, counts))
}

fn package_row(
    input: ViewInput<'_>,
    root: &Root,
    package: &Package,
    counts: ProblemCounts,
) -> PackageRow {
    let newest = bundles(package)
        .into_iter()
        .find(|bundle| !bundle.display_name.is_empty());
    PackageRow {
        name: package.name.to_string(),
        display_name: newest.map_or_else(String::new, |bundle| bundle.display_name.to_string()),
        channels: package.channels_by_name().len() as u32,
        bundles: package.bundles.len() as u32,
        errors: counts.errors,
        warnings: counts.warnings,
        infos: counts.infos,
        edited: input
            .unsaved_entries
            .iter()
            .any(|step| step.has_package(&root.name, &package.name)),
        deprecated: status_conditions::message(package, Scope::Package).is_some(),
        has_requirements: package
            .bundles
            .iter()
            .any(|bundle| bundle.has_requirements()),
        unreleased: unreleased_bundles(input, root, package),
    }
}

/// Counts the bundle folders of a package's operator whose version no open catalog has.
fn unreleased_bundles(input: ViewInput<'_>, root: &Root, package: &Package) -> u32 {
    let (Some(repository), Some(blob)) = (input.repository, package.blobs().next()) else {
        return 0;
    };
    let file = root
        .catalog()
        .location(blob.file, blob.index, Place::default())
        .file;
    let Some(operator) = repository
        .place
        .operator_of(&format!("{}/{file}", root.name))
    else {
        return 0;
    };
    let mut versions = repository.bundle_versions(&operator);
    for root in input.session.roots() {
        if let Some(package) = root.catalog().package(&package.name) {
            versions.retain(|version| {
                package
                    .bundles
                    .iter()
                    .all(|bundle| bundle.version() != version)
            });
        }
    }
    versions.len() as u32
}

#[derive(Clone, Copy, Default)]
struct ProblemCounts {
    errors: u32,
    warnings: u32,
    infos: u32,
}

impl ProblemCounts {
    fn add(&mut self, problem: &Diagnostic) {
        match problem.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }
}

/// Counts the problems of packages. A problem without a package counts for those with a problem
/// that follows from it, as in the problem list.
fn problem_counts(root: &Root, is_wanted: impl Fn(&str) -> bool) -> HashMap<&str, ProblemCounts> {
    let outer = root.problems().filter(|problem| problem.package.is_none());
    let outer: HashMap<_, _> = outer
        .map(|problem| ((&problem.rule, &problem.location), problem))
        .collect();
    let mut counted = HashSet::new();
    let mut counts: HashMap<&str, ProblemCounts> = HashMap::new();
    for problem in root.problems() {
        let package = problem.package.as_deref();
        let Some(package) = package.filter(|package| is_wanted(package)) else {
            continue;
        };
        let counts = counts.entry(package).or_default();
        counts.add(problem);
        let cause = problem.follows.as_ref();
        let cause = cause.and_then(|cause| outer.get(&(&cause.rule, &cause.location)));
        if let Some(cause) =
            cause.filter(|cause| counted.insert((package, &cause.rule, &cause.location)))
        {
            counts.add(cause);
        }
    }
    counts
}

/// Returns the best hits, best first. `index` must be up to date with the session.
pub(crate) fn find(
    index: &Index,
    session: &Session,
    text: &str,
    root: &str,
    limit: usize,
) -> Found {
    let answer = index.find(session, text, root, limit);
    let hits = answer
        .hits
        .into_iter()
        .map(|found| hit(session, found))
        .collect();
    Found {
        hits,
        total: u32::try_from(answer.total).unwrap_or(u32::MAX),
    }
}

fn hit(session: &Session, found: search::Hit) -> Hit {
    let detail = hit_detail(session, &found);
    Hit {
        kind: found.kind,
        detail,
        marks: found
            .marks
            .into_iter()
            .map(|mark| TextRange {
                start: mark.start as u32,
                end: mark.end as u32,
            })
            .collect(),
        label: found.text,
        root: found.root,
        package: found.package,
        channel: found.channel,
        bundle: found.bundle,
        problem: found.problem.and_then(|at| u32::try_from(at).ok()),
        file: found.file,
    }
}

/// Names the bundle or package that a hit belongs to, and its catalog if there are several.
fn hit_detail(session: &Session, found: &search::Hit) -> String {
    let owner = match found.kind {
        // A file's text is its whole path.
        HitKind::File => return String::new(),
        HitKind::Package => "",
        HitKind::Version | HitKind::Image | HitKind::DisplayName => &found.bundle,
        HitKind::ProvidedApi | HitKind::RequiredApi | HitKind::PropertyType => &found.bundle,
        HitKind::Channel | HitKind::Bundle | HitKind::Entry | HitKind::Problem => &found.package,
    };
    let root = session
        .root(Some(&found.root))
        .ok()
        .filter(|_| session.roots().len() > 1);
    let root = root.map(|root| match found.other_roots {
        0 => root.label().to_owned(),
        others => format!("{} and {others} more", root.label()),
    });
    match (owner, root) {
        (owner, None) => owner.to_owned(),
        ("", Some(root)) => root,
        (owner, Some(root)) => format!("{owner} in {root}"),
    }
}

/// Returns the files that differ from the disk.
pub(crate) fn changed_paths(session: &Session) -> Vec<String> {
    let paths = session.files().changed_paths();
    paths.into_iter().map(str::to_owned).collect()
}
