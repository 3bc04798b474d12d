//! One folder a feature: how one kind of thing is shown and worked on. A feature knows no other one; what two of them need
//! is a piece, or plain data below. Who places them beside each other is above, in `panels` and `page`.

pub mod forms;
pub mod graph;
pub mod in_place;
pub mod problems;
pub mod render_targets;
pub mod repository;
pub mod review;
pub mod save_subset;
pub mod source;
pub mod table;
pub mod try_on_cluster;
pub mod upgrade;
