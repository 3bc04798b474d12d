//! `entry-duplicate`: a name occurs twice in a channel's entries. `opm`: `invalid package "p",
//! channel "c": duplicate entry "e"`. They must be merged.

use super::prelude::*;
use crate::hashed::HashMap;
use crate::model::Entry;

/// Maximum number of repetitions removed at once.
const REPEATED: usize = 100;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "entry-duplicate",
    "invalid package %q, channel %q: duplicate entry %q",
    "A channel lists the same entry twice.",
    "An entry carries the upgrade edges of its bundle in this channel; with two of them it is ambiguous which edges \
     count.",
    "Merge `replaces`, `skips` and `skipRange` of both into one entry and remove the other.",
)
.causes(&[SharedCause::EntryDoubled])
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"),
    bundle!("etcd", "1.0.0")
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"),
    bundle!("etcd", "1.0.0")
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    let mut seen: HashMap<&str, (&Entry, usize)> =
        HashMap::with_capacity_and_hasher(channel.entries.len(), Default::default());
    let mut repeated = Vec::new();
    for entry in &channel.entries {
        // An alias has the position of its anchor, so positions do not distinguish repetitions
        // here.
        let (first, listed) = seen.entry(entry.name.as_str()).or_insert((entry, 0));
        *listed += 1;
        if *listed > 1 {
            repeated.push((entry, *first));
        }
    }
    for (entry, first) in repeated {
        let (name, place) = (&entry.name.value, entry.name.place);
        let opm = format!(
            "invalid package {}, channel {}: duplicate entry {}",
            quote(&channel.package.value),
            quote(&channel.name.value),
            quote(name)
        );
        let (is_same, listed) = (
            first.says_the_same(entry),
            seen.get(name.as_ref()).map_or(0, |(_, n)| *n),
        );
        let finding = Finding::new(
            out.here(place),
            format!(
                "entry `{name}` is listed twice in channel `{}`",
                channel.name.value
            ),
        )
        .help(if is_same {
            "both are identical: remove one of them"
        } else {
            DOC.fix
        })
        .channel(&channel.name.value)
        .bundle(name)
        .related([("first listed here".to_owned(), out.here(first.name.place))])
        .fixes(is_same.then(|| remove(scope, channel, name, listed - 1)));
        out.refuse(opm, finding);
    }
}

/// Removes repetitions. Safe: the remaining one has the same content; if another one differs, the
/// operation is refused.
fn remove(scope: &Scope<'_>, channel: &ChannelBlob, name: &str, times: usize) -> Fix {
    let op = scope.ops().remove_entry(&channel.name.value, name);
    let title = format!("list `{name}` in channel `{}` once", channel.name.value);
    kind(
        "remove-duplicate",
        fix_of(title, true, vec![op; times.min(REPEATED)]),
    )
}
