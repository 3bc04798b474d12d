//! `entry-key-misspelt`, `entry-key-unknown` and `entry-key-doubled`: keys of channel entries that `opm` ignores or reads
//! twice.

use super::super::rules::prelude::*;
use crate::model::{OddKey, OddKeyProblem};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "entry-key-misspelt",
    Severity::Warning,
    Profile::Community,
    "A channel entry has a key that is spelled almost like one `opm` reads.",
    "`opm` reads `name`, `replaces`, `skips` and `skipRange` of an entry, in any case of letters, and ignores every other \
     key without a word. With `skip-range` or `replace` the edge does not exist, so users get no update along it.",
    "Write the key in the message. `olm.skipRange` is an annotation of a ClusterServiceVersion; in a catalog it is \
     `skipRange`.",
)
.in_templates()
.bad(&[
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipRanges: <1.0.0"),
        bundle!("etcd", "1.0.0"),
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skip: etcd.v0.9.0"),
        bundle!("etcd", "1.0.0"),
    )),
])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skiprange: <1.0.0\n  note: the first one"),
    bundle!("etcd", "1.0.0"),
))]);

pub(in crate::validate) const UNKNOWN: RuleDoc = RuleDoc::advice(
    "entry-key-unknown",
    Severity::Info,
    Profile::Community,
    "A channel entry has a key that `opm` does not know.",
    "`opm` reads `name`, `replaces`, `skips` and `skipRange` of an entry and ignores every other key without a word. An \
     edge, a version or an image that is written there has no effect.",
    "Remove the key, or write its content where OLM reads it: the version and the image belong to the bundle.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipPatch: true"),
    bundle!("etcd", "1.0.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipRange: <1.0.0"),
    bundle!("etcd", "1.0.0"),
))]);

pub(in crate::validate) const DOUBLED: RuleDoc = RuleDoc::advice(
    "entry-key-doubled",
    Severity::Warning,
    Profile::Community,
    "A channel entry has a key twice, in the same spelling or in different case.",
    "Of a key that is written twice `opm` takes the last value. It reads keys in any case of letters and in the order of \
     their bytes, in which capital letters come first: of `skipRange` and `skiprange` it takes the value of `skiprange`, \
     whichever is written first.",
    "Remove the key that does not count, or the other one if its value is wrong.",
)
.in_templates()
.bad(&[
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipRange: <0.9.0\n  skiprange: <1.0.0"),
        bundle!("etcd", "1.0.0"),
    )),
    Example::Catalog(concat!(
        package!("etcd", "stable"),
        channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skipRange: <0.9.0\n  skipRange: <1.0.0"),
        bundle!("etcd", "1.0.0"),
    )),
])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skiprange: <1.0.0"),
    bundle!("etcd", "1.0.0"),
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    for odd in &channel.odd_keys {
        let OddKeyProblem::Misspelt {
            meant: field,
            correction,
        } = &odd.problem
        else {
            continue;
        };
        let (finding, at) = finding(channel, odd, out, |entry, key| {
            format!("`opm` ignores the key `{key}` of entry `{entry}`")
        });
        let corrected = correction.as_ref().map(|correction| Corrected {
            // The edge had no effect before.
            safe: false,
            ..Corrected::in_blob(at.blob, correction)
        });
        out.report(
            finding
                .help(format!("did you mean `{field}`?"))
                .corrected(corrected),
        );
    }
}

pub(in crate::validate) fn check_unknown(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    for odd in &channel.odd_keys {
        if odd.problem == OddKeyProblem::Unknown {
            let (finding, _) = finding(channel, odd, out, |entry, key| {
                format!("OLM ignores the key `{key}` of entry `{entry}`")
            });
            out.report(finding.help("an entry has `name`, `replaces`, `skips` and `skipRange`"));
        }
    }
}

pub(in crate::validate) fn check_doubled(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    for odd in &channel.odd_keys {
        let OddKeyProblem::Overridden { by } = &odd.problem else {
            continue;
        };
        let (finding, _) = finding(channel, odd, out, |entry, key| match **by == *key {
            true => format!(
                "the key `{key}` of entry `{entry}` is written again, and `opm` takes the last value"
            ),
            false => format!(
                "the key `{key}` of entry `{entry}` does not count: `opm` reads `{by}` as the same key, after it"
            ),
        });
        out.report(finding.help("remove one of the two keys"));
    }
}

fn finding(
    channel: &ChannelBlob,
    odd: &OddKey,
    out: &Findings,
    message: impl Fn(&str, &str) -> String,
) -> (Finding, Anchor) {
    let at = out.here(odd.key.place);
    let entry = channel.entries.get(odd.entry as usize);
    let name = entry.map_or("", |entry| entry.name.as_str());
    let finding = Finding::new(at, message(name, odd.key.as_str())).channel(&channel.name.value);
    match entry {
        Some(entry) => (finding.bundle(&entry.name.value), at),
        None => (finding, at),
    }
}
