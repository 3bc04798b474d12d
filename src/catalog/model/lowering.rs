//! The document being converted, and accessors common to all schemas.

use super::blob::{Correction, Fault, Rewrite};
use super::decode::{self, DecodeError, Struct};
use super::load_rule;
use super::view::{JsonKind, Pool, View};
use std::borrow::Cow;
use syntax::place::{Place, Spanned, Text};
use syntax::tree::{Format, NodeId};
use syntax::value::MapEntry;

const QUOTE_HELP: &str = "put the value in quotes, as it is written";

/// The document being converted.
pub struct Lowering<'a, 'p> {
    pub view: &'p View<'a>,
    pub root: NodeId,
    /// Entries of the root mapping.
    pub entries: Vec<MapEntry<'a>>,
    /// Position of the root mapping.
    pub place: Place,
    pub pool: &'p mut Pool,
}

impl<'a> Lowering<'a, '_> {
    /// Returns a text field of the root.
    pub fn field(&mut self, name: &str) -> Spanned<Text> {
        self.view.field(&self.entries, name, self.place, self.pool)
    }

    /// Returns a text field of an inner mapping.
    pub fn inner(&mut self, entries: &[MapEntry<'a>], name: &str, whole: Place) -> Spanned<Text> {
        self.view.field(entries, name, whole, self.pool)
    }

    /// Returns the values of a list field of the root; empty if it is absent or not a list.
    pub fn list(&self, name: &str) -> Vec<NodeId> {
        self.view
            .value(&self.entries, name)
            .map_or_else(Vec::new, |list| self.view.items(list).collect())
    }

    /// Whether the whole blob decodes into its type. Adds the fault otherwise; false if there is a
    /// fault already.
    pub fn decode(&self, shape: &'static Struct, what: &str, faults: &mut Vec<Fault>) -> bool {
        if !faults.is_empty() {
            return false;
        }
        match decode::check_struct(self.view, self.root, shape) {
            Ok(()) => true,
            Err(error) => {
                faults.push(self.decode_fault(&error, what));
                false
            }
        }
    }

    fn decode_fault(&self, error: &DecodeError, what: &str) -> Fault {
        let rule = match what {
            "package" => load_rule::BLOB_PARSE_PACKAGE,
            "channel" => load_rule::BLOB_PARSE_CHANNEL,
            "bundle" => load_rule::BLOB_PARSE_BUNDLE,
            _ => load_rule::BLOB_PARSE_DEPRECATION,
        };
        let correction = add_missing_quotes(self.view, error);
        let help = match &correction {
            Some(_) => QUOTE_HELP.to_owned(),
            None => help_for(self.view, error),
        };
        Fault {
            rule: Cow::Borrowed(rule),
            opm: format!("parse {what}: {}", error.message),
            message: in_words(error),
            help,
            place: self.view.place(error.node),
            correction: correction.map(Box::new),
        }
    }
}

/// Returns the type of the value, the place of the field and the type of the field in Go's error for a
/// wrong type.
fn mismatch(error: &DecodeError) -> Option<(&str, &str, &str)> {
    let rest = error.message.strip_prefix("json: cannot unmarshal ")?;
    let (actual, into) = rest.split_once(" into Go ")?;
    let wanted = into.rsplit(" of type ").next()?;
    Some((actual, into, wanted))
}

/// Explains Go's error for a wrong type in plain words.
pub fn in_words(error: &DecodeError) -> String {
    let Some((actual, into, wanted)) = mismatch(error) else {
        return error.message.clone();
    };
    let wanted = match wanted {
        "string" => "a string".to_owned(),
        "bool" => "`true` or `false`".to_owned(),
        "[]uint8" => "a base64 text".to_owned(),
        list if list.starts_with("[]") => "a list".to_owned(),
        number if number.starts_with("int") || number.starts_with("uint") => {
            "an integer in range".to_owned()
        }
        _ => "an object".to_owned(),
    };
    match into
        .strip_prefix("struct field ")
        .and_then(|rest| rest.split_once(" of type "))
    {
        Some((field, _)) => {
            let field = field.split_once('.').map_or(field, |(_, path)| path);
            format!("`{field}` must be {wanted}, but is {}", article(actual))
        }
        None => format!("the value must be {wanted}, but is {}", article(actual)),
    }
}

/// Adds quotes where only text is allowed and the value is a number or a boolean.
pub fn add_missing_quotes(view: &View<'_>, error: &DecodeError) -> Option<Correction> {
    if !error.message.ends_with(" of type string") {
        return None;
    }
    add_quotes(view, error.node)
}

/// Adds quotes to a plain number or boolean as it is written. Without quotes YAML changes the
/// value: `4.20` is the number 4.2.
pub fn add_quotes(view: &View<'_>, node: NodeId) -> Option<Correction> {
    let written = std::str::from_utf8(view.text.get(view.tree.range(node))?).ok()?;
    let is_plain = !written.is_empty()
        && written
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
    // Quotes do not override a tag: `!!float '4.20'` is still a number.
    let is_tagged = view.tree.node(node).has_properties;
    let is_number_or_bool = matches!(view.kind(node), JsonKind::Number | JsonKind::Bool);
    if !is_plain || is_tagged || !is_number_or_bool {
        return None;
    }
    let quote = quote_character(view);
    let quoted = format!("{quote}{written}{quote}");
    Some(Correction {
        title: format!("write `{quoted}`"),
        rewrites: vec![Rewrite {
            place: view.place(node),
            was: written.to_owned(),
            meant: quoted,
        }],
    })
}

fn quote_character(view: &View<'_>) -> char {
    match view.tree.format() {
        Format::Json => '"',
        Format::Yaml => '\'',
    }
}

/// Explains how to write the value with the type of its field; "" if that depends on the intention.
pub fn form_of_value(view: &View<'_>, error: &DecodeError) -> String {
    let Some((actual, _, wanted)) = mismatch(error) else {
        return String::new();
    };
    let is_integer = wanted.starts_with("int") || wanted.starts_with("uint");
    let written = view
        .text
        .get(view.tree.range(error.node))
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default();
    let is_number = actual.starts_with("number");
    if wanted == "string" && (is_number || actual == "bool") {
        let quote = quote_character(view);
        format!("put the value in quotes: `{quote}{written}{quote}`")
    } else if is_integer && actual == "string" {
        match written.trim_matches(['\'', '"']).parse::<i64>() {
            Ok(number) => format!("write the number without quotes: `{number}`"),
            Err(_) => "write a whole number, without quotes, or remove the field".to_owned(),
        }
    } else {
        String::new()
    }
}

/// Explains how to write the value of a blob's field, given the types of the value and of the
/// field.
fn help_for(view: &View<'_>, error: &DecodeError) -> String {
    let form = form_of_value(view, error);
    if !form.is_empty() {
        return form;
    }
    if error.message.starts_with("illegal base64 data") {
        return "encode the file again, for instance with `base64 -w0 FILE`".to_owned();
    }
    let wanted = error.message.rsplit(" of type ").next().unwrap_or_default();
    let text = match wanted {
        "[]string" => match view.string(error.node) {
            Some(name) => return format!("write a list, also of one name: `[{}]`", name.trim()),
            None => "write a list of names",
        },
        "[]uint8" => "write the content as base64, or remove the field",
        list if list.starts_with("[]") => "write a list: each item begins with `- `",
        "string" => "write a text, or remove the field",
        "bool" => "write `true` or `false`, without quotes",
        _ => "write an object, with a key and a value on each line, or remove the field",
    };
    text.to_owned()
}

fn article(actual: &str) -> &str {
    match actual {
        "string" => "a string",
        "number" => "a number",
        "bool" => "`true` or `false`",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}
