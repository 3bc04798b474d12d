//! Fetches what is shown: a catalog, a package, a selection, a position in a file. Requests happen
//! when it comes into view; answers about anything no longer in view are dropped.

use super::{Notice, Tab, Task, WorkspaceStore};
use futures::future::{join, join3};
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Location, Profile};
use protocol::operation::EditOp;
use protocol::request::{LaneOptions, PackageRequest, RangePurpose, SourceAt, Target};
use protocol::response::PackageView;
use protocol::upgrades::{
    Baseline, Comparison, EntryChange, EveryoneView, MatrixView, PackageComparison,
};
use protocol::views::*;
use protocol::{Json, RequestBody, ResponseBody};
use std::sync::Arc;

/// Lines of a file fetched around the requested one: the amount edited as one text.
pub const SOURCE_LINES: u32 = 2_000;

impl WorkspaceStore {
    /// Shows a catalog: its packages and problems, and the package with the same name as before,
    /// else the first that fails, else the first.
    pub async fn show_root(self, root: String) {
        let same = self.root.get_untracked() == root;
        self.root.set(root.clone());
        if !same {
            self.forget_not_shown();
            self.packages.set(Vec::new());
            self.problems.set(Vec::new());
            self.source_place.set(None);
            self.source.set(None);
        }
        self.refresh_packages().await;
        // Another catalog was chosen before this answer; keep its packages.
        if self.root.get_untracked() != root {
            return;
        }
        let wanted = self.package.get_untracked();
        let package = self.packages.with_untracked(|rows| {
            let known = rows.iter().find(|row| Some(&row.name) == wanted.as_ref());
            // A user who opens a failing catalog is interested in the failure.
            let failing = || rows.iter().find(|row| row.errors > 0);
            known
                .or_else(failing)
                .or(rows.first())
                .map(|row| row.name.clone())
        });
        match package {
            // Sent together: the worker continues with the next one without waiting for the page.
            Some(package) => {
                join3(
                    self.show_package(package),
                    self.refresh_problems(),
                    self.refresh_source(),
                )
                .await;
            }
            None => {
                self.clear_view();
                self.refresh_problems().await;
            }
        }
    }

    /// Shows a package of the catalog in view. Keeps lens and cluster; clears references to another
    /// package.
    pub async fn show_package(self, package: String) {
        if self.package.get_untracked().as_ref() != Some(&package) {
            self.forget_not_shown();
            self.package.set(Some(package));
            self.selection.set(None);
            self.inspection.set(None);
            self.lanes.update(|lanes| {
                *lanes = LaneOptions {
                    fold: lanes.fold,
                    ..LaneOptions::default()
                }
            });
            let (lens, cluster) = self
                .question
                .with_untracked(|question| (question.lens, question.cluster.clone()));
            self.question.set(UpgradeQuestion {
                lens,
                cluster,
                ..UpgradeQuestion::default()
            });
        }
        self.refresh_view().await;
        self.refresh_inspection().await;
    }

    /// Selects something in the package in view, or nothing: immediately; details follow.
    pub fn select(self, target: Option<Target>) -> impl Future<Output = ()> {
        self.selection.set(target.clone());
        self.show_selected(target)
    }

    async fn show_selected(self, target: Option<Target>) {
        let entry = match target {
            Some(Target::Entry { channel, name }) => Some(EntryRef { channel, name }),
            _ => None,
        };
        let folded = self.folded_with(self.selection.get_untracked());
        if self.lanes.with_untracked(|lanes| lanes.selected != entry) || folded.is_some() {
            self.lanes.update(|lanes| {
                lanes.selected = entry;
                // Its chain stays unfolded when something else is selected.
                lanes.unfolded.extend(folded);
            });
            self.refresh_view().await;
        }
        self.refresh_inspection().await;
    }

    /// The name of the selection, if it is in a folded chain.
    fn folded_with(self, target: Option<Target>) -> Option<String> {
        let (Target::Entry { name, .. } | Target::Bundle { name }) = target? else {
            return None;
        };
        let is_folded = self.view.with_untracked(|view| {
            let chains = view.as_ref().map_or(&[][..], |view| &view.lanes.chains);
            chains
                .iter()
                .any(|chain| chain.folded && chain.names.contains(&name))
        });
        is_folded.then_some(name)
    }

    /// Changes the upgrade question of the package in view.
    pub async fn set_question(self, question: UpgradeQuestion) {
        self.question.set(question);
        self.refresh_view().await;
    }

    pub async fn set_lanes(self, lanes: LaneOptions) {
        self.lanes.set(lanes);
        self.refresh_view().await;
    }

    /// Forgets the position in the source tab, unless it is in view or has typed text.
    pub fn leave_source(self) {
        if self.tab.get_untracked() != Tab::Source && !self.typed.get_untracked() {
            self.source_place.set(None);
        }
    }

    /// Shows a position in a file of the catalog in view.
    pub async fn show_source(self, location: &Location) {
        self.tab.set(Tab::Source);
        self.source_place.set(Some(Self::source_place_of(location)));
        self.show_source_around(location.line).await;
    }

    /// Shows a template; one without entries as text.
    pub async fn show_template(self, template: String) {
        let holds_entries = self.status.with_untracked(|status| {
            let row = status.roots.iter().find(|row| row.root == template);
            row.and_then(|row| row.template.as_ref())
                .is_some_and(|template| template.holds_entries)
        });
        let file = template.rsplit('/').next().unwrap_or(&template).to_owned();
        self.show_root(template).await;
        if !holds_entries {
            self.show_source(&Location {
                file,
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
            })
            .await;
        }
    }

    /// Shows the subject of a problem: its package, its entry or channel, and its line in the
    /// source tab. Keeps the tab if it already shows part of it. `is_wanted` returns false after
    /// another request.
    pub async fn show_problem(self, problem: Diagnostic, is_wanted: impl Fn() -> bool) {
        let Diagnostic {
            package,
            channel,
            bundle,
            location,
            ..
        } = problem;
        let package = package.filter(|name| {
            self.packages
                .with_untracked(|rows| rows.iter().any(|row| row.name == *name))
        });
        if !location.file.is_empty() {
            self.source_place
                .set(Some(Self::source_place_of(&location)));
        }
        if package.is_none() && !location.file.is_empty() {
            self.tab.set(Tab::Source);
        }
        if let Some(package) = package {
            if self.package.get_untracked().as_ref() != Some(&package) {
                self.show_package(package.clone()).await;
            }
            let target = match (channel, bundle) {
                (Some(channel), Some(name)) => Some(Target::Entry { channel, name }),
                (Some(channel), None) => Some(Target::Channel { channel }),
                (None, Some(name)) => Some(Target::Bundle { name }),
                (None, None) => None,
            };
            if is_wanted() && self.package.get_untracked().as_ref() == Some(&package) {
                self.select(target).await;
            }
        }
        if is_wanted() && !location.file.is_empty() {
            self.show_source_around(location.line).await;
        }
    }

    /// Switches the advice profile.
    pub async fn set_profile(self, profile: Option<Profile>) {
        if let Ok(answer) = self.worker().ask(RequestBody::SetProfile { profile }).await
            && let ResponseBody::Opened(status) = answer.body
        {
            self.take_status(*status);
            let refreshed = (
                self.refresh_packages(),
                self.refresh_problems(),
                self.refresh_view(),
            );
            join3(refreshed.0, refreshed.1, refreshed.2).await;
            join(self.refresh_inspection(), self.refresh_source()).await;
        }
    }

    /// The documentation of a rule; `None` if the worker does not know it.
    pub async fn rule_text(self, rule: String) -> Option<RuleText> {
        match self
            .worker()
            .ask(RequestBody::Explain { rule })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Explained(text)) => Some(*text),
            _ => None,
        }
    }

    /// Requests the current view. Calls during a request are covered by one further request.
    pub async fn refresh_view(self) {
        if self.view_task.get_value() != Task::Idle {
            self.view_task.set_value(Task::Again);
            return;
        }
        loop {
            self.view_task.set_value(Task::Running);
            let Some(request) = self.package_request() else {
                break;
            };
            let asked = self.as_seen(request.clone());
            let answer = self.worker().ask(RequestBody::Package(asked)).await;
            let wanted = self.package_request();
            match answer {
                Ok(answer) if answer.revision < self.revision() => {
                    self.view_task.set_value(Task::Again)
                }
                Ok(answer) if wanted.as_ref() == Some(&request) => match answer.body {
                    ResponseBody::Package(view) => self.take_view(*view),
                    ResponseBody::Failed { message } => {
                        let PackageRequest { root, package, .. } = request;
                        self.forget_not_shown();
                        self.notify(Notice::NotShown {
                            root,
                            package,
                            message,
                        });
                    }
                    _ => {}
                },
                _ => {}
            }
            if self.view_task.get_value() == Task::Running {
                break;
            }
        }
        self.view_task.set_value(Task::Idle);
    }

    pub async fn refresh_packages(self) {
        let root = self.root.get_untracked();
        if let Ok(answer) = self.worker().ask(RequestBody::Packages { root }).await
            && let ResponseBody::Packages { root, rows } = answer.body
            && self.root.get_untracked() == root
        {
            self.packages.set(rows);
        }
    }

    /// Package rows of any catalog, for forms.
    pub async fn packages_of(self, root: String) -> Vec<PackageRow> {
        match self
            .worker()
            .ask(RequestBody::Packages { root })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Packages { rows, .. }) => rows,
            _ => Vec::new(),
        }
    }

    /// Any package, to show beside the one in view; or why it is unavailable.
    pub async fn view_of(self, request: PackageRequest) -> Result<PackageView, String> {
        match self.worker().ask(RequestBody::Package(request)).await {
            Ok(answer) => match answer.body {
                ResponseBody::Package(view) => Ok(*view),
                ResponseBody::Failed { message } => Err(message),
                _ => Err("the worker sent an unexpected answer".to_owned()),
            },
            Err(lost) => Err(lost.message().to_owned()),
        }
    }

    /// Any package, for a form's suggestions. `None`: it does not exist.
    pub async fn package_of(self, root: String, package: String) -> Option<PackageView> {
        let (lanes, question) = Default::default();
        let request = PackageRequest {
            root,
            package,
            lanes,
            question,
            baseline: None,
        };
        match self
            .worker()
            .ask(RequestBody::Package(request))
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Package(view)) => Some(*view),
            _ => None,
        }
    }

    /// The description of any package, for its form.
    pub async fn description_of(self, root: String, package: String) -> String {
        let request = RequestBody::Inspect {
            root,
            package,
            target: Target::Package,
        };
        match self.worker().ask(request).await.map(|answer| answer.body) {
            Ok(ResponseBody::Inspection(inspection)) => inspection.description,
            _ => String::new(),
        }
    }

    /// The versions of the package in view that the range of `question` admits.
    pub async fn admitted(self, question: UpgradeQuestion) -> Option<RangeView> {
        let (root, package) = (self.root.get_untracked(), self.package.get_untracked()?);
        match self
            .worker()
            .ask(RequestBody::Range {
                root,
                package,
                question,
            })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Range(view)) => Some(*view),
            _ => None,
        }
    }

    /// The versions that match a range typed for an entry of any package.
    pub async fn caught(
        self,
        (root, package): (String, String),
        entry: EntryRef,
        text: String,
        purpose: RangePurpose,
    ) -> Option<RangeMatches> {
        let request = RequestBody::RangeMatches {
            root,
            package,
            entry,
            text,
            purpose,
        };
        match self.worker().ask(request).await.map(|answer| answer.body) {
            Ok(ResponseBody::RangeMatches(view)) => Some(*view),
            _ => None,
        }
    }

    /// All next steps of the package in view with `ops` applied, or why these are refused. `None`
    /// if unknown.
    pub async fn everyone(
        self,
        question: UpgradeQuestion,
        ops: Vec<EditOp>,
    ) -> Option<Result<Arc<EveryoneView>, String>> {
        let (root, package) = (self.root.get_untracked(), self.package.get_untracked()?);
        let request = RequestBody::Everyone {
            root,
            package,
            question,
            ops: Json(ops),
            view: self.view_request(),
        };
        match self.worker().ask(request).await.map(|answer| answer.body) {
            Ok(ResponseBody::Everyone(view)) => Some(Ok(Arc::new(*view))),
            Ok(ResponseBody::Refused(refusal)) => Some(Err(refusal.reason)),
            _ => None,
        }
    }

    /// The consequences for users of moving from one catalog to another.
    pub async fn compare(self, old: Baseline, root: String) -> Option<Arc<Comparison>> {
        match self
            .worker()
            .ask(RequestBody::Compare { old, root })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Compared(view)) => Some(Arc::new(*view)),
            _ => None,
        }
    }

    /// Like `compare`, for one package, on a cluster with this OpenShift version unless "".
    pub async fn compare_package(
        self,
        (old, root): (Baseline, String),
        package: String,
        cluster: String,
    ) -> Option<Arc<PackageComparison>> {
        let request = RequestBody::ComparePackage {
            old,
            root,
            package,
            cluster,
        };
        match self.worker().ask(request).await.map(|answer| answer.body) {
            Ok(ResponseBody::ComparedPackage(view)) => Some(Arc::new(*view)),
            _ => None,
        }
    }

    /// The entries of a package that differ from the disk.
    pub async fn unsaved(self, root: String, package: String) -> Option<Vec<EntryChange>> {
        match self
            .worker()
            .ask(RequestBody::Unsaved { root, package })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Unsaved { entries }) => Some(entries),
            _ => None,
        }
    }

    /// The versions of a package in several catalogs.
    pub async fn matrix(self, roots: Vec<String>, package: String) -> Option<Arc<MatrixView>> {
        match self
            .worker()
            .ask(RequestBody::Matrix { roots, package })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Matrix(view)) => Some(Arc::new(*view)),
            _ => None,
        }
    }

    /// The problems of a catalog, in view or not.
    pub async fn problems_of(self, root: String) -> Vec<Diagnostic> {
        match self
            .worker()
            .ask(RequestBody::Problems { root })
            .await
            .map(|answer| answer.body)
        {
            Ok(ResponseBody::Problems { problems, .. }) => {
                problems.into_iter().map(|problem| problem.0).collect()
            }
            _ => Vec::new(),
        }
    }

    pub async fn refresh_problems(self) {
        let root = self.root.get_untracked();
        if let Ok(answer) = self.worker().ask(RequestBody::Problems { root }).await
            && let ResponseBody::Problems { root, problems } = answer.body
            && self.root.get_untracked() == root
        {
            self.problems
                .set(problems.into_iter().map(|problem| problem.0).collect());
        }
    }

    pub async fn refresh_inspection(self) {
        let (root, Some(package)) = (self.root.get_untracked(), self.package.get_untracked())
        else {
            return;
        };
        let selection = self.selection.get_untracked();
        let asked = root.clone();
        let target = selection.clone().unwrap_or(Target::Package);
        let request = RequestBody::Inspect {
            root,
            package: package.clone(),
            target,
        };
        let Ok(answer) = self.worker().ask(request).await else {
            return;
        };
        if self.root.get_untracked() != asked
            || self.selection.get_untracked() != selection
            || self.package.get_untracked() != Some(package)
        {
            return;
        }
        match answer.body {
            ResponseBody::Inspection(inspection) => self.inspection.set(Some(*inspection)),
            // An edit or undo removed the selection: its package remains.
            _ if selection.is_some() => {
                self.selection.set(None);
                Box::pin(self.refresh_inspection()).await;
            }
            _ => self.inspection.set(None),
        }
    }

    /// Refreshes the shown lines.
    pub async fn refresh_source(self) {
        let Some(place) = self.source_place.get_untracked() else {
            return;
        };
        let root = self.root.get_untracked();
        let shown = self.source.with_untracked(|source| {
            let shown = source
                .as_ref()
                .filter(|shown| shown.file == place.file && shown.root == root)?;
            Some(SourceAt::Lines {
                first: shown.first,
                count: SOURCE_LINES.max(shown.lines.len() as u32),
            })
        });
        match shown {
            Some(at) => self.take_source(at).await,
            None => self.show_source_around(place.line).await,
        }
    }

    /// Shows other lines of the file, and the blob that contains `line`.
    pub async fn show_source_around(self, line: u32) {
        self.take_source(SourceAt::Around {
            line,
            count: SOURCE_LINES,
        })
        .await;
    }

    /// Lines of the file for viewing only.
    pub async fn source_lines(self, at: SourceAt) -> Option<SourceView> {
        let (root, place) = (
            self.root.get_untracked(),
            self.source_place.get_untracked()?,
        );
        let answer = self
            .worker()
            .ask(RequestBody::Source {
                root: root.clone(),
                file: place.file.clone(),
                at,
            })
            .await;
        let is_shown = self.root.get_untracked() == root
            && self
                .source_place
                .with_untracked(|now| now.as_ref().is_some_and(|now| now.file == place.file));
        match answer.ok()?.body {
            ResponseBody::Source(source) if is_shown => {
                self.source_unread.set(None);
                Some(*source)
            }
            ResponseBody::Failed { message } => {
                let is_held = self.source.with_untracked(|held| {
                    held.as_ref()
                        .is_some_and(|held| held.file == place.file && held.root == root)
                });
                // Keep the current lines; if there are none, show the reason instead.
                match is_held {
                    true => self.notify(Notice::Failed(message)),
                    false => self.source_unread.set(Some((place.file, message))),
                }
                None
            }
            _ => None,
        }
    }

    /// The next match of a text in the file.
    pub async fn find_text(
        self,
        text: String,
        from: (u32, u32),
        backwards: bool,
    ) -> Option<FoundText> {
        let (root, place) = (
            self.root.get_untracked(),
            self.source_place.get_untracked()?,
        );
        let request = RequestBody::FindText {
            root: root.clone(),
            file: place.file.clone(),
            text,
            from,
            backwards,
        };
        let answer = self.worker().ask(request).await;
        let is_shown = self.root.get_untracked() == root
            && self
                .source_place
                .with_untracked(|now| now.as_ref().is_some_and(|now| now.file == place.file));
        match answer.ok()?.body {
            ResponseBody::FoundText(found) if is_shown => Some(found),
            _ => None,
        }
    }

    async fn take_source(self, at: SourceAt) {
        if let Some(source) = self.source_lines(at).await {
            self.source.set(Some(Arc::new(source)));
        }
    }

    /// Removes notices about views that failed, now that this is in view.
    fn forget_not_shown(self) {
        if self.notices.with_untracked(|notices| {
            notices
                .iter()
                .any(|of| matches!(of, Notice::NotShown { .. }))
        }) {
            self.dismiss(|notice| matches!(notice, Notice::NotShown { .. }));
        }
    }

    pub(super) fn take_view(self, view: PackageView) {
        self.forget_not_shown();
        self.view.set(Some(Arc::new(view)));
    }

    pub(super) fn clear_view(self) {
        self.package.set(None);
        self.selection.set(None);
        self.view.set(None);
        self.inspection.set(None);
        self.source.set(None);
        self.source_unread.set(None);
        self.source_place.set(None);
    }
}
