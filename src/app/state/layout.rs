//! The arrangement of panels and lanes, and ids of elements that commands focus. Plain data; does
//! not affect catalog files.

use protocol::request::LaneOptions;
use serde::{Deserialize, Serialize};

/// A panel around the center.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pane {
    /// Catalogs and packages, on the left.
    Side,
    Inspector,
    /// Problems and history. When hidden it is one row high, so that the first problem is always
    /// visible.
    Below,
}

impl Pane {
    pub const EACH: [Pane; 3] = [Pane::Side, Pane::Inspector, Pane::Below];

    /// Returns the name used in storage and in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Side => "side",
            Pane::Inspector => "inspector",
            Pane::Below => "below",
        }
    }

    /// Returns the smallest, default and largest size, in pixels. In a small window the panel gets
    /// less than requested: see the style sheet.
    pub fn bounds(self) -> [u32; 3] {
        match self {
            Pane::Side => [176, 244, 560],
            Pane::Inspector => [240, 320, 800],
            Pane::Below => [120, 240, 1200],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelExtent {
    /// Size in pixels; `None` for the default size.
    pub size: Option<u32>,
    pub is_away: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelLayout([PanelExtent; 3]);

impl Default for PanelLayout {
    fn default() -> Self {
        let usual = |pane| PanelExtent {
            size: None,
            is_away: pane == Pane::Below,
        };
        Self(Pane::EACH.map(usual))
    }
}

impl PanelLayout {
    pub fn extent(&self, pane: Pane) -> PanelExtent {
        self.0[pane as usize]
    }

    pub fn size(&self, pane: Pane) -> u32 {
        let [_, usual, _] = pane.bounds();
        self.extent(pane).size.unwrap_or(usual)
    }

    pub fn is_away(&self, pane: Pane) -> bool {
        self.extent(pane).is_away
    }

    /// Resizes a panel and makes it visible.
    pub fn resize(&mut self, pane: Pane, size: u32) {
        let [least, _, most] = pane.bounds();
        self.0[pane as usize] = PanelExtent {
            size: Some(size.clamp(least, most)),
            is_away: false,
        };
    }

    pub fn put_away(&mut self, pane: Pane, is_away: bool) {
        self.0[pane as usize].is_away = is_away;
    }

    /// Restores the initial layout.
    pub fn reset(&mut self, pane: Pane) {
        self.0[pane as usize] = PanelLayout::default().extent(pane);
    }

    /// Parses a stored layout; the default for one of another version of the page.
    pub fn read(text: &str) -> Self {
        let mut frame: Self = serde_json::from_str(text).unwrap_or_default();
        for pane in Pane::EACH {
            let PanelExtent { size, is_away } = frame.extent(pane);
            if let Some(size) = size {
                frame.resize(pane, size);
                frame.put_away(pane, is_away);
            }
        }
        frame
    }

    pub fn to_text(self) -> String {
        // Numbers and truth values: JSON can express all of them.
        serde_json::to_string(&self).unwrap_or_default()
    }
}

/// The arrangement of a package's lanes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneArrangement {
    /// All channels in lane order, including hidden ones.
    pub channels: Vec<String>,
    pub hidden: Vec<String>,
    pub collapsed: Vec<String>,
    /// Pinned channels, which precede all others.
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

/// All lane commands, each with its menu label, displayed shortcut, and keys with Alt.
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

    /// Returns the displayed shortcut.
    pub fn keys(self) -> &'static str {
        self.table_row().map_or("", |(_, _, keys, _)| keys)
    }

    /// Returns the command of a key with Alt.
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
    /// Returns the arrangement of a package with these channels in lane order.
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

    pub fn is_pinned(&self, channel: &str) -> bool {
        self.pinned.iter().any(|name| name == channel)
    }

    /// Returns the arrangement after a command. Unknown channels change nothing.
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

    /// Shows only channels whose name contains a text, ignoring case.
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

/// Id of the search box of the packages.
pub const SEARCH_PACKAGES: &str = "search-packages";
/// Id of the control for the baseline of a comparison.
pub const COMPARE_WITH: &str = "compare-with";

/// Returns the id of the inspector field with this label.
pub fn in_place_field(label: &str) -> String {
    format!("in-place-{}", label.to_lowercase().replace(' ', "-"))
}

/// Id of the heading above the package's dependents in the inspector.
pub const REQUIRED_BY: &str = "required-by";

/// Selector of the selected entry in the graph. It has no fixed id, since each graph numbers its
/// nodes.
pub const SELECTED_NODE: &str = ".graph-area .node.selected";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let mut frame = PanelLayout::default();
        frame.resize(Pane::Side, 300);
        frame.put_away(Pane::Inspector, true);
        frame.resize(Pane::Below, 400);
        frame.put_away(Pane::Below, true);
        assert_eq!(PanelLayout::read(&frame.to_text()), frame);
    }

    #[test]
    fn problems_begin_one_row_high_and_can_stay_open() {
        let mut frame = PanelLayout::default();
        assert!(frame.is_away(Pane::Below) && !frame.is_away(Pane::Side));
        frame.put_away(Pane::Below, false);
        assert_eq!(PanelLayout::read(&frame.to_text()), frame);
    }

    #[test]
    fn sizes_stay_within_bounds_also_when_read() {
        let mut frame = PanelLayout::default();
        frame.resize(Pane::Side, 5);
        assert_eq!(frame.size(Pane::Side), 176);
        let stored = r#"[{"size":999999,"is_away":true},{"size":null,"is_away":false},{"size":1,"is_away":false}]"#;
        let read = PanelLayout::read(stored);
        assert_eq!((read.size(Pane::Side), read.size(Pane::Below)), (560, 120));
        assert!(read.is_away(Pane::Side) && !read.is_away(Pane::Below));
        assert_eq!(PanelLayout::read("side=300"), PanelLayout::default());
    }

    #[test]
    fn a_reset_panel_has_its_initial_size() {
        let mut frame = PanelLayout::default();
        frame.resize(Pane::Side, 300);
        frame.resize(Pane::Below, 600);
        frame.reset(Pane::Side);
        frame.reset(Pane::Below);
        assert_eq!(frame, PanelLayout::default());
    }

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
        assert_eq!(
            some().after(LaneCommand::ToggleCollapsed, "a").collapsed,
            ["a"]
        );
    }
}
