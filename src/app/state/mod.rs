//! What the page knows, free of web APIs so that it is tested natively: the session, the requests under way, the journal
//! that a new worker would need.

pub mod address;
pub mod arranged;
pub mod ask;
pub mod changes;
pub mod edge_kind;
pub mod frame;
pub mod installed;
pub mod journal;
pub mod kept;
pub mod looking;
pub mod opened;
pub mod patience;
pub mod pending;
pub mod places;
pub mod problems;
pub mod saving;
pub mod session;
pub mod sources;
pub mod tour;
