//! `schema-misspelt`: a blob whose schema is nearly one that OLM knows.

use super::super::rules::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::advice(
    "schema-misspelt",
    Severity::Warning,
    Profile::Community,
    "A blob has a schema that is spelled almost like one that OLM knows.",
    "Schemas are compared letter by letter, and blobs of unknown schemas are allowed: `opm` passes them over, and what \
     the blob says (a channel, a deprecation) is not there for anybody.",
    "Spell the schema as it is spelled in the message.",
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

const KNOWN: [&str; 4] = ["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"];

pub(in crate::fbc::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in scope.package.others.iter().enumerate() {
        let schema = blob.schema.as_str();
        let Some(meant) = misspelt(schema, &KNOWN) else { continue };
        let at = Anchor::new(BlobRef::Other(nth as u32), blob.schema.place);
        let message = format!("a blob of schema `{schema}` says nothing to OLM");
        let respell = Respell {
            title: format!("write `{meant}`"),
            at,
            was: blob.schema.value.clone(),
            meant: meant.to_owned(),
            heads: Vec::new(),
        };
        out.report(Finding::new(at, message).help(format!("did you mean `{meant}`?")).respell(Some(respell)));
    }
}
