//! Changes: an [`op::EditOp`] in the domain's words becomes text edits in the neighbours' spelling, which are verified
//! before anything is written.

pub mod op;
pub mod text_edit;
