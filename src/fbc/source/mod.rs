//! Where bytes come from, and how a text is changed. A file's bytes stay with the host, which is asked for them.

pub mod bytes;
pub mod digest;
pub mod piece;
pub mod text_edit;
