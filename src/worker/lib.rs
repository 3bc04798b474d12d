//! The program of the page's workers: reads and indexes files, carries messages, and passes queries
//! to a [`host::Host`]. Only `browser` depends on web APIs; the rest is tested natively. Must not
//! know the page.

pub mod browser;
pub mod git_index;
pub mod indexing;
pub mod request_queue;
pub mod warm_up;
