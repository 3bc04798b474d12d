//! The state that the page always shows: catalogs with their verdicts, folders, strays, history.

use super::template;
use crate::host::ViewInput;
use fbc::workspace::{AdviceSource, Root};
use protocol::Json;
use protocol::diagnostic::Profile;
use protocol::repository::RepositoryStatus;
use protocol::request::ReplayStep;
use protocol::views::{FolderRow, HistoryRow, RootRow, Status, UnusedFileRow};

/// `strays`: `None` if the page has them already.
pub(crate) fn status(
    input: ViewInput<'_>,
    strays: Option<Vec<UnusedFileRow>>,
    repository: Option<RepositoryStatus>,
) -> Status {
    let workspace = input.workspace;
    let files = workspace.files().file_count() as u32;
    let changed: Vec<String> = workspace
        .files()
        .changed_paths()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let is_source =
        |root: &Root, path: &String| root.rendering().is_some_and(|of| of.template == *path);
    let roots = workspace.roots().iter().map(|root| {
        let verdict = root.verdict();
        RootRow {
            root: root.name.clone(),
            label: root.label().to_owned(),
            packages: root
                .catalog()
                .packages()
                .filter(|package| !package.name.is_empty())
                .count() as u32,
            passed: verdict.passed,
            errors: root.errors() as u32,
            warnings: root.warnings() as u32,
            profile: root.config().settings.profile(),
            opm_message: verdict.opm_message.clone().unwrap_or_default(),
            template: root.is_template().then(|| template::row(workspace, root)),
            rendered: root.rendering().map(template::rendered_row),
            edited: changed
                .iter()
                .any(|path| root.holds(path) || is_source(root, path)),
        }
    });
    let folders = workspace.folders().iter().map(|folder| FolderRow {
        folder: folder.path.clone(),
        as_one: folder.as_one,
        splits: folder.splits,
        whole_message: input.wholes.get(&folder.path).cloned().unwrap_or_default(),
    });
    let saved_steps = workspace.changes().saved_steps();
    let unsaved = match saved_steps {
        Some(saved) if saved <= workspace.applied_steps() => Vec::new(),
        // If the unsaved steps cannot be determined, the list stays empty; the changed files are still reported.
        _ => workspace.changes().unsaved_steps().unwrap_or_default(),
    };
    Status {
        revision: input.revision,
        // Without files there is no catalog, even though the workspace has a root.
        roots: roots.filter(|_| files > 0).collect(),
        folders: folders.collect(),
        unused_files: strays,
        history: workspace
            .history()
            .iter()
            .map(|step| HistoryRow {
                title: step.title.clone(),
            })
            .collect(),
        applied_steps: workspace.applied_steps(),
        last_step_files: workspace.changes().last_step_files(),
        saved_steps,
        unsaved: unsaved
            .into_iter()
            .map(|(title, ops)| ReplayStep {
                title,
                ops: Json(ops),
            })
            .collect(),
        changed_files: changed,
        bytes: workspace.files().byte_count(),
        files,
        profile: match workspace.advice_source() {
            AdviceSource::Nearest(profile) | AdviceSource::Given { profile, .. } => *profile,
            AdviceSource::None => Some(Profile::Opm),
        },
        config_files: workspace.config_files(),
        repository,
    }
}
