//! Syntax colors of one line of YAML or JSON: comments, keys, texts, numbers and words. Pure; looks
//! at one line only, so that any line can be drawn alone.

/// The kind of a part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Plain,
    Comment,
    Key,
    Text,
    /// A number, `true`, `false`, `null`, or a document separator.
    Value,
}

impl Kind {
    /// The attribute value.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Plain => "plain",
            Kind::Comment => "comment",
            Kind::Key => "key",
            Kind::Text => "text",
            Kind::Value => "value",
        }
    }
}

/// Longer lines are not colored.
const LONGEST: usize = 2_000;

/// The kind of each character of a line.
pub fn kinds(line: &str) -> Vec<Kind> {
    let letters: Vec<char> = line.chars().collect();
    let mut out = vec![Kind::Plain; letters.len()];
    if letters.len() > LONGEST {
        return out;
    }
    if line.starts_with("---") || line.starts_with("...") {
        out.fill(Kind::Value);
        return out;
    }
    let mut at = 0;
    // Start of the current word.
    let mut word: Option<usize> = None;
    while let Some(&letter) = letters.get(at) {
        let is_start = at
            .checked_sub(1)
            .and_then(|before| letters.get(before))
            .is_none_or(|c| c.is_whitespace());
        match letter {
            '#' if is_start => {
                end_word(&letters, &mut out, word.take(), at);
                out.iter_mut()
                    .skip(at)
                    .for_each(|kind| *kind = Kind::Comment);
                return out;
            }
            '"' | '\'' if word.is_none() => {
                let end = end_of_quoted(&letters, at);
                let is_key = letters.get(end) == Some(&':');
                let kind = if is_key { Kind::Key } else { Kind::Text };
                out.iter_mut()
                    .take(end)
                    .skip(at)
                    .for_each(|known| *known = kind);
                at = end;
                continue;
            }
            ':' if letters.get(at + 1).is_none_or(|next| next.is_whitespace()) => {
                if let Some(from) = word.take() {
                    out.iter_mut()
                        .take(at)
                        .skip(from)
                        .for_each(|kind| *kind = Kind::Key);
                }
            }
            // JSON needs no blank after the colon of a quoted key.
            ':' if word.is_none() && is_flow(&letters) => {}
            ',' | '{' | '}' | '[' | ']' if is_flow(&letters) => {
                end_word(&letters, &mut out, word.take(), at)
            }
            '-' if word.is_none()
                && letters.get(at + 1).is_none_or(|next| next.is_whitespace()) => {}
            letter if letter.is_whitespace() => {}
            _ => {
                word.get_or_insert(at);
            }
        }
        at += 1;
    }
    end_word(&letters, &mut out, word, letters.len());
    out
}

/// Brackets separate only if a line begins with one, as in JSON; elsewhere they are text.
fn is_flow(letters: &[char]) -> bool {
    let first = letters.iter().find(|letter| !letter.is_whitespace());
    first.is_some_and(|letter| matches!(letter, '{' | '}' | '[' | ']' | '"'))
}

/// The position after a quoted text.
fn end_of_quoted(letters: &[char], from: usize) -> usize {
    let quote = letters.get(from).copied().unwrap_or('"');
    let mut at = from + 1;
    while let Some(&letter) = letters.get(at) {
        match letter {
            '\\' if quote == '"' => at += 1,
            letter if letter == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    letters.len()
}

/// Ends a word that is no key: a number or a word with a value.
fn end_word(letters: &[char], out: &mut [Kind], from: Option<usize>, to: usize) {
    let Some(from) = from else { return };
    let word: String = letters.get(from..to).unwrap_or_default().iter().collect();
    let word = word.trim_end();
    if matches!(word, "true" | "false" | "null" | "~") || word.parse::<f64>().is_ok() {
        out.iter_mut()
            .take(to)
            .skip(from)
            .for_each(|kind| *kind = Kind::Value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_line(line: &str) -> String {
        let sign = |kind: &Kind| match kind {
            Kind::Plain => '.',
            Kind::Comment => '#',
            Kind::Key => 'k',
            Kind::Text => 't',
            Kind::Value => 'v',
        };
        kinds(line).iter().map(sign).collect()
    }

    #[test]
    fn recognizes_yaml_and_json_by_the_line() {
        for (line, expected) in [
            ("---", "vvv"),
            ("name: p.v1", "kkkk......"),
            ("  - name: 'a'  # b", "....kkkk..ttt..###"),
            ("a: 12", "k..vv"),
            ("a: true", "k..vvvv"),
            ("a: x#y", "k....."),
            (r#"  "a": "b","#, "..kkk..ttt."),
            (r#"{"n":1,"t":true}"#, ".kkk.v.kkk.vvvv."),
            ("image: q.io/a/b@sha256:12", "kkkkk...................."),
            ("a: >-", "k...."),
            (r#"a: "x\"y""#, "k..tttttt"),
        ] {
            assert_eq!(render_line(line), expected, "{line}");
        }
        assert!(
            kinds(&"a: 1 ".repeat(1_000))
                .iter()
                .all(|kind| *kind == Kind::Plain)
        );
    }
}
