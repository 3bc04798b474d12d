//! Fetches catalogs, packages, selections and positions in files when they come into view. Answers
//! about anything that is no longer in view are dropped.

use super::selection::Selected;
use super::{Notice, Refresh, SessionStore, SourcePlace, Tab};
use crate::state::worker_api::{Answer, AnyQuery};
use futures::channel::oneshot;
use futures::future::{OptionFuture, join, join3, join4};
use leptos::prelude::*;
use protocol::Json;
use protocol::diagnostic::{Diagnostic, Profile};
use protocol::inspection::Inspection;
use protocol::operation::EditOp;
use protocol::query::{Everyone, Inspect, Packages, Problems, SetProfile};
use protocol::request::{LaneOptions, Target};
use protocol::response::{AskError, PackageView};
use protocol::upgrades::EveryoneView;
use protocol::views::*;
use std::sync::Arc;

impl SessionStore {
    /// Shows a catalog: its packages and problems, and the package with the same name as before,
    /// else the first that fails, else the first.
    pub async fn show_root(self, root: String) {
        let is_same = self.root.get_untracked() == root;
        self.root.set(root.clone());
        if !is_same {
            self.notices.forget_not_shown();
            clear_catalog(self);
        }
        self.refresh_packages().await;
        // The user chose another catalog meanwhile: keep its packages.
        if self.root.get_untracked() != root {
            return;
        }
        let current = self.package.get_untracked();
        let package = self.packages.with_untracked(|rows| {
            let same = rows.iter().find(|row| Some(&row.name) == current.as_ref());
            // A user who opens a failing catalog is interested in the failure.
            let failing = || rows.iter().find(|row| row.errors > 0);
            same.or_else(failing)
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
        let is_in_view = || self.root.with_untracked(|current| current == root);
        if !is_in_view() {
            self.show_root(root.to_owned()).await;
        }
        is_in_view()
    }

    /// Shows a package of any catalog unless it is in view. Returns false if the user chose another
    /// one meanwhile.
    pub async fn go_to(self, root: &str, package: &str) -> bool {
        if self.go_to_root(root).await && !self.shows(root, package) {
            self.show_package(package.to_owned()).await;
        }
        self.shows(root, package)
    }

    /// Shows a package of the catalog in view. Keeps lens and cluster; clears references to another
    /// package.
    pub async fn show_package(self, package: String) {
        if self.package.get_untracked().as_ref() != Some(&package) {
            self.notices.forget_not_shown();
            self.package.set(Some(package));
            self.selection.set(None);
            self.inspection.set(None);
            reset_lanes(self);
            let (lens, cluster) = self
                .question
                .with_untracked(|question| (question.lens, question.cluster.clone()));
            self.question.set(UpgradeQuestion {
                lens,
                cluster,
                ..UpgradeQuestion::default()
            });
        }
        self.refresh_view_and_inspection().await;
    }

    /// Sets the selection in the package in view. The returned future fetches its details.
    pub fn select(self, target: Option<Target>) -> impl Future<Output = ()> {
        let needs_view = self.set_selection(target);
        refresh_selection(self, needs_view)
    }

    /// Sets the selection. Returns whether the view must be fetched again.
    pub(super) fn set_selection(self, target: Option<Target>) -> bool {
        let before = self.package_request();
        self.selection.set(target);
        self.package_request() != before
    }

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

    /// Shows a position in a file of the catalog in view, with the package it belongs to. Also
    /// selects its subject in a package that is in view if `is_selecting`.
    pub async fn show_source(self, place: SourcePlace, is_selecting: bool) {
        self.tab.set(Tab::Source);
        self.source.place.set(Some(place.clone()));
        if !self.source.show_around(place.line).await
            || self.source.place.get_untracked() != Some(place)
        {
            return;
        }
        let is_listed = |subject: &LineSubject| {
            let packages = self.packages;
            packages.with_untracked(|rows| rows.iter().any(|row| row.name == subject.package))
        };
        let subject = self.source.subject.get_untracked();
        if let Some(LineSubject {
            package, target, ..
        }) = subject.filter(is_listed)
        {
            let root = self.root.get_untracked();
            if is_selecting || !self.shows(&root, &package) {
                self.show_target(&root, &package, target).await;
            }
        }
    }

    /// Shows the subject of a problem: its package, its entry or channel, and its line in the
    /// source tab. `is_wanted` returns false after another request.
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
            let target = match (channel, bundle) {
                (Some(channel), Some(name)) => Target::Entry { channel, name },
                (Some(channel), None) => Target::Channel { channel },
                (None, Some(name)) => Target::Bundle { name },
                (None, None) => Target::Package,
            };
            let root = self.root.get_untracked();
            self.show_target(&root, &package, target).await;
        }
        if is_wanted() && !location.file.is_empty() {
            self.source.show_around(location.line).await;
        }
    }

    pub async fn set_profile(self, profile: Option<Profile>) {
        if let Ok(status) = self.ask(SetProfile { profile }).await {
            self.take_status(status);
            join4(
                self.refresh_packages(),
                self.refresh_problems(),
                self.refresh_view_and_inspection(),
                self.source.refresh(),
            )
            .await;
        }
    }

    pub async fn refresh_view(self) {
        refresh(self, false).await;
    }

    pub(super) async fn refresh_view_and_inspection(self) {
        refresh(self, true).await;
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
    pub async fn fetch_packages(self, root: String) -> Vec<PackageRow> {
        self.ask(Packages { root }).await.unwrap_or_default()
    }

    /// Returns all next steps of the package in view with `ops` applied. The error explains why
    /// `ops` are refused; `None` after another failure.
    pub async fn fetch_everyone(
        self,
        question: UpgradeQuestion,
        ops: Vec<EditOp>,
    ) -> Option<Result<Arc<EveryoneView>, String>> {
        let query = Everyone {
            root: self.root.get_untracked(),
            package: self.package.get_untracked()?,
            question,
            ops: Json(ops),
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

    /// Returns the selection with its details; `None` without a package or a worker.
    async fn fetch_inspection(self) -> Option<(Selected, Option<Inspection>)> {
        loop {
            let selected = self.selected()?;
            let Selected {
                root,
                package,
                target,
            } = selected.clone();
            let query = Inspect {
                root,
                package,
                target: target.unwrap_or(Target::Package),
            };
            let inspection = match self.ask(query).await {
                Ok(inspection) => Some(inspection),
                Err(AskError::Refused(_)) => None,
                Err(_) => return None,
            };
            // An edit or undo removed the selection: its package remains.
            let is_lost = inspection.is_none() && selected.target.is_some();
            if !is_lost || self.selected().as_ref() != Some(&selected) {
                return Some((selected, inspection));
            }
            self.selection.set(None);
        }
    }

    fn take_inspection(self, fetched: Option<(Selected, Option<Inspection>)>) {
        if let Some((selected, inspection)) = fetched
            && self.selected() == Some(selected)
        {
            self.inspection.set(inspection);
        }
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

/// Fetches the details of the selection, with the view if it has changed too, or if the selection
/// does not exist.
pub(super) async fn refresh_selection(store: SessionStore, needs_view: bool) {
    if !needs_view {
        let target = store.selection.get_untracked();
        let fetched = store.fetch_inspection().await;
        let is_lost = fetched
            .as_ref()
            .is_some_and(|(selected, _)| selected.target != target);
        if !is_lost {
            return store.take_inspection(fetched);
        }
    }
    store.refresh_view_and_inspection().await;
}

/// Requests the view, also the details of the selection if `with_inspection`, and shows both at
/// once: the inspector must not be ahead of the graph. Calls during a request wait for a single
/// further request, which covers them all.
async fn refresh(store: SessionStore, with_inspection: bool) {
    let refresh = store.refresh;
    let (caller, end) = oneshot::channel::<()>();
    refresh.update_value(|refresh| {
        refresh.with_inspection |= with_inspection;
        refresh.callers.push(caller);
    });
    let callers = || refresh.with_value(|refresh| refresh.callers.len());
    if callers() > 1 {
        // The first caller ends by dropping the senders.
        let _ = end.await;
        return;
    }
    loop {
        let (waiting, request) = (callers(), store.view_request());
        let view = request.clone().map(|request| {
            let worker = store.worker.get_value();
            worker.exchange(AnyQuery::new(request))
        });
        let with_inspection = refresh.with_value(|refresh| refresh.with_inspection);
        let inspection = with_inspection.then(|| store.fetch_inspection());
        let (view, inspection) =
            join(OptionFuture::from(view), OptionFuture::from(inspection)).await;
        let revision = view.as_ref().and_then(|answer| answer.revision);
        let current = store.status.with_untracked(|status| status.revision);
        let is_outdated = revision.is_some_and(|revision| revision < current);
        if is_outdated || callers() != waiting || store.view_request() != request {
            continue;
        }
        match (request, view.map(Answer::decode_answer::<PackageView>)) {
            (_, Some(Ok(view))) => store.take_view(view),
            (Some(request), Some(Err(AskError::Refused(refusal)))) => {
                store.notices.forget_not_shown();
                store.notices.push(Notice::NotShown {
                    root: request.root,
                    package: request.package,
                    message: refusal.reason,
                });
            }
            _ => {}
        }
        store.take_inspection(inspection.flatten());
        break;
    }
    refresh.set_value(Refresh::default());
}

pub(super) fn clear_catalog(store: SessionStore) {
    store.packages.set(Vec::new());
    store.problems.set(Vec::new());
    store.source.clear();
}

/// Resets the lane options except `fold`.
pub(super) fn reset_lanes(store: SessionStore) {
    store.lanes.update(|lanes| {
        *lanes = LaneOptions {
            fold: lanes.fold,
            ..LaneOptions::default()
        }
    });
}
