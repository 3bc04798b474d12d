//! The page's views of the session: one subject per file, each a pure function of the session.

pub(super) mod bundles;
pub(super) mod changes;
pub(super) mod compare;
pub(super) mod dropped;
mod entry_changes;
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
use protocol::upgrades::UnreadableParts;
use session::Root;
use std::collections::HashSet;
use syntax::order::SortSmall;
use verdict::validate::UnreadableText;

/// Maximum number of load faults listed per answer; the others are counted.
const MAX_LISTED: usize = 10;

/// Returns all bundles, highest version first; of several with one name, the first.
fn bundles(package: &Package) -> Vec<&Located<BundleBlob>> {
    let mut bundles: Vec<(Option<Version>, &Located<BundleBlob>)> = package
        .bundles
        .iter()
        .map(|bundle| (Version::parse(bundle.version()).ok(), bundle))
        .collect();
    bundles.sort_small_by(|(a, x), (b, y)| {
        Version::compare_optional(b, a)
            .then_with(|| y.release().cmp(x.release()))
            .then_with(|| x.name.value.cmp(&y.name.value))
    });
    let mut seen = HashSet::new();
    bundles
        .into_iter()
        .map(|(_, bundle)| bundle)
        .filter(|bundle| seen.insert(&bundle.name.value))
        .collect()
}

/// Whether unreadable text may contain a part of the package.
fn is_partly_read(root: &Root, package: &Package) -> bool {
    let text = UnreadableText::in_catalog(root.catalog());
    text.near_any_part(package, root.catalog()).is_some()
}

fn unreadable_parts(root: &Root) -> UnreadableParts {
    unreadable_parts_of_all([("", root.catalog())])
}

/// Lists the unreadable parts of several catalogs. A catalog's name may be "".
fn unreadable_parts_of_all<'a>(
    catalogs: impl IntoIterator<Item = (&'a str, &'a Catalog)>,
) -> UnreadableParts {
    let mut parts = UnreadableParts::default();
    for (name, catalog) in catalogs {
        let prefix = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        let to_line = |fault: catalog::LoadFault| {
            format!(
                "{prefix}{}:{}: {}",
                fault.location.file, fault.location.line, fault.message
            )
        };
        // Limit the list: a catalog can have a million faults, and each answer includes it.
        let listed = catalog
            .each_load_fault()
            .take(MAX_LISTED - parts.listed.len());
        parts.listed.extend(listed.map(to_line));
        parts.count += catalog.load_fault_count();
    }
    parts
}
