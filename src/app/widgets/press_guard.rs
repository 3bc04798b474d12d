//! Ignores a second press of a button while the action of the first one is running.

use leptos::prelude::*;

/// Lives as long as its owner.
#[derive(Clone, Copy)]
pub struct Press(StoredValue<bool>);

impl Press {
    pub fn new() -> Self {
        Self(StoredValue::new(false))
    }

    /// Accepts a press; `false` while another one is running, and if the owner is gone.
    pub fn begin(self) -> bool {
        self.0.try_update_value(|is| std::mem::replace(is, true)) == Some(false)
    }

    /// Accepts presses again.
    pub fn end(self) {
        self.0.try_set_value(false);
    }

    pub fn is_under_way(self) -> bool {
        self.0.try_get_value() == Some(true)
    }

    /// Whether the owner is gone.
    pub fn is_gone(self) -> bool {
        self.0.is_disposed()
    }
}

impl Default for Press {
    fn default() -> Self {
        Self::new()
    }
}
