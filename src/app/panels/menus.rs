//! Context menus: operations for a package, channel, entry or bundle, for several entries, or for a
//! y-stream. The menu of a removed but still drawn object only tells what it was, and restores it.

use crate::commands::Command;
use crate::context::{AppContext, EdgeMenu, Menu, MenuSubject, app_context};
use crate::edits::applicable::{self, applicable_commands};
use crate::edits::command::{EditCommand, Field, Subject};
use crate::edits::entry_choices::{latest_of_stream, stream_of};
use crate::edits::form_values::{COMMANDS_FOR_SEVERAL, FormValues, PackageNames, is_absent};
use crate::state::entries::EdgeKind;
use crate::state::layout::LaneCommand;
use crate::widgets::menu::{ContextMenu, MenuItem, MenuPlace};
use crate::words;
use leptos::prelude::*;
use protocol::request::{RangePurpose, Target};
use protocol::response::PackageView;
use protocol::upgrades::{ComparedKind, EntryChange};
use protocol::views::{EntryRef, Status, TableRow};

#[component]
pub fn Menus() -> impl IntoView {
    let app = app_context();
    move || {
        app.overlays.menu.get().map(|Menu { subject, at }| {
            let (title, items, choose) = match subject {
                MenuSubject::Thing(target) => thing(app, target),
                MenuSubject::SelectedEntries => menu_of_selection(app),
                MenuSubject::Stream(stream) => stream_menu(app, stream),
                MenuSubject::Edge(ends) => edge(app, ends),
                MenuSubject::Chain(names) => chain(app, names),
                MenuSubject::Removed(entry) => removed_entry_menu(app, &entry),
            };
            let choose = move |index: usize| {
                app.overlays.close_menu();
                choose.run(index);
            };
            let place = MenuPlace::at(at);
            view! { <ContextMenu title items place on_choose=choose on_close=move |()| app.overlays.close_menu()/> }
        })
    }
}

/// Title, items, and the callback that receives the index of the chosen item.
pub(super) type MenuContents = (String, Vec<MenuItem>, Callback<usize>);

fn command_items(commands: &[EditCommand]) -> Vec<MenuItem> {
    commands
        .iter()
        .map(|command| command_item(Command::Edit(*command)))
        .collect()
}

fn command_item(command: Command) -> MenuItem {
    let note = match command {
        Command::Edit(command) => command.note(),
        _ => "",
    };
    MenuItem {
        note,
        ..MenuItem::new(command.label(), command.keys())
    }
}

pub(super) fn item(label: impl Into<String>) -> MenuItem {
    MenuItem::new(label, "")
}

/// Actions besides the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViewCommand {
    ShowSource,
    SelectAll,
    /// Affects the view only.
    Lane(LaneCommand),
    OpenInTab,
    /// Opens the package, or a single channel, in the second graph.
    OpenBeside,
    SaveSubset,
    MakeTemplate,
    TryOnCluster,
}

impl ViewCommand {
    fn for_target(target: &Target) -> &'static [ViewCommand] {
        match target {
            Target::Channel { .. } => &[
                ViewCommand::ShowSource,
                ViewCommand::SelectAll,
                ViewCommand::Lane(LaneCommand::ToTop),
                ViewCommand::Lane(LaneCommand::Up),
                ViewCommand::Lane(LaneCommand::Down),
                ViewCommand::Lane(LaneCommand::TogglePinned),
                ViewCommand::Lane(LaneCommand::ToggleCollapsed),
                ViewCommand::Lane(LaneCommand::ToggleHidden),
                ViewCommand::OpenBeside,
                ViewCommand::TryOnCluster,
            ],
            Target::Bundle { .. } => &[
                ViewCommand::ShowSource,
                ViewCommand::SelectAll,
                ViewCommand::TryOnCluster,
            ],
            Target::Package => &[
                ViewCommand::ShowSource,
                ViewCommand::OpenInTab,
                ViewCommand::OpenBeside,
                ViewCommand::SaveSubset,
                ViewCommand::MakeTemplate,
                ViewCommand::TryOnCluster,
            ],
            Target::Entry { .. } => &[ViewCommand::ShowSource, ViewCommand::TryOnCluster],
            Target::Problem { .. } => &[ViewCommand::ShowSource],
        }
    }

    fn item(self, target: &Target) -> MenuItem {
        match (self, target) {
            (ViewCommand::ShowSource, _) => item("Show in source"),
            (ViewCommand::SelectAll, Target::Bundle { .. }) => item("Select its entries"),
            (ViewCommand::SelectAll, _) => item("Select all entries"),
            (ViewCommand::Lane(wish), _) => MenuItem::new(wish.label(), wish.keys()),
            (ViewCommand::OpenBeside, Target::Channel { .. }) => {
                item("Show this channel beside this graph")
            }
            (ViewCommand::OpenBeside, _) => command_item(Command::OpenBeside),
            (ViewCommand::OpenInTab, _) => command_item(Command::OpenInTab),
            (ViewCommand::SaveSubset, _) => command_item(Command::SaveSubset),
            (ViewCommand::MakeTemplate, _) => command_item(Command::MakeTemplate),
            (ViewCommand::TryOnCluster, _) => command_item(Command::TryOnCluster),
        }
    }

    fn run(self, app: AppContext, target: &Target) {
        match (self, target) {
            (ViewCommand::Lane(wish), Target::Channel { channel }) => {
                app.arrange_lanes(untrack(|| app.lane_arrangement()).after(wish, channel));
            }
            (ViewCommand::SelectAll, target) => {
                let entries = app
                    .current
                    .view
                    .with_untracked(|view| entries_of(&view.table, target));
                app.selected_entries.add(entries);
            }
            (ViewCommand::OpenInTab, _) => app.branch_tab_from_menu(),
            (ViewCommand::SaveSubset, _) => app.open_save_subset(),
            (ViewCommand::MakeTemplate, _) => app.open_template_creation(),
            (ViewCommand::TryOnCluster, _) => app.try_on_cluster(),
            (ViewCommand::OpenBeside, Target::Channel { channel }) => {
                app.second_graph.open_channel(channel)
            }
            (ViewCommand::OpenBeside, _) => app.second_graph.open_from_menu(),
            (ViewCommand::ShowSource | ViewCommand::Lane(_), _) => app.show_source_of_selected(),
        }
    }
}

/// Returns the entries of a channel, or of a bundle in all channels, without names that only edges
/// mention.
fn entries_of(table: &[TableRow], target: &Target) -> Vec<EntryRef> {
    let is_of = |row: &&TableRow| match target {
        Target::Channel { channel } => row.channel == *channel,
        Target::Bundle { name } => row.entry == *name,
        Target::Package | Target::Problem { .. } | Target::Entry { .. } => false,
    };
    let rows = table.iter().filter(is_of).filter(|row| !is_absent(row));
    rows.map(|row| EntryRef {
        channel: row.channel.clone(),
        name: row.entry.clone(),
    })
    .collect()
}

/// Returns the commands of an object. A name that a channel only mentions can be added to it, or
/// corrected if there is no such bundle.
fn commands_of(view: &PackageView, target: &Target) -> Vec<EditCommand> {
    let table = &view.table;
    let row = match target {
        Target::Entry { channel, name } => table
            .iter()
            .find(|row| row.channel == *channel && row.entry == *name),
        _ => None,
    };
    match row.filter(|row| is_absent(row)) {
        Some(row) if row.state.iter().any(|word| word == "no bundle") => {
            vec![EditCommand::AddBundle]
        }
        Some(_) => EditCommand::for_subject(Subject::Bundle),
        None => applicable_commands(view, target),
    }
}

fn thing(app: AppContext, target: Target) -> MenuContents {
    let commands = app
        .current
        .view
        .with_untracked(|view| commands_of(view, &target));
    let can_try = untrack(|| app.can_try_on_cluster());
    let is_offered = |besides: &ViewCommand| match besides {
        ViewCommand::SaveSubset | ViewCommand::MakeTemplate => untrack(|| app.current.is_catalog()),
        ViewCommand::TryOnCluster => can_try,
        _ => true,
    };
    let besides: Vec<ViewCommand> = ViewCommand::for_target(&target)
        .iter()
        .copied()
        .filter(is_offered)
        .collect();
    let mut items = command_items(&commands);
    items.extend(besides.iter().map(|besides| besides.item(&target)));
    let title = match &target {
        Target::Package | Target::Problem { .. } => app.current.package.get_untracked(),
        Target::Channel { channel } => channel.clone(),
        Target::Entry { channel, name } => format!("{name} in {channel}"),
        Target::Bundle { name } => name.clone(),
    };
    let choose = move |index: usize| match commands.get(index) {
        Some(command) => app.open_form_with(*command, target.clone(), FormValues::default()),
        None => {
            if let Some(besides) = index
                .checked_sub(commands.len())
                .and_then(|index| besides.get(index))
            {
                besides.run(app, &target);
            }
        }
    };
    (title, items, Callback::new(choose))
}

/// Builds the menu of an edge: show its line, change it.
fn edge(
    app: AppContext,
    EdgeMenu {
        kind,
        entry,
        location,
    }: EdgeMenu,
) -> MenuContents {
    let (word, commands) = match kind {
        EdgeKind::Replaces => ("replaces", EditCommand::FOR_REPLACES),
        EdgeKind::Skips => ("skips", EditCommand::FOR_SKIPS),
        EdgeKind::SkipRange => ("skipRange", EditCommand::FOR_SKIP_RANGE),
    };
    let mut items = vec![item(format!("Show line {} in source", location.line))];
    items.extend(command_items(commands));
    let title = format!("{word} of {} in {}", entry.name, entry.channel);
    let target = Target::Entry {
        channel: entry.channel,
        name: entry.name,
    };
    let choose =
        move |index: usize| match index.checked_sub(1).and_then(|index| commands.get(index)) {
            Some(command) => app.open_form_with(*command, target.clone(), FormValues::default()),
            None => app.show_source(location.clone()),
        };
    (title, items, Callback::new(choose))
}

/// Builds the menu of the multiple selection.
fn menu_of_selection(app: AppContext) -> MenuContents {
    let count = app
        .selected_entries
        .picked
        .with_untracked(|picked| picked.entries().len() as u32);
    let commands: Vec<EditCommand> = app.current.view.with_untracked(|view| {
        let can = |command: &EditCommand| {
            app.selected_entries
                .picked
                .with_untracked(|picked| applicable::with_any(*command, view, picked.entries()))
        };
        COMMANDS_FOR_SEVERAL.into_iter().filter(can).collect()
    });
    let mut items = command_items(&commands);
    items.push(item("Clear selection"));
    let choose = move |index: usize| match commands.get(index) {
        Some(command) => app.open_form(*command),
        None => app.selected_entries.clear(),
    };
    (
        words::count(count, "selected thing"),
        items,
        Callback::new(choose),
    )
}

/// Builds the menu of a long chain.
fn chain(app: AppContext, names: Vec<String>) -> MenuContents {
    let folded = app.current.lanes.with_untracked(|lanes| {
        lanes
            .chains
            .iter()
            .any(|chain| chain.folded && chain.names == names)
    });
    let versions = words::count(names.len() as u32, "version");
    let items = vec![
        item(if folded {
            "Open the chain"
        } else {
            "Fold the chain"
        }),
        item("Select all its entries"),
    ];
    let choose = move |index: usize| match index {
        0 => app.fold_chain(names.clone(), !folded),
        _ => {
            select_present(app, &|row| names.contains(&row.entry));
        }
    };
    (format!("Chain of {versions}"), items, Callback::new(choose))
}

/// Adds the present entries that match to the multiple selection.
fn select_present(app: AppContext, is_match: &dyn Fn(&TableRow) -> bool) {
    let entries = app.current.view.with_untracked(|view| {
        let rows = view.table.iter();
        rows.filter(|row| !is_absent(row) && is_match(row))
            .map(|row| EntryRef {
                channel: row.channel.clone(),
                name: row.entry.clone(),
            })
            .collect()
    });
    app.selected_entries.add(entries);
}

/// Commands for a y-stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamCommand {
    Replace,
    AddSkips,
    RemoveSkips,
    Select,
    Fold,
}

/// Builds the menu of a y-stream such as `1.29`.
fn stream_menu(app: AppContext, stream: String) -> MenuContents {
    use StreamCommand::AddSkips;
    use StreamCommand::Fold;
    use StreamCommand::RemoveSkips;
    use StreamCommand::Replace;
    use StreamCommand::Select;
    let latest = app.current.view.with_untracked(|view| {
        let names = PackageNames {
            channels: &view.channels,
            bundles: &view.bundles,
            table: &view.table,
        };
        latest_of_stream(&stream, names)
    });
    let has_skips = app.current.view.with_untracked(|view| {
        let is_in_stream = |row: &TableRow| stream_of(&row.version) == Some(&*stream);
        latest
            .as_ref()
            .is_some_and(|latest| applicable::skips_of_stream(view, latest, is_in_stream))
    });
    let doings: Vec<StreamCommand> = [Replace, AddSkips, RemoveSkips, Select, Fold]
        .into_iter()
        .filter(|doing| *doing != RemoveSkips || has_skips)
        .collect();
    let label = |doing: &StreamCommand| match doing {
        Replace => item(format!("Skip to the latest of {stream}.z")),
        AddSkips => item("Add skips for all older z-streams…"),
        RemoveSkips => item("Remove skips of z-streams…"),
        Select => item(format!("Select all entries of {stream}.z")),
        Fold => item(format!("Fold or open {stream}")),
    };
    let items = doings.iter().map(label).collect();
    let title = format!("y-stream {stream}");
    let choose = move |index: usize| match doings.get(index) {
        Some(Replace) => {
            let given = FormValues::default()
                .with(Field::Stream, format!("{stream}.z"))
                .with(Field::Channel, "");
            app.open_form_with(EditCommand::ReplaceStream, Target::Package, given);
        }
        Some(doing @ (AddSkips | RemoveSkips)) => {
            let command = EditCommand::for_range(match *doing == AddSkips {
                true => RangePurpose::Skip,
                false => RangePurpose::Unskip,
            });
            let given = FormValues::default().with(Field::SkipMatching, format!("{stream}.z"));
            let entry = |entry: EntryRef| Target::Entry {
                channel: entry.channel,
                name: entry.name,
            };
            app.open_form_with(
                command,
                latest.clone().map_or(Target::Package, entry),
                given,
            );
        }
        Some(Select) => {
            select_present(app, &|row| stream_of(&row.version) == Some(&*stream));
        }
        Some(Fold) => app.toggle_stream(stream.clone()),
        None => {}
    };
    (title, items, Callback::new(choose))
}

/// Builds the menu of a removed entry; with the name "", of its channel.
fn removed_entry_menu(app: AppContext, entry: &EntryRef) -> MenuContents {
    let is_compared = untrack(|| app.store.comparison.is_with_catalog());
    let compared = app.comparison.package.with_untracked(|comparison| {
        comparison
            .as_ref()
            .map(|comparison| title(entry, &comparison.entries))
    });
    let unsaved = || {
        app.comparison.unsaved.with_untracked(|comparison| {
            comparison
                .as_ref()
                .map(|comparison| title(entry, &comparison.entries))
        })
    };
    let title = compared
        .or_else(unsaved)
        .unwrap_or_else(|| title(entry, &[]));
    let ways = app
        .store
        .status
        .with_untracked(|status| ways(status, is_compared));
    let items = ways.iter().map(|(way, detail)| match detail.is_empty() {
        true => item(way.label()),
        false => MenuItem::new(format!("{}: {detail}", way.label()), way.keys()),
    });
    let items = items.collect();
    let choose = move |index: usize| {
        if let Some((way, _)) = ways.get(index) {
            way.run(app);
        }
    };
    (title, items, Callback::new(choose))
}

fn title(entry: &EntryRef, changes: &[EntryChange]) -> String {
    if entry.name.is_empty() {
        let gone = changes.iter().filter(|change| {
            change.channel == entry.channel && change.kind == ComparedKind::Removed
        });
        let entries = words::count(gone.count() as u32, "entry");
        return format!("Channel {}, removed with {entries}", entry.channel);
    }
    let change = changes
        .iter()
        .find(|change| (&change.channel, &change.name) == (&entry.channel, &entry.name));
    let was = change.map_or("removed".to_owned(), |change| {
        change.detail.replace('`', "")
    });
    format!("{} in {}, {was}", entry.name, entry.channel)
}

/// Returns the commands that restore it, with the step that they undo or redo.
fn ways(status: &Status, is_compared: bool) -> Vec<(Command, String)> {
    if is_compared {
        return vec![(Command::Compare, String::new())];
    }
    let step = |at: usize| status.history.get(at).map(|step| step.title.clone());
    let undo = status
        .applied_steps
        .checked_sub(1)
        .and_then(step)
        .map(|title| (Command::Undo, title));
    // The change was undone after a save: redo restores the object.
    let redo = || step(status.applied_steps).map(|title| (Command::Redo, title));
    let is_undone = status
        .saved_steps
        .is_some_and(|saved| saved > status.applied_steps);
    let back = if is_undone {
        redo()
    } else {
        undo.or_else(redo)
    };
    back.into_iter()
        .chain([(Command::Review, String::new())])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::HistoryRow;
    fn row(channel: &str, entry: &str, state: &[&str]) -> TableRow {
        let state = state.iter().map(ToString::to_string).collect();
        TableRow {
            channel: channel.into(),
            entry: entry.into(),
            state,
            ..TableRow::default()
        }
    }

    #[test]
    fn absent_entries_have_other_commands() {
        let table = vec![
            row("stable", "a", &["not in this channel", "no bundle"]),
            row("stable", "b", &["not in this channel"]),
            row("stable", "c", &[]),
            row("fast", "c", &[]),
        ];
        let entry = |name: &str| Target::Entry {
            channel: "stable".into(),
            name: name.into(),
        };
        let view = PackageView {
            table: table.clone(),
            ..PackageView::default()
        };
        assert_eq!(commands_of(&view, &entry("a")), [EditCommand::AddBundle]);
        assert!(commands_of(&view, &entry("b")).contains(&EditCommand::Promote));
        assert!(!commands_of(&view, &entry("b")).contains(&EditCommand::SetReplaces));
        assert!(commands_of(&view, &entry("c")).contains(&EditCommand::SetReplaces));
        assert!(
            !commands_of(&view, &entry("c")).contains(&EditCommand::RemoveSkip),
            "it skips nothing"
        );
        let names = |target: Target| {
            entries_of(&table, &target)
                .into_iter()
                .map(|e| e.channel + " " + &e.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(Target::Channel {
                channel: "stable".into()
            }),
            ["stable c"]
        );
        assert_eq!(
            names(Target::Bundle { name: "c".into() }),
            ["stable c", "fast c"]
        );
    }

    #[test]
    fn menu_describes_the_entry_and_offers_its_return() {
        let change = |name: &str, detail: &str| EntryChange {
            channel: "stable".into(),
            name: name.into(),
            kind: ComparedKind::Removed,
            detail: detail.into(),
        };
        let changes = [
            change("a", "removed: replaced `b`"),
            change("b", "removed: named no other entry"),
        ];
        let entry = |name: &str| EntryRef {
            channel: "stable".into(),
            name: name.into(),
        };
        assert_eq!(
            title(&entry("a"), &changes),
            "a in stable, removed: replaced b"
        );
        assert_eq!(
            title(&entry(""), &changes),
            "Channel stable, removed with 2 entries"
        );
        assert_eq!(title(&entry("c"), &changes), "c in stable, removed");

        let history = ["first", "second"]
            .map(|title| HistoryRow {
                title: title.into(),
            })
            .to_vec();
        let mut status = Status {
            history,
            applied_steps: 1,
            ..Status::default()
        };
        let first_way = |status: &Status| ways(status, false)[0].clone();
        assert_eq!(first_way(&status), (Command::Undo, "first".to_owned()));
        status.saved_steps = Some(2);
        assert_eq!(first_way(&status), (Command::Redo, "second".to_owned()));
        assert_eq!(ways(&status, true)[0].0, Command::Compare);
    }
}
