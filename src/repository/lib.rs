//! An operator repository such as `community-operators-prod`: its layout, and the behaviour of its
//! release pipeline.
//!
//! The rules follow the pipeline's code (redhat-openshift-ecosystem/operator-pipelines). [`layout`]
//! defines paths and finds repositories among opened ones; [`render`] reports which catalogs equal
//! the rendering of their templates, and renders them again; [`check`] checks a pull request;
//! [`release`], [`promote`] and [`onboard`] are the pipeline's processing of a bundle, a new
//! OpenShift version, and an operator without file-based catalogs. Nothing here reads a disk: the
//! code requests only the files it needs through [`Files`].

pub mod check;
mod document;
mod file_change;
pub mod layout;
pub mod onboard;
mod operator;
pub mod promote;
pub mod release;
pub mod release_form;
pub mod render;
pub mod rules;
mod schema;
pub mod whole_catalog;

pub use file_change::FileChange;
pub use layout::{Entry, EntryKind, Files, ReadFailure};
pub use render::{RenderedCatalog, UNKNOWN_IMAGE_HELP};
pub use rules::{Finding, Problem};
