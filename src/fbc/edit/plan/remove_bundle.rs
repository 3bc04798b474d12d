//! `remove-bundle`: removes the bundle's blob, its entries in all channels (like `remove-entry`),
//! and its deprecations (`opm` refuses deprecations of missing bundles).
//!
//! For identical copies of a bundle, removes only the last blob: references mean the others.

use super::deprecate::{Scope, forget};
use super::refused::Refused;
use super::remove_entry::take_out;
use super::{CatalogView, PlanStep};
use crate::model::{BundleBlob, Located, Package};
use protocol::operation::DanglingEdges;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    then: DanglingEdges,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    if let Some((first, last)) = copies(package, bundle) {
        return Ok(vec![PlanStep::RemoveCopy {
            file: last.file,
            index: last.index,
            of: (first.file, first.index),
        }]);
    }
    let blob = view.bundle(package, bundle).map_err(|refused| {
        let is_listed = package
            .channels
            .iter()
            .flat_map(|c| &c.entries)
            .any(|e| e.name.as_str() == bundle);
        if is_listed && package.bundle(bundle).is_none() {
            refused.help("only channels list it: `remove-entry` removes it from them")
        } else {
            refused
        }
    })?;
    let mut steps = vec![PlanStep::RemoveBlob {
        file: blob.file,
        index: blob.index,
    }];
    for channel in package
        .channels
        .iter()
        .filter(|c| c.entries.iter().any(|e| e.name.as_str() == bundle))
    {
        steps.extend(take_out(
            package,
            channel,
            view.entry(channel, bundle)?,
            then,
        ));
    }
    steps.extend(forget(package, &Scope::Bundle(bundle)));
    Ok(steps)
}

/// The first and the last blob of a bundle with several copies that have the same facts at the same
/// positions.
pub fn copies<'p>(
    package: &'p Package,
    bundle: &str,
) -> Option<(&'p Located<BundleBlob>, &'p Located<BundleBlob>)> {
    let mut blobs = package
        .bundles
        .iter()
        .filter(|blob| blob.name.as_str() == bundle);
    let first = blobs.next()?;
    let mut last = None;
    for blob in blobs {
        if blob.data != first.data {
            return None;
        }
        last = Some(blob);
    }
    Some((first, last?))
}
