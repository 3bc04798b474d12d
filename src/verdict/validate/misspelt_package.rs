//! Finds packages whose names are probably misspelt.

use super::findings::{Anchor, BlobRef, Finding, NameCorrection};
use super::rule_doc::Missing;
use super::rules::bundle_names::BUNDLE_UNKNOWN_PACKAGE;
use super::rules::bundle_properties::BUNDLE_PACKAGE_PROPERTY_MATCH;
use super::rules::channels::CHANNEL_UNKNOWN_PACKAGE;
use super::rules::deprecations::DEPRECATION_UNKNOWN_PACKAGE;
use super::spelling::nearest;
use catalog::Catalog;
use catalog::model::Package;
use protocol::diagnostic::Cause;
use syntax::hashed::HashMap;

/// Maximum number of undefined packages checked: each is compared with many names.
const MAX_UNDEFINED: usize = 200;
/// Maximum number of blobs that one fix rewrites.
const MAX_REWRITTEN: usize = 500;

/// An undefined package and the defined one that its blobs probably mean.
#[derive(Debug, Clone, Copy)]
pub struct MisspeltPackage<'a> {
    undefined: &'a Package,
    defined: &'a Package,
}

#[derive(Debug, Default)]
pub struct MisspeltPackages<'a> {
    by_undefined: HashMap<&'a str, MisspeltPackage<'a>>,
    by_defined: HashMap<&'a str, Vec<MisspeltPackage<'a>>>,
}

impl<'a> MisspeltPackages<'a> {
    pub fn from_catalog(catalog: &'a Catalog) -> Self {
        let packages = || catalog.packages().map(|package| &**package);
        let mut misspelt_packages = Self::default();
        let undefined_packages: Vec<&Package> = packages()
            .filter(|p| is_undefined(p))
            .take(MAX_UNDEFINED)
            .collect();
        for undefined in undefined_packages {
            let defined = || packages().filter(|p| !p.packages.is_empty());
            let property_name = name_in_properties(undefined);
            let intended = property_name
                .and_then(|property_name| defined().find(|p| *p.name == *property_name));
            let intended = intended.or_else(|| {
                let near = nearest(&undefined.name, defined().map(|p| &*p.name))?;
                defined().find(|p| &*p.name == near)
            });
            if let Some(defined) = intended {
                let misspelt = MisspeltPackage { undefined, defined };
                let MisspeltPackages {
                    by_undefined,
                    by_defined,
                } = &mut misspelt_packages;
                by_undefined.insert(&undefined.name, misspelt);
                by_defined.entry(&defined.name).or_default().push(misspelt);
            }
        }
        misspelt_packages
    }

    pub fn is_empty(&self) -> bool {
        self.by_undefined.is_empty()
    }

    /// Returns the misspelt package name that causes a problem of `package`, if any.
    pub fn cause_of(&self, package: &Package, finding: &Finding) -> Option<MisspeltPackage<'a>> {
        if let Some(misspelt) = self.by_undefined.get(&*package.name) {
            let misses_definition = finding.rule.misses == Some(Missing::Definition);
            return (misses_definition || finding.rule.id == BUNDLE_PACKAGE_PROPERTY_MATCH.id)
                .then_some(*misspelt);
        }
        let mut names = self.by_defined.get(&*package.name)?.iter().copied();
        names.find(|misspelt| misspelt.has_missing_object(finding))
    }
}

fn is_undefined(p: &Package) -> bool {
    let has_blobs = !p.channels.is_empty() || !p.bundles.is_empty() || !p.deprecations.is_empty();
    p.packages.is_empty() && !p.name.is_empty() && has_blobs
}

impl<'a> MisspeltPackage<'a> {
    /// Whether the definition itself is misspelt: nothing else has its name.
    fn is_definition(&self) -> bool {
        self.defined.channels.is_empty() && self.defined.bundles.is_empty()
    }

    /// Returns the package whose blobs the fix rewrites.
    pub fn holder(&self) -> &'a Package {
        if self.is_definition() {
            self.defined
        } else {
            self.undefined
        }
    }

    /// Whether the wrong name belongs to another package than this one.
    pub fn is_elsewhere(&self, package: &Package) -> bool {
        self.holder().name != package.name
    }

    /// Returns the correction of the undefined package's blobs, or of the definition.
    pub fn correction(&self) -> NameCorrection {
        let (was, replacement, at) = if self.is_definition() {
            (self.defined, self.undefined, definition(self.defined))
        } else {
            (
                self.undefined,
                self.defined,
                names_of_package(self.undefined),
            )
        };
        NameCorrection {
            title: format!("write package `{}`", replacement.name),
            at,
            was: was.name.clone(),
            replacement: replacement.name.to_string(),
            heads: Vec::new(),
            in_order: false,
        }
    }

    /// Returns the cause of the consequences: the first blob with the wrong name.
    pub fn cause(&self, catalog: &Catalog) -> Option<Cause> {
        let (holder, correction) = (self.holder(), self.correction());
        let first = correction.at.first()?;
        let (file, index, _) = first.blob.find(holder)?;
        let rule = match first.blob {
            BlobRef::Channel(_) => CHANNEL_UNKNOWN_PACKAGE.id,
            BlobRef::Bundle(_) => BUNDLE_UNKNOWN_PACKAGE.id,
            BlobRef::Deprecations(_) => DEPRECATION_UNKNOWN_PACKAGE.id,
            BlobRef::Package(_) | BlobRef::Other(_) => "",
        };
        let message = format!(
            "package name `{}` may be a misspelling of `{}`",
            correction.was, correction.replacement
        );
        Some(Cause {
            rule: rule.to_owned(),
            message,
            location: catalog.location(file, index, first.place),
        })
    }

    /// Whether the object that the problem reports as missing exists under the wrong package name.
    fn has_missing_object(&self, finding: &Finding) -> bool {
        let (channel, bundle) = (finding.channel.as_deref(), finding.bundle.as_deref());
        match finding.rule.misses {
            Some(Missing::Channels) => !self.undefined.channels.is_empty(),
            Some(Missing::Channel) => {
                channel.is_some_and(|name| self.undefined.channel(name).is_some())
            }
            Some(Missing::Listing) => {
                bundle.is_some_and(|name| self.undefined.channels.iter().any(|c| c.has_entry(name)))
            }
            Some(Missing::Bundle) => {
                bundle.is_some_and(|name| self.undefined.bundle(name).is_some())
            }
            Some(Missing::Definition | Missing::DefaultChannel) | None => false,
        }
    }
}

/// Returns the single package that the bundles' own properties name.
fn name_in_properties(package: &Package) -> Option<&str> {
    let mut names = package
        .bundles
        .iter()
        .flat_map(|b| &b.package_properties)
        .map(|p| p.package_name.as_str());
    let first = names.next().filter(|name| *name != &*package.name)?;
    names.all(|name| name == first).then_some(first)
}

fn definition(package: &Package) -> Vec<Anchor> {
    let definitions = (0..).zip(&package.packages);
    definitions
        .map(|(nth, blob)| Anchor::new(BlobRef::Package(nth), blob.name.place))
        .collect()
}

/// Returns all positions of the package's name in its blobs.
fn names_of_package(package: &Package) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    anchors.extend(
        (0..)
            .zip(&package.channels)
            .map(|(nth, b)| Anchor::new(BlobRef::Channel(nth), b.package.place)),
    );
    for (nth, bundle) in (0..).zip(&package.bundles) {
        anchors.push(Anchor::new(BlobRef::Bundle(nth), bundle.package.place));
        let properties = bundle
            .package_properties
            .iter()
            .filter(|p| p.package_name.value == package.name);
        anchors.extend(properties.map(|p| Anchor::new(BlobRef::Bundle(nth), p.package_name.place)));
    }
    anchors.extend(
        (0..)
            .zip(&package.deprecations)
            .map(|(nth, b)| Anchor::new(BlobRef::Deprecations(nth), b.package.place)),
    );
    anchors.truncate(MAX_REWRITTEN);
    anchors
}
