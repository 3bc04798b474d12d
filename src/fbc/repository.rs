//! An operator repository such as `community-operators-prod`: its layout, and the behaviour of its
//! release pipeline.
//!
//! The rules follow the pipeline's code (redhat-openshift-ecosystem/operator-pipelines). [`layout`]
//! defines paths, and [`place`] finds repositories among opened paths; [`status`] reports which
//! catalogs equal the rendering of their templates, and [`render`] renders them again; [`check`]
//! checks a pull request; [`release`], [`promote`] and [`onboard`] are the pipeline's processing of
//! a bundle, a new OpenShift version, and an operator without file-based catalogs. Nothing here
//! reads a disk: the code requests only the files it needs through [`Files`].

mod bundle_folder;
pub mod check;
mod ci;
mod document;
mod edit;
mod files;
mod finding;
pub mod layout;
pub mod onboard;
mod operator_catalogs;
pub mod place;
pub mod promote;
mod python;
pub mod release;
pub mod release_form;
pub mod render;
mod rendering;
pub mod rules;
mod schema;
pub mod status;
mod template_edit;
pub mod whole_catalog;

pub use edit::FileChange;
pub use files::{Entry, EntryKind, Files, ReadFailure};
pub use finding::{Finding, Problem, Severity};
pub use rendering::{RenderedCatalog, UNKNOWN_IMAGE_HELP};
