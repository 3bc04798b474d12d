//! `schema-unknown`: a blob whose schema has OLM's prefix but is not one of OLM's.

use super::super::rules::prelude::*;
use super::schema_misspelt::{self, KNOWN};
use crate::model::OtherBlob;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "schema-unknown",
    Severity::Warning,
    Profile::Community,
    "A blob has an `olm.…` schema that OLM does not define.",
    "`opm` keeps blobs of any schema and looks only into those it knows. Names that begin with `olm.` are OLM's own, \
     so this one may belong to another version of OLM, or be a typo; a tool's own schemas begin with its domain.",
    "Correct the schema, or give your own blobs a schema of your own, such as `example.com.notes`.",
)
.bad(&[Example::Catalog(concat!(etcd!(), "---\nschema: olm.notes\npackage: etcd\n"))])
.good(&[Example::Catalog(concat!(etcd!(), "---\nschema: example.com.notes\npackage: etcd\n"))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.others) {
        let Some(message) = message(blob) else {
            continue;
        };
        out.report(
            Finding::new(Anchor::new(BlobRef::Other(nth), blob.schema.place), message)
                .help(DOC.fix),
        );
    }
}

/// The message about such a blob.
pub(in crate::validate) fn message(blob: &OtherBlob) -> Option<String> {
    let schema = blob.schema.as_str();
    // A template's schema is for its own tools; `schema-misspelt` reports similar names.
    let is_known = KNOWN.contains(&schema)
        || blob.template.is_some()
        || schema_misspelt::intended_schema(blob).is_some();
    let message = || format!("OLM has no schema `{schema}`, so it ignores the blob");
    (schema.starts_with("olm.") && !is_known).then(message)
}
