//! The page's state, free of web APIs so that it is tested natively: the store, pending requests,
//! and the journal for a new worker.

pub mod address;
pub mod bundle_file_names;
pub mod disk_check_pacing;
pub mod edge_kind;
pub mod element_ids;
pub mod entry_changes;
pub mod installed;
pub mod journal;
pub mod lane_arrangement;
pub mod manifest_words;
pub mod new_catalog;
pub mod older_catalog;
pub mod package_tabs;
pub mod panel_layout;
pub mod pending_requests;
pub mod problems;
pub mod repository;
pub mod save_state;
pub mod source_names;
pub mod store;
pub mod store_signal;
pub mod worker_api;
pub mod worker_watchdog;
