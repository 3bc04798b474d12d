//! `bundle-image`: a bundle with neither an image nor embedded objects. `opm`: `bundle image must be set`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-image",
    "bundle image must be set",
    "A bundle has no image.",
    "The cluster unpacks the bundle from its image; without one (or embedded `olm.bundle.object` properties) there is \
     nothing to install.",
    "Write the bundle's `image`.",
)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n"))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return out.line(DOC.opm_message);
    };
    if !bundle.image.is_empty() || bundle.has_objects {
        return;
    }
    out.line(DOC.opm_message);
    if view.first_listing {
        let at = Anchor::new(BlobRef::Bundle(nth), bundle.image.place);
        let finding = Finding::new(at, format!("bundle `{}` has no image", bundle.name.value));
        out.report(finding.help(DOC.fix).bundle(&bundle.name.value));
    }
}
