//! Turns an operation into [`patch::Patch`]es, and these into text edits in the style of their
//! neighbours, which are verified before anything is written.
//!
//! - [`EditOp`](protocol::operation::EditOp): the user's intention; [`patch`]: the change of one
//!   blob; [`item_change`]: the change of list items that only the text distinguishes;
//!   [`text_edit`](catalog::source::text_edit): the change of a blob's bytes.
//! - [`verify::edit_blob`] turns patches into text edits; [`splice::blob`] adds and removes whole
//!   blobs.
//! - [`add_bundles`]: the operations that add rendered bundles to a catalog.
//! - [`concatenate`]: several files as one text.
//! - [`diff_values`]: the patches from one value of a blob to another.
//! - [`variants`]: alternatives for an operation that makes its package fail.
//! - [`patch::PatchRefusal`]: why a change was refused.

/// Creates a [`plan::Refused`] with a formatted reason.
#[macro_export]
macro_rules! refused {
    ($($reason:tt)*) => { $crate::plan::Refused::new(format!($($reason)*)) };
}

/// Returns a copy of an [`EditOp`](protocol::operation::EditOp) with another value in one field.
macro_rules! with_field {
    ($op:expr, $operation:ident { $field:ident: $value:expr }) => {{
        let mut op = $op.clone();
        if let EditOp::$operation { $field, .. } = &mut op {
            *$field = $value;
        }
        op
    }};
}

pub mod add_bundles;
mod batch;
pub mod command_line;
pub mod concatenate;
pub mod diff_values;
pub mod item_change;
pub mod patch;
pub mod plan;
pub mod range_pattern;
pub mod spelling;
pub mod splice;
pub mod text_context;
pub mod variants;
pub mod verify;

#[cfg(test)]
mod tests;
