//! `max-openshift-version-decreases`: an update supports fewer cluster versions.

use super::super::rules::prelude::*;
use super::max_openshift_version::{KIND, limit};
use super::properties::anchor;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "max-openshift-version-decreases",
    Severity::Info,
    Profile::Strict,
    "A bundle allows fewer versions of OpenShift than the one it replaces.",
    "`olm.maxOpenShiftVersion` applies while a bundle is installed. After this operator update, a minor cluster update \
     that was possible before is blocked until a later bundle allows it again.",
    "Allow at least what the replaced bundle allows, or make sure that the head of the channel does.",
)
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0", "- type: olm.maxOpenShiftVersion\n  value: \"4.19\"\n"),
    bundle!("etcd", "1.1.0", "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0", "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n"),
    bundle!("etcd", "1.1.0", "- type: olm.maxOpenShiftVersion\n  value: \"4.19\"\n"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return;
    };
    let Some((new, fact)) = limit(bundle) else {
        return;
    };
    let Some((replaced_nth, replaced)) = scope.bundle(view.entry.replaces.as_str()) else {
        return;
    };
    // Another rule reports an unreadable limit.
    let old = match limit(replaced) {
        Some((old, _)) if old <= new => return,
        Some((old, _)) => format!("up to {old}"),
        None if replaced.properties.iter().any(|p| &*p.kind == KIND) => return,
        None => "without a limit".to_owned(),
    };
    // Reported at the bundle, so not for each channel.
    let first = scope
        .first_to_list(view.entry.name.as_str())
        .filter(|_| !view.first_listing);
    let first = first.and_then(|channel| {
        channel
            .entries
            .get(channel.position(view.entry.name.as_str())?)
    });
    if first.is_some_and(|entry| entry.replaces.value == view.entry.replaces.value) {
        return;
    }
    let (name, replaced_name) = (&view.entry.name.value, &replaced.name.value);
    let message = format!(
        "`{name}` allows OpenShift up to {new}; `{replaced_name}`, which it replaces, allows {old}"
    );
    let related = [(
        "the replaced bundle".to_owned(),
        Anchor::new(BlobRef::Bundle(replaced_nth), replaced.name.place),
    )];
    let finding = Finding::new(anchor(nth as usize, fact), message)
        .help(DOC.fix)
        .related(related);
    out.report(finding.channel(&view.channel.blob.name.value).bundle(name));
}
