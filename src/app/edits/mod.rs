//! The edit commands of the page: what each asks, what may be typed and is suggested, which operations come of it, and which
//! may be offered for what is selected. Plain: views and typed text in, operations and sentences out; no signal, no browser,
//! no panel.

pub mod command;
pub mod content;
pub mod half_typed;
pub mod messages;
pub mod possible;
pub mod several;
pub mod step_title;
pub mod stream;
pub mod suggest;
pub mod ticks;
pub mod values;
#[cfg(test)]
mod values_tests;
