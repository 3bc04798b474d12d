//! `default-channel-unset`: a package without a default channel. `opm`: `default channel must be
//! set`. Subscriptions without a channel use the default one.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "default-channel-unset",
    "default channel must be set",
    "A package has no default channel.",
    "A subscription that names no channel follows the default one, so every package must have one.",
    "Set `defaultChannel` to the channel that most users should follow.",
)
.misses(Missing::DefaultChannel)
.in_templates()
.bad(&[Example::Catalog(concat!(
    "schema: olm.package\nname: etcd\n",
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0")
))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let package = &scope.package.packages[0];
    if package.default_channel.is_empty() {
        let at = Anchor::new(BlobRef::Package(0), package.default_channel.place);
        let finding = Finding::new(at, format!("package `{}` has no default channel", scope.package.name))
            .help(DOC.fix)
            .explain(Explanation {
                why: format!(
                    "A Subscription to `{}` that names no channel follows the default one, so `opm` requires every \
                     package to set it.",
                    scope.package.name
                ),
                names: vec![scope.package.name.to_string()],
                chains: vec![channels_of(scope, None)],
            })
            .fixes(default_channel_fixes(scope));
        out.fail(DOC.opm_message, finding);
    }
}
