//! Lexer.

use super::error::CompileError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    /// An operator or bracket.
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 25] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", ".", ",",
    "(", ")", "[", "]", "{", "}", "=",
];

/// Tokens and the byte each starts at.
pub(super) fn tokens(rule: &str) -> Result<Vec<(usize, Token)>, CompileError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = rule[at..].chars().next() {
        let rest = &rule[at..];
        let start = at;
        if c.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some((text, length)) =
            string(rest).map_err(|m| CompileError::new(start, m))?
        {
            out.push((start, Token::Text(text)));
            at += length;
        } else if c.is_ascii_alphabetic() || c == '_' {
            at += rest
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                .count();
            out.push((start, Token::Name(rule[start..at].to_owned())));
        } else if c.is_ascii_digit()
            || (c == '.' && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit))
        {
            let (token, length) = number(rest).map_err(|why| {
                // A minus sign belongs to its number.
                let signed = out
                    .last()
                    .filter(|(at, token)| *token == Token::Sign("-") && at + 1 == start);
                CompileError::new(signed.map_or(start, |(at, _)| *at), why)
            })?;
            out.push((start, token));
            at += length;
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            out.push((start, Token::Sign(sign)));
            at += sign.len();
        } else {
            return Err(CompileError::new(
                start,
                format!("Syntax error: token recognition error at: '{c}'"),
            ));
        }
    }
    Ok(out)
}

/// A number at the start, and its length.
fn number(text: &str) -> Result<(Token, usize), &'static str> {
    const INT: &str = "invalid int literal";
    const UINT: &str = "invalid uint literal";
    let digits = |from: usize| {
        text.as_bytes()[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let unsigned = |end: usize| matches!(text.as_bytes().get(end), Some(b'u' | b'U'));
    if let Some(hex) = text.strip_prefix("0x") {
        let count = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        let value = u64::from_str_radix(&hex[..count], 16);
        return match unsigned(2 + count) {
            true => value
                .map(|value| (Token::Uint(value), 3 + count))
                .map_err(|_| UINT),
            false => {
                let value = value.ok().and_then(|value| i64::try_from(value).ok());
                value.map(|value| (Token::Int(value), 2 + count)).ok_or(INT)
            }
        };
    }
    let mut end = digits(0);
    let mut is_double = false;
    if text.as_bytes().get(end) == Some(&b'.') && digits(end + 1) > 0 {
        is_double = true;
        end += 1 + digits(end + 1);
    }
    if let Some(b'e' | b'E') = text.as_bytes().get(end) {
        let sign = usize::from(matches!(text.as_bytes().get(end + 1), Some(b'+' | b'-')));
        let count = text
            .get(end + 1 + sign..)
            .map_or(0, |_| digits(end + 1 + sign));
        if count > 0 {
            is_double = true;
            end += 1 + sign + count;
        }
    }
    if is_double {
        return text[..end]
            .parse::<f64>()
            .map(|value| (Token::Double(value), end))
            .map_err(|_| "invalid double literal");
    }
    if unsigned(end) {
        return text[..end]
            .parse::<u64>()
            .map(|value| (Token::Uint(value), end + 1))
            .map_err(|_| UINT);
    }
    // 2^63 is only valid after a minus sign; it lexes as the lowest integer, which is its own
    // wrapping negation.
    match text[..end].parse::<u64>() {
        Ok(value) if value == 1_u64 << 63 => Ok((Token::Int(i64::MIN), end)),
        Ok(value) => i64::try_from(value)
            .map(|value| (Token::Int(value), end))
            .map_err(|_| INT),
        Err(_) => Err(INT),
    }
}

/// A text literal at the start, and its length.
fn string(text: &str) -> Result<Option<(String, usize)>, String> {
    let raw = text.starts_with(['r', 'R']);
    let body = &text[usize::from(raw)..];
    let Some(quote) = body.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return Ok(None);
    };
    let triple = quote.to_string().repeat(3);
    let end = if body.starts_with(&triple) {
        triple
    } else {
        quote.to_string()
    };
    let mut out = String::new();
    let mut at = end.len();
    loop {
        let rest = &body[at..];
        if rest.starts_with(&end) {
            return Ok(Some((out, usize::from(raw) + at + end.len())));
        }
        let Some(c) = rest.chars().next().filter(|c| *c != '\n' || end.len() == 3) else {
            return Err("Syntax error: the text has no end".to_owned());
        };
        if c == '\\' && !raw {
            let (escaped, length) = escape(rest).ok_or("Syntax error: unknown escape")?;
            let escaped = char::from_u32(escaped).ok_or("invalid unicode code point")?;
            out.push(escaped);
            at += length;
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
}

/// The code point of an escape at the start, and its length.
fn escape(text: &str) -> Option<(u32, usize)> {
    let simple = |c| Some((u32::from(c), 2));
    let coded = |from: usize, digits: usize, radix: u32| {
        // `from_str_radix` would accept a sign.
        let code = text
            .get(from..from + digits)
            .filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let code = u32::from_str_radix(code, radix).ok()?;
        Some((code, from + digits))
    };
    match text[1..].chars().next()? {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        'v' => simple('\u{b}'),
        c @ ('\\' | '\'' | '"' | '`' | '?') => simple(c),
        'x' | 'X' => coded(2, 2, 16),
        'u' => coded(2, 4, 16),
        'U' => coded(2, 8, 16),
        '0'..='3' => coded(1, 3, 8),
        _ => None,
    }
}
