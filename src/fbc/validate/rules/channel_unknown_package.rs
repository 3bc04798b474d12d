//! `channel-unknown-package`: a channel of a package that no `olm.package` blob defines.
//! `opm`: `unknown package "p" for channel "c"`. The name is misspelled, or the definition is missing.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-unknown-package",
    "unknown package %q for channel %q",
    "A channel belongs to a package that is not defined.",
    "Every `olm.channel` blob names its package, and the catalog must hold an `olm.package` blob of that name.",
    "Correct the channel's `package`, or add the `olm.package` blob.",
)
.misses(Missing::Definition)
.causes(&[SharedCause::Undefined])
.follows(&[SharedCause::Undefined])
.in_templates()
.bad(&[Example::Catalog(catalog!(channel!("etdc", "alpha", "- name: etcd.v1.0.0")))])
.good(&[Example::Catalog(catalog!(channel!("etcd", "alpha", "- name: etcd.v1.0.0")))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if !scope.package.packages.is_empty() {
        return;
    }
    let (package, name) = (&channel.package.value, &channel.name.value);
    let message = match package.is_empty() {
        true => format!("channel `{name}` names no package"),
        false => format!("channel `{name}` belongs to package `{package}`, which is not defined"),
    };
    let at = out.here(channel.package.place);
    let define = (at.blob == BlobRef::Channel(0) && !package.is_empty())
        .then(|| define_package(scope))
        .flatten();
    let finding = Finding::new(at, message)
        .help(DOC.fix)
        .channel(name)
        .fixes(define);
    out.refuse(
        format!(
            "unknown package {} for channel {}",
            quote(package),
            quote(name)
        ),
        finding,
    );
}
