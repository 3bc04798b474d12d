//! Plain data that all parts share: operations, diagnostics, and the messages between page and worker. It has no
//! behavior beyond texts and encoding, and knows none of its users.
//!
//! Page and worker are of one build, so messages travel as postcard bytes without field names; nothing here may need a
//! self-describing format (no `flatten`, `untagged`, `skip`). What is tagged (operations, diagnostics) travels inside
//! [`json::Json`] as its JSON text. Every request has an id; every answer carries the id it answers and the revision of
//! the workspace it was made from, so that the page can drop what is stale.

pub mod bundles;
pub mod counting;
pub mod destination;
pub mod diagnostic;
pub mod disk_check;
pub mod inspection;
pub mod install;
pub mod json;
pub mod judgement;
pub mod lanes;
pub mod manifests;
pub mod operation;
pub mod query;
pub mod repository;
pub mod request;
pub mod response;
pub mod subset;
pub mod templates;
pub mod upgrades;
pub mod views;
pub mod wire;
pub mod words;

pub use json::Json;
pub use query::{Handle, HandleWithFiles, Query};
