//! Handles graph events.

use super::gesture_commands::form;
use crate::commands::{Command, KeyAction, KeyPress, key_action};
use crate::context::{AppContext, EdgeMenu, MenuSubject};
use crate::features::graph::GraphEvent;
use leptos::prelude::*;
use protocol::lanes::Zoom;
use protocol::request::Target;
use protocol::views::EntryRef;
use std::collections::HashSet;

fn entry(entry: EntryRef) -> Target {
    Target::Entry {
        channel: entry.channel,
        name: entry.name,
    }
}

/// Handles an event of the focused graph.
pub(super) fn answer(app: AppContext, event: GraphEvent) {
    match event {
        GraphEvent::Select(Some(found)) => app.select(entry(found)),
        GraphEvent::Select(None) => app.select(Target::Package),
        GraphEvent::SelectChannel(channel) => app.select(Target::Channel { channel }),
        GraphEvent::Line(location) => app.show_source(location),
        // A letter edits the focused entry, unless several are selected.
        GraphEvent::Letter {
            entry: found,
            letter,
            shift,
        } => {
            let is_alone = app
                .selected_entries
                .now()
                .with_untracked(|several| several.is_empty());
            if is_alone && edits(app, &letter, shift) {
                app.select(entry(found));
            }
        }
        GraphEvent::Source(found) => app.show_source_of(&found),
        GraphEvent::Pick(found) => app.pick_entry(found),
        GraphEvent::PickTo { order, entry } => {
            app.pick_entries_to(&in_lane_order(app, order), entry)
        }
        GraphEvent::EntryMenu { entry: found, x, y } => {
            app.open_entry_menu(found, (x as i32, y as i32))
        }
        GraphEvent::EdgeMenu {
            kind,
            entry,
            location,
            x,
            y,
        } => {
            app.open_edge_menu(
                EdgeMenu {
                    kind,
                    entry,
                    location,
                },
                (x as i32, y as i32),
            );
        }
        GraphEvent::BundleMenu { bundle, x, y } => {
            app.open_menu(Target::Bundle { name: bundle }, (x as i32, y as i32))
        }
        GraphEvent::PackageMenu { x, y } => app.open_menu(Target::Package, (x as i32, y as i32)),
        GraphEvent::ChannelMenu { channel, x, y } => {
            app.open_menu(Target::Channel { channel }, (x as i32, y as i32))
        }
        GraphEvent::StreamMenu { stream, x, y } => {
            app.open_stream_menu(stream, (x as i32, y as i32))
        }
        GraphEvent::RemovedMenu { entry, x, y } => {
            app.overlays
                .open_menu(MenuSubject::Removed(entry), (x as i32, y as i32));
        }
        GraphEvent::ToggleStream(stream) => app.lanes.toggle_stream(stream),
        GraphEvent::FoldChain { names, fold } => app.fold_chain(names, fold),
        GraphEvent::ChainMenu { names, x, y } => {
            app.overlays
                .open_menu(MenuSubject::Chain(names), (x as i32, y as i32));
        }
        GraphEvent::ToggleChannel(channel) => app.lanes.toggle_channel(channel),
        GraphEvent::LaneCommand(of) => app.lanes.arrange(of),
        GraphEvent::Export(format) => app.exports.download_graph(format),
        GraphEvent::ExportPixels => app.exports.download_picture(),
        GraphEvent::Minimap(is_visible) => app.workbench.show_minimap(is_visible),
        GraphEvent::Overview(far) => app
            .lanes
            .draw(|options| options.zoom = if far { Zoom::Far } else { Zoom::Near }),
        GraphEvent::PickAll(entries) => app.selected_entries.add(in_lane_order(app, entries)),
        GraphEvent::Over(gesture) => app.set_drag_ops(gesture),
        GraphEvent::Drop(gesture) => {
            let (command, target, given) = form(gesture);
            app.open_form_with(command, target, given);
        }
        GraphEvent::Said(text) => app.notifications.announce(text),
        GraphEvent::Painted => {}
    }
}

/// Whether a letter alone opens the form of an operation.
fn edits(app: AppContext, letter: &str, shift: bool) -> bool {
    let press = KeyPress {
        key: letter,
        shift,
        ..KeyPress::default()
    };
    let action = key_action(press, app.preferences.letter_keys().get_untracked());
    matches!(action, Some(KeyAction::Run(Command::Edit(_))))
}

/// The existing entries: stacks may contain removed ones.
fn in_lane_order(app: AppContext, mut entries: Vec<EntryRef>) -> Vec<EntryRef> {
    app.current.view.with_untracked(|view| {
        let rows: HashSet<(&str, &str)> = view
            .table
            .iter()
            .map(|row| (&*row.channel, &*row.entry))
            .collect();
        entries.retain(|entry| rows.contains(&(&*entry.channel, &*entry.name)));
    });
    entries
}
