//! Tokens of a condition: words, quoted texts, operators and parentheses.

use super::ConditionError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Quoted,
    Operator,
    Open,
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub kind: TokenKind,
    /// The token without its quotes.
    pub text: &'t str,
    /// The offset of its first character, from 0.
    pub offset: usize,
}

pub(super) fn tokenize(text: &str) -> Result<Vec<Token<'_>>, ConditionError> {
    let mut tokens = Vec::new();
    let (mut rest, mut offset) = (text, 0);
    while let Some(first) = rest.chars().next() {
        let (kind, start, length, token_length) = match first {
            c if c.is_whitespace() => {
                rest = &rest[c.len_utf8()..];
                offset += 1;
                continue;
            }
            '(' => (TokenKind::Open, 0, 1, 1),
            ')' => (TokenKind::Close, 0, 1, 1),
            '\'' | '"' => {
                let closing = rest[1..]
                    .find(first)
                    .ok_or_else(|| ConditionError::new(offset, "this quote is not closed"))?;
                (TokenKind::Quoted, 1, closing, closing + 2)
            }
            c if is_operator(c) => {
                let length = prefix_length(rest, is_operator);
                (TokenKind::Operator, 0, length, length)
            }
            _ => {
                let length = prefix_length(rest, |c| {
                    !c.is_whitespace() && !is_operator(c) && !"()'\"".contains(c)
                });
                (TokenKind::Word, 0, length, length)
            }
        };
        tokens.push(Token {
            kind,
            text: &rest[start..start + length],
            offset,
        });
        offset += rest[..token_length].chars().count();
        rest = &rest[token_length..];
    }
    Ok(tokens)
}

fn is_operator(c: char) -> bool {
    "<>=!~".contains(c)
}

/// Returns the length in bytes of the characters at the start that belong to a token.
fn prefix_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}
