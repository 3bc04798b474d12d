//! The type of a scalar by the rules of yaml.v2: YAML 1.1 without base 60, with Go's number syntax.

use super::Typed;
use super::decode::{decode, utf8_lossy};
use crate::base64;
use crate::error::SyntaxError;
use crate::tree::{NodeId, NodeKind, Tree};
use regex_lite::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Prefix of the tags of YAML's own types, written `!!`.
pub const CORE_TAG_PREFIX: &str = "tag:yaml.org,2002:";

pub fn resolve<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> Result<Typed<'a>, SyntaxError> {
    let value = decode(tree, text, node);
    let at = tree.range(node).start;
    if tree.json {
        return resolve_json(value, at);
    }
    let Some(tag) = super::tag(tree, text, node) else {
        return Ok(match tree.kind(node) {
            NodeKind::Plain | NodeKind::Absent => resolve_word(value),
            _ => Typed::Text(value),
        });
    };
    let fail = |problem: String| Err(SyntaxError::yaml(at, 0, problem));
    let Some(core) = tag.strip_prefix(CORE_TAG_PREFIX) else {
        return Ok(Typed::Text(value));
    };
    match core {
        "str" => Ok(Typed::Text(value)),
        "binary" => match base64::decode(value.as_bytes()) {
            Some(bytes) => Ok(Typed::Text(Cow::Owned(utf8_lossy(&bytes)))),
            None => fail("!!binary value contains invalid base64 data".into()),
        },
        "timestamp" if is_timestamp(&value) => Ok(Typed::Text(value)),
        "bool" | "int" | "float" | "null" | "timestamp" => {
            // The text must have the tagged type, but an integer may be tagged as a float.
            match resolve_word(value.clone()) {
                Typed::Int(value) if core == "float" => Ok(Typed::Float(value as f64)),
                typed if core_type(&typed) == core => Ok(typed),
                typed => {
                    let actual = core_type(&typed);
                    fail(format!("cannot decode !!{actual} `{value}` as a !!{core}"))
                }
            }
        }
        _ => Ok(Typed::Text(value)),
    }
}

fn resolve_json(value: Cow<'_, str>, at: usize) -> Result<Typed<'_>, SyntaxError> {
    Ok(match &*value {
        "null" => Typed::Null,
        "true" => Typed::Bool(true),
        "false" => Typed::Bool(false),
        number => match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Typed::Float(value),
            _ => {
                let problem =
                    format!("json: cannot unmarshal number {number} into Go value of type float64");
                return Err(SyntaxError::bare(at, problem));
            }
        },
    })
}

/// Returns the name of the type's tag, without `!!`.
fn core_type(typed: &Typed<'_>) -> &'static str {
    match typed {
        Typed::Null => "null",
        Typed::Bool(_) => "bool",
        Typed::Int(_) | Typed::Uint(_) => "int",
        Typed::Float(_) => "float",
        Typed::Text(_) => "str",
    }
}

/// Resolves an untagged plain word.
pub fn resolve_word(word: Cow<'_, str>) -> Typed<'_> {
    if let Some(typed) = resolve_keyword(&word) {
        return typed;
    }
    let number = match word.as_bytes()[0] {
        b'.' => go_float(&word).map(Typed::Float),
        b'0'..=b'9' | b'+' | b'-' => resolve_number(&word),
        _ => None,
    };
    number.unwrap_or(Typed::Text(word))
}

/// Resolves the words with a special meaning. The empty word is null.
fn resolve_keyword(word: &str) -> Option<Typed<'static>> {
    Some(match word {
        "" | "~" | "null" | "Null" | "NULL" => Typed::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Typed::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Typed::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" => Typed::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Typed::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Typed::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn resolve_number(word: &str) -> Option<Typed<'static>> {
    let digits: Cow<'_, str> = if word.contains('_') {
        Cow::Owned(word.replace('_', ""))
    } else {
        Cow::Borrowed(word)
    };
    let digits = &*digits;
    let (negative, signed, unsigned) = match digits.as_bytes().first() {
        Some(b'-') => (true, true, &digits[1..]),
        Some(b'+') => (false, true, &digits[1..]),
        _ => (false, false, digits),
    };
    match go_integer(unsigned) {
        Some(value) if negative && value <= i64::MIN.unsigned_abs() => {
            return Some(Typed::Int((value as i64).wrapping_neg()));
        }
        Some(value) if !negative && value <= i64::MAX as u64 => {
            return Some(Typed::Int(value as i64));
        }
        Some(value) if !signed => return Some(Typed::Uint(value)),
        _ => {}
    }
    if is_yaml_float(unsigned) {
        let value: f64 = digits.parse().ok()?;
        return value.is_finite().then_some(Typed::Float(value));
    }
    // Go accepts a second sign after `0b`.
    let value = i64::from_str_radix(digits.strip_prefix("0b")?, 2).ok()?;
    Some(Typed::Int(value))
}

/// Parses like `strconv.ParseUint(text, 0, 64)`, for text without underscores.
fn go_integer(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', b'o' | b'O', ..] => (8, &text[2..]),
        [b'0', _, ..] => (8, &text[1..]),
        _ => (10, text),
    };
    // Rust would accept a sign here.
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// Whether the text matches `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, after the sign.
fn is_yaml_float(text: &str) -> bool {
    let text = text.as_bytes();
    let integer = digit_count(text);
    let mut at = integer;
    if text.get(at) == Some(&b'.') {
        let fraction = digit_count(&text[at + 1..]);
        if integer == 0 && fraction == 0 {
            return false;
        }
        at += 1 + fraction;
    } else if integer == 0 {
        return false;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(text.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let power = digit_count(&text[at..]);
        if power == 0 {
            return false;
        }
        at += power;
    }
    at == text.len()
}

fn digit_count(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Parses a word that begins with a point like `strconv.ParseFloat`.
fn go_float(text: &str) -> Option<f64> {
    if !is_yaml_float(text) {
        return None;
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Converts a tag as written to its long form: `!!int` to `tag:yaml.org,2002:int`, `!<x>` to `x`,
/// `%41` to `A`. `!x` is unchanged.
pub fn long_tag(tree: &Tree, tag: &[u8]) -> String {
    let (prefix, rest) = match tag.strip_prefix(b"!<") {
        Some(inner) => (&b""[..], inner.strip_suffix(b">").unwrap_or(inner)),
        None if tag == b"!" => (&b""[..], tag),
        None => {
            let (handle, rest) = tag.split_at(handle_length(tag));
            let directive = tree
                .tag_prefixes
                .iter()
                .find(|(declared, _)| **declared == *handle);
            let prefix = match (directive, handle) {
                (Some((_, prefix)), _) => &**prefix,
                (None, b"!!") => CORE_TAG_PREFIX.as_bytes(),
                (None, _) => handle,
            };
            (prefix, rest)
        }
    };
    let rest = &[prefix, rest].concat()[..];
    let mut bytes = Vec::with_capacity(rest.len());
    let mut at = 0;
    while let Some(&b) = rest.get(at) {
        let digits = [at + 1, at + 2].map(|i| char::from(*rest.get(i)?).to_digit(16));
        match (b, digits) {
            (b'%', [Some(high), Some(low)]) => {
                bytes.push((high << 4 | low) as u8);
                at += 3;
            }
            _ => {
                bytes.push(b);
                at += 1;
            }
        }
    }
    utf8_lossy(&bytes)
}

/// Returns the length of the handle that a tag begins with: `!name!`, `!!` or `!`.
fn handle_length(tag: &[u8]) -> usize {
    let word = tag
        .iter()
        .skip(1)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .count();
    if tag.get(word + 1) == Some(&b'!') {
        word + 2
    } else {
        1.min(tag.len())
    }
}

/// Whether yaml.v2 parses the text as a timestamp: `2006-1-2`, alone, with a time after blanks, or
/// with a time and a zone after `T` or `t`.
pub fn is_timestamp(text: &str) -> bool {
    static TIMESTAMP: LazyLock<Regex> = LazyLock::new(|| {
        let time = r"(?:[01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d(?:[.,]\d+)?";
        let zone = r"(?:Z|[+-](?:[01]\d|2[0-4]):(?:[0-5]\d|60))";
        let date = r"(\d{4})-(\d\d?)-(\d\d?)";
        Regex::new(&format!("^{date}(?:[Tt]{time}{zone}| +{time})?$")).expect("a valid pattern")
    });
    TIMESTAMP.captures(text).is_some_and(|date| {
        let [year, month, day] = [1, 2, 3].map(|part| date[part].parse().unwrap_or_default());
        (1..=days_in_month(year, month)).contains(&day)
    })
}

/// Returns the number of days; 0 for a number that is no month.
pub fn days_in_month(year: u32, month: u32) -> u32 {
    let is_leap_year =
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}
