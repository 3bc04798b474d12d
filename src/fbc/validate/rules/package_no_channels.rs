//! `package-no-channels`: a package without channels. `opm`: `package must contain at least one channel`.
//! Nothing can be installed from it.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "package-no-channels",
    "package must contain at least one channel",
    "A package has no channel.",
    "Users can install bundles only through channels, so a package without one offers nothing.",
    "Add an `olm.channel` blob for the package, or remove the package.",
)
.misses(Missing::Channels)
.in_templates()
.bad(&[Example::Catalog("schema: olm.package\nname: etcd\n")])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    if scope.channels.is_empty() && scope.missing_default_channel().is_none() {
        let at = Anchor::new(BlobRef::Package(0), scope.package.packages[0].name.place);
        let message = format!("package `{}` has no channels", scope.package.name);
        out.fail(DOC.opm_message, Finding::new(at, message).help(DOC.fix));
    }
}
