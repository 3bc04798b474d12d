//! Chooses the next bundle among all catalogs under OLM v1 (`olm-resolution` 1.5), with OLM's
//! literal error texts (1.6).

use super::answer::{ErrorKind, Installed, Options, Policy, Successor, UpgradeError};
use super::index::{Bundle, Origin, UpgradeIndex};
use super::label_selector::Selector;
use super::package_view::{Candidate, PackageView};
use catalog::version::masterminds::Constraint;
use std::cmp::Reverse;
use syntax::go_text::quote;
use syntax::order::SortSmall;

/// The label with the catalog's name; every catalog has it.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// A catalog and its index of the requested package.
#[derive(Debug, Clone)]
pub struct Catalog<'a> {
    pub name: &'a str,
    pub priority: i32,
    /// Labels other than the name label.
    pub labels: &'a [(String, String)],
    /// Whether its availability mode is `Unavailable`: OLM skips the catalog.
    pub unavailable: bool,
    /// The package, or why the catalog is unreadable. One unreadable catalog blocks all.
    pub package: Result<&'a UpgradeIndex, &'a str>,
}

impl<'a> Catalog<'a> {
    /// Creates a catalog without a name, for questions about a single package.
    pub fn only(package: &'a UpgradeIndex) -> Self {
        Self {
            name: "",
            priority: 0,
            labels: &[],
            unavailable: false,
            package: Ok(package),
        }
    }

    fn label(&self, key: &str) -> Option<&'a str> {
        if key == NAME_LABEL {
            return Some(self.name);
        }
        self.labels
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }
}

/// A request to OLM v1 for a package, over catalogs in list order; prepares everything independent
/// of the installed bundle once.
pub struct Request<'a> {
    pub(super) catalogs: &'a [Catalog<'a>],
    pub(super) package: &'a str,
    pub(super) options: &'a Options,
    /// The catalogs before the first unreadable one.
    pub(super) views: Vec<(&'a Catalog<'a>, PackageView<'a>)>,
    /// An invalid range or an unreadable catalog: fails for every installed bundle.
    refused: Option<UpgradeError>,
}

/// The candidate of one catalog.
#[derive(Clone, Copy)]
pub(super) struct CatalogCandidate<'a> {
    pub catalog: &'a Catalog<'a>,
    pub candidate: Candidate<'a>,
}

pub(super) struct Resolved<'a> {
    pub winner: CatalogCandidate<'a>,
    /// The last catalog with a candidate. Its deprecations become the status, even if another
    /// catalog wins.
    pub deprecation_source: &'a Catalog<'a>,
}

impl<'a> Request<'a> {
    /// Prepares a request. Without a `selector`, all catalogs count.
    pub fn new(
        catalogs: &'a [Catalog<'a>],
        selector: Option<&Selector>,
        package: &'a str,
        options: &'a Options,
    ) -> Self {
        let mut request = Self {
            catalogs,
            package,
            options,
            views: Vec::new(),
            refused: None,
        };
        request.refused = request.add_views(selector).err();
        request
    }

    /// Adds a view of the package in each selected catalog.
    fn add_views(&mut self, selector: Option<&Selector>) -> Result<(), UpgradeError> {
        let range = parse_range(self.options)?;
        let is_selected = |catalog: &&Catalog<'_>| {
            !catalog.unavailable
                && selector.is_none_or(|selector| selector.selects(|key| catalog.label(key)))
        };
        for catalog in self.catalogs.iter().filter(is_selected) {
            let index = catalog.package.map_err(|cause| {
                let text = format!(
                    "error walking catalogs: error getting package {} from catalog {}: {cause}",
                    quote(self.package),
                    quote(catalog.name)
                );
                UpgradeError::new(ErrorKind::Walk, text)
            })?;
            if !index.is_empty {
                self.views.push((
                    catalog,
                    PackageView::new(index, range.as_ref(), self.options),
                ));
            }
        }
        Ok(())
    }

    /// Returns the bundle that replaces `installed` (`None`: a fresh install).
    pub(super) fn winner(
        &self,
        installed: Option<&Installed>,
    ) -> Result<CatalogCandidate<'a>, UpgradeError> {
        self.resolve(installed).map(|resolved| resolved.winner)
    }

    /// Like `winner`, with the catalog whose deprecations become the status.
    pub(super) fn resolve(
        &self,
        installed: Option<&Installed>,
    ) -> Result<Resolved<'a>, UpgradeError> {
        let mut offers: Vec<CatalogCandidate<'a>> = Vec::new();
        for (catalog, view) in &self.views {
            let origin = installed.map(|i| view.index.origin(i));
            if let Some(origin) = &origin {
                check_installed(origin, self.options)?;
            }
            let Some(candidate) = view.best(origin.as_ref(), self.options.policy) else {
                continue;
            };
            // Deprecation outranks priority: if any catalog offers a candidate that is not
            // deprecated, drop those whose best one is.
            if let Some(last) = offers.last() {
                match (
                    candidate.bundle.deprecated,
                    last.candidate.bundle.deprecated,
                ) {
                    (true, false) => continue,
                    (false, true) => offers.clear(),
                    _ => {}
                }
            }
            offers.push(CatalogCandidate { catalog, candidate });
        }
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        let last = offers.last().map(|offer| offer.catalog);
        let winner = choose_winner(offers, self.package, installed, self.options)?;
        Ok(Resolved {
            deprecation_source: last.unwrap_or(winner.catalog),
            winner,
        })
    }
}

pub(super) fn parse_range(options: &Options) -> Result<Option<Constraint>, UpgradeError> {
    match options.range.as_deref() {
        None | Some("") => Ok(None),
        Some(range) => Constraint::parse(range).map(Some).map_err(|error| {
            let text = format!("desired version range {} is invalid: {error}", quote(range));
            UpgradeError::new(ErrorKind::Range, text)
        }),
    }
}

/// Checks the installed version, which must parse if OLM follows the catalog's edges.
pub(super) fn check_installed(origin: &Origin<'_>, options: &Options) -> Result<(), UpgradeError> {
    match origin.error() {
        Some(error) if options.policy == Policy::CatalogProvided => Err(UpgradeError::new(
            ErrorKind::InstalledVersion,
            format!("error walking catalogs: error finding upgrade edges: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Explains why OLM v1 refuses a bundle after it has chosen it.
pub(super) fn bundle_flaw(bundle: &Bundle) -> Option<ErrorKind> {
    match (&bundle.version, &bundle.requirement) {
        (Err(_), _) => Some(ErrorKind::Version),
        (Ok(_), Some(_)) => Some(ErrorKind::Dependency),
        (Ok(_), None) => None,
    }
}

/// Chooses among the catalogs' offers and checks the winner.
fn choose_winner<'a>(
    mut offers: Vec<CatalogCandidate<'a>>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Result<CatalogCandidate<'a>, UpgradeError> {
    offers.sort_small_by_key(|o| Reverse(o.catalog.priority));
    let winner = match offers[..] {
        [only] => only,
        [first, second, ..] if first.catalog.priority != second.catalog.priority => first,
        _ => return Err(no_single_winner(&offers, package, installed, options)),
    };
    let bundle = winner.candidate.bundle;
    if let Err(error) = &bundle.version {
        let text = format!(
            "error getting resolved bundle version for bundle {}: {error}",
            quote(&bundle.name)
        );
        return Err(UpgradeError::new(ErrorKind::Version, text));
    }
    if let Some(requirement) = &bundle.requirement {
        let name = quote(&bundle.name);
        return Err(UpgradeError::new(
            ErrorKind::Dependency,
            format!(
                "validating bundle {name}: bundle {name} has a dependency declared via property {} which is currently \
                 not supported",
                quote(requirement)
            ),
        ));
    }
    Ok(winner)
}

/// Returns OLM's error if no catalog or several ones offer the winner.
fn no_single_winner(
    offers: &[CatalogCandidate<'_>],
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> UpgradeError {
    let mut parts = Vec::new();
    if let Some(installed) = installed {
        parts.push(format!(
            "error upgrading from currently installed version {}:",
            quote(&installed.version)
        ));
    }
    let (kind, finding) = if offers.is_empty() {
        (ErrorKind::None, "no bundles found")
    } else {
        (ErrorKind::Ambiguous, "found bundles")
    };
    parts.push(format!("{finding} for package {}", quote(package)));
    if let Some(range) = options.range.as_deref().filter(|r| !r.is_empty()) {
        parts.push(format!("matching version {}", quote(range)));
    }
    if !options.channels.is_empty() {
        parts.push(format!("in channels [{}]", options.channels.join(" ")));
    }
    if !offers.is_empty() {
        let mut names: Vec<&str> = offers.iter().map(|o| o.catalog.name).collect();
        names.sort_small();
        parts.push(format!(
            "in multiple catalogs with the same priority [{}]",
            names.join(" ")
        ));
    }
    UpgradeError::new(kind, parts.join(" "))
}

impl CatalogCandidate<'_> {
    /// Returns the upgrade to the winner; `None` if it is already installed.
    pub fn successor(
        &self,
        has_several_catalogs: bool,
        installed: Option<&Installed>,
    ) -> Option<Successor> {
        let Candidate {
            bundle,
            channel,
            edge,
            same,
        } = self.candidate;
        let stays = same && installed.is_some_and(|i| i.name == bundle.name);
        (!stays).then(|| Successor {
            name: bundle.name.clone(),
            version: bundle.version_text.clone(),
            release: bundle.release.clone(),
            channel: channel.map_or_else(|| "".into(), |c| c.name.clone()),
            edge,
            catalog: if has_several_catalogs {
                self.catalog.name.into()
            } else {
                "".into()
            },
        })
    }
}
