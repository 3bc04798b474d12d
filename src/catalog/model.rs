//! The facts of a catalog: packages, channels, entries, bundles, deprecations, and their positions.
//!
//! Facts are created once, when a blob is indexed ([`lower`]), and shared from then on. They
//! contain positions but no text, so memory grows with the graph rather than with the bytes.

pub mod blob;
mod bundle;
mod decode;
pub mod foreign;
mod json_scan;
mod known_mistakes;
pub mod load_rule;
pub mod lower;
mod lowering;
mod meta;
pub mod package;
pub mod picture;
pub mod pull_spec;
mod template;
#[cfg(test)]
mod tests;
mod view;

pub use blob::{
    Blob, Body, BundleBlob, ChannelBlob, Correction, DeprecationsBlob, Entry, Fault, FileIndex,
    KnownMistake, MisplacedDependencies, Mistakes, ObjectProblem, OddKey, OddKeyProblem, OtherBlob,
    PackageBlob, RelatedImageProblem, Rewrite, Semver, Substitutes, Substitution, Template,
    TemplateItem,
};
pub use bundle::{refused_property, related_image_label};
pub use meta::{gvk_fault, is_dns_label, is_dns_subdomain};
pub use package::{BlobLocation, FileId, Located, Package};
pub use view::Pool;
