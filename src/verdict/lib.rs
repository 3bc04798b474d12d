//! Judgements: the rules of `opm validate` and our advice about one catalog ([`validate`]), the
//! effect of a change on users ([`compare`]), and both for an edit ([`consequences`]).
//!
//! Must not know how a catalog is opened or stored.

pub mod compare;
pub mod consequences;
pub mod validate;
