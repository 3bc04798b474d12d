//! The program without a user interface: a session that answers requests. [`host`] is pure and tested natively;
//! `browser` reads files and carries messages. Must not know the page.

pub use catalog::archive;

pub mod browser;
mod dropped;
mod export;
pub mod git_index;
pub mod host;
pub mod indexing;
pub mod lanes;
pub mod repository;
pub mod request_queue;
mod views;
pub mod warm_up;
