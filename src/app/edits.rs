//! The edit commands of the page: their fields, validation and suggestions, resulting operations,
//! and availability for a selection. Turns views and typed text into operations and sentences;
//! knows no signals, browser or panels.

pub mod applicable;
pub mod bundle_form_values;
pub mod bundle_forms;
pub mod command;
pub mod drafts;
pub mod entry_choices;
pub mod form_values;
pub mod hints;
pub mod operations;
#[cfg(test)]
mod operations_tests;
pub mod other_catalogs;
pub mod prefill;
pub mod suggestions;
pub mod titles;
