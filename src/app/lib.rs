//! The page. It draws, asks the worker and keeps what a new worker would need; it never parses, validates or lays out.

pub mod actions;
pub mod browser;
pub mod client;
pub mod commands;
pub mod components;
pub mod context;
pub mod edits;
pub mod features;
pub mod page;
pub mod panels;
pub mod state;
pub mod widgets;
pub mod words;

/// Mounts the page.
pub fn main() {
    browser::install_panic_hook();
    leptos::mount::mount_to_body(page::Page);
}
