//! Prints values in Go's `%t` and `%v` formats, for one `opm` message with a mistake in its format
//! string.

use super::view::View;
use crate::go_text;
use crate::syntax::scalar::{self, Typed};
use crate::syntax::tree::NodeId;

/// `%t` (meant for booleans) and `%v`, separated by a colon.
pub(super) fn truth_and_value(view: &View<'_>, node: NodeId) -> String {
    format!("{}: {}", print(view, node, true), print(view, node, false))
}

enum PrintPart<'a> {
    Value(NodeId),
    Text(String),
    Key(std::borrow::Cow<'a, str>),
}

fn print(view: &View<'_>, node: NodeId, as_truth: bool) -> String {
    let mut out = String::new();
    // Pending parts, last first: avoids recursion on deep values.
    let mut steps = vec![PrintPart::Value(node)];
    let mut nested = false;
    while let Some(step) = steps.pop() {
        match step {
            PrintPart::Text(text) => out.push_str(&text),
            PrintPart::Key(key) => push_scalar(&mut out, "string", &key, as_truth),
            PrintPart::Value(node) => {
                let node = view.tree.resolve_alias(node);
                let kind = view.tree.kind(node);
                if kind.is_mapping() {
                    out.push_str("map[");
                    let mut inner = Vec::new();
                    for (i, entry) in view.entries(node).into_iter().enumerate() {
                        inner.extend((i > 0).then(|| PrintPart::Text(" ".to_owned())));
                        inner.extend([
                            PrintPart::Key(entry.key),
                            PrintPart::Text(":".to_owned()),
                            PrintPart::Value(entry.value_node),
                        ]);
                    }
                    steps.push(PrintPart::Text("]".to_owned()));
                    steps.extend(inner.into_iter().rev());
                } else if kind.is_sequence() {
                    out.push('[');
                    let mut inner = Vec::new();
                    for (i, item) in view.tree.children(node).enumerate() {
                        inner.extend((i > 0).then(|| PrintPart::Text(" ".to_owned())));
                        inner.push(PrintPart::Value(item));
                    }
                    steps.push(PrintPart::Text("]".to_owned()));
                    steps.extend(inner.into_iter().rev());
                } else {
                    scalar(view, node, as_truth, nested, &mut out);
                }
                nested = true;
            }
        }
    }
    out
}

fn scalar(view: &View<'_>, node: NodeId, as_truth: bool, nested: bool, out: &mut String) {
    match scalar::resolve(view.tree, view.text, node).ok().flatten() {
        None | Some(Typed::Null) if as_truth && !nested => out.push_str("%!t(<nil>)"),
        None | Some(Typed::Null) => out.push_str("<nil>"),
        Some(Typed::Bool(value)) => out.push_str(if value { "true" } else { "false" }),
        Some(Typed::Int(value)) => {
            push_scalar(out, "float64", &go_text::float(value as f64), as_truth)
        }
        Some(Typed::Uint(value)) => {
            push_scalar(out, "float64", &go_text::float(value as f64), as_truth)
        }
        Some(Typed::Float(value)) => push_scalar(out, "float64", &go_text::float(value), as_truth),
        Some(Typed::Text(value)) => push_scalar(out, "string", &value, as_truth),
    }
}

fn push_scalar(out: &mut String, go: &str, text: &str, as_truth: bool) {
    if as_truth {
        out.extend(["%!t(", go, "=", text, ")"]);
    } else {
        out.push_str(text);
    }
}
