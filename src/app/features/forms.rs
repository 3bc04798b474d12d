//! The forms of the edit commands: their fields, operations and views.

mod also_in;
pub mod apply;
pub mod bundle_form;
mod control;
pub mod dialog;
mod form;
pub mod new_catalog;
mod withdraw_head;
