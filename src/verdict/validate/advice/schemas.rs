//! Advice on the `schema` and `package` of blobs.

use super::super::rules::prelude::*;
use crate::validate::walk::judge_for_message;
use catalog::model::{FileId, Located, OtherBlob, Package};
use std::sync::Arc;
use syntax::place::Text;

pub const SCHEMA_MISSPELT: RuleDoc = RuleDoc::advice(
    "schema-misspelt",
    Severity::Warning,
    Profile::Community,
    "The schema of a blob looks like one that OLM knows.",
    "Schemas are compared letter by letter, and blobs of unknown schemas are allowed: `opm` ignores them, so what the \
     blob says (a channel, a deprecation) has no effect.",
    "Use the spelling in the message.",
)
.bad(examples![concat!(
    etcd!(),
    "---\nschema: olm.catalog.deprecation\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: use \
     another operator\n",
), concat!(
    etcd!(),
    "---\nschema: olm.deprecation\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: use \
     another operator\n",
)])
.good(examples![concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\nnotes: kept as they are\n",
)]);

/// Types of properties, which are not schemas: the intended blob is unknown.
const PROPERTY_TYPES: [&str; 6] = [
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.deprecated",
    "olm.gvk",
    "olm.package.required",
    "olm.constraint",
];

pub const KNOWN_SCHEMAS: [&str; 4] = [
    "olm.package",
    "olm.channel",
    "olm.bundle",
    "olm.deprecations",
];

pub fn check_schema_misspelt(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.others) {
        let Some(intended) = intended_schema(blob) else {
            continue;
        };
        let at = Anchor::new(BlobRef::Other(nth), blob.schema.place);
        let correction = NameCorrection::new(
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
        let (help, correction) = match refusal {
            Some(refusal) => (
                format!("did you mean `{intended}`? `opm` refuses the blob as such: {refusal}"),
                None,
            ),
            None => (format!("did you mean `{intended}`?"), Some(correction)),
        };
        out.report(
            Finding::new(at, schema_misspelt_message(blob))
                .help(help)
                .correction(correction),
        );
    }
}

/// Returns `opm`'s error about the deprecations once it reads them; `None` if it accepts them.
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
    let (refusal, lines) = tree_lines(&package);
    let (refusal_before, lines_before) = tree_lines(scope.package);
    refusal
        .filter(|refusal| Some(refusal) != refusal_before.as_ref())
        .or_else(|| {
            lines
                .iter()
                .rfind(|line| !lines_before.contains(line))
                .cloned()
        })
}

fn tree_lines(package: &Package) -> (Option<String>, Vec<String>) {
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
}

/// Returns the known schema that the blob's schema probably misspells.
pub fn intended_schema(blob: &OtherBlob) -> Option<&'static str> {
    let schema = blob.schema.as_str();
    if blob.template.is_some() || PROPERTY_TYPES.contains(&schema) {
        return None;
    }
    misspelt(schema, &KNOWN_SCHEMAS).or_else(|| similar_schema(schema))
}

/// Returns the schema for an older or guessed name.
fn similar_schema(schema: &str) -> Option<&'static str> {
    let mut parts = schema
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let is_single = parts.clone().nth(1).is_none();
    let is_olm = parts.next()?.eq_ignore_ascii_case("olm");
    if !(is_olm || is_single)
        || KNOWN_SCHEMAS
            .iter()
            .any(|known| schema.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let parts = schema.split(|c: char| !c.is_ascii_alphanumeric());
    [
        ("deprecat", "olm.deprecations"),
        ("channel", "olm.channel"),
        ("bundle", "olm.bundle"),
        ("package", "olm.package"),
    ]
    .into_iter()
    .find(|(stem, _)| {
        parts.clone().any(|word| {
            word.get(..stem.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(stem))
        })
    })
    .map(|(_, known)| known)
}

pub fn schema_misspelt_message(blob: &OtherBlob) -> String {
    format!("OLM ignores the blob of schema `{}`", blob.schema.value)
}

pub const SCHEMA_UNKNOWN: RuleDoc = RuleDoc::advice(
    "schema-unknown",
    Severity::Warning,
    Profile::Community,
    "A blob has an `olm.…` schema that OLM does not define.",
    "`opm` keeps blobs of any schema and looks only into those it knows. Names that begin with `olm.` are OLM's own, \
     so this one may belong to another version of OLM, or be a typo; a tool's own schemas begin with its domain.",
    "Correct the schema, or give your own blobs a schema of your own, such as `example.com.notes`.",
)
.bad(examples![concat!(etcd!(), "---\nschema: olm.notes\npackage: etcd\n")])
.good(examples![concat!(etcd!(), "---\nschema: example.com.notes\npackage: etcd\n")]);

pub fn check_schema_unknown(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.others) {
        let Some(message) = schema_unknown_message(blob) else {
            continue;
        };
        out.report(Finding::new(
            Anchor::new(BlobRef::Other(nth), blob.schema.place),
            message,
        ));
    }
}

pub fn schema_unknown_message(blob: &OtherBlob) -> Option<String> {
    let schema = blob.schema.as_str();
    // A template's schema is for its own tools, and `schema-misspelt` reports similar names.
    let is_known = KNOWN_SCHEMAS.contains(&schema)
        || blob.template.is_some()
        || intended_schema(blob).is_some();
    (schema.starts_with("olm.") && !is_known)
        .then(|| format!("OLM has no schema `{schema}`, so it ignores the blob"))
}

pub const PACKAGE_EMPTY: RuleDoc = RuleDoc::advice(
    "package-empty",
    Severity::Warning,
    Profile::Strict,
    "A blob whose schema is not one of OLM's has an empty `package`.",
    "`opm` accepts such a blob and assigns it to no package: it is lost when the package is copied or filtered. \
     `opm` itself refuses channels, bundles and deprecations without a package.",
    "Write the package that the blob belongs to, or leave the key out.",
)
.bad(examples![concat!(etcd!(), "---\nschema: example.com.notes\npackage: ''\n")])
.good(examples![concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\n---\nschema: example.com.all\n"
)]);

/// Returns the message of a blob with an empty `package`, for
/// [`super::super::blobs_without_package`].
pub fn package_empty_message(blob: &OtherBlob) -> Option<String> {
    // An absent field has the position of its mapping.
    let is_there = blob.package.place != blob.place;
    (blob.package.is_empty() && is_there).then(|| {
        format!(
            "a blob of schema `{}` has an empty `package`",
            blob.schema.value
        )
    })
}

pub const TEMPLATE_IN_CATALOG: RuleDoc = RuleDoc::advice(
    "template-in-catalog",
    Severity::Info,
    Profile::Community,
    "A template lies in the folder of a catalog.",
    "`opm` reads every file of the folder and takes a template for a blob of an unknown schema: it is loaded and kept, and \
     nothing that it says has an effect. Only `opm alpha render-template` reads templates.",
    "Move the template out of the catalog's folder, or list it in `.indexignore`.",
)
.bad(&[Example::Tree(&[
    ("catalog.yaml", Content::Text(etcd!())),
    ("template.yaml", Content::Text("schema: olm.template.basic\nentries: []\n")),
])])
.good(&[Example::Tree(&[
    (".indexignore", Content::Text("template.yaml\n")),
    ("catalog.yaml", Content::Text(etcd!())),
    ("template.yaml", Content::Text("schema: olm.template.basic\nentries: []\n")),
])]);

/// Returns the message of a template inside a catalog, for [`super::super::blobs_without_package`].
pub fn template_in_catalog_message(blob: &OtherBlob) -> Option<String> {
    (blob.template.is_some() && !blob.schema.is_empty()).then(|| {
        format!(
            "OLM ignores the template of schema `{}`: `opm` loads it as a blob of an unknown schema",
            blob.schema.value
        )
    })
}
