//! Browser features: workers, dropped files, downloads, clipboard, performance marks. Everything
//! outside the widgets that uses web APIs is here; nothing here knows catalogs.

pub mod address;
mod bundle_look;
mod database;
pub mod disk_changes;
pub mod downloads;
pub mod event_listener;
pub mod file_input_ids;
pub mod file_tree;
mod file_walk;
pub mod folder_access;
pub mod folder_observer;
pub mod graph_image;
pub mod hidden_characters;
pub mod in_memory_files;
pub mod journal_store;
mod listings;
pub mod local_storage;
pub mod new_folder;
pub mod new_version;
pub mod object_url;
mod panic_hook;
pub mod performance_marks;
pub mod recent_folders;
pub mod repository_folders;
pub mod sample;
pub mod saving_wanted;
pub mod served_folder;
pub mod start_page;
pub mod tab_locks;
pub mod time;
pub mod workers;

pub use panic_hook::install_panic_hook;
