//! One module per feature: its views and actions. A feature must not import another one: shared
//! views belong in `components`, shared data in `edits` or `state`. `panels` and `page` place the
//! features.

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
