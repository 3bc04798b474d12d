//! Plans the file changes and pull requests of a repository task without applying them.

use super::{OverlaidFiles, Repository};
use ::repository::promote::{self, Promoted, Strategy};
use ::repository::release_form::config_change;
use ::repository::rules::MISSPELT_CATALOG_NAMES;
use ::repository::{
    FileChange, Files, Finding, Problem, ReadFailure, RenderedCatalog, check, layout, onboard,
    release, render,
};
use protocol::counting::{capitalize, count_of};
use protocol::diagnostic::{self, Diagnostic};
use protocol::repository::{ReleaseDraft, ReleaseItem, RepositoryTask, ServedCatalog, SubmitMode};
use std::collections::BTreeMap;
use verdict::validate::{ENTRY_WITHOUT_BUNDLE, judge};

/// Maximum total size in bytes of catalogs copied in the page.
const MAX_COPIED_BYTES: u64 = 96 << 20;

/// The changes of a task, and the pull requests that submit them.
#[derive(Debug, Default)]
pub struct Plan {
    pub title: String,
    /// Templates and configuration.
    pub files: Vec<FileChange>,
    pub catalogs: Vec<CatalogChange>,
    pub refused: Vec<Problem>,
    pub findings: Vec<Finding>,
    pub notes: Vec<String>,
    pub pull_requests: Vec<PlannedPullRequest>,
}

/// A catalog of an operator that is created or changed.
#[derive(Debug)]
pub struct CatalogChange {
    pub operator: String,
    pub catalog: String,
    pub outcome: Result<FileChange, Problem>,
}

/// The files of one pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPullRequest {
    pub message: String,
    /// Paths in the repository.
    pub files: Vec<String>,
    /// Name of the patch file.
    pub patch: String,
}

impl Plan {
    fn refuse(title: String, problem: Problem) -> Self {
        Self {
            title,
            refused: vec![problem],
            ..Self::default()
        }
    }

    /// Returns the changes that a pull request submits; only these are applied.
    pub fn applied_changes(&self) -> Vec<&FileChange> {
        let is_submitted = |change: &&FileChange| {
            let mut files = self.pull_requests.iter().flat_map(|request| &request.files);
            files.any(|file| *file == change.path)
        };
        self.changes().filter(is_submitted).collect()
    }

    fn changes(&self) -> impl Iterator<Item = &FileChange> {
        let catalogs = self.catalogs.iter();
        let catalogs = catalogs.filter_map(|catalog| catalog.outcome.as_ref().ok());
        let all = self.files.iter().chain(catalogs);
        all.filter(|change| change.is_change())
    }

    /// Adds a pull request with the included changes, unless there are none.
    fn add_pull_request(
        &mut self,
        message: String,
        patch: &str,
        is_included: impl Fn(&str) -> bool,
    ) {
        let paths = self.changes().map(|change| change.path.clone());
        let files: Vec<String> = paths.filter(|path| is_included(path)).collect();
        if !files.is_empty() {
            self.pull_requests.push(PlannedPullRequest {
                message,
                files,
                patch: format!("{patch}.patch"),
            });
        }
    }
}

pub fn plan(repository: &Repository, files: &dyn Files, task: &RepositoryTask) -> Plan {
    match task {
        RepositoryTask::Release(draft) => plan_release(files, draft),
        RepositoryTask::Render { operator } => plan_render(files, operator),
        RepositoryTask::Promote {
            from,
            to,
            operators,
        } => plan_promotion(repository, files, from, to, operators),
        RepositoryTask::Onboard { operator, catalogs } => {
            plan_onboarding(files, operator, catalogs)
        }
        RepositoryTask::Fix {
            operator,
            check,
            file,
            line,
        } => plan_fix(files, operator, check, file, *line),
    }
}

/// Returns the dropped files of a bundle that the repository lacks, by path in the repository.
pub fn dropped_texts(
    operator: &str,
    bundle: &str,
    dropped: &[(String, String)],
) -> BTreeMap<String, Vec<u8>> {
    let folder = layout::bundle_folder(operator, bundle);
    dropped
        .iter()
        .map(|(path, text)| (format!("{folder}/{path}"), text.clone().into_bytes()))
        .collect()
}

fn plan_release(files: &dyn Files, draft: &ReleaseDraft) -> Plan {
    let ReleaseDraft {
        operator,
        bundle,
        image,
        items,
        hand_in,
        dropped,
    } = draft;
    let title = format!("Release {operator} {bundle}");
    let dropped = dropped_texts(operator, bundle, dropped);
    let with_bundle = OverlaidFiles::new(files, dropped.clone());
    let config = match config_change(&with_bundle, operator, bundle, items) {
        Ok(config) => config,
        Err(problem) => return Plan::refuse(title, problem),
    };
    let mut texts = dropped.clone();
    texts.insert(config.path.clone(), config.after.clone());
    let files = OverlaidFiles::new(files, texts);
    let mut plan = Plan {
        title,
        ..Plan::default()
    };
    let dropped = dropped.into_iter().map(|(path, after)| FileChange {
        path,
        before: None,
        after,
    });
    plan.files
        .extend(dropped.filter(|change| change.path != config.path));
    plan.files.push(config);
    let bundle_files: Vec<String> = plan
        .files
        .iter()
        .map(|change| change.path.clone())
        .collect();
    let mut request = release::Request {
        operator,
        bundle,
        image,
    };
    if image.is_empty() {
        request.image = release::UNBUILT_IMAGE;
        plan.notes.push(format!(
            "The image is not known yet: the preview names `{}` in its place.",
            request.image
        ));
    }
    plan_release_catalogs(&mut plan, &files, &request);
    add_check_findings(&mut plan, &files, operator, bundle);
    let is_bundle_file = |path: &str| bundle_files.iter().any(|file| file == path);
    plan.add_pull_request(
        bundle_message(draft),
        &format!("{operator}-{bundle}-bundle"),
        is_bundle_file,
    );
    if *hand_in == SubmitMode::All {
        if image.is_empty() {
            let message = "templates and catalogs name the image, which is not known yet";
            let problem = Problem::new(operator, layout::bundle_folder(operator, bundle), message);
            plan.refused
                .push(problem.help("enter the image, or hand in `release-config.yaml` only"));
        }
        let catalogs = plan.catalogs.iter();
        let failed = catalogs.filter_map(|catalog| catalog.outcome.as_ref().err());
        plan.refused.extend(failed.cloned());
        let message = catalog_message(draft, &plan);
        let patch = format!("{operator}-{bundle}-catalogs");
        plan.add_pull_request(message, &patch, |path| !is_bundle_file(path));
    }
    plan
}

/// Adds the changed templates of a release, and the catalogs that they render to.
fn plan_release_catalogs(plan: &mut Plan, files: &dyn Files, request: &release::Request<'_>) {
    let release = match release::plan(files, request) {
        Ok(release) => release,
        Err(problem) => return plan.refused.push(problem),
    };
    plan.catalogs = release::render_catalogs(files, request, &release)
        .into_iter()
        .map(|catalog| catalog_change(request.operator, catalog))
        .collect();
    let templates = release.templates.into_iter();
    plan.files.extend(templates.map(|template| template.file));
    plan.findings = release.remarks;
}

fn add_check_findings(plan: &mut Plan, files: &dyn Files, operator: &str, bundle: &str) {
    let request = check::Request {
        operator,
        bundle: Some(bundle),
        catalogs: &[],
    };
    for finding in check::check(files, &request).findings {
        if !plan.findings.contains(&finding) {
            plan.findings.push(finding);
        }
    }
}

fn catalog_change(operator: &str, rendered: RenderedCatalog) -> CatalogChange {
    CatalogChange {
        operator: operator.to_owned(),
        catalog: rendered.name,
        outcome: rendered.outcome,
    }
}

fn bundle_message(draft: &ReleaseDraft) -> String {
    let describe = |item: &ReleaseItem| format!("{} ({})", item.template, item.channels.join(", "));
    let items: Vec<String> = draft.items.iter().map(describe).collect();
    format!(
        "operator {} ({})\n\nRelease into {}.\n",
        draft.operator,
        draft.bundle,
        items.join(" and ")
    )
}

fn catalog_message(draft: &ReleaseDraft, plan: &Plan) -> String {
    let names = changed_catalogs(plan);
    format!(
        "operator {} ({}): catalogs\n\nThe templates with {}, and what they render to: {names}.\n",
        draft.operator, draft.bundle, draft.bundle
    )
}

/// Returns the names of the catalogs that change, comma-separated.
fn changed_catalogs(plan: &Plan) -> String {
    let is_changed =
        |catalog: &&CatalogChange| catalog.outcome.as_ref().is_ok_and(FileChange::is_change);
    let changed = plan.catalogs.iter().filter(is_changed);
    let mut names: Vec<&str> = changed.map(|catalog| catalog.catalog.as_str()).collect();
    names.dedup();
    names.join(", ")
}

fn plan_render(files: &dyn Files, operator: &str) -> Plan {
    let request = render::Request {
        operator,
        catalogs: &[],
        stale_only: true,
    };
    let rendering = render::render_operator(files, &request);
    let catalogs = rendering.catalogs.into_iter().map(|rendered| {
        let failure = rendering_failure(operator, &rendered);
        let mut change = catalog_change(operator, rendered);
        change.outcome = failure.map_or(change.outcome, Err);
        change
    });
    let mut plan = Plan {
        title: format!("Bring {operator} up to date"),
        catalogs: catalogs.collect(),
        refused: rendering.problems,
        ..Plan::default()
    };
    let message = format!(
        "{operator}: render catalogs\n\nWhat the templates render to: {}.\n",
        changed_catalogs(&plan)
    );
    plan.add_pull_request(message, &format!("{operator}-rendered"), |_| true);
    plan
}

/// Returns why a catalog cannot be rendered, or why the rendered one fails `opm validate`; a part
/// that failed before may still fail.
pub fn rendering_failure(operator: &str, rendered: &RenderedCatalog) -> Option<Problem> {
    let (before, after) = match &rendered.outcome {
        Ok(change) => change.catalogs(),
        Err(problem) => return Some(problem.clone()),
    };
    let verdict = judge(&after);
    if verdict.passed || !judge(&before).passed {
        return None;
    }
    let template = rendered.template.rsplit('/').next().unwrap_or_default();
    let errors = verdict.diagnostics.iter();
    let first = errors.clone().find(|problem| is_failure(problem))?;
    let more = match errors.filter(|problem| is_failure(problem)).count() {
        ..=1 => String::new(),
        count => format!(" (and {})", count_of(count - 1, "more error")),
    };
    let help = if first.rule == ENTRY_WITHOUT_BUNDLE.id {
        format!(
            "add the images of the missing bundles to `{template}` and render it with `opm`, or remove the entries"
        )
    } else {
        format!("correct `{template}` first")
    };
    let message = format!(
        "the catalog rendered from `{template}` fails opm validate: {}{more}",
        first.message
    );
    Some(Problem::new(operator, &*rendered.template, message).help(help))
}

fn is_failure(problem: &Diagnostic) -> bool {
    problem.opm && problem.severity == diagnostic::Severity::Error
}

fn plan_promotion(
    repository: &Repository,
    files: &dyn Files,
    from: &str,
    to: &str,
    operators: &[String],
) -> Plan {
    let title = match operators {
        [operator] => format!("Promote {operator} to {to}"),
        _ => format!("Promote to {to}"),
    };
    let bytes = copied_bytes(repository, from, operators);
    if bytes > MAX_COPIED_BYTES {
        return Plan::refuse(title, too_large(from, to, bytes));
    }
    let request = promote::Request {
        from,
        to,
        operators,
    };
    let promotion = match promote::plan(files, &request) {
        Ok(promotion) => promotion,
        Err(problem) => return Plan::refuse(title, problem),
    };
    let mut plan = Plan {
        title,
        findings: promotion.remarks,
        refused: promotion.problems,
        notes: promotion_notes(&promotion.operators),
        ..Plan::default()
    };
    for promoted in promotion.operators {
        plan.files.extend(promoted.ci.map(|(_, file)| file));
        for change in promoted.copied {
            if change.path.ends_with(layout::CATALOG_FILE) {
                plan.catalogs.push(CatalogChange {
                    operator: promoted.operator.clone(),
                    catalog: to.to_owned(),
                    outcome: Ok(change),
                });
            } else {
                plan.files.push(change);
            }
        }
    }
    let subject = match operators {
        [operator] => operator,
        _ => "operators",
    };
    plan.add_pull_request(
        format!("{subject}: promote to {to}\n\nAs in {from}.\n"),
        &format!("promote-{to}"),
        |_| true,
    );
    plan
}

fn too_large(from: &str, to: &str, bytes: u64) -> Problem {
    let megabytes = bytes >> 20;
    let file = format!("{}/{from}", layout::CATALOGS);
    let message = format!("{megabytes} MB would be copied, which is too much for a browser tab");
    Problem::new("", file, message).help(format!(
        "use `switchyard repo promote --from {from} --to {to} --write`, or choose operators"
    ))
}

/// Lists the operators by how they are promoted, one line per heading.
fn promotion_notes(operators: &[Promoted]) -> Vec<String> {
    const TOGETHER: &str = "With all others";
    const REVIEWED: &str = "Once its owners agree";
    const PRESENT: &str = "There already";
    const NEVER: &str = "Never promoted";
    let heading = |promoted: &Promoted| {
        let has_changes = !promoted.copied.is_empty() || promoted.ci.is_some();
        match promoted.strategy {
            Strategy::Never => NEVER,
            _ if !has_changes => PRESENT,
            Strategy::Always => TOGETHER,
            Strategy::ReviewNeeded => REVIEWED,
        }
    };
    let note = |title: &str| {
        let listed = operators
            .iter()
            .filter(|promoted| heading(promoted) == title);
        let names: Vec<&str> = listed.map(|promoted| promoted.operator.as_str()).collect();
        (!names.is_empty()).then(|| format!("{title}: {}.", names.join(", ")))
    };
    [TOGETHER, REVIEWED, PRESENT, NEVER]
        .into_iter()
        .filter_map(note)
        .collect()
}

/// Returns the total size in bytes of the catalogs to copy.
fn copied_bytes(repository: &Repository, from: &str, operators: &[String]) -> u64 {
    let folders: Vec<String> = match operators {
        [] => vec![format!("{}/{from}", layout::CATALOGS)],
        operators => operators
            .iter()
            .map(|operator| layout::catalog_folder(from, operator))
            .collect(),
    };
    folders
        .iter()
        .map(|folder| repository.listing.bytes_below(folder))
        .sum()
}

fn plan_onboarding(files: &dyn Files, operator: &str, catalogs: &[ServedCatalog]) -> Plan {
    let title = format!("Move {operator} to file-based catalogs");
    let served: Vec<onboard::ServedCatalog> = catalogs
        .iter()
        .map(|catalog| onboard::ServedCatalog {
            name: catalog.name.clone(),
            file: catalog.file.clone(),
            text: catalog.text.clone().into_bytes(),
        })
        .collect();
    let request = onboard::Request {
        operator,
        catalogs: &served,
    };
    let onboarding = match onboard::plan(files, &request) {
        Ok(onboarding) => onboarding,
        Err(problem) => return Plan::refuse(title, problem),
    };
    let templates = onboarding.templates.into_iter();
    let mut changed_files: Vec<FileChange> = templates.map(|template| template.file).collect();
    changed_files.push(onboarding.ci.1);
    let catalogs = onboarding.catalogs.into_iter();
    let mut plan = Plan {
        title,
        files: changed_files,
        catalogs: catalogs
            .map(|catalog| catalog_change(operator, catalog))
            .collect(),
        findings: onboarding.remarks,
        ..Plan::default()
    };
    let message = format!(
        "{operator}: file-based catalogs\n\nTemplates, their mapping and what they render to: {}.\n",
        changed_catalogs(&plan)
    );
    plan.add_pull_request(message, &format!("{operator}-file-based"), |_| true);
    plan
}

/// Returns the title of the fix for a finding: its help, capitalized; "" if no fix is certain.
pub fn fix_title(finding: &Finding) -> String {
    if finding.has_fix && finding.line.is_some() {
        capitalize(&finding.help)
    } else {
        String::new()
    }
}

/// Returns the change that fixes a finding; `None` if no fix is certain or the file cannot be read.
pub fn configuration_fix(files: &dyn Files, finding: &Finding) -> Option<FileChange> {
    let line = finding.line.filter(|_| !fix_title(finding).is_empty())?;
    corrected_file(files, finding.check, &finding.file, line).ok()
}

fn plan_fix(files: &dyn Files, operator: &str, check: &str, file: &str, line: u32) -> Plan {
    let title = format!("Correct {file}");
    let change = match corrected_file(files, check, file, line) {
        Ok(change) => change,
        Err(failure) => {
            return Plan::refuse(title, Problem::new("", file, failure.to_string()));
        }
    };
    let mut plan = Plan {
        title,
        files: vec![change],
        ..Plan::default()
    };
    plan.add_pull_request(
        format!("{operator}: correct the configuration\n"),
        &format!("{operator}-config"),
        |_| true,
    );
    plan
}

/// Corrects the line that a configuration check reported.
fn corrected_file(
    files: &dyn Files,
    check: &str,
    file: &str,
    line: u32,
) -> Result<FileChange, ReadFailure> {
    let text = files.read(file)?;
    let before = String::from_utf8_lossy(&text).into_owned();
    let mut lines: Vec<String> = before.split_inclusive('\n').map(str::to_owned).collect();
    let index = (line as usize).checked_sub(1);
    if let Some(line) = index.and_then(|index| lines.get_mut(index)) {
        *line = match check {
            MISSPELT_CATALOG_NAMES => line.replacen("catalogs_names", "catalog_names", 1),
            _ => insert_v(line),
        };
    }
    Ok(FileChange {
        path: file.to_owned(),
        before: Some(text),
        after: lines.concat().into_bytes(),
    })
}

/// Inserts `v` before the first version that lacks it.
fn insert_v(line: &str) -> String {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut position = 0;
    for word in line.split_inclusive(|c: char| !is_name_char(c)) {
        let name = word.trim_end_matches(|c: char| !is_name_char(c));
        if layout::name_with_v(name).is_some() {
            let (before, after) = line.split_at(position);
            return format!("{before}v{after}");
        }
        position += word.len();
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_v_is_written_before_the_version() {
        assert_eq!(insert_v("        - 4.22\n"), "        - v4.22\n");
        assert_eq!(
            insert_v("names: [v4.20, \"4.21\"]\n"),
            "names: [v4.20, \"v4.21\"]\n"
        );
        assert_eq!(insert_v("nothing\n"), "nothing\n");
    }
}
