//! Changes: an operation in the domain's words becomes [`patch::Patch`]es, these become text edits in the neighbours'
//! spelling, which are verified before anything is written.
//!
//! - [`EditOp`](protocol::operation::EditOp): what a user means; [`patch`]: what that is in one blob;
//!   [`text_edit`](crate::source::text_edit): what that is in its bytes.
//! - [`items`]: which items of a list match, if only the text shows it.
//! - [`verify::edit_blob`] is the way from patches to text edits; [`splice::blob`] adds and removes whole blobs.
//! - [`add_bundles`]: the operations that bring rendered bundles into a catalog.
//! - [`concatenate`]: several files as one text.
//! - [`diff_values`]: the patches from one value of a blob to another.
//! - [`variants`]: alternatives for an operation that makes its package fail.
//! - [`refusal`]: why something was not done.

pub mod add_bundles;
mod batch;
pub mod command_line;
pub mod concatenate;
pub mod csv_edges;
pub mod diff_values;
mod expected_values;
pub mod items;
pub mod patch;
pub mod plan;
pub mod range_pattern;
pub mod refusal;
pub mod spelling;
pub mod splice;
pub mod text_context;
mod value_events;
pub mod variants;
pub mod verify;

#[cfg(test)]
mod tests;
