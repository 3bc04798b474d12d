//! Where bytes come from, and how a text is changed. A file's bytes stay where they are; the host answers for them.

pub mod bytes;
pub mod piece;
pub mod text_edit;
