//! Where bytes come from. A file's bytes stay where they are; the host answers for them.

pub mod bytes;
pub mod piece;
