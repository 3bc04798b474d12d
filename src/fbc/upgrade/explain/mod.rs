//! Explains answers: which edge, why not another, why nothing. Names are in backticks.
//!
//! Reads the resolvers' results and decides nothing.

pub(super) mod phrases;
pub(super) mod v0;
pub(super) mod v1;
