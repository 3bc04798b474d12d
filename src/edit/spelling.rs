//! Writes a single scalar so that every reader sees the same string: Go's YAML 1.1, YAML 1.2 and
//! JSON.
//!
//! The rules are deliberately narrow: anything that a reader might misread is quoted. Knows neither
//! trees nor indentation beyond a number of blanks.

/// Words that some YAML reader takes for a number, boolean, null or merge key, in lower case.
const TYPED_WORDS: &[&str] = &[
    "", "~", "=", "<<", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan",
    "infinity", ".inf", ".nan",
];

/// The preferred quoting of a string; overridden if a reader would misread it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quote {
    Plain,
    Single,
    Double,
}

/// The syntax around a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarContext {
    Block,
    /// Inside `[]` or `{}` of YAML.
    Flow,
    Json,
}

/// Writes a string on one line. If plain is preferred but not safe, the quoting is `fallback`, or
/// that of Go's writer: double if the plain text would not be a string, else single.
pub fn string(
    text: &str,
    preferred: Quote,
    fallback: Option<Quote>,
    context: ScalarContext,
) -> String {
    if context == ScalarContext::Json || !text.chars().all(is_printable) {
        return double_quoted(text);
    }
    let quote = match preferred {
        Quote::Plain if is_plain_everywhere(text, context) => Quote::Plain,
        Quote::Plain => fallback.unwrap_or(if is_typed(text) {
            Quote::Double
        } else {
            Quote::Single
        }),
        quoted => quoted,
    };
    match quote {
        Quote::Plain => text.to_owned(),
        Quote::Single => format!("'{}'", text.replace('\'', "''")),
        Quote::Double => double_quoted(text),
    }
}

/// Writes a multi-line string as a literal block: the header, then the lines, each after `newline`
/// and `indent` blanks. Returns `None` if the text would not round-trip and must be double-quoted.
pub fn literal(text: &str, indent: usize, newline: &str) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let has_blank_edge = body.starts_with([' ', '\t', '\n']) || body.ends_with('\n');
    let is_writable =
        |line: &str| line.chars().all(is_printable) && (line.is_empty() || !line.trim().is_empty());
    if !body.contains('\n') || has_blank_edge || !body.split('\n').all(is_writable) {
        return None;
    }
    let mut out = String::from(if text.len() > body.len() { "|" } else { "|-" });
    for line in body.split('\n') {
        out.push_str(newline);
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
    }
    Some(out)
}

/// Writes a double-quoted string with only those escapes that YAML 1.1, YAML 1.2 and JSON share.
pub fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// Applies Go's HTML escaping to a double-quoted string.
pub fn html_escaped(quoted: &str) -> String {
    quoted
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// Whether all readers accept the character unescaped on one line. Excluded: controls, the line
/// breaks of YAML 1.1 (U+0085, U+2028, U+2029), the byte order mark, and U+FFFE and U+FFFF, which
/// the Go reader rejects.
fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\u{a0}'..='\u{fffd}' => !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'),
        c => c > '\u{ffff}',
    }
}

fn is_plain_everywhere(text: &str, context: ScalarContext) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    // Valid first characters of a plain scalar in every version: no indicators, and nothing with a
    // special meaning to some reader.
    let has_plain_start = first.is_alphanumeric() || "_/.$(<=^~+\\;".contains(first);
    let breaks_block = text.contains(": ")
        || text.contains(" #")
        || text.ends_with([':', ' '])
        || text.contains('\t');
    // Readers differ on a colon or a question mark inside brackets.
    let breaks_flow =
        context != ScalarContext::Block && text.contains([',', '[', ']', '{', '}', ':', '?', '#']);
    has_plain_start && !breaks_block && !breaks_flow && !text.starts_with("...") && !is_typed(text)
}

/// Whether some YAML reader might take the plain text for a number, boolean, null, date or merge
/// key. Prefers false positives.
fn is_typed(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if TYPED_WORDS.contains(&unsigned.to_ascii_lowercase().as_str()) {
        return true;
    }
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        return false;
    }
    let has_radix_prefix = ["0x", "0X", "0o", "0O", "0b", "0B"]
        .iter()
        .any(|prefix| unsigned.starts_with(prefix));
    has_radix_prefix || is_number(unsigned) || is_sexagesimal(unsigned) || is_date(unsigned)
}

/// Whether the text consists of digits with `_`, at most one decimal point, and an optional
/// exponent.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let digits = mantissa.bytes().filter(|b| *b != b'.');
    mantissa.matches('.').count() <= 1
        && digits
            .chain(exponent.bytes())
            .all(|b| b.is_ascii_digit() || b == b'_')
}

/// Whether the text is a number of base 60 in YAML 1.1, such as `190:20:30`.
fn is_sexagesimal(text: &str) -> bool {
    text.contains(':')
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b':' | b'_' | b'.'))
}

/// Whether the text starts like `2001-12-14`.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (year, month, day_and_time) = (parts.next(), parts.next(), parts.next());
    year.is_some_and(|year| year.len() == 4 && is_all_digits(year))
        && month.is_some_and(|month| month.len() <= 2 && is_all_digits(month))
        && day_and_time.is_some_and(|day| day.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_all_digits(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> bool {
        string(text, Quote::Plain, None, ScalarContext::Block) == text
    }

    #[test]
    fn common_catalog_values_stay_plain() {
        for text in [
            "stable",
            "foo.v1.2.3",
            "1.2.3",
            "1.2.3-rc.1",
            "v4.18",
            "quay.io/a/b@sha256:00ff",
            "a b, c",
            "it's",
            "~1.2.0",
            "<2.0.0",
            "Käse",
            "a:b",
            "a#b",
            "yes please",
            "0.0.0.1",
            "1.2.3+build",
            "$ref",
        ] {
            assert!(plain(text), "{text}");
        }
    }

    /// The strings used in property tests of editing.
    const NASTY: &[&str] = include!("../../tests/data/nasty.rs");

    #[test]
    fn ambiguous_values_are_quoted() {
        let harmless: Vec<&str> = NASTY.iter().copied().filter(|text| plain(text)).collect();
        let expected = [
            "it's",
            "a,b",
            "a\\b",
            "\\",
            "Käse",
            "quay.io/a/b@sha256:00",
            "1.2.3-rc.1+build",
            "a b  c",
            "x\u{a0}y",
            "a]",
            "a}",
            "<a & b>",
            "//",
        ];
        assert_eq!(harmless, expected);
        for text in [
            "1.5e-3",
            "190:20:30.15",
            "2001-1-1T00:00:00Z",
            "-.INF",
            ".NaN",
            "--- a",
        ] {
            assert!(!plain(text), "{text:?}");
        }
    }

    #[test]
    fn requested_quotes_are_used_if_possible() {
        let write = |text, preferred| string(text, preferred, None, ScalarContext::Block);
        assert_eq!(write("a", Quote::Single), "'a'");
        assert_eq!(write("it's", Quote::Single), "'it''s'");
        assert_eq!(write("a\nb", Quote::Single), r#""a\nb""#);
        assert_eq!(write("1.10", Quote::Plain), r#""1.10""#);
        assert_eq!(write(">=1.0.0", Quote::Plain), "'>=1.0.0'");
        assert_eq!(
            string(
                "1.10",
                Quote::Plain,
                Some(Quote::Single),
                ScalarContext::Block
            ),
            "'1.10'"
        );
        assert_eq!(
            string("a:b", Quote::Plain, None, ScalarContext::Flow),
            "'a:b'"
        );
        assert_eq!(
            string("a", Quote::Plain, None, ScalarContext::Json),
            r#""a""#
        );
        assert_eq!(
            double_quoted("\u{85}\u{0}\u{2028}\u{1f600}"),
            "\"\\u0085\\u0000\\u2028\u{1f600}\""
        );
    }

    #[test]
    fn literal_blocks_contain_only_text_that_round_trips() {
        assert_eq!(
            literal("a\n\nb\n", 2, "\r\n").as_deref(),
            Some("|\r\n  a\r\n\r\n  b")
        );
        assert_eq!(literal("a\nb", 1, "\n").as_deref(), Some("|-\n a\n b"));
        for text in [
            "a", "a\n", " a\nb", "a\nb\n\n", "a\n \nb", "\na\nb", "a\rb\nc",
        ] {
            assert_eq!(literal(text, 2, "\n"), None, "{text:?}");
        }
    }
}
