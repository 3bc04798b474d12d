//! `channel-no-name`: a channel without a name. `opm`: `package "p" contains channel with no name`.
//! Nobody can subscribe to it; the name must be added.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "channel-no-name",
    "package %q contains channel with no name",
    "A channel has no `name`.",
    "Users subscribe to a channel by its name, so one without a name can never be chosen.",
    "Write the channel's `name`, or remove the blob.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(
    "---\nschema: olm.channel\npackage: etcd\nentries:\n- name: etcd.v1.0.0\n"
))])
.good(&[Example::Catalog(catalog!(channel!(
    "etcd",
    "alpha",
    "- name: etcd.v1.0.0"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if channel.name.is_empty() && !scope.package.packages.is_empty() {
        let package = &channel.package.value;
        let at = out.here(channel.name.place);
        let finding =
            Finding::new(at, format!("a channel of package `{package}` has no name")).help(DOC.fix);
        out.refuse(
            format!("package {} contains channel with no name", quote(package)),
            finding,
        );
    }
}
