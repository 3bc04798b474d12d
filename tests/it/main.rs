//! Everything that is tested from outside the library, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod advice_corpus;
#[cfg(feature = "cli")]
mod ci_snippet;
#[cfg(feature = "cli")]
mod cli_advice;
#[cfg(feature = "cli")]
mod cli_edit;
mod cli_edit_also_in;
#[cfg(feature = "cli")]
mod cli_edit_channels;
#[cfg(feature = "cli")]
mod cli_edit_package;
#[cfg(feature = "cli")]
mod cli_queries;
#[cfg(feature = "cli")]
mod cli_resolve;
#[cfg(feature = "cli")]
mod cli_support;
#[cfg(feature = "cli")]
mod cli_templates;
mod cli_validate;
#[cfg(feature = "cli")]
mod cli_write;
mod compare_corpus;
mod edit_copies;
mod edit_corpus;
mod edit_laws;
mod fixes;
mod graph_baselines;
mod graph_corpus;
#[path = "../laws/mod.rs"]
mod laws;
mod laws_hold;
mod lowering;
mod parity;
mod scenarios;
mod shared;
mod tidy;
mod upgrade_oracle;
mod validate_oracle;
