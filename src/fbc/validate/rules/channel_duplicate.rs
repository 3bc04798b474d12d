//! `channel-duplicate`: two channels with one name in a package. `opm`: `package "p" has duplicate
//! channel "c"`. Their entries must be merged into one blob.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-duplicate",
    "package %q has duplicate channel %q",
    "A package has two channels of the same name.",
    "A channel is one upgrade graph; `opm` does not merge blobs of the same name.",
    "Move all entries into one of the blobs and remove the other, or rename one of them.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(channel!(
    "etcd",
    "stable",
    "- name: etcd.v1.0.0"
)))])
.good(&[Example::Catalog(catalog!(channel!(
    "etcd",
    "alpha",
    "- name: etcd.v1.0.0"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if channel.name.is_empty() || scope.package.packages.is_empty() {
        return;
    }
    let name = &channel.name.value;
    let Some(first) = scope.channel(name).filter(|first| first.nth != out.nth) else {
        return;
    };
    let finding = Finding::new(
        out.here(channel.name.place),
        format!("channel `{name}` is defined twice"),
    )
    .help(DOC.fix)
    .channel(name)
    .related([(
        "first defined here".to_owned(),
        first.anchor(first.blob.name.place),
    )]);
    out.refuse(
        format!(
            "package {} has duplicate channel {}",
            quote(&channel.package.value),
            quote(name)
        ),
        finding,
    );
}
