//! `bundle-image-shared`: two bundles of a package are one image.

use super::super::rules::prelude::*;
use crate::hashed::HashMap;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "bundle-image-shared",
    Severity::Warning,
    Profile::Community,
    "Two bundles of a package have the same image.",
    "OLM installs what is in the image. When two bundles share one, OLM looks in it for a ClusterServiceVersion with \
     the bundle's name and finds the other's. Usually a blob was copied and its image forgotten.",
    "Give each bundle the image that was built for it.",
)
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.1.0\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n\
     - type: olm.package\n  value:\n    packageName: etcd\n    version: 1.1.0\n",
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let mut first = HashMap::default();
    for (nth, bundle) in scope
        .package
        .bundles
        .iter()
        .enumerate()
        .filter(|(_, b)| !b.image.is_empty())
    {
        let earlier = *first.entry(bundle.image.as_str()).or_insert(nth);
        let other = &scope.package.bundles[earlier];
        // `opm` itself refuses a second blob with one name.
        if other.name.value == bundle.name.value {
            continue;
        }
        let at = |nth: usize, place| Anchor::new(BlobRef::Bundle(nth as u32), place);
        let message = format!(
            "bundle `{}` has the image of `{}`",
            bundle.name.value, other.name.value
        );
        let related = [(
            "the other bundle".to_owned(),
            at(earlier, other.image.place),
        )];
        let finding = Finding::new(at(nth, bundle.image.place), message)
            .help(DOC.fix)
            .related(related);
        out.report(finding.bundle(&bundle.name.value));
    }
}
