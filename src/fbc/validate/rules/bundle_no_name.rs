//! `bundle-no-name`: an entry without a name that has a bundle without a name. `opm`: `name must be set`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-no-name",
    "name must be set",
    "An entry of a channel has no name.",
    "An entry refers to its bundle by name; without a name, it can be neither installed nor replaced.",
    "Write the entry's and the bundle's `name`.",
)
.causes(&[SharedCause::EntryNameless])
.in_templates()
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.1.0\n"))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), bundle!("etcd", "1.1.0")))]);

pub(in crate::validate) fn check(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    if view.entry.name.is_empty() {
        let channel = &view.channel.blob.name.value;
        let at = view.channel.anchor(view.entry.name.place);
        let finding =
            Finding::new(at, format!("an entry of channel `{channel}` has no name")).help(DOC.fix);
        out.fail(DOC.opm_message, finding.channel(channel));
    }
}
