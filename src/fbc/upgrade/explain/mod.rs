//! Answers in words: which edge, why not another, why nothing. Names stand in backticks.
//!
//! Only reads what the resolvers found; decides nothing.

pub(super) mod v0;
pub(super) mod v1;
pub(super) mod words;
