//! The panels of the page, one folder each. A panel draws what the desk holds and asks the desk to act; what it shows is
//! worked out in plain functions beside it.

pub mod forms;
pub mod words;
