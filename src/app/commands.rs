//! The table of all commands: label, shortcut, availability, action. Used by palette, shortcut
//! list, key handler, menus, buttons and tooltips. Edit commands have their own table in `edits`;
//! keys that work only in one panel or widget are not included.

use crate::browser::document::{self, FILE_INPUT};
use crate::context::{AppContext, Overlay, Theme, address, drops, navigation, saving, templates};
use crate::edits::applicable;
use crate::edits::command::EditCommand;
use crate::state::element_ids::{COMPARE_WITH, REQUIRED_BY, SEARCH_PACKAGES};
use crate::state::layout::Pane;
use crate::state::store::Tab;
use crate::widgets::buttons::IconButton;
use crate::widgets::dom;
use crate::widgets::icon::Icon;
use crate::widgets::label_match::{Mark, match_label};
use leptos::prelude::*;
use protocol::request::{Export, Target};

/// The rank of matches by search words: after all matches by label.
const SEARCH_WORD_RANK: u8 = 9;

/// The palette's displayed shortcut.
pub const PALETTE_KEYS: &str = "Ctrl+K";

/// Shortcuts beyond those in the command table.
const MORE_SHORTCUTS: [(&str, KeyAction); 3] = [
    (PALETTE_KEYS, KeyAction::Palette),
    ("/", KeyAction::Palette),
    ("Ctrl+Y", KeyAction::Run(Command::Redo)),
];

#[component]
pub fn CommandButton(
    app: AppContext,
    command: Command,
    icon: Icon,
    #[prop(optional)] quiet: bool,
    #[prop(optional, into)] disabled: Signal<bool>,
) -> impl IntoView {
    let (label, keys) = (command.label(), command.keys());
    view! { <IconButton label keys icon quiet disabled on_press=move |()| command.run(app)/> }
}

/// When the palette offers a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Availability {
    Always,
    /// Only while something is open.
    Open,
}

/// Defines the commands with columns: id, label, displayed shortcut ("" for none), availability,
/// action.
macro_rules! commands {
    ($($id:ident: $name:literal, $keys:literal, $availability:ident, $action:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            Edit(EditCommand),
            $($id),*
        }

        impl Command {
            /// All commands except edits.
            const NON_EDITS: &[Command] = &[$(Command::$id),*];

            pub const fn label(self) -> &'static str {
                match self {
                    Command::Edit(command) => command.label(),
                    $(Command::$id => $name),*
                }
            }

            /// Returns the displayed shortcut; "" if there is none.
            pub const fn keys(self) -> &'static str {
                match self {
                    Command::Edit(command) => command.key(),
                    $(Command::$id => $keys),*
                }
            }

            /// Returns the shortcut if it works now: single letters may be switched off.
            pub fn active_keys(self, app: AppContext) -> &'static str {
                self.keys_if(app.preferences.letter_keys.get())
            }

            /// Returns the shortcut; "" if it is a letter and letters are not `enabled`.
            pub fn keys_if(self, enabled: bool) -> &'static str {
                let keys = self.keys();
                if enabled || !Shortcut::parse(keys).is_letter() {
                    keys
                } else {
                    ""
                }
            }

            const fn availability(self) -> Availability {
                match self {
                    Command::Edit(_) => Availability::Open,
                    $(Command::$id => Availability::$availability),*
                }
            }

            pub fn run(self, app: AppContext) {
                let action: fn(AppContext) = match self {
                    Command::Edit(command) => return app.open_form(command),
                    $(Command::$id => $action),*
                };
                action(app);
            }
        }
    };
}

// In palette order.
commands! {
    Undo: "Undo", "Ctrl+Z", Open, |app| app.session.undo();
    Redo: "Redo", "Ctrl+Shift+Z", Open, |app| app.session.redo();
    Review: "Review and save", "", Open, |app| app.overlays.open(Overlay::Review);
    Save: "Save to disk", "Ctrl+S", Open, saving::save;
    SaveToFolder: "Save to a folder…", "", Open, saving::save_to_folder;
    DownloadChanged: "Download changed files", "", Open, |app| saving::download(app, Export::Changed);
    DownloadAll: "Download all files", "", Open, |app| saving::download(app, Export::All);
    DownloadPatch: "Download patch", "", Open, saving::download_patch;
    SaveSubset: "Save a part as…", "Shift+D", Open, saving::open_save_subset;
    TryOnCluster: "Try on a cluster…", "", Open, navigation::try_on_cluster;
    DownloadDockerfile: "Download Dockerfile", "", Open, saving::download_dockerfile;
    CopyCommands: "Copy as commands", "", Open, saving::copy_commands;
    Repository: "Show the repository", "5", Open, |app| app.repository.show();
    Graph: "Show graph", "1", Open, |app| app.store.tab.show(Tab::Graph);
    Table: "Show table", "2", Open, |app| app.store.tab.show(Tab::Table);
    UpgradeMap: "Show upgrade map", "3", Open, |app| app.store.tab.show(Tab::UpgradeMap);
    Compare: "Compare with…", "C", Open, open_comparison;
    CompareDisk: "Compare with what is on disk", "Shift+C", Open, navigation::compare_with_disk;
    Source: "Show source", "4", Open, |app| app.store.tab.show(Tab::Source);
    SourceOfSelected: "Show the selection in source", "U", Open, AppContext::show_source_of_selected;
    ShowRendered: "Show rendered catalog", "", Open, templates::show_rendered;
    RenderTargets: "Render to catalogs…", "", Open, |app| templates::open_render_targets(app, false);
    RenderAll: "Render all", "", Open, templates::render_all;
    AddTarget: "Add a version…", "", Open, |app| templates::open_render_targets(app, true);
    ConvertTemplate: "Convert template…", "", Open, templates::open_template_conversion;
    MakeTemplate: "Make a template…", "", Open, templates::open_template_creation;
    ShowTemplate: "Show template", "", Open, templates::show_template;
    SearchPackages: "Search packages", "Ctrl+/", Open, search_packages;
    Back: "Back", "Alt+←", Open, address::go_back;
    Forward: "Forward", "Alt+→", Open, address::go_forward;
    SelectParent: "Select what contains the selection", "Escape", Open, AppContext::select_parent;
    NextProblem: "Next problem", "F8", Open, |app| navigation::walk_problems(app, 1);
    PreviousProblem: "Previous problem", "Shift+F8", Open, |app| navigation::walk_problems(app, -1);
    Packages: "Show or hide packages", "L", Open, |app| toggle_pane(app, Pane::Side);
    Inspector: "Show or hide the inspector", "I", Open, |app| toggle_pane(app, Pane::Inspector);
    RequiredBy: "Show what requires this package", "", Open, show_dependents;
    Problems: "Enlarge or shrink the problems panel", "J", Open, |app| app.workbench.toggle_pane(Pane::Below);
    NextPanel: "Next panel", "F6", Open, |_| navigation::walk_panes(1);
    PreviousPanel: "Previous panel", "Shift+F6", Open, |_| navigation::walk_panes(-1);
    BundleFolder: "Add bundle from a folder…", "", Open, drops::open_folder;
    BundleFile: "Add bundle from a file…", "", Open, |_| document::open_input(FILE_INPUT);
    NewCatalog: "New catalog…", "", Always, drops::new_catalog;
    OpenFolder: "Open folder…", "", Always, drops::open_folder;
    OpenFiles: "Open files…", "", Always, |_| document::open_input(FILE_INPUT);
    Sample: "Try a sample", "", Always, drops::open_sample;
    Light: "Theme: light", "", Always, |app| app.preferences.set_theme(Theme::Light);
    Dark: "Theme: dark", "", Always, |app| app.preferences.set_theme(Theme::Dark);
    SystemTheme: "Theme: same as system", "", Always, |app| app.preferences.set_theme(Theme::System);
    FoldersAsCatalogs: "Treat a folder as one catalog…", "", Open, show_folder_notes;
    Help: "Keys and help", "?", Always, |app| app.overlays.open(Overlay::Help);
}

fn open_comparison(app: AppContext) {
    app.store.tab.show(Tab::Compare);
    dom::focus_id_later(COMPARE_WITH.to_owned());
}

/// Hides or shows a panel. Announces how to restore a hidden one: a letter meant for a text field
/// may have hidden it.
fn toggle_pane(app: AppContext, pane: Pane) {
    app.workbench.toggle_pane(pane);
    if !app.workbench.is_narrow()
        && app.preferences.letter_keys.get_untracked()
        && app
            .workbench
            .frame
            .with_untracked(|frame| frame.is_hidden(pane))
    {
        let note = match pane {
            Pane::Side => format!(
                "The packages are hidden: {} shows them again.",
                Command::Packages.keys()
            ),
            Pane::Inspector => format!(
                "The inspector is hidden: {} shows it again.",
                Command::Inspector.keys()
            ),

            Pane::Below => return,
        };
        app.notifications.toasts.note(note);
    }
}

fn search_packages(app: AppContext) {
    app.workbench.show_pane(Pane::Side);
    dom::focus_id_later(SEARCH_PACKAGES.to_owned());
}

fn show_folder_notes(app: AppContext) {
    app.preferences.folder_notes.set(true);
    app.workbench.show_pane(Pane::Side);
    dom::focus_first_later(".folder");
}

fn show_dependents(app: AppContext) {
    app.select(Target::Package);
    app.workbench.show_pane(Pane::Inspector);
    dom::focus_id_when_drawn(REQUIRED_BY);
}

impl Command {
    /// The menu *Catalog*: commands for the catalog in view, and for other catalogs.
    pub const CATALOG_MENU: [Command; 14] = [
        Command::SaveSubset,
        Command::NewCatalog,
        Command::Edit(EditCommand::AddPackage),
        Command::Edit(EditCommand::CopyPackage),
        Command::BundleFolder,
        Command::BundleFile,
        Command::Compare,
        Command::DownloadAll,
        Command::DownloadDockerfile,
        Command::TryOnCluster,
        Command::MakeTemplate,
        Command::FoldersAsCatalogs,
        Command::OpenFolder,
        Command::OpenFiles,
    ];

    /// Returns all commands in palette order.
    pub fn all() -> impl Iterator<Item = Command> {
        EditCommand::ALL
            .into_iter()
            .map(Command::Edit)
            .chain(Command::NON_EDITS.iter().copied())
    }

    /// Returns additional search words; "" if its label is enough.
    fn search_words(self) -> &'static str {
        match self {
            Command::Edit(command) => command.search_words(),
            Command::RequiredBy => "dependencies depends on required by requirements needs",
            Command::SaveSubset => "subset filter keep prune cut packages channels versions",
            Command::Help => "shortcuts keyboard legend how to begin",
            _ => "",
        }
    }

    /// Whether its label, search words and fields have all words of a text. Fields alone do not
    /// count: most edits have a package and a channel.
    fn has_words(self, text: &str) -> bool {
        let own = format!("{} {}", self.label(), self.search_words()).to_ascii_lowercase();
        let fields = match self {
            Command::Edit(command) => command.fields(),
            _ => &[],
        };
        let is_own = |word: &str| own.contains(word);
        let is_field = |word: &str| {
            fields
                .iter()
                .any(|field| field.label().to_ascii_lowercase().contains(word))
        };
        let text = text.to_ascii_lowercase();
        let mut words = text.split_whitespace();
        words.clone().any(is_own) && words.all(|word| is_own(word) || is_field(word))
    }

    /// Whether the command can run: it needs no open files, or some are open.
    pub fn is_available(self, is_open: bool) -> bool {
        is_open || self.availability() == Availability::Always
    }

    /// Whether the palette offers it: something is open if necessary, and an edit can do something
    /// in the package in view.
    pub fn is_offered(self, app: AppContext) -> bool {
        let is_open = self.is_available(app.current.is_open.get());
        match self {
            Command::Edit(EditCommand::CopyPackage) => {
                is_open && app.store.status.has_several_catalogs()
            }
            Command::Edit(command) => {
                is_open
                    && app
                        .current
                        .view
                        .with(|view| applicable::check_in_package(command, view).is_ok())
            }
            Command::Undo => is_open && app.store.status.can_undo(),
            Command::Redo => is_open && app.store.status.can_redo(),
            Command::Repository => is_open && app.store.status.repository_name().is_some(),
            Command::SaveSubset | Command::DownloadDockerfile | Command::MakeTemplate => {
                is_open && app.current.is_catalog()
            }
            Command::SaveToFolder => is_open && app.session.can_save_to_folder(),
            Command::ShowRendered => is_open && templates::template_to_render(app).is_some(),
            Command::RenderTargets
            | Command::RenderAll
            | Command::AddTarget
            | Command::ConvertTemplate => is_open && templates::template_to_write(app).is_some(),
            Command::FoldersAsCatalogs => {
                is_open
                    && !app.preferences.folder_notes.get()
                    && app
                        .store
                        .status
                        .with(|status| status.folders.iter().any(|row| !row.folder.is_empty()))
            }
            // Offered only among *More ways to save*.
            Command::CopyCommands => false,
            Command::TryOnCluster => is_open && navigation::can_try_on_cluster(app),
            Command::ShowTemplate => is_open && templates::template_in_view(app).is_some(),
            _ => is_open,
        }
    }
}

/// Returns the commands whose label matches the text, the best first, with the matching parts of the
/// label; then those whose label, search words and fields have all its words.
pub fn find_commands(
    text: &str,
    is_offered: impl Fn(Command) -> bool,
) -> Vec<(Command, Vec<Mark>)> {
    let text = text.trim().trim_end_matches('…');
    let matches = Command::all().filter_map(|command| {
        let by_label = match_label(command.label().trim_end_matches('…'), text)
            .map(|(quality, marks)| (quality as u8, marks));
        let by_words = || {
            command
                .has_words(text)
                .then(|| (SEARCH_WORD_RANK, Vec::new()))
        };
        let (rank, marks) = by_label.or_else(by_words)?;
        Some((rank, command, marks))
    });
    let mut offered: Vec<_> = matches
        .filter(|(_, command, _)| is_offered(*command))
        .collect();
    offered.sort_by_key(|(rank, _, _)| *rank);
    offered
        .into_iter()
        .map(|(_, command, marks)| (command, marks))
        .collect()
}

/// A key press, as far as commands need it.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyPress<'a> {
    pub key: &'a str,
    /// Ctrl, or Cmd on a Mac.
    pub ctrl: bool,
    pub shift: bool,
    pub alt: bool,
    /// The focus is in a text input.
    pub typing: bool,
}

#[derive(Debug, Clone, Copy)]
struct Shortcut<'a> {
    key: &'a str,
    ctrl: bool,
    shift: bool,
    alt: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    Palette,
    Run(Command),
}

fn global_shortcuts() -> impl Iterator<Item = (&'static str, KeyAction)> {
    Command::all()
        .map(|command| (command.keys(), KeyAction::Run(command)))
        .filter(|(keys, _)| !keys.is_empty())
        .chain(MORE_SHORTCUTS)
}

/// Returns the action of a key press. Single letters are commands only outside of text inputs, and
/// only if `letters_enabled`: they may be pressed by mistake.
pub fn key_action(press: KeyPress, letters_enabled: bool) -> Option<KeyAction> {
    let (shortcut, action) = global_shortcuts()
        .map(|(keys, action)| (Shortcut::parse(keys), action))
        .find(|(shortcut, _)| shortcut.is_pressed(press))?;
    let applies = if shortcut.ctrl {
        // In a text field, undo belongs to the field.
        !press.typing || !matches!(action, KeyAction::Run(Command::Undo | Command::Redo))
    } else if is_function_key(press.key) {
        // Not a letter: it means the same in a text field.
        !press.alt
    } else if shortcut.alt || shortcut.key == "Escape" {
        !press.typing
    } else {
        !press.typing && !press.alt && (letters_enabled || !shortcut.is_letter())
    };
    applies.then_some(action)
}

impl<'a> Shortcut<'a> {
    /// Parses a displayed shortcut, such as `Ctrl+Shift+Z`.
    fn parse(keys: &'a str) -> Self {
        let without_ctrl = keys.strip_prefix("Ctrl+");
        let unprefixed = without_ctrl.unwrap_or(keys);
        let without_shift = unprefixed.strip_prefix("Shift+");
        let unshifted = without_shift.unwrap_or(unprefixed);
        let without_alt = unshifted.strip_prefix("Alt+");
        Self {
            key: match without_alt.unwrap_or(unshifted) {
                "←" => "ArrowLeft",
                "→" => "ArrowRight",
                key => key,
            },
            ctrl: without_ctrl.is_some(),
            shift: without_shift.is_some(),
            alt: without_alt.is_some(),
        }
    }

    /// Whether it is a single letter, with or without Shift.
    fn is_letter(self) -> bool {
        let mut letters = self.key.chars();
        !self.ctrl && letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    }

    fn is_pressed(self, press: KeyPress) -> bool {
        // `?` requires Shift on many keyboards.
        let is_sign = !self.ctrl && self.key.chars().all(|sign| sign.is_ascii_punctuation());
        press.ctrl == self.ctrl
            && (is_sign || press.shift == self.shift)
            && (press.alt || !self.alt)
            && press.key.eq_ignore_ascii_case(self.key)
    }
}

fn is_function_key(key: &str) -> bool {
    key.strip_prefix('F')
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::command::EditCommand;
    use std::collections::HashSet;

    #[test]
    fn command_names_are_unique() {
        let names: HashSet<_> = Command::all().map(Command::label).collect();
        assert_eq!(names.len(), Command::all().count());
    }

    #[test]
    fn the_palette_finds_commands_by_words() {
        let best = |text| {
            find_commands(text, |_| true)
                .into_iter()
                .map(|(command, _)| command)
                .next()
        };
        assert_eq!(
            best("Promote bundle…"),
            Some(Command::Edit(EditCommand::Promote))
        );
        assert_eq!(best("skip add"), Some(Command::Edit(EditCommand::AddSkip)));
        let by_any = [
            "z-stream",
            "skip z",
            "skip a z-stream",
            "y-stream",
            "latest replaces",
        ];
        assert!(
            by_any
                .iter()
                .all(|text| best(text) == Some(Command::Edit(EditCommand::ReplaceStream)))
        );
        assert_eq!(
            best("change default channel"),
            Some(Command::Edit(EditCommand::SetDefaultChannel))
        );
        assert!(
            ["depend", "requires", "required by"]
                .iter()
                .all(|text| best(text) == Some(Command::RequiredBy))
        );
        assert_eq!(
            best("roll back"),
            Some(Command::Edit(EditCommand::Withdraw))
        );
        assert_eq!(
            best("deprecate channel"),
            Some(Command::Edit(EditCommand::Deprecate)),
            "by the label and a field"
        );
        assert_eq!(
            best("sdc"),
            Some(Command::Edit(EditCommand::SetDefaultChannel)),
            "by the first letters"
        );
        for word in ["subset", "filter", "keep", "prune"] {
            let found = find_commands(word, |_| true);
            assert!(
                found
                    .iter()
                    .any(|(command, _)| *command == Command::SaveSubset),
                "{word}"
            );
        }
        assert_eq!(find_commands("", |_| true).len(), Command::all().count());
    }

    #[test]
    fn without_a_workspace_offers_only_independent_commands() {
        let offered = |text| find_commands(text, |command| command.is_available(false));
        assert!(offered("promote").is_empty());
        assert!(offered("undo").is_empty());
        assert_eq!(
            offered("keys and").first().map(|(command, _)| *command),
            Some(Command::Help)
        );
        assert!(
            !Command::Packages.is_available(false),
            "no panel is hidden unseen"
        );
        assert!(Command::Packages.is_available(true) && Command::Help.is_available(false));
    }

    fn run(key: &str, ctrl: bool, shift: bool) -> Option<KeyAction> {
        key_action(
            KeyPress {
                key,
                ctrl,
                shift,
                ..KeyPress::default()
            },
            true,
        )
    }

    #[test]
    fn each_key_is_listed_once() {
        let mut seen = HashSet::new();
        let twice: Vec<&str> = global_shortcuts()
            .map(|(keys, _)| keys)
            .filter(|keys| !seen.insert(*keys))
            .collect();
        assert_eq!(twice, Vec::<&str>::new());
    }

    #[test]
    fn keys_run_their_command() {
        for (keys, action) in global_shortcuts() {
            let Shortcut {
                key,
                ctrl,
                shift,
                alt,
            } = Shortcut::parse(keys);
            let press = KeyPress {
                key,
                ctrl,
                shift,
                alt,
                typing: false,
            };
            assert_eq!(key_action(press, true), Some(action), "{keys}");
            let key = &press.key.to_lowercase();
            assert_eq!(
                key_action(KeyPress { key, ..press }, true),
                Some(action),
                "{keys}, as it comes without capitals"
            );
        }
        assert_eq!(run("Z", true, true), Some(KeyAction::Run(Command::Redo)));
        assert_eq!(run("y", true, false), Some(KeyAction::Run(Command::Redo)));
        assert_eq!(run("k", true, false), Some(KeyAction::Palette));
        assert_eq!(run("?", false, true), Some(KeyAction::Run(Command::Help)));
        assert_eq!(
            run("S", false, true),
            Some(KeyAction::Run(Command::Edit(EditCommand::RemoveSkip)))
        );
        assert_eq!(
            run("s", false, false),
            Some(KeyAction::Run(Command::Edit(EditCommand::AddSkip)))
        );
        assert_eq!(
            run("F8", false, true),
            Some(KeyAction::Run(Command::PreviousProblem))
        );
        assert_eq!(run("z", false, false), None);
        assert_eq!(run("p", true, false), None, "the browser's own");
    }

    #[test]
    fn without_letters_other_keys_still_run_commands() {
        let pressed = |key, ctrl| {
            let press = KeyPress {
                key,
                ctrl,
                ..KeyPress::default()
            };
            key_action(press, false)
        };
        assert_eq!(["p", "Q"].map(|key| pressed(key, false)), [None; 2]);
        assert_eq!(pressed("k", true), Some(KeyAction::Palette));
        for (key, command) in [
            ("?", Command::Help),
            ("2", Command::Table),
            ("F8", Command::NextProblem),
            ("Delete", Command::Edit(EditCommand::RemoveEntry)),
        ] {
            assert_eq!(pressed(key, false), Some(KeyAction::Run(command)));
        }
    }

    #[test]
    fn keys_are_text_in_text_fields() {
        let typing = |key, ctrl| {
            key_action(
                KeyPress {
                    key,
                    ctrl,
                    typing: true,
                    ..KeyPress::default()
                },
                true,
            )
        };
        assert_eq!(typing("p", false), None);
        assert_eq!(typing("z", true), None);
        assert_eq!(typing("k", true), Some(KeyAction::Palette));
        assert_eq!(
            typing("s", true),
            Some(KeyAction::Run(Command::Save)),
            "the browser would save the page"
        );
        assert_eq!(
            typing("F8", false),
            Some(KeyAction::Run(Command::NextProblem))
        );
        assert_eq!(
            key_action(
                KeyPress {
                    key: "F6",
                    alt: true,
                    ..KeyPress::default()
                },
                true
            ),
            None
        );
    }
}
