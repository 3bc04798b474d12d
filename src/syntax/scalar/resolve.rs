//! The type of a scalar by the rules of yaml.v2: YAML 1.1 without base 60, with Go's number syntax.

use super::Typed;
use super::decode::{decode, utf8_lossy};
use crate::base64;
use crate::error::SyntaxError;
use crate::tree::{NodeId, NodeKind, Tree};
use std::borrow::Cow;

pub const PREFIX: &str = "tag:yaml.org,2002:";

pub fn resolve<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> Result<Typed<'a>, SyntaxError> {
    let value = decode(tree, text, node);
    let at = tree.range(node).start;
    if tree.json {
        return json(value, at);
    }
    let Some(tag) = super::tag(tree, text, node) else {
        return Ok(match tree.kind(node) {
            NodeKind::Plain | NodeKind::Absent => by_form(value, None).0,
            _ => Typed::Text(value),
        });
    };
    let fail = |problem: String| Err(SyntaxError::yaml(at, 0, problem));
    let Some(core) = tag.strip_prefix(PREFIX) else {
        return Ok(Typed::Text(value));
    };
    match core {
        "str" => Ok(Typed::Text(value)),
        "binary" => match base64::decode(value.as_bytes()) {
            Some(bytes) => Ok(Typed::Text(Cow::Owned(utf8_lossy(&bytes)))),
            None => fail("!!binary value contains invalid base64 data".into()),
        },
        "bool" | "int" | "float" | "null" | "timestamp" => {
            // A plain `null`, `~` or empty word is null whatever its tag; everything else obeys the
            // tag.
            let (typed, form) = by_form(value.clone(), Some(core));
            match (core, form, typed) {
                ("float", "int", Typed::Int(value)) => Ok(Typed::Float(value as f64)),
                (_, _, typed) if form == core => Ok(typed),
                _ => fail(format!("cannot decode !!{form} `{value}` as a !!{core}")),
            }
        }
        _ => Ok(Typed::Text(value)),
    }
}

/// Resolves an untagged plain word.
pub fn plain(word: &str) -> Typed<'_> {
    by_form(Cow::Borrowed(word), None).0
}

fn json(value: Cow<'_, str>, at: usize) -> Result<Typed<'_>, SyntaxError> {
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

/// Returns the value and the short type name of a word. Dates count only with a tag: otherwise they
/// end up as text anyway.
fn by_form<'a>(word: Cow<'a, str>, tag: Option<&str>) -> (Typed<'a>, &'static str) {
    if let Some(found) = by_name(&word) {
        return found;
    }
    let found = match word.as_bytes()[0] {
        b'.' => go_float(&word).map(|value| (Typed::Float(value), "float")),
        b'0'..=b'9' | b'+' | b'-' => {
            if tag == Some("timestamp") && is_timestamp(&word) {
                return (Typed::Text(word), "timestamp");
            }
            number(&word)
        }
        _ => None,
    };
    found.unwrap_or((Typed::Text(word), "str"))
}

/// Resolves the words with a special meaning; the empty one is null.
fn by_name(word: &str) -> Option<(Typed<'static>, &'static str)> {
    let typed = match word {
        "" | "~" | "null" | "Null" | "NULL" => return Some((Typed::Null, "null")),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Typed::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Typed::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" => return Some((Typed::Float(f64::NAN), "float")),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some((Typed::Float(f64::INFINITY), "float"));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some((Typed::Float(f64::NEG_INFINITY), "float")),
        _ => return None,
    };
    Some((typed, "bool"))
}

fn number(word: &str) -> Option<(Typed<'static>, &'static str)> {
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
            return Some((Typed::Int((value as i64).wrapping_neg()), "int"));
        }
        Some(value) if !negative && value <= i64::MAX as u64 => {
            return Some((Typed::Int(value as i64), "int"));
        }
        Some(value) if !signed => return Some((Typed::Uint(value), "int")),
        _ => {}
    }
    if is_yaml_float(unsigned) {
        let value: f64 = digits.parse().ok()?;
        return value.is_finite().then_some((Typed::Float(value), "float"));
    }
    // Go accepts a second sign after `0b`.
    let value = i64::from_str_radix(digits.strip_prefix("0b")?, 2).ok()?;
    Some((Typed::Int(value), "int"))
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
    let whole = digit_count(&text[0..]);
    let mut at = whole;
    if text.get(at) == Some(&b'.') {
        let fraction = digit_count(&text[at + 1..]);
        if whole == 0 && fraction == 0 {
            return false;
        }
        at += 1 + fraction;
    } else if whole == 0 {
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
                .find(|(known, _)| **known == *handle);
            let prefix = match (directive, handle) {
                (Some((_, prefix)), _) => &**prefix,
                (None, b"!!") => PREFIX.as_bytes(),
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

/// Whether the text has one of the four forms that yaml.v2 accepts as a date: `2006-1-2`, with a
/// time after a blank, or after `T` with a zone.
fn is_timestamp(text: &str) -> bool {
    parse_timestamp(text.as_bytes()).is_some()
}

fn parse_timestamp(mut rest: &[u8]) -> Option<()> {
    let year = digits(&mut rest, 4, 4)?;
    take_byte(&mut rest, b'-')?;
    let month = digits(&mut rest, 1, 2)?;
    take_byte(&mut rest, b'-')?;
    let day = digits(&mut rest, 1, 2)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    let zoned = match rest.first() {
        None => return Some(()),
        Some(b'T' | b't') => true,
        Some(b' ') => false,
        _ => return None,
    };
    rest = &rest[1..];
    if !zoned {
        while let Some(shorter) = rest.strip_prefix(b" ") {
            rest = shorter;
        }
    }
    let hour = digits(&mut rest, 1, 2)?;
    take_byte(&mut rest, b':')?;
    let minute = digits(&mut rest, 1, 2)?;
    take_byte(&mut rest, b':')?;
    let second = digits(&mut rest, 1, 2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if let Some(b'.' | b',') = rest.first() {
        rest = &rest[1..];
        digits(&mut rest, 1, usize::MAX)?;
    }
    if zoned {
        match rest.split_first() {
            Some((b'Z', after)) => rest = after,
            Some((b'+' | b'-', after)) => {
                rest = after;
                let hours = digits(&mut rest, 2, 2)?;
                take_byte(&mut rest, b':')?;
                let minutes = digits(&mut rest, 2, 2)?;
                if hours > 24 || minutes > 60 {
                    return None;
                }
            }
            _ => return None,
        }
    }
    rest.is_empty().then_some(())
}

fn digits(rest: &mut &[u8], least: usize, most: usize) -> Option<u32> {
    let n = digit_count(&rest[..rest.len().min(most)]);
    let value = rest[..n]
        .iter()
        .fold(0, |v, b| v * 10 + u32::from(b - b'0'));
    *rest = &rest[n..];
    (n >= least).then_some(value)
}

fn take_byte(rest: &mut &[u8], b: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[b])?;
    Some(())
}
