//! Completions at a position, with the names of the catalog.

use super::buffer::Buffer;
use super::catalog::Catalog;
use completion::cursor_context::{self, CursorContext};
use completion::suggestions::{Names, package_of, suggestions};
use fbc::model::Package;
use fbc::version::Version;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Position, Range, TextEdit,
};
use std::cmp::Reverse;

/// Lines around a position that are parsed for its context.
const CONTEXT: u32 = 3_000;

pub(super) fn complete(catalog: &Catalog, buffer: &Buffer, at: Position) -> Vec<CompletionItem> {
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
    let item = |(nth, of): (usize, completion::suggestions::Suggestion)| CompletionItem {
        kind: Some(match of.insert.ends_with([':', ' ']) {
            true => CompletionItemKind::PROPERTY,
            false => CompletionItemKind::VALUE,
        }),
        detail: Some(of.detail),
        // Keep this order; editors would otherwise sort alphabetically.
        sort_text: Some(format!("{nth:06}")),
        filter_text: Some(of.label.clone()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range,
            new_text: of.insert,
        })),
        label: of.label,
        ..CompletionItem::default()
    };
    suggestions(&spot, &names)
        .into_iter()
        .enumerate()
        .map(item)
        .collect()
}

/// The syntactic context of a position.
pub(super) fn context(buffer: &Buffer, at: Position) -> CursorContext {
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
    let mut bundles: Vec<(Option<Version>, (String, String))> = package
        .bundles
        .iter()
        .map(|bundle| {
            let version = bundle.version();
            (
                Version::parse(version).ok(),
                (bundle.name.value.to_string(), version.to_owned()),
            )
        })
        .collect();
    bundles.sort_by(|(a, x), (b, y)| {
        let by_version = match (a, b) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            _ => Reverse(a.is_some()).cmp(&Reverse(b.is_some())),
        };
        by_version.then_with(|| x.cmp(y))
    });
    bundles.dedup_by(|(_, a), (_, b)| a.0 == b.0);
    let entries = package.channels.iter().flat_map(|channel| {
        channel
            .entries
            .iter()
            .map(|entry| (channel.name.value.to_string(), entry.name.value.to_string()))
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
