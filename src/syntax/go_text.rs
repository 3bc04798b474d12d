//! Formats and compares text like Go: `%q`, floats, folded keys. Refusals use `opm`'s wording, so
//! its formatting matters. Knows no catalogs.

use std::fmt::Write;

/// Quotes a string like Go's `%q`.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if is_printable(c) => out.push(c),
            c if c < ' ' || c == '\u{7f}' => push(&mut out, format_args!("\\x{:02x}", c as u32)),
            c if (c as u32) < 0x1_0000 => push(&mut out, format_args!("\\u{:04x}", c as u32)),
            c => push(&mut out, format_args!("\\U{:08x}", c as u32)),
        }
    }
    out.push('"');
    out
}

/// Formats a float like `%v`: the shortest digits that round-trip, with an exponent below 1e-4 and
/// from 1e6 on.
pub fn float(value: f64) -> String {
    crate::golang::shortest(value, &format!("{value:e}"))
}

/// Folds the case of a key as the reference's library does: full folding, with
/// Cherokee letters swapped instead of folded.
pub fn fold(key: &str) -> String {
    if key.is_ascii() {
        return key.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(key.len());
    for c in key.chars() {
        match c {
            '\u{131}' => out.push(c),
            '\u{1e9e}' => out.push_str("ss"),
            '\u{13f8}'..='\u{13fd}' => out.extend(char::from_u32(c as u32 - 8)),
            '\u{ab70}'..='\u{abbf}' => out.extend(char::from_u32(c as u32 - 0xab70 + 0x13a0)),
            c => out.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    out
}

/// Whether a JSON key matches a field: exactly, or by Go's simple folding, in which `K` (Kelvin)
/// and `ſ` count as letters.
pub fn names_field(key: &str, field: &str) -> bool {
    if key.is_ascii() {
        return key.eq_ignore_ascii_case(field);
    }
    key.chars().map(fold_char).eq(field.chars().map(fold_char))
}

fn fold_char(c: char) -> char {
    match c {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        c => c.to_ascii_lowercase(),
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(arguments);
}

/// Whether Go prints the character unescaped: letters, marks, numbers, punctuation, symbols and the
/// ASCII blank.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // Use the standard library's table on a character after a letter: at the start it would also
    // escape combining marks.
    let mut buffer = String::from("a");
    buffer.push(c);
    buffer.escape_debug().nth(1) == Some(c)
}

/// Returns a JSON string, or an empty one for any other value.
pub fn string_or_empty(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_like_go() {
        assert_eq!(
            quote("a\"b\\c`\n\u{7}\0\u{7f}"),
            r#""a\"b\\c`\n\a\x00\x7f""#
        );
        assert_eq!(quote("é日\u{301}😀"), "\"é日\u{301}😀\"");
        assert_eq!(
            quote("\u{a0}\u{ad}\u{200b}\u{feff}\u{e0001}"),
            r#""\u00a0\u00ad\u200b\ufeff\U000e0001""#
        );
        assert_eq!(quote("\u{85}"), r#""\u0085""#);
        assert_eq!(quote("\u{fffd}"), "\"\u{fffd}\"");
    }

    #[test]
    fn prints_floats_like_go() {
        let table = [
            (7.0, "7"),
            (1.1, "1.1"),
            (1e30, "1e+30"),
            (1e6, "1e+06"),
            (123456.5, "123456.5"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
        ];
        for (value, text) in table {
            assert_eq!(float(value), text);
        }
        assert_eq!(float(-0.0), "-0");
    }

    #[test]
    fn folds_keys() {
        assert_eq!(fold("STRASSE"), fold("straße"));
        assert_eq!(fold("ſchema"), "schema");
        assert_eq!(fold("µ"), "μ");
        assert_ne!(fold("ı"), fold("i"));
        assert_ne!(fold("İ"), fold("i"));
        assert_ne!(fold("\u{ab70}"), fold("\u{13a0}"));
    }

    #[test]
    fn finds_fields_without_regard_to_case() {
        assert!(names_field("DEFAULTCHANNEL", "defaultChannel"));
        assert!(names_field("ſ\u{212a}ips", "skips"));
        assert!(!names_field("skip", "skips"));
        assert!(!names_field("näme", "name"));
    }
}
