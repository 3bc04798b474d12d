//! OLM v1: the best bundle among catalogs (`olm-resolution` 1.5), with its errors word for word (1.6).
//!
//! Catalogs are used unvalidated: several heads, stranded entries and unknown default channels do not matter.

use super::answer::{Answer, ErrorKind, Installed, Options, Successor, UpgradeError};
use super::candidates::{CatalogCandidate, CatalogSearch, flaw, parse_range, unreadable};
use super::explain;
use super::index::{Bundle, UpgradeIndex};
use super::installed_set::InstalledSet;
use super::package_view::{self, Candidate, PackageView};
use super::path::{Path, follow};
use super::selector::Selector;
use crate::model::BundleBlob;

pub use super::candidates::Catalog;

/// Names of the catalogs behind a successful resolution: OLM v1 takes the conditions from the last catalog that offered a
/// candidate, which need not be the one that won.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeprecationSource<'a> {
    pub bundle_from: &'a str,
    pub conditions_from: &'a str,
}

/// Why OLM v1 refuses to install a bundle that it has chosen; it then takes no other.
pub fn install_refusal(bundle: &BundleBlob) -> Option<&'static str> {
    Some(bundle.unsupported_by_v1?.olm_text())
}

/// A request to OLM v1 for a package, over catalogs in list order: what does not depend on what is installed is looked at
/// once.
pub struct Request<'a>(CatalogSearch<'a>);

impl<'a> Request<'a> {
    /// `selector`: all catalogs when `None`.
    pub fn new(
        catalogs: &'a [Catalog<'a>],
        selector: Option<&Selector>,
        package: &'a str,
        options: &'a Options,
    ) -> Self {
        Self(CatalogSearch::new(catalogs, selector, package, options))
    }

    /// The next step of `installed` (`None`: a fresh install).
    pub fn next(&self, installed: Option<&Installed>) -> Answer {
        let winner = self.0.winner(installed);
        let why = explain::v1::why(&self.0, &winner, installed);
        match winner {
            Ok(winner) => Answer {
                next: winner.successor(self.0.catalogs.len() > 1, installed),
                why,
                error: None,
            },
            Err(error) => Answer::fail(error, why),
        }
    }

    /// Where the deprecation conditions come from with `installed`; `None` after a failed resolution, which knows none.
    pub fn deprecation_source(
        &self,
        installed: Option<&Installed>,
    ) -> Option<DeprecationSource<'a>> {
        let resolved = self.0.resolve(installed).ok()?;
        Some(DeprecationSource {
            bundle_from: resolved.winner.catalog.name,
            conditions_from: resolved.deprecations.name,
        })
    }

    /// [`Request::next`] repeated until nothing follows.
    pub fn path(&self, installed: Option<&Installed>) -> Path {
        follow(installed, |at| self.next(at))
    }
}

/// The next step of `installed` (`None`: a fresh install), over catalogs in list order. `selector`: all when `None`.
pub fn next(
    catalogs: &[Catalog<'_>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Answer {
    Request::new(catalogs, selector, package, options).next(installed)
}

/// [`next`] repeated until nothing follows.
pub fn path(
    catalogs: &[Catalog<'_>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Path {
    Request::new(catalogs, selector, package, options).path(installed)
}

/// What becomes of a bundle that has requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirements {
    /// It is refused once it is chosen, as OLM v1 does.
    Refused,
    /// The edges alone are followed.
    LeftOut,
}

/// The next step of each.
pub(super) type NextSteps = Vec<Result<Option<Successor>, ErrorKind>>;

/// The next step of each, within one package, and what a fresh install gives. `Err` once when the question itself is refused.
pub(super) fn everyone<'a>(
    installed_set: &InstalledSet<'a>,
    members: &[u32],
    options: &Options,
    requirements: Requirements,
) -> Result<(NextSteps, Option<&'a Bundle>), UpgradeError> {
    let range = parse_range(options)?;
    if installed_set.index.is_empty {
        return Ok((vec![Err(ErrorKind::None); members.len()], None));
    }
    let view = PackageView::new(installed_set.index, range.as_ref(), options);
    let candidates = view.best_of_all(installed_set, members, options.policy);
    let only = Catalog::only(installed_set.index);
    let step = |(&member, candidate): (&u32, Option<Candidate<'a>>)| {
        let origin = installed_set
            .origins
            .get(member as usize)
            .ok_or(ErrorKind::None)?;
        if unreadable(origin, options).is_some() {
            return Err(ErrorKind::InstalledVersion);
        }
        let candidate = candidate.ok_or(ErrorKind::None)?;
        match flaw(candidate.bundle) {
            Some(kind)
                if kind != ErrorKind::Dependency || requirements == Requirements::Refused =>
            {
                Err(kind)
            }
            _ => Ok(CatalogCandidate {
                catalog: &only,
                candidate,
            }
            .successor(false, Some(origin.installed))),
        }
    };
    Ok((
        members.iter().zip(candidates).map(step).collect(),
        view.candidates.first().copied(),
    ))
}

/// What a fresh install gives within one package.
pub(super) fn newest<'a>(index: &'a UpgradeIndex, options: &Options) -> Option<&'a Bundle> {
    let range = parse_range(options).ok()?;
    package_view::newest(index, range.as_ref(), options)
}
