//! What follows from what was done in a graph.

use super::gesture_commands::form;
use crate::desk::{Desk, EdgeMenu, MenuOf};
use crate::features::graph::GraphEvent;
use leptos::prelude::*;
use protocol::lanes::Zoom;
use protocol::request::Target;
use protocol::views::EntryRef;
use std::collections::HashSet;

fn entry(entry: EntryRef) -> Target {
    Target::Entry { channel: entry.channel, name: entry.name }
}

/// What follows from what was done in the graph in focus.
pub(super) fn answer(desk: Desk, event: GraphEvent) {
    match event {
        GraphEvent::Select(Some(found)) => desk.select(entry(found)),
        GraphEvent::Select(None) => desk.select(Target::Package),
        GraphEvent::SelectChannel(channel) => desk.select(Target::Channel { channel }),
        GraphEvent::Line(location) => desk.show_source(location),
        GraphEvent::Source(found) => desk.show_source_of(&found),
        GraphEvent::Pick(found) => desk.picked.toggle(found),
        GraphEvent::PickTo { order, entry } => desk.picked.extend_to(&listed(desk, order), entry),
        GraphEvent::EntryMenu { entry: found, x, y } => desk.open_entry_menu(found, (x as i32, y as i32)),
        GraphEvent::EdgeMenu { kind, entry, location, x, y } => {
            desk.open_edge_menu(EdgeMenu { kind, entry, location }, (x as i32, y as i32));
        }
        GraphEvent::BundleMenu { bundle, x, y } => {
            desk.open_menu(Target::Bundle { name: bundle }, (x as i32, y as i32))
        }
        GraphEvent::PackageMenu { x, y } => desk.open_menu(Target::Package, (x as i32, y as i32)),
        GraphEvent::ChannelMenu { channel, x, y } => desk.open_menu(Target::Channel { channel }, (x as i32, y as i32)),
        GraphEvent::StreamMenu { stream, x, y } => desk.open_stream_menu(stream, (x as i32, y as i32)),
        GraphEvent::RemovedMenu { entry, x, y } => {
            desk.over.open_menu(MenuOf::Removed(entry), (x as i32, y as i32));
        }
        GraphEvent::ToggleStream(stream) => desk.toggle_stream(stream),
        GraphEvent::FoldChain { names, fold } => desk.fold_chain(names, fold),
        GraphEvent::ChainMenu { names, x, y } => {
            desk.over.open_menu(MenuOf::Chain(names), (x as i32, y as i32));
        }
        GraphEvent::ToggleChannel(channel) => desk.toggle_channel(channel),
        GraphEvent::Arrange(of) => desk.arrange(of),
        GraphEvent::Export(format) => desk.download_graph(format),
        GraphEvent::ExportPixels => desk.download_picture(),
        GraphEvent::Minimap(shown) => desk.workbench.show_minimap(shown),
        GraphEvent::Overview(far) => desk.draw(|options| options.zoom = if far { Zoom::Far } else { Zoom::Near }),
        GraphEvent::PickAll(entries) => desk.picked.add(listed(desk, entries)),
        GraphEvent::Over(gesture) => desk.suppose(gesture),
        GraphEvent::Drop(gesture) => {
            let (command, target, given) = form(gesture);
            desk.open_form_with(command, target, given);
        }
        GraphEvent::Said(text) => desk.told.say(text),
        GraphEvent::Painted => {}
    }
}

/// Those that are there: stacks hold what is removed too.
fn listed(desk: Desk, mut entries: Vec<EntryRef>) -> Vec<EntryRef> {
    desk.shown.view.with_untracked(|view| {
        let rows: HashSet<(&str, &str)> = view.table.iter().map(|row| (&*row.channel, &*row.entry)).collect();
        entries.retain(|entry| rows.contains(&(&*entry.channel, &*entry.name)));
    });
    entries
}
