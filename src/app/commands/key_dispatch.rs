//! Maps key presses to commands, using the shortcuts in the command table.

use super::Command;

/// A key press as commands see it.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyPress<'a> {
    pub key: &'a str,
    /// Ctrl, or Cmd on a Mac.
    pub command: bool,
    pub shift: bool,
    pub alt: bool,
    /// The focus is in a text input.
    pub typing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    Palette,
    Run(Command),
}

/// The palette's displayed shortcut.
pub const PALETTE_KEYS: &str = "Ctrl+K";

/// Additional shortcuts.
const BESIDES: [(&str, KeyAction); 3] = [
    (PALETTE_KEYS, KeyAction::Palette),
    ("/", KeyAction::Palette),
    ("Ctrl+Y", KeyAction::Run(Command::Redo)),
];

/// All global shortcuts.
fn each() -> impl Iterator<Item = (&'static str, KeyAction)> {
    let own = Command::all().map(|command| (command.keys(), KeyAction::Run(command)));
    own.filter(|(keys, _)| !keys.is_empty()).chain(BESIDES)
}

/// The action of a key press. Single letters are commands only outside of text inputs and if
/// `letters` allows it.
pub fn key_action(press: KeyPress, letters: bool) -> Option<KeyAction> {
    let (keys, action) = each().find(|(keys, _)| is_pressed(keys, press))?;
    let applies = if keys.starts_with("Ctrl+") {
        // In a text field, undo belongs to the field.
        !press.typing || !matches!(action, KeyAction::Run(Command::Undo | Command::Redo))
    } else if is_function_key(press.key) {
        // Not a letter: it means the same in a text field.
        !press.alt
    } else {
        !press.typing && !press.alt && letters
    };
    applies.then_some(action)
}

fn is_pressed(keys: &str, press: KeyPress) -> bool {
    let (command, rest) = keys
        .strip_prefix("Ctrl+")
        .map_or((false, keys), |rest| (true, rest));
    let (shift, key) = rest
        .strip_prefix("Shift+")
        .map_or((false, rest), |rest| (true, rest));
    // `?` requires Shift on many keyboards.
    let is_sign = !command && key.chars().all(|sign| sign.is_ascii_punctuation());
    press.command == command
        && (is_sign || press.shift == shift)
        && press.key.eq_ignore_ascii_case(key)
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

    fn run(key: &str, command: bool, shift: bool) -> Option<KeyAction> {
        key_action(
            KeyPress {
                key,
                command,
                shift,
                ..KeyPress::default()
            },
            true,
        )
    }

    #[test]
    fn each_key_is_listed_once() {
        let mut seen = HashSet::new();
        let twice: Vec<&str> = each()
            .map(|(keys, _)| keys)
            .filter(|keys| !seen.insert(*keys))
            .collect();
        assert_eq!(twice, Vec::<&str>::new());
    }

    #[test]
    fn keys_run_their_command() {
        for (keys, action) in each() {
            let (command, rest) = keys
                .strip_prefix("Ctrl+")
                .map_or((false, keys), |rest| (true, rest));
            let (shift, key) = rest
                .strip_prefix("Shift+")
                .map_or((false, rest), |rest| (true, rest));
            assert_eq!(run(key, command, shift), Some(action), "{keys}");
            assert_eq!(
                run(&key.to_lowercase(), command, shift),
                Some(action),
                "{keys}, as it comes without capitals"
            );
        }
        assert_eq!(run("Z", true, true), Some(KeyAction::Run(Command::Redo)));
        assert_eq!(run("y", true, false), Some(KeyAction::Run(Command::Redo)));
        assert_eq!(run("k", true, false), Some(KeyAction::Palette));
        assert_eq!(run("?", false, true), Some(KeyAction::Run(Command::Keys)));
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
    fn keys_are_text_in_text_fields() {
        let typing = |key, command| {
            key_action(
                KeyPress {
                    key,
                    command,
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
                    key: "p",
                    ..KeyPress::default()
                },
                false
            ),
            None,
            "letters are turned off"
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
