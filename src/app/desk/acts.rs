//! What panels ask of the desk. Most of it is the session's, started from a handler that cannot wait.

use super::{Desk, EdgeMenu, Menu, MenuOf, Overlay, Picked};
use crate::browser::inputs::click_folder;
use crate::browser::tree::{self, Tree};
use crate::browser::{marks, output, sample, time};
use crate::edits::command::{EditCommand, Field};
use crate::edits::possible;
use crate::edits::several;
use crate::edits::suggest::catalog_name;
use crate::edits::values::FormValues;
use crate::state::arranged::Arranged;
use crate::state::frame::Pane;
use crate::state::journal::{Step, as_json_lines};
use crate::state::problems::rows::found_again;
use crate::state::session::Tab;
use crate::widgets::dom;
use futures::future::select;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Fix, Location, Profile};
use protocol::operation::EditOp;
use protocol::request::{Export, LaneOptions, OpenMode, Target};
use protocol::response::Refusal;
use protocol::upgrades::Against;
use protocol::views::{EntryRef, Hit, LineMark, UpgradeQuestion};
use std::future::Future;
use std::pin::pin;
use wasm_bindgen_futures::spawn_local;

/// By then a tab that is seen has painted.
const PAINTED_BY_MS: u32 = 200;

impl Desk {
    /// What was dropped or picked. Over an open workspace the user is asked what to do with it.
    pub fn offer(self, tree: Tree) {
        if tree.is_empty() {
            return;
        }
        if self.is_open.get_untracked() {
            self.dropped.set_value(Some(tree));
            self.overlay.set(Some(Overlay::Dropped));
        } else {
            self.actions.open(tree, OpenMode::Replace);
        }
    }

    /// The answer to the question of [`Desk::offer`]; `None` forgets what was dropped.
    pub fn take_dropped(self, mode: Option<OpenMode>) {
        self.close_overlay();
        let tree = self.dropped.try_update_value(Option::take).flatten();
        if let (Some(tree), Some(mode)) = (tree, mode) {
            self.actions.open(tree, mode);
        }
    }

    /// What was dropped is opened beside what is open, and the catalog in view compared with it.
    pub fn compare_dropped(self) {
        self.close_overlay();
        let Some(tree) = self.dropped.try_update_value(Option::take).flatten() else { return };
        let roots = move || self.session.status.with_untracked(|status| status.roots.clone());
        let known: Vec<String> = roots().into_iter().map(|row| row.root).collect();
        let new = self.session.root.get_untracked();
        spawn_local(async move {
            self.actions.open_now(tree, OpenMode::Add).await;
            let added: Vec<String> =
                roots().into_iter().map(|row| row.root).filter(|row| !known.contains(row)).collect();
            // Of several catalogs the one of the same name, as the same version of another branch has.
            let last = |root: &str| root.rsplit('/').next().unwrap_or_default().to_owned();
            let same = added.iter().find(|root| last(root) == last(&new)).or(added.first());
            if let Some(old) = same {
                self.session.compare_with(Some(Against::Catalog(old.clone())));
                self.session.show_tab(Tab::Compare);
            }
        });
    }

    /// Shows what the edits of this tab mean for users: the catalog in view, else one that is edited, against what is on
    /// disk.
    pub fn compare_with_disk(self) {
        if !self.is_open.get_untracked() {
            return;
        }
        self.close_overlay();
        let here = self.session.root.get_untracked();
        let edited = self.session.status.with_untracked(|status| {
            let edited: Vec<&String> = status.roots.iter().filter(|row| row.edited).map(|row| &row.root).collect();
            edited.iter().find(|root| ***root == here).or(edited.first()).map(|root| (*root).clone())
        });
        if let Some(root) = edited.filter(|root| *root != here) {
            self.show_root(root);
        }
        self.session.compare_with(Some(Against::Disk));
        self.session.show_tab(Tab::Compare);
        dom::focus_id_later(crate::state::places::COMPARE_WITH.to_owned());
    }

    /// Asks for a folder: by the browser's picker where it can hand out a handle, else by the input.
    pub fn open_folder(self) {
        if !tree::can_pick_folder() {
            return click_folder();
        }
        spawn_local(async move {
            if let Some(tree) = tree::pick_folder().await {
                self.offer(tree);
            }
        });
    }

    pub fn open_sample(self) {
        spawn_local(async move {
            match sample::fetch().await {
                Ok(tree) => {
                    self.offer_tour();
                    self.offer(tree);
                }
                Err(error) => self.toasts.error(format!("The sample cannot be read: {}", tree::words(&error))),
            }
        });
    }

    pub fn cancel_open(self) {
        self.actions.cancel_open();
    }

    /// What was asked of the worker is not waited for any longer.
    pub fn give_up(self) {
        self.actions.client().give_up();
    }

    /// Ends the worker, whatever it is at; a new one gets the files and the edits.
    pub fn restart_worker(self) {
        self.actions.client().restart();
    }

    /// Whether the browser can read the folder again by itself.
    pub fn can_reload(self) -> bool {
        !self.actions.has_to_pick_again()
    }

    pub fn reload(self) {
        self.actions.reload();
    }

    /// The folder was picked again, where the browser has no way back to the disk by itself.
    pub fn reload_from(self, tree: Tree) {
        self.actions.open(tree, OpenMode::Reload);
    }

    pub fn treat_as_one(self, folder: String, as_one: bool) {
        spawn_local(async move {
            self.session.treat_as_one(folder, as_one).await;
        });
    }

    pub fn show_root(self, root: String) {
        spawn_local(self.session.show_root(root));
    }

    pub fn show_package(self, package: String) {
        spawn_local(self.session.show_package(package));
    }

    /// Selects a thing of the package in view, alone.
    pub fn select(self, target: Target) {
        let entry = match &target {
            Target::Entry { channel, name } => Some(EntryRef { channel: channel.clone(), name: name.clone() }),
            _ => None,
        };
        self.picked.update(|picked| picked.start_at(entry));
        if self.target.get_untracked() != target {
            spawn_local(self.session.select((target != Target::Package).then_some(target)));
        }
    }

    /// Goes to what the omnibox found: shows it in the graph, or in the table where that is in view.
    pub fn show_hit(self, hit: Hit) {
        let session = self.session;
        let target = match (hit.channel.is_empty(), hit.bundle.is_empty()) {
            (true, true) => None,
            (false, true) => Some(Target::Channel { channel: hit.channel }),
            (false, false) => Some(Target::Entry { channel: hit.channel, name: hit.bundle }),
            (true, false) => Some(Target::Bundle { name: hit.bundle }),
        };
        if hit.problem.is_none() && session.tab.get_untracked() != Tab::Table {
            session.show_tab(Tab::Graph);
        }
        spawn_local(async move {
            if session.root.get_untracked() != hit.root {
                session.show_root(hit.root.clone()).await;
                // Who went elsewhere meanwhile stays there.
                if session.root.get_untracked() != hit.root {
                    return;
                }
            }
            if let Some(problem) = hit.problem {
                self.open_problem(problem as usize);
                self.board.wanted.set(Some(problem as usize));
                return;
            }
            if self.package.get_untracked() != hit.package {
                session.show_package(hit.package.clone()).await;
            }
            if session.root.get_untracked() == hit.root && self.package.get_untracked() == hit.package {
                self.select(target.unwrap_or(Target::Package));
            }
        });
    }

    /// Shows where something is written.
    pub fn show_source(self, location: Location) {
        if !location.file.is_empty() {
            spawn_local(async move { self.session.show_source(&location).await });
        }
    }

    /// Shows the line of an entry, which the table knows.
    pub fn show_source_of(self, entry: &EntryRef) {
        let place = self.view.with_untracked(|view| {
            let row = view.table.iter().find(|row| row.channel == entry.channel && row.entry == entry.name)?;
            Some(row.location.clone())
        });
        if let Some(place) = place {
            self.show_source(place);
        }
    }

    /// Opens a problem in the list, and shows what it is about: the package, the entry, the line.
    pub fn open_problem(self, index: usize) {
        let Some(problem) = self.session.problems.with_untracked(|problems| problems.get(index).cloned()) else {
            return;
        };
        self.board.show(problem.clone(), index);
        self.shown_problems.update_value(|count| *count += 1);
        let mine = self.shown_problems.get_value();
        let is_wanted = move || self.shown_problems.get_value() == mine;
        spawn_local(async move { self.session.show_problem(problem, is_wanted).await });
    }

    /// Opens the next problem (`1`) or the previous one (`-1`), with the focus on it.
    pub fn walk_problems(self, step: isize) {
        match self.board.stepped(step) {
            Some(index) => {
                self.open_problem(index);
                self.bring_problem(index);
            }
            None => self.toasts.note("There is no problem in the list."),
        }
    }

    /// Shows the list of problems, with the focus on one of them.
    pub fn show_problems(self) {
        self.show_pane(Pane::Below);
        let stop = self.board.stop.get_untracked();
        let listed = self
            .board
            .listing
            .with_untracked(|list| stop.filter(|index| list.order.contains(index)).or(list.order.first().copied()));
        if let Some(index) = listed {
            self.bring_problem(index);
        }
    }

    /// Opens the problem of a line that is marked.
    pub fn open_problem_at(self, mark: &LineMark) {
        let is_it = |problem: &Diagnostic| {
            (&problem.rule, &problem.message, &problem.location) == (&mark.rule, &mark.message, &mark.location)
        };
        let index = self.session.problems.with_untracked(|problems| problems.iter().position(is_it));
        if let Some(index) = index {
            self.open_problem(index);
            self.bring_problem(index);
        }
    }

    /// Opens a problem that is listed elsewhere, with the focus on it.
    pub fn open_problem_like(self, known: &Diagnostic) {
        if let Some(index) = self.session.problems.with_untracked(|problems| found_again(problems, known)) {
            self.open_problem(index);
            self.bring_problem(index);
        }
    }

    /// Operations of a fix as the workspace takes them: where several catalogs are open they name theirs.
    pub fn ops_of(self, fix: &Fix, catalog: &str) -> Vec<EditOp> {
        let mut ops = fix.ops.clone();
        if self.session.status.with_untracked(|status| status.roots.len() > 1) {
            for op in &mut ops {
                op.catalog_mut().get_or_insert_with(|| catalog.to_owned());
            }
        }
        ops
    }

    /// Shows where the selected thing is written.
    pub fn show_source_of_selected(self) {
        let location = self.session.inspection.with_untracked(|found| found.as_ref()?.location.clone());
        match location {
            Some(location) => self.show_source(location),
            None => self.session.show_tab(Tab::Source),
        }
    }

    /// Shows where something is written, with the caret there. `root`: its catalog, else the one in view.
    pub fn edit_as_text(self, root: Option<String>, location: Location) {
        self.close_overlay();
        spawn_local(async move {
            if let Some(root) = root.filter(|root| self.session.root.with_untracked(|shown| shown != root)) {
                self.session.show_root(root.clone()).await;
                if self.session.root.get_untracked() != root {
                    return;
                }
            }
            self.text_steps.focus.set_value(true);
            self.session.show_source(&location).await;
        });
    }

    pub fn edit_selected_as_text(self) {
        let location = self.session.inspection.with_untracked(|found| found.as_ref()?.location.clone());
        match location.filter(|location| !location.file.is_empty()) {
            Some(location) => self.edit_as_text(None, location),
            None => self.session.show_tab(Tab::Source),
        }
    }

    /// Changes the question "from here, where?".
    pub fn ask_upgrade(self, change: impl FnOnce(&mut UpgradeQuestion)) {
        let mut question = self.session.question.get_untracked();
        change(&mut question);
        if self.session.question.with_untracked(|known| *known != question) {
            spawn_local(self.session.set_question(question));
        }
    }

    /// Changes how the lanes are drawn.
    pub fn draw(self, change: impl FnOnce(&mut LaneOptions)) {
        let mut lanes = self.session.lanes.get_untracked();
        change(&mut lanes);
        spawn_local(self.session.set_lanes(lanes));
    }

    /// How the lanes of the package in view are arranged.
    pub fn arranged(self) -> Arranged {
        self.view.with(|view| self.session.lanes.with(|options| Arranged::of(&view.channels, options)))
    }

    pub fn arrange(self, of: Arranged) {
        self.draw(|options| {
            options.order = of.channels;
            options.hidden_channels = of.hidden;
            options.collapsed_channels = of.collapsed;
            options.pinned_channels = of.pinned;
        });
    }

    /// Folds or opens a y-stream.
    pub fn toggle_stream(self, stream: String) {
        self.draw(|options| toggle(&mut options.toggled_streams, stream));
    }

    /// Folds a long chain, or opens it. One that is folded has nothing in it that is selected.
    pub fn fold_chain(self, names: Vec<String>, fold: bool) {
        let selected = untrack(|| self.selected_entry());
        let hides_selected = fold && selected.is_some_and(|entry| names.contains(&entry.name));
        if hides_selected {
            self.select(Target::Package);
        }
        self.draw(|options| {
            if hides_selected {
                options.selected = None;
            }
            options.unfolded.retain(|name| !names.contains(name));
            if !fold {
                options.unfolded.extend(names);
            }
        });
    }

    /// Shows a channel as a bare rail, or its cars again.
    pub fn toggle_channel(self, channel: String) {
        self.draw(|options| toggle(&mut options.collapsed_channels, channel));
    }

    /// Opens the menu of a thing, which is selected alone by that.
    pub fn open_menu(self, target: Target, at: (i32, i32)) {
        self.select(target.clone());
        self.before_menu.set_value(None);
        self.menu.set(Some(Menu { of: MenuOf::Thing(target), at }));
    }

    /// Opens the menu of an entry; of all that are selected together, where it is one of them.
    pub fn open_entry_menu(self, entry: EntryRef, at: (i32, i32)) {
        if self.picked.with_untracked(|picked| picked.has(&entry)) {
            self.menu.set(Some(Menu { of: MenuOf::Picked, at }));
        } else {
            self.open_menu(Target::Entry { channel: entry.channel, name: entry.name }, at);
        }
    }

    pub fn open_stream_menu(self, stream: String, at: (i32, i32)) {
        self.menu.set(Some(Menu { of: MenuOf::Stream(stream), at }));
    }

    /// Opens the menu of an edge, whose entry is selected by that.
    pub fn open_edge_menu(self, edge: EdgeMenu, at: (i32, i32)) {
        let EntryRef { channel, name } = edge.entry.clone();
        self.select(Target::Entry { channel, name });
        self.menu.set(Some(Menu { of: MenuOf::Edge(edge), at }));
    }

    /// Takes an entry into those that are selected together, or out of them.
    pub fn pick(self, entry: EntryRef) {
        self.picked.update(|picked| picked.toggle(entry));
    }

    /// Takes in all entries from the last one to this one, as they stand in `order`.
    pub fn pick_to(self, order: &[EntryRef], entry: EntryRef) {
        self.picked.update(|picked| picked.extend_to(order, entry));
    }

    /// Opens a command's form, filled in from what is selected.
    pub fn open_form(self, command: EditCommand) {
        if let Err(why) = self.view.with_untracked(|view| possible::in_package(command, view)) {
            let name = command.label().trim_end_matches('…');
            self.toasts.note(format!("{name}: {why}."));
            return;
        }
        let picked = self.picked.with_untracked(|picked| picked.entries().to_vec());
        if picked.is_empty() || !several::COMMANDS.contains(&command) {
            self.open_form_with(command, self.target.get_untracked(), FormValues::default());
        } else {
            let given = several::prepared(command, FormValues::default(), &picked);
            self.open_form_with(command, Target::Package, given);
        }
    }

    /// Opens a command's form for a thing; what `given` holds goes before what follows from the thing.
    pub fn open_form_with(self, command: EditCommand, target: Target, given: FormValues) {
        if !self.is_open.get_untracked() {
            return;
        }
        let mut values = FormValues::default();
        let root = self.session.root.get_untracked();
        values.set(Field::Catalog, self.session.status.with_untracked(|status| catalog_name(&status.roots, &root)));
        values.set(Field::Package, self.package.get_untracked());
        let default_channel = self.view.with_untracked(|view| view.default_channel.clone());
        values.fill_from(command, &target, &default_channel);
        values.overlay(&given);
        self.overlay.set(Some(Overlay::Form { command, values }));
    }

    /// Asks before a fix is applied, with its preview.
    pub fn confirm(self, title: String, ops: Vec<EditOp>) {
        self.overlay.set(Some(Overlay::Confirm { title, ops }));
    }

    /// Notes what is typed and no step yet.
    pub fn note_typed(self, ops: Vec<EditOp>) {
        self.session.note_typed(!ops.is_empty());
        self.actions.client().note_typed(ops);
    }

    /// Applies operations as one step. `end` hears whether they were refused.
    pub fn apply(self, title: String, ops: Vec<EditOp>, end: impl FnOnce(Result<(), Refusal>) + 'static) {
        spawn_local(async move { end(self.actions.apply(ops, title, || ()).await) });
    }

    /// Applies what a dialog was filled in with: it closes once the new lanes are painted, since closing makes the browser
    /// style the whole page anew. `refused` hears of a refusal.
    pub fn apply_and_close(self, title: String, ops: Vec<EditOp>, refused: impl FnOnce(Refusal) + 'static) {
        let dialog = self.overlay.get_untracked();
        let close = move || {
            spawn_local(async move {
                // A hidden tab paints nothing, and closes it all the same.
                select(pin!(marks::painted()), pin!(time::pause(PAINTED_BY_MS))).await;
                self.picked.update(Picked::clear);
                // Another one may have been opened by now.
                if self.overlay.get_untracked() == dialog {
                    self.close_overlay();
                }
            });
        };
        spawn_local(async move {
            if let Err(refusal) = self.actions.apply(ops, title, close).await {
                refused(refusal);
            }
        });
    }

    /// Tells a refusal that no form shows.
    pub fn say_refused(self, end: Result<(), Refusal>) {
        if let Err(refusal) = end {
            self.toasts.error(refusal.reason);
        }
    }

    /// Applies a safe fix to all problems of its kind. `end` hears when it is done.
    pub fn fix_all(self, rule: String, kind: String, end: impl FnOnce() + 'static) {
        spawn_local(async move {
            match self.actions.fix_all(rule, kind).await {
                Ok(()) => end(),
                Err(refusal) => self.toasts.error(refusal.reason),
            }
        });
    }

    /// Asks for a profile of advice; `None` goes by the configuration files.
    pub fn set_profile(self, profile: Option<Profile>) {
        spawn_local(async move { self.session.set_profile(profile).await });
    }

    pub fn undo(self) {
        if untrack(|| self.session.can_undo()) {
            self.change(self.actions.undo());
        }
    }

    pub fn redo(self) {
        if untrack(|| self.session.can_redo()) {
            self.change(self.actions.redo());
        }
    }

    /// Undoes or redoes until so many steps are applied.
    pub fn go_to(self, steps: usize) {
        self.change(self.actions.go_to(steps));
    }

    /// `file` is its path in the workspace.
    pub fn revert_file(self, root: String, file: String) {
        self.change(self.actions.revert_file(root, file));
    }

    fn change(self, change: impl Future<Output = Result<(), Refusal>> + 'static) {
        spawn_local(async move { self.say_refused(change.await) });
    }

    pub fn download(self, what: Export) {
        self.actions.download(what);
    }

    /// Puts the edits on the clipboard as command lines.
    pub fn copy_commands(self) {
        spawn_local(async move {
            let done = self.actions.copy_commands().await;
            self.say_copied(done, "Commands copied, one a line.");
        });
    }

    /// Puts a text on the clipboard, and says so.
    pub fn copy_text(self, text: String, said: String) {
        spawn_local(async move {
            let done = output::copy(&text).await;
            self.say_copied(done, said);
        });
    }

    /// Puts operations on the clipboard, as JSON lines that the command line takes.
    pub fn copy_operations(self, steps: Vec<Step>) {
        spawn_local(async move {
            let done = output::copy(&as_json_lines(&steps)).await;
            self.say_copied(done, "Operations copied, one a line.");
        });
    }

    /// Puts what is to be told to the makers on the clipboard.
    pub fn copy_report(self, report: String) {
        spawn_local(async move {
            let done = output::copy(&report).await;
            self.say_copied(done, "Report copied. It holds the operation and the text of the blob.");
        });
    }

    fn say_copied(self, done: bool, words: impl Into<String>) {
        if done {
            self.toasts.done(words);
        } else {
            self.toasts.error("The browser does not allow copying.");
        }
    }
}

fn toggle(list: &mut Vec<String>, name: String) {
    match list.iter().position(|known| *known == name) {
        Some(at) => {
            list.remove(at);
        }
        None => list.push(name),
    }
}
