//! `dependency-under-v1`: OLM v1 refuses bundles with requirements.

use super::super::rules::prelude::*;
use super::properties::{anchor, named_first};
use crate::model::Located;
use crate::model::blob::PropertyFact;
use crate::upgrade::REFUSED_BY_V1;
use crate::validate::suggest::compare_versions;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-under-v1",
    Severity::Info,
    Profile::Strict,
    "A bundle requires other bundles, so OLM v1 does not install it.",
    "OLM v1 does not resolve requirements. It first chooses a bundle, and refuses it if it has \
     `olm.package.required`, `olm.gvk.required` or `olm.constraint`, without trying an older one. OLM Classic is not \
     affected.",
    "If you support only Classic, do nothing. For v1, document what must be installed with the operator, and leave the \
     requirements out of new bundles.",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.gvk.required\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"
))])
.good(&[Example::Catalog(etcd!("- type: olm.gvk\n  value:\n    group: etcd.io\n    version: v1\n    kind: Etcd\n"))]);

/// Once per package, at the newest refused bundle; names its first such property type.
pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let refused = |(nth, bundle)| -> Option<(usize, &BundleBlob, &PropertyFact)> {
        let bundle: &Located<BundleBlob> = bundle;
        Some((
            nth,
            &**bundle,
            bundle
                .properties
                .iter()
                .find(|p| REFUSED_BY_V1.contains(&&*p.kind))?,
        ))
    };
    let refused: Vec<_> = scope
        .package
        .bundles
        .iter()
        .enumerate()
        .filter_map(refused)
        .collect();
    let newest = refused
        .iter()
        .max_by(|a, b| compare_versions(a.1.version(), b.1.version()));
    let Some((nth, bundle, fact)) = newest else {
        return;
    };
    let message = format!(
        "OLM v1 does not install {}, because of `{}`",
        named_first(&bundle.name.value, refused.len() - 1),
        fact.kind
    );
    out.report(
        Finding::new(anchor(*nth, fact), message)
            .help(DOC.fix)
            .bundle(&bundle.name.value),
    );
}
