//! Every command of the page as data: what it is called, which keys it has, what it does. The palette, the sheet of keys
//! and the key handler read the same list.

use crate::browser::inputs::{click_files, click_folder};
use crate::desk::{Desk, Overlay, Theme};
use crate::edits::command::EditCommand;
use crate::state::frame::Pane;
use crate::state::places::{COMPARE_WITH, SEARCH_PACKAGES};
use crate::state::session::Tab as Centre;
use crate::widgets::palette::{Mark, fit};
use protocol::request::Export;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    Edit(EditCommand),
    Undo,
    Redo,
    Review,
    Save,
    DownloadChanged,
    DownloadAll,
    DownloadPatch,
    CopyCommands,
    Graph,
    Table,
    Everyone,
    Compare,
    CompareDisk,
    Source,
    SourceOfSelected,
    EditAsText,
    SearchPackages,
    NextProblem,
    PreviousProblem,
    OpenInTab,
    OpenBeside,
    CloseBeside,
    CloseTab,
    NextTab,
    PreviousTab,
    Packages,
    Inspector,
    Problems,
    Minimap,
    NextPanel,
    PreviousPanel,
    OpenFolder,
    OpenFiles,
    Sample,
    Light,
    Dark,
    SystemTheme,
    Messages,
    Tour,
    Keys,
}

impl Command {
    /// All commands, in the order of the palette.
    pub fn all() -> Vec<Command> {
        use Command::*;
        let mut all: Vec<Command> = EditCommand::ALL.into_iter().map(Edit).collect();
        all.extend([
            Undo,
            Redo,
            Review,
            Save,
            DownloadChanged,
            DownloadAll,
            DownloadPatch,
            CopyCommands,
            Graph,
            Table,
            Everyone,
            Compare,
            CompareDisk,
            Source,
            SourceOfSelected,
            EditAsText,
            SearchPackages,
            NextProblem,
            PreviousProblem,
            OpenInTab,
            OpenBeside,
            CloseBeside,
            CloseTab,
            NextTab,
            PreviousTab,
            Packages,
            Inspector,
            Problems,
            Minimap,
            NextPanel,
            PreviousPanel,
            OpenFolder,
            OpenFiles,
            Sample,
            Light,
            Dark,
            SystemTheme,
            Messages,
            Tour,
            Keys,
        ]);
        all
    }

    pub fn label(self) -> &'static str {
        match self {
            Command::Edit(command) => command.label(),
            Command::Undo => "Undo",
            Command::Redo => "Redo",
            Command::Review => "Review and save",
            Command::Save => "Save to disk",
            Command::DownloadChanged => "Download changed files",
            Command::DownloadAll => "Download all files",
            Command::DownloadPatch => "Download patch",
            Command::CopyCommands => "Copy as commands",
            Command::Graph => "Show graph",
            Command::Table => "Show table",
            Command::Everyone => "Show everyone's next step",
            Command::Compare => "Compare with…",
            Command::CompareDisk => "Compare with what is on disk",
            Command::Source => "Show source",
            Command::SourceOfSelected => "Show the selected in source",
            Command::EditAsText => "Edit as text",
            Command::SearchPackages => "Search packages",
            Command::NextProblem => "Next problem",
            Command::PreviousProblem => "Previous problem",
            Command::OpenInTab => "Open in a new tab",
            Command::OpenBeside => "Open beside",
            Command::CloseBeside => "Close the other graph",
            Command::CloseTab => "Close tab",
            Command::NextTab => "Next tab",
            Command::PreviousTab => "Previous tab",
            Command::Packages => "Show or hide packages",
            Command::Inspector => "Show or hide the inspector",
            Command::Problems => "Problems larger or smaller",
            Command::Minimap => "Show or hide the minimap",
            Command::NextPanel => "Next panel",
            Command::PreviousPanel => "Previous panel",
            Command::OpenFolder => "Open folder…",
            Command::OpenFiles => "Open files…",
            Command::Sample => "Try a sample",
            Command::Light => "Theme: light",
            Command::Dark => "Theme: dark",
            Command::SystemTheme => "Theme: as the system",
            Command::Messages => "Messages",
            Command::Tour => "Take the tour",
            Command::Keys => "Keys…",
        }
    }

    /// As shown; "" when it has none.
    pub const fn keys(self) -> &'static str {
        match self {
            Command::Edit(command) => command.key(),
            Command::Undo => "Ctrl+Z",
            Command::Redo => "Ctrl+Shift+Z",
            Command::Save => "Ctrl+S",
            Command::Graph => "1",
            Command::Table => "2",
            Command::Everyone => "3",
            Command::Source => "4",
            Command::Compare => "C",
            Command::CompareDisk => "Shift+C",
            Command::SearchPackages => "Ctrl+/",
            Command::NextProblem => "F8",
            Command::PreviousProblem => "Shift+F8",
            Command::OpenInTab => "A",
            Command::OpenBeside => "V",
            Command::CloseBeside => "Shift+V",
            Command::CloseTab => "Shift+A",
            Command::NextTab => "K",
            Command::PreviousTab => "Shift+K",
            Command::Packages => "L",
            Command::Inspector => "I",
            Command::Problems => "J",
            Command::NextPanel => "F6",
            Command::PreviousPanel => "Shift+F6",
            Command::Messages => "M",
            Command::Keys => "?",
            _ => "",
        }
    }

    pub fn run(self, desk: Desk) {
        match self {
            Command::Edit(command) => desk.open_form(command),
            Command::Undo => desk.undo(),
            Command::Redo => desk.redo(),
            Command::Review => desk.overlay.set_to(Some(Overlay::Review)),
            Command::Save => desk.save(),
            Command::DownloadChanged => desk.download(Export::Changed),
            Command::DownloadAll => desk.download(Export::All),
            Command::DownloadPatch => desk.download(Export::Patch),
            Command::CopyCommands => desk.copy_commands(),
            Command::Graph => desk.session.show_tab(Centre::Graph),
            Command::Table => desk.session.show_tab(Centre::Table),
            Command::Everyone => desk.session.show_tab(Centre::Everyone),
            Command::Compare => {
                desk.session.show_tab(Centre::Compare);
                crate::widgets::dom::focus_id_later(COMPARE_WITH.to_owned());
            }
            Command::CompareDisk => desk.compare_with_disk(),
            Command::Source => desk.session.show_tab(Centre::Source),
            Command::SourceOfSelected => desk.show_source_of_selected(),
            Command::EditAsText => desk.edit_selected_as_text(),
            Command::SearchPackages => {
                desk.show_pane(Pane::Side);
                crate::widgets::dom::focus_id_later(SEARCH_PACKAGES.to_owned())
            }
            Command::NextProblem => desk.walk_problems(1),
            Command::PreviousProblem => desk.walk_problems(-1),
            Command::OpenInTab => desk.branch_tab(),
            Command::OpenBeside => desk.open_beside(),
            Command::CloseBeside => desk.close_beside(),
            Command::CloseTab => desk.close_current_tab(),
            Command::NextTab => desk.walk_tabs(1),
            Command::PreviousTab => desk.walk_tabs(-1),
            Command::Packages => desk.toggle_pane(Pane::Side),
            Command::Inspector => desk.toggle_pane(Pane::Inspector),
            Command::Problems => desk.toggle_pane(Pane::Below),
            Command::Minimap => desk.toggle_minimap(),
            Command::NextPanel => desk.walk_panes(1),
            Command::PreviousPanel => desk.walk_panes(-1),
            Command::OpenFolder => {
                if !desk.pick_folder() {
                    click_folder();
                }
            }
            Command::OpenFiles => click_files(),
            Command::Sample => desk.open_sample(),
            Command::Light => desk.set_theme(Theme::Light),
            Command::Dark => desk.set_theme(Theme::Dark),
            Command::SystemTheme => desk.set_theme(Theme::System),
            Command::Messages => desk.overlay.set_to(Some(Overlay::Messages)),
            Command::Tour => desk.begin_tour(),
            Command::Keys => desk.overlay.set_to(Some(Overlay::Keys)),
        }
    }
}

trait SetTo<T> {
    fn set_to(self, value: T);
}

impl<T: Send + Sync + 'static> SetTo<T> for leptos::prelude::RwSignal<T> {
    fn set_to(self, value: T) {
        use leptos::prelude::Set;
        self.set(value);
    }
}

/// A key press, as far as commands care.
#[derive(Debug, Clone, Copy, Default)]
pub struct Press<'a> {
    pub key: &'a str,
    /// Ctrl, or Cmd on a Mac.
    pub command: bool,
    pub shift: bool,
    pub alt: bool,
    /// The focus is where letters are text.
    pub typing: bool,
}

/// What a key press asks for. Letters alone are commands only where nothing is typed and `letters` allows it.
pub fn pressed(press: Press, letters: bool) -> Option<Pressed> {
    let lower = press.key.to_lowercase();
    if press.command {
        return match (lower.as_str(), press.shift) {
            ("k", false) => Some(Pressed::Palette),
            ("/", false) => Some(Pressed::Run(Command::SearchPackages)),
            ("s", false) => Some(Pressed::Run(Command::Save)),
            // In a text field, undo is the field's.
            ("z", false) if !press.typing => Some(Pressed::Run(Command::Undo)),
            ("z", true) | ("y", false) if !press.typing => Some(Pressed::Run(Command::Redo)),
            _ => None,
        };
    }
    // No letter: it means the same in a text field.
    if press.key == "F8" && !press.alt {
        return Some(Pressed::Run(if press.shift { Command::PreviousProblem } else { Command::NextProblem }));
    }
    if press.key == "F6" && !press.alt {
        return Some(Pressed::Run(if press.shift { Command::PreviousPanel } else { Command::NextPanel }));
    }
    if press.typing || press.alt || !letters {
        return None;
    }
    // The shift key is part of what `?` is on many keyboards.
    match press.key {
        "?" => return Some(Pressed::Run(Command::Keys)),
        "/" => return Some(Pressed::Palette),
        _ => {}
    }
    let typed = if press.shift { format!("shift+{lower}") } else { lower };
    Command::all()
        .into_iter()
        .filter(|command| {
            matches!(
                command,
                Command::Edit(_)
                    | Command::Graph
                    | Command::Table
                    | Command::Everyone
                    | Command::Compare
                    | Command::CompareDisk
                    | Command::Source
                    | Command::OpenInTab
                    | Command::OpenBeside
                    | Command::CloseBeside
                    | Command::CloseTab
                    | Command::NextTab
                    | Command::PreviousTab
                    | Command::Messages
                    | Command::Packages
                    | Command::Inspector
                    | Command::Problems
            )
        })
        .find(|command| command.keys().to_lowercase() == typed)
        .map(Pressed::Run)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    Palette,
    Run(Command),
}

/// Commands whose name fits the text, the best first, and what of each name was typed.
pub fn found(text: &str, is_open: bool) -> Vec<(Command, Vec<Mark>)> {
    let text = text.trim().trim_end_matches('…');
    let offered = Command::all().into_iter().filter(|command| is_open || !needs_workspace(*command));
    let fitting = offered.filter_map(|command| {
        let label = command.label();
        let (place, marks) = fit(label.trim_end_matches('…'), text)?;
        Some((place, command, marks))
    });
    let mut out: Vec<_> = fitting.collect();
    out.sort_by_key(|(place, _, _)| *place);
    out.into_iter().map(|(_, command, marks)| (command, marks)).collect()
}

fn needs_workspace(command: Command) -> bool {
    !matches!(
        command,
        Command::OpenFolder
            | Command::OpenFiles
            | Command::Sample
            | Command::Light
            | Command::Dark
            | Command::SystemTheme
            | Command::Messages
            | Command::Keys
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn run(key: &str, command: bool, shift: bool) -> Option<Pressed> {
        pressed(Press { key, command, shift, ..Press::default() }, true)
    }

    #[test]
    fn no_two_commands_share_a_name_or_keys() {
        let all = Command::all();
        let names: HashSet<_> = all.iter().map(|command| command.label()).collect();
        assert_eq!(names.len(), all.len());
        let keys: Vec<_> = all.iter().map(|command| command.keys()).filter(|keys| !keys.is_empty()).collect();
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
    }

    #[test]
    fn keys_run_what_they_say() {
        assert_eq!(run("z", true, false), Some(Pressed::Run(Command::Undo)));
        assert_eq!(run("Z", true, true), Some(Pressed::Run(Command::Redo)));
        assert_eq!(run("k", true, false), Some(Pressed::Palette));
        assert_eq!(run("/", false, false), Some(Pressed::Palette));
        assert_eq!(run("/", true, false), Some(Pressed::Run(Command::SearchPackages)));
        assert_eq!(run("?", false, true), Some(Pressed::Run(Command::Keys)));
        assert_eq!(run("S", false, true), Some(Pressed::Run(Command::Edit(EditCommand::RemoveSkip))));
        assert_eq!(run("s", false, false), Some(Pressed::Run(Command::Edit(EditCommand::AddSkip))));
        assert_eq!(run("2", false, false), Some(Pressed::Run(Command::Table)));
        assert_eq!(run("C", false, true), Some(Pressed::Run(Command::CompareDisk)));
        assert_eq!(run("F8", false, true), Some(Pressed::Run(Command::PreviousProblem)));
        assert_eq!(run("q", false, false), None);
        for command in EditCommand::ALL {
            let (shift, key) = command.key().strip_prefix("Shift+").map_or((false, command.key()), |key| (true, key));
            assert_eq!(run(key, false, shift), Some(Pressed::Run(Command::Edit(command))), "{command:?}");
        }
    }

    #[test]
    fn what_is_typed_is_text() {
        let typing = |key, command| pressed(Press { key, command, typing: true, ..Press::default() }, true);
        assert_eq!(typing("p", false), None);
        assert_eq!(typing("z", true), None);
        assert_eq!(typing("k", true), Some(Pressed::Palette));
        assert_eq!(typing("s", true), Some(Pressed::Run(Command::Save)), "the browser would save the page");
        assert_eq!(typing("F8", false), Some(Pressed::Run(Command::NextProblem)));
        assert_eq!(pressed(Press { key: "p", ..Press::default() }, false), None, "letters are turned off");
    }

    #[test]
    fn the_palette_finds_by_words() {
        let best = |text| found(text, true).into_iter().map(|(command, _)| command).next();
        assert_eq!(best("Promote bundle…"), Some(Command::Edit(EditCommand::Promote)));
        assert_eq!(best("skip add"), Some(Command::Edit(EditCommand::AddSkip)));
        assert_eq!(best("sdc"), Some(Command::Edit(EditCommand::SetDefaultChannel)), "by the first letters");
        assert!(found("promote", false).is_empty(), "nothing is open");
        assert_eq!(found("", true).len(), Command::all().len());
    }
}
