//! Which packages of a catalog a question about one of them can come to by requirements.
//!
//! A resolution over these gives what one over the whole catalog gives, for the price of what is in reach: most packages
//! require nothing.

use super::{Gvk, required_gvk, required_package};
use crate::fbc::model::Package;
use crate::fbc::place::Text;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The package `start` and, again and again, every package that could meet a requirement of one that is in; in the order
/// of `packages`. An `olm.constraint` or a label may be met by any package, so all are in then.
pub fn within_reach<'a>(packages: impl IntoIterator<Item = &'a Package>, start: &str) -> Vec<&'a Package> {
    let all: Vec<&Package> = packages.into_iter().collect();
    let mut reach = Reach::default();
    let mut inside: Vec<bool> = all.iter().map(|package| *package.name == *start).collect();
    let mut new: Vec<usize> = inside.iter().enumerate().filter_map(|(i, inside)| inside.then_some(i)).collect();
    while !new.is_empty() {
        new.iter().for_each(|&i| reach.require(all[i]));
        if reach.anything {
            return all;
        }
        new = (0..all.len()).filter(|&i| !inside[i] && reach.could_use(all[i])).collect();
        new.iter().for_each(|&i| inside[i] = true);
    }
    all.into_iter().zip(inside).filter_map(|(package, inside)| inside.then_some(package)).collect()
}

/// What is required of others.
#[derive(Default)]
struct Reach {
    packages: HashSet<String>,
    gvks: HashSet<Gvk>,
    anything: bool,
    /// Values are shared by many bundles: each is read once.
    read: HashMap<Text, Option<Gvk>>,
}

impl Reach {
    fn require(&mut self, package: &Package) {
        let mut seen = HashSet::new();
        for property in package.bundles.iter().flat_map(|bundle| &bundle.properties) {
            let Some(value) = &property.value else {
                // A value that is not kept is a large constraint.
                self.anything |= &*property.kind == "olm.constraint";
                continue;
            };
            if !seen.insert((&property.kind, value)) {
                continue;
            }
            match &*property.kind {
                "olm.gvk.required" => self.gvks.extend(required_gvk(value)),
                "olm.package.required" => self.packages.extend(required_package(value).map(|(name, _)| name)),
                "olm.constraint" | "olm.label.required" => self.anything = true,
                _ => {}
            }
        }
    }

    fn could_use(&mut self, package: &Package) -> bool {
        if self.packages.contains(&*package.name) {
            return true;
        }
        // A bundle may claim another package's name in its own property.
        let properties = package.bundles.iter().flat_map(|bundle| &bundle.package_properties);
        let mut claims = properties.map(|p| p.package_name.as_str()).filter(|name| *name != &*package.name);
        if !self.packages.is_empty() && claims.any(|name| self.packages.contains(name)) {
            return true;
        }
        if self.gvks.is_empty() {
            return false;
        }
        // Bundles of a package mostly share their properties.
        let mut seen = HashSet::new();
        for fact in package.bundles.iter().flat_map(|bundle| &bundle.properties) {
            if &*fact.kind != "olm.gvk" || !seen.insert(Arc::as_ptr(&fact.property)) {
                continue;
            }
            let Some(value) = &fact.value else { continue };
            let gvk = self.read.entry(value.clone()).or_insert_with(|| required_gvk(value));
            if gvk.as_ref().is_some_and(|gvk| self.gvks.contains(gvk)) {
                return true;
            }
        }
        false
    }
}
