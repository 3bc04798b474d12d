//! Answers about a place of a document: hover, definition, completion, fixes and renames. A symbol is the name of a
//! package, a channel, a bundle or an entry.

use crate::buffer::Buffer;
use crate::catalog::{Catalog, Files};
use crate::problems;
use ::catalog::diff::replacements;
use ::catalog::model::{Blob, Body, FileId, FileIndex, Package};
use ::catalog::version::Version;
use completion::cursor_context::{self, CursorContext, CursorPart};
use completion::suggestions::{BundleName, EntryName, Names, help, package_of, suggestions};
use lsp_types::{
    CodeAction, CodeActionKind, CompletionItem, CompletionItemKind, CompletionTextEdit, CreateFile,
    Diagnostic, DocumentChangeOperation, DocumentChanges, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier,
    Position, PrepareRenameResponse, Range, ResourceOp, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};
use protocol::counting::count_of;
use protocol::operation::EditOp;
use session::{ChangedFile, Refused};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use syntax::place::{Place, Spanned, Text};

/// The client's capabilities and folders.
#[derive(Debug, Default)]
pub(crate) struct Client {
    /// The workspace folders.
    pub(crate) folders: Vec<PathBuf>,
    /// It can create files in an edit.
    pub(crate) can_create_files: bool,
    /// It supports versioned document edits.
    pub(crate) supports_versioned_edits: bool,
    /// It can report changes of files on disk on request.
    pub(crate) watches_files: bool,
}

/// A document and its catalog in their present state.
pub(crate) struct DocumentContext<'a> {
    pub(crate) path: PathBuf,
    pub(crate) files: Files<'a>,
    pub(crate) catalog: &'a mut Catalog,
    pub(crate) client: &'a Client,
}

/// A name and its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) package: Text,
    pub(crate) name: Text,
    pub(crate) role: Role,
    /// The byte range of the name in the file.
    pub(crate) range: std::ops::Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// The `package` field of a blob.
    Package,
    /// The name of an `olm.package` blob.
    PackageItself,
    Channel,
    /// The name of an `olm.channel` blob.
    ChannelItself,
    Bundle,
    /// The name of an `olm.bundle` blob.
    BundleItself,
    /// The name of an entry of this channel.
    Entry {
        channel: Text,
    },
    /// A name in `replaces` or `skips` of an entry of this channel.
    Edge {
        channel: Text,
    },
}

/// Finds the symbol at a position in a file of the catalog.
fn in_file(document: &mut DocumentContext<'_>, position: Position) -> Option<Symbol> {
    let offset = document.files.buffer(&document.path)?.offset(position);
    at(document.catalog.index_of(&document.path)?, offset)
}

/// Finds the symbol at byte `at` of a file.
pub(crate) fn at(index: &FileIndex, at: usize) -> Option<Symbol> {
    let nth = index
        .blobs
        .partition_point(|blob| blob.start as usize <= at)
        .checked_sub(1)?;
    let blob = index.blobs.get(nth)?;
    bodies(blob).find_map(|body| in_body(body, blob.start as usize, at))
}

/// Returns the blob's own body, or the bodies in a template.
fn bodies(blob: &Blob) -> impl Iterator<Item = &Body> {
    let items = match &blob.body {
        Body::Other(other) => other
            .template
            .as_deref()
            .map_or(&[][..], |template| template.items()),
        _ => &[],
    };
    std::iter::once(&blob.body).chain(items.iter().map(|item| &item.body))
}

fn in_body(body: &Body, start: usize, at: usize) -> Option<Symbol> {
    let range =
        |text: &Spanned<Text>| start + text.place.start as usize..start + text.place.end as usize;
    let symbol = |text: &Spanned<Text>, package: &Text, role: Role| Symbol {
        package: package.clone(),
        name: text.value.clone(),
        role,
        range: range(text),
    };
    // Inclusive: the caret may be right after the name.
    let here = |text: &Spanned<Text>, package: &Text, role: Role| {
        Some(text)
            .filter(|text: &&Spanned<Text>| {
                !text.is_empty() && (range(text).start..=range(text).end).contains(&at)
            })
            .map(|text| symbol(text, package, role))
    };
    match body {
        Body::Package(blob) => here(&blob.name, &blob.name.value, Role::PackageItself)
            .or_else(|| here(&blob.default_channel, &blob.name.value, Role::Channel)),
        Body::Channel(blob) => {
            let package = &blob.package.value;
            let channel = || blob.name.value.clone();
            let entry = blob.entries.iter().find_map(|entry| {
                let edge = |text| here(text, package, Role::Edge { channel: channel() });
                here(&entry.name, package, Role::Entry { channel: channel() })
                    .or_else(|| edge(&entry.replaces))
                    .or_else(|| entry.skips.iter().find_map(edge))
            });
            entry
                .or_else(|| here(&blob.name, package, Role::ChannelItself))
                .or_else(|| here(&blob.package, package, Role::Package))
        }
        Body::Bundle(blob) => {
            let package = &blob.package.value;
            here(&blob.name, package, Role::BundleItself)
                .or_else(|| here(&blob.package, package, Role::Package))
        }
        Body::Deprecations(blob) => {
            let package = &blob.package.value;
            let reference = blob
                .entries
                .iter()
                .find_map(|entry| match entry.schema.as_str() {
                    "olm.channel" => here(&entry.name, package, Role::Channel),
                    "olm.bundle" => here(&entry.name, package, Role::Bundle),
                    _ => None,
                });
            reference.or_else(|| here(&blob.package, package, Role::Package))
        }
        Body::Other(blob) => here(&blob.package, &blob.package.value, Role::Package),
        Body::Unreadable => None,
    }
}

pub(crate) fn hover(document: &mut DocumentContext<'_>, at: Position) -> Option<Hover> {
    let symbol = in_file(document, at);
    let buffer = document.files.buffer(&document.path)?;
    let description = symbol.as_ref().and_then(|symbol| {
        let package = document
            .catalog
            .root()?
            .catalog()
            .package(&symbol.package)?;
        Some(describe(package, symbol))
    });
    // The key applies to the whole line, so use the context at its end.
    let end = Position {
        line: at.line,
        character: u32::MAX,
    };
    let spot = context(buffer, buffer.position(buffer.offset(end)));
    let key = match &spot.part {
        CursorPart::Value(key) if !key.is_empty() => help(&spot, key),
        _ => String::new(),
    };
    let parts: Vec<String> = description
        .into_iter()
        .chain(Some(escape(&key)))
        .filter(|part| !part.is_empty())
        .collect();
    let range = symbol.map(|symbol| buffer.range(symbol.range));
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value: parts.join("\n\n"),
    });
    (!parts.is_empty()).then_some(Hover { contents, range })
}

/// Describes a symbol in Markdown, with facts from the catalog.
fn describe(package: &Package, symbol: &Symbol) -> String {
    let name = escape(&symbol.name);
    match &symbol.role {
        Role::Package | Role::PackageItself => {
            let default = package.default_channel();
            let default = if default.is_empty() {
                String::new()
            } else {
                format!(", default {}", escape(default))
            };
            let (channels, bundles) = (package.channels.len(), package.bundles.len());
            format!(
                "**Package {name}**: {}{default}; {}",
                count_of(channels, "channel"),
                count_of(bundles, "bundle")
            )
        }
        Role::Channel | Role::ChannelItself => match package.channel(&symbol.name) {
            None => format!(
                "**Channel {name}** is not in package {}",
                escape(&package.name)
            ),
            Some(channel) => {
                let is_default = package.default_channel() == &*symbol.name;
                let default = if is_default {
                    ", the default channel"
                } else {
                    ""
                };
                format!(
                    "**Channel {name}**{default}: {}",
                    count_of(channel.entries.len(), "entry")
                )
            }
        },
        Role::Bundle | Role::BundleItself | Role::Entry { .. } | Role::Edge { .. } => {
            let channels: Vec<String> = package
                .channels
                .iter()
                .filter(|channel| {
                    channel
                        .entries
                        .iter()
                        .any(|entry| entry.name.value == symbol.name)
                })
                .map(|channel| escape(&channel.name.value))
                .collect();
            let listed = match channels.is_empty() {
                true => "in no channel".to_owned(),
                false => format!("in {}", channels.join(", ")),
            };
            let Some(bundle) = package.bundle(&symbol.name) else {
                return format!("**{name}** has no bundle; {listed}");
            };
            let version = escape(bundle.version());
            let image = escape(bundle.image.as_str());
            let image = if image.is_empty() {
                String::new()
            } else {
                format!("\n\n{image}")
            };
            format!("**Bundle {name}**, version {version}; {listed}{image}")
        }
    }
}

/// Escapes catalog text, which is not Markdown.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_punctuation()
            && !matches!(letter, '.' | ',' | ':' | ';' | '/' | '-' | '\'' | '"' | '=')
        {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

pub(crate) fn definitions(document: &mut DocumentContext<'_>, at: Position) -> Vec<Location> {
    let Some(symbol) = in_file(document, at) else {
        return Vec::new();
    };
    let (catalog, files) = (&*document.catalog, &mut document.files);
    let Some(root) = catalog.root() else {
        return Vec::new();
    };
    let Some(package) = root.catalog().package(&symbol.package) else {
        return Vec::new();
    };
    let places = places(package, &symbol)
        .into_iter()
        .map(|(file, index, place)| root.catalog().location(file, index, place));
    let locations = places.filter_map(|at| {
        let path = problems::path(catalog, &at)?;
        Some(Location {
            uri: files.uri(&path)?,
            range: problems::range(&at, files.buffer(&path)),
        })
    });
    locations.collect()
}

/// The file of a blob, its index in the file, and a place in it.
type BlobPlace = (FileId, u32, Place);

fn places(package: &Package, symbol: &Symbol) -> Vec<BlobPlace> {
    match &symbol.role {
        Role::Package | Role::PackageItself => package
            .packages
            .iter()
            .map(|blob| (blob.file, blob.index, blob.name.place))
            .collect(),
        Role::Channel | Role::ChannelItself => {
            let channels = package
                .channels
                .iter()
                .filter(|blob| blob.name.value == symbol.name);
            channels
                .map(|blob| (blob.file, blob.index, blob.name.place))
                .collect()
        }
        Role::Bundle | Role::Entry { .. } => bundles(package, symbol),
        Role::BundleItself => entries(package, symbol, None),
        Role::Edge { channel } => match entries(package, symbol, Some(channel)) {
            entries if entries.is_empty() => bundles(package, symbol),
            entries => entries,
        },
    }
}

fn bundles(package: &Package, symbol: &Symbol) -> Vec<BlobPlace> {
    let bundles = package
        .bundles
        .iter()
        .filter(|blob| blob.name.value == symbol.name);
    bundles
        .map(|blob| (blob.file, blob.index, blob.name.place))
        .collect()
}

/// Returns the entries of this name, in one channel or in all.
fn entries(package: &Package, symbol: &Symbol, channel: Option<&str>) -> Vec<BlobPlace> {
    let channels = package
        .channels
        .iter()
        .filter(|blob| channel.is_none_or(|channel| blob.name.as_str() == channel));
    let entries = channels.flat_map(|blob| {
        let entries = blob
            .entries
            .iter()
            .filter(|entry| entry.name.value == symbol.name);
        entries.map(|entry| (blob.file, blob.index, entry.name.place))
    });
    entries.collect()
}

/// Lines around a position that are parsed for its context.
const CONTEXT: u32 = 3_000;

pub(crate) fn complete(catalog: &Catalog, buffer: &Buffer, at: Position) -> Vec<CompletionItem> {
    // A position beyond the text means the end of its last line.
    let at = Position {
        line: at.line.min(buffer.line_count().saturating_sub(1)),
        ..at
    };
    let spot = context(buffer, at);
    let package = catalog
        .root()
        .and_then(|root| root.catalog().package(package_of(&spot)));
    let names = package.map(|package| names(package)).unwrap_or_default();
    let range = Range {
        start: buffer.position_of(at.line + 1, spot.from),
        end: at,
    };
    let item = |(nth, suggestion): (usize, completion::suggestions::Suggestion)| CompletionItem {
        kind: Some(match suggestion.insert.ends_with([':', ' ']) {
            true => CompletionItemKind::PROPERTY,
            false => CompletionItemKind::VALUE,
        }),
        detail: Some(suggestion.detail),
        // Keep this order; editors would otherwise sort alphabetically.
        sort_text: Some(format!("{nth:06}")),
        filter_text: Some(suggestion.label.clone()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range,
            new_text: suggestion.insert,
        })),
        label: suggestion.label,
        ..CompletionItem::default()
    };
    suggestions(&spot, &names)
        .into_iter()
        .enumerate()
        .map(item)
        .collect()
}

/// Returns the syntactic context of a position.
pub(crate) fn context(buffer: &Buffer, at: Position) -> CursorContext {
    let line = at.line.min(buffer.line_count().saturating_sub(1));
    let lines = |from: u32, to: u32| {
        (from..to)
            .map(|line| buffer.line(line).to_owned())
            .collect::<Vec<String>>()
    };
    let above = lines(line.saturating_sub(CONTEXT), line + 1);
    let below = lines(
        line + 1,
        line.saturating_add(CONTEXT).min(buffer.line_count()),
    );
    cursor_context::at(
        &above,
        &below,
        buffer.characters_before(Position { line, ..at }) + 1,
    )
}

fn names(package: &Package) -> Names {
    let mut bundles: Vec<(Option<Version>, BundleName)> = package
        .bundles
        .iter()
        .map(|bundle| {
            let version = bundle.version();
            (
                Version::parse(version).ok(),
                BundleName {
                    name: bundle.name.value.to_string(),
                    version: version.to_owned(),
                },
            )
        })
        .collect();
    bundles.sort_by(|(a, x), (b, y)| {
        let by_version = match (a, b) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            _ => Reverse(a.is_some()).cmp(&Reverse(b.is_some())),
        };
        by_version
            .then_with(|| x.name.cmp(&y.name))
            .then_with(|| x.version.cmp(&y.version))
    });
    bundles.dedup_by(|(_, a), (_, b)| a.name == b.name);
    let entries = package.channels.iter().flat_map(|channel| {
        channel.entries.iter().map(|entry| EntryName {
            channel: channel.name.value.to_string(),
            name: entry.name.value.to_string(),
        })
    });
    Names {
        package: package.name.to_string(),
        bundles: bundles.into_iter().map(|(_, bundle)| bundle).collect(),
        channels: package
            .channels
            .iter()
            .map(|channel| channel.name.value.to_string())
            .collect(),
        entries: entries.collect(),
    }
}

/// Returns quick fixes for the problems in `range`. `client_diagnostics` are attached to the fixes that resolve them.
pub(crate) fn fixes(
    document: &mut DocumentContext<'_>,
    range: Range,
    client_diagnostics: &[Diagnostic],
) -> Vec<CodeAction> {
    let Some(root) = document.catalog.root() else {
        return Vec::new();
    };
    let fixable: Vec<_> = root
        .verdict()
        .diagnostics
        .iter()
        .filter(|problem| !problem.fixes.is_empty())
        .cloned()
        .collect();
    let mut actions: Vec<CodeAction> = Vec::new();
    for problem in fixable {
        if problems::path(document.catalog, &problem.location).as_ref() != Some(&document.path) {
            continue;
        }
        let place = problems::range(&problem.location, document.files.buffer(&document.path));
        if place.end < range.start || range.end < place.start {
            continue;
        }
        let diagnostics: Vec<Diagnostic> = client_diagnostics
            .iter()
            .filter(|diagnostic: &&Diagnostic| {
                diagnostic.range == place
                    && diagnostic.code == Some(NumberOrString::String(problem.rule.clone()))
            })
            .cloned()
            .collect();
        for (nth, fix) in problem.fixes.iter().enumerate() {
            // Don't offer a fix that is refused now.
            let Ok(edit) = edit(document, &fix.ops) else {
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
fn edit(document: &mut DocumentContext<'_>, ops: &[EditOp]) -> Result<WorkspaceEdit, Refused> {
    let DocumentContext {
        files,
        catalog,
        client,
        ..
    } = document;
    let session = catalog.source.session_mut().ok_or_else(unreadable)?;
    let changed = session.preview(ops)?.files;
    let (mut operations, mut by_uri) = (Vec::new(), HashMap::<Uri, Vec<TextEdit>>::new());
    for file in &changed {
        let path = catalog.path_of(&file.path).ok_or_else(unreadable)?;
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
        by_uri.entry(uri).or_default().extend(edits);
    }
    Ok(match client.supports_versioned_edits {
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

fn unreadable() -> Refused {
    Refused::new("the catalog could not be read")
}

fn text_edits(
    file: &ChangedFile,
    files: &mut Files<'_>,
    path: &Path,
) -> Result<Vec<TextEdit>, Refused> {
    let replaced = replacements(&file.hunks)
        .ok_or_else(|| Refused::new(format!("`{}` is not UTF-8 where it changes", file.path)))?;
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

/// Returns the channel at a position, and the range of its name.
pub(crate) fn prepare_rename(
    document: &mut DocumentContext<'_>,
    at: Position,
) -> Result<PrepareRenameResponse, Refused> {
    let symbol = channel(document, at)?;
    let buffer = document
        .files
        .buffer(&document.path)
        .ok_or_else(no_channel)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: buffer.range(symbol.range.clone()),
        placeholder: symbol.name.to_string(),
    })
}

pub(crate) fn rename(
    document: &mut DocumentContext<'_>,
    at: Position,
    to: &str,
) -> Result<WorkspaceEdit, Refused> {
    let symbol = channel(document, at)?;
    let op = EditOp::rename_channel(&symbol.package, &symbol.name, to);
    edit(document, &[op])
}

fn channel(document: &mut DocumentContext<'_>, at: Position) -> Result<Symbol, Refused> {
    in_file(document, at)
        .filter(|symbol| matches!(symbol.role, Role::Channel | Role::ChannelItself))
        .ok_or_else(no_channel)
}

fn no_channel() -> Refused {
    Refused::new("only channels can be renamed").help("put the caret on a channel's name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::catalog::index::index_bytes;

    const TEXT: &str = "---\nschema: olm.package\nname: p\ndefaultChannel: fast\n---\nschema: olm.channel\npackage: p\nname: fast\nentries:\n- name: p.v2\n  replaces: p.v1\n  skips: [p.v0]\n";

    fn symbol_at_mark(text: &str) -> Option<(String, Role)> {
        let at_byte = text.find('‸').unwrap();
        let text = text.replace('‸', "");
        let symbol = at(&index_bytes(text.as_bytes()), at_byte)?;
        assert!(text[symbol.range.clone()].contains(&*symbol.name));
        Some((symbol.name.to_string(), symbol.role))
    }

    #[test]
    fn names_are_known_by_their_place() {
        let fast = || Text::from("fast");
        for (place, name, role) in [
            ("name: ‸p\n", "p", Role::PackageItself),
            ("defaultChannel: fa‸st", "fast", Role::Channel),
            ("name: fast‸\n", "fast", Role::ChannelItself),
            ("name: p.‸v2", "p.v2", Role::Entry { channel: fast() }),
            ("replaces: p.v1‸", "p.v1", Role::Edge { channel: fast() }),
            ("[‸p.v0", "p.v0", Role::Edge { channel: fast() }),
            ("package: ‸p", "p", Role::Package),
        ] {
            let text = TEXT.replacen(&place.replace('‸', ""), place, 1);
            assert_eq!(
                symbol_at_mark(&text),
                Some((name.to_owned(), role)),
                "{place}"
            );
        }
        assert_eq!(
            symbol_at_mark(&TEXT.replacen("entries:", "ent‸ries:", 1)),
            None
        );
        assert_eq!(symbol_at_mark("‸"), None);
    }
}

#[cfg(test)]
mod hover_tests {
    use super::escape;

    #[test]
    fn escapes_markdown() {
        assert_eq!(
            escape("a_b [x](y) <img> v1.2"),
            "a\\_b \\[x\\]\\(y\\) \\<img\\> v1.2"
        );
    }
}
