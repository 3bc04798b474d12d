//! The panels of the page: what stands around the features, and who places these beside each other. A panel draws what
//! the desk holds and asks the desk to act; what it shows is worked out in plain functions beside it.

pub mod below;
pub mod busy;
pub mod centre;
pub mod consequence;
pub mod drawers;
pub mod dropped;
pub mod frame;
pub mod gestures;
mod graph_events;
pub mod header;
pub mod inputs;
pub mod inspector;
pub mod keys;
pub mod menus;
pub mod messages;
pub mod opened;
pub mod palette;
pub mod panes;
mod parts;
pub mod picked;
pub mod print;
pub mod recent;
pub mod said;
pub mod side;
pub mod start;
pub mod status;
pub mod tour;
pub mod trouble;
pub mod unfinished;
