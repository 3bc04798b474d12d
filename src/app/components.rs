//! Views shared by features: previews and consequences of edits, diffs, positions, pictures, fixes.
//! Unlike a widget, a component knows catalogs and may use the app context. It does not know which
//! features use it.

pub mod consequences;
pub mod deprecation_preview;
pub mod diff;
pub mod preview;
pub mod problem_parts;
pub mod range_matches;
pub mod templates;
