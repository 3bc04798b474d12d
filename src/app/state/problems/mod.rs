//! The problems of the catalog in view as they are listed: which are asked for, in which order, which one is chosen.

mod problem_list_state;
pub mod rows;

pub use problem_list_state::ProblemListState;
