//! Views shared by features: previews and consequences of edits, diffs, positions, pictures, fixes.
//! Unlike a widget, a component knows catalogs and may use the app context; it does not know its
//! users.

pub mod alternatives;
pub mod broken_invariants;
pub mod consequences;
pub mod deprecation_preview;
pub mod diff;
pub mod fix_button;
pub mod icon_image;
pub mod place_link;
pub mod preview;
pub mod range_matches;
pub mod template_bar;
pub mod template_note;
pub mod user_table;
