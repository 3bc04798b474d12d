//! Packages and APIs that all open catalogs provide together.
//!
//! Stored as counts, so that updating a package costs only what it provides.

use super::suggest::nearest;
use crate::hashed::{HashMap, HashSet};
use crate::model::Package;
use crate::order::SortSmall;
use crate::place::Text;
use std::collections::BTreeMap;

/// What one package of one catalog provides.
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
        // Bundles of a package mostly provide the same APIs.
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

/// Number of catalogs that define a package, and that have bundles of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct PackageCounts {
    defined: usize,
    with_bundles: usize,
}

impl OpenCatalogs {
    /// Add the content of each catalog with [`OpenCatalogs::add`].
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

    /// Removes a package added before.
    pub fn remove(&mut self, name: &Text, provides: &Provides) {
        if let Some(count) = self.packages.get_mut(name) {
            let less = |count: &mut usize, by: bool| *count = count.saturating_sub(usize::from(by));
            less(&mut self.defined, provides.is_defined && count.defined == 1);
            less(&mut count.defined, provides.is_defined);
            less(&mut count.with_bundles, provides.has_bundles);
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

    /// The content of a single catalog.
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

    /// The package with the most similar name.
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
    fn an_object_of_two_catalogs_exists_until_both_lose_it() {
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
