//! The workspace as the page shows it: one subject a file, each a pure function of what is open.

pub(super) mod bug_report;
pub(super) mod bundles;
pub(super) mod changes;
pub(super) mod compare;
mod entry_changes;
pub(super) mod everyone;
pub(super) mod find;
mod incomplete;
pub(super) mod inspect;
pub(super) mod install;
pub(super) mod manifest_question;
pub(super) mod marks;
pub(super) mod matrix;
mod on_cluster;
pub(super) mod outcome;
pub(super) mod package;
pub(super) mod package_list;
pub(super) mod range;
pub(super) mod render_targets;
pub(super) mod repository;
pub(super) mod rules;
pub(super) mod source;
pub(super) mod status;
pub(super) mod subset;
mod table;
pub(super) mod template;
mod upgrade;
mod user_table;

use fbc::model::{BundleBlob, Located, Package};
use fbc::order::PutInOrder;
use fbc::version::Version;
use std::cmp::Ordering;

/// Names and versions of all bundles, highest version first; each name once.
fn bundles(package: &Package) -> Vec<&Located<BundleBlob>> {
    let mut bundles: Vec<(Option<Version>, &Located<BundleBlob>)> = package
        .bundles
        .iter()
        .map(|bundle| (Version::parse(bundle.version()).ok(), bundle))
        .collect();
    bundles.put_in_order_by(|(a, x), (b, y)| {
        let by_version = match (a, b) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
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
