//! What can stand at a place of a blob while it is typed, for the page and for editors.
//!
//! Reads lines as they are typed, which need not parse, and knows no catalog: the names that may be offered are given to it.

pub mod cursor_context;
mod cursor_context_json;
mod schema_keys;
pub mod suggestions;
