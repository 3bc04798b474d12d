//! Looking: which catalog, which package, which thing. Each change asks the worker for what is then in view.

use super::{Centre, Desk, SourcePlace};
use crate::protocol::request::{PackageRequest, Target};
use crate::protocol::response::PackageView;
use crate::protocol::views::{EntryRef, Hit, UpgradeQuestion};
use crate::protocol::{RequestBody, ResponseBody};
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

impl Desk {
    /// After an open: stays where it was if that is still there, else goes to the first catalog and package.
    pub(super) fn show_something(self) {
        let root = self.root.get_untracked();
        let roots: Vec<String> =
            self.status.with_untracked(|status| status.roots.iter().map(|row| row.root.clone()).collect());
        let root = if roots.contains(&root) { root } else { roots.first().cloned().unwrap_or_default() };
        self.show_root(root, None);
    }

    /// Goes to a catalog; `package` is the one to show, else the same as before, else the first.
    pub fn show_root(self, root: String, package: Option<String>) {
        self.root.set(root.clone());
        let ticket = self.next_ticket(|tickets| &mut tickets.root);
        spawn_local(async move {
            let Some(answer) = self.ask(RequestBody::Packages { root: root.clone() }).await else { return };
            if ticket != self.tickets.with_value(|tickets| tickets.root) {
                return;
            }
            let ResponseBody::Packages { rows, .. } = answer.body else { return };
            let wanted = package.unwrap_or_else(|| self.package.get_untracked());
            let found = rows.iter().find(|row| row.name == wanted).or(rows.first());
            let name = found.map(|row| row.name.clone()).unwrap_or_default();
            self.rows.set(Arc::new(rows));
            self.show_package(name);
            self.refresh_problems();
        });
    }

    /// Goes to a package of the catalog in view.
    pub fn show_package(self, name: String) {
        if self.package.get_untracked() != name {
            self.question.update(|question| *question = UpgradeQuestion { lens: question.lens, ..Default::default() });
            self.options.update(|options| {
                options.toggled_streams.clear();
                options.collapsed_channels.clear();
            });
        }
        self.package.set(name);
        self.options.update(|options| options.selected = None);
        self.target.set(Target::Package);
        self.refresh_view();
        self.refresh_inspection();
    }

    /// Selects a thing of the package in view.
    pub fn select(self, target: Target) {
        if self.target.get_untracked() == target {
            return;
        }
        let selected = match &target {
            Target::Entry { channel, name } => Some(EntryRef { channel: channel.clone(), name: name.clone() }),
            _ => None,
        };
        self.target.set(target);
        if self.options.with_untracked(|options| options.selected != selected) {
            self.options.update(|options| options.selected = selected);
            self.refresh_view();
        }
        self.refresh_inspection();
    }

    /// Goes to what the omnibox found.
    pub fn show_hit(self, hit: Hit) {
        let target = match (hit.channel.is_empty(), hit.bundle.is_empty()) {
            (true, true) => Target::Package,
            (false, true) => Target::Channel { channel: hit.channel },
            (false, false) => Target::Entry { channel: hit.channel, name: hit.bundle },
            (true, false) => Target::Bundle { name: hit.bundle },
        };
        if self.root.get_untracked() == hit.root {
            if self.package.get_untracked() != hit.package {
                self.show_package(hit.package);
            }
            self.select(target);
        } else {
            self.show_root(hit.root, Some(hit.package));
        }
    }

    /// Shows lines of a file of the catalog in view.
    pub fn show_source(self, file: String, line: u32, end_line: u32) {
        if file.is_empty() {
            return;
        }
        self.place.set(SourcePlace { root: self.root.get_untracked(), file, line, end_line: end_line.max(line) });
        self.centre.set(Centre::Source);
    }

    /// Shows where the selected thing is written.
    pub fn show_source_of_selected(self) {
        let location = self.inspection.get_untracked().and_then(|inspection| inspection.location.clone());
        if let Some(location) = location {
            self.show_source(location.file, location.line, location.end_line);
        }
    }

    /// Changes the question "from here, where?".
    pub fn ask_upgrade(self, change: impl FnOnce(&mut UpgradeQuestion)) {
        let before = self.question.get_untracked();
        let mut after = before.clone();
        change(&mut after);
        if before != after {
            self.question.set(after);
            self.refresh_view();
        }
    }

    /// Changes how the lanes are drawn.
    pub fn draw(self, change: impl FnOnce(&mut crate::protocol::request::LaneOptions)) {
        self.options.update(change);
        self.refresh_view();
    }

    /// What to ask for, to have the package in view.
    pub fn package_request(self) -> Option<PackageRequest> {
        let package = self.package.get_untracked();
        (!package.is_empty()).then(|| PackageRequest {
            root: self.root.get_untracked(),
            package,
            lanes: self.options.get_untracked(),
            question: self.question.get_untracked(),
        })
    }

    pub fn refresh_view(self) {
        let Some(request) = self.package_request() else {
            self.view.set(Arc::default());
            self.lanes.set(Arc::default());
            return;
        };
        let ticket = self.next_ticket(|tickets| &mut tickets.view);
        spawn_local(async move {
            let Some(answer) = self.ask(RequestBody::Package(request)).await else { return };
            if ticket == self.tickets.with_value(|tickets| tickets.view) {
                match answer.body {
                    ResponseBody::Package(view) => self.take_view(*view),
                    ResponseBody::Failed { message } => self.toasts.error(message),
                    _ => {}
                }
            }
        });
    }

    pub(super) fn take_view(self, mut view: PackageView) {
        let lanes = std::mem::take(&mut view.lanes);
        self.lanes.set(Arc::new(lanes));
        if self.view.with_untracked(|known| **known != view) {
            self.view.set(Arc::new(view));
        }
    }

    pub fn refresh_inspection(self) {
        let package = self.package.get_untracked();
        if package.is_empty() {
            self.inspection.set(None);
            return;
        }
        let (root, target) = (self.root.get_untracked(), self.target.get_untracked());
        let ticket = self.next_ticket(|tickets| &mut tickets.inspection);
        spawn_local(async move {
            let Some(answer) = self.ask(RequestBody::Inspect { root, package, target }).await else { return };
            if ticket == self.tickets.with_value(|tickets| tickets.inspection) {
                self.inspection.set(match answer.body {
                    ResponseBody::Inspection(inspection) => Some(Arc::new(*inspection)),
                    _ => None,
                });
            }
        });
    }

    pub fn refresh_problems(self) {
        let root = self.root.get_untracked();
        spawn_local(async move {
            let Some(answer) = self.ask(RequestBody::Problems { root: root.clone() }).await else { return };
            if let ResponseBody::Problems { problems, .. } = answer.body
                && self.root.get_untracked() == root
            {
                self.problems.set(Arc::new(problems.into_iter().map(|problem| problem.0).collect()));
            }
        });
    }

    fn next_ticket(self, counter: impl FnOnce(&mut super::Tickets) -> &mut u64) -> u64 {
        let mut ticket = 0;
        self.tickets.update_value(|tickets| {
            let counter = counter(tickets);
            *counter += 1;
            ticket = *counter;
        });
        ticket
    }
}
