//! Advice about blobs outside any package, which no package's report contains: unknown schemas
//! without a `package` or with an empty one.

use super::advice::names::{CUSTOM_SCHEMA_NAME, custom_schema_problem};
use super::advice::schemas::{
    PACKAGE_EMPTY, SCHEMA_MISSPELT, SCHEMA_UNKNOWN, TEMPLATE_IN_CATALOG, intended_schema,
    package_empty_message, schema_misspelt_message, schema_unknown_message,
    template_in_catalog_message,
};
use super::diagnostic_context::replacement_op;
use super::rule_doc::RuleDoc;
use super::settings::Settings;
use catalog::Catalog;
use catalog::model::{FileId, OtherBlob};
use protocol::diagnostic::{Diagnostic, Fix, Location};
use std::collections::BTreeSet;
use syntax::place::Place;

/// Reports the problems of these blobs, and adds matching suppressions to `used_suppressions`.
pub fn advise(
    catalog: &Catalog,
    settings: &Settings,
    used_suppressions: &mut BTreeSet<usize>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for file in catalog.included_files() {
        let Some(index) = file.index() else { continue };
        for (nth, blob) in index.blobs_without_package() {
            let mut check = BlobCheck {
                catalog,
                settings,
                used_suppressions: &mut *used_suppressions,
                file: file.id,
                nth,
                blob,
            };
            diagnostics.extend(check.run());
        }
    }
    diagnostics
}

struct BlobCheck<'a> {
    catalog: &'a Catalog,
    settings: &'a Settings,
    used_suppressions: &'a mut BTreeSet<usize>,
    file: FileId,
    /// Index in the file.
    nth: u32,
    blob: &'a OtherBlob,
}

impl BlobCheck<'_> {
    fn run(&mut self) -> Vec<Diagnostic> {
        let blob = self.blob;
        let schema = blob.schema.place;
        // A file that contains only templates is no catalog.
        let has_packages = self.catalog.packages().next().is_some();
        let misspelt =
            intended_schema(blob).map(|intended| (schema_misspelt_message(blob), intended));
        let diagnostics = [
            custom_schema_problem(blob).and_then(|(message, place)| {
                self.diagnose(&CUSTOM_SCHEMA_NAME, place, message, None)
            }),
            package_empty_message(blob).and_then(|message| {
                self.diagnose(&PACKAGE_EMPTY, blob.package.place, message, None)
            }),
            schema_unknown_message(blob)
                .and_then(|message| self.diagnose(&SCHEMA_UNKNOWN, schema, message, None)),
            template_in_catalog_message(blob)
                .filter(|_| has_packages)
                .and_then(|message| self.diagnose(&TEMPLATE_IN_CATALOG, schema, message, None)),
            misspelt.and_then(|(message, intended)| {
                self.diagnose(&SCHEMA_MISSPELT, schema, message, Some(intended))
            }),
        ];
        diagnostics.into_iter().flatten().collect()
    }

    /// Creates a diagnostic; `None` if the rule is off or suppressed.
    fn diagnose(
        &mut self,
        doc: &'static RuleDoc,
        place: Place,
        message: String,
        intended_schema: Option<&str>,
    ) -> Option<Diagnostic> {
        let severity = self.settings.severity(doc)?;
        if let Some(suppression) = self.settings.suppression(doc.id, None, None, None) {
            self.used_suppressions.insert(suppression);
            return None;
        }
        let location = self.catalog.location(self.file, self.nth, place);
        let fix = intended_schema.and_then(|intended| self.fix(location.clone(), intended));
        Some(Diagnostic {
            help: intended_schema.map_or_else(
                || doc.fix.to_owned(),
                |intended| format!("did you mean `{intended}`?"),
            ),
            location,
            fixes: fix.into_iter().collect(),
            ..Diagnostic::new(doc.id, severity, message)
        })
    }

    /// Returns the fix that writes `olm.package`: `opm` refuses blobs of the other schemas if they
    /// have no `package`.
    fn fix(&self, location: Location, intended_schema: &str) -> Option<Fix> {
        if intended_schema != "olm.package" {
            return None;
        }
        let ops = vec![replacement_op(
            location,
            self.blob.schema.as_str(),
            intended_schema,
        )?];
        let title = format!("write `{intended_schema}`");
        Some(Fix::new(title, false, ops).with_kind("did-you-mean"))
    }
}
