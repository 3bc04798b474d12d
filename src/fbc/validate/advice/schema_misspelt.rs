//! `schema-misspelt`: a blob whose schema is similar to one that OLM knows.

use super::super::rules::prelude::*;
use crate::model::OtherBlob;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "schema-misspelt",
    Severity::Warning,
    Profile::Community,
    "The schema of a blob looks like one that OLM knows.",
    "Schemas are compared letter by letter, and blobs of unknown schemas are allowed: `opm` ignores them, so what the \
     blob says (a channel, a deprecation) has no effect.",
    "Use the spelling in the message.",
)
.bad(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: olm.catalog.deprecation\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: use \
     another operator\n",
)), Example::Catalog(concat!(
    etcd!(),
    "---\nschema: olm.deprecation\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: use \
     another operator\n",
))])
.good(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\nnotes: kept as they are\n",
))]);

/// Types of properties, which are no schemas: it is not known which blob was meant.
const PROPERTIES: [&str; 6] = [
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.deprecated",
    "olm.gvk",
    "olm.package.required",
    "olm.constraint",
];

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
    let schema = blob.schema.as_str();
    if blob.template.is_some() || PROPERTIES.contains(&schema) {
        return None;
    }
    misspelt(schema, &KNOWN).or_else(|| similar(schema))
}

/// The schema that an older or a guessed name stands for.
fn similar(schema: &str) -> Option<&'static str> {
    let mut words = schema
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let is_single = words.clone().nth(1).is_none();
    let is_olm = words.next()?.eq_ignore_ascii_case("olm");
    if !(is_olm || is_single) || KNOWN.iter().any(|known| schema.eq_ignore_ascii_case(known)) {
        return None;
    }
    let words = schema.split(|c: char| !c.is_ascii_alphanumeric());
    let has = |stem: &str| {
        words.clone().any(|word| {
            word.get(..stem.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(stem))
        })
    };
    [
        ("deprecat", "olm.deprecations"),
        ("channel", "olm.channel"),
        ("bundle", "olm.bundle"),
        ("package", "olm.package"),
    ]
    .into_iter()
    .find(|(stem, _)| has(stem))
    .map(|(_, known)| known)
}

pub(in crate::validate) fn message(blob: &OtherBlob) -> String {
    format!("OLM ignores the blob of schema `{}`", blob.schema.value)
}
