//! Packages for tests of the graph.

pub(crate) use crate::testing::{
    any_versioned_package as any_package, deprecate, entry, package_of_entries as assemble,
    versioned_package as package,
};
