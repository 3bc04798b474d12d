//! Completions for a blob while the user types it, for the page and for editors.
//!
//! Reads lines, which need not parse. Must not know any catalog: the caller provides the names to
//! suggest.

pub mod cursor_context;
mod schema_keys;
pub mod suggestions;
