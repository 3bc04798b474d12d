//! `skip-range-empty`: a skipRange that covers no other version.

use super::super::rules::prelude::*;
use super::ranges::{holds_any, skip_range};
use crate::order::SortSmall;
use crate::version::version_line::difference;
use crate::version::{Version, version_in_name};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "skip-range-empty",
    Severity::Warning,
    Profile::Strict,
    "A skipRange covers no other version of the package.",
    "Versions in the range upgrade to the entry directly. No bundle in the package, and no \
     name that an entry replaces or skips, has such a version: either the range is wrong, or it covers versions that \
     were never in this catalog. The latter is common, so this rule is in the `strict` profile only.",
    "Correct the bounds if the range is meant for listed versions. Do not remove it: it may be the only way on for users on \
     versions that the catalog does not list.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>1.0.0 <1.1.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.0.0 <1.1.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    if scope
        .channels
        .iter()
        .all(|c| c.entries.iter().all(|e| e.skip_range.is_empty()))
    {
        return;
    }
    let mut versions: Vec<Version> = scope
        .package
        .bundles
        .iter()
        .filter_map(|b| Version::parse(b.version()).ok())
        .collect();
    let entries = scope.channels.iter().flat_map(|c| &c.entries);
    let targets = entries
        .flat_map(|e| e.skips.iter().chain([&e.replaces]))
        .map(|n| n.as_str());
    let gone = targets.filter(|name| scope.bundle(name).is_none());
    versions.extend(gone.filter_map(|name| version_in_name(name).map(|(_, version)| version)));
    versions.sort_small_by(Version::cmp_precedence);
    for channel in &scope.channels {
        for view in scope.entries(channel) {
            let Some(range) = skip_range(&view) else {
                continue;
            };
            let own = scope.version(view.entry.name.as_str());
            // `skip-range-impossible` reports ranges without any version.
            if holds_any(&range, &versions, own) || difference(&range, None).is_empty() {
                continue;
            }
            let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
            let message = format!(
                "skipRange `{}` of entry `{name}` covers no other version of the package",
                text.value
            );
            let finding = Finding::new(channel.anchor(text.place), message).help(DOC.fix);
            out.report(finding.channel(&channel.blob.name.value).bundle(name));
        }
    }
}
