//! Everything that is tested from outside the library, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod advice_corpus;
mod ci_snippet;
mod cli_advice;
mod cli_answers;
mod cli_edit;
mod cli_edit_also_in;
mod cli_edit_channels;
mod cli_edit_package;
mod cli_edit_whole;
mod cli_edit_words;
mod cli_patches;
mod cli_queries;
mod cli_resolve;
mod cli_support;
mod cli_templates;
mod cli_templates_rendered;
mod cli_terminal;
mod cli_validate;
mod cli_words;
mod cli_write;
mod cli_write_killed;
mod compare_corpus;
mod edit_copies;
mod edit_corpus;
mod edit_laws;
mod exit_statuses;
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
mod layers;
mod lowering;
mod made_breaks;
mod packages_in_order;
mod parity;
mod passing;
mod patches;
mod scenarios;
mod shared;
mod template_oracle;
mod tidy;
mod upgrade_oracle;
mod validate_oracle;
mod walls;
