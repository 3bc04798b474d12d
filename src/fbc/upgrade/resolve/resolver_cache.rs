//! What resolutions need to know about a catalog's packages, cached between questions: after an
//! edit only changed packages are read again. All states of a catalog share unchanged packages, so
//! a package is identified by its address.
//!
//! Resolving over the packages in reach gives the same result as over the whole catalog, but
//! cheaper: most packages require nothing.

use super::super::index::UpgradeIndex;
use super::gvk::Apis;
use super::predicate::required_package;
use super::records::{Answers, CatalogSet, Prepared};
use super::request::Catalog;
use crate::hashed::{HashMap, HashSet};
use crate::model::Package;
use crate::place::Text;

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// Cached package data, by name. Valid for any state of the catalog.
#[derive(Debug, Default)]
pub struct ResolverCache {
    known: HashMap<Text, CachedPackage>,
    apis: Apis,
    /// Answers for the package sets last used, the latest last.
    answered: VecDeque<(Vec<Arc<Package>>, Rc<Answers>)>,
    /// Packages queried without their requirements, the latest last.
    indexes: VecDeque<(Arc<Package>, Rc<UpgradeIndex>)>,
}

/// Viewing a package, and the states before and after an edit, use three package sets.
const KEPT: usize = 4;

#[derive(Debug)]
struct CachedPackage {
    package: Arc<Package>,
    needs: Needs,
    prepared: Option<Rc<Prepared>>,
}

/// What a package requires from others and offers to them.
#[derive(Debug, Default)]
struct Needs {
    packages: Vec<String>,
    required: Vec<u32>,
    /// An `olm.constraint` or a label, which any package may provide.
    anything: bool,
    /// Names of other packages that its bundles claim in their `olm.package` property.
    claims: Vec<Text>,
    offered: Vec<u32>,
}

impl ResolverCache {
    /// A nameless catalog with the packages that a question about `start` can reach.
    pub fn catalog_set<'a>(
        &mut self,
        packages: impl IntoIterator<Item = &'a Arc<Package>>,
        start: &str,
    ) -> CatalogSet<'a> {
        let near = self.within_reach(packages, start);
        let prepared = near.iter().map(|package| self.prepare(package)).collect();
        let answers = self.answers(&near);
        let packages = near.into_iter().map(|package| &**package).collect();
        let catalog = Catalog {
            name: "".into(),
            namespace: "".into(),
            priority: 0,
            packages,
        };
        let mut catalog_set = CatalogSet::prepared(catalog, prepared);
        catalog_set.answers = answers;
        catalog_set
    }

    /// The package's index, for questions that the graph alone answers.
    pub fn index(&mut self, package: &Arc<Package>) -> Rc<UpgradeIndex> {
        let at = self
            .indexes
            .iter()
            .position(|(known, _)| Arc::ptr_eq(known, package));
        let known = at.and_then(|at| self.indexes.remove(at));
        let known = known.unwrap_or_else(|| (package.clone(), Rc::new(UpgradeIndex::new(package))));
        let index = known.1.clone();
        self.indexes.push_back(known);
        if self.indexes.len() > KEPT {
            self.indexes.pop_front();
        }
        index
    }

    /// Cached answers for exactly these packages.
    fn answers(&mut self, near: &[&Arc<Package>]) -> Rc<Answers> {
        let same = |(packages, _): &(Vec<Arc<Package>>, Rc<Answers>)| {
            packages.len() == near.len()
                && packages.iter().zip(near).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let known = self
            .answered
            .iter()
            .position(same)
            .and_then(|at| self.answered.remove(at));
        let known =
            known.unwrap_or_else(|| (near.iter().copied().cloned().collect(), Rc::default()));
        let answers = known.1.clone();
        self.answered.push_back(known);
        if self.answered.len() > KEPT {
            self.answered.pop_front();
        }
        answers
    }

    /// The package `start` and, transitively, every package that could meet a requirement of an
    /// included one, in the order of `packages`. An `olm.constraint` or a label includes all
    /// packages.
    pub fn within_reach<'a>(
        &mut self,
        packages: impl IntoIterator<Item = &'a Arc<Package>>,
        start: &str,
    ) -> Vec<&'a Arc<Package>> {
        let all: Vec<&Arc<Package>> = packages.into_iter().collect();
        all.iter().for_each(|package| {
            self.look_at(package);
        });
        let needs: Vec<Option<&Needs>> = all
            .iter()
            .map(|p| self.known.get(&p.name).map(|known| &known.needs))
            .collect();
        let mut wanted = ReachableRequirements::default();
        let mut inside: Vec<bool> = all.iter().map(|package| *package.name == *start).collect();
        let mut new: Vec<usize> = (0..all.len()).filter(|&i| inside[i]).collect();
        while !new.is_empty() {
            new.iter()
                .filter_map(|&i| needs[i])
                .for_each(|needs| wanted.add(needs));
            if wanted.anything {
                return all;
            }
            let could =
                |i: usize| needs[i].is_some_and(|needs| wanted.could_use(&all[i].name, needs));
            new = (0..all.len()).filter(|&i| !inside[i] && could(i)).collect();
            new.iter().for_each(|&i| inside[i] = true);
        }
        all.into_iter()
            .zip(inside)
            .filter_map(|(package, inside)| inside.then_some(package))
            .collect()
    }

    /// Whether some bundle of the package requires a package or an API by name.
    pub fn requires_by_name(&mut self, package: &Arc<Package>) -> bool {
        let needs = &self.look_at(package).needs;
        !needs.packages.is_empty() || !needs.required.is_empty()
    }

    /// Whether a bundle requires something that any package may provide: an `olm.constraint` or a
    /// label.
    pub fn requires_anything(&mut self, package: &Arc<Package>) -> bool {
        self.look_at(package).needs.anything
    }

    fn look_at(&mut self, package: &Arc<Package>) -> &mut CachedPackage {
        let Self { known, apis, .. } = self;
        let fresh = |apis: &mut Apis| {
            let needs = Needs::from_package(package, apis);
            CachedPackage {
                package: package.clone(),
                needs,
                prepared: None,
            }
        };
        let known = known
            .entry(package.name.clone())
            .or_insert_with(|| fresh(apis));
        if !Arc::ptr_eq(&known.package, package) {
            *known = fresh(apis);
        }
        known
    }

    fn prepare(&mut self, package: &Arc<Package>) -> Rc<Prepared> {
        if let Some(prepared) = &self.look_at(package).prepared {
            return prepared.clone();
        }
        let index = self.index(package);
        let prepared = Rc::new(Prepared::new(package, index, &mut self.apis));
        self.look_at(package).prepared = Some(prepared.clone());
        prepared
    }
}

impl Needs {
    fn from_package(package: &Package, apis: &mut Apis) -> Self {
        let mut needs = Self::default();
        // Bundles of a package mostly share their properties.
        let mut seen = HashSet::default();
        for fact in package.bundles.iter().flat_map(|bundle| &bundle.properties) {
            if !seen.insert(Arc::as_ptr(&fact.property)) {
                continue;
            }
            match (&*fact.kind, &fact.value) {
                ("olm.gvk", Some(value)) => needs.offered.extend(apis.number(value)),
                ("olm.gvk.required", Some(value)) => needs.required.extend(apis.number(value)),
                ("olm.package.required", Some(value)) => {
                    needs
                        .packages
                        .extend(required_package(value).map(|(name, _)| name));
                }
                // A value that is not stored is a large constraint.
                ("olm.constraint", _) | ("olm.label.required", Some(_)) => needs.anything = true,
                _ => {}
            }
        }
        let properties = package
            .bundles
            .iter()
            .flat_map(|bundle| &bundle.package_properties);
        let others = properties
            .map(|p| &p.package_name.value)
            .filter(|name| **name != package.name);
        needs.claims = others
            .collect::<HashSet<_>>()
            .into_iter()
            .cloned()
            .collect();
        needs
    }
}

/// The requirements of all packages in reach.
#[derive(Default)]
struct ReachableRequirements {
    packages: HashSet<String>,
    apis: HashSet<u32>,
    anything: bool,
}

impl ReachableRequirements {
    fn add(&mut self, needs: &Needs) {
        self.packages.extend(needs.packages.iter().cloned());
        self.apis.extend(&needs.required);
        self.anything |= needs.anything;
    }

    fn could_use(&self, name: &str, needs: &Needs) -> bool {
        let by_name = !self.packages.is_empty()
            && (self.packages.contains(name)
                || needs
                    .claims
                    .iter()
                    .any(|claim| self.packages.contains(&**claim)));
        by_name
            || (!self.apis.is_empty() && needs.offered.iter().any(|api| self.apis.contains(api)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::package;
    use crate::model::blob::{Property, PropertyFact};

    fn with(name: &str, kind: &str, value: &str) -> Arc<Package> {
        let mut package = package(&[("stable", &["p.v1.0.0"])]);
        package.name = name.into();
        for located in &mut package.bundles {
            let bundle = Arc::make_mut(&mut located.data);
            bundle.package_properties[0].package_name.value = name.into();
            let property = Arc::new(Property {
                kind: kind.into(),
                value: Some(value.into()),
            });
            bundle.properties.push(PropertyFact {
                property,
                start: 0,
                line: 0,
            });
        }
        Arc::new(package)
    }

    fn reach(
        resolver_cache: &mut ResolverCache,
        packages: &[Arc<Package>],
        start: &str,
    ) -> Vec<String> {
        resolver_cache
            .within_reach(packages, start)
            .iter()
            .map(|package| package.name.to_string())
            .collect()
    }

    #[test]
    fn requirements_lead_from_package_to_package() {
        let api = r#"{"group":"g","kind":"K","version":"v1"}"#;
        let mut packages = vec![
            with(
                "asks",
                "olm.package.required",
                r#"{"packageName":"between","versionRange":">=0.0.0"}"#,
            ),
            with("between", "olm.gvk.required", api),
            with("offers", "olm.gvk", api),
            with(
                "other",
                "olm.gvk",
                r#"{"group":"h","kind":"K","version":"v1"}"#,
            ),
        ];
        let mut resolver_cache = ResolverCache::default();
        assert_eq!(
            reach(&mut resolver_cache, &packages, "asks"),
            ["asks", "between", "offers"]
        );
        assert_eq!(reach(&mut resolver_cache, &packages, "offers"), ["offers"]);
        assert!(
            resolver_cache.requires_by_name(&packages[1])
                && !resolver_cache.requires_by_name(&packages[2])
        );

        // A new state of a package is read anew; the earlier state is still cached.
        let before = std::mem::replace(&mut packages[3], with("other", "olm.gvk", api));
        assert_eq!(
            reach(&mut resolver_cache, &packages, "between"),
            ["between", "offers", "other"]
        );
        packages[3] = before;
        assert_eq!(
            reach(&mut resolver_cache, &packages, "between"),
            ["between", "offers"]
        );
        packages[1] = with("between", "olm.constraint", "{}");
        assert_eq!(reach(&mut resolver_cache, &packages, "asks").len(), 4);
    }
}
