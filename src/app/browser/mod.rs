//! What the page does with the browser: workers, dropped files, downloads, clipboard, marks for measuring. Everything
//! that touches web APIs outside the widgets is here; nothing here knows a catalog.

pub mod address;
mod database;
pub mod disk;
pub mod folder;
pub mod inputs;
pub mod journals;
pub mod keep;
pub mod legible;
pub mod listen;
pub mod marks;
pub mod observe;
pub mod output;
pub mod picture;
pub mod printing;
pub mod recent;
pub mod sample;
mod scope;
pub mod start_page;
pub mod tabs;
pub mod time;
pub mod tree;
pub mod workers;

pub use scope::install_panic_hook;
