//! `entry-without-bundle`: a channel lists a name that no bundle of the package has.
//! `opm` looks at the last channel of the package only: `no olm.bundle blobs found in package "p" for olm.channel entries
//! [a b]`; a name that only earlier channels list comes out as a bundle without image and `olm.package` property. Here
//! each is told, for what it is.

use super::prelude::*;
use crate::fbc::model::Entry;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "entry-without-bundle",
    "no olm.bundle blobs found in package %q for olm.channel entries [...]",
    "A channel lists an entry for which there is no bundle.",
    "An entry promises that its bundle can be installed. Only `replaces` and `skips` may name what is not there.",
    "Correct the entry's name, add the `olm.bundle` blob, or remove the entry.",
);

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
    for channel in &scope.channels {
        for entry in &channel.entries {
            if scope.bundle(&entry.name.value).is_none() {
                out.report(finding(scope, channel, entry));
            }
        }
    }
}

fn finding(scope: &Scope<'_>, channel: &ChannelScope<'_>, entry: &Entry) -> Finding {
    let name = &entry.name.value;
    let bundles = scope.package.bundles.iter().map(|b| b.name.as_str());
    let meant = nearest(name, bundles.filter(|b| !scope.is_listed(b)));
    let help = match meant {
        Some(meant) => {
            format!("perhaps `{meant}` is meant, which no channel lists; otherwise add the bundle or remove the entry")
        }
        None => DOC.fix.to_owned(),
    };
    let remove = EditOp::RemoveEntry {
        catalog: None,
        package: scope.package.name.to_string(),
        channel: channel.blob.name.value.to_string(),
        name: name.to_string(),
        then: Then::Relink,
    };
    let message = format!("channel `{}` lists `{name}`, but there is no such bundle", channel.blob.name.value);
    Finding::new(channel.anchor(entry.name.place), message)
        .help(help)
        .channel(&channel.blob.name.value)
        .bundle(name)
        .fixes([fix(format!("remove entry `{name}` from channel `{}`", channel.blob.name.value), false, remove)])
}
