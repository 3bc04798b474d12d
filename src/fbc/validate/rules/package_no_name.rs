//! `package-no-name`: an `olm.package` blob without a name. `opm`: `config contains package with no
//! name`. Nothing can refer to such a package; the name must be added.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "package-no-name",
    "config contains package with no name",
    "An `olm.package` blob has no `name`.",
    "Channels and bundles belong to a package by its name, so a package without a name cannot have any.",
    "Write the package's `name`, or remove the blob.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!("---\nschema: olm.package\ndefaultChannel: stable\n"))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, package) in scope.package.packages.iter().enumerate() {
        if package.name.is_empty() {
            out.nth = nth as u32;
            let at = out.here(package.name.place);
            out.refuse(
                DOC.opm_message.to_owned(),
                Finding::new(at, "a package has no name").help(DOC.fix),
            );
        }
    }
}
