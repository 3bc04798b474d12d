//! The problems of the catalog in view as a list: the filter, the order, the chosen one.

pub mod brief;
mod problem_list_state;
pub mod rows;

pub use problem_list_state::ProblemListState;
