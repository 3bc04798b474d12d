//! The edit commands of the page: their fields, validation and suggestions, resulting operations,
//! and availability for a selection. Plain: views and typed text in, operations and sentences out;
//! no signals, browser or panels.

pub mod applicable;
pub mod bundle_form_values;
pub mod bundle_forms;
pub mod command;
pub mod deprecation_messages;
pub mod form_parts;
pub mod form_values;
#[cfg(test)]
mod form_values_tests;
pub mod half_typed;
pub mod kept_dialogs;
pub mod kept_forms;
pub mod other_catalogs;
pub mod promoted_skips;
pub mod removal_choices;
pub mod several_entries;
pub mod suggestions;
pub mod titles;
pub mod y_stream;
