//! Writes nodes as text, in as many styles as a format has.

use super::node::Node;
use super::pools::chance;
use rand::Rng;
use rand::rngs::SmallRng;

/// The style of one file.
#[derive(Debug, Clone, Copy)]
struct Style {
    step: usize,
    /// Lists are indented further than their key.
    indented_lists: bool,
    /// Percentage of collections in flow style.
    flow: u32,
    /// Percentage of texts that are quoted without need.
    quoted: u32,
    /// Percentage of texts in block style.
    block: u32,
    comments: u32,
    /// Percentage of keys that start with `? `.
    explicit: u32,
}

/// The text of a file with these blobs.
pub(crate) fn write(rng: &mut SmallRng, blobs: &[Node], json: bool) -> String {
    if json {
        write_json(rng, blobs)
    } else {
        write_yaml(rng, blobs)
    }
}

fn write_json(rng: &mut SmallRng, blobs: &[Node]) -> String {
    let (step, between) = match rng.random_range(0..6) {
        0 => ("", ""),
        1 => ("\t", "\n"),
        2 => ("    ", "\n\n"),
        _ => ("  ", "\n"),
    };
    let mut out = String::new();
    for blob in blobs {
        json(blob, step, 0, &mut out);
        out.push_str(between);
    }
    if chance(rng, 10) {
        out.trim_end().to_owned()
    } else {
        out
    }
}

fn json(node: &Node, step: &str, depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        if !step.is_empty() {
            out.push('\n');
            out.push_str(&step.repeat(depth));
        }
    };
    match node {
        Node::Raw(raw) => out.push_str(raw),
        Node::Text(text) => out.push_str(&quote(text)),
        Node::Marked(mark, inner) => {
            out.push_str(mark);
            out.push(' ');
            json(inner, step, depth, out);
        }
        Node::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                line(out, depth + 1);
                json(item, step, depth + 1, out);
            }
            if !items.is_empty() {
                line(out, depth);
            }
            out.push(']');
        }
        Node::Map(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                line(out, depth + 1);
                json(key, step, depth + 1, out);
                out.push_str(if step.is_empty() { ":" } else { ": " });
                json(value, step, depth + 1, out);
            }
            if !entries.is_empty() {
                line(out, depth);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write_yaml(rng: &mut SmallRng, blobs: &[Node]) -> String {
    let odd = chance(rng, 40);
    let mut some = |most: u32| if odd { rng.random_range(0..=most) } else { 0 };
    let (flow, quoted, block, comments, explicit) =
        (some(30), some(60), some(15), some(8), some(4));
    let style = Style {
        step: if chance(rng, 80) {
            2
        } else {
            rng.random_range(1..=9)
        },
        indented_lists: chance(rng, 30),
        flow,
        quoted,
        block,
        comments,
        explicit,
    };
    let mut out = String::new();
    for (i, blob) in blobs.iter().enumerate() {
        if i > 0 || chance(rng, 50) {
            out.push_str("---\n");
        }
        value(rng, style, blob, 0, 0, &mut out);
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// A value after `key:`, `- ` or nothing; `parent` is the column of the enclosing collection.
fn value(
    rng: &mut SmallRng,
    style: Style,
    node: &Node,
    indent: usize,
    parent: usize,
    out: &mut String,
) {
    match node {
        Node::Map(entries) if !entries.is_empty() && !chance(rng, style.flow) => {
            for (i, (key, inner)) in entries.iter().enumerate() {
                if i > 0 || !(out.is_empty() || out.ends_with('\n') || out.ends_with("- ")) {
                    line(rng, style, out);
                    out.push_str(&" ".repeat(indent));
                } else if out.is_empty() || out.ends_with('\n') {
                    out.push_str(&" ".repeat(indent));
                }
                if chance(rng, style.explicit) {
                    out.push_str("? ");
                    out.push_str(&scalar(rng, style, key));
                    line(rng, style, out);
                    out.push_str(&" ".repeat(indent));
                } else {
                    out.push_str(&scalar(rng, style, key));
                }
                out.push(':');
                let deeper = matches!(bare(inner), Node::List(_)) && !style.indented_lists;
                let column = if deeper { indent } else { indent + style.step };
                value(rng, style, inner, column, indent, out);
            }
        }
        Node::List(items) if !items.is_empty() && !chance(rng, style.flow) => {
            for (i, item) in items.iter().enumerate() {
                if i > 0 || !(out.is_empty() || out.ends_with('\n') || out.ends_with("- ")) {
                    line(rng, style, out);
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str("- ");
                if matches!(item, Node::Map(_) | Node::List(_)) {
                    value(rng, style, item, indent + 2, indent, out);
                } else {
                    out.pop();
                    value(rng, style, item, indent + 2, indent, out);
                }
            }
        }
        Node::Map(_) | Node::List(_) => {
            out.push(' ');
            flow(rng, style, node, out);
        }
        Node::Marked(mark, inner) => {
            out.push(' ');
            out.push_str(mark);
            value(rng, style, inner, indent, parent, out);
        }
        Node::Text(text) if text.contains('\n') || chance(rng, style.block) => {
            out.push_str(&block(rng, text, parent.max(indent.saturating_sub(1)) + 1));
        }
        Node::Raw(_) | Node::Text(_) => {
            out.push(' ');
            out.push_str(&scalar(rng, style, node));
        }
    }
}

fn bare(node: &Node) -> &Node {
    match node {
        Node::Marked(_, inner) => bare(inner),
        other => other,
    }
}

fn line(rng: &mut SmallRng, style: Style, out: &mut String) {
    if chance(rng, style.comments) {
        out.push_str(if chance(rng, 50) {
            " # a comment: 'with' odd \"marks\""
        } else {
            "\n# a line of it\n"
        });
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

fn flow(rng: &mut SmallRng, style: Style, node: &Node, out: &mut String) {
    match node {
        Node::Map(entries) => {
            out.push('{');
            for (i, (key, inner)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                out.push_str(&scalar(rng, style, key));
                out.push_str(": ");
                flow(rng, style, inner, out);
            }
            out.push('}');
        }
        Node::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                flow(rng, style, item, out);
            }
            out.push(']');
        }
        Node::Marked(mark, inner) => {
            out.push_str(mark);
            out.push(' ');
            flow(rng, style, inner, out);
        }
        Node::Text(text) => {
            let needs_quotes = text.is_empty()
                || text.contains(|c: char| !c.is_ascii_alphanumeric())
                || !is_plain(text);
            out.push_str(&if needs_quotes {
                quote(text)
            } else {
                text.clone()
            });
        }
        Node::Raw(raw) => out.push_str(raw),
    }
}

fn scalar(rng: &mut SmallRng, style: Style, node: &Node) -> String {
    match node {
        Node::Raw(raw) => raw.clone(),
        Node::Text(text) if is_plain(text) && !chance(rng, style.quoted) => text.clone(),
        Node::Text(text) if !text.contains(['\n', '\u{0}']) && chance(rng, 50) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Node::Text(text) => quote(text),
        Node::Marked(mark, inner) => format!("{mark} {}", scalar(rng, style, inner)),
        Node::Map(_) | Node::List(_) => {
            let mut out = String::new();
            flow(rng, style, node, &mut out);
            out
        }
    }
}

/// Whether a text stays the same without quotes. If in doubt, false.
fn is_plain(text: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || "._-/@+ ".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(safe)
        && !text.ends_with(' ')
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
            .contains(&&*text.to_lowercase())
}

fn block(rng: &mut SmallRng, text: &str, indent: usize) -> String {
    let head = if chance(rng, 70) { "|" } else { ">" };
    let chomp = match (text.ends_with('\n'), text.ends_with("\n\n")) {
        (_, true) => "+",
        (true, _) => "",
        _ => "-",
    };
    let indent_mark = if text.starts_with([' ', '\n']) || chance(rng, 15) {
        indent.min(9).to_string()
    } else {
        String::new()
    };
    let pad = " ".repeat(indent);
    let lines: Vec<String> = text
        .trim_end_matches('\n')
        .split('\n')
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("{pad}{line}")
            }
        })
        .collect();
    format!(" {head}{indent_mark}{chomp}\n{}\n", lines.join("\n"))
}
