//! `entry-without-bundle`: a channel lists a name that no bundle of the package has.
//! `opm` looks at the last channel of the package only: `no olm.bundle blobs found in package "p" for olm.channel entries
//! [a b]`; a name that only earlier channels list comes out as a bundle without image and `olm.package` property. Here
//! each is told, for what it is.

use super::prelude::*;
use crate::fbc::model::Entry;
use crate::fbc::validate::likeness::{Likeness, other_version, slip};
use crate::fbc::validate::whatif::heads_renamed;

/// Most bundles that are looked at for a misspelt entry.
const CANDIDATES: usize = 500;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "entry-without-bundle",
    "no olm.bundle blobs found in package %q for olm.channel entries [...]",
    "A channel lists an entry for which there is no bundle.",
    "An entry promises that its bundle can be installed. Only `replaces` and `skips` may name what is not there.",
    "Correct the entry's name, add the `olm.bundle` blob, or remove the entry.",
)
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.1.0")
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.1.0")
))]);

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    if let Some(last) = scope.package.channels.iter().rfind(|c| !c.name.is_empty()) {
        let mut missing: Vec<&str> =
            last.entries.iter().map(|e| e.name.as_str()).filter(|name| scope.bundle(name).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            let opm = format!(
                "no olm.bundle blobs found in package {} for olm.channel entries [{}]",
                quote(&scope.package.name),
                missing.join(" ")
            );
            out.stop(opm);
        }
    }
    let mut free = None;
    for channel in &scope.channels {
        for entry in &channel.entries {
            if scope.bundle(&entry.name.value).is_none() {
                let free = free.get_or_insert_with(|| Free::new(scope));
                out.report(finding(scope, channel, entry, free));
            }
        }
    }
}

fn finding(scope: &Scope<'_>, channel: &ChannelScope<'_>, entry: &Entry, free: &Free<'_>) -> Finding {
    let name = &entry.name.value;
    let channel_name = &channel.blob.name.value;
    let once = channel.blob.entries.len() == channel.entries.len();
    let meant = free.meant(name).filter(|_| once);
    let help = match meant {
        Some(meant) => {
            format!("perhaps `{meant}` is meant, which no channel lists; otherwise add the bundle or remove the entry")
        }
        None => DOC.fix.to_owned(),
    };
    let remove = EditOp::RemoveEntry {
        catalog: None,
        package: scope.package.name.to_string(),
        channel: channel_name.to_string(),
        name: name.to_string(),
        then: Then::Relink,
    };
    let why = format!(
        "An entry promises a bundle that can be installed: `opm` looks for an `olm.bundle` blob named `{name}` in package \
         `{}` and finds none. Only what `replaces` and `skips` name need not be there.",
        scope.package.name
    );
    let mut chains = Vec::new();
    if !free.names.is_empty() {
        chains.push(column("bundles that no channel lists".to_owned(), free.names.iter().copied(), |bundle| {
            (meant == Some(bundle)).then_some(Mark::Suggested).into_iter().collect()
        }));
    }
    let message = format!("channel `{channel_name}` lists `{name}`, but there is no such bundle");
    Finding::new(channel.anchor(entry.name.place), message)
        .help(help)
        .channel(channel_name)
        .bundle(name)
        .explain(Explanation { why, names: vec![name.to_string()], chains })
        .respell(meant.map(|meant| Respell {
            title: format!("did you mean bundle `{meant}`?"),
            at: channel.anchor(entry.name.place),
            was: name.clone(),
            meant: meant.to_owned(),
            heads: heads_renamed(channel, name, meant),
        }))
        .fixes([fix(format!("remove entry `{name}` from channel `{channel_name}`"), false, remove)])
}

/// Bundles that no channel lists: one of them is perhaps what an entry means.
struct Free<'a> {
    names: Vec<&'a str>,
    likeness: Likeness<'a>,
}

impl<'a> Free<'a> {
    fn new(scope: &Scope<'a>) -> Self {
        let names = scope.package.bundles.iter().map(|b| b.data.name.as_str()).filter(|b| !scope.is_listed(b));
        let names: Vec<&str> = names.take(CANDIDATES).collect();
        Self { likeness: Likeness::of(names.iter().copied()), names }
    }

    fn meant(&self, name: &str) -> Option<&'a str> {
        self.likeness
            .respelled(name)
            .or_else(|| slip(name, self.names.iter().copied().filter(|known| !other_version(name, known))))
    }
}
