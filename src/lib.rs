//! Switchyard: a lossless editor for the file-based catalogs of the Operator Lifecycle Manager.
//!
//! The worlds, in reading order: [`fbc`] is the library (pure), [`protocol`] is what page and worker say to each other,
//! `worker` hosts a workspace, `app` draws the page, `cli` is the command line. Who may import whom is checked by
//! `tests/it/tidy.rs` and told in `ARCHITECTURE.md`.

pub mod fbc;
pub mod protocol;

#[cfg(feature = "web")]
pub mod app;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(any(feature = "cli", feature = "web"))]
pub mod worker;
