//! Handles graph events. Converts graph gestures to operations and forms: a drop opens the form of
//! the command that the shortcut and the menu open too.

use crate::commands::{Command, KeyAction, KeyPress, key_action};
use crate::context::{AppContext, EdgeMenu, MenuSubject};
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::features::graph::{Forecast, Gesture, GraphEvent};
use crate::features::upgrade::HypotheticalAnswer;
use leptos::prelude::*;
use protocol::operation::{EditOp, EntryPlace};
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
        GraphEvent::Select(Some(picked)) => app.select(entry(picked)),
        GraphEvent::Select(None) => app.select(Target::Package),
        GraphEvent::SelectChannel(channel) => app.select(Target::Channel { channel }),
        GraphEvent::Line(location) => app.show_source(location),
        // A letter edits the focused entry, unless several are selected.
        GraphEvent::Letter {
            entry: focused,
            letter,
            shift,
        } => {
            let is_alone = app
                .selected_entries
                .picked
                .with_untracked(|several| several.is_empty());
            if is_alone && edits(app, &letter, shift) {
                app.select(entry(focused));
            }
        }
        GraphEvent::Source(picked) => app.show_source_of(&picked),
        GraphEvent::Pick(picked) => app.pick_entry(picked),
        GraphEvent::PickTo { order, entry } => {
            app.pick_entries_to(&in_lane_order(app, order), entry)
        }
        GraphEvent::EntryMenu {
            entry: picked,
            x,
            y,
        } => app.open_entry_menu(picked, (x as i32, y as i32)),
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
        GraphEvent::StreamMenu { stream, x, y } => app
            .overlays
            .open_menu(MenuSubject::Stream(stream), (x as i32, y as i32)),
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
        GraphEvent::LaneCommand(command) => app.lanes.arrange(command),
        GraphEvent::Export(format) => app.exports.download_graph(format),
        GraphEvent::ExportPixels => app.exports.download_picture(),
        GraphEvent::PickAll(entries) => app.selected_entries.add(in_lane_order(app, entries)),
        GraphEvent::Over(gesture) => app.set_drag_ops(gesture),
        GraphEvent::Drop(gesture) => {
            if let Some((command, target, given)) = form(gesture) {
                app.open_form_with(command, target, given);
            }
        }
        GraphEvent::Announce(text) => app.notifications.announcer.say(text),
    }
}

/// Whether a letter without modifiers opens the form of an operation.
fn edits(app: AppContext, letter: &str, shift: bool) -> bool {
    let press = KeyPress {
        key: letter,
        shift,
        ..KeyPress::default()
    };
    let action = key_action(press, app.preferences.letter_keys.get_untracked());
    matches!(action, Some(KeyAction::Run(Command::Edit(_))))
}

/// Returns the existing entries, since stacks may contain removed ones.
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

/// Returns the operation of a drop, with the form's defaults.
pub fn operation(catalog: Option<String>, package: &str, gesture: &Gesture) -> EditOp {
    let place = |entry: &EntryRef| EntryPlace::new(package, &entry.channel, &entry.name);
    let op = match gesture {
        Gesture::Promote { bundle, to } => EditOp::promote(package, bundle, to),
        Gesture::Replace { entry, replaces } => place(entry).set_replaces(Some(replaces.clone())),
        Gesture::Skip { entry, skip } => place(entry).add_skips(vec![skip.clone()], None),
        Gesture::SetDefault { channel } => EditOp::set_default_channel(package, channel),
    };
    op.in_catalog(catalog)
}

/// Returns the form that a drop opens: its command, target and initial values.
pub fn form(gesture: Gesture) -> Option<(EditCommand, Target, FormValues)> {
    let command = EditCommand::for_operation(&operation(None, "", &gesture))?;
    let entry = |entry: EntryRef| Target::Entry {
        channel: entry.channel,
        name: entry.name,
    };
    let values = FormValues::default();
    let (target, values) = match gesture {
        Gesture::Promote { bundle, to } => (
            Target::Bundle { name: bundle },
            values.with(Field::ToChannel, to),
        ),
        Gesture::Replace {
            entry: name,
            replaces,
        } => (entry(name), values.with(Field::Replaces, replaces)),
        Gesture::Skip { entry: name, skip } => (entry(name), values.with(Field::Skip, skip)),
        Gesture::SetDefault { channel } => (Target::Channel { channel }, values),
    };
    Some((command, target, values))
}

/// Returns the prediction for the current gesture. Ignores answers for other operations.
pub fn forecast(answer: Option<HypotheticalAnswer>, under_way: &[EditOp]) -> Option<Forecast> {
    let answer = answer.filter(|answer| answer.ops == under_way && !under_way.is_empty())?;
    match answer.view {
        Ok(view) => view.outcome.clone().map(Forecast::Comes),
        Err(reason) => Some(Forecast::Refused(reason)),
    }
}

impl AppContext {
    /// Handles a gesture that started, changed or ended.
    pub fn set_drag_ops(self, gesture: Option<Gesture>) {
        let (catalog, package) = (
            self.store.catalog_of_op(),
            self.current.package.get_untracked(),
        );
        let op = gesture.map(|gesture| operation(catalog, &package, &gesture));
        self.draft_query.set_drag_ops(op.into_iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::form_values::PackageNames;
    use crate::edits::operations::operations;
    use protocol::upgrades::{EveryoneView, Outcome};
    use std::sync::Arc;
    #[test]
    fn a_drop_and_its_form_mean_the_same() {
        let entry = EntryRef {
            channel: "stable".into(),
            name: "b".into(),
        };
        for gesture in [
            Gesture::Promote {
                bundle: "b".into(),
                to: "fast".into(),
            },
            Gesture::Replace {
                entry: entry.clone(),
                replaces: "a".into(),
            },
            Gesture::Skip {
                entry,
                skip: "a".into(),
            },
            Gesture::SetDefault {
                channel: "fast".into(),
            },
        ] {
            let (command, target, given) = form(gesture.clone()).expect("a command");
            let mut values = FormValues::default().with(Field::Package, "p");
            values.fill_from(command, &target, "stable");
            values.overlay(&given);
            let operations_of_form = operations(command, &values, None, PackageNames::default());
            assert_eq!(operations_of_form, Ok(vec![operation(None, "p", &gesture)]));
        }
    }

    #[test]
    fn only_the_answer_to_the_current_gesture_counts() {
        let op = |channel: &str| {
            operation(
                None,
                "p",
                &Gesture::SetDefault {
                    channel: channel.into(),
                },
            )
        };
        let view = EveryoneView {
            outcome: Some(Outcome::default()),
            ..EveryoneView::default()
        };
        let answer = HypotheticalAnswer {
            ops: vec![op("a")],
            view: Ok(Arc::new(view)),
        };
        assert_eq!(
            forecast(Some(answer.clone()), &[op("a")]),
            Some(Forecast::Comes(Outcome::default()))
        );
        assert_eq!(forecast(Some(answer.clone()), &[op("b")]), None);
        assert_eq!(
            forecast(
                Some(HypotheticalAnswer {
                    ops: Vec::new(),
                    ..answer.clone()
                }),
                &[]
            ),
            None,
            "a range that is typed"
        );
        assert_eq!(forecast(None, &[op("a")]), None);
        let refused = HypotheticalAnswer {
            view: Err("no".into()),
            ..answer
        };
        assert_eq!(
            forecast(Some(refused), &[op("a")]),
            Some(Forecast::Refused("no".into()))
        );
    }
}
