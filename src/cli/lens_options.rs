//! Options that only one of the two OLMs has. Given with the other they would be ignored; they are refused instead, with
//! the lens that has them.

use super::args::{LensArg, PolicyArg};
use super::error::CliError;
use fbc::upgrade::{Lens, Policy};

/// An option as it is written, and whether it is given.
pub(super) type OptionGiven<'a> = (&'a str, bool);

/// Refuses what belongs to the other lens.
pub(super) fn refuse_options_of_other_lens(
    lens: LensArg,
    of_v0: &[OptionGiven<'_>],
    of_v1: &[OptionGiven<'_>],
) -> Result<(), CliError> {
    let (foreign, other) = match lens {
        LensArg::V0 => (of_v1, LensArg::V1),
        LensArg::V1 => (of_v0, LensArg::V0),
    };
    let named: Vec<&str> = foreign
        .iter()
        .filter(|(_, given)| *given)
        .map(|(name, _)| *name)
        .collect();
    if named.is_empty() {
        return Ok(());
    }
    let (theirs, flag) = words(other);
    Err(
        CliError::new(format!("only {theirs} takes {}", named.join(", ")))
            .hint(format!("use `--lens {flag}`, or leave it out")),
    )
}

/// The OLM, and how the option names it.
fn words(lens: LensArg) -> (&'static str, &'static str) {
    match lens {
        LensArg::V0 => ("OLM Classic", "v0"),
        LensArg::V1 => ("OLM v1", "v1"),
    }
}

impl From<LensArg> for Lens {
    fn from(lens: LensArg) -> Self {
        match lens {
            LensArg::V0 => Lens::V0,
            LensArg::V1 => Lens::V1,
        }
    }
}

impl From<PolicyArg> for Policy {
    fn from(policy: PolicyArg) -> Self {
        match policy {
            PolicyArg::CatalogProvided => Policy::CatalogProvided,
            PolicyArg::SelfCertified => Policy::SelfCertified,
        }
    }
}
