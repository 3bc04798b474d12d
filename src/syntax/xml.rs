//! Escapes text for exported drawings and JUnit reports.

/// Escapes text for an attribute in double quotes or between tags. A carriage return is written as
/// a reference, since parsers would read a line feed. Other control characters, which XML forbids
/// or discourages, become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push(char::REPLACEMENT_CHARACTER)
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn any_text_is_escaped() {
        assert_eq!(
            escape("<a b=\"c\">&\n\td"),
            "&lt;a b=&quot;c&quot;&gt;&amp;\n\td"
        );
        assert_eq!(escape("a\r\nb"), "a&#13;\nb");
        assert_eq!(escape("a\u{1b}[1mb\u{fffe}"), "a\u{fffd}[1mb\u{fffd}");
    }
}
