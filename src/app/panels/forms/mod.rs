//! The forms of the edit commands: what they ask, what they mean, how they look.

mod also_in;
pub mod caught;
pub mod command;
pub mod console;
mod content;
pub mod dialog;
mod half_typed;
mod icon_field;
mod messages;
pub mod other_ways;
pub mod preview;
pub mod several;
pub mod step_title;
pub mod stream;
pub mod suggest;
mod ticks;
pub mod values;
#[cfg(test)]
mod values_tests;
