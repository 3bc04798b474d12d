//! Everything that is tested from outside the library, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod advice_corpus;
#[cfg(feature = "cli")]
mod ci_snippet;
#[cfg(feature = "cli")]
mod cli_advice;
mod cli_answers;
#[cfg(feature = "cli")]
mod cli_edit;
mod cli_edit_also_in;
#[cfg(feature = "cli")]
mod cli_edit_channels;
#[cfg(feature = "cli")]
mod cli_edit_package;
mod cli_edit_whole;
#[cfg(feature = "cli")]
mod cli_edit_words;
#[cfg(feature = "cli")]
mod cli_patches;
#[cfg(feature = "cli")]
mod cli_queries;
#[cfg(feature = "cli")]
mod cli_resolve;
#[cfg(feature = "cli")]
mod cli_support;
#[cfg(feature = "cli")]
mod cli_templates;
#[cfg(feature = "cli")]
mod cli_terminal;
mod cli_validate;
#[cfg(feature = "cli")]
mod cli_words;
#[cfg(feature = "cli")]
mod cli_write;
#[cfg(feature = "cli")]
mod cli_write_killed;
mod compare_corpus;
mod edit_copies;
mod edit_corpus;
mod edit_laws;
#[cfg(feature = "cli")]
mod exit_statuses;
#[cfg(feature = "cli")]
mod field_docs;
mod first_offers;
mod fixes;
mod graph_baselines;
mod graph_corpus;
mod icons;
mod improper_values;
#[path = "../laws/mod.rs"]
mod laws;
mod laws_hold;
mod lowering;
mod made_breaks;
mod packages_in_order;
mod parity;
mod passing;
mod patches;
mod scenarios;
mod shared;
mod tidy;
mod upgrade_oracle;
mod validate_oracle;
