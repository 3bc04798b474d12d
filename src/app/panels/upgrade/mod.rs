//! Where users go: the way of one version, and the next step of everyone.

mod ways;

pub use ways::Ways;
