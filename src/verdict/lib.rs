//! Judgements: the rules of `opm validate` and our advice about one catalog ([`validate`]), what a change
//! does to users ([`compare`]), and both of them for an edit ([`consequences`]).
//!
//! Must not know how a catalog is opened or kept.

pub mod compare;
pub mod consequences;
pub mod validate;
