//! Formats and compares text like Go: `%q`, floats, folded keys and JSON strings, which `opm`'s
//! messages contain. Knows no catalogs.

use std::fmt::Write;

/// Characters of the standard library's tables that are newer than Unicode 15, the version of Go
/// 1.26's tables; sorted.
#[rustfmt::skip]
const NEWER_THAN_UNICODE_15: &[(u32, u32)] = &[
    (0x88f, 0x88f), (0x897, 0x897), (0xc5c, 0xc5c), (0xcdc, 0xcdc), (0x1acf, 0x1add), (0x1ae0, 0x1aeb),
    (0x1b4e, 0x1b4f), (0x1b7f, 0x1b7f), (0x1c89, 0x1c8a), (0x20c1, 0x20c1), (0x2427, 0x2429), (0x2b96, 0x2b96),
    (0x2ffc, 0x2fff), (0x31e4, 0x31e5), (0x31ef, 0x31ef), (0xa7cb, 0xa7cf), (0xa7d2, 0xa7d2), (0xa7d4, 0xa7d4),
    (0xa7da, 0xa7dc), (0xa7f1, 0xa7f1), (0xfbc3, 0xfbd2), (0xfd90, 0xfd91), (0xfdc8, 0xfdce), (0x105c0, 0x105f3),
    (0x10940, 0x10959), (0x10d40, 0x10d65), (0x10d69, 0x10d85), (0x10d8e, 0x10d8f), (0x10ec2, 0x10ec7),
    (0x10ed0, 0x10ed8), (0x10efa, 0x10efc), (0x11380, 0x11389), (0x1138b, 0x1138b), (0x1138e, 0x1138e),
    (0x11390, 0x113b5), (0x113b7, 0x113c0), (0x113c2, 0x113c2), (0x113c5, 0x113c5), (0x113c7, 0x113ca),
    (0x113cc, 0x113d5), (0x113d7, 0x113d8), (0x113e1, 0x113e2), (0x116d0, 0x116e3), (0x11b60, 0x11b67),
    (0x11bc0, 0x11be1), (0x11bf0, 0x11bf9), (0x11db0, 0x11ddb), (0x11de0, 0x11de9), (0x11f5a, 0x11f5a),
    (0x13460, 0x143fa), (0x16100, 0x16139), (0x16d40, 0x16d79), (0x16ea0, 0x16eb8), (0x16ebb, 0x16ed3),
    (0x16ff2, 0x16ff6), (0x187f8, 0x187ff), (0x18cff, 0x18cff), (0x18d09, 0x18d1e), (0x18d80, 0x18df2),
    (0x1cc00, 0x1ccfc), (0x1cd00, 0x1ceb3), (0x1ceba, 0x1ced0), (0x1cee0, 0x1cef0), (0x1e5d0, 0x1e5fa),
    (0x1e5ff, 0x1e5ff), (0x1e6c0, 0x1e6de), (0x1e6e0, 0x1e6f5), (0x1e6fe, 0x1e6ff), (0x1f6d8, 0x1f6d8),
    (0x1f777, 0x1f77a), (0x1f8b2, 0x1f8bb), (0x1f8c0, 0x1f8c1), (0x1f8d0, 0x1f8d8), (0x1fa54, 0x1fa57),
    (0x1fa89, 0x1fa8a), (0x1fa8e, 0x1fa8f), (0x1fabe, 0x1fabe), (0x1fac6, 0x1fac6), (0x1fac8, 0x1fac8),
    (0x1facd, 0x1facd), (0x1fadc, 0x1fadc), (0x1fadf, 0x1fadf), (0x1fae9, 0x1faea), (0x1faef, 0x1faef),
    (0x1fbcb, 0x1fbef), (0x1fbfa, 0x1fbfa), (0x2b73a, 0x2b73f), (0x2cea2, 0x2cead), (0x2ebf0, 0x2ee5d),
    (0x323b0, 0x33479),
];

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
pub fn format_float(value: f64) -> String {
    format_shortest(value, &format!("{value:e}"))
}

/// Folds the case of a key as the reference's library does: full folding of Unicode 15, with
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
            c if is_newer_than_unicode_15(c) => out.push(c),
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

/// Returns the text of a JSON string; "" for any other value.
pub fn string_or_empty(value: &serde_json::Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Quotes an invalid byte like Go's JSON reader: in single quotes, as the code point of that
/// number.
pub fn quote_byte(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => {
            let quoted = quote((byte as char).encode_utf8(&mut [0; 4]));
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

/// Formats a finite float like `encoding/json`.
pub fn format_json_float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        format_exponent(&format!("{value:e}"), 1)
    } else {
        format!("{value}")
    }
}

/// Formats a float like `strconv.FormatFloat(value, 'g', -1, 32)`, with YAML's names for infinities
/// and NaN. The conversion to JSON writes float keys this way.
pub fn format_key_float(value: f64) -> String {
    let value = value as f32;
    if value.is_nan() {
        return ".nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            ".inf".into()
        } else {
            "-.inf".into()
        };
    }
    format_shortest(value, &format!("{value:e}"))
}

/// Appends a JSON string as `encoding/json` writes it, with or without its escapes for HTML.
pub fn push_json_string(out: &mut String, text: &str, html: bool) {
    out.push('"');
    let mut from = 0;
    for (i, b) in text.bytes().enumerate() {
        let escape = match b {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0C => "\\f",
            0..=0x1F => "",
            b'<' | b'>' | b'&' if html => "",
            // U+2028 and U+2029.
            0xE2 if matches!(text.as_bytes().get(i + 1..i + 3), Some([0x80, 0xA8 | 0xA9])) => "",
            _ => continue,
        };
        out.push_str(&text[from..i]);
        from = i + 1;
        if !escape.is_empty() {
            out.push_str(escape);
        } else if b == 0xE2 {
            out.push_str(if text.as_bytes()[i + 2] == 0xA8 {
                "\\u2028"
            } else {
                "\\u2029"
            });
            from = i + 3;
        } else {
            let _ = write!(out, "\\u{b:04x}");
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// Formats a finite float like `strconv.FormatFloat` with `g`. Rust and Go agree on the shortest
/// digits; only the notation differs.
fn format_shortest(value: impl std::fmt::Display, scientific: &str) -> String {
    let power = scientific
        .split_once('e')
        .map(|(_, power)| power.parse::<i32>());
    match power {
        Some(Ok(-4..6)) | None => value.to_string(),
        _ => format_exponent(scientific, 2),
    }
}

/// Turns Rust's `1e21` into Go's `1e+21`, with at least `width` digits in the exponent.
fn format_exponent(scientific: &str, width: usize) -> String {
    let (digits, power) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{digits}e{sign}{power:0>width$}")
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
/// ASCII blank, as of Unicode 15.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    if is_newer_than_unicode_15(c) {
        return false;
    }
    // Use the standard library's table on a character after a letter: at the start it would also
    // escape combining marks.
    let mut buffer = String::from("a");
    buffer.push(c);
    buffer.escape_debug().nth(1) == Some(c)
}

fn is_newer_than_unicode_15(c: char) -> bool {
    let c = c as u32;
    let at = NEWER_THAN_UNICODE_15.partition_point(|&(_, last)| last < c);
    NEWER_THAN_UNICODE_15
        .get(at)
        .is_some_and(|&(first, _)| first <= c)
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
        assert_eq!(quote("\u{88f}\u{85}"), r#""\u088f\u0085""#);
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
            assert_eq!(format_float(value), text);
        }
        assert_eq!(format_float(-0.0), "-0");
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
    fn finds_fields_case_insensitively() {
        assert!(names_field("DEFAULTCHANNEL", "defaultChannel"));
        assert!(names_field("ſ\u{212a}ips", "skips"));
        assert!(!names_field("skip", "skips"));
        assert!(!names_field("näme", "name"));
    }

    #[test]
    fn formats_floats_like_go() {
        for (value, text) in [
            (1.0, "1"),
            (-0.0, "-0"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e-7, "1.5e-7"),
            (0.000001, "0.000001"),
            (9007199254740993.0, "9007199254740992"),
            (12345678901234567890.0, "12345678901234567000"),
        ] {
            assert_eq!(format_json_float(value), text);
        }
        for (value, text) in [
            (1e3, "1000"),
            (1e6, "1e+06"),
            (999999.0, "999999"),
            (123456789.5, "1.2345679e+08"),
            (1234567.0, "1.234567e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.1, "1.1"),
            (1e39, ".inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(format_key_float(value), text);
        }
    }

    #[test]
    fn formats_strings_like_go() {
        assert_eq!(quote_byte(b'\''), r"'\''");
        assert_eq!(quote_byte(b'"'), r#"'"'"#);
        assert_eq!(quote_byte(0xC2), "'Â'");
        let mut out = String::new();
        push_json_string(&mut out, "<a&b>\u{8}\u{1f}\u{7f}\u{2028}ü\"", false);
        assert_eq!(out, "\"<a&b>\\b\\u001f\u{7f}\\u2028ü\\\"\"");
    }
}
