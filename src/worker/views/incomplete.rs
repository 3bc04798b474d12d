//! What of a catalog could not be read, as answers from the rest carry it.

use fbc::catalog::Catalog;
use fbc::workspace::Root;

/// The places that are listed; the rest is counted.
const TOLD: usize = 10;

/// Of one catalog: `FILE:LINE: what is wrong`.
pub(super) fn of(root: &Root) -> Vec<String> {
    of_all([("", root.catalog())])
}

/// Of several catalogs; "" if there is only one, which needs no name.
pub(super) fn of_all<'a>(catalogs: impl IntoIterator<Item = (&'a str, &'a Catalog)>) -> Vec<String> {
    let faults = catalogs.into_iter().flat_map(|(name, catalog)| {
        let within = if name.is_empty() { String::new() } else { format!("{name}: ") };
        let line = move |fault: fbc::catalog::LoadFault| {
            format!("{within}{}:{}: {}", fault.location.file, fault.location.line, fault.message)
        };
        catalog.load_faults().into_iter().map(line)
    });
    let mut places: Vec<String> = faults.collect();
    let more = places.len().saturating_sub(TOLD);
    if more > 0 {
        places.truncate(TOLD);
        places.push(format!("and {more} more; see the list of problems"));
    }
    places
}
