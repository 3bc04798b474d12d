//! Advice about blobs outside any package, which no package's report contains: unknown schemas
//! without a `package` or with an empty one.

use super::advice::names::{CUSTOM_SCHEMA_NAME, custom_schema_problem};
use super::advice::schemas::{
    PACKAGE_EMPTY, SCHEMA_MISSPELT, SCHEMA_UNKNOWN, TEMPLATE_IN_CATALOG, intended_schema,
    package_empty_message, schema_misspelt_message, schema_unknown_message,
    template_in_catalog_message,
};
use super::diagnostic_context::replacement_op;
use super::fix_builder::kind;
use super::rule_doc::RuleDoc;
use super::settings::Settings;
use super::spelling::fix_of;
use catalog::Catalog;
use catalog::model::{FileId, OtherBlob};
use protocol::diagnostic::Diagnostic;
use std::collections::BTreeSet;
use syntax::place::Place;

/// Reports the problems of these blobs, and adds matching suppressions to `used`.
pub fn advise(
    catalog: &Catalog,
    settings: &Settings,
    used: &mut BTreeSet<usize>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for file in catalog.files().iter().filter(|file| !file.ignored) {
        let Some(index) = file.index() else { continue };
        for (nth, blob) in index.blobs_without_package() {
            diagnostics.extend(check_blob(catalog, settings, (file.id, nth), blob, used));
        }
    }
    diagnostics
}

fn check_blob(
    catalog: &Catalog,
    settings: &Settings,
    at: (FileId, u32),
    blob: &OtherBlob,
    used: &mut BTreeSet<usize>,
) -> Vec<Diagnostic> {
    let mut diagnose =
        |doc: &'static RuleDoc, place: Place, message: String, suggestion: Option<&str>| {
            let severity = settings.severity(doc)?;
            if let Some(suppression) = settings.suppression(doc.id, None, None, None) {
                used.insert(suppression);
                return None;
            }
            let location = catalog.location(at.0, at.1, place);
            // `opm` refuses the other schemas without a package.
            let fix = suggestion
                .filter(|suggestion| *suggestion == "olm.package")
                .and_then(|suggestion| {
                    let ops = vec![replacement_op(
                        location.clone(),
                        blob.schema.as_str(),
                        suggestion,
                    )?];
                    let title = format!("write `{suggestion}`");
                    Some(kind("did-you-mean", fix_of(title, false, ops)))
                });
            Some(Diagnostic {
                help: suggestion.map_or_else(
                    || doc.fix.to_owned(),
                    |suggestion| format!("did you mean `{suggestion}`?"),
                ),
                location,
                fixes: fix.into_iter().collect(),
                ..Diagnostic::new(doc.id, severity, message)
            })
        };
    let schema = blob.schema.place;
    // A file that contains only templates is no catalog.
    let has_packages = catalog.packages().next().is_some();
    let misspelt = intended_schema(blob).map(|intended| (schema_misspelt_message(blob), intended));
    let diagnostics = [
        custom_schema_problem(blob)
            .and_then(|(message, place)| diagnose(&CUSTOM_SCHEMA_NAME, place, message, None)),
        package_empty_message(blob)
            .and_then(|message| diagnose(&PACKAGE_EMPTY, blob.package.place, message, None)),
        schema_unknown_message(blob)
            .and_then(|message| diagnose(&SCHEMA_UNKNOWN, schema, message, None)),
        template_in_catalog_message(blob)
            .filter(|_| has_packages)
            .and_then(|message| diagnose(&TEMPLATE_IN_CATALOG, schema, message, None)),
        misspelt.and_then(|(message, intended)| {
            diagnose(&SCHEMA_MISSPELT, schema, message, Some(intended))
        }),
    ];
    diagnostics.into_iter().flatten().collect()
}
