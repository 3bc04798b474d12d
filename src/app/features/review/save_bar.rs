//! The actions of *Review changes*: the most likely one is a button, the others are in its menu.

use crate::commands::Command;
use crate::context::AppContext;
use crate::widgets::button::{Button, Look};
use crate::widgets::icon::Icon;
use crate::widgets::menu::MenuItem;
use crate::widgets::menu_button::MenuButton;
use leptos::prelude::*;

/// All actions in menu order.
const WAYS: [Command; 6] = [
    Command::Save,
    Command::SaveToFolder,
    Command::DownloadPatch,
    Command::DownloadChanged,
    Command::DownloadAll,
    Command::CopyCommands,
];

/// Which actions are possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Possible {
    /// The page can write to the files' folder.
    in_place: bool,
    /// The files have no folder, but the browser can write to one.
    to_folder: bool,
    /// A file differs from the opened one, or this is unknown yet.
    is_changed: bool,
}

impl Possible {
    /// The most likely action: saving files in place.
    fn first(self) -> Command {
        match self {
            Possible { in_place: true, .. } => Command::Save,
            Possible {
                to_folder: true, ..
            } => Command::SaveToFolder,
            _ => Command::DownloadChanged,
        }
    }

    /// The other possible actions.
    fn others(self) -> Vec<Command> {
        let is_there = |way: &Command| match way {
            Command::Save => self.in_place,
            Command::SaveToFolder => self.to_folder,
            Command::DownloadAll => true,
            _ => self.is_changed,
        };
        WAYS.into_iter()
            .filter(|way| *way != self.first() && is_there(way))
            .collect()
    }
}

/// `tops`: number of opened folders. `unchanged`: no file is changed, as far as known. `cannot`:
/// nothing can be saved now.
#[component]
pub(super) fn SaveBar(
    app: AppContext,
    tops: usize,
    unchanged: Signal<Option<bool>>,
    cannot: Signal<bool>,
    #[prop(into)] hidden: Signal<bool>,
) -> impl IntoView {
    let possible = move || Possible {
        in_place: app.actions.cannot_save().is_none(),
        to_folder: app.actions.can_save_to_folder(),
        is_changed: unchanged.get_untracked() != Some(true),
    };
    let first = untrack(possible).first();
    let (disabled, icon) = match first {
        Command::Save => (cannot, None),
        Command::SaveToFolder => (Signal::stored(false), None),
        _ => (
            Signal::derive(move || unchanged.get() != Some(false)),
            Some(Icon::Download),
        ),
    };
    // Possible actions may change while the menu is open; it acts on what it shows.
    let commands = StoredValue::new(Vec::new());
    let items = move |()| {
        let item = |way: &Command| MenuItem::new(way.label(), way.keys());
        let others = possible().others();
        let items = others.iter().map(item).collect::<Vec<_>>();
        commands.set_value(others);
        items
    };
    let choose = move |index: usize| {
        if let Some(way) = commands.with_value(|commands| commands.get(index).copied()) {
            way.run(app);
        }
    };
    let is_new = untrack(|| {
        app.store.status.with(|status| {
            !status.roots.is_empty()
                && status
                    .roots
                    .iter()
                    .all(|row| app.new_catalogs.is_unsaved_new(&row.root))
        })
    });
    let paths = move || match app.store.repository_name() {
        None if is_new => "The zip and the patch hold the folder of the new catalog.",
        None if tops <= 1 => "The zip and the patch use paths relative to the folder you opened.",
        None => {
            "The zip and the patch use paths relative to the folder that holds the folders you opened."
        }
        Some(_) => "The patch uses paths from the repository’s root.",
    };
    // The page's messages are behind the dialog.
    let before = untrack(|| app.notifications.toasts.count());
    let news = move || {
        let toasts = app.notifications.toasts;
        (toasts.count() > before)
            .then(|| toasts.all().first().map(|message| message.in_words()))
            .flatten()
    };
    view! {
        <section class="dialog-foot" aria-label="Save" hidden=move || hidden.get()>
            <span class="dialog-note">{move || news().unwrap_or_else(|| paths().to_owned())}</span>
            <MenuButton label="More ways to save" items=Callback::new(items) on_choose=choose/>
            {match icon {
                Some(icon) => {
                    view! {
                        <Button label=first.label() look=Look::Primary icon=icon disabled on_press=move |()| first.run(app)/>
                    }
                        .into_any()
                }
                None => {
                    view! { <Button label=first.label() look=Look::Primary disabled on_press=move |()| first.run(app)/> }
                        .into_any()
                }
            }}
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_back_where_they_were_if_the_browser_can() {
        let of = |in_place, to_folder| Possible {
            in_place,
            to_folder,
            is_changed: true,
        };
        assert_eq!(of(true, false).first(), Command::Save);
        assert_eq!(of(false, true).first(), Command::SaveToFolder);
        assert_eq!(of(false, false).first(), Command::DownloadChanged);
        use Command::{CopyCommands, DownloadAll, DownloadChanged, DownloadPatch};
        assert_eq!(
            of(true, false).others(),
            [DownloadPatch, DownloadChanged, DownloadAll, CopyCommands]
        );
        assert_eq!(
            of(false, false).others(),
            [DownloadPatch, DownloadAll, CopyCommands]
        );
    }

    #[test]
    fn where_nothing_is_changed_only_the_whole_is_left() {
        let possible = Possible {
            in_place: true,
            to_folder: false,
            is_changed: false,
        };
        assert_eq!(possible.others(), [Command::DownloadAll]);
    }
}
