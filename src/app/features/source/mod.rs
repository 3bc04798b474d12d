//! *Source*: the file at the selection as editable text. Typing creates history steps like forms
//! do; problems are marked in place; keys and names are completed and explained. Only lines around
//! the caret are loaded, others when scrolled to, so that files of any size open at once.

mod follow_caret;
mod line_text;
mod repository_completions;
mod source_panel;
mod source_view;

pub use source_view::Source;
