//! `remove-bundle`: the bundle's blob, its entries in all channels as `remove-entry` takes them out, and the deprecations
//! that name it (`opm` refuses one of a bundle that is not there).

use super::deprecate::{Scope, forget};
use super::refused::Refused;
use super::remove_entry::take_out;
use super::{CatalogView, Step};
use crate::fbc::edit::op::Then;

pub(super) fn plan(view: &CatalogView<'_>, package: &str, bundle: &str, then: Then) -> Result<Vec<Step>, Refused> {
    let package = view.package(package)?;
    let blob = view.bundle(package, bundle).map_err(|refused| {
        let is_listed = package.channels.iter().flat_map(|c| &c.entries).any(|e| e.name.as_str() == bundle);
        if is_listed && package.bundle(bundle).is_none() {
            refused.help("only channels name it: `remove-entry` takes it out of them")
        } else {
            refused
        }
    })?;
    let mut steps = vec![Step::RemoveBlob { file: blob.file, index: blob.index }];
    for channel in package.channels.iter().filter(|c| c.entries.iter().any(|e| e.name.as_str() == bundle)) {
        steps.extend(take_out(channel, view.entry(channel, bundle)?, then));
    }
    steps.extend(forget(package, &Scope::Bundle(bundle)));
    Ok(steps)
}
