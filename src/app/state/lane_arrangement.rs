//! Visibility and order of lanes. Plain data; does not affect the file.

use protocol::request::LaneOptions;

/// The arrangement of a package's lanes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneArrangement {
    /// All channels in lane order, including hidden ones.
    pub channels: Vec<String>,
    pub hidden: Vec<String>,
    pub collapsed: Vec<String>,
    /// They precede all others.
    pub pinned: Vec<String>,
}

/// The user's choice for a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneCommand {
    ToTop,
    Up,
    Down,
    /// Hidden lanes are restored by *Channels*.
    ToggleHidden,
    ToggleCollapsed,
    TogglePinned,
}

/// Each command with its menu label, displayed shortcut, and keys with Alt.
const COMMANDS: [(LaneCommand, &str, &str, &[&str]); 6] = [
    (LaneCommand::ToTop, "Lane to the top", "Alt+Home", &["Home"]),
    (LaneCommand::Up, "Lane up", "Alt+↑", &["ArrowUp"]),
    (LaneCommand::Down, "Lane down", "Alt+↓", &["ArrowDown"]),
    (
        LaneCommand::ToggleHidden,
        "Hide the lane",
        "Alt+Delete",
        &["Delete"],
    ),
    (
        LaneCommand::ToggleCollapsed,
        "Collapse or expand the lane",
        "Alt+-",
        &["-"],
    ),
    // On a Mac, Alt with a letter types a symbol.
    (
        LaneCommand::TogglePinned,
        "Pin or unpin the lane",
        "Alt+P",
        &["p", "P", "π"],
    ),
];

impl LaneCommand {
    pub fn label(self) -> &'static str {
        self.table_row().map_or("", |(_, label, _, _)| label)
    }

    /// The displayed shortcut.
    pub fn keys(self) -> &'static str {
        self.table_row().map_or("", |(_, _, keys, _)| keys)
    }

    /// The command of a key with Alt.
    pub fn from_key(key: &str) -> Option<LaneCommand> {
        COMMANDS
            .into_iter()
            .find(|(_, _, _, keys)| keys.contains(&key))
            .map(|(command, ..)| command)
    }

    fn table_row(
        self,
    ) -> Option<(
        LaneCommand,
        &'static str,
        &'static str,
        &'static [&'static str],
    )> {
        COMMANDS.into_iter().find(|(command, ..)| *command == self)
    }
}

impl LaneArrangement {
    /// The arrangement of a package with these channels in lane order.
    pub fn new(channels: &[String], options: &LaneOptions) -> Self {
        let (hidden, collapsed) = (
            options.hidden_channels.clone(),
            options.collapsed_channels.clone(),
        );
        Self {
            channels: channels.to_vec(),
            hidden,
            collapsed,
            pinned: options.pinned_channels.clone(),
        }
    }

    pub fn is_hidden(&self, channel: &str) -> bool {
        self.hidden.iter().any(|name| name == channel)
    }

    /// `2 of 5`.
    pub fn place(&self, channel: &str) -> Option<String> {
        let at = self.channels.iter().position(|name| name == channel)?;
        Some(format!("{} of {}", at + 1, self.channels.len()))
    }

    pub fn is_collapsed(&self, channel: &str) -> bool {
        self.collapsed.iter().any(|name| name == channel)
    }

    pub fn is_pinned(&self, channel: &str) -> bool {
        self.pinned.iter().any(|name| name == channel)
    }

    /// The arrangement after a command. Unknown channels change nothing.
    pub fn after(mut self, what: LaneCommand, channel: &str) -> Self {
        let Some(at) = self.channels.iter().position(|name| name == channel) else {
            return self;
        };
        let last = self.channels.len() - 1;
        match what {
            LaneCommand::ToTop => self.channels[..=at].rotate_right(1),
            LaneCommand::Up => self.channels.swap(at, at.saturating_sub(1)),
            LaneCommand::Down => self.channels.swap(at, (at + 1).min(last)),
            LaneCommand::ToggleHidden => toggle(&mut self.hidden, channel),
            LaneCommand::ToggleCollapsed => toggle(&mut self.collapsed, channel),
            LaneCommand::TogglePinned => toggle(&mut self.pinned, channel),
        }
        let pinned = &self.pinned;
        self.channels.sort_by_key(|name| !pinned.contains(name));
        self
    }

    /// Only channels whose name contains a text, ignoring case.
    pub fn naming(mut self, text: &str) -> Self {
        let text = text.trim().to_lowercase();
        self.hidden = self
            .channels
            .iter()
            .filter(|name| !name.to_lowercase().contains(&text))
            .cloned()
            .collect();
        self
    }
}

fn toggle(list: &mut Vec<String>, name: &str) {
    match list.iter().position(|known| known == name) {
        Some(at) => drop(list.remove(at)),
        None => list.push(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{LaneArrangement, LaneCommand};

    fn some() -> LaneArrangement {
        LaneArrangement {
            channels: ["a", "b", "c"].map(String::from).into(),
            ..LaneArrangement::default()
        }
    }

    #[test]
    fn lanes_move_and_stay_complete() {
        let order = |what, channel| some().after(what, channel).channels.concat();
        assert_eq!(order(LaneCommand::ToTop, "c"), "cab");
        assert_eq!(order(LaneCommand::ToTop, "a"), "abc");
        assert_eq!(order(LaneCommand::Up, "b"), "bac");
        assert_eq!(order(LaneCommand::Up, "a"), "abc");
        assert_eq!(order(LaneCommand::Down, "b"), "acb");
        assert_eq!(order(LaneCommand::Down, "c"), "abc");
        assert_eq!(order(LaneCommand::Down, "gone"), "abc");
    }

    #[test]
    fn pinned_lanes_stay_first_after_any_move() {
        let pinned = some().after(LaneCommand::TogglePinned, "c");
        assert!(pinned.is_pinned("c") && !pinned.is_pinned("a"));
        assert_eq!(pinned.channels.concat(), "cab");
        assert_eq!(
            pinned
                .clone()
                .after(LaneCommand::ToTop, "b")
                .channels
                .concat(),
            "cba"
        );
        assert_eq!(
            pinned
                .clone()
                .after(LaneCommand::Down, "c")
                .channels
                .concat(),
            "cab"
        );
        assert_eq!(
            pinned
                .clone()
                .after(LaneCommand::TogglePinned, "b")
                .channels
                .concat(),
            "cba"
        );
        assert_eq!(
            pinned.after(LaneCommand::TogglePinned, "c"),
            LaneArrangement {
                channels: ["c", "a", "b"].map(String::from).into(),
                ..some()
            },
            "it stays where it was"
        );
    }

    #[test]
    fn lanes_are_hidden_and_shown() {
        let hidden = some().after(LaneCommand::ToggleHidden, "b");
        assert!(hidden.is_hidden("b") && !hidden.is_hidden("a"));
        assert_eq!(hidden.after(LaneCommand::ToggleHidden, "b"), some());
        assert_eq!(some().naming(" B").hidden, ["a", "c"]);
        assert_eq!(some().naming("").hidden, [] as [&str; 0]);
        assert_eq!(some().place("c").as_deref(), Some("3 of 3"));
        assert!(
            some()
                .after(LaneCommand::ToggleCollapsed, "a")
                .is_collapsed("a")
        );
    }
}
