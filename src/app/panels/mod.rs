//! The panels of the page. A panel draws what the desk holds and asks the desk to act; what it shows is worked out in
//! plain functions beside it.

pub mod below;
pub mod centre;
pub mod commands;
pub mod consequence;
pub mod diff;
pub mod drawers;
pub mod dropped;
pub mod forms;
pub mod frame;
pub mod graph;
pub mod header;
pub mod inputs;
pub mod inspector;
pub mod keys;
pub mod menus;
pub mod messages;
pub mod opened;
pub mod palette;
pub mod picked;
pub mod problems;
pub mod recent;
pub mod rendered;
pub mod review;
pub mod saving;
pub mod side;
pub mod source;
pub mod start;
pub mod status;
pub mod table;
pub mod tour;
pub mod trouble;
pub mod unfinished;
pub mod upgrade;
pub mod words;
