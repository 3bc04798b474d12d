//! `custom-schema-name`: a blob of a custom schema whose `schema` or `package` breaks the cache of
//! the catalog image.

use super::super::rules::prelude::*;
use crate::model::OtherBlob;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "custom-schema-name",
    Severity::Warning,
    Profile::Community,
    "The `schema` or the `package` of a blob cannot be a key of the catalog image's cache.",
    "`opm validate` accepts the blob, but `opm serve --cache-only` fails on it since v1.69.0, and every generated \
     Dockerfile runs that command. Both names must begin with a letter or a digit and go on with letters, digits, dots, \
     underscores and hyphens.",
    "Rename the schema or the package, or move the blob out of the catalog's folder.",
)
.bad(&[
    Example::Catalog(concat!(etcd!(), "---\nschema: example.com/notes\npackage: etcd\n")),
    Example::Catalog(concat!(etcd!(), "---\nschema: example.com.notes\npackage: ../etcd\n")),
])
.good(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\n---\nschema: example_2-notes\n"
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.others) {
        if let Some((message, place)) = problem(blob) {
            out.report(
                Finding::new(Anchor::new(BlobRef::Other(nth), place), message).help(DOC.fix),
            );
        }
    }
}

/// The message about a blob, and the position of the wrong name. `opm` checks the schema first.
pub(in crate::validate) fn problem(blob: &OtherBlob) -> Option<(String, Place)> {
    let (schema, package) = (&blob.schema, &blob.package);
    let (field, name) = match () {
        // `opm` refuses a blob without a schema: see `blob-missing-schema`.
        () if schema.is_empty() => return None,
        () if !is_key(schema.as_str()) => ("schema", schema),
        () if !package.is_empty() && !is_key(package.as_str()) => ("package", package),
        () => return None,
    };
    let message = format!(
        "the catalog image cannot be built: its cache accepts no {field} `{}`",
        name.value
    );
    Some((message, name.place))
}

fn is_key(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
