//! May a new CustomResourceDefinition take the place of an old one? As OLM Classic and OLM v1 ask before an upgrade
//! (`olm-resolution` 4.3).
//!
//! Works on definitions as JSON. [`objections`] is what follows from two definitions alone; [`changes`] compares all of two
//! bundles, and tells what the objects of a cluster decide, which are judged where they are known. Knows nothing of
//! catalogs, files and places.

mod change;
mod go_schema;
mod objections;
mod properties;
mod schema;
#[cfg(test)]
mod tests;
mod validate_object;
mod version;

pub use change::{Change, ChangeKind, changes, definition_name, unmatched_objects};
pub use objections::objections;
