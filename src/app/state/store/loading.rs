//! Fetches what is shown: a catalog, a package, a selection, a position in a file. Requests happen
//! when it comes into view; answers about anything no longer in view are dropped.

use super::{Notice, SessionStore, SourcePlace, Tab, Task, entry_of};
use crate::state::worker_api::AnyQuery;
use futures::future::{join, join3};
use leptos::prelude::*;
use protocol::Json;
use protocol::diagnostic::{Diagnostic, Location, Profile};
use protocol::operation::EditOp;
use protocol::query::{Everyone, Inspect, Packages, Problems, SetProfile};
use protocol::request::{LaneOptions, PackageRequest, Target};
use protocol::response::{AskError, PackageView};
use protocol::upgrades::EveryoneView;
use protocol::views::*;
use std::sync::Arc;

impl SessionStore {
    /// Shows a catalog: its packages and problems, and the package with the same name as before,
    /// else the first that fails, else the first.
    pub async fn show_root(self, root: String) {
        let same = self.root.get_untracked() == root;
        self.root.set(root.clone());
        if !same {
            self.notices.forget_not_shown();
            self.packages.set(Vec::new());
            self.problems.set(Vec::new());
            self.source.place.set(None);
            self.source.text.set(None);
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
                    self.source.refresh(),
                )
                .await;
            }
            None => {
                self.clear_view();
                self.refresh_problems().await;
            }
        }
    }

    /// Shows a catalog unless it is in view. Returns false if the user chose another one meanwhile.
    pub async fn go_to_root(self, root: &str) -> bool {
        let is_here = || self.root.with_untracked(|here| here == root);
        if !is_here() {
            self.show_root(root.to_owned()).await;
        }
        is_here()
    }

    /// Shows a package of any catalog unless it is in view. Returns false if the user went
    /// elsewhere meanwhile.
    pub async fn go_to(self, root: &str, package: &str) -> bool {
        let is_here = || {
            self.package
                .with_untracked(|here| here.as_deref() == Some(package))
        };
        if self.go_to_root(root).await && !is_here() {
            self.show_package(package.to_owned()).await;
        }
        is_here() && self.root.with_untracked(|here| here == root)
    }

    /// Shows a package of the catalog in view. Keeps lens and cluster; clears references to another
    /// package.
    pub async fn show_package(self, package: String) {
        if self.package.get_untracked().as_ref() != Some(&package) {
            self.notices.forget_not_shown();
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
        async move {
            let entry = entry_of(target);
            if self.lanes.with_untracked(|lanes| lanes.selected != entry) {
                self.lanes.update(|lanes| lanes.selected = entry);
                self.refresh_view().await;
            }
            self.refresh_inspection().await;
        }
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
            self.source.place.set(None);
        }
    }

    /// Shows a position in a file of the catalog in view.
    pub async fn show_source(self, location: &Location) {
        self.tab.set(Tab::Source);
        self.source.place.set(Some(SourcePlace::new(location)));
        self.source.show_around(location.line).await;
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
            self.source.place.set(Some(SourcePlace::new(&location)));
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
            self.source.show_around(location.line).await;
        }
    }

    /// Switches the advice profile.
    pub async fn set_profile(self, profile: Option<Profile>) {
        if let Ok(status) = self.ask(SetProfile { profile }).await {
            self.take_status(status);
            let refreshed = (
                self.refresh_packages(),
                self.refresh_problems(),
                self.refresh_view(),
            );
            join3(refreshed.0, refreshed.1, refreshed.2).await;
            join(self.refresh_inspection(), self.source.refresh()).await;
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
            let query = self.as_seen(request.clone());
            let worker = self.worker.get_value();
            let answer = worker.exchange(AnyQuery::new(query)).await;
            let wanted = self.package_request();
            let current = self.status.with_untracked(|status| status.revision);
            let is_old = answer.revision.is_some_and(|revision| revision < current);
            match answer.decode_answer::<PackageRequest>() {
                _ if is_old => self.view_task.set_value(Task::Again),
                _ if wanted.as_ref() != Some(&request) => {}
                Ok(view) => self.take_view(view),
                Err(AskError::Refused(refusal)) => {
                    let PackageRequest { root, package, .. } = request;
                    self.notices.forget_not_shown();
                    self.notices.push(Notice::NotShown {
                        root,
                        package,
                        message: refusal.reason,
                    });
                }
                Err(_) => {}
            }
            if self.view_task.get_value() == Task::Running {
                break;
            }
        }
        self.view_task.set_value(Task::Idle);
    }

    pub async fn refresh_packages(self) {
        let root = self.root.get_untracked();
        let answer = self.ask(Packages { root: root.clone() }).await;
        if let Ok(rows) = answer
            && self.root.get_untracked() == root
        {
            self.packages.set(rows);
        }
    }

    /// Returns the package rows of any catalog, for forms.
    pub async fn packages_of(self, root: String) -> Vec<PackageRow> {
        self.ask(Packages { root }).await.unwrap_or_default()
    }

    /// Returns any package, for a form's suggestions. `None`: it does not exist.
    pub async fn package_of(self, root: String, package: String) -> Option<PackageView> {
        let (lanes, question) = Default::default();
        let request = PackageRequest {
            root,
            package,
            lanes,
            question,
            baseline: None,
        };
        self.ask(request).await.ok()
    }

    /// Returns all next steps of the package in view with `ops` applied. The error explains why `ops`
    /// are refused; `None` after another failure.
    pub async fn everyone(
        self,
        question: UpgradeQuestion,
        ops: Vec<EditOp>,
    ) -> Option<Result<Arc<EveryoneView>, String>> {
        let query = Everyone {
            root: self.root.get_untracked(),
            package: self.package.get_untracked()?,
            question,
            ops: Json(ops),
            view: self.view_request(),
        };
        match self.ask(query).await {
            Ok(view) => Some(Ok(Arc::new(view))),
            Err(AskError::Refused(refusal)) => Some(Err(refusal.reason)),
            Err(_) => None,
        }
    }

    pub async fn refresh_problems(self) {
        let root = self.root.get_untracked();
        let answer = self.ask(Problems { root: root.clone() }).await;
        if let Ok(problems) = answer
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
        let shown_root = root.clone();
        let target = selection.clone().unwrap_or(Target::Package);
        let query = Inspect {
            root,
            package: package.clone(),
            target,
        };
        let answer = match self.ask(query).await {
            Ok(inspection) => Some(inspection),
            Err(AskError::Refused(_)) => None,
            Err(_) => return,
        };
        if self.root.get_untracked() != shown_root
            || self.selection.get_untracked() != selection
            || self.package.get_untracked() != Some(package)
        {
            return;
        }
        // An edit or undo removed the selection: its package remains.
        if answer.is_none() && selection.is_some() {
            self.selection.set(None);
            return Box::pin(self.refresh_inspection()).await;
        }
        self.inspection.set(answer);
    }

    pub(super) fn take_view(self, view: PackageView) {
        self.notices.forget_not_shown();
        self.view.set(Some(Arc::new(view)));
    }

    pub(super) fn clear_view(self) {
        self.package.set(None);
        self.selection.set(None);
        self.view.set(None);
        self.inspection.set(None);
        self.source.clear();
    }
}
