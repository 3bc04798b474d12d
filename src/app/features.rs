//! One module per feature, with its views and actions. Features do not know each other; what two of
//! them need is a component, or plain data below. `panels` and `page` place them.

pub mod convert_template;
pub mod dropped_manifests;
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
