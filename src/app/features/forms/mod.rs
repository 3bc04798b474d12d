//! The forms of the edit commands: what they ask, what they mean, how they look.

mod also_in;
pub mod dialog;
mod icon_field;
