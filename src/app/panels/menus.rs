//! The context menus: the operations that make sense for a package, channel, entry or bundle, for several entries, or for
//! a y-stream.

use super::commands::Command;
use super::forms::command::{EditCommand, Field};
use super::forms::several;
use super::forms::stream::{self, stream_of};
use super::forms::suggest::is_absent;
use super::forms::values::{FormValues, Names};
use super::inspector::subject;
use super::words;
use crate::app::desk::{Desk, Menu, MenuOf, Picked, desk};
use crate::app::widgets::menu::{ContextMenu, MenuItem};
use crate::protocol::request::Target;
use crate::protocol::views::EntryRef;
use leptos::prelude::*;

#[component]
pub fn Menus() -> impl IntoView {
    let desk = desk();
    move || {
        desk.menu.get().map(|Menu { of, at }| {
            let (title, items, choose) = match of {
                MenuOf::Thing(target) => thing(desk, target),
                MenuOf::Picked => picked(desk),
                MenuOf::Stream(stream) => y_stream(desk, stream),
            };
            let choose = move |index: usize| {
                desk.menu.set(None);
                choose.run(index);
            };
            view! { <ContextMenu title items at on_choose=choose on_close=move |()| desk.menu.set(None)/> }
        })
    }
}

/// Title, items, and what choosing one does.
type Shown = (String, Vec<MenuItem>, Callback<usize>);

fn command_items(commands: &[EditCommand]) -> Vec<MenuItem> {
    commands.iter().map(|command| MenuItem { label: command.label().to_owned(), keys: command.key() }).collect()
}

fn item(label: impl Into<String>) -> MenuItem {
    MenuItem { label: label.into(), keys: "" }
}

fn thing(desk: Desk, target: Target) -> Shown {
    let commands = EditCommand::of(subject(&target));
    let mut items = command_items(&commands);
    items.push(item("Show in source"));
    if target == Target::Package {
        items.push(MenuItem { label: Command::OpenInTab.label().to_owned(), keys: Command::OpenInTab.keys() });
    }
    let title = match &target {
        Target::Package | Target::Problem { .. } => desk.package.get_untracked(),
        Target::Channel { channel } => channel.clone(),
        Target::Entry { channel, name } => format!("{name} in {channel}"),
        Target::Bundle { name } => name.clone(),
    };
    let choose = move |index: usize| match commands.get(index) {
        Some(command) => desk.open_form_with(*command, target.clone(), FormValues::default()),
        None if index == commands.len() => desk.show_source_of_selected(),
        None => desk.branch_tab_from_menu(),
    };
    (title, items, Callback::new(choose))
}

/// Commands on all that are selected together.
fn picked(desk: Desk) -> Shown {
    let count = desk.picked.with_untracked(|picked| picked.entries().len() as u32);
    let mut items = command_items(&several::COMMANDS);
    items.push(item("Clear the selection"));
    let choose = move |index: usize| match several::COMMANDS.get(index) {
        Some(command) => desk.open_form(*command),
        None => desk.picked.update(Picked::clear),
    };
    (words::count(count, "selected thing"), items, Callback::new(choose))
}

/// Commands on a y-stream, as `1.29`.
fn y_stream(desk: Desk, stream: String) -> Shown {
    let items = vec![
        MenuItem { label: format!("Latest replaces all of {stream}.z"), keys: "" },
        item("Add skips for all older z-streams…"),
        item("Remove skips of z-streams…"),
        item(format!("Select all entries of {stream}.z")),
        item(format!("Fold or open {stream}")),
    ];
    let title = format!("y-stream {stream}");
    let choose = move |index: usize| match index {
        0 => {
            let given = FormValues::default().with(Field::Stream, format!("{stream}.z")).with(Field::Channel, "");
            desk.open_form_with(EditCommand::ReplaceStream, Target::Package, given);
        }
        1 | 2 => {
            let command = if index == 1 { EditCommand::AddSkip } else { EditCommand::RemoveSkip };
            let given = FormValues::default().with(Field::SkipMatching, format!("{stream}.z"));
            let latest = desk.view.with_untracked(|view| {
                let names = Names { channels: &view.channels, bundles: &view.bundles, table: &view.table };
                stream::latest(&stream, names)
            });
            let target = latest.map_or(Target::Package, |of| Target::Entry { channel: of.channel, name: of.name });
            desk.open_form_with(command, target, given);
        }
        3 => {
            let entries = desk.view.with_untracked(|view| {
                let rows = view.table.iter().filter(|row| !is_absent(row) && stream_of(&row.version) == Some(&*stream));
                rows.map(|row| EntryRef { channel: row.channel.clone(), name: row.entry.clone() }).collect()
            });
            desk.picked.update(|picked| picked.add(entries));
        }
        _ => desk.toggle_stream(stream.clone()),
    };
    (title, items, Callback::new(choose))
}
