//! Facts of catalogs: their files ([`roots`], [`ignore`], [`archive`]), the content of the files
//! ([`index`], [`model`], [`version`]), the assembled [`Catalog`], its upgrade [`graph`] and the
//! graph's layout.
//!
//! Text is kept as pieces of the original bytes ([`source`]). Must not know rules, edits or upgrade
//! decisions.

pub mod archive;
pub mod diff;
pub mod graph;
pub mod ignore;
pub mod index;
pub mod model;
mod root;
pub mod roots;
pub mod source;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod version;

pub use root::{
    Catalog, CatalogFile, Content, FirstLoadFaults, LoadFault, OmittedLoadFaults, TreeEntry,
    walk_order,
};
