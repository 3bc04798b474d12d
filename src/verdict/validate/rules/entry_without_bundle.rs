//! `entry-without-bundle`: a channel lists a name without a bundle in the package. `opm` only
//! checks the package's last channel: `no olm.bundle blobs found in package "p" for olm.channel
//! entries [a b]`. It treats a name that only earlier channels list as a bundle without image and
//! `olm.package` property. This rule reports both as a missing bundle.

use super::prelude::*;
use crate::validate::misnamed::{MisnamedEntry, Names};
use crate::validate::simulation::rename;
use catalog::model::Entry;
use syntax::order::SortSmall;

/// Maximum number of bundles compared with the missing name.
const MAX_CANDIDATES: usize = 500;
/// Maximum number of channels from which an entry is removed at once.
const MAX_CHANNELS: usize = 50;

pub const ENTRY_WITHOUT_BUNDLE: RuleDoc = RuleDoc::opm(
    "entry-without-bundle",
    "no olm.bundle blobs found in package %q for olm.channel entries [...]",
    "A channel lists an entry that has no bundle.",
    "Every entry needs a bundle that can be installed. Only `replaces` and `skips` may name bundles that are gone.",
    "Correct the entry's name, add the `olm.bundle` blob, or remove the entry.",
)
.misses(Missing::Bundle)
.causes(&[SharedCause::EntryMisnamed, SharedCause::BundleMisnamed])
.bad(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"; "1.1.0")])
.good(examples![stable!("- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"; "1.1.0")]);

pub fn check_entry_without_bundle(scope: &Scope<'_>, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    if let Some(last) = scope.package.channels.iter().rfind(|c| !c.name.is_empty()) {
        let mut missing: Vec<&str> = last
            .entries
            .iter()
            .map(|e| e.name.as_str())
            .filter(|name| scope.bundle(name).is_none())
            .collect();
        missing.sort_small();
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
    let mut names = None;
    for channel in &scope.channels {
        for entry in &channel.entries {
            if scope.bundle(&entry.name.value).is_none() {
                let names = names.get_or_insert_with(|| Names::new(scope));
                out.report(finding(scope, channel, entry, names));
            }
        }
    }
}

fn finding<'a>(
    scope: &Scope<'a>,
    channel: &ChannelScope<'a>,
    entry: &Entry,
    names: &Names<'_, 'a>,
) -> Finding {
    let name = &entry.name.value;
    let channel_name = &channel.blob.name.value;
    let misnamed = names.probable_bundle(channel, entry);
    let twin = if misnamed.is_none() {
        names.twin(channel, entry)
    } else {
        None
    };
    let help = match misnamed {
        Some(MisnamedEntry::Entry(bundle)) => {
            format!("did you mean bundle `{bundle}`? if not, add the bundle or remove the entry")
        }
        Some(MisnamedEntry::Bundle(_, bundle)) => {
            format!(
                "should bundle `{}` have this name? if not, add the bundle or remove the entry",
                bundle.name.value
            )
        }
        None => ENTRY_WITHOUT_BUNDLE.fix.to_owned(),
    };
    let why = format!(
        "Every entry needs a bundle: `opm` looks for an `olm.bundle` blob named `{name}` in package `{}` and finds \
         none. Only names in `replaces` and `skips` may be absent.",
        scope.package.name
    );
    let mut candidates: Vec<&str> = match misnamed {
        Some(MisnamedEntry::Entry(bundle)) => vec![bundle],
        Some(MisnamedEntry::Bundle(_, bundle)) => vec![bundle.name.as_str()],
        None => Vec::new(),
    };
    let suggested = candidates.first().copied();
    let unlisted = scope
        .package
        .bundles
        .iter()
        .map(|b| b.data.name.as_str())
        .filter(|b| !scope.is_listed(b));
    candidates.extend(
        unlisted
            .filter(|bundle| Some(*bundle) != suggested)
            .take(MAX_CANDIDATES),
    );
    let mut chains = Vec::new();
    if !candidates.is_empty() {
        chains.push(column("similar bundles".to_owned(), candidates, |bundle| {
            (suggested == Some(bundle))
                .then_some(ChainMark::Suggested)
                .into_iter()
                .collect()
        }));
    }
    // Do not empty the channel if the intended bundle is known.
    let removals = match misnamed {
        Some(_) if channel.entries.len() == 1 => Vec::new(),
        _ => removals(scope, channel_name, name),
    };
    let message = format!("channel `{channel_name}` lists `{name}`, but there is no such bundle");
    channel
        .finding(entry.name.place, message)
        .help(help)
        .bundle(name)
        .explain(Explanation {
            why,
            names: vec![name.to_string()],
            chains,
        })
        .correction(misnamed.map(|misnamed| name_correction(scope, channel, entry, misnamed)))
        .fixes(twin.and_then(|twin| merge_fix(scope, channel, name, twin)))
        .fixes(removals)
}

fn name_correction(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    entry: &Entry,
    misnamed: MisnamedEntry<'_>,
) -> NameCorrection {
    let name = &entry.name.value;
    match misnamed {
        MisnamedEntry::Entry(bundle) => {
            let title = format!("change `{name}` to `{bundle}`");
            let mut correction =
                NameCorrection::new(title, channel.anchor(entry.name.place), name, bundle);
            correction
                .at
                .extend(other_mentions(scope, channel, name, bundle));
            let outcome = rename(channel, name, bundle);
            correction.in_order = outcome.is_fine();
            correction.heads = outcome.heads.iter().map(ToString::to_string).collect();
            correction
        }
        MisnamedEntry::Bundle(nth, bundle) => {
            let title = format!("rename bundle `{}` to `{name}`", bundle.name.value);
            NameCorrection::new(
                title,
                Anchor::new(BlobRef::Bundle(nth), bundle.name.place),
                &bundle.name.value,
                name,
            )
        }
    }
}

/// Returns other mentions of the name for the bundle: the channel's edges, other channels that list
/// the name but not the bundle, and deprecations.
fn other_mentions(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    name: &str,
    bundle: &str,
) -> Vec<Anchor> {
    let others = scope
        .channels
        .iter()
        .filter(|other| {
            other.nth != channel.nth
                && other.position(name).is_some()
                && other.position(bundle).is_none()
        })
        .take(MAX_CHANNELS);
    let mut places = Vec::new();
    for listing_channel in std::iter::once(channel).chain(others) {
        let is_own = listing_channel.nth == channel.nth;
        let entries = listing_channel.blob.entries.iter();
        let written =
            entries.flat_map(|e| (!is_own).then_some(&e.name).into_iter().chain(e.targets()));
        places.extend(
            written
                .filter(|written| written.as_str() == name)
                .map(|written| listing_channel.anchor(written.place)),
        );
    }
    for (nth, blob) in (0..).zip(&scope.package.deprecations) {
        let of_bundle = blob
            .entries
            .iter()
            .filter(|e| e.schema.as_str() == "olm.bundle" && e.name.as_str() == name);
        places.extend(
            of_bundle.map(|entry| Anchor::new(BlobRef::Deprecations(nth), entry.name.place)),
        );
    }
    places
}

/// Builds the fix that redirects references from the entry to another one of the channel, and
/// removes the entry. `None` if plain removal already makes the channel valid, or if neither does.
fn merge_fix(scope: &Scope<'_>, channel: &ChannelScope<'_>, name: &str, twin: &str) -> Option<Fix> {
    let builder = FixBuilder::new(scope, channel);
    let mut ops = Vec::new();
    for (at, entry) in channel.entries.iter().enumerate() {
        if entry.replaces.as_str() == name {
            ops.push(builder.set_replaces(at, Some(twin.to_owned())));
        }
        if entry.has_skip(name) {
            ops.push(builder.remove_skip(at, vec![name.to_owned()]));
            ops.push(builder.add_skip(at, vec![twin.to_owned()]));
        }
    }
    let remove = builder.remove_entry(channel.position(name)?);
    let is_fine = |ops: &[EditOp]| matches!(builder.outcome(ops), Simulation::Outcome(outcome) if outcome.is_fine());
    if ops.is_empty() || ops.len() > MAX_CHANNELS || is_fine(std::slice::from_ref(&remove)) {
        return None;
    }
    ops.push(remove);
    let title =
        format!("change `{name}` to `{twin}` in `replaces` and `skips`, and remove entry `{name}`");
    is_fine(&ops).then(|| Fix::new(title, false, ops).with_kind("did-you-mean"))
}

/// Builds the fixes that remove the entry: from all channels that list it, along with its
/// deprecation, or from this channel alone.
fn removals(scope: &Scope<'_>, channel: &str, name: &str) -> Vec<Fix> {
    let package = scope.package.name.to_string();
    let remove = |channel: &ChannelScope<'_>| {
        let channel_name = channel.blob.name.value.to_string();
        // Also remove a channel that lists nothing else, if the package has others and another one
        // is the default.
        if channel.entries.len() == 1
            && scope.channels.len() > 1
            && channel_name != scope.package.default_channel()
        {
            return vec![EditOp::RemoveChannel {
                catalog: None,
                package: package.clone(),
                channel: channel_name,
            }];
        }
        let op = scope
            .place(&channel_name, name)
            .remove(DanglingEdges::Relink);
        let listed = channel
            .blob
            .entries
            .iter()
            .filter(|entry| entry.name.as_str() == name)
            .count();
        vec![op; listed.min(MAX_CHANNELS)]
    };
    // Put this channel first, because the outcome is predicted for it.
    let mut listing: Vec<&ChannelScope<'_>> = scope
        .channels
        .iter()
        .filter(|c| c.position(name).is_some())
        .take(MAX_CHANNELS)
        .collect();
    listing.sort_small_by_key(|other| other.blob.name.as_str() != channel);
    let is_deprecated = scope.is_deprecated("olm.bundle", name);
    let mut fixes = Vec::new();
    if listing.len() > 1 || is_deprecated {
        let from = match listing.len() {
            1 => format!("channel `{channel}`"),
            channels => format!("the {channels} channels that list it"),
        };
        let deprecation = if is_deprecated {
            ", with its deprecation"
        } else {
            ""
        };
        let mut ops: Vec<EditOp> = listing.iter().flat_map(|channel| remove(channel)).collect();
        ops.extend(is_deprecated.then(|| scope.undeprecate_bundle(name)));
        fixes.push(
            Fix::new(
                format!("remove entry `{name}` from {from}{deprecation}"),
                false,
                ops,
            )
            .with_kind("remove-everywhere"),
        );
    }
    if let Some(here) = listing.first() {
        let ops = remove(here);
        let title = match ops.first() {
            Some(EditOp::RemoveChannel { .. }) => {
                format!("remove channel `{channel}`, which lists nothing else")
            }
            _ => format!("remove entry `{name}` from channel `{channel}`"),
        };
        fixes.push(Fix::new(title, false, ops));
    }
    fixes
}
