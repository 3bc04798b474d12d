//! Finds unquoted numbers and booleans where text is required, and adds the quotes.

use super::blob::{Correction, Rewrite};
use super::decode::DecodeError;
use super::view::{JsonKind, View};
use crate::syntax::tree::{Format, NodeId};

pub(super) const QUOTE_HELP: &str = "put the value in quotes, as it is written";

/// The same characters in quotes. Without quotes YAML changes the value: `4.20` is the number 4.2.
/// `None` with a tag in front.
pub(super) fn unquoted_text(view: &View<'_>, node: NodeId) -> Option<Correction> {
    let written = std::str::from_utf8(view.text.get(view.tree.range(node))?).ok()?;
    let is_plain = !written.is_empty()
        && written
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
    let quote = match view.tree.format() {
        Format::Json => '"',
        Format::Yaml => '\'',
    };
    let quoted = format!("{quote}{written}{quote}");
    // With a tag, quotes alone make no text: `!!float '4.20'`.
    let is_tagged = view.tree.node(node).has_properties;
    (is_plain && !is_tagged && matches!(view.kind(node), JsonKind::Number | JsonKind::Bool)).then(
        || Correction {
            title: format!("write `{quoted}`"),
            rewrites: vec![Rewrite {
                place: view.place(node),
                was: written.to_owned(),
                meant: quoted,
            }],
        },
    )
}

/// The quotes for a non-text value where only text is allowed.
pub(super) fn quotes_missing(view: &View<'_>, error: &DecodeError) -> Option<Correction> {
    let wants_text = error.message.ends_with(" of type string");
    wants_text.then(|| unquoted_text(view, error.node))?
}
