//! The page. It draws, queries the worker and stores what a new worker would need; it never parses,
//! validates or computes layouts.

mod browser;
mod client;
mod commands;
mod components;
mod context;
mod edits;
mod features;
mod page;
mod panels;
mod prelude;
mod reactive;
mod session;
mod state;
mod widgets;
mod words;

pub fn main() {
    browser::document::install_panic_hook();
    leptos::mount::mount_to_body(page::Page);
}
