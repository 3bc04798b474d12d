//! OLM v1: the best bundle among catalogs (`olm-resolution` 1.5), with its errors word for word (1.6).
//!
//! Catalogs are used raw: several heads, strays and unknown default channels mean nothing here.

use super::answer::{Answer, ErrorKind, Installed, Options, Step, UpgradeError};
use super::crowd::Crowd;
use super::explain;
use super::index::{Bundle, UpgradeIndex};
use super::offers::{Offer, Pick, View, find, flaw, parse_range, unreadable};
use super::path::{Path, follow};
use super::selector::Selector;

pub use super::offers::Catalog;

/// The next step of `installed` (`None`: a fresh install), over catalogs in list order. `selector`: all when `None`.
pub fn next(
    catalogs: &[Catalog<'_>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Answer {
    let found = find(catalogs, selector, package, installed, options);
    let why = explain::v1::why(&found, catalogs, package, installed, options);
    match found.winner {
        Ok(winner) => Answer { next: winner.step(catalogs.len() > 1, installed), why, error: None },
        Err(error) => Answer::fail(error, why),
    }
}

/// [`next`] repeated until nothing follows.
pub fn path(
    catalogs: &[Catalog<'_>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Path {
    follow(installed, |at| next(catalogs, selector, package, at, options))
}

/// What becomes of a bundle that has requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirements {
    /// It is refused once it is chosen, as OLM v1 does.
    Refused,
    /// The edges alone are followed.
    LeftOut,
}

/// The next step of each, within one package. `Err` once when the question itself is refused.
pub(super) fn everyone<'a>(
    crowd: &Crowd<'a>,
    members: &[u32],
    options: &Options,
    requirements: Requirements,
) -> Result<Vec<Result<Option<Step>, ErrorKind>>, UpgradeError> {
    let range = parse_range(options)?;
    if crowd.index.is_empty {
        return Ok(vec![Err(ErrorKind::None); members.len()]);
    }
    let view = View::new(crowd.index, range.as_ref(), options);
    let picks = view.best_of_all(crowd, members, options.policy);
    let only = Catalog::only(crowd.index);
    let step = |(&member, pick): (&u32, Option<Pick<'a>>)| {
        let origin = crowd.origins.get(member as usize).ok_or(ErrorKind::None)?;
        if unreadable(origin, options).is_some() {
            return Err(ErrorKind::InstalledVersion);
        }
        let pick = pick.ok_or(ErrorKind::None)?;
        match flaw(pick.bundle) {
            Some(kind) if kind != ErrorKind::Dependency || requirements == Requirements::Refused => Err(kind),
            _ => Ok(Offer { catalog: &only, pick }.step(false, Some(origin.installed))),
        }
    };
    Ok(members.iter().zip(picks).map(step).collect())
}

/// What a fresh install gives within one package.
pub(super) fn newest<'a>(index: &'a UpgradeIndex, options: &Options) -> Option<&'a Bundle> {
    let range = parse_range(options).ok()?;
    View::new(index, range.as_ref(), options).candidates.first().copied()
}
