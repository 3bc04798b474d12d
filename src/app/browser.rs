//! Browser features: workers, dropped files, folders on disk, downloads, storage. Of the page's
//! layers, these modules may use only `reactive` and `state`; nothing here reads what is in a
//! catalog's files.

pub mod address;
pub mod document;
pub mod downloads;
pub mod file_tree;
pub mod folder_access;
pub mod hidden_characters;
pub mod repository_folders;
pub mod start_page;
pub mod storage;
pub mod tab_locks;
pub mod time;
pub mod workers;
