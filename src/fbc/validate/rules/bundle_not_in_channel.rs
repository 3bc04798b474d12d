//! `bundle-not-in-channel`: a bundle that no channel lists.
//! `opm`: `package "p", bundle "b" not found in any channel entries`. Promote it, or remove it.

use super::prelude::*;
use crate::order::SortSmall;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-not-in-channel",
    "package %q, bundle %q not found in any channel entries",
    "No channel lists the bundle.",
    "A bundle outside all channels can be neither installed nor upgraded to, so `opm` refuses the catalog.",
    "List the bundle in a channel (promote it), correct the entry that misspells its name, or remove the blob.",
)
.misses(Missing::Listing)
.follows(&[SharedCause::BundleMisnamed])
.bad(&[Example::Catalog(catalog!(bundle!("etcd", "1.1.0")))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0")
))]);

/// Maximum number of channels offered for a promotion.
const OFFERED: usize = 4;

pub(in crate::validate) fn check(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    if scope.package.packages.is_empty() || scope.is_nameless() || scope.is_listed(name) {
        return;
    }
    if scope.bundle(name).is_some_and(|(nth, _)| nth != out.nth) {
        return;
    }
    let package = scope.package.name.to_string();
    let default = scope.package.default_channel();
    // A channel whose edges name the bundle has lost it; otherwise the default channel comes first.
    let names_it = |channel: &ChannelScope<'_>| {
        let edges = channel
            .entries
            .iter()
            .flat_map(|e| std::iter::once(&e.replaces).chain(&e.skips));
        edges.into_iter().any(|edge| edge.value == *name)
    };
    let mut channels: Vec<(bool, &ChannelScope<'_>)> =
        scope.channels.iter().map(|c| (names_it(c), c)).collect();
    channels.sort_small_by_key(|(names, c)| {
        (
            !names,
            c.blob.name.as_str() != default,
            c.blob.name.as_str(),
        )
    });
    let fixes = channels.iter().take(OFFERED).map(|(_, channel)| {
        let target = channel.blob.name.as_str();
        fix(
            format!("promote `{name}` to channel `{target}`"),
            false,
            promotion(scope, channel, name),
        )
    });
    let fixes: Vec<Fix> = fixes.collect();
    let why = format!(
        "Clusters find bundles through channels only. No channel of package `{package}` lists `{name}`, so nobody \
         could install it, and `opm` treats that as an error."
    );
    let explanation = Explanation {
        why,
        names: vec![name.to_string()],
        chains: vec![channels_of(scope, None)],
    };
    let finding = Finding::new(
        out.here(bundle.name.place),
        format!("bundle `{name}` is in no channel"),
    )
    .help(DOC.fix)
    .bundle(name)
    .explain(explanation)
    .fixes(fixes);
    out.refuse(
        format!(
            "package {}, bundle {} not found in any channel entries",
            quote(&package),
            quote(name)
        ),
        finding,
    );
}

/// Adds the bundle to the channel: by promotion, or so that the channel becomes valid.
fn promotion(scope: &Scope<'_>, channel: &ChannelScope<'_>, bundle: &str) -> EditOp {
    let promote = |how, replaces| EditOp::Promote {
        catalog: None,
        package: scope.package.name.to_string(),
        bundle: bundle.to_owned(),
        to: channel.blob.name.value.to_string(),
        how,
        replaces,
        skip_range: Choice::Default,
    };
    let heads = channel.heads();
    let below = match heads[..] {
        [] => Choice::None,
        _ => Choice::Value(channel.name_of(scope.highest(channel, heads)).to_owned()),
    };
    let usual = promote(None, Choice::Default);
    let simulation =
        |op: &EditOp| scope.simulate(channel.blob.name.as_str(), std::slice::from_ref(op));
    let is_fine =
        |op: &EditOp| matches!(simulation(op), Simulation::Outcome(outcome) if outcome.is_fine());
    match simulation(&usual) {
        Simulation::Outcome(outcome) if outcome.is_fine() => return usual,
        // If versions do not decide its position, it becomes the head.
        Simulation::Refused => return promote(Some(PromoteAs::Head), below),
        _ => {}
    }
    let skipped = promote(Some(PromoteAs::Skipped), Choice::Default);
    if is_fine(&skipped) { skipped } else { usual }
}
