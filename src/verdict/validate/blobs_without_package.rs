//! Advice about text outside any package, which no package's report contains: unknown schemas
//! without a `package` or with an empty one, and text that `opm` ignores.

use super::advice::names::{CUSTOM_SCHEMA_NAME, custom_schema_problem};
use super::advice::schemas::{
    PACKAGE_EMPTY, SCHEMA_MISSPELT, SCHEMA_UNKNOWN, TEMPLATE_IN_CATALOG, intended_schema,
    package_empty_message, schema_misspelt_message, schema_unknown_message,
    template_in_catalog_message,
};
use super::advice::texts::TEXT_IGNORED;
use super::diagnostic_context::{replacement_op, text_correction};
use super::rule_doc::RuleDoc;
use super::settings::Settings;
use catalog::Catalog;
use catalog::model::{Fault, FileId, OtherBlob};
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
        let mut check = BlobCheck {
            catalog,
            settings,
            used_suppressions: &mut *used_suppressions,
            file: file.id,
            nth: 0,
        };
        for (nth, blob) in index.blobs_without_package() {
            check.nth = nth;
            diagnostics.extend(check.run(blob));
        }
        if let Some((nth, fault)) = file.ignored_text() {
            check.nth = nth;
            diagnostics.extend(check.diagnose_ignored_text(fault));
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
}

impl BlobCheck<'_> {
    fn run(&mut self, blob: &OtherBlob) -> Vec<Diagnostic> {
        let schema = blob.schema.place;
        // A file that contains only templates is no catalog.
        let has_packages = self.catalog.packages().next().is_some();
        let misspelt =
            intended_schema(blob).map(|intended| (schema_misspelt_message(blob), intended));
        let diagnostics = [
            custom_schema_problem(blob)
                .and_then(|(message, place)| self.diagnose(&CUSTOM_SCHEMA_NAME, place, message)),
            package_empty_message(blob)
                .and_then(|message| self.diagnose(&PACKAGE_EMPTY, blob.package.place, message)),
            schema_unknown_message(blob)
                .and_then(|message| self.diagnose(&SCHEMA_UNKNOWN, schema, message)),
            template_in_catalog_message(blob)
                .filter(|_| has_packages)
                .and_then(|message| self.diagnose(&TEMPLATE_IN_CATALOG, schema, message)),
            misspelt.and_then(|(message, intended)| {
                let diagnostic = self.diagnose(&SCHEMA_MISSPELT, schema, message)?;
                let fix = correct_schema(&diagnostic.location, blob.schema.as_str(), intended);
                Some(Diagnostic {
                    help: format!("did you mean `{intended}`?"),
                    fixes: fix.into_iter().collect(),
                    ..diagnostic
                })
            }),
        ];
        diagnostics.into_iter().flatten().collect()
    }

    fn diagnose_ignored_text(&mut self, fault: &Fault) -> Option<Diagnostic> {
        let diagnostic = self.diagnose(&TEXT_IGNORED, fault.place, fault.message.clone())?;
        let correction = fault.correction.as_deref();
        let fix = correction.map(|known| text_correction(self.catalog, self.file, self.nth, known));
        Some(Diagnostic {
            fixes: fix.into_iter().collect(),
            ..diagnostic
        })
    }

    /// Creates a diagnostic; `None` if the rule is off or suppressed.
    fn diagnose(
        &mut self,
        doc: &'static RuleDoc,
        place: Place,
        message: String,
    ) -> Option<Diagnostic> {
        let severity = self.settings.severity(doc)?;
        if let Some(suppression) = self.settings.suppression(doc.id, None, None, None) {
            self.used_suppressions.insert(suppression);
            return None;
        }
        Some(Diagnostic {
            help: doc.fix.to_owned(),
            location: self.catalog.location(self.file, self.nth, place),
            ..Diagnostic::new(doc.id, severity, message)
        })
    }
}

/// Returns the fix that writes `olm.package`: `opm` refuses blobs of the other schemas if they have
/// no `package`.
fn correct_schema(location: &Location, written: &str, intended: &str) -> Option<Fix> {
    if intended != "olm.package" {
        return None;
    }
    let op = replacement_op(location.clone(), written, intended)?;
    Some(Fix::new(format!("write `{intended}`"), false, vec![op]).with_kind("did-you-mean"))
}
