//! What bundles may require, over all catalogs that are open together.
//!
//! Kept by counts: a package that changes costs what it offers, whatever else is open.

use super::suggest::nearest;
use crate::hashed::{HashMap, HashSet};
use crate::model::Package;
use crate::order::PutInOrder;
use crate::place::Text;
use std::collections::BTreeMap;

/// What one package of one catalog has for others to require.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offer {
    /// An `olm.package` blob defines it.
    is_defined: bool,
    has_bundles: bool,
    /// Values of `olm.gvk` in canonical form, sorted, each once.
    pub(super) apis: Vec<Text>,
}

impl Offer {
    pub(super) fn of(package: &Package) -> Self {
        // Bundles of a package mostly offer the same.
        let properties = package.bundles.iter().flat_map(|bundle| &bundle.properties);
        let apis: HashSet<&Text> =
            properties.filter(|p| &*p.kind == "olm.gvk").filter_map(|p| p.value.as_ref()).collect();
        let mut apis: Vec<Text> = apis.into_iter().cloned().collect();
        apis.put_in_order();
        Self { is_defined: !package.packages.is_empty(), has_bundles: !package.bundles.is_empty(), apis }
    }
}

/// The offers of all open catalogs together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opened {
    catalogs: usize,
    packages: BTreeMap<Text, InCatalogs>,
    /// Names in `packages` that some catalog defines.
    defined: usize,
    /// By API, how many packages of how many catalogs provide it.
    apis: HashMap<Text, usize>,
}

/// In how many catalogs a package is what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct InCatalogs {
    defined: usize,
    with_bundles: usize,
}

impl Opened {
    /// So many catalogs are open; what they offer is still to be added.
    pub fn among(catalogs: usize) -> Self {
        Self { catalogs, ..Self::default() }
    }

    /// A package of one of the catalogs is there now.
    pub fn add(&mut self, name: &Text, offer: &Offer) {
        let count = self.packages.entry(name.clone()).or_default();
        self.defined += usize::from(offer.is_defined && count.defined == 0);
        count.defined += usize::from(offer.is_defined);
        count.with_bundles += usize::from(offer.has_bundles);
        for api in &offer.apis {
            *self.apis.entry(api.clone()).or_default() += 1;
        }
    }

    /// Takes back what was added.
    pub fn remove(&mut self, name: &Text, offer: &Offer) {
        if let Some(count) = self.packages.get_mut(name) {
            let less = |count: &mut usize, by: bool| *count = count.saturating_sub(usize::from(by));
            less(&mut self.defined, offer.is_defined && count.defined == 1);
            less(&mut count.defined, offer.is_defined);
            less(&mut count.with_bundles, offer.has_bundles);
            if *count == InCatalogs::default() {
                self.packages.remove(name);
            }
        }
        for api in &offer.apis {
            match self.apis.get_mut(api) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.apis.remove(api)),
            }
        }
    }

    /// What a single catalog offers.
    pub(super) fn alone<'a>(offers: impl IntoIterator<Item = (&'a Text, &'a Offer)>) -> Self {
        let mut opened = Self::among(1);
        for (name, offer) in offers {
            opened.add(name, offer);
        }
        opened
    }

    pub(super) fn is_one_catalog(&self) -> bool {
        self.catalogs <= 1
    }

    pub(super) fn has_several_packages(&self) -> bool {
        self.defined > 1
    }

    /// Whether some catalog has a bundle of the package.
    pub(super) fn has_package(&self, name: &str) -> bool {
        self.packages.get(name).is_some_and(|count| count.with_bundles > 0)
    }

    /// Whether a bundle of some catalog provides the API, which is given in canonical form.
    pub(super) fn has_api(&self, api: &str) -> bool {
        self.apis.contains_key(api)
    }

    /// The package whose name is spelled most like `name`.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.packages.keys().map(|name| &**name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(is_defined: bool, has_bundles: bool, apis: &[&str]) -> Offer {
        Offer { is_defined, has_bundles, apis: apis.iter().map(|&api| api.into()).collect() }
    }

    #[test]
    fn what_two_catalogs_have_is_there_until_both_have_lost_it() {
        let (p, q): (Text, Text) = ("p".into(), "q".into());
        let full = offer(true, true, &["a", "b"]);
        let mut opened = Opened::among(2);
        opened.add(&p, &full);
        opened.add(&p, &full);
        assert!(!opened.has_several_packages(), "one name, in two catalogs");
        opened.add(&q, &offer(true, false, &[]));
        assert!(opened.has_several_packages() && !opened.has_package("q"));
        opened.remove(&p, &full);
        assert!(opened.has_package("p") && opened.has_api("a"));
        opened.remove(&p, &full);
        assert!(!opened.has_package("p") && !opened.has_api("a") && !opened.has_several_packages());
        opened.remove(&q, &offer(true, false, &[]));
        assert_eq!(opened, Opened::among(2));
    }
}
