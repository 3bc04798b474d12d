//! Every command of the page in one table: what it is called, which keys it has, when it is offered, what it does. The
//! palette, the sheet of keys, the key handler, menus, buttons and tooltips read it. Edit commands have their own table,
//! in `edits`; keys that belong to a place of the page and to no command are no part of this.

mod pressed;

pub use pressed::{PALETTE_KEYS, Press, Pressed, pressed};

use crate::browser::inputs::click_files;
use crate::desk::{Desk, Overlay, Theme};
use crate::edits::applicable;
use crate::edits::command::EditCommand;
use crate::state::frame::Pane;
use crate::state::places::{COMPARE_WITH, SEARCH_PACKAGES};
use crate::state::session::Tab;
use crate::widgets::dom;
use crate::widgets::palette::{Mark, fit};
use leptos::prelude::*;
use protocol::request::Export;

/// When the palette offers a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offered {
    Always,
    /// Something is open.
    Open,
}

/// Makes the commands of a table, whose columns are: id, name, keys as they are shown ("" for none), when it is offered,
/// what it does.
macro_rules! commands {
    ($($id:ident: $name:literal, $keys:literal, $offered:ident, $does:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            Edit(EditCommand),
            $($id),*
        }

        impl Command {
            /// All but the edits.
            const OWN: &[Command] = &[$(Command::$id),*];

            /// Its name everywhere.
            pub const fn label(self) -> &'static str {
                match self {
                    Command::Edit(command) => command.label(),
                    $(Command::$id => $name),*
                }
            }

            /// As shown; "" when it has none.
            pub const fn keys(self) -> &'static str {
                match self {
                    Command::Edit(command) => command.key(),
                    $(Command::$id => $keys),*
                }
            }

            const fn offered(self) -> Offered {
                match self {
                    Command::Edit(_) => Offered::Open,
                    $(Command::$id => Offered::$offered),*
                }
            }

            pub fn run(self, desk: Desk) {
                let does: fn(Desk) = match self {
                    Command::Edit(command) => return desk.open_form(command),
                    $(Command::$id => $does),*
                };
                does(desk);
            }
        }
    };
}

// In the order of the palette.
commands! {
    Undo: "Undo", "Ctrl+Z", Open, Desk::undo;
    Redo: "Redo", "Ctrl+Shift+Z", Open, Desk::redo;
    Review: "Review and save", "", Open, |desk| desk.over.lay(Overlay::Review);
    Save: "Save to disk", "Ctrl+S", Open, Desk::save;
    DownloadChanged: "Download changed files", "", Open, |desk| desk.download(Export::Changed);
    DownloadAll: "Download all files", "", Open, |desk| desk.download(Export::All);
    DownloadPatch: "Download patch", "", Open, |desk| desk.download(Export::Patch);
    CopyCommands: "Copy as commands", "", Open, Desk::copy_commands;
    Graph: "Show graph", "1", Open, |desk| desk.session.show_tab(Tab::Graph);
    Table: "Show table", "2", Open, |desk| desk.session.show_tab(Tab::Table);
    Everyone: "Show everyone's next step", "3", Open, |desk| desk.session.show_tab(Tab::Everyone);
    Compare: "Compare with…", "C", Open, compare;
    CompareDisk: "Compare with what is on disk", "Shift+C", Open, Desk::compare_with_disk;
    Source: "Show source", "4", Open, |desk| desk.session.show_tab(Tab::Source);
    SourceOfSelected: "Show the selected in source", "", Open, Desk::show_source_of_selected;
    EditAsText: "Edit as text", "", Open, Desk::edit_selected_as_text;
    SearchPackages: "Search packages", "Ctrl+/", Open, search_packages;
    NextProblem: "Next problem", "F8", Open, |desk| desk.walk_problems(1);
    PreviousProblem: "Previous problem", "Shift+F8", Open, |desk| desk.walk_problems(-1);
    OpenInTab: "Open in a new tab", "A", Open, Desk::branch_tab;
    OpenBeside: "Open beside", "V", Open, Desk::open_beside;
    CloseBeside: "Close the other graph", "Shift+V", Open, Desk::close_beside;
    CloseTab: "Close tab", "Shift+A", Open, Desk::close_current_tab;
    NextTab: "Next tab", "K", Open, |desk| desk.walk_tabs(1);
    PreviousTab: "Previous tab", "Shift+K", Open, |desk| desk.walk_tabs(-1);
    Packages: "Show or hide packages", "L", Open, |desk| desk.workbench.toggle_pane(Pane::Side);
    Inspector: "Show or hide the inspector", "I", Open, |desk| desk.workbench.toggle_pane(Pane::Inspector);
    Problems: "Problems larger or smaller", "J", Open, |desk| desk.workbench.toggle_pane(Pane::Below);
    Minimap: "Show or hide the minimap", "", Open, |desk| desk.workbench.toggle_minimap();
    NextPanel: "Next panel", "F6", Open, |desk| desk.walk_panes(1);
    PreviousPanel: "Previous panel", "Shift+F6", Open, |desk| desk.walk_panes(-1);
    OpenFolder: "Open folder…", "", Always, Desk::open_folder;
    OpenFiles: "Open files…", "", Always, |_| click_files();
    Sample: "Try a sample", "", Always, Desk::open_sample;
    Light: "Theme: light", "", Always, |desk| desk.looks.set_theme(Theme::Light);
    Dark: "Theme: dark", "", Always, |desk| desk.looks.set_theme(Theme::Dark);
    SystemTheme: "Theme: as the system", "", Always, |desk| desk.looks.set_theme(Theme::System);
    Messages: "Messages", "M", Always, |desk| desk.over.lay(Overlay::Messages);
    Tour: "Take the tour", "", Open, Desk::begin_tour;
    Keys: "Keys…", "?", Always, |desk| desk.over.lay(Overlay::Keys);
}

fn compare(desk: Desk) {
    desk.session.show_tab(Tab::Compare);
    dom::focus_id_later(COMPARE_WITH.to_owned());
}

fn search_packages(desk: Desk) {
    desk.workbench.show_pane(Pane::Side);
    dom::focus_id_later(SEARCH_PACKAGES.to_owned());
}

impl Command {
    /// All commands, in the order of the palette.
    pub fn all() -> impl Iterator<Item = Command> {
        EditCommand::ALL.into_iter().map(Command::Edit).chain(Command::OWN.iter().copied())
    }

    /// Whether the palette offers it: something is open where it needs that, and an edit has something to do in the
    /// package in view.
    pub fn is_offered(self, desk: Desk) -> bool {
        let is_open = self.offered() == Offered::Always || desk.shown.is_open.get();
        match self {
            Command::Edit(command) => {
                is_open && desk.shown.view.with(|view| applicable::in_package(command, view).is_ok())
            }
            _ => is_open,
        }
    }
}

/// Commands whose name fits the text, the best first, and what of each name was typed.
pub fn found(text: &str, is_offered: impl Fn(Command) -> bool) -> Vec<(Command, Vec<Mark>)> {
    let text = text.trim().trim_end_matches('…');
    let fitting = Command::all().filter_map(|command| {
        let (place, marks) = fit(command.label().trim_end_matches('…'), text)?;
        Some((place, command, marks))
    });
    let mut out: Vec<_> = fitting.filter(|(_, command, _)| is_offered(*command)).collect();
    out.sort_by_key(|(place, _, _)| *place);
    out.into_iter().map(|(_, command, marks)| (command, marks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_commands_share_a_name() {
        let names: HashSet<_> = Command::all().map(Command::label).collect();
        assert_eq!(names.len(), Command::all().count());
    }

    #[test]
    fn the_palette_finds_by_words() {
        let best = |text| found(text, |_| true).into_iter().map(|(command, _)| command).next();
        assert_eq!(best("Promote bundle…"), Some(Command::Edit(EditCommand::Promote)));
        assert_eq!(best("skip add"), Some(Command::Edit(EditCommand::AddSkip)));
        assert_eq!(best("sdc"), Some(Command::Edit(EditCommand::SetDefaultChannel)), "by the first letters");
        assert_eq!(found("", |_| true).len(), Command::all().count());
    }

    #[test]
    fn without_a_workspace_only_what_needs_none_is_offered() {
        let offered = |text| found(text, |command| command.offered() == Offered::Always);
        assert!(offered("promote").is_empty());
        assert!(offered("undo").is_empty());
        assert_eq!(offered("keys").first().map(|(command, _)| *command), Some(Command::Keys));
    }
}
