//! `skip-range-only-in-csv`: the ClusterServiceVersion has a skip range that the entry lacks.

use super::super::rules::prelude::*;
use crate::version::blang::Range;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "skip-range-only-in-csv",
    Severity::Info,
    Profile::Community,
    "The CSV of a channel head is annotated with an `olm.skipRange` that no entry of the bundle has.",
    "In a catalog only the entries of channels are edges: neither `opm` nor OLM reads the annotation there. If it was meant \
     to take effect, users within the range get no update.",
    "Set the entry's `skipRange` if the range is meant; otherwise leave it.",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.skipRange: '>=0.1.0 <1.0.0'\n    displayName: etcd\n"
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipRange: '>=0.1.0  <1.0.0'"),
    bundle!(
        "etcd",
        "1.0.0",
        "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.skipRange: '>=0.1.0 <1.0.0'\n    displayName: \
         etcd\n"
    ),
))]);

pub(in crate::validate) fn check(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    for &head in channel.heads() {
        let entry = channel.entries[head];
        let name = &entry.name.value;
        let Some((_, bundle)) = scope.bundle(name) else {
            continue;
        };
        let Some(range) = bundle.csv_skip_range.as_deref().map(|range| &**range) else {
            continue;
        };
        // Reported once, in the first channel that the bundle heads.
        let lists_it = |other: &&ChannelScope<'_>| other.position(name).is_some();
        let mut listing = scope.channels.iter().filter(lists_it);
        let is_first = scope
            .channels
            .iter()
            .find(|other| other.heads().iter().any(|&h| other.name_of(h) == &**name))
            .is_some_and(|first| first.nth == channel.nth);
        let has_range = |other: &ChannelScope<'_>| {
            other
                .position(name)
                .is_some_and(|at| is_same(other.entries[at].skip_range.as_str(), range))
        };
        if !is_first || listing.any(has_range) {
            continue;
        }
        let channel_name = &channel.blob.name.value;
        let (has, place) = match entry.skip_range.as_str() {
            "" => ("has none".to_owned(), entry.name.place),
            own => (format!("has `{own}`"), entry.skip_range.place),
        };
        let message = format!(
            "the CSV of `{name}` is annotated with skipRange `{range}`, but its entry in channel `{channel_name}` {has}"
        );
        let op = scope
            .ops()
            .set_skip_range(channel_name, name, Some(range.to_owned()));
        let fix = Range::parse(range)
            .is_ok()
            .then(|| fix(format!("set the entry's skipRange to `{range}`"), false, op));
        out.report(
            Finding::new(channel.anchor(place), message)
                .help(DOC.fix)
                .channel(channel_name)
                .bundle(name)
                .fixes(fix),
        );
    }
}

/// Equal except for blanks.
fn is_same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
