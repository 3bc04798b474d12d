//! `major-jump`: an upgrade that crosses a major version automatically.

use super::super::rules::prelude::*;
use crate::version::Version;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "major-jump",
    Severity::Info,
    Profile::Strict,
    "An entry takes users of a lower major version to a higher one.",
    "With automatic approval nobody confirms the upgrade, and a new major version may remove \
     APIs. The rule ignores upgrades from 0 to 1 and calendar versions (major version 100 and up). \
     Many packages accept that, so \
     this rule is in the `strict` profile only.",
    "Put the new major version into a channel of its own, which users choose; or suppress this rule when nothing \
     breaks.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.9.0", "- name: etcd.v2.0.0\n  replaces: etcd.v1.9.0"),
    bundle!("etcd", "1.9.0"),
    bundle!("etcd", "2.0.0"),
))])
.good(&[
    Example::Catalog(concat!(
        package!("etcd", "stable-v2"),
        channel!("etcd", "stable-v1", "- name: etcd.v1.9.0"),
        channel!("etcd", "stable-v2", "- name: etcd.v2.0.0"),
        bundle!("etcd", "1.9.0"),
        bundle!("etcd", "2.0.0"),
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v0.9.0", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"),
        bundle!("etcd", "0.9.0"),
        bundle!("etcd", "1.0.0"),
    )),
]);

/// Major versions from here on count years or builds, not breaking changes.
const YEAR: u64 = 100;

/// Once per entry, at the first such edge.
pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let name = &view.entry.name.value;
    let mut edges = view
        .entry
        .skips
        .iter()
        .filter(|skip| !skip.is_empty())
        .peekable();
    if view.entry.replaces.is_empty() && edges.peek().is_none() {
        return;
    }
    let Some(own) = scope.version(name).filter(|own| own.major() < YEAR) else {
        return;
    };
    let crosses = |other: &&Version| other.major() > 0 && other.major() < own.major();
    let crossed = std::iter::once(&view.entry.replaces)
        .chain(edges)
        .find_map(|target| {
            let other = scope.version(target.as_str()).filter(crosses)?;
            Some((target, other))
        });
    let Some((target, other)) = crossed else {
        return;
    };
    let message = format!(
        "`{name}` takes users of `{}` from {other} to {own}",
        target.value
    );
    let finding = Finding::new(view.channel.anchor(target.place), message).help(DOC.fix);
    out.report(finding.channel(&view.channel.blob.name.value).bundle(name));
}
