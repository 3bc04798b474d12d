//! Hover text at a position: the meaning of the key, and facts about the named thing.

use super::catalog::Catalog;
use super::completions;
use super::session::Files;
use super::symbol::{self, Role, Symbol};
use completion::cursor_context::CursorPart;
use completion::suggestions::help;
use fbc::model::Package;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};
use protocol::counting::count_of;
use std::path::Path;

pub(super) fn hover(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    at: Position,
) -> Option<Hover> {
    let symbol = symbol::in_file(catalog, files, path, at);
    let buffer = files.buffer(path)?;
    let description = symbol.as_ref().and_then(|symbol| {
        let package = catalog.root()?.catalog().package(&symbol.package)?;
        Some(describe(package, symbol))
    });
    // The key applies to the whole line, so use the context at its end.
    let end = Position {
        line: at.line,
        character: u32::MAX,
    };
    let spot = completions::context(buffer, buffer.position(buffer.offset(end)));
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

/// The catalog's facts about it, as Markdown.
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

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn escapes_markdown() {
        assert_eq!(
            escape("a_b [x](y) <img> v1.2"),
            "a\\_b \\[x\\]\\(y\\) \\<img\\> v1.2"
        );
    }
}
