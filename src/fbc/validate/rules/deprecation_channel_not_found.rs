//! `deprecation-channel-not-found`: a deprecation of a missing channel. `opm`: `cannot deprecate
//! channel "x" for package "p": channel not found`. As in `opm`, a missing default channel counts
//! as a channel.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-channel-not-found",
    "cannot deprecate channel %q for package %q: channel not found",
    "A deprecation names a channel that the package does not have.",
    "A deprecation left behind after its channel was removed or renamed makes `opm` fail.",
    "Correct the reference's `name`, or remove the deprecation.",
)
.misses(Missing::Channel)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.channel\n    name: stabel\n  message: use something newer"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.channel\n    name: stable\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    for (i, entry) in blob.entries.iter().enumerate() {
        let name = entry.name.as_str();
        if entry.schema.as_str() != "olm.channel"
            || scope.channel(name).is_some()
            || scope.missing_default_channel() == Some(name)
        {
            continue;
        }
        let opm = format!(
            "cannot deprecate channel {} for package {}: channel not found",
            quote(name),
            quote(&blob.package.value)
        );
        let suggestion = nearest(name, scope.channels.iter().map(|c| c.blob.name.as_str()));
        let help = match suggestion {
            Some(suggestion) => {
                format!("did you mean `{suggestion}`? if not, remove the deprecation")
            }
            None => DOC.fix.to_owned(),
        };
        let why = format!(
            "`opm` attaches each deprecation to the channel it names, where users see the message. Package `{}` has \
             no channel `{name}`, so nobody would see it.",
            scope.package.name
        );
        let chains = vec![channels_of(scope, suggestion)];
        let remove = scope.ops().undeprecate_channel(name);
        let finding = Finding::new(
            out.here(entry.name.place),
            format!("deprecated channel `{name}` does not exist"),
        )
        .help(help)
        .channel(&entry.name.value)
        .explain(Explanation {
            why,
            names: vec![name.to_owned()],
            chains,
        })
        .respell(suggestion.map(|suggestion| {
            let title = format!("did you mean channel `{suggestion}`?");
            NameCorrection::new(
                title,
                out.here(entry.name.place),
                &entry.name.value,
                suggestion,
            )
        }))
        .fixes([fix(
            format!("remove the deprecation of channel `{name}`"),
            false,
            remove,
        )]);
        out.refuse_at(i as u32 + 1, opm, finding);
    }
}
