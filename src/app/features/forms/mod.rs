//! The forms of the edit commands: their fields, operations and views.

mod also_in;
mod apply_foot;
mod apply_in_catalogs;
pub mod bundle_form;
mod bundle_sections;
pub mod confirm;
mod control;
mod deprecation_ways;
pub mod dialog;
mod form;
mod form_heads;
mod icon_field;
pub mod new_catalog;
mod packages_field;
mod text_file_field;
mod withdraw_head;
