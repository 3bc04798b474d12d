//! *Source*: the file at the selected thing, as text that can be edited. What is typed becomes a step of the history as an
//! edit by a form does; problems stand where they are; keys and names are offered and explained. Lines around the caret
//! are here, the others come when they are looked at, so that a file of any size opens at once.

mod follow_caret;
mod line_text;
mod repository_completions;
mod source_panel;
mod source_view;

pub use source_view::Source;
