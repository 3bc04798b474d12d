//! The forms of the edit commands: what they ask, what they mean, how they look.

pub mod command;
mod content;
pub mod dialog;
mod icon_field;
pub mod preview;
pub mod suggest;
pub mod values;
#[cfg(test)]
mod values_tests;
