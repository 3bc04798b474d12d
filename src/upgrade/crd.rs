//! Decides whether a new CustomResourceDefinition may replace an old one, as OLM Classic and OLM v1
//! do before an upgrade (`olm-resolution` 4.3).
//!
//! Works on definitions as JSON. [`objections`] needs only the two definitions; [`changes`]
//! compares all definitions of two bundles and validates the known objects of the cluster. Knows no
//! catalogs, files or source positions.

mod change;
mod go_schema;
mod objections;
#[cfg(test)]
mod tests;
mod validate_object;
mod versions;

pub use change::{Change, ChangeKind, changes, definition_name, unmatched_objects};
pub use objections::objections;
