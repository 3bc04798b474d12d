//! The panels of the page: they surround the features and place them. A panel draws the app
//! context's state and triggers its actions; its content is computed by plain functions beside it.

pub mod banners;
pub mod bottom_panel;
pub mod busy_note;
pub mod centre;
pub mod command_palette;
pub mod consequence_bar;
mod consequence_parts;
pub mod drawers;
pub mod drop_dialog;
pub mod drop_target;
pub mod file_inputs;
mod first_lanes;
pub mod gesture_commands;
mod graph_events;
pub mod graph_panes;
pub mod header;
pub mod inspector;
pub mod keyboard_help;
pub mod live_region;
pub mod menus;
pub mod messages;
pub mod missing_parts;
pub mod new_version;
pub mod package_tabs;
pub mod pane_splitter;
pub mod recent_folders;
pub mod selection_bar;
pub mod side;
pub mod start_page;
pub mod status_bar;
pub mod unsaved_work;
pub mod workbench;
pub mod workbench_place;
