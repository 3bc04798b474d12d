//! `deprecation-bundle-not-found`: a deprecation of a missing bundle. `opm`: `cannot deprecate
//! bundle "x" for package "p": bundle not found`.

use super::prelude::*;
use crate::validate::spelling::{is_other_version, same_numbers, without_version};

/// Maximum number of bundles compared with the missing name.
const CANDIDATES: usize = 2000;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-bundle-not-found",
    "cannot deprecate bundle %q for package %q: bundle not found",
    "A deprecation names a bundle that the package does not have.",
    "A deprecation left behind after its bundle was removed or renamed makes `opm` fail.",
    "Correct the reference's `name`, or remove the deprecation.",
)
.misses(Missing::Bundle)
.follows(&[SharedCause::BundleMisnamed])
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: v1.0.0\n  message: use something newer"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if !scope.is_defined() {
        return;
    }
    for (i, entry) in blob.entries.iter().enumerate() {
        let name = entry.name.as_str();
        if entry.schema.as_str() != "olm.bundle" || scope.bundle(name).is_some() {
            continue;
        }
        let opm = format!(
            "cannot deprecate bundle {} for package {}: bundle not found",
            quote(name),
            quote(&blob.package.value)
        );
        let is_no_other = |b: &&str| same_numbers(name, b) || !is_other_version(name, b);
        // Another version is another bundle, but a name without any version can only be a typo.
        let bundles = || scope.package.bundles.iter().map(|b| b.name.as_str());
        let suggestion = without_version(name, bundles().take(CANDIDATES));
        let suggestion = suggestion.or_else(|| nearest(name, bundles().filter(is_no_other)));
        let help = match suggestion {
            Some(suggestion) => {
                format!("did you mean `{suggestion}`? if not, remove the deprecation")
            }
            None => DOC.fix.to_owned(),
        };
        let why = format!(
            "`opm` attaches each deprecation to the bundle it names, where users see the message. Package `{}` has no \
             bundle `{name}`, so nobody would see it.",
            scope.package.name
        );
        let near = bundles().filter(|name| suggestion == Some(*name));
        let chains = vec![column(
            format!("bundles of `{}`", scope.package.name),
            near,
            |name| {
                (suggestion == Some(name))
                    .then_some(ChainMark::Suggested)
                    .into_iter()
                    .collect()
            },
        )];
        let remove = scope.ops().undeprecate_bundle(name);
        let finding = Finding::new(
            out.here(entry.name.place),
            format!("deprecated bundle `{name}` does not exist"),
        )
        .help(help)
        .bundle(&entry.name.value)
        .explain(Explanation {
            why,
            names: vec![name.to_owned()],
            chains,
        })
        .respell(suggestion.map(|suggestion| {
            let title = format!("did you mean bundle `{suggestion}`?");
            NameCorrection::new(
                title,
                out.here(entry.name.place),
                &entry.name.value,
                suggestion,
            )
        }))
        .fixes([fix(
            format!("remove the deprecation of bundle `{name}`"),
            false,
            remove,
        )]);
        out.refuse_at(i as u32 + 1, opm, finding);
    }
}
