//! The page's views of the session: one subject per file, each a pure function of the session.

pub(super) mod bundles;
pub(super) mod changes;
pub(super) mod compare;
pub(super) mod dropped;
pub(super) mod inspect;
pub(super) mod lanes;
pub(super) mod package;
pub(super) mod problems;
pub(super) mod repository;
pub(super) mod source;
pub(super) mod status;
pub(super) mod subset;
pub(super) mod template;
pub(super) mod upgrade;

use catalog::Catalog;
use catalog::model::{BundleBlob, Located, Package};
use catalog::version::Version;
use protocol::counting::and_more;
use session::Root;
use syntax::order::SortSmall;

/// Returns all bundles, highest version first; of several with one name, the first.
fn bundles(package: &Package) -> Vec<&Located<BundleBlob>> {
    let mut bundles: Vec<(Option<Version>, &Located<BundleBlob>)> = package
        .bundles
        .iter()
        .map(|bundle| (Version::parse(bundle.version()).ok(), bundle))
        .collect();
    bundles.sort_small_by(|(a, x), (b, y)| {
        let by_version = match (a, b) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        by_version
            .then_with(|| y.release().cmp(x.release()))
            .then_with(|| x.name.value.cmp(&y.name.value))
    });
    let mut seen = std::collections::HashSet::new();
    bundles
        .into_iter()
        .map(|(_, bundle)| bundle)
        .filter(|bundle| seen.insert(&bundle.name.value))
        .collect()
}

/// Maximum number of places listed; the others are counted.
const LISTED: usize = 10;

/// Lists the unreadable parts of a catalog as `FILE:LINE: message`.
fn unread_places(root: &Root) -> Vec<String> {
    unread_places_of_all([("", root.catalog())])
}

/// Lists the unreadable parts of several catalogs. A catalog's name may be "".
fn unread_places_of_all<'a>(
    catalogs: impl IntoIterator<Item = (&'a str, &'a Catalog)>,
) -> Vec<String> {
    let (mut places, mut count) = (Vec::new(), 0);
    for (name, catalog) in catalogs {
        let within = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        let line = |fault: catalog::LoadFault| {
            format!(
                "{within}{}:{}: {}",
                fault.location.file, fault.location.line, fault.message
            )
        };
        // Limit the list: a catalog can have a million faults, and each answer includes it.
        places.extend(
            catalog
                .each_load_fault()
                .take(LISTED - places.len())
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
