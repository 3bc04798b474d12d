//! `entry-duplicate`: a name twice in the entries of a channel.
//! `opm`: `invalid package "p", channel "c": duplicate entry "e"`. The two have to become one.

use super::prelude::*;
use crate::fbc::hashed::HashMap;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "entry-duplicate",
    "invalid package %q, channel %q: duplicate entry %q",
    "A channel lists the same entry twice.",
    "An entry carries the upgrade edges of its bundle in this channel; with two of them it is undecided which ones count.",
    "Join `replaces`, `skips` and `skipRange` of both in one entry and remove the other.",
)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"), bundle!("etcd", "1.0.0")))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"), bundle!("etcd", "1.0.0")))]);

pub(in crate::fbc::validate) fn check(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    let mut seen = HashMap::with_capacity_and_hasher(channel.entries.len(), Default::default());
    for entry in &channel.entries {
        let (name, place) = (&entry.name.value, entry.name.place);
        // An alias stands at the place of its anchor, so places tell nothing here.
        let Some(first) = seen.insert(name.as_ref(), place) else { continue };
        seen.insert(name.as_ref(), first);
        let opm = format!(
            "invalid package {}, channel {}: duplicate entry {}",
            quote(&channel.package.value),
            quote(&channel.name.value),
            quote(name)
        );
        let finding = Finding::new(
            out.here(place),
            format!("entry `{name}` is listed twice in channel `{}`", channel.name.value),
        )
        .help(DOC.fix)
        .channel(&channel.name.value)
        .bundle(name)
        .related([("first listed here".to_owned(), out.here(first))]);
        out.refuse(opm, finding);
    }
}
