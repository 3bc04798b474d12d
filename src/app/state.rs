//! The page's state, which calls no web APIs so that it is tested natively: the store, pending
//! requests, and the journal for a new worker.

pub mod address;
pub mod catalogs;
pub mod element_ids;
pub mod entries;
pub mod file_names;
pub mod journal;
pub mod layout;
pub mod problems;
pub mod repository;
pub mod save_state;
pub mod source_names;
pub mod store;
pub mod worker_api;
