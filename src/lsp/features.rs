//! Answers about a position in a document: hover, definition, completion and rename. A symbol is
//! the name of a package, a channel, a bundle or an entry.

use crate::buffer::Buffer;
use crate::catalog::{Catalog, DocumentContext};
use crate::problems::{self, workspace_edit};
use ::catalog::model::{Blob, Body, Entry, FileId, FileIndex, Package};
use ::catalog::version::Version;
use completion::cursor_context::{self, CursorContext, CursorPart};
use completion::suggestions::{
    BundleName, EntryName, Names, Suggestion, help, package_of, suggestions,
};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, Position, PrepareRenameResponse, Range, TextEdit, WorkspaceEdit,
};
use protocol::counting::count_of;
use protocol::operation::EditOp;
use session::Refused;
use syntax::place::{Place, Spanned, Text};

/// Lines above and below a position that are parsed for its context.
const CONTEXT_LINES: u32 = 3_000;

/// A name and its role.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Symbol {
    package: Text,
    name: Text,
    role: Role,
    /// The byte range of the name in the file.
    range: std::ops::Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
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

struct NameSpan {
    file: FileId,
    /// Index of the blob in its file.
    blob: u32,
    place: Place,
}

pub(crate) fn hover(document: &mut DocumentContext<'_>, position: Position) -> Option<Hover> {
    let symbol = symbol_in_document(document, position);
    let buffer = document.files.buffer(&document.path)?;
    let description = symbol.as_ref().and_then(|symbol| {
        let catalog = document.catalog.root()?.catalog();
        Some(describe(catalog.package(&symbol.package)?, symbol))
    });
    // The help on a key applies to its whole line, so use the context at the end.
    let end = Position {
        line: position.line,
        character: u32::MAX,
    };
    let cursor = cursor_context(buffer, buffer.position(buffer.offset(end)));
    let key_help = match &cursor.part {
        CursorPart::Value(key) if !key.is_empty() => help(&cursor, key),
        _ => String::new(),
    };
    let parts: Vec<String> = description
        .into_iter()
        .chain(Some(escape(&key_help)))
        .filter(|part| !part.is_empty())
        .collect();
    let range = symbol.map(|symbol| buffer.range(symbol.range));
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value: parts.join("\n\n"),
    });
    (!parts.is_empty()).then_some(Hover { contents, range })
}

pub(crate) fn definitions(document: &mut DocumentContext<'_>, position: Position) -> Vec<Location> {
    let Some(symbol) = symbol_in_document(document, position) else {
        return Vec::new();
    };
    let (catalog, files) = (&*document.catalog, &mut document.files);
    let Some(root) = catalog.root() else {
        return Vec::new();
    };
    let Some(package) = root.catalog().package(&symbol.package) else {
        return Vec::new();
    };
    find_definitions(package, &symbol)
        .into_iter()
        .filter_map(|span| {
            let location = root.catalog().location(span.file, span.blob, span.place);
            let path = problems::path(catalog, &location)?;
            Some(Location {
                uri: files.uri(&path)?,
                range: problems::range(&location, files.buffer(&path)),
            })
        })
        .collect()
}

pub(crate) fn complete(
    catalog: &Catalog,
    buffer: &Buffer,
    position: Position,
) -> Vec<CompletionItem> {
    // A position beyond the text means the end of its last line.
    let position = Position {
        line: position.line.min(buffer.line_count().saturating_sub(1)),
        ..position
    };
    let cursor = cursor_context(buffer, position);
    let package = catalog
        .root()
        .and_then(|root| root.catalog().package(package_of(&cursor)));
    let names = package
        .map(|package| names_in_package(package))
        .unwrap_or_default();
    let range = Range {
        start: buffer.position_of(position.line + 1, cursor.from),
        end: position,
    };
    suggestions(&cursor, &names)
        .into_iter()
        .enumerate()
        .map(|(rank, suggestion)| completion_item(suggestion, rank, range))
        .collect()
}

/// Returns the channel at a position, and the range of its name.
pub(crate) fn prepare_rename(
    document: &mut DocumentContext<'_>,
    position: Position,
) -> Result<PrepareRenameResponse, Refused> {
    let symbol = channel_at(document, position)?;
    let buffer = document
        .files
        .buffer(&document.path)
        .ok_or_else(not_a_channel)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: buffer.range(symbol.range.clone()),
        placeholder: symbol.name.to_string(),
    })
}

pub(crate) fn rename(
    document: &mut DocumentContext<'_>,
    position: Position,
    new_name: &str,
) -> Result<WorkspaceEdit, Refused> {
    let symbol = channel_at(document, position)?;
    let op = EditOp::rename_channel(&symbol.package, &symbol.name, new_name);
    workspace_edit(document, &[op])
}

/// Finds the symbol at a position in a file of the catalog.
fn symbol_in_document(document: &mut DocumentContext<'_>, position: Position) -> Option<Symbol> {
    let offset = document.files.buffer(&document.path)?.offset(position);
    symbol_at(document.catalog.index_of(&document.path)?, offset)
}

fn symbol_at(index: &FileIndex, offset: usize) -> Option<Symbol> {
    let blobs_before = index
        .blobs
        .partition_point(|blob| blob.start as usize <= offset);
    let blob = index.blobs.get(blobs_before.checked_sub(1)?)?;
    let finder = SymbolFinder {
        blob_start: blob.start as usize,
        offset,
    };
    bodies(blob).find_map(|body| finder.find(body))
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

struct SymbolFinder {
    blob_start: usize,
    offset: usize,
}

impl SymbolFinder {
    fn find(&self, body: &Body) -> Option<Symbol> {
        match body {
            Body::Package(blob) => {
                let package = &blob.name.value;
                self.check(&blob.name, package, Role::PackageItself)
                    .or_else(|| self.check(&blob.default_channel, package, Role::Channel))
            }
            Body::Channel(blob) => {
                let package = &blob.package.value;
                let mut entries = blob.entries.iter();
                entries
                    .find_map(|entry| self.find_in_entry(entry, package, &blob.name.value))
                    .or_else(|| self.check(&blob.name, package, Role::ChannelItself))
                    .or_else(|| self.check(&blob.package, package, Role::Package))
            }
            Body::Bundle(blob) => {
                let package = &blob.package.value;
                self.check(&blob.name, package, Role::BundleItself)
                    .or_else(|| self.check(&blob.package, package, Role::Package))
            }
            Body::Deprecations(blob) => {
                let package = &blob.package.value;
                let mut entries = blob.entries.iter();
                let reference = entries.find_map(|entry| match entry.schema.as_str() {
                    "olm.channel" => self.check(&entry.name, package, Role::Channel),
                    "olm.bundle" => self.check(&entry.name, package, Role::Bundle),
                    _ => None,
                });
                reference.or_else(|| self.check(&blob.package, package, Role::Package))
            }
            Body::Other(blob) => self.check(&blob.package, &blob.package.value, Role::Package),
            Body::Unreadable => None,
        }
    }

    fn find_in_entry(&self, entry: &Entry, package: &Text, channel: &Text) -> Option<Symbol> {
        let entry_role = Role::Entry {
            channel: channel.clone(),
        };
        let edge_role = Role::Edge {
            channel: channel.clone(),
        };
        self.check(&entry.name, package, entry_role).or_else(|| {
            std::iter::once(&entry.replaces)
                .chain(&entry.skips)
                .find_map(|name| self.check(name, package, edge_role.clone()))
        })
    }

    /// Returns the symbol for a name if the offset is inside it or right after it, where the caret
    /// may be.
    fn check(&self, name: &Spanned<Text>, package: &Text, role: Role) -> Option<Symbol> {
        let range =
            self.blob_start + name.place.start as usize..self.blob_start + name.place.end as usize;
        if name.is_empty() || !(range.start..=range.end).contains(&self.offset) {
            return None;
        }
        Some(Symbol {
            package: package.clone(),
            name: name.value.clone(),
            role,
            range,
        })
    }
}

/// Describes a symbol in Markdown, with facts from the catalog.
fn describe(package: &Package, symbol: &Symbol) -> String {
    let name = escape(&symbol.name);
    match &symbol.role {
        Role::Package | Role::PackageItself => {
            let default = match package.default_channel() {
                "" => String::new(),
                channel => format!(", default {}", escape(channel)),
            };
            format!(
                "**Package {name}**: {}{default}; {}",
                count_of(package.channels.len(), "channel"),
                count_of(package.bundles.len(), "bundle")
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
            describe_bundle(package, &symbol.name)
        }
    }
}

fn describe_bundle(package: &Package, bundle_name: &Text) -> String {
    let name = escape(bundle_name);
    let channels: Vec<String> = package
        .channels
        .iter()
        .filter(|channel| channel.has_entry(bundle_name))
        .map(|channel| escape(&channel.name.value))
        .collect();
    let membership = if channels.is_empty() {
        "in no channel".to_owned()
    } else {
        format!("in {}", channels.join(", "))
    };
    let Some(bundle) = package.bundle(bundle_name) else {
        return format!("**{name}** has no bundle; {membership}");
    };
    let version = escape(bundle.version());
    let image = match bundle.image.as_str() {
        "" => String::new(),
        image => format!("\n\n{}", escape(image)),
    };
    format!("**Bundle {name}**, version {version}; {membership}{image}")
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

fn find_definitions(package: &Package, symbol: &Symbol) -> Vec<NameSpan> {
    match &symbol.role {
        Role::Package | Role::PackageItself => package
            .packages
            .iter()
            .map(|blob| NameSpan {
                file: blob.file,
                blob: blob.index,
                place: blob.name.place,
            })
            .collect(),
        Role::Channel | Role::ChannelItself => {
            let channels = package.channels.iter();
            channels
                .filter(|blob| blob.name.value == symbol.name)
                .map(|blob| NameSpan {
                    file: blob.file,
                    blob: blob.index,
                    place: blob.name.place,
                })
                .collect()
        }
        Role::Bundle | Role::Entry { .. } => find_bundles(package, symbol),
        Role::BundleItself => find_entries(package, symbol, None),
        Role::Edge { channel } => match find_entries(package, symbol, Some(channel)) {
            entries if entries.is_empty() => find_bundles(package, symbol),
            entries => entries,
        },
    }
}

fn find_bundles(package: &Package, symbol: &Symbol) -> Vec<NameSpan> {
    let bundles = package.bundles.iter();
    bundles
        .filter(|blob| blob.name.value == symbol.name)
        .map(|blob| NameSpan {
            file: blob.file,
            blob: blob.index,
            place: blob.name.place,
        })
        .collect()
}

/// Returns the entries of this name, in one channel or in all.
fn find_entries(package: &Package, symbol: &Symbol, channel: Option<&str>) -> Vec<NameSpan> {
    let channels = package
        .channels
        .iter()
        .filter(|blob| channel.is_none_or(|channel| blob.name.as_str() == channel));
    let entries = channels.flat_map(|blob| {
        let entries = blob
            .entries
            .iter()
            .filter(|entry| entry.name.value == symbol.name);
        entries.map(|entry| NameSpan {
            file: blob.file,
            blob: blob.index,
            place: entry.name.place,
        })
    });
    entries.collect()
}

/// Converts a suggestion to an item that replaces `range`.
fn completion_item(suggestion: Suggestion, rank: usize, range: Range) -> CompletionItem {
    let kind = if suggestion.insert.ends_with([':', ' ']) {
        CompletionItemKind::PROPERTY
    } else {
        CompletionItemKind::VALUE
    };
    CompletionItem {
        kind: Some(kind),
        detail: Some(suggestion.detail),
        // Editors would otherwise sort alphabetically.
        sort_text: Some(format!("{rank:06}")),
        filter_text: Some(suggestion.label.clone()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range,
            new_text: suggestion.insert,
        })),
        label: suggestion.label,
        ..CompletionItem::default()
    }
}

/// `position` is in the buffer.
fn cursor_context(buffer: &Buffer, position: Position) -> CursorContext {
    let line = position.line;
    let lines = |from: u32, to: u32| {
        (from..to)
            .map(|line| buffer.line(line).to_owned())
            .collect::<Vec<String>>()
    };
    let above = lines(line.saturating_sub(CONTEXT_LINES), line + 1);
    let below = lines(
        line + 1,
        line.saturating_add(CONTEXT_LINES).min(buffer.line_count()),
    );
    cursor_context::at(&above, &below, buffer.characters_before(position) + 1)
}

/// Collects the names for suggestions. The newest bundles come first.
fn names_in_package(package: &Package) -> Names {
    let mut bundles: Vec<_> = package
        .bundles
        .iter()
        .map(|bundle| (Version::parse(bundle.version()).ok(), bundle))
        .collect();
    bundles.sort_by(|(version_a, a), (version_b, b)| {
        Version::compare_optional(version_b, version_a)
            .then_with(|| a.name.value.cmp(&b.name.value))
            .then_with(|| a.version().cmp(b.version()))
    });
    bundles.dedup_by(|(_, a), (_, b)| a.name.value == b.name.value);
    let entries = package.channels.iter().flat_map(|channel| {
        channel.entries.iter().map(|entry| EntryName {
            channel: channel.name.value.to_string(),
            name: entry.name.value.to_string(),
        })
    });
    Names {
        package: package.name.to_string(),
        bundles: bundles
            .into_iter()
            .map(|(_, bundle)| BundleName {
                name: bundle.name.value.to_string(),
                version: bundle.version().to_owned(),
            })
            .collect(),
        channels: package
            .channels
            .iter()
            .map(|channel| channel.name.value.to_string())
            .collect(),
        entries: entries.collect(),
    }
}

fn channel_at(document: &mut DocumentContext<'_>, position: Position) -> Result<Symbol, Refused> {
    symbol_in_document(document, position)
        .filter(|symbol| matches!(symbol.role, Role::Channel | Role::ChannelItself))
        .ok_or_else(not_a_channel)
}

fn not_a_channel() -> Refused {
    Refused::new("only channels can be renamed").help("put the caret on a channel's name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::catalog::index::index_bytes;

    const TEXT: &str = "---\nschema: olm.package\nname: p\ndefaultChannel: fast\n---\nschema: olm.channel\npackage: p\nname: fast\nentries:\n- name: p.v2\n  replaces: p.v1\n  skips: [p.v0]\n";

    fn symbol_at_mark(text: &str) -> Option<(String, Role)> {
        let offset = text.find('‸').unwrap();
        let text = text.replace('‸', "");
        let symbol = symbol_at(&index_bytes(text.as_bytes()), offset)?;
        assert!(text[symbol.range.clone()].contains(&*symbol.name));
        Some((symbol.name.to_string(), symbol.role))
    }

    #[test]
    fn symbols_are_recognized_by_their_place() {
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
