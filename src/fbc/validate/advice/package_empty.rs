//! `package-empty`: a blob whose `package` is present but empty.

use super::super::rules::prelude::*;
use crate::model::OtherBlob;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "package-empty",
    Severity::Warning,
    Profile::Strict,
    "A blob whose schema is not one of OLM's has an empty `package`.",
    "`opm` accepts such a blob and assigns it to no package: it is lost when the package is copied or filtered. \
     `opm` itself refuses channels, bundles and deprecations without a package.",
    "Write the package that the blob belongs to, or leave the key out.",
)
.bad(&[Example::Catalog(concat!(etcd!(), "---\nschema: example.com.notes\npackage: ''\n"))])
.good(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\n---\nschema: example.com.all\n"
))]);

/// The message about the blob, which belongs to no package
/// ([`super::super::blobs_without_package`]).
pub(in crate::validate) fn message(blob: &OtherBlob) -> Option<String> {
    // An absent field has the position of its mapping.
    let is_there = blob.package.place != blob.place;
    let message = || {
        format!(
            "a blob of schema `{}` has an empty `package`",
            blob.schema.value
        )
    };
    (blob.package.is_empty() && is_there).then(message)
}
