//! What to select after an edit adds an entry or removes the selection, or after undo restores it.

use super::{SessionStore, Tab};
use leptos::prelude::*;
use protocol::request::Target;
use protocol::response::PackageView;

/// The package in view and the selection in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selected {
    pub(super) root: String,
    pub(super) package: String,
    pub(super) target: Option<Target>,
}

/// A selection that an edit removed, and the one that replaced it. Undo returns to the former,
/// unless the user has selected something else.
#[derive(Debug, Clone)]
pub(super) struct LostSelection {
    lost: Selected,
    instead: Option<Selected>,
}

/// Returns the selection after an edit: the target, if it still exists, or else the nearest one.
/// `None` is the package.
fn nearest(before: &PackageView, now: &PackageView, target: &Target) -> Option<Target> {
    match target {
        Target::Package | Target::Problem { .. } => None,
        Target::Channel { channel } => channel_now(before, now, channel),
        Target::Entry { channel, name } => {
            let channel_target = channel_now(before, now, channel)?;
            let Target::Channel { channel: current } = &channel_target else {
                return None;
            };
            let was_listed = is_listed(before, channel, name);
            let remains = |name: &str| {
                let mut rows = now.table.iter();
                rows.any(|row| {
                    row.channel == *current
                        && row.entry == name
                        && (!row.is_absent() || !was_listed)
                })
            };
            // The table starts with the newest entry: the next one is above.
            let mut names: Vec<&str> = names_in(before, channel).collect();
            names.reverse();
            let entry = neighbour(&names, name, remains);
            let entry = entry.map(|name| Target::Entry {
                channel: current.clone(),
                name: name.to_owned(),
            });
            entry.or(Some(channel_target))
        }
        Target::Bundle { name } => {
            let remains = |name: &str| {
                now.bundles.iter().any(|(bundle, _)| bundle == name)
                    || now.table.iter().any(|row| row.entry == name)
            };
            let mut names: Vec<&str> = before.bundles.iter().map(|(name, _)| &**name).collect();
            names.reverse();
            neighbour(&names, name, remains).map(|name| Target::Bundle {
                name: name.to_owned(),
            })
        }
    }
}

/// Returns the entry of the bundle that an edit added to channels, in the first of them; `None` if
/// it added none, or several bundles.
fn added_entry(before: &PackageView, now: &PackageView) -> Option<Target> {
    let mut added = now.table.iter().filter(|row| {
        let is_new = !is_listed(before, &row.channel, &row.entry);
        is_new && !row.is_absent() && before.channels.contains(&row.channel)
    });
    let first = added.next()?;
    added
        .all(|row| row.entry == first.entry)
        .then(|| Target::Entry {
            channel: first.channel.clone(),
            name: first.entry.clone(),
        })
}

/// Returns the channel, or its new name; `None` if it was removed.
fn channel_now(before: &PackageView, now: &PackageView, channel: &str) -> Option<Target> {
    let has = |view: &PackageView, name: &str| view.channels.iter().any(|known| known == name);
    let name = if has(now, channel) {
        channel
    } else {
        let mut added = now.channels.iter().filter(|name| !has(before, name));
        added
            .next()
            .filter(|_| added.next().is_none() && now.channels.len() == before.channels.len())?
    };
    Some(Target::Channel {
        channel: name.to_owned(),
    })
}

/// Returns the name itself if it remains, or else the next one that does, or else the previous one.
fn neighbour<'n>(
    names: &[&'n str],
    name: &'n str,
    remains: impl Fn(&str) -> bool,
) -> Option<&'n str> {
    if remains(name) {
        return Some(name);
    }
    let index = names.iter().position(|known| *known == name)?;
    let (earlier, later) = names.split_at(index);
    let mut nearest = later.iter().chain(earlier.iter().rev());
    nearest.find(|name| remains(name)).copied()
}

fn names_in<'v>(view: &'v PackageView, channel: &str) -> impl Iterator<Item = &'v str> {
    let rows = view.table.iter().filter(move |row| row.channel == channel);
    rows.map(|row| row.entry.as_str())
}

fn is_listed(view: &PackageView, channel: &str, name: &str) -> bool {
    let row = view.row(channel, name);
    row.is_some_and(|row| !row.is_absent())
}

impl SessionStore {
    pub(super) fn selected(self) -> Option<Selected> {
        Some(Selected {
            root: self.root.get_untracked(),
            package: self.package.get_untracked()?,
            target: self.selection.get_untracked(),
        })
    }

    /// Remembers a selection that was lost, and what is selected instead.
    pub(super) fn note_lost(self, lost: Option<Selected>) {
        let instead = self.selected();
        if let Some(lost) = lost {
            self.lost
                .update_value(|all| all.push(LostSelection { lost, instead }));
        }
    }

    /// Takes the selection that was lost last, if it is back and its replacement still selected.
    fn take_lost(self, is_back: impl Fn(&Selected) -> bool) -> Option<Selected> {
        let selected = self.selected();
        self.lost.try_update_value(|all| {
            let is_wanted = all
                .last()
                .is_some_and(|last| last.instead == selected && is_back(&last.lost));
            is_wanted.then(|| all.pop()).flatten().map(|last| last.lost)
        })?
    }

    /// Shows a removed package that undo returned. Returns whether there is one.
    pub(super) async fn show_returned_package(self) -> bool {
        let returned = self.take_lost(|lost| {
            let is_other = self.package.get_untracked().as_ref() != Some(&lost.package);
            is_other
                && self.root.get_untracked() == lost.root
                && self
                    .packages
                    .with_untracked(|rows| rows.iter().any(|row| row.name == lost.package))
        });
        let Some(Selected {
            package, target, ..
        }) = returned
        else {
            return false;
        };
        self.show_package(package).await;
        if target.is_some() {
            self.select(target).await;
        }
        true
    }

    /// Selects the added entry or the nearest remaining item after an edit of the package in view,
    /// or what undo returned. `before` is its view before the edit. Returns whether the view must
    /// be fetched again.
    pub(super) fn settle_selection(self, before: Option<&PackageView>, is_undo: bool) -> bool {
        let (Some(selected), Some(now)) = (self.selected(), self.view.get_untracked()) else {
            return false;
        };
        let Some(before) =
            before.filter(|view| view.root == now.root && view.package == now.package)
        else {
            return false;
        };
        let settle = |target: Option<&Target>| nearest(before, &now, target?);
        let is_back = |lost: &Selected| {
            let is_here = lost.root == selected.root && lost.package == selected.package;
            is_here && settle(lost.target.as_ref()) == lost.target
        };
        if let Some(Selected { target, .. }) = self.take_lost(is_back) {
            return self.set_selection(target);
        }
        // Typing a name in the source tab adds an entry with every letter.
        let selects_added = !is_undo && self.tab.get_untracked() != Tab::Source;
        let added = selects_added.then(|| added_entry(before, &now)).flatten();
        let settled = settle(selected.target.as_ref());
        if settled == selected.target {
            return added.is_some() && self.set_selection(added);
        }
        let needs_view = self.set_selection(added.or(settled));
        self.note_lost(Some(selected));
        needs_view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::{EntryState, TableRow};

    /// Returns a view of channels with their entries, newest first; `-` marks an absent one.
    fn view(channels: &[(&str, &[&str])]) -> PackageView {
        let row = |channel: &str, entry: &str| TableRow {
            channel: channel.into(),
            entry: entry.trim_start_matches('-').into(),
            states: entry
                .starts_with('-')
                .then_some(EntryState::Absent)
                .into_iter()
                .collect(),
            ..TableRow::default()
        };
        let rows = channels
            .iter()
            .flat_map(|(channel, entries)| entries.iter().map(|entry| row(channel, entry)));
        let table: Vec<TableRow> = rows.collect();
        PackageView {
            channels: channels.iter().map(|(name, _)| (*name).into()).collect(),
            bundles: table
                .iter()
                .filter(|row| !row.is_absent())
                .map(|row| (row.entry.clone(), String::new()))
                .collect(),
            table,
            ..PackageView::default()
        }
    }

    fn entry(channel: &str, name: &str) -> Target {
        Target::Entry {
            channel: channel.into(),
            name: name.into(),
        }
    }

    fn channel(name: &str) -> Target {
        Target::Channel {
            channel: name.into(),
        }
    }

    #[test]
    fn the_next_entry_is_selected_or_else_the_previous_one() {
        let before = view(&[("stable", &["v3", "v2", "v1"])]);
        let after = |entries, name| {
            nearest(
                &before,
                &view(&[("stable", entries)]),
                &entry("stable", name),
            )
        };
        assert_eq!(after(&["v3", "v1"], "v2"), Some(entry("stable", "v3")));
        assert_eq!(after(&["v2", "v1"], "v3"), Some(entry("stable", "v2")));
        assert_eq!(after(&["v1"], "v2"), Some(entry("stable", "v1")));
        assert_eq!(after(&["v3", "v2"], "v2"), Some(entry("stable", "v2")));
        assert_eq!(
            after(&["v3", "-v2", "v1"], "v2"),
            Some(entry("stable", "v3")),
            "only an edge names it now"
        );
        assert_eq!(after(&[], "v2"), Some(channel("stable")));
    }

    #[test]
    fn without_its_channel_the_package_is_selected_unless_the_channel_was_renamed() {
        let before = view(&[("fast", &["v2"]), ("stable", &["v2", "v1"])]);
        let removed = view(&[("fast", &["v2"])]);
        assert_eq!(nearest(&before, &removed, &entry("stable", "v1")), None);
        assert_eq!(nearest(&before, &removed, &channel("stable")), None);
        let renamed = view(&[("fast", &["v2"]), ("slow", &["v2", "v1"])]);
        assert_eq!(
            nearest(&before, &renamed, &entry("stable", "v1")),
            Some(entry("slow", "v1"))
        );
        assert_eq!(
            nearest(&before, &renamed, &channel("stable")),
            Some(channel("slow"))
        );
    }

    #[test]
    fn the_added_entry_is_selected() {
        let before = view(&[("fast", &["v2", "v1"]), ("stable", &["-v2", "v1"])]);
        let added = |channels| added_entry(&before, &view(channels));
        assert_eq!(
            added(&[
                ("fast", &["v3", "v2", "v1"]),
                ("stable", &["v3", "-v2", "v1"])
            ]),
            Some(entry("fast", "v3"))
        );
        assert_eq!(
            added(&[("fast", &["v2", "v1"]), ("stable", &["v2", "v1"])]),
            Some(entry("stable", "v2")),
            "an edge named it already"
        );
        assert_eq!(
            added(&[("fast", &["v4", "v3", "v1"]), ("stable", &["-v3", "v1"])]),
            None,
            "several"
        );
        assert_eq!(added(&[("fast", &["v1"]), ("new", &["v1"])]), None);
    }

    #[test]
    fn the_next_bundle_is_selected() {
        let bundle = |name: &str| Target::Bundle { name: name.into() };
        let before = view(&[("stable", &["v3", "v2", "v1"])]);
        let now = view(&[("stable", &["v3", "v1"])]);
        assert_eq!(nearest(&before, &now, &bundle("v2")), Some(bundle("v3")));
        assert_eq!(nearest(&before, &now, &bundle("v1")), Some(bundle("v1")));
        assert_eq!(nearest(&before, &view(&[]), &bundle("v1")), None);
    }
}
