//! Where users go: the way of one version, and the next step of everyone.

mod changed;
mod compare;
mod everyone;
mod incomplete;
mod matrix;
mod people;
mod strip;
mod ways;

pub use changed::changes;
pub use compare::Compare;
pub use people::EveryoneTable;
pub use strip::{People, Strip, Supposed};
pub use ways::Ways;
