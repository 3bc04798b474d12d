//! The question of an installed version's next upgrade, from options or a manifest, and the
//! catalogs that answer it.

use super::disk::{Disk, only_package};
use super::manifest_files::{self, ManifestSource};
use super::templates;
use crate::args::{LensArg, PartialArgs, UpgradeArgs};
use crate::error::CliError;
use crate::output::problems::{self, Incomplete};
use ::catalog::model::Package;
use ::catalog::version::openshift::OpenShift;
use std::path::PathBuf;
use std::sync::Arc;
use syntax::did_you_mean::did_you_mean;
use upgrade::ask::{self, InstallRefusal, Namespace, Offer, Reach, Reply, Resolver};
use upgrade::installed_name::{self, InstalledName, UnknownInstalled};
use upgrade::label_selector::Selector;
use upgrade::resolve::{self, CatalogSet};
use upgrade::{Lens, Options, UpgradeIndex, v1};

/// A question before its names are looked up.
pub(crate) struct UpgradeRequest {
    lens: Lens,
    /// `None` means the only package of the catalogs.
    package: Option<String>,
    /// `None` means a fresh install.
    installed: Option<String>,
    options: Options,
    /// The object that the question was read from.
    pub manifest: Option<ManifestSource>,
}

impl UpgradeRequest {
    /// Creates a request from options alone.
    pub fn from_options(args: &UpgradeArgs) -> Result<Self, CliError> {
        refuse_options_of_other_lens(
            args.lens,
            &[("--starting-csv", args.starting_csv.is_some())],
            &[
                ("--version", args.version.is_some()),
                ("--policy", args.policy.is_some()),
                ("--selector", args.selector.is_some()),
                ("--release-support", args.release_support),
                ("more than one --channel", args.channel.len() > 1),
            ],
        )?;
        Ok(Self {
            lens: args.lens.into(),
            package: args.package.name().map(str::to_owned),
            installed: args.installed.clone(),
            options: Options {
                channels: args.channel.clone(),
                range: args.version.clone(),
                policy: args.policy.map(Into::into).unwrap_or_default(),
                starting_csv: args.starting_csv.clone(),
                subscription: None,
            },
            manifest: None,
        })
    }

    /// Creates a request from a manifest. `installed` takes precedence over the manifest's status.
    pub fn from_manifest(manifest: ManifestSource, installed: Option<&str>) -> Self {
        let parsed = &manifest.parsed;
        Self {
            lens: parsed.lens,
            package: Some(parsed.package.value.clone()),
            installed: installed
                .map(str::to_owned)
                .or_else(|| parsed.installed.as_ref().map(|placed| placed.value.clone())),
            options: parsed.options(),
            manifest: Some(manifest),
        }
    }
}

/// Creates one request from the options alone, or one per object of the manifest.
pub(crate) fn requests(args: &UpgradeArgs) -> Result<Vec<UpgradeRequest>, CliError> {
    let Some(path) = &args.manifest else {
        return Ok(vec![UpgradeRequest::from_options(args)?]);
    };
    let sources = manifest_files::read(path, &args.dir)?;
    let package = args.package.name();
    let names: Vec<String> = sources
        .iter()
        .map(|source| source.parsed.package.value.clone())
        .collect();
    let requests: Vec<UpgradeRequest> = sources
        .into_iter()
        .filter(|source| package.is_none_or(|name| source.parsed.package.value == name))
        .map(|source| UpgradeRequest::from_manifest(source, args.installed.as_deref()))
        .collect();
    if requests.is_empty() {
        let package = package.unwrap_or_default();
        let all = format!("its packages: {}", names.join(", "));
        let hint = did_you_mean(package, names.iter().map(String::as_str), &all);
        return Err(
            cli_error!("{} has no object for package `{package}`", path.display()).hint(hint),
        );
    }
    Ok(requests)
}

/// The catalogs that answer a question.
pub(crate) struct OpenedCatalogs {
    catalogs: Vec<OpenedCatalog>,
    pub incomplete: Incomplete,
    selector: Option<Selector>,
    /// Whether the cluster has OLM v1's feature gate BundleReleaseSupport.
    has_release_support: bool,
}

struct OpenedCatalog {
    name: String,
    priority: i32,
    /// All packages: under Classic, they can meet requirements.
    packages: Vec<Arc<Package>>,
}

impl OpenedCatalogs {
    pub fn open(args: &UpgradeArgs) -> Result<Self, CliError> {
        let mut opened = Self {
            catalogs: Vec::new(),
            incomplete: Incomplete::default(),
            selector: None,
            has_release_support: args.release_support,
        };
        let first = templates::open(&args.dir, &args.known, args.partial.partial)?;
        let folder = args.dir.canonicalize().unwrap_or_default();
        let name = folder.file_name().unwrap_or_default();
        opened.add(name.to_string_lossy().into_owned(), 0, &first)?;
        for text in &args.catalog {
            let CatalogArg {
                name,
                dir,
                priority,
            } = CatalogArg::parse(text)?;
            opened.add(name, priority, &Disk::open(&dir)?)?;
        }
        if let Some(text) = &args.selector {
            let parsed = Selector::parse(text);
            opened.selector = Some(parsed.map_err(|error| CliError::new(error.text))?);
        }
        Ok(opened)
    }

    fn add(&mut self, name: String, priority: i32, disk: &Disk) -> Result<(), CliError> {
        let root = disk.root()?;
        problems::note_failing_catalog(&disk.name(), root);
        self.incomplete.add(&disk.name(), root.catalog());
        self.catalogs.push(OpenedCatalog {
            name,
            priority,
            packages: root.catalog().packages().cloned().collect(),
        });
        Ok(())
    }

    pub fn report(&self, partial: PartialArgs, status: u8) -> u8 {
        self.incomplete.report(partial.partial, status)
    }

    fn all_packages(&self) -> impl Iterator<Item = &Package> {
        self.catalogs
            .iter()
            .flat_map(|catalog| &catalog.packages)
            .map(|package| &**package)
    }

    /// Indexes a package of a catalog; an empty one if the catalog lacks it.
    fn index(&self, catalog: &OpenedCatalog, name: &str, lens: Lens) -> UpgradeIndex {
        let empty = Package {
            name: name.into(),
            ..Package::default()
        };
        let mut packages = catalog.packages.iter();
        let package = packages.find(|package| *package.name == *name);
        let package = package.map_or(&empty, |package| package);
        if self.has_release_support && lens == Lens::V1 {
            UpgradeIndex::with_release_support(package)
        } else {
            UpgradeIndex::new(package)
        }
    }

    fn unknown_package(&self, name: &str, manifest: Option<&ManifestSource>) -> CliError {
        let names = || self.all_packages().map(|package| &*package.name);
        if let Some(manifest) = manifest {
            return manifest.error(manifest.parsed.unknown_package(names()));
        }
        let message = match self.catalogs.len() {
            1 => format!("package \"{name}\" not found"),
            _ => format!("no catalog has a package \"{name}\""),
        };
        CliError::new(message).hint(did_you_mean(
            name,
            names(),
            "`switchyard list packages DIR` lists them",
        ))
    }
}

/// A question with all inputs for its answer.
pub(crate) struct Question<'o> {
    pub lens: Lens,
    pub package: String,
    /// `None` means a fresh install.
    installed: Option<InstalledName>,
    options: Options,
    pub opened: &'o OpenedCatalogs,
    /// Indexes of the package, one per catalog.
    indexes: Vec<UpgradeIndex>,
    pub manifest: Option<ManifestSource>,
}

impl<'o> Question<'o> {
    /// Looks up the names of a request in the catalogs.
    pub fn new(opened: &'o OpenedCatalogs, request: UpgradeRequest) -> Result<Self, CliError> {
        let UpgradeRequest {
            lens,
            package,
            installed,
            options,
            manifest,
        } = request;
        if opened.has_release_support && lens == Lens::V0 {
            return Err(CliError::new("only OLM v1 takes --release-support").hint("leave it out"));
        }
        let package = match package {
            Some(name) => name,
            None => {
                let first = opened.catalogs.first();
                let packages = first.into_iter().flat_map(|catalog| &catalog.packages);
                only_package(packages, "the catalog has")?.to_owned()
            }
        };
        let packages: Vec<&Package> = opened
            .all_packages()
            .filter(|other| *other.name == *package)
            .collect();
        if packages.is_empty() {
            return Err(opened.unknown_package(&package, manifest.as_ref()));
        }
        // A CSV without an owning Subscription also rules out a fresh install.
        let installed = installed.or_else(|| {
            let parsed = &manifest.as_ref()?.parsed;
            let csv = packages
                .iter()
                .find_map(|package| parsed.unowned_csv(package))?;
            Some(csv.installed_name())
        });
        let mut installed_name = match &installed {
            Some(text) => Some(look_up(text, &packages, opened, manifest.as_ref())?),
            None => None,
        };
        if let (Some(manifest), Some(package)) = (&manifest, packages.first()) {
            manifest.warn_of_missing(package, installed.as_deref());
        }
        let indexes: Vec<UpgradeIndex> = opened
            .catalogs
            .iter()
            .map(|catalog| opened.index(catalog, &package, lens))
            .collect();
        if let Some(name) = &mut installed_name {
            name.installed.release = indexes
                .iter()
                .find_map(|index| index.release_of(&name.installed));
        }
        Ok(Self {
            lens,
            package,
            installed: installed_name,
            options,
            opened,
            indexes,
            manifest,
        })
    }

    /// Completes the reasons of an answer with its notes, remarks on the manifest, and refusals.
    pub fn reasons(&self, reply: &Reply, mut reasons: Vec<String>) -> Vec<String> {
        reasons.extend(reply.notes.iter().cloned());
        if reply.installed.is_some() && self.options.starting_csv.is_some() {
            let option = if self.manifest.is_some() {
                "startingCSV"
            } else {
                "--starting-csv"
            };
            reasons.push(format!("`{option}` applies only to a fresh install"));
        }
        if let Some(ManifestSource { parsed, .. }) = &self.manifest {
            reasons.extend(parsed.notes.iter().cloned());
            reasons.extend(parsed.missing_csv());
            reasons.extend(reply.approval_remark(parsed.approval));
        }
        reasons.extend(reply.refusals.iter().map(InstallRefusal::sentence));
        reasons
    }

    pub fn ask(&self, reach: Reach, cluster: Option<OpenShift>) -> Result<Reply, CliError> {
        let (source, namespace) = self.subscribed_catalog();
        let (catalog_set, catalogs) = match self.lens {
            Lens::V0 => (Some(self.catalog_set(&source, &namespace)), Vec::new()),
            Lens::V1 => (None, self.catalog_packages()),
        };
        let resolver = match &catalog_set {
            Some(catalogs) => Resolver::Requirements {
                catalogs,
                source: &source,
            },
            None => Resolver::V1 {
                catalogs: &catalogs,
                selector: self.opened.selector.as_ref(),
            },
        };
        let question = ask::Question {
            package: &self.package,
            installed: self.installed.as_ref(),
            options: &self.options,
            resolver,
            offers: self.offers(&source),
            namespace: self.namespace(&source, &namespace),
            cluster,
        };
        ask::ask(&question, reach).map_err(refusal)
    }

    /// Returns the package in each catalog. `source` is the name of the subscribed one.
    fn offers<'q>(&'q self, source: &'q str) -> Vec<Offer<'q>> {
        let catalogs = (0..).zip(&self.opened.catalogs);
        let offers = catalogs.filter_map(|(index, catalog)| {
            let mut packages = catalog.packages.iter();
            Some(Offer {
                catalog: match (self.lens, index) {
                    (Lens::V0, 0) => source,
                    _ => &catalog.name,
                },
                package: packages.find(|package| *package.name == *self.package)?,
            })
        });
        offers.collect()
    }

    /// Returns name and namespace of the catalog of a Classic subscription, which is DIR.
    fn subscribed_catalog(&self) -> (String, String) {
        let source = self
            .manifest
            .as_ref()
            .map(|manifest| &manifest.parsed.source);
        if let Some((name, namespace)) = source.filter(|(name, _)| !name.is_empty()) {
            return (name.clone(), namespace.clone());
        }
        let first = self.opened.catalogs.first();
        let name = first.map_or_else(String::new, |catalog| catalog.name.clone());
        (name, String::new())
    }

    /// Returns the Subscription's namespace, if the manifest has its installed CSVs.
    fn namespace(&self, source: &str, namespace: &str) -> Option<Namespace> {
        let parsed = &self.manifest.as_ref()?.parsed;
        let subscribed = self.opened.catalogs.first()?;
        let packages: Vec<&Package> = subscribed.packages.iter().map(|p| &**p).collect();
        let blockers = packages
            .iter()
            .filter(|package| *package.name == *self.package)
            .flat_map(|package| parsed.blockers(package))
            .flat_map(|at| [at.error.reason, at.error.help]);
        Some(Namespace {
            request: parsed.namespace_request((source, namespace), &packages)?,
            blockers: blockers.collect(),
        })
    }

    /// Returns all catalogs as input of Classic's resolver, for requirements between bundles.
    fn catalog_set(&self, subscribed: &str, namespace: &str) -> CatalogSet<'_> {
        let catalogs = (0..).zip(&self.opened.catalogs);
        let catalogs = catalogs.map(|(index, catalog)| resolve::Catalog {
            name: match index {
                0 => subscribed.into(),
                _ => catalog.name.as_str().into(),
            },
            namespace: namespace.into(),
            priority: catalog.priority.into(),
            packages: catalog.packages.iter().map(|p| &**p).collect(),
        });
        CatalogSet::new(catalogs.collect())
    }

    fn catalog_packages(&self) -> Vec<v1::Catalog<'_>> {
        let catalogs = self.opened.catalogs.iter().zip(&self.indexes);
        catalogs
            .map(|(catalog, index)| v1::Catalog {
                name: &catalog.name,
                priority: catalog.priority,
                labels: &[],
                unavailable: false,
                package: Ok(index),
            })
            .collect()
    }
}

/// Finds the installed bundle of this name. An error has the location of the name in the manifest,
/// if it is from there.
fn look_up(
    text: &str,
    packages: &[&Package],
    opened: &OpenedCatalogs,
    manifest: Option<&ManifestSource>,
) -> Result<InstalledName, CliError> {
    installed_name::parse(text, packages, opened.all_packages()).map_err(|unknown| {
        let error = refusal(unknown);
        let Some(manifest) = manifest else {
            return error;
        };
        match &manifest.parsed.installed {
            Some(status) if status.value == text => error.at(manifest.location(status.line)),
            _ => error,
        }
    })
}

fn refusal(unknown: UnknownInstalled) -> CliError {
    CliError::new(unknown.reason).hint(unknown.help)
}

/// A value of `--catalog`.
pub(crate) struct CatalogArg {
    pub name: String,
    pub dir: PathBuf,
    pub priority: i32,
}

impl CatalogArg {
    /// Parses `NAME=DIR[:PRIORITY]`. The default priority is 0.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let (name, location) = text.split_once('=').ok_or_else(|| {
            cli_error!("`{text}` is not a catalog").hint("write NAME=DIR or NAME=DIR:PRIORITY")
        })?;
        let with_priority = location
            .rsplit_once(':')
            .and_then(|(dir, priority)| Some((dir, priority.parse().ok()?)));
        let (dir, priority) = with_priority.unwrap_or((location, 0));
        Ok(Self {
            name: name.to_owned(),
            dir: PathBuf::from(dir),
            priority,
        })
    }
}

/// Refuses options of the other lens. An option is its spelling, and whether the command line has
/// it.
pub(crate) fn refuse_options_of_other_lens(
    lens: LensArg,
    v0_options: &[(&str, bool)],
    v1_options: &[(&str, bool)],
) -> Result<(), CliError> {
    let (foreign, olm, flag) = match lens {
        LensArg::V0 => (v1_options, "OLM v1", "v1"),
        LensArg::V1 => (v0_options, "OLM Classic", "v0"),
    };
    let used: Vec<&str> = foreign
        .iter()
        .filter(|(_, is_used)| *is_used)
        .map(|(name, _)| *name)
        .collect();
    if used.is_empty() {
        return Ok(());
    }
    Err(cli_error!("only {olm} takes {}", used.join(", "))
        .hint(format!("use `--lens {flag}`, or leave it out")))
}
