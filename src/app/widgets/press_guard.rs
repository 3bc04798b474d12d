//! A press that is under way: what it asks for takes a while, and a second press of the same button is not to do it twice.
//! Knows nothing of what is asked for.

use leptos::prelude::*;

/// Lives as long as what owns it: a press is never under way in a thing that is gone.
#[derive(Clone, Copy)]
pub struct Press(StoredValue<bool>);

impl Press {
    pub fn new() -> Self {
        Self(StoredValue::new(false))
    }

    /// Takes a press; `false` while another one is under way, and where the owner is gone.
    pub fn begin(self) -> bool {
        self.0.try_update_value(|is| std::mem::replace(is, true)) == Some(false)
    }

    /// The next press is taken again.
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
