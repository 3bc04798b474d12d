//! Sizes and visibility of the workbench's panels. Plain data, stored as one line of text.

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

    /// The name used in storage and in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Side => "side",
            Pane::Inspector => "inspector",
            Pane::Below => "below",
        }
    }

    /// Smallest, default and largest size, in pixels. In a small window it gets less than requested: see the style
    /// sheet.
    pub fn bounds(self) -> [u32; 3] {
        match self {
            Pane::Side => [176, 244, 560],
            Pane::Inspector => [240, 320, 800],
            Pane::Below => [120, 240, 1200],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PanelExtent {
    /// In pixels; `None` for the default size.
    pub size: Option<u32>,
    pub is_away: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// `side=300 inspector=away below=280,away`; omits defaults.
    pub fn to_text(self) -> String {
        let usual = PanelLayout::default();
        let changed = Pane::EACH
            .into_iter()
            .filter(|pane| self.extent(*pane) != usual.extent(*pane));
        let parts: Vec<String> = changed
            .map(|pane| {
                let PanelExtent { size, is_away } = self.extent(pane);
                let size = size.map(|size| size.to_string());
                let word = if is_away { "away" } else { "there" };
                let values: Vec<String> = size.into_iter().chain([word.to_owned()]).collect();
                format!("{}={}", pane.name(), values.join(","))
            })
            .collect();
        parts.join(" ")
    }

    /// Parses the output of [`PanelLayout::to_text`]. Unreadable parts, for example from an older
    /// page, get their defaults.
    pub fn read(text: &str) -> Self {
        let mut frame = Self::default();
        for part in text.split_whitespace() {
            let Some((name, values)) = part.split_once('=') else {
                continue;
            };
            let Some(pane) = Pane::EACH.into_iter().find(|pane| pane.name() == name) else {
                continue;
            };
            for word in values.split(',') {
                match (word, word.parse::<u32>()) {
                    ("away", _) => frame.put_away(pane, true),
                    ("there", _) => frame.put_away(pane, false),
                    (_, Ok(size)) => frame.resize(pane, size),
                    _ => {}
                }
            }
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let mut frame = PanelLayout::default();
        assert_eq!(frame.to_text(), "");
        frame.resize(Pane::Side, 300);
        frame.put_away(Pane::Inspector, true);
        frame.resize(Pane::Below, 400);
        frame.put_away(Pane::Below, true);
        assert_eq!(
            frame.to_text(),
            "side=300,there inspector=away below=400,away"
        );
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
        let read = PanelLayout::read("side=999999 inspector=x,-4 unknown=3 below");
        assert_eq!(read.size(Pane::Side), 560);
        assert_eq!(read.size(Pane::Inspector), 320);
    }

    #[test]
    fn a_reset_panel_has_its_initial_size() {
        let mut frame = PanelLayout::read("side=300,away below=600,there");
        frame.reset(Pane::Side);
        frame.reset(Pane::Below);
        assert_eq!(frame, PanelLayout::default());
    }
}
