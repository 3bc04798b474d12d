//! The document being converted, with accessors and decoding faults common to all schemas.

use super::blob::{Correction, Fault, Rewrite};
use super::decode::{self, DecodeError, GoStruct};
use super::load_rule;
use super::view::{JsonKind, Pool, View};
use protocol::enum_with_text;
use std::borrow::Cow;
use syntax::place::{Place, Spanned, Text};
use syntax::tree::{Format, NodeId};
use syntax::value::MapEntry;

const QUOTE_HELP: &str = "put the value in quotes, as it is written";

enum_with_text! {
    /// Returns the name in `opm`'s messages.
    fn name;
    /// A blob type with rules.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum BlobType {
        Package = "package",
        Channel = "channel",
        Bundle = "bundle",
        Deprecation = "deprecation",
    }
}

impl BlobType {
    fn go_struct(self) -> &'static GoStruct {
        match self {
            Self::Package => &decode::PACKAGE,
            Self::Channel => &decode::CHANNEL,
            Self::Bundle => &decode::BUNDLE,
            Self::Deprecation => &decode::DEPRECATION,
        }
    }

    /// Returns the rule that an undecodable blob breaks.
    fn rule(self) -> &'static str {
        match self {
            Self::Package => load_rule::BLOB_PARSE_PACKAGE,
            Self::Channel => load_rule::BLOB_PARSE_CHANNEL,
            Self::Bundle => load_rule::BLOB_PARSE_BUNDLE,
            Self::Deprecation => load_rule::BLOB_PARSE_DEPRECATION,
        }
    }
}

pub struct WrittenProperty {
    pub node: NodeId,
    pub kind: Text,
    pub value: Option<NodeId>,
}

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
    pub fn field(&mut self, name: &str) -> Spanned<Text> {
        self.view.field(&self.entries, name, self.place, self.pool)
    }

    /// Returns a text field of an inner mapping.
    pub fn inner_field(
        &mut self,
        entries: &[MapEntry<'a>],
        name: &str,
        parent: Place,
    ) -> Spanned<Text> {
        self.view.field(entries, name, parent, self.pool)
    }

    /// Returns the values of a list field of the root; empty if it is absent or not a list.
    pub fn list(&self, name: &str) -> Vec<NodeId> {
        self.view
            .field_value(&self.entries, name)
            .map_or_else(Vec::new, |list| self.view.items(list).collect())
    }

    /// Whether the whole blob decodes into its type. Adds a fault otherwise; false if there is a
    /// fault already.
    pub fn check_decodes(&self, blob_type: BlobType, faults: &mut Vec<Fault>) -> bool {
        if !faults.is_empty() {
            return false;
        }
        match decode::check_struct(self.view, self.root, blob_type.go_struct()) {
            Ok(()) => true,
            Err(error) => {
                faults.push(self.decode_fault(&error, blob_type));
                false
            }
        }
    }

    fn decode_fault(&self, error: &DecodeError, blob_type: BlobType) -> Fault {
        let correction = add_missing_quotes(self.view, error);
        let help = match &correction {
            Some(_) => QUOTE_HELP.to_owned(),
            None => field_help(self.view, error),
        };
        Fault {
            rule: Cow::Borrowed(blob_type.rule()),
            opm: format!("parse {}: {}", blob_type.name(), error.message),
            message: describe_error(error),
            help,
            place: self.view.place(error.node),
            correction: correction.map(Box::new),
        }
    }
}

/// The parts of Go's error for a value of a wrong type.
struct TypeMismatch<'e> {
    /// JSON type of the value, for numbers followed by the number.
    actual: &'e str,
    /// `struct field Bundle.name of type string`, or `value of type string`.
    target: &'e str,
    /// Go type of the field.
    expected: &'e str,
}

impl<'e> TypeMismatch<'e> {
    fn parse(error: &'e DecodeError) -> Option<Self> {
        let message = error.message.strip_prefix("json: cannot unmarshal ")?;
        let (actual, target) = message.split_once(" into Go ")?;
        let expected = target.rsplit(" of type ").next()?;
        Some(Self {
            actual,
            target,
            expected,
        })
    }

    fn expects_integer(&self) -> bool {
        self.expected.starts_with("int") || self.expected.starts_with("uint")
    }
}

/// Explains Go's error for a wrong type in plain words.
pub fn describe_error(error: &DecodeError) -> String {
    let Some(mismatch) = TypeMismatch::parse(error) else {
        return error.message.clone();
    };
    let expected = match mismatch.expected {
        "string" => "a string",
        "bool" => "`true` or `false`",
        "[]uint8" => "a base64 text",
        list if list.starts_with("[]") => "a list",
        _ if mismatch.expects_integer() => "an integer in range",
        _ => "an object",
    };
    let actual = with_article(mismatch.actual);
    let field = mismatch.target.strip_prefix("struct field ");
    match field.and_then(|field| field.split_once(" of type ")) {
        Some((field, _)) => {
            let path = field.split_once('.').map_or(field, |(_, path)| path);
            format!("`{path}` must be {expected}, but is {actual}")
        }
        None => format!("the value must be {expected}, but is {actual}"),
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
pub fn type_help(view: &View<'_>, error: &DecodeError) -> String {
    let Some(mismatch) = TypeMismatch::parse(error) else {
        return String::new();
    };
    let written = view
        .text
        .get(view.tree.range(error.node))
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default();
    let is_number_or_bool = mismatch.actual.starts_with("number") || mismatch.actual == "bool";
    if mismatch.expected == "string" && is_number_or_bool {
        let quote = quote_character(view);
        format!("put the value in quotes: `{quote}{written}{quote}`")
    } else if mismatch.expects_integer() && mismatch.actual == "string" {
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
fn field_help(view: &View<'_>, error: &DecodeError) -> String {
    let help = type_help(view, error);
    if !help.is_empty() {
        return help;
    }
    if error.message.starts_with("illegal base64 data") {
        return "encode the file again, for instance with `base64 -w0 FILE`".to_owned();
    }
    let expected = error.message.rsplit(" of type ").next().unwrap_or_default();
    let help = match expected {
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
    help.to_owned()
}

fn with_article(actual: &str) -> &str {
    match actual {
        "string" => "a string",
        "number" => "a number",
        "bool" => "`true` or `false`",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}
