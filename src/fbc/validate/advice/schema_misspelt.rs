//! `schema-misspelt`: a blob whose schema is similar to one that OLM knows.

use super::super::rules::prelude::*;
use crate::model::OtherBlob;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "schema-misspelt",
    Severity::Warning,
    Profile::Community,
    "The schema of a blob is spelled almost like one OLM knows.",
    "Schemas are compared letter by letter, and blobs of unknown schemas are allowed: `opm` ignores them, so what the \
     blob says (a channel, a deprecation) has no effect.",
    "Use the spelling in the message.",
)
.bad(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: olm.deprecation\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: use \
     another operator\n",
))])
.good(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\nnotes: kept as they are\n",
))]);

pub(super) const KNOWN: [&str; 4] = [
    "olm.package",
    "olm.channel",
    "olm.bundle",
    "olm.deprecations",
];

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.others) {
        let Some(meant) = meant(blob) else { continue };
        let at = Anchor::new(BlobRef::Other(nth), blob.schema.place);
        let respell = Respell::new(format!("write `{meant}`"), at, &blob.schema.value, meant);
        let help = format!("did you mean `{meant}`?");
        out.report(
            Finding::new(at, message(blob))
                .help(help)
                .respell(Some(respell)),
        );
    }
}

/// The schema that the blob's is spelled almost like.
pub(in crate::validate) fn meant(blob: &OtherBlob) -> Option<&'static str> {
    misspelt(blob.schema.as_str(), &KNOWN)
}

pub(in crate::validate) fn message(blob: &OtherBlob) -> String {
    format!("OLM ignores the blob of schema `{}`", blob.schema.value)
}
