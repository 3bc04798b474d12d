//! `bundle-normalized-name`: a bundle with a release whose name is not `PACKAGE-vVERSION-RELEASE`.
//! `opm`: `name "x" does not match normalized name "p-v1.0.0-1"`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-normalized-name",
    "name %q does not match normalized name %q",
    "A bundle with a release is not named after its package, version and release.",
    "So that rebuilds of one version have different names, a bundle with a release must be named \
     `PACKAGE-vVERSION-RELEASE`.",
    "Before it is published, rename the bundle with `rename-bundle`, or remove the release. Do not rename a published \
     bundle: clusters that run it and the ClusterServiceVersion in its image keep the old name. Publish a bundle with \
     the new name that replaces it instead.",
)
.since(62)
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n"))])
.good(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd-v1.0.0-1"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n"))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return;
    };
    let name = bundle.name.as_str();
    if bundle.release().is_empty() {
        return;
    }
    let normalized = format!(
        "{}-v{}-{}",
        scope.package.name,
        bundle.version(),
        bundle.release()
    );
    if name == normalized {
        return;
    }
    out.line(format!(
        "name {} does not match normalized name {}",
        quote(name),
        quote(&normalized)
    ));
    if view.first_listing {
        let at = Anchor::new(BlobRef::Bundle(nth), bundle.name.place);
        let message = format!("bundle `{name}` has a release, so it must be named `{normalized}`");
        // Not a safe fix: installations have the old name.
        let rename = EditOp::RenameBundle {
            catalog: None,
            package: scope.package.name.to_string(),
            bundle: name.to_owned(),
            to: normalized.clone(),
            skip_old: true,
        };
        let title = format!("rename it to `{normalized}`, and skip the old name");
        out.report(
            Finding::new(at, message)
                .help(format!(
                    "name the bundle and its entries `{normalized}`, or remove the release; if `{name}` is already \
                     published, clusters that run it and the ClusterServiceVersion in its image keep that name, so \
                     publish a bundle named `{normalized}` that replaces it instead"
                ))
                .bundle(&bundle.name.value)
                .fixes(vec![fix(title, false, rename)]),
        );
    }
}
