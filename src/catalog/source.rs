//! Reading of bytes and changes of text. The host keeps a file's bytes and reads them on request.

pub mod bytes;
pub mod digest;
pub mod piece;
pub mod text_edit;
