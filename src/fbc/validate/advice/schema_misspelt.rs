//! `schema-misspelt`: a blob whose schema is similar to one that OLM knows.

use super::super::rules::prelude::*;
use crate::model::{FileId, Located, OtherBlob, Package};
use crate::place::Text;
use crate::validate::walk::judge_for_message;
use std::sync::Arc;

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

/// Property types are not schemas: the intended blob is unknown.
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
        let Some(intended) = intended_schema(blob) else {
            continue;
        };
        let at = Anchor::new(BlobRef::Other(nth), blob.schema.place);
        let respell = NameCorrection::new(
            format!("write `{intended}`"),
            at,
            &blob.schema.value,
            intended,
        );
        let refusal = blob
            .deprecations
            .as_deref()
            .filter(|_| intended == "olm.deprecations")
            .and_then(|deprecations| refusal_of(scope, deprecations));
        let (help, respell) = match refusal {
            Some(refusal) => (
                format!("did you mean `{intended}`? `opm` refuses the blob as such: {refusal}"),
                None,
            ),
            None => (format!("did you mean `{intended}`?"), Some(respell)),
        };
        out.report(Finding::new(at, message(blob)).help(help).respell(respell));
    }
}

/// `opm`'s error about the deprecations once it reads them; `None` if it accepts them.
fn refusal_of(scope: &Scope<'_>, deprecations: &Result<DeprecationsBlob, Text>) -> Option<String> {
    let deprecations = match deprecations {
        Ok(deprecations) => deprecations,
        Err(message) => return Some(message.to_string()),
    };
    let mut package = scope.package.clone();
    package.deprecations.push(Located {
        file: FileId(u32::MAX),
        index: 0,
        order: u64::MAX,
        data: Arc::new(deprecations.clone()),
    });
    let messages = |package: &Package| {
        let report = judge_for_message(package);
        let tree = report.tree.map(|tree| tree.draw()).unwrap_or_default();
        let lines: Vec<String> = tree
            .lines()
            .map(|line| {
                line.trim_start_matches(|c: char| !c.is_alphanumeric())
                    .to_owned()
            })
            .collect();
        (report.refusal.map(|refusal| refusal.opm), lines)
    };
    let (refusal, lines) = messages(&package);
    let (refusal_before, lines_before) = messages(scope.package);
    let is_new = |line: &&String| !lines_before.contains(line);
    refusal
        .filter(|refusal| Some(refusal) != refusal_before.as_ref())
        .or_else(|| lines.iter().rfind(is_new).cloned())
}

/// The schema that the blob's is spelled almost like.
pub(in crate::validate) fn intended_schema(blob: &OtherBlob) -> Option<&'static str> {
    let schema = blob.schema.as_str();
    if blob.template.is_some() || PROPERTIES.contains(&schema) {
        return None;
    }
    misspelt(schema, &KNOWN).or_else(|| similar(schema))
}

/// The schema behind an older or guessed name.
fn similar(schema: &str) -> Option<&'static str> {
    let mut parts = schema
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let is_single = parts.clone().nth(1).is_none();
    let is_olm = parts.next()?.eq_ignore_ascii_case("olm");
    if !(is_olm || is_single) || KNOWN.iter().any(|known| schema.eq_ignore_ascii_case(known)) {
        return None;
    }
    let parts = schema.split(|c: char| !c.is_ascii_alphanumeric());
    let has = |stem: &str| {
        parts.clone().any(|word| {
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
