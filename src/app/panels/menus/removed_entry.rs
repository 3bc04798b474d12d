//! The menu of a removed but still drawn object: what it was, and how to restore it. No other
//! actions are possible.

use super::{MenuContents, item};
use crate::commands::Command;
use crate::context::AppContext;
use crate::widgets::menu::MenuItem;
use crate::words;
use leptos::prelude::*;
use protocol::upgrades::{ComparedKind, EntryChange};
use protocol::views::{EntryRef, Status};

/// `of` with the name "" is the channel.
pub(super) fn menu(app: AppContext, of: &EntryRef) -> MenuContents {
    let is_compared = untrack(|| app.store.is_compared());
    let compared = app
        .comparison
        .package
        .with_untracked(|found| found.as_ref().map(|found| title(of, &found.entries)));
    let unsaved = || {
        app.comparison
            .unsaved
            .with_untracked(|found| found.as_ref().map(|found| title(of, &found.entries)))
    };
    let title = compared.or_else(unsaved).unwrap_or_else(|| title(of, &[]));
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

fn title(of: &EntryRef, changes: &[EntryChange]) -> String {
    if of.name.is_empty() {
        let gone = changes
            .iter()
            .filter(|change| change.channel == of.channel && change.kind == ComparedKind::Removed);
        let entries = words::count(gone.count() as u32, "entry");
        return format!("Channel {}, removed with {entries}", of.channel);
    }
    let change = changes
        .iter()
        .find(|change| (&change.channel, &change.name) == (&of.channel, &of.name));
    let was = change.map_or("removed".to_owned(), |change| {
        change.detail.replace('`', "")
    });
    format!("{} in {}, {was}", of.name, of.channel)
}

/// Commands that restore it, with the step that they undo or redo.
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
    // Undone after a save: restored by redo.
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
        let of = |name: &str| EntryRef {
            channel: "stable".into(),
            name: name.into(),
        };
        assert_eq!(
            title(&of("a"), &changes),
            "a in stable, removed: replaced b"
        );
        assert_eq!(
            title(&of(""), &changes),
            "Channel stable, removed with 2 entries"
        );
        assert_eq!(title(&of("c"), &changes), "c in stable, removed");

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
