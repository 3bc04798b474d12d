//! Equal texts of a file are kept once: names, kinds and versions repeat from channel to channel and bundle to bundle.

use crate::fbc::place::Text;
use std::collections::HashSet;

/// The texts of one file.
#[derive(Debug, Default)]
pub struct Pool {
    texts: HashSet<Text>,
}

impl Pool {
    pub fn text(&mut self, text: &str) -> Text {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let text = Text::from(text);
        self.texts.insert(text.clone());
        text
    }
}
