//! The world without a screen: a workspace that answers requests. [`host`] is pure and tested natively; `browser` reads
//! files and carries messages. It knows nothing of the page.

pub use fbc::archive;

pub mod bounded;
pub mod browser;
pub mod dealer;
mod export;
pub mod host;
pub mod lanes;
pub mod links;
pub mod queue;
mod views;
pub mod warmup;
