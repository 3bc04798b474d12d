//! The forms of the edit commands: what they ask, what they mean, how they look.

mod also_in;
pub mod caught;
pub mod console;
pub mod dialog;
mod icon_field;
pub mod other_ways;
pub mod preview;
