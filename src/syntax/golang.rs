//! Writes texts like Go's JSON library: characters, floats, strings. See also [`crate::go_text`].

use crate::go_text::quote;
use std::fmt::Write;

/// Quotes a byte as Go's JSON reader names an invalid character: in single quotes, as the code
/// point of that number.
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
pub fn json_float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        exponent(&format!("{value:e}"), 1)
    } else {
        format!("{value}")
    }
}

/// Formats a float like `strconv.FormatFloat(value, 'g', -1, 32)`, with YAML's names for infinities
/// and NaN. The conversion to JSON writes float keys this way.
pub fn key_float(value: f64) -> String {
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
    shortest(value, &format!("{value:e}"))
}

/// Formats a finite float like `strconv.FormatFloat` with `g`. Rust and Go agree on the shortest
/// digits; only the notation differs.
pub(crate) fn shortest(value: impl std::fmt::Display, scientific: &str) -> String {
    let power = scientific
        .split_once('e')
        .map(|(_, power)| power.parse::<i32>());
    match power {
        Some(Ok(-4..6)) | None => value.to_string(),
        _ => exponent(scientific, 2),
    }
}

/// Turns Rust's `1e21` into Go's `1e+21`, with at least `width` digits in the exponent.
fn exponent(scientific: &str, width: usize) -> String {
    let (digits, power) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{digits}e{sign}{power:0>width$}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_go_writes_them() {
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
            assert_eq!(json_float(value), text);
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
            assert_eq!(key_float(value), text);
        }
    }

    #[test]
    fn strings_as_go_writes_them() {
        assert_eq!(quote_byte(b'\''), r"'\''");
        assert_eq!(quote_byte(b'"'), r#"'"'"#);
        assert_eq!(quote_byte(0xC2), "'Â'");
        let mut out = String::new();
        push_json_string(&mut out, "<a&b>\u{8}\u{1f}\u{7f}\u{2028}ü\"", false);
        assert_eq!(out, "\"<a&b>\\b\\u001f\u{7f}\\u2028ü\\\"\"");
    }
}
