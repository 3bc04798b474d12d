//! `bundle-not-in-channel`: a bundle that no channel lists.
//! `opm`: `package "p", bundle "b" not found in any channel entries`. Promote it, or remove it.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-not-in-channel",
    "package %q, bundle %q not found in any channel entries",
    "No channel lists the bundle.",
    "A bundle outside all channels can be neither installed nor upgraded to, so `opm` refuses the catalog.",
    "List the bundle in a channel (promote it), correct the entry that misspells its name, or remove the blob.",
)
.bad(&[Example::Catalog(catalog!(bundle!("etcd", "1.1.0")))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0")
))]);

/// Most channels offered for a promotion.
const OFFERED: usize = 4;

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    if scope.package.packages.is_empty() || scope.is_nameless() || scope.is_listed(name) {
        return;
    }
    if scope.bundle(name).is_some_and(|(nth, _)| nth != out.nth) {
        return;
    }
    let package = scope.package.name.to_string();
    let default = scope.package.default_channel();
    let mut channels: Vec<&str> = scope.channels.iter().map(|c| c.blob.name.as_str()).collect();
    channels.sort_by_key(|c| (*c != default, *c));
    let promote = |channel: &str, how, replaces| EditOp::Promote {
        catalog: None,
        package: package.clone(),
        bundle: name.to_string(),
        to: channel.to_owned(),
        how,
        replaces,
        skip_range: Choice::Default,
    };
    let fixes = channels.iter().take(OFFERED).map(|&channel| {
        let mut op = promote(channel, None, Choice::Default);
        // Where versions do not say where it belongs, it goes on top.
        if scope.foresee(channel, std::slice::from_ref(&op)) == Foreseen::Refused
            && let Some(target) = scope.channel(channel)
        {
            let heads = target.heads();
            let below = match heads[..] {
                [] => Choice::None,
                _ => Choice::Value(target.name_of(highest(scope, target, &heads)).to_owned()),
            };
            op = promote(channel, Some(PromoteAs::Head), below);
        }
        fix(format!("promote `{name}` to channel `{channel}`"), false, op)
    });
    let fixes: Vec<Fix> = fixes.collect();
    let why = format!(
        "What is installed and upgraded is found through channels. None of package `{package}` lists `{name}`, so nobody \
         would ever get it, and `opm` takes that for a slip."
    );
    let explanation = Explanation { why, names: vec![name.to_string()], chains: vec![channels_of(scope, None)] };
    let finding = Finding::new(out.here(bundle.name.place), format!("bundle `{name}` is in no channel"))
        .help(DOC.fix)
        .bundle(name)
        .explain(explanation)
        .fixes(fixes);
    out.refuse(
        format!("package {}, bundle {} not found in any channel entries", quote(&package), quote(name)),
        finding,
    );
}
