//! ClusterServiceVersions in the namespaces of a file's Subscriptions, and their owners.
//!
//! OLM resolves a namespace as a whole. A ClusterServiceVersion without an owning Subscription
//! remains installed and blocks every other bundle of its package.

use super::manifest::ManifestError;
use super::parse::{
    InstalledCsv, KnownSubscription, ManifestErrorAt, NamespaceDump, ParsedManifest,
};
use catalog::model::Package;
use serde_json::json;
use syntax::place::Text;
use upgrade::Lens;
use upgrade::resolve::{Csv, Request, Subscription};

impl InstalledCsv {
    /// Returns `NAME`, or `NAME@VERSION` if it has a version.
    pub fn installed_name(&self) -> String {
        match self.version.as_str() {
            "" => self.name.clone(),
            version => format!("{}@{version}", self.name),
        }
    }

    /// Whether it is a bundle of the package, by its properties or else by its name.
    fn belongs_to(&self, package: &Package) -> bool {
        match self.package() {
            Some(name) => name == *package.name,
            None => package.mentions(&self.name) || package.is_named_like(&self.name),
        }
    }

    /// Returns the package in its properties.
    pub fn package(&self) -> Option<String> {
        let properties = self.properties.as_ref()?;
        properties
            .iter()
            .filter(|(kind, _)| kind == "olm.package")
            .find_map(|(_, value)| {
                let value: serde_json::Value = serde_json::from_str(value).ok()?;
                Some(value["packageName"].as_str()?.to_owned())
            })
    }

    /// Converts it for the resolver, with what it provides. Omits its requirements, which were met
    /// at installation, perhaps by a catalog that is not open.
    fn to_csv(&self, packages: &[&Package]) -> Csv {
        Csv {
            name: self.name.as_str().into(),
            version: self.version.as_str().into(),
            properties: match &self.properties {
                Some(properties) => Some(
                    properties
                        .iter()
                        .filter(|(kind, _)| {
                            ["olm.package", "olm.gvk", "olm.label"].contains(&kind.as_str())
                        })
                        .map(|(kind, value)| (kind.as_str().into(), value.as_str().into()))
                        .collect(),
                ),
                None => self.catalog_properties(packages),
            },
            owned: self.owned.clone(),
            required: Vec::new(),
            phase: self.phase.as_str().into(),
            replaces: self.replaces.as_str().into(),
        }
    }

    /// Returns the properties of the bundle with this name.
    fn catalog_properties(&self, packages: &[&Package]) -> Option<Vec<(Text, Text)>> {
        let package = packages
            .iter()
            .find(|package| package.bundle(&self.name).is_some())
            .or_else(|| packages.iter().find(|package| self.belongs_to(package)))?;
        let value = json!({"packageName": &*package.name, "version": self.version});
        let bundle = package.bundle(&self.name);
        let properties = bundle.into_iter().flat_map(|bundle| &bundle.properties);
        let mut provided: Vec<_> = properties
            .filter(|property| &*property.kind == "olm.gvk")
            .filter_map(|p| Some((p.kind.clone(), p.value.clone()?)))
            .collect();
        provided.push(("olm.package".into(), value.to_string().into()));
        Some(provided)
    }
}

impl NamespaceDump {
    fn is_owned(&self, csv: &InstalledCsv) -> bool {
        self.subscriptions.iter().any(|subscription| {
            subscription.installed == csv.name || subscription.current == csv.name
        })
    }

    fn unowned_csvs<'d>(&'d self, package: &Package) -> impl Iterator<Item = &'d InstalledCsv> {
        self.csvs
            .iter()
            .filter(|csv| !self.is_owned(csv) && csv.belongs_to(package))
    }
}

impl ParsedManifest {
    /// Returns an installed ClusterServiceVersion of the package without an owning Subscription.
    pub fn unowned_csv(&self, package: &Package) -> Option<&InstalledCsv> {
        match (self.lens, &self.installed) {
            (Lens::V0, None) => self.dump.unowned_csvs(package).next(),
            _ => None,
        }
    }

    /// Reports what blocks the resolution of the package, with remedies.
    pub fn blockers(&self, package: &Package) -> Vec<ManifestErrorAt> {
        if self.lens != Lens::V0 {
            return Vec::new();
        }
        let namespace = &self.dump.name;
        self.dump.unowned_csvs(package).map(|csv| {
            let name = &csv.name;
            let reason = format!(
                "ClusterServiceVersion `{name}` exists in namespace `{namespace}`, and no Subscription owns it: OLM resolves \
                 nothing for package `{}` there",
                package.name
            );
            let help = format!(
                "if Subscription `{}` is to take over, delete the ClusterServiceVersion, so that OLM installs it again: \
                 `kubectl delete csv {name} -n {namespace}`",
                self.name
            );
            ManifestErrorAt {
                line: self.line,
                error: ManifestError::new(reason, help),
            }
        }).collect()
    }

    /// Reports that the namespace lacks the ClusterServiceVersion that the status names as
    /// installed.
    pub fn missing_csv(&self) -> Option<String> {
        let installed = self.installed.as_ref().filter(|_| self.lens == Lens::V0)?;
        let is_missing =
            !self.dump.csvs.is_empty()
                && self.dump.csvs.iter().all(|csv| {
                    csv.name != installed.value && csv.installed_name() != installed.value
                });
        is_missing.then(|| {
            format!(
                "its status names `{}` as installed, and namespace `{}` has no such ClusterServiceVersion here: without it, OLM \
                 starts again as for a new install",
                installed.value, self.dump.name
            )
        })
    }

    /// Returns the namespace for the resolver, if the file contains its ClusterServiceVersions.
    /// `catalog`: name and namespace of the Subscriptions' catalog; `packages`: all packages of
    /// that catalog. Omits Subscriptions to other catalogs and packages that are not installed.
    pub fn namespace_request(
        &self,
        (catalog, catalog_namespace): (&str, &str),
        packages: &[&Package],
    ) -> Option<Request> {
        let dump = &self.dump;
        if self.lens != Lens::V0 || dump.csvs.is_empty() {
            return None;
        }
        let subscriptions: Vec<&KnownSubscription> = dump
            .subscriptions
            .iter()
            .filter(|subscription| {
                packages.iter().any(|p| *p.name == *subscription.package)
                    && (subscription.name == self.name
                        || dump
                            .csvs
                            .iter()
                            .any(|csv| csv.name == subscription.installed))
            })
            .collect();
        Some(Request {
            namespace: dump.name.as_str().into(),
            subscriptions: subscriptions
                .iter()
                .map(|subscription| Subscription {
                    name: subscription.name.as_str().into(),
                    package: subscription.package.as_str().into(),
                    channel: subscription.channel.as_str().into(),
                    catalog: catalog.into(),
                    catalog_namespace: catalog_namespace.into(),
                    starting_csv: subscription.starting_csv.as_str().into(),
                    installed_csv: subscription.installed.as_str().into(),
                })
                .collect(),
            installed: dump
                .csvs
                .iter()
                .filter(|csv| {
                    let is_included = !dump.is_owned(csv)
                        || subscriptions.iter().any(|subscription| {
                            subscription.installed == csv.name || subscription.current == csv.name
                        });
                    // While an update is being installed, OLM does not resolve the Subscription
                    // again.
                    let is_pending = dump.subscriptions.iter().any(|subscription| {
                        subscription.current == csv.name && subscription.installed != csv.name
                    });
                    is_included && !is_pending
                })
                .map(|csv| csv.to_csv(packages))
                .collect(),
            fail_forward: false,
        })
    }
}
