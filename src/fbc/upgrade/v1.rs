//! OLM v1: the best bundle among catalogs (`olm-resolution` 1.5), with OLM's literal errors (1.6).
//!
//! Accepts invalid catalogs: several heads, stranded entries and unknown default channels do not
//! matter.

use super::answer::{Answer, ErrorKind, Installed, Options, Successor, UpgradeError};
use super::candidates::{CatalogCandidate, CatalogSearch, check_installed, flaw, parse_range};
use super::explain;
use super::index::{Bundle, UpgradeIndex};
use super::installed_set::InstalledSet;
use super::package_view::{self, Candidate, PackageView};
use super::path::{Path, follow};
use super::selector::Selector;
use crate::model::BundleBlob;

pub use super::candidates::Catalog;

/// The catalogs of a successful resolution. OLM v1 takes the conditions from the last catalog with
/// a candidate, which need not be the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeprecationSource<'a> {
    pub bundle_from: &'a str,
    pub conditions_from: &'a str,
}

/// Why OLM v1 refuses to install a bundle after choosing it; it does not try another.
pub fn install_refusal(bundle: &BundleBlob) -> Option<&'static str> {
    Some(bundle.unsupported_by_v1?.olm_text())
}

/// A request to OLM v1 for a package, over catalogs in list order; prepares everything independent
/// of the installed bundle once.
pub struct Request<'a>(CatalogSearch<'a>);

impl<'a> Request<'a> {
    /// Without a `selector`, all catalogs count.
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

    /// The source of the deprecation conditions with `installed`; `None` after a failed resolution.
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

/// The next step of `installed` (`None`: a fresh install), over catalogs in list order. Without a
/// `selector`, all catalogs count.
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

/// How to treat bundles with requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirements {
    /// Refuse them once chosen, as OLM v1 does.
    Refused,
    /// Ignore requirements and follow edges alone.
    LeftOut,
}

/// The next step of each.
pub(super) type NextSteps = Vec<Result<Option<Successor>, ErrorKind>>;

/// The next step of each within one package, and the result of a fresh install. A single `Err` if
/// the question itself is refused.
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
        check_installed(origin, options).map_err(|error| error.kind)?;
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

/// The result of a fresh install within one package.
pub(super) fn newest<'a>(index: &'a UpgradeIndex, options: &Options) -> Option<&'a Bundle> {
    let range = parse_range(options).ok()?;
    package_view::newest(index, range.as_ref(), options)
}
