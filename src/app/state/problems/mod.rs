//! The problem list of the catalog in view: filter, order, and open problem.

pub mod brief;
mod problem_list_state;
pub mod rows;

pub use problem_list_state::ProblemListState;
