//! Plans the file changes and pull requests of a repository task without applying them.

use super::{Repository, WithTexts};
use ::repository::promote::{self, Strategy};
use ::repository::release_form::{Item, config_change};
use ::repository::rules::{CATALOG_WITHOUT_V, MISSPELT_CATALOG_NAMES};
use ::repository::{
    FileChange, Files, Finding, Problem, ReadFailure, RenderedCatalog, layout, onboard, release,
    render,
};
use protocol::repository::{ReleaseDraft, ReleaseItem, RepositoryTask, ServedCatalog, SubmitMode};
use std::collections::BTreeMap;

/// Maximum total size in bytes of catalogs copied in the page.
const MOST_COPIED: u64 = 96 << 20;

#[derive(Debug, Default)]
pub struct Planned {
    pub title: String,
    /// Templates and configuration.
    pub files: Vec<FileChange>,
    pub catalogs: Vec<PlannedFile>,
    pub refused: Vec<Problem>,
    pub findings: Vec<Finding>,
    pub notes: Vec<String>,
    /// The text of `release-config.yaml`.
    pub config: String,
    /// The pull requests in order.
    pub pull_requests: Vec<Submission>,
}

/// A catalog of an operator that is created or changed.
#[derive(Debug)]
pub struct PlannedFile {
    pub operator: String,
    pub catalog: String,
    pub outcome: Result<FileChange, Problem>,
}

/// The files of one pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    pub message: String,
    /// Paths in the repository.
    pub files: Vec<String>,
    pub patch: String,
}

impl Planned {
    fn refuse(title: String, problem: Problem) -> Self {
        Self {
            title,
            refused: vec![problem],
            ..Self::default()
        }
    }

    /// Returns the changes that a pull request submits; only these are applied.
    pub fn applied_changes(&self) -> Vec<&FileChange> {
        let submitted = |change: &&FileChange| {
            let mut files = self.pull_requests.iter().flat_map(|request| &request.files);
            files.any(|file| *file == change.path)
        };
        self.changes().filter(submitted).collect()
    }

    fn changes(&self) -> impl Iterator<Item = &FileChange> {
        let catalogs = self.catalogs.iter();
        let catalogs = catalogs.filter_map(|catalog| catalog.outcome.as_ref().ok());
        let all = self.files.iter().chain(catalogs);
        all.filter(|change| change.is_change())
    }

    fn hand_in(&mut self, message: String, patch: &str, is_included: impl Fn(&str) -> bool) {
        let paths = self.changes().map(|change| change.path.clone());
        let files: Vec<String> = paths.filter(|path| is_included(path)).collect();
        if !files.is_empty() {
            self.pull_requests.push(Submission {
                message,
                files,
                patch: format!("{patch}.patch"),
            });
        }
    }
}

/// Plans a task against these files.
pub fn plan(repository: &Repository, files: &dyn Files, task: &RepositoryTask) -> Planned {
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

fn item(release_item: &ReleaseItem) -> Item {
    let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Item {
        template: release_item.template.clone(),
        channels: release_item.channels.clone(),
        replaces: given(&release_item.replaces),
        skips: release_item.skips.clone(),
        skip_range: given(&release_item.skip_range),
        default_channel: given(&release_item.default_channel),
    }
}

fn plan_release(files: &dyn Files, draft: &ReleaseDraft) -> Planned {
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
    let with_bundle = WithTexts::new(files, dropped.clone());
    let items: Vec<Item> = items.iter().map(item).collect();
    let config = match config_change(&with_bundle, operator, bundle, &items) {
        Ok(config) => config,
        Err(problem) => return Planned::refuse(title, problem),
    };
    let mut texts = dropped.clone();
    texts.insert(config.path.clone(), config.after.clone());
    let files = WithTexts::new(files, texts);
    let request = release::Request {
        operator,
        bundle,
        image,
    };
    let mut planned = Planned {
        title,
        config: String::from_utf8_lossy(&config.after).into_owned(),
        ..Planned::default()
    };
    let made = dropped.into_iter().map(|(path, after)| FileChange {
        path,
        before: None,
        after,
    });
    planned
        .files
        .extend(made.filter(|change| change.path != config.path));
    planned.files.push(config);
    let own: Vec<String> = planned
        .files
        .iter()
        .map(|change| change.path.clone())
        .collect();
    match release::plan(&files, &request) {
        Ok(release) => {
            let catalogs = release::render_catalogs(&files, &request, &release);
            planned.catalogs = catalogs
                .into_iter()
                .map(|catalog| planned_file(operator, catalog))
                .collect();
            planned
                .files
                .extend(release.templates.into_iter().map(|template| template.file));
            planned.findings = release.remarks;
        }
        Err(problem) => planned.refused.push(problem),
    }
    let report = ::repository::check::check(
        &files,
        &::repository::check::Request {
            operator,
            bundle: Some(bundle),
            catalogs: &[],
        },
    );
    for finding in report.findings {
        if !planned.findings.contains(&finding) {
            planned.findings.push(finding);
        }
    }
    planned.hand_in(
        bundle_message(draft),
        &format!("{operator}-{bundle}-bundle"),
        |path| own.iter().any(|file| file == path),
    );
    if *hand_in == SubmitMode::All && planned.refused.is_empty() {
        let message = catalog_message(draft, &planned);
        planned.hand_in(message, &format!("{operator}-{bundle}-catalogs"), |path| {
            own.iter().all(|file| file != path)
        });
    }
    planned
}

fn planned_file(operator: &str, rendered_catalog: RenderedCatalog) -> PlannedFile {
    PlannedFile {
        operator: operator.to_owned(),
        catalog: rendered_catalog.name,
        outcome: rendered_catalog.outcome,
    }
}

fn bundle_message(draft: &ReleaseDraft) -> String {
    let into = |item: &ReleaseItem| format!("{} ({})", item.template, item.channels.join(", "));
    let items: Vec<String> = draft.items.iter().map(into).collect();
    format!(
        "operator {} ({})\n\nRelease into {}.\n",
        draft.operator,
        draft.bundle,
        items.join(" and ")
    )
}

fn catalog_message(draft: &ReleaseDraft, planned: &Planned) -> String {
    let names = names_of(planned);
    format!(
        "operator {} ({}): catalogs\n\nThe templates with {}, and what they render to: {names}.\n",
        draft.operator, draft.bundle, draft.bundle
    )
}

fn names_of(planned: &Planned) -> String {
    let is_made = |planned_file: &&PlannedFile| {
        planned_file
            .outcome
            .as_ref()
            .is_ok_and(FileChange::is_change)
    };
    let mut names: Vec<&str> = planned
        .catalogs
        .iter()
        .filter(is_made)
        .map(|planned_file| planned_file.catalog.as_str())
        .collect();
    names.dedup();
    names.join(", ")
}

fn plan_render(files: &dyn Files, operator: &str) -> Planned {
    let title = format!("Bring {operator} up to date");
    let rendering = render::render_operator(
        files,
        &render::Request {
            operator,
            catalogs: &[],
            stale_only: true,
        },
    );
    let catalogs = rendering
        .catalogs
        .into_iter()
        .map(|catalog| planned_file(operator, catalog))
        .collect();
    let mut planned = Planned {
        title,
        catalogs,
        refused: rendering.problems,
        ..Planned::default()
    };
    let message = format!(
        "{operator}: render catalogs\n\nWhat the templates render to: {}.\n",
        names_of(&planned)
    );
    planned.hand_in(message, &format!("{operator}-rendered"), |_| true);
    planned
}

fn plan_promotion(
    repository: &Repository,
    files: &dyn Files,
    from: &str,
    to: &str,
    operators: &[String],
) -> Planned {
    let title = match operators {
        [operator] => format!("Promote {operator} to {to}"),
        _ => format!("Promote to {to}"),
    };
    let bytes: u64 = sizes(repository, from, operators);
    if bytes > MOST_COPIED {
        let message = format!(
            "{} MB would be copied, which is too much for a browser tab",
            bytes >> 20
        );
        let command = format!(
            "use `switchyard repo promote --from {from} --to {to} --write`, or choose operators"
        );
        let problem = Problem {
            help: command,
            ..problem(format!("{}/{from}", layout::CATALOGS), message)
        };
        return Planned::refuse(title, problem);
    }
    let promotion = match promote::plan(
        files,
        &promote::Request {
            from,
            to,
            operators,
        },
    ) {
        Ok(promotion) => promotion,
        Err(problem) => return Planned::refuse(title, problem),
    };
    let mut planned = Planned {
        title,
        findings: promotion.remarks,
        refused: promotion.problems,
        ..Planned::default()
    };
    let mut lines: BTreeMap<u8, (&str, Vec<String>)> = BTreeMap::new();
    for promoted in promotion.operators {
        let goes = !promoted.copied.is_empty() || promoted.ci.is_some();
        let (order, heading) = match (promoted.strategy, goes) {
            (Strategy::Never, _) => (3, "Never promoted"),
            (_, false) => (2, "There already"),
            (Strategy::Always, true) => (0, "With all others"),
            (Strategy::ReviewNeeded, true) => (1, "Once its owners agree"),
        };
        lines
            .entry(order)
            .or_insert((heading, Vec::new()))
            .1
            .push(promoted.operator.clone());
        planned.files.extend(promoted.ci.map(|(_, file)| file));
        for change in promoted.copied {
            match change.path.ends_with(layout::CATALOG_FILE) {
                true => {
                    let (operator, catalog) = (promoted.operator.clone(), to.to_owned());
                    planned.catalogs.push(PlannedFile {
                        operator,
                        catalog,
                        outcome: Ok(change),
                    });
                }
                false => planned.files.push(change),
            }
        }
    }
    planned.notes = lines
        .into_values()
        .map(|(heading, names)| format!("{heading}: {}.", names.join(", ")))
        .collect();
    let promoted = if operators.len() == 1 {
        operators.join("")
    } else {
        "operators".to_owned()
    };
    planned.hand_in(
        format!("{promoted}: promote to {to}\n\nAs in {from}.\n"),
        &format!("promote-{to}"),
        |_| true,
    );
    planned
}

/// Returns the total size in bytes of the catalogs to copy.
fn sizes(repository: &Repository, from: &str, operators: &[String]) -> u64 {
    let folders: Vec<String> = match operators {
        [] => vec![format!("{}/{from}", layout::CATALOGS)],
        operators => operators
            .iter()
            .map(|operator| layout::catalog_folder(from, operator))
            .collect(),
    };
    let paths = folders
        .iter()
        .flat_map(|folder| repository.listing.below(folder));
    let size = |path: String| match repository.listing.get(&path) {
        Some(super::Listed::File { size, .. }) => *size,
        _ => 0,
    };
    paths.map(size).sum()
}

fn problem(file: String, message: String) -> Problem {
    Problem {
        operator: String::new(),
        file,
        line: None,
        message,
        help: String::new(),
    }
}

fn plan_onboarding(files: &dyn Files, operator: &str, catalogs: &[ServedCatalog]) -> Planned {
    let title = format!("Move {operator} to file-based catalogs");
    let given: Vec<onboard::ServedCatalog> = catalogs
        .iter()
        .map(|catalog| onboard::ServedCatalog {
            name: catalog.name.clone(),
            file: catalog.file.clone(),
            text: catalog.text.clone().into_bytes(),
        })
        .collect();
    match onboard::plan(
        files,
        &onboard::Request {
            operator,
            catalogs: &given,
        },
    ) {
        Err(problem) => Planned::refuse(title, problem),
        Ok(onboarding) => {
            let mut planned = Planned {
                title,
                findings: onboarding.remarks,
                ..Planned::default()
            };
            planned.files.extend(
                onboarding
                    .templates
                    .into_iter()
                    .map(|template| template.file),
            );
            planned.files.push(onboarding.ci.1);
            planned.catalogs = onboarding
                .catalogs
                .into_iter()
                .map(|catalog| planned_file(operator, catalog))
                .collect();
            let message = format!(
                "{operator}: file-based catalogs\n\nTemplates, their mapping and what they render to: {}.\n",
                names_of(&planned)
            );
            planned.hand_in(message, &format!("{operator}-file-based"), |_| true);
            planned
        }
    }
}

/// Returns the remedy for a finding, capitalized; "" if none is certain.
pub fn fix_words(finding: &Finding) -> String {
    match finding.check {
        CATALOG_WITHOUT_V | MISSPELT_CATALOG_NAMES if finding.line.is_some() => {
            let mut letters = finding.help.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_uppercase().collect::<String>() + letters.as_str()
            })
        }
        _ => String::new(),
    }
}

/// Returns the change that fixes a finding; `None` if no fix is certain or the file cannot be read.
pub fn configuration_fix(files: &dyn Files, finding: &Finding) -> Option<FileChange> {
    let line = finding.line.filter(|_| !fix_words(finding).is_empty())?;
    corrected_file(files, finding.check, &finding.file, line).ok()
}

fn plan_fix(files: &dyn Files, operator: &str, check: &str, file: &str, line: u32) -> Planned {
    let title = format!("Correct {file}");
    let change = match corrected_file(files, check, file, line) {
        Ok(change) => change,
        Err(failure) => {
            return Planned::refuse(title, problem(file.to_owned(), failure.to_string()));
        }
    };
    let mut planned = Planned {
        title,
        files: vec![change],
        ..Planned::default()
    };
    planned.hand_in(
        format!("{operator}: correct the configuration\n"),
        &format!("{operator}-config"),
        |_| true,
    );
    planned
}

fn corrected_file(
    files: &dyn Files,
    check: &str,
    file: &str,
    line: u32,
) -> Result<FileChange, ReadFailure> {
    let text = files.read(file)?;
    let before = String::from_utf8_lossy(&text).into_owned();
    let mut lines: Vec<String> = before.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(text) = (line as usize)
        .checked_sub(1)
        .and_then(|at| lines.get_mut(at))
    {
        *text = match check {
            MISSPELT_CATALOG_NAMES => text.replacen("catalogs_names", "catalog_names", 1),
            _ => with_v(text),
        };
    }
    Ok(FileChange {
        path: file.to_owned(),
        before: Some(text),
        after: lines.concat().into_bytes(),
    })
}

/// Inserts `v` before the first version that lacks it.
fn with_v(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut at = 0;
    for word in line.split_inclusive(|c: char| !is_part(c)) {
        let name = word.trim_end_matches(|c: char| !is_part(c));
        if layout::name_with_v(name).is_some() {
            let (head, rest) = line.split_at(at);
            return format!("{head}v{rest}");
        }
        at += word.len();
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_v_is_written_before_the_version() {
        assert_eq!(with_v("        - 4.22\n"), "        - v4.22\n");
        assert_eq!(
            with_v("names: [v4.20, \"4.21\"]\n"),
            "names: [v4.20, \"v4.21\"]\n"
        );
        assert_eq!(with_v("nothing\n"), "nothing\n");
    }
}
