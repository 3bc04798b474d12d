//! Options that only one of the two OLMs has. Given with the other they would be ignored; they are refused instead, with
//! the lens that has them.

use super::args::{LensArg, PolicyArg};
use super::error::CliError;
use fbc::upgrade::{Lens, Policy};

/// An option as it is written, and whether it is given.
pub(super) type Given<'a> = (&'a str, bool);

/// Refuses what belongs to the other lens.
pub(super) fn check(lens: LensArg, of_v0: &[Given<'_>], of_v1: &[Given<'_>]) -> Result<(), CliError> {
    let (foreign, other) = match lens {
        LensArg::V0 => (of_v1, LensArg::V1),
        LensArg::V1 => (of_v0, LensArg::V0),
    };
    let named: Vec<&str> = foreign.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if named.is_empty() {
        return Ok(());
    }
    let ((theirs, flag), (ours, _)) = (words(other), words(lens));
    let belong = if named.len() == 1 { "belongs" } else { "belong" };
    Err(CliError::new(format!("{} {belong} to {theirs}; {ours} has no such thing", named.join(", ")))
        .hint(format!("ask with `--lens {flag}`, or leave it out")))
}

/// The OLM, and how the option names it.
fn words(lens: LensArg) -> (&'static str, &'static str) {
    match lens {
        LensArg::V0 => ("OLM Classic", "v0"),
        LensArg::V1 => ("OLM v1", "v1"),
    }
}

impl LensArg {
    pub(super) fn meant(self) -> Lens {
        match self {
            LensArg::V0 => Lens::V0,
            LensArg::V1 => Lens::V1,
        }
    }
}

impl PolicyArg {
    pub(super) fn meant(self) -> Policy {
        match self {
            PolicyArg::CatalogProvided => Policy::CatalogProvided,
            PolicyArg::SelfCertified => Policy::SelfCertified,
        }
    }
}
