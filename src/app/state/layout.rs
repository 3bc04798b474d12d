//! The arrangement of panels around the graph and of lanes in it. Does not affect catalog files.

use protocol::enum_with_text;
use protocol::request::LaneOptions;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::RangeInclusive;

enum_with_text! {
    /// Returns the name used in storage and in style sheets.
    pub fn name;
    pub const ALL;
    /// A panel around the center.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Pane {
        /// Catalogs and packages, on the left.
        Side = "side",
        Inspector = "inspector",
        /// Problems and history. When hidden it is one row high, so that the first problem is
        /// always visible.
        Below = "below",
    }
}

impl Pane {
    fn default_size(self) -> u32 {
        match self {
            Pane::Side => 244,
            Pane::Inspector => 320,
            Pane::Below => 240,
        }
    }

    /// Returns the possible sizes in pixels. In a small window the style sheet may make the panel
    /// smaller.
    pub fn size_range(self) -> RangeInclusive<u32> {
        match self {
            Pane::Side => 176..=560,
            Pane::Inspector => 240..=800,
            Pane::Below => 120..=1200,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelExtent {
    /// Size in pixels; `None` for the default size.
    pub size: Option<u32>,
    /// Stored layouts use the name `is_away`.
    #[serde(rename = "is_away")]
    pub is_hidden: bool,
}

/// The extents of all panels, in the order of [`Pane::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelLayout([PanelExtent; 3]);

impl Default for PanelLayout {
    fn default() -> Self {
        Self(Pane::ALL.map(|pane| PanelExtent {
            size: None,
            is_hidden: pane == Pane::Below,
        }))
    }
}

impl PanelLayout {
    pub fn extent(&self, pane: Pane) -> PanelExtent {
        self.0[pane as usize]
    }

    pub fn size(&self, pane: Pane) -> u32 {
        self.extent(pane).size.unwrap_or(pane.default_size())
    }

    pub fn is_hidden(&self, pane: Pane) -> bool {
        self.extent(pane).is_hidden
    }

    /// Resizes a panel and makes it visible.
    pub fn resize(&mut self, pane: Pane, size: u32) {
        let range = pane.size_range();
        self.0[pane as usize] = PanelExtent {
            size: Some(size.clamp(*range.start(), *range.end())),
            is_hidden: false,
        };
    }

    pub fn set_hidden(&mut self, pane: Pane, is_hidden: bool) {
        self.0[pane as usize].is_hidden = is_hidden;
    }

    /// Restores the initial layout.
    pub fn reset(&mut self, pane: Pane) {
        self.0[pane as usize] = PanelLayout::default().extent(pane);
    }

    /// Parses a stored layout, and limits its sizes. Returns the default layout if another version
    /// of the page wrote it.
    pub fn from_json(text: &str) -> Self {
        let mut layout: Self = serde_json::from_str(text).unwrap_or_default();
        for pane in Pane::ALL {
            let PanelExtent { size, is_hidden } = layout.extent(pane);
            if let Some(size) = size {
                layout.resize(pane, size);
                layout.set_hidden(pane, is_hidden);
            }
        }
        layout
    }

    pub fn to_json(self) -> String {
        // Cannot fail for numbers and booleans.
        serde_json::to_string(&self).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneArrangement {
    /// All channels in lane order, including hidden ones.
    pub channels: Vec<String>,
    pub hidden: Vec<String>,
}

enum_with_text! {
    pub fn label;
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LaneCommand {
        ToTop = "Lane to the top",
        Up = "Lane up",
        Down = "Lane down",
        /// Hidden lanes are restored by *Channels*.
        ToggleHidden = "Hide the lane",
    }
}

impl LaneCommand {
    pub fn shortcut(self) -> &'static str {
        match self {
            LaneCommand::ToTop => "Alt+Home",
            LaneCommand::Up => "Alt+↑",
            LaneCommand::Down => "Alt+↓",
            LaneCommand::ToggleHidden => "Alt+Delete",
        }
    }

    /// Returns the command of a key that is pressed together with Alt.
    pub fn from_key(key: &str) -> Option<LaneCommand> {
        Some(match key {
            "Home" => LaneCommand::ToTop,
            "ArrowUp" => LaneCommand::Up,
            "ArrowDown" => LaneCommand::Down,
            "Delete" => LaneCommand::ToggleHidden,
            _ => return None,
        })
    }
}

impl LaneArrangement {
    /// Returns the arrangement of a package with these channels in lane order.
    pub fn new(channels: &[String], options: &LaneOptions) -> Self {
        Self {
            channels: channels.to_vec(),
            hidden: options.hidden_channels.clone(),
        }
    }

    /// Returns the distinct channels in lane order.
    pub fn names(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let channels = self.channels.iter();
        channels
            .filter(|name| seen.insert(*name))
            .cloned()
            .collect()
    }

    pub fn is_hidden(&self, channel: &str) -> bool {
        self.hidden.iter().any(|name| name == channel)
    }

    /// Returns the arrangement after a command; unchanged if the channel is unknown.
    pub fn apply(mut self, command: LaneCommand, channel: &str) -> Self {
        let Some(index) = self.channels.iter().position(|name| name == channel) else {
            return self;
        };
        let last = self.channels.len() - 1;
        match command {
            LaneCommand::ToTop => self.channels[..=index].rotate_right(1),
            LaneCommand::Up => self.channels.swap(index, index.saturating_sub(1)),
            LaneCommand::Down => self.channels.swap(index, (index + 1).min(last)),
            LaneCommand::ToggleHidden => toggle(&mut self.hidden, channel.to_owned()),
        }
        self
    }

    /// Hides the channels whose name does not contain a text, ignoring case.
    pub fn filter_by_name(mut self, text: &str) -> Self {
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

pub fn toggle<T: PartialEq>(list: &mut Vec<T>, item: T) {
    match list.iter().position(|listed| *listed == item) {
        Some(index) => drop(list.remove(index)),
        None => list.push(item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let mut layout = PanelLayout::default();
        layout.resize(Pane::Side, 300);
        layout.set_hidden(Pane::Inspector, true);
        layout.resize(Pane::Below, 400);
        layout.set_hidden(Pane::Below, true);
        assert_eq!(PanelLayout::from_json(&layout.to_json()), layout);
    }

    #[test]
    fn problems_start_one_row_high_and_can_stay_open() {
        let mut layout = PanelLayout::default();
        assert!(layout.is_hidden(Pane::Below) && !layout.is_hidden(Pane::Side));
        layout.set_hidden(Pane::Below, false);
        assert_eq!(PanelLayout::from_json(&layout.to_json()), layout);
    }

    #[test]
    fn sizes_stay_within_bounds_even_when_restored() {
        let mut layout = PanelLayout::default();
        layout.resize(Pane::Side, 5);
        assert_eq!(layout.size(Pane::Side), 176);
        let stored = r#"[{"size":999999,"is_away":true},{"size":null,"is_away":false},{"size":1,"is_away":false}]"#;
        let read = PanelLayout::from_json(stored);
        assert_eq!((read.size(Pane::Side), read.size(Pane::Below)), (560, 120));
        assert!(read.is_hidden(Pane::Side) && !read.is_hidden(Pane::Below));
        assert_eq!(PanelLayout::from_json("side=300"), PanelLayout::default());
    }

    #[test]
    fn a_reset_panel_has_its_default_size() {
        let mut layout = PanelLayout::default();
        layout.resize(Pane::Side, 300);
        layout.resize(Pane::Below, 600);
        layout.reset(Pane::Side);
        layout.reset(Pane::Below);
        assert_eq!(layout, PanelLayout::default());
    }

    fn three_lanes() -> LaneArrangement {
        LaneArrangement {
            channels: ["a", "b", "c"].map(String::from).into(),
            ..LaneArrangement::default()
        }
    }

    #[test]
    fn lanes_move_and_stay_complete() {
        let order = |command, channel| three_lanes().apply(command, channel).channels.concat();
        assert_eq!(order(LaneCommand::ToTop, "c"), "cab");
        assert_eq!(order(LaneCommand::ToTop, "a"), "abc");
        assert_eq!(order(LaneCommand::Up, "b"), "bac");
        assert_eq!(order(LaneCommand::Up, "a"), "abc");
        assert_eq!(order(LaneCommand::Down, "b"), "acb");
        assert_eq!(order(LaneCommand::Down, "c"), "abc");
        assert_eq!(order(LaneCommand::Down, "gone"), "abc");
    }

    #[test]
    fn lanes_are_hidden_and_shown() {
        let hidden = three_lanes().apply(LaneCommand::ToggleHidden, "b");
        assert!(hidden.is_hidden("b") && !hidden.is_hidden("a"));
        assert_eq!(hidden.apply(LaneCommand::ToggleHidden, "b"), three_lanes());
        assert_eq!(three_lanes().filter_by_name(" B").hidden, ["a", "c"]);
        assert_eq!(three_lanes().filter_by_name("").hidden, [] as [&str; 0]);
    }
}
