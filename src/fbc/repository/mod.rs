//! An operator repository, such as `community-operators-prod`: where things lie in it, and what its release pipeline does.
//!
//! The rules are those of the pipeline's own code (redhat-openshift-ecosystem/operator-pipelines). [`layout`] is where things
//! lie, and [`place`] where they stand among opened paths; [`status`] says which catalogs are what their templates render to, and [`render`] renders them anew; [`check`] is what a
//! pull request is checked for; [`release`], [`promote`] and [`onboard`] are what the pipeline does with a bundle, with a new
//! OpenShift version and with an operator that has no file-based catalogs yet. Nothing here reads a disk: what is needed of a
//! repository is asked for through [`Files`], and only what is needed.

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
mod problem;
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
pub use finding::{Finding, Severity};
pub use problem::Problem;
pub use rendering::{RenderedCatalog, UNKNOWN_IMAGE_HELP};
