//! Building blocks of the page: dialogs, menus, tabs, fields. Each follows the keyboard table of
//! its ARIA practice, which its module doc repeats. Nothing here knows catalogs, the store or the
//! worker.

pub mod announce;
pub mod buttons;
pub mod combobox;
pub mod cursors;
pub mod dialog;
pub mod dom;
pub mod editor;
pub mod fields;
pub mod focus_tip;
pub mod icon;
pub mod label_match;
pub mod menu;
pub mod palette;
pub mod short_text;
pub mod splitter;
pub mod tabs;
pub mod toast;
pub mod toolbar;
pub mod virtual_list;
