//! The problems of a catalog as diagnostics. A problem of the catalog as a whole has no file and is shown at the start
//! of one.

use crate::buffer::{self, Buffer};
use crate::catalog::{Catalog, Files};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Position, Range,
};
use protocol::diagnostic::{self, Severity};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Rule id for failures of `opm` with a message that no rule of ours covers.
const OPM: &str = "opm-validate";

/// Returns all problems, by file. `shown_in` is the file for problems of the catalog as a whole.
pub(crate) fn catalog_problems(
    catalog: &Catalog,
    files: &mut Files<'_>,
    shown_in: &Path,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut found: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    let Some(root) = catalog.root() else {
        return found;
    };
    let verdict = root.verdict();
    for problem in &verdict.diagnostics {
        let path = path(catalog, &problem.location).unwrap_or_else(|| shown_in.to_path_buf());
        let diagnostic = problem_diagnostic(problem, catalog, files, &path);
        found.entry(path).or_default().push(diagnostic);
    }
    if let Some(message) = verdict
        .opm_message
        .as_ref()
        .filter(|_| verdict.diagnostics.is_empty())
    {
        found
            .entry(shown_in.to_path_buf())
            .or_default()
            .push(message_diagnostic(message));
    }
    found
}

/// Creates a diagnostic for a read error of a catalog, at the start of a file.
pub(crate) fn message_diagnostic(message: &str) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(OPM.to_owned())),
        ..remark_diagnostic(message)
    }
}

/// Creates a diagnostic for a remark about the validated files, at the start of a file.
pub(crate) fn remark_diagnostic(message: &str) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some("switchyard".to_owned()),
        message: message.to_owned(),
        ..Diagnostic::default()
    }
}

/// Returns the range of a place in its file.
pub(crate) fn range(at: &diagnostic::Location, buffer: Option<&Buffer>) -> Range {
    let position = |line, column| match buffer {
        Some(buffer) => buffer.position_of(line, column),
        None => Position::default(),
    };
    if at.line == 0 {
        return Range::default();
    }
    Range {
        start: position(at.line, at.column),
        end: position(at.end_line.max(at.line), at.end_column),
    }
}

fn problem_diagnostic(
    problem: &diagnostic::Diagnostic,
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
) -> Diagnostic {
    let related = problem.evidence().filter_map(|(message, at)| {
        let path = self::path(catalog, at)?;
        let location = Location {
            uri: files.uri(&path)?,
            range: range(at, files.buffer(&path)),
        };
        Some(DiagnosticRelatedInformation { location, message })
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    Diagnostic {
        range: range(&problem.location, files.buffer(path)),
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(problem.rule.clone())),
        source: Some("switchyard".to_owned()),
        message: problem.message_with_help(),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// Returns the file of a place, if it has one.
pub(crate) fn path(catalog: &Catalog, at: &diagnostic::Location) -> Option<PathBuf> {
    if at.file.is_empty() {
        return None;
    }
    catalog.path_of(&at.file).map(|path| buffer::plain(&path))
}
