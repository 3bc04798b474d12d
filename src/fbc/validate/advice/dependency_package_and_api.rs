//! `dependency-package-and-api`: one dependency stated twice, as a package and as an API.

use super::super::catalog_context::{CatalogContext, PackageContext, api_in_words};
use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-package-and-api",
    Severity::Info,
    Profile::Strict,
    "A bundle requires a package, and also an API that this package provides.",
    "OLM resolves the two separately. OLM Classic may choose another operator, already installed or from any catalog, \
     to provide the API, and install the required package beside it. One operator satisfies both only by chance.",
    "Require the package alone when it has to be this one, and the API alone when any provider will do. To \
     require a version of the package that provides the API, write an `olm.constraint` with both in an `all`.",
)
.bad(&[Example::Catalog(concat!(
    etcd!(
        "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.0.0'\n\
         - type: olm.gvk.required\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"
    ),
    "---\n",
    package!("vault", "stable"),
    channel!("vault", "stable", "- name: vault.v1.0.0"),
    bundle!("vault", "1.0.0", "- type: olm.gvk\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"),
))])
.good(&[Example::Catalog(concat!(
    etcd!("- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.0.0'\n"),
    "---\n",
    package!("vault", "stable"),
    channel!("vault", "stable", "- name: vault.v1.0.0"),
    bundle!("vault", "1.0.0", "- type: olm.gvk\n  value:\n    group: vault.io\n    version: v1\n    kind: Vault\n"),
))]);

/// Once per package, at its newest bundle that requires both.
pub(in crate::validate) fn check(
    catalog: &CatalogContext<'_>,
    context: &PackageContext<'_>,
    out: &mut Findings,
) {
    let Some(needs) = &context.requirements.mixed else {
        return;
    };
    let provided = |api: &&str| {
        catalog
            .providers(api)
            .iter()
            .copied()
            .find(|p| needs.packages.contains(*p))
    };
    let first = needs
        .apis
        .iter()
        .map(|api| &**api)
        .find_map(|api| Some((api, provided(&api)?)));
    let Some((api, package)) = first else { return };
    let api = api_in_words(api);
    let message = format!(
        "{} package `{package}` and its API {api} separately",
        needs.subject.requires
    );
    out.report(
        Finding::new(needs.subject.at, message)
            .help(DOC.fix)
            .bundle(&needs.subject.bundle),
    );
}
