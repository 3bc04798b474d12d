//! What of a catalog could not be read, as answers from the rest carry it.

use fbc::catalog::Catalog;
use fbc::workspace::Root;
use protocol::counting::and_more;

/// The places that are listed; the rest is counted.
const TOLD: usize = 10;

/// Of one catalog: `FILE:LINE: what is wrong`.
pub(super) fn of(root: &Root) -> Vec<String> {
    of_all([("", root.catalog())])
}

/// Of several catalogs; "" if there is only one, which needs no name.
pub(super) fn of_all<'a>(
    catalogs: impl IntoIterator<Item = (&'a str, &'a Catalog)>,
) -> Vec<String> {
    let (mut places, mut count) = (Vec::new(), 0);
    for (name, catalog) in catalogs {
        let within = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        let line = |fault: fbc::catalog::LoadFault| {
            format!(
                "{within}{}:{}: {}",
                fault.location.file, fault.location.line, fault.message
            )
        };
        // There can be a million, and each answer carries them.
        places.extend(
            catalog
                .each_load_fault()
                .take(TOLD - places.len())
                .map(line),
        );
        count += catalog.load_fault_count();
    }
    let more = count - places.len();
    if more > 0 {
        places.push(format!("{}; see the list of problems", and_more(more)));
    }
    places
}
