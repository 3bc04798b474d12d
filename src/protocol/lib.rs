//! Plain data that every world speaks: operations, diagnostics, and what page and worker say to each other. It has no
//! behavior but words and bytes, and knows none of those that speak it.
//!
//! Page and worker are of one build, so messages travel as postcard bytes without field names; nothing here may need a
//! self-describing format (no `flatten`, `untagged`, `skip`). What is tagged (operations, diagnostics) travels inside
//! [`json::Json`] as its JSON text. Every request has an id; every answer carries the id it answers and the revision of
//! the workspace it was made from, so that the page can drop what is stale.

pub mod diagnostic;
pub mod disk_check;
pub mod json;
pub mod lanes;
pub mod operation;
pub mod request;
pub mod response;
pub mod upgrades;
pub mod views;
pub mod wire;

pub use json::Json;
pub use request::{Request, RequestBody};
pub use response::{Response, ResponseBody};
