//! Browser features: workers, dropped files, downloads, clipboard, performance marks. Everything
//! outside the widgets that uses web APIs is here; nothing here knows catalogs.

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
