//! The requirements of packages, and the packages and APIs that the open catalogs provide.

use super::advice::properties::{Shared, anchor, shared_properties};
use super::findings::{Anchor, BlobRef, Finding};
use super::spelling::nearest;
use catalog::model::{BundleBlob, Package};
use catalog::version::openshift;
use catalog::version::openshift::OpenShift;
use std::collections::BTreeMap;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::cluster::MAX_OPENSHIFT_VERSION;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Requirements {
    /// Distinct `olm.gvk.required`, by canonical value.
    pub(super) apis: Vec<RequiredApi>,
    /// Distinct `olm.package.required`.
    pub(super) packages: Vec<RequiredPackage>,
    /// Bundles with `olm.bundle.object`.
    pub(super) objects: Option<FirstAndCount>,
    /// Bundles with `olm.csv.metadata`.
    pub(super) metadata: Option<FirstAndCount>,
    /// Bundles with neither.
    pub(super) without_metadata: Option<FirstAndCount>,
    /// Distinct valid limits.
    pub(super) limits: Vec<(OpenShift, Subject)>,
}

/// Some bundles of a package: the first one, and their number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FirstAndCount {
    pub(super) first: Subject,
    pub(super) count: usize,
}

impl FirstAndCount {
    fn add(counted: &mut Option<Self>, subject: impl FnOnce() -> Subject) {
        let counted = counted.get_or_insert_with(|| Self {
            first: subject(),
            count: 0,
        });
        counted.count += 1;
    }

    /// Creates a finding at the first bundle, which concerns only that one if there is no other.
    pub(super) fn finding(&self, message: String) -> Finding {
        if self.count == 1 {
            self.first.finding(message)
        } else {
            Finding::new(self.first.at, message)
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    pub(super) bundle: Text,
    /// The bundle's label, with the number of other affected bundles.
    pub(super) label: String,
    /// The label followed by `requires` or `require`.
    pub(super) requires: String,
    pub(super) at: Anchor,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequiredApi {
    pub(super) subject: Subject,
    pub(super) value: Text,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequiredPackage {
    pub(super) subject: Subject,
    pub(super) name: String,
    pub(super) range: String,
}

impl Requirements {
    pub(super) fn from_package(package: &Package) -> Self {
        let mut requirements = Self::default();
        for (nth, bundle) in package.bundles.iter().enumerate() {
            let of_kind =
                |kind: &'static str| bundle.properties.iter().filter(move |p| &*p.kind == kind);
            if of_kind("olm.bundle.object").next().is_none()
                && of_kind("olm.csv.metadata").next().is_none()
            {
                FirstAndCount::add(&mut requirements.without_metadata, || {
                    let name = Anchor::new(BlobRef::Bundle(nth as u32), bundle.name.place);
                    Subject::new(bundle, name)
                });
            }
            for (kind, form) in [
                ("olm.bundle.object", &mut requirements.objects),
                ("olm.csv.metadata", &mut requirements.metadata),
            ] {
                let Some(fact) = of_kind(kind).next() else {
                    continue;
                };
                FirstAndCount::add(form, || Subject::new(bundle, anchor(nth, fact)));
            }
        }
        for need in shared_properties(package, &["olm.gvk.required"]) {
            if let Some(value) = need.property.value.clone() {
                requirements.apis.push(RequiredApi {
                    subject: Subject::from_shared(&need),
                    value,
                });
            }
        }
        for need in shared_properties(package, &["olm.package.required"]) {
            let (name, range) = (need.field("packageName"), need.field("versionRange"));
            requirements.packages.push(RequiredPackage {
                subject: Subject::from_shared(&need),
                name,
                range,
            });
        }
        for limit in shared_properties(package, &[MAX_OPENSHIFT_VERSION]) {
            if let Some(Ok(version)) = limit.property.value.as_deref().map(openshift::parse_limit) {
                requirements
                    .limits
                    .push((version, Subject::from_shared(&limit)));
            }
        }
        requirements
    }
}

impl Subject {
    pub(super) fn finding(&self, message: impl Into<String>) -> Finding {
        Finding::new(self.at, message).bundle(&self.bundle)
    }

    fn new(bundle: &BundleBlob, at: Anchor) -> Self {
        let name = &bundle.name.value;
        let label = format!("bundle `{name}`");
        Self {
            bundle: name.clone(),
            requires: format!("{label} requires"),
            label,
            at,
        }
    }

    fn from_shared(shared: &Shared<'_>) -> Self {
        let (label, requires) = (
            shared.label(),
            shared.label_with_verb("requires", "require"),
        );
        Self {
            bundle: shared.bundle.name.value.clone(),
            label,
            requires,
            at: shared.at,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provides {
    /// An `olm.package` blob defines it.
    is_defined: bool,
    has_bundles: bool,
    /// Values of `olm.gvk` in canonical form, sorted, distinct.
    pub(super) apis: Vec<Text>,
}

impl Provides {
    pub(super) fn from_package(package: &Package) -> Self {
        // Bundles of a package mostly provide equal APIs.
        let properties = package.bundles.iter().flat_map(|bundle| &bundle.properties);
        let apis: HashSet<&Text> = properties
            .filter(|p| &*p.kind == "olm.gvk")
            .filter_map(|p| p.value.as_ref())
            .collect();
        let mut apis: Vec<Text> = apis.into_iter().cloned().collect();
        apis.sort_small();
        Self {
            is_defined: !package.packages.is_empty(),
            has_bundles: !package.bundles.is_empty(),
            apis,
        }
    }
}

/// The packages and APIs of all open catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenCatalogs {
    catalogs: usize,
    packages: BTreeMap<Text, PackageCounts>,
    /// Number of names in `packages` that some catalog defines.
    defined: usize,
    /// By API, the number of providing packages over all catalogs.
    apis: HashMap<Text, usize>,
}

/// Number of catalogs that define a package, and number of catalogs with bundles of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct PackageCounts {
    defined: usize,
    with_bundles: usize,
}

impl OpenCatalogs {
    /// Creates an empty index. Add the content of each catalog with [`OpenCatalogs::add`].
    pub fn with_catalogs(catalogs: usize) -> Self {
        Self {
            catalogs,
            ..Self::default()
        }
    }

    /// Adds a package of one of the catalogs.
    pub fn add(&mut self, name: &Text, provides: &Provides) {
        let count = self.packages.entry(name.clone()).or_default();
        self.defined += usize::from(provides.is_defined && count.defined == 0);
        count.defined += usize::from(provides.is_defined);
        count.with_bundles += usize::from(provides.has_bundles);
        for api in &provides.apis {
            *self.apis.entry(api.clone()).or_default() += 1;
        }
    }

    /// It must have been added before.
    pub fn remove(&mut self, name: &Text, provides: &Provides) {
        if let Some(count) = self.packages.get_mut(name) {
            let was_last = provides.is_defined && count.defined == 1;
            self.defined = self.defined.saturating_sub(usize::from(was_last));
            count.defined = count
                .defined
                .saturating_sub(usize::from(provides.is_defined));
            count.with_bundles = count
                .with_bundles
                .saturating_sub(usize::from(provides.has_bundles));
            if *count == PackageCounts::default() {
                self.packages.remove(name);
            }
        }
        for api in &provides.apis {
            match self.apis.get_mut(api) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.apis.remove(api)),
            }
        }
    }

    /// Collects the content of a single catalog.
    pub(super) fn for_one_catalog<'a>(
        offers: impl IntoIterator<Item = (&'a Text, &'a Provides)>,
    ) -> Self {
        let mut open_catalogs = Self::with_catalogs(1);
        for (name, provides) in offers {
            open_catalogs.add(name, provides);
        }
        open_catalogs
    }

    pub(super) fn is_one_catalog(&self) -> bool {
        self.catalogs <= 1
    }

    pub(super) fn has_several_packages(&self) -> bool {
        self.defined > 1
    }

    /// Whether some catalog has a bundle of the package.
    pub(super) fn has_package(&self, name: &str) -> bool {
        self.packages
            .get(name)
            .is_some_and(|count| count.with_bundles > 0)
    }

    /// Whether some bundle provides the API, given in canonical form.
    pub(super) fn has_api(&self, api: &str) -> bool {
        self.apis.contains_key(api)
    }

    /// Returns the package with the most similar name.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.packages.keys().map(|name| &**name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provides(is_defined: bool, has_bundles: bool, apis: &[&str]) -> Provides {
        Provides {
            is_defined,
            has_bundles,
            apis: apis.iter().map(|&api| api.into()).collect(),
        }
    }

    #[test]
    fn an_object_in_two_catalogs_exists_until_both_lose_it() {
        let (p, q): (Text, Text) = ("p".into(), "q".into());
        let full = provides(true, true, &["a", "b"]);
        let mut open_catalogs = OpenCatalogs::with_catalogs(2);
        open_catalogs.add(&p, &full);
        open_catalogs.add(&p, &full);
        assert!(
            !open_catalogs.has_several_packages(),
            "one name, in two catalogs"
        );
        open_catalogs.add(&q, &provides(true, false, &[]));
        assert!(open_catalogs.has_several_packages() && !open_catalogs.has_package("q"));
        open_catalogs.remove(&p, &full);
        assert!(open_catalogs.has_package("p") && open_catalogs.has_api("a"));
        open_catalogs.remove(&p, &full);
        assert!(
            !open_catalogs.has_package("p")
                && !open_catalogs.has_api("a")
                && !open_catalogs.has_several_packages()
        );
        open_catalogs.remove(&q, &provides(true, false, &[]));
        assert_eq!(open_catalogs, OpenCatalogs::with_catalogs(2));
    }
}
