//! Context menus: operations for a package, channel, entry or bundle, for several entries, or for a
//! y-stream. The menu of a removed but still drawn object only describes it, and restores it.

use crate::commands::Command;
use crate::context::{EdgeMenu, Menu, MenuSubject};
use crate::edits::applicable::{self, applicable_commands, find_refusal};
use crate::edits::command::{EditCommand, Field};
use crate::edits::entry_choices::y_stream;
use crate::edits::form_values::{COMMANDS_FOR_SEVERAL, FormValues};
use crate::prelude::*;
use crate::state::entries::EdgeKind;
use crate::state::layout::LaneCommand;
use crate::widgets::menu::{ContextMenu, MenuItem, MenuPosition};
use protocol::request::Target;
use protocol::views::{EntryRef, TableRow};

/// The label of the item that shows the text of an object.
pub(super) const SHOW_IN_SOURCE: &str = "Show in source";

#[component]
pub fn Menus() -> impl IntoView {
    let app = app_context();
    move || {
        app.overlays.menu.get().map(|Menu { subject, position }| {
            let MenuContents {
                title,
                items,
                on_choose,
            } = match subject {
                MenuSubject::Object(target) => object_menu(app, target),
                MenuSubject::SelectedEntries => selection_menu(app),
                MenuSubject::Stream(stream) => stream_menu(app, stream),
                MenuSubject::Edge(edge) => edge_menu(app, edge),
                MenuSubject::Removed(entry) => removed_entry_menu(app, &entry),
            };
            let choose = move |index: usize| {
                app.overlays.close_menu();
                on_choose.run(index);
            };
            let position = MenuPosition::at(position);
            view! { <ContextMenu title items position on_choose=choose on_close=move |()| app.overlays.close_menu()/> }
        })
    }
}

struct MenuContents {
    title: String,
    items: Vec<MenuItem>,
    /// Receives the index of the chosen item.
    on_choose: Callback<usize>,
}

impl MenuContents {
    fn new(title: String, choices: Vec<Choice>) -> Self {
        let (items, actions): (Vec<_>, Vec<_>) = choices.into_iter().unzip();
        let choose = move |index: usize| {
            if let Some(action) = actions.get(index) {
                action();
            }
        };
        Self {
            title,
            items,
            on_choose: Callback::new(choose),
        }
    }
}

/// An item with its action.
type Choice = (MenuItem, Box<dyn Fn() + Send + Sync>);

fn choice(item: MenuItem, action: impl Fn() + Send + Sync + 'static) -> Choice {
    (item, Box::new(action))
}

/// Returns the commands that open a form for an object.
fn form_choices(
    app: AppContext,
    commands: &[EditCommand],
    target: &Target,
) -> impl Iterator<Item = Choice> {
    commands.iter().map(move |&command| {
        let target = target.clone();
        choice(command_item(app, Command::Edit(command)), move || {
            app.open_form_with(command, target.clone(), FormValues::default());
        })
    })
}

pub(super) fn command_item(app: AppContext, command: Command) -> MenuItem {
    let note = match command {
        Command::Edit(command) => command.note(),
        _ => "",
    };
    MenuItem {
        note,
        ..MenuItem::new(command.label(), untrack(|| command.active_keys(app)))
    }
}

fn item(label: impl Into<String>) -> MenuItem {
    MenuItem::new(label, "")
}

/// Actions besides the edit commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViewCommand {
    ShowSource,
    SelectAll,
    /// Affects the view only.
    Lane(LaneCommand),
    Run(Command),
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
                ViewCommand::Lane(LaneCommand::ToggleHidden),
                ViewCommand::Run(Command::TryOnCluster),
            ],
            Target::Bundle { .. } => &[
                ViewCommand::ShowSource,
                ViewCommand::SelectAll,
                ViewCommand::Run(Command::TryOnCluster),
            ],
            Target::Package => &[
                ViewCommand::ShowSource,
                ViewCommand::Run(Command::SaveSubset),
                ViewCommand::Run(Command::MakeTemplate),
                ViewCommand::Run(Command::TryOnCluster),
            ],
            Target::Entry { .. } => &[
                ViewCommand::ShowSource,
                ViewCommand::Run(Command::TryOnCluster),
            ],
            Target::Problem { .. } => &[ViewCommand::ShowSource],
        }
    }

    fn item(self, app: AppContext, target: &Target) -> MenuItem {
        match (self, target) {
            (ViewCommand::ShowSource, _) => item(SHOW_IN_SOURCE),
            (ViewCommand::SelectAll, Target::Bundle { .. }) => item("Select its entries"),
            (ViewCommand::SelectAll, _) => item("Select all entries"),
            (ViewCommand::Lane(command), _) => MenuItem::new(command.label(), command.shortcut()),
            (ViewCommand::Run(command), _) => command_item(app, command),
        }
    }

    fn run(self, app: AppContext, target: &Target) {
        match (self, target) {
            (ViewCommand::Lane(command), Target::Channel { channel }) => {
                let arrangement = untrack(|| app.current.lane_arrangement());
                app.current
                    .arrange_lanes(arrangement.apply(command, channel));
            }
            (ViewCommand::SelectAll, target) => {
                select_present(app, &|row| is_entry_of(row, target))
            }
            (ViewCommand::Run(command), _) => command.run(app),
            (ViewCommand::ShowSource | ViewCommand::Lane(_), _) => app.show_source_of_selected(),
        }
    }
}

/// Whether a row is an entry of a channel, or of a bundle in any channel.
fn is_entry_of(row: &TableRow, target: &Target) -> bool {
    match target {
        Target::Channel { channel } => row.channel == *channel,
        Target::Bundle { name } => row.entry == *name,
        Target::Package | Target::Problem { .. } | Target::Entry { .. } => false,
    }
}

fn object_menu(app: AppContext, target: Target) -> MenuContents {
    let mut commands = app
        .current
        .view
        .with_untracked(|view| applicable_commands(view, &target));
    commands.retain(|command| untrack(|| Command::Edit(*command).is_offered(app)));
    let is_offered = |command: &&ViewCommand| match command {
        ViewCommand::Run(command) => untrack(|| command.is_offered(app)),
        _ => true,
    };
    let view_commands = ViewCommand::for_target(&target).iter().filter(is_offered);
    let view_choices = view_commands.map(|&command| {
        let target = target.clone();
        choice(command.item(app, &target), move || {
            command.run(app, &target)
        })
    });
    let choices = form_choices(app, &commands, &target)
        .chain(view_choices)
        .collect();
    let title = match &target {
        Target::Package | Target::Problem { .. } => app.current.package.get_untracked(),
        Target::Channel { channel } => channel.clone(),
        Target::Entry { channel, name } => format!("{name} in {channel}"),
        Target::Bundle { name } => name.clone(),
    };
    MenuContents::new(title, choices)
}

/// Builds the menu of an edge: show its line, change it.
fn edge_menu(
    app: AppContext,
    EdgeMenu {
        kind,
        entry,
        location,
    }: EdgeMenu,
) -> MenuContents {
    let (field, commands) = match kind {
        EdgeKind::Replaces => ("replaces", EditCommand::FOR_REPLACES),
        EdgeKind::Skips => ("skips", EditCommand::FOR_SKIPS),
        EdgeKind::SkipRange => ("skipRange", EditCommand::FOR_SKIP_RANGE),
    };
    let title = format!("{field} of {} in {}", entry.name, entry.channel);
    let target = Target::from(entry);
    let mut commands = commands.to_vec();
    app.current.view.with_untracked(|view| {
        commands.retain(|command| applicable::can_apply_to(*command, view, &target));
    });
    let line = item(format!("Show line {} in source", location.line));
    let show = choice(line, move || app.show_source(location.clone()));
    let forms = form_choices(app, &commands, &target);
    MenuContents::new(title, std::iter::once(show).chain(forms).collect())
}

fn selection_menu(app: AppContext) -> MenuContents {
    let picked = app.selected_entries.picked.get_untracked();
    let entries = picked.entries();
    let is_applicable = |command: &EditCommand| {
        app.current
            .view
            .with_untracked(|view| applicable::can_apply_to_any(*command, view, entries))
    };
    let commands = COMMANDS_FOR_SEVERAL.into_iter().filter(is_applicable);
    let forms = commands.map(|command| {
        choice(command_item(app, Command::Edit(command)), move || {
            app.open_form(command);
        })
    });
    let clear = choice(item("Clear selection"), move || {
        app.selected_entries.clear()
    });
    let choices = forms.chain([clear]).collect();
    MenuContents::new(
        words::count(entries.len() as u32, "selected entry"),
        choices,
    )
}

/// Adds the present entries that match to the multiple selection.
fn select_present(app: AppContext, is_match: &dyn Fn(&TableRow) -> bool) {
    let entries = app.current.view.with_untracked(|view| {
        let rows = view.table.iter();
        rows.filter(|row| !row.is_absent() && is_match(row))
            .map(TableRow::entry_ref)
            .collect()
    });
    app.selected_entries.add(entries);
}

/// Builds the menu of a y-stream such as `1.29`.
fn stream_menu(app: AppContext, stream: String) -> MenuContents {
    let z_stream = format!("{stream}.z");
    let values = FormValues::default()
        .with(Field::Stream, z_stream.clone())
        .with(Field::Channel, "");
    let is_possible = app
        .current
        .view
        .with_untracked(|view| find_refusal(EditCommand::ReplaceStream, view).is_none());
    let replace = is_possible.then(|| {
        choice(
            item(format!("Skip to the latest of {z_stream}")),
            move || {
                app.open_form_with(EditCommand::ReplaceStream, Target::Package, values.clone());
            },
        )
    });
    let title = format!("y-stream {stream}");
    let selected_stream = stream.clone();
    let select = choice(
        item(format!("Select all entries of {z_stream}")),
        move || {
            select_present(app, &|row| {
                y_stream(&row.version) == Some(&*selected_stream)
            });
        },
    );
    let fold = choice(item(format!("Fold or open {stream}")), move || {
        app.current.toggle_stream(stream.clone());
    });
    let choices = replace.into_iter().chain([select, fold]);
    MenuContents::new(title, choices.collect())
}

/// Builds the menu of a removed entry; with the name "", of its channel.
fn removed_entry_menu(app: AppContext, entry: &EntryRef) -> MenuContents {
    let title = match entry.name.as_str() {
        "" => format!("Channel {}, removed", entry.channel),
        name => format!("{name} in {}, removed", entry.channel),
    };
    let is_compared = untrack(|| app.store.comparison.is_with_catalog());
    let commands: &[Command] = if is_compared {
        &[Command::Compare]
    } else {
        &[Command::Undo, Command::Review]
    };
    let choices = commands
        .iter()
        .filter(|command| untrack(|| command.is_offered(app)))
        .map(|&command| choice(command_item(app, command), move || command.run(app)));
    MenuContents::new(title, choices.collect())
}
