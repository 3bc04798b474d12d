//! The bundles that an operation applies to: a named one, or all that meet a condition.

use super::CatalogView;
use super::condition::Condition;
use super::refused::Refused;
use crate::model::{BundleBlob, Located, Package};
use std::collections::HashMap;

/// At least one bundle, in load order.
pub(super) fn select<'a>(
    view: &CatalogView<'a>,
    package: &'a Package,
    bundle: Option<&str>,
    condition: Option<&str>,
) -> Result<Vec<&'a Located<BundleBlob>>, Refused> {
    match (bundle, condition) {
        (Some(bundle), None) => Ok(vec![view.bundle(package, bundle)?]),
        (None, Some(condition)) => meeting(package, condition),
        (Some(_), Some(_)) => Err(Refused::new("both a bundle and a condition are given")
            .help("name the bundle, or use `--where`")),
        (None, None) => {
            Err(Refused::new("no bundles are named")
                .help("name one with `--bundle`, or use `--where`"))
        }
    }
}

fn meeting<'a>(package: &'a Package, text: &str) -> Result<Vec<&'a Located<BundleBlob>>, Refused> {
    let condition = Condition::parse(text)?;
    let mut listed: HashMap<&str, Vec<&str>> = HashMap::with_capacity(package.bundles.len());
    for channel in &package.channels {
        for entry in &channel.entries {
            listed
                .entry(entry.name.as_str())
                .or_default()
                .push(channel.name.as_str());
        }
    }
    let channels = |bundle: &BundleBlob| {
        listed
            .get(bundle.name.as_str())
            .map_or(&[][..], Vec::as_slice)
    };
    let found: Vec<_> = package
        .bundles
        .iter()
        .filter(|b| condition.holds(b, channels(b)))
        .collect();
    if found.is_empty() {
        let all = package.bundles.len();
        return Err(Refused::new(format!(
            "none of the {all} bundles of package `{}` meets `{text}`",
            package.name
        ))
        .help("`switchyard list bundles` shows their names, versions and channels"));
    }
    Ok(found)
}
