//! Writes values as text, in many spellings of YAML and JSON that all readers interpret alike. Must
//! not know how edits spell values; uses only what YAML 1.1 and 1.2 have in common.

use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::Value;

/// Documents as one file: YAML with separators, or consecutive JSON objects.
pub fn file(rng: &mut impl Rng, blobs: &[Value]) -> Vec<u8> {
    if rng.random_bool(0.3) {
        return blobs
            .iter()
            .flat_map(|blob| json(rng, blob).into_bytes().into_iter().chain(*b"\n"))
            .collect();
    }
    let mut text = String::new();
    for (i, blob) in blobs.iter().enumerate() {
        if i > 0 || rng.random_bool(0.5) {
            text.push_str("---\n");
        }
        text.push_str(&yaml(rng, blob));
    }
    if rng.random_bool(0.1) {
        text = text.replace('\n', "\r\n");
    }
    text.into_bytes()
}

/// One JSON value, pretty-printed or not.
pub fn json(rng: &mut impl Rng, value: &Value) -> String {
    if rng.random_bool(0.5) {
        value.to_string()
    } else {
        format!("{value:#}")
    }
}

/// One YAML document, ending with a line break.
pub fn yaml(rng: &mut impl Rng, value: &Value) -> String {
    let mut writer = Writer {
        step: *[2, 2, 4, 1].choose(rng).unwrap(),
        list_step: *[0, 2].choose(rng).unwrap(),
        flow: *[0.0, 0.1, 0.5].choose(rng).unwrap(),
        comments: *[0.0, 0.1].choose(rng).unwrap(),
        rng,
        out: String::new(),
    };
    if is_collection(value) {
        writer.block(value, 0);
    } else {
        writer.scalar(value, true);
        writer.out.push('\n');
    }
    writer.out
}

struct Writer<'r, R> {
    rng: &'r mut R,
    out: String,
    step: usize,
    list_step: usize,
    flow: f64,
    comments: f64,
}

fn is_collection(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

impl<R: Rng> Writer<'_, R> {
    fn indent(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    fn end_line(&mut self) {
        if self.rng.random_bool(self.comments) {
            self.out.push_str(" # c: [");
        }
        self.out.push('\n');
        if self.rng.random_bool(self.comments) {
            self.out.push('\n');
        }
    }

    /// A block collection; its first line continues the current one.
    fn block(&mut self, value: &Value, column: usize) {
        match value {
            Value::Object(fields) => {
                for (i, (key, value)) in fields.iter().enumerate() {
                    if i > 0 {
                        self.indent(column);
                    }
                    self.text(key, true);
                    self.out.push(':');
                    let list = value.is_array();
                    let inner = column + if list { self.list_step } else { self.step };
                    self.value(value, inner, column + self.step);
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.indent(column);
                    }
                    self.out.push('-');
                    let inline = is_collection(item)
                        && self.rng.random_bool(0.8)
                        && !self.rng.random_bool(self.flow);
                    if inline {
                        self.out.push(' ');
                        self.block(item, column + 2);
                    } else {
                        self.value(item, column + self.step, column + self.step);
                    }
                }
            }
            _ => {}
        }
    }

    /// The text after a `:` or `-`, up to the end of its last line.
    fn value(&mut self, value: &Value, column: usize, text_column: usize) {
        if is_collection(value) && !self.rng.random_bool(self.flow) {
            self.end_line();
            self.indent(column);
            self.block(value, column);
            return;
        }
        self.out.push(' ');
        match value {
            Value::String(text) if is_literal(text) && self.rng.random_bool(0.3) => {
                self.out
                    .push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
                for line in text.lines() {
                    self.indent(text_column);
                    self.out.push_str(line);
                    self.out.push('\n');
                }
                return;
            }
            _ => self.flow_value(value),
        }
        self.end_line();
    }

    fn flow_value(&mut self, value: &Value) {
        let (open, close) = if value.is_array() {
            ("[", "]")
        } else {
            ("{", "}")
        };
        let comma = *[", ", ",", " , "].choose(self.rng).unwrap();
        match value {
            Value::Array(items) => {
                self.out.push_str(open);
                for (i, item) in items.iter().enumerate() {
                    self.out.push_str(if i > 0 { comma } else { "" });
                    self.flow_value(item);
                }
                self.out.push_str(close);
            }
            Value::Object(fields) => {
                self.out.push_str(open);
                for (i, (key, value)) in fields.iter().enumerate() {
                    self.out.push_str(if i > 0 { comma } else { "" });
                    self.text(key, true);
                    self.out.push_str(": ");
                    self.flow_value(value);
                }
                self.out.push_str(close);
            }
            _ => self.scalar(value, false),
        }
    }

    fn scalar(&mut self, value: &Value, _root: bool) {
        match value {
            Value::String(text) => self.text(text, false),
            other => self.out.push_str(&other.to_string()),
        }
    }

    /// A text on one line.
    fn text(&mut self, text: &str, key: bool) {
        let style = self.rng.random_range(0..if key { 8 } else { 3 });
        if style != 1 && style != 2 && is_plain(text) {
            self.out.push_str(text);
        } else if style == 1 && is_single(text) {
            self.out.push('\'');
            self.out.push_str(&text.replace('\'', "''"));
            self.out.push('\'');
        } else {
            // JSON's escapes are valid in YAML, except that YAML requires escapes for some more
            // characters.
            for c in Value::from(text).to_string().chars() {
                match c {
                    '\u{7f}'..='\u{a0}'
                    | '\u{2028}'
                    | '\u{2029}'
                    | '\u{feff}'
                    | '\u{fffe}'
                    | '\u{ffff}' => {
                        self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
                    }
                    c => self.out.push(c),
                }
            }
        }
    }
}

/// Text that no reader requires to be quoted.
fn is_plain(text: &str) -> bool {
    let looks_typed = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"./@_-+".contains(&b))
        && !looks_typed
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
}

fn is_single(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' '..='~' | 'ä' | '€'))
}

/// Whether the lines can be in a block scalar unchanged.
fn is_literal(text: &str) -> bool {
    let lines = || text.split('\n');
    is_single(&text.replace('\n', ""))
        && text.lines().count() > 0
        && !text.ends_with("\n\n")
        && lines()
            .rev()
            .skip(usize::from(text.ends_with('\n')))
            .all(|line| !line.is_empty() && !line.starts_with(' '))
}
