//! Views that several features share: previews and consequences of edits, diffs, parts of problems,
//! pictures, notes on templates. Unlike a widget, a component knows catalogs and may use the app
//! context.

pub mod consequences;
pub mod deprecation_preview;
pub mod diff;
pub mod long_list;
pub mod part;
pub mod picture;
pub mod preview;
pub mod problem_parts;
pub mod range_matches;
pub mod templates;
