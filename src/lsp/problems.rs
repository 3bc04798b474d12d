//! The problems of a catalog as diagnostics, and their fixes as edits. A problem without a file is
//! shown at the start of one.

use crate::buffer::Buffer;
use crate::catalog::{Catalog, DocumentContext, Files};
use ::catalog::diff::replacements;
use lsp_types::{
    CodeAction, CodeActionKind, CreateFile, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DocumentChangeOperation, DocumentChanges, Location, NumberOrString, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp, TextDocumentEdit,
    TextEdit, Uri, WorkspaceEdit,
};
use protocol::diagnostic::{self, Severity};
use protocol::operation::EditOp;
use session::{ChangedFile, Refused};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rule id for failures of `opm` with a message that no rule of ours covers.
const OPM_RULE: &str = "opm-validate";

/// Returns all problems, by file. Those without a file are shown in `fallback`.
pub(crate) fn catalog_problems(
    catalog: &Catalog,
    files: &mut Files<'_>,
    fallback: &Path,
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut by_file: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    let Some(root) = catalog.root() else {
        return by_file;
    };
    let verdict = root.verdict();
    for problem in &verdict.diagnostics {
        let path = path(catalog, &problem.location).unwrap_or_else(|| fallback.to_path_buf());
        let diagnostic = problem_diagnostic(problem, catalog, files, &path);
        by_file.entry(path).or_default().push(diagnostic);
    }
    if let Some(message) = &verdict.opm_message
        && verdict.diagnostics.is_empty()
    {
        by_file.insert(fallback.to_path_buf(), vec![message_diagnostic(message)]);
    }
    by_file
}

/// Creates a diagnostic for a read error of a catalog, at the start of a file.
pub(crate) fn message_diagnostic(message: &str) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(OPM_RULE.to_owned())),
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

/// Converts a location to a range of the client.
pub(crate) fn range(location: &diagnostic::Location, buffer: Option<&Buffer>) -> Range {
    let position = |line, column| match buffer {
        Some(buffer) => buffer.position_of(line, column),
        None => Position::default(),
    };
    if location.line == 0 {
        return Range::default();
    }
    Range {
        start: position(location.line, location.column),
        end: position(location.end_line.max(location.line), location.end_column),
    }
}

/// Returns the path on disk of a location, if it has a file.
pub(crate) fn path(catalog: &Catalog, location: &diagnostic::Location) -> Option<PathBuf> {
    if location.file.is_empty() {
        return None;
    }
    catalog.path_on_disk(&location.file)
}

/// Returns quick fixes for the problems in `range`. `client_diagnostics` are attached to the fixes
/// that resolve them.
pub(crate) fn fixes(
    document: &mut DocumentContext<'_>,
    range: Range,
    client_diagnostics: &[Diagnostic],
) -> Vec<CodeAction> {
    let Some(root) = document.catalog.root() else {
        return Vec::new();
    };
    let problems: Vec<Arc<diagnostic::Diagnostic>> = root
        .verdict()
        .diagnostics
        .iter()
        .filter(|problem| !problem.fixes.is_empty())
        .filter(|problem| {
            path(document.catalog, &problem.location).as_ref() == Some(&document.path)
        })
        .cloned()
        .collect();
    let mut actions: Vec<CodeAction> = Vec::new();
    for problem in problems {
        let problem_range = self::range(&problem.location, document.files.buffer(&document.path));
        if problem_range.end < range.start || range.end < problem_range.start {
            continue;
        }
        let code = Some(NumberOrString::String(problem.rule.clone()));
        let resolved: Vec<Diagnostic> = client_diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.range == problem_range && diagnostic.code == code)
            .cloned()
            .collect();
        for (rank, fix) in problem.fixes.iter().enumerate() {
            // Don't offer a fix that is refused now.
            let Ok(edit) = workspace_edit(document, &fix.ops) else {
                continue;
            };
            let action = CodeAction {
                title: match fix.note.as_str() {
                    "" => fix.title.clone(),
                    note => format!("{} ({note})", fix.title),
                },
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: (!resolved.is_empty()).then(|| resolved.clone()),
                is_preferred: (rank == 0 && fix.safe).then_some(true),
                edit: Some(edit),
                ..CodeAction::default()
            };
            let is_duplicate = actions
                .iter()
                .any(|other| other.title == action.title && other.edit == action.edit);
            if !is_duplicate {
                actions.push(action);
            }
        }
    }
    actions
}

/// Converts operations to edits of the client's documents.
pub(crate) fn workspace_edit(
    document: &mut DocumentContext<'_>,
    ops: &[EditOp],
) -> Result<WorkspaceEdit, Refused> {
    let DocumentContext {
        files,
        catalog,
        client,
        ..
    } = document;
    let session = catalog.source.session_mut().ok_or_else(unreadable)?;
    let changed = session.preview(ops)?.files;
    let mut operations = Vec::new();
    let mut edits_by_uri: Vec<(Uri, Vec<TextEdit>)> = Vec::new();
    for file in &changed {
        let path = catalog.path_on_disk(&file.path).ok_or_else(unreadable)?;
        let uri = files
            .uri(&path)
            .ok_or_else(|| Refused::new(format!("`{}` has no URI", file.path)))?;
        let edits = text_edits(file, files, &path)?;
        if file.created {
            if !client.can_create_files {
                return Err(Refused::new(
                    "this edit creates a file, which the editor does not support",
                )
                .help("use `switchyard edit`"));
            }
            let create = CreateFile {
                uri: uri.clone(),
                options: None,
                annotation_id: None,
            };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Create(create)));
        }
        let document = OptionalVersionedTextDocumentIdentifier {
            uri: uri.clone(),
            version: files.version(&path),
        };
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: document,
            edits: edits.iter().cloned().map(OneOf::Left).collect(),
        }));
        edits_by_uri.push((uri, edits));
    }
    let mut edit = WorkspaceEdit::default();
    if client.supports_versioned_edits {
        edit.document_changes = Some(DocumentChanges::Operations(operations));
    } else {
        edit.changes = Some(edits_by_uri.into_iter().collect());
    }
    Ok(edit)
}

fn problem_diagnostic(
    problem: &diagnostic::Diagnostic,
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
) -> Diagnostic {
    let related: Vec<DiagnosticRelatedInformation> = problem
        .evidence()
        .filter_map(|(message, location)| {
            let path = self::path(catalog, location)?;
            let location = Location {
                uri: files.uri(&path)?,
                range: range(location, files.buffer(&path)),
            };
            Some(DiagnosticRelatedInformation { location, message })
        })
        .collect();
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

fn unreadable() -> Refused {
    Refused::new("the catalog could not be read")
}

fn text_edits(
    file: &ChangedFile,
    files: &mut Files<'_>,
    path: &Path,
) -> Result<Vec<TextEdit>, Refused> {
    let replacements = replacements(&file.hunks)
        .ok_or_else(|| Refused::new(format!("`{}` is not UTF-8 where it changes", file.path)))?;
    let buffer = files.buffer(path);
    let position = |(line, column)| match buffer {
        Some(buffer) => buffer.position_of(line, column),
        None => Position::default(),
    };
    let edits = replacements.into_iter().map(|replacement| TextEdit {
        range: Range {
            start: position(replacement.start),
            end: position(replacement.end),
        },
        new_text: replacement.text,
    });
    Ok(edits.collect())
}
