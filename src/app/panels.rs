//! The panels of the page, which surround the features and place them. A panel draws the app
//! context's state and triggers its actions; plain functions beside it compute its content.

pub mod banners;
pub mod command_palette;
pub mod consequence_bar;
pub mod drop_target;
pub mod header;
pub mod inspector;
pub mod menus;
pub mod missing_parts;
pub mod side;
pub mod start_page;
pub mod status_bar;
pub mod unfinished_work;
pub mod upgrade_question;
pub mod workbench;
