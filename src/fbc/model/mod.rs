//! The facts of a catalog: packages, channels, entries, bundles, deprecations, and where each is written.
//!
//! Facts are made once, when a blob is indexed, and are shared from then on. They know their place and nothing of the
//! text, so that memory follows the graph and not the bytes.

pub mod blob;
pub mod package;

pub use blob::{
    Blob, Body, BundleBlob, ChannelBlob, DeprecationsBlob, Entry, Fault, FileIndex, OtherBlob, PackageBlob,
};
pub use package::{FileId, Located, Package};
