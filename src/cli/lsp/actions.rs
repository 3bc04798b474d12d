//! Fixes and operations as edits of the client's documents.

use super::catalog::Catalog;
use super::session::{Client, Files};
use super::symbol::{Role, Symbol};
use super::{problems, symbol};
use fbc::diff::replacements;
use fbc::workspace::{ChangedFile, Refused};
use lsp_types::{
    CodeAction, CodeActionKind, CreateFile, Diagnostic, DocumentChangeOperation, DocumentChanges,
    NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier, Position,
    PrepareRenameResponse, Range, ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use protocol::operation::EditOp;
use std::collections::HashMap;
use std::path::Path;

/// The fixes of the problems in a range of a file. `requested` are the problems to fix.
pub(super) fn fixes(
    catalog: &mut Catalog,
    files: &mut Files<'_>,
    client: &Client,
    path: &Path,
    range: Range,
    requested: &[Diagnostic],
) -> Vec<CodeAction> {
    let Some(root) = catalog.root() else {
        return Vec::new();
    };
    let here: Vec<_> = root
        .verdict()
        .diagnostics
        .iter()
        .filter(|problem| !problem.fixes.is_empty())
        .cloned()
        .collect();
    let mut actions: Vec<CodeAction> = Vec::new();
    for problem in here {
        if problems::path(catalog, &problem.location).as_deref() != Some(path) {
            continue;
        }
        let place = problems::range(&problem.location, files.buffer(path));
        if place.end < range.start || range.end < place.start {
            continue;
        }
        let is_requested = |diagnostic: &&Diagnostic| {
            diagnostic.range == place
                && diagnostic.code == Some(NumberOrString::String(problem.rule.clone()))
        };
        let diagnostics: Vec<Diagnostic> = requested.iter().filter(is_requested).cloned().collect();
        for (nth, fix) in problem.fixes.iter().enumerate() {
            // Don't offer a fix that is refused now.
            let Ok(edit) = edit(catalog, files, client, &fix.ops) else {
                continue;
            };
            let title = if fix.note.is_empty() {
                fix.title.clone()
            } else {
                format!("{} ({})", fix.title, fix.note)
            };
            if actions
                .iter()
                .any(|known| known.title == title && known.edit.as_ref() == Some(&edit))
            {
                continue;
            }
            actions.push(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: (!diagnostics.is_empty()).then(|| diagnostics.clone()),
                is_preferred: (nth == 0 && fix.safe).then_some(true),
                edit: Some(edit),
                ..CodeAction::default()
            });
        }
    }
    actions
}

/// Converts operations to edits of the client's documents.
pub(super) fn edit(
    catalog: &mut Catalog,
    files: &mut Files<'_>,
    client: &Client,
    ops: &[EditOp],
) -> Result<WorkspaceEdit, Refused> {
    let closed = || Refused::new("the catalog could not be read");
    let changed = catalog
        .disk_mut()
        .ok_or_else(closed)?
        .workspace
        .preview(ops)?
        .files;
    let (mut operations, mut by_uri) = (Vec::new(), HashMap::<Uri, Vec<TextEdit>>::new());
    for file in &changed {
        let path = catalog.path_of(&file.path).ok_or_else(closed)?;
        let uri = files
            .uri(&path)
            .ok_or_else(|| Refused::new(format!("`{}` has no URI", file.path)))?;
        let edits = text_edits(file, files, &path)?;
        if file.created {
            if !client.makes_files {
                return Err(
                    Refused::new("this edit makes a file, which the editor does not do")
                        .help("use `switchyard edit`"),
                );
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
        by_uri.entry(uri).or_default().extend(edits);
    }
    Ok(match client.takes_versions {
        true => WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        },
        false => WorkspaceEdit {
            changes: Some(by_uri),
            ..WorkspaceEdit::default()
        },
    })
}

fn text_edits(
    file: &ChangedFile,
    files: &mut Files<'_>,
    path: &Path,
) -> Result<Vec<TextEdit>, Refused> {
    let not_text = || Refused::new(format!("`{}` is not UTF-8 where it changes", file.path));
    let replaced = replacements(&file.hunks).ok_or_else(not_text)?;
    let buffer = files.buffer(path);
    let edits = replaced.into_iter().map(|one| {
        let position = |(line, column)| match buffer {
            Some(buffer) => buffer.position_of(line, column),
            None => lsp_types::Position::default(),
        };
        TextEdit {
            range: Range {
                start: position(one.start),
                end: position(one.end),
            },
            new_text: one.text,
        }
    });
    Ok(edits.collect())
}

/// The channel at a position, and the range of its name.
pub(super) fn prepare_rename(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    at: Position,
) -> Result<PrepareRenameResponse, Refused> {
    let symbol = channel(catalog, files, path, at)?;
    let buffer = files.buffer(path).ok_or_else(no_channel)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: buffer.range(symbol.range.clone()),
        placeholder: symbol.name.to_string(),
    })
}

pub(super) fn rename(
    catalog: &mut Catalog,
    files: &mut Files<'_>,
    client: &Client,
    path: &Path,
    at: Position,
    to: &str,
) -> Result<WorkspaceEdit, Refused> {
    let symbol = channel(catalog, files, path, at)?;
    let op = EditOp::rename_channel(&symbol.package, &symbol.name, to);
    edit(catalog, files, client, &[op])
}

fn channel(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    at: Position,
) -> Result<Symbol, Refused> {
    symbol::in_file(catalog, files, path, at)
        .filter(|symbol| matches!(symbol.role, Role::Channel | Role::ChannelItself))
        .ok_or_else(no_channel)
}

fn no_channel() -> Refused {
    Refused::new("only channels can be renamed").help("put the caret on a channel's name")
}
