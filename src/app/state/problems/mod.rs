//! The problems of the catalog in view as they are listed: which are asked for, in which order, which one is chosen.

mod board;
pub mod rows;

pub use board::Board;
