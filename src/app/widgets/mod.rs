//! Building blocks of the page: dialogs, menus, tabs, fields. Each follows the keyboard table of
//! its ARIA practice, which its module doc repeats. Nothing here knows catalogs, the store or the
//! worker.

pub mod announce;
pub mod breakable;
pub mod button;
pub mod checklist;
pub mod closable_tabs;
pub mod code_text;
pub mod combobox;
pub mod cut_text;
pub mod dialog;
pub mod disclosure;
pub mod dom;
pub mod editor;
pub mod field;
pub mod field_text;
pub mod focus_tip;
pub mod grid_cursor;
pub mod icon;
pub mod list_cursor;
pub mod menu;
pub mod menu_button;
pub mod palette;
pub mod press_guard;
pub mod rest_item;
pub mod roving_focus;
pub mod segmented;
pub mod shortcuts;
pub mod splitter;
pub mod tabs;
pub mod toast;
pub mod virtual_list;
