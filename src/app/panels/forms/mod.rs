//! The forms of the edit commands: what they ask, what they mean, how they look.

pub mod command;
pub mod dialog;
pub mod preview;
pub mod suggest;
pub mod values;
#[cfg(test)]
mod values_tests;
