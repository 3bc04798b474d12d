//! Writes YAML like `opm`'s library: keys in natural order, lists at the column of their key, long
//! plain and quoted text folded after column 80.

use super::value::number_text;
use regex_lite::Regex;
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::sync::LazyLock;
use syntax::go_text;
use syntax::scalar::{Typed, is_timestamp, resolve_plain};

/// Text is folded at a blank after this column.
const WIDTH: usize = 80;
const INDENT: usize = 2;
/// Longer keys are written after a `?`.
const MAX_SIMPLE_KEY: usize = 128;

/// Writes a document without its separator line.
pub(super) fn write(out: &mut String, value: &Value) {
    let mut emitter = Emitter {
        out,
        column: 0,
        is_blank: true,
        is_indented: true,
    };
    emitter.node(value, Context::default());
    emitter.new_line(0);
}

struct Emitter<'o> {
    out: &'o mut String,
    column: usize,
    /// Whether the last output was a blank, or there is no output yet.
    is_blank: bool,
    /// Whether the line contains only indentation and indicators so far.
    is_indented: bool,
}

#[derive(Clone, Copy, Default)]
struct Context {
    /// Indentation of the enclosing collection.
    indent: Option<usize>,
    /// Whether it is a value of a mapping.
    in_mapping: bool,
    /// Whether it is a simple key, on one line with its colon.
    is_key: bool,
}

impl Context {
    /// Returns the indentation of the content.
    fn inner(self) -> usize {
        self.indent.map_or(0, |indent| indent + INDENT)
    }
}

impl Emitter<'_> {
    fn node(&mut self, value: &Value, context: Context) {
        match value {
            Value::Object(map) if map.is_empty() => {
                self.indicator("{", true, false);
                self.push('}');
            }
            Value::Array(items) if items.is_empty() => {
                self.indicator("[", true, false);
                self.push(']');
            }
            Value::Object(map) => {
                let mut entries: Vec<(&String, &Value)> = map.iter().collect();
                entries.sort_by(|a, b| natural_order(a.0, b.0));
                for (key, value) in entries {
                    self.entry(key, value, context.inner());
                }
            }
            Value::Array(items) => {
                let indent = match context {
                    Context {
                        indent: Some(indent),
                        in_mapping: true,
                        ..
                    } if !self.is_indented => indent,
                    _ => context.inner(),
                };
                for item in items {
                    self.new_line(indent);
                    self.indicator("-", true, true);
                    self.node(
                        item,
                        Context {
                            indent: Some(indent),
                            ..Context::default()
                        },
                    );
                }
            }
            Value::String(text) => self.text(text, context),
            Value::Number(number) => self.plain(&number_in_yaml(number), context),
            Value::Bool(true) => self.plain("true", context),
            Value::Bool(false) => self.plain("false", context),
            Value::Null => self.plain("null", context),
        }
    }

    fn entry(&mut self, key: &str, value: &Value, indent: usize) {
        self.new_line(indent);
        let context = Context {
            indent: Some(indent),
            in_mapping: true,
            is_key: false,
        };
        if key.len() <= MAX_SIMPLE_KEY && !key.contains(is_break) {
            self.text(
                key,
                Context {
                    is_key: true,
                    ..context
                },
            );
            self.indicator(":", false, false);
        } else {
            self.indicator("?", true, true);
            self.text(key, context);
            self.new_line(indent);
            self.indicator(":", true, true);
        }
        self.node(value, context);
    }

    fn text(&mut self, text: &str, context: Context) {
        let allowed = ScalarStyles::from_text(text);
        let is_read_as_text = matches!(resolve_plain(text), Typed::Text(_));
        let mut style = match text {
            _ if text.contains('\n') => Style::Literal,
            _ if is_read_as_text
                && !text.is_empty()
                && text != "<<"
                && !is_sexagesimal(text)
                && !is_timestamp(text) =>
            {
                Style::Plain
            }
            _ => Style::Double,
        };
        if context.is_key && allowed.has_breaks {
            style = Style::Double;
        }
        if style == Style::Plain && !allowed.plain {
            style = Style::Single;
        }
        if style == Style::Single && !allowed.single {
            style = Style::Double;
        }
        if style == Style::Literal && (!allowed.block || context.is_key) {
            style = Style::Double;
        }
        match style {
            Style::Plain => self.plain(text, context),
            Style::Single => self.single(text, context),
            Style::Double => self.double(text, context),
            Style::Literal => self.literal(text, context),
        }
    }

    fn plain(&mut self, text: &str, context: Context) {
        if !self.is_blank {
            self.push(' ');
        }
        self.write_folded(text, context, |_| true, |emitter, c| emitter.push(c));
    }

    fn single(&mut self, text: &str, context: Context) {
        self.indicator("'", true, false);
        let last = text.len() - 1;
        self.write_folded(
            text,
            context,
            |at| at > 0 && at < last,
            |emitter, c| {
                if c == '\'' {
                    emitter.push('\'');
                }
                emitter.push(c);
            },
        );
        self.push('\'');
    }

    /// Writes text that may be folded at single blanks.
    fn write_folded(
        &mut self,
        text: &str,
        context: Context,
        may_fold: impl Fn(usize) -> bool,
        write: impl Fn(&mut Self, char),
    ) {
        let mut after_space = false;
        let mut after_break = false;
        for (at, c) in text.char_indices() {
            if c == ' ' {
                let is_single = !after_space && text.as_bytes().get(at + 1) != Some(&b' ');
                if !context.is_key && is_single && self.column > WIDTH && may_fold(at) {
                    self.new_line(context.inner());
                } else {
                    self.push(' ');
                }
                after_space = true;
            } else if is_break(c) {
                self.push_break(c);
                self.is_indented = true;
                after_break = true;
            } else {
                if after_break {
                    self.new_line(context.inner());
                }
                write(self, c);
                self.is_indented = false;
                after_space = false;
                after_break = false;
            }
        }
        self.is_blank = false;
        self.is_indented = false;
    }

    fn double(&mut self, text: &str, context: Context) {
        self.indicator("\"", true, false);
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            if !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.escape(c);
                after_space = false;
            } else if c == ' ' {
                let is_inner = at > 0 && at < text.len() - 1;
                if !context.is_key && !after_space && self.column > WIDTH && is_inner {
                    self.new_line(context.inner());
                    if text.as_bytes().get(at + 1) == Some(&b' ') {
                        self.push('\\');
                    }
                } else {
                    self.push(' ');
                }
                after_space = true;
            } else {
                self.push(c);
                after_space = false;
            }
        }
        self.push('"');
        self.is_blank = false;
        self.is_indented = false;
    }

    fn escape(&mut self, c: char) {
        self.push('\\');
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' | '\\' => c,
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            c => {
                let code = c as u32;
                let digits = match code {
                    0..=0xff => format!("x{code:02X}"),
                    0x100..=0xffff => format!("u{code:04X}"),
                    _ => format!("U{code:08X}"),
                };
                digits.chars().for_each(|digit| self.push(digit));
                return;
            }
        };
        self.push(short);
    }

    fn literal(&mut self, text: &str, context: Context) {
        self.indicator("|", true, false);
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.push('2');
        }
        let mut backwards = text.chars().rev();
        let (last, before) = (backwards.next(), backwards.next());
        if !last.is_some_and(is_break) {
            self.push('-');
        } else if before.is_none_or(is_break) {
            self.push('+');
        }
        self.push_break('\n');
        self.is_indented = true;
        self.is_blank = true;
        let mut after_break = true;
        for c in text.chars() {
            if is_break(c) {
                self.push_break(c);
                self.is_indented = true;
                after_break = true;
            } else {
                if after_break {
                    self.new_line(context.inner());
                }
                self.push(c);
                self.is_indented = false;
                after_break = false;
            }
        }
    }

    fn indicator(&mut self, text: &str, needs_blank: bool, indents: bool) {
        if needs_blank && !self.is_blank {
            self.push(' ');
        }
        text.chars().for_each(|c| self.push(c));
        self.is_blank = false;
        self.is_indented = self.is_indented && indents;
    }

    /// Moves to a column, on a new line unless this one has no further content.
    fn new_line(&mut self, indent: usize) {
        if !self.is_indented || self.column > indent || (self.column == indent && !self.is_blank) {
            self.push_break('\n');
        }
        while self.column < indent {
            self.push(' ');
        }
        self.is_blank = true;
        self.is_indented = true;
    }

    fn push(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn push_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The styles in which a text can be written.
struct ScalarStyles {
    has_breaks: bool,
    plain: bool,
    single: bool,
    block: bool,
}

impl ScalarStyles {
    fn from_text(text: &str) -> Self {
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut breaks, mut break_space, mut space_break) =
            (false, false, false, false);
        let (mut after_blank, mut after_space, mut after_break) = (true, false, false);
        for (at, c) in text.char_indices() {
            let next = text[at + c.len_utf8()..].chars().next();
            let before_blank = next.is_none_or(|c| matches!(c, ' ' | '\t'));
            indicators |= match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"'
                | '%' | '@' | '`'
                    if at == 0 =>
                {
                    true
                }
                '?' | '-' if at == 0 => before_blank,
                ':' => before_blank,
                '#' => after_blank,
                _ => false,
            };
            special |= !is_printable(c);
            break_space |= c == ' ' && after_break;
            space_break |= is_break(c) && after_space;
            breaks |= is_break(c);
            (after_space, after_break) = (c == ' ', is_break(c));
            after_blank = matches!(c, ' ' | '\t') || is_break(c);
        }
        let bare_ends =
            is_blank_or_end(text.chars().next()) || is_blank_or_end(text.chars().next_back());
        let broken = space_break || special;
        Self {
            has_breaks: breaks,
            plain: !indicators && !bare_ends && !break_space && !broken && !breaks,
            single: !break_space && !broken,
            block: !text.is_empty() && !text.ends_with(' ') && !broken,
        }
    }
}

fn is_blank_or_end(c: Option<char>) -> bool {
    c.is_some_and(|c| c == ' ' || is_break(c))
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

/// Whether older readers parse the text as a number in base 60, such as `12:30`.
fn is_sexagesimal(text: &str) -> bool {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$";
        Regex::new(pattern).expect("a valid pattern")
    });
    PATTERN.is_match(text)
}

/// Formats a number as YAML, as it results from parsing its JSON text.
fn number_in_yaml(number: &Number) -> String {
    let json = number_text(number);
    match number.as_f64() {
        Some(value) if number.is_f64() && json.parse::<u64>().is_err() => {
            go_text::format_float(value)
        }
        _ => json,
    }
}

/// Compares keys with numbers in numeric order, and punctuation before letters.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) else {
        return a.len().cmp(&b.len());
    };
    let (left, right) = (a[at], b[at]);
    match (left.is_alphabetic(), right.is_alphabetic()) {
        (true, true) => return left.cmp(&right),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // After the first digit of a number, 0 is a normal digit.
    let begun = (left == '0' || right == '0')
        && a[..at]
            .iter()
            .rev()
            .take_while(|c| c.is_numeric())
            .any(|c| *c != '0');
    let [a, b] = [a, b].map(|text| {
        let digits = text[at..].iter().take_while(|c| c.is_numeric());
        let value = digits.clone().fold(i64::from(begun), |value, digit| {
            value
                .wrapping_mul(10)
                .wrapping_add(i64::from(*digit as u32) - i64::from('0' as u32))
        });
        (value, digits.count())
    });
    a.cmp(&b).then(left.cmp(&right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn to_yaml(value: &Value) -> String {
        let mut out = String::new();
        write(&mut out, value);
        out
    }

    #[test]
    fn keys_are_in_natural_order() {
        let observed = [
            "-y", "_x", "1", "2", "10", "A", "a-b", "a.b", "a/b", "a_b", "a9", "a10", "ab",
        ];
        let mut keys = observed;
        keys.reverse();
        keys.sort_by(|a, b| natural_order(a, b));
        assert_eq!(keys, observed);
        assert_eq!(natural_order("a1", "a01"), Ordering::Less);
    }

    #[test]
    fn texts_have_a_style_that_preserves_them() {
        let value = json!({
            "a": ["x", [1, []], {"k": {}}], "b": "1.0", "c": ">=1.0.0", "d": "two\nlines\n", "e": " lead\n", "f": "tab\t",
            "g": "", "h": "12:30", "i": "2020-01-01", "j": "a: b", "k": "null", "l": "\u{1f600}", "m": "end\n\n", "n": null,
            "o": 1e21, "p": "no end\nhere"
        });
        assert_eq!(
            to_yaml(&value),
            "a:\n- x\n- - 1\n  - []\n- k: {}\nb: \"1.0\"\nc: '>=1.0.0'\nd: |\n  two\n  lines\ne: |2\n   lead\nf: \"tab\\t\"\n\
             g: \"\"\nh: \"12:30\"\ni: \"2020-01-01\"\nj: 'a: b'\nk: \"null\"\nl: \"\\U0001F600\"\nm: |+\n  end\n\n\
             \"n\": null\no: 1e+21\np: |-\n  no end\n  here\n"
        );
    }

    #[test]
    fn long_text_is_folded_at_single_blanks() {
        let text = "word ".repeat(20).trim_end().to_owned();
        let folded = to_yaml(&json!({ "k": text }));
        assert_eq!(folded.lines().count(), 2, "{folded}");
        assert!(
            folded
                .lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("  word")),
            "{folded}"
        );
    }
}
