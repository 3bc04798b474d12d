//! Where users go: the way of one version, and the next step of everyone.

mod everyone;
mod people;
mod strip;
mod ways;

pub use people::EveryoneTable;
pub use strip::{People, Strip};
pub use ways::Ways;
