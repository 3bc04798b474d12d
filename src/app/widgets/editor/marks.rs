//! Marks of problems in a text, and the syntax colors of a line of YAML or JSON. The colors depend
//! on this line only, so that any line can be drawn alone.

/// Longer lines are not colored.
const MAX_COLORED: usize = 2_000;

/// Severity of a mark, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tone {
    Error,
    Warning,
    Note,
}

impl Tone {
    pub fn name(self) -> &'static str {
        match self {
            Tone::Error => "error",
            Tone::Warning => "warning",
            Tone::Note => "note",
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Tone::Error => "Error",
            Tone::Warning => "Warning",
            Tone::Note => "Info",
        }
    }
}

/// A marked part of the text; lines and columns from 1, the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub tone: Tone,
    pub message: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Mark {
    /// Whether a position is in the mark. Only the first line of a mark is marked.
    pub fn contains(&self, line: u32, column: u32) -> bool {
        let end = if self.end_line > self.line {
            u32::MAX
        } else {
            self.end_column.max(self.column + 1)
        };
        line == self.line && (self.column..end).contains(&column)
    }
}

/// Returns the marks of a line. `marks` must be in line order.
pub fn marks_of_line(marks: &[Mark], line: u32) -> &[Mark] {
    let from = marks.partition_point(|mark| mark.line < line);
    let to = marks.partition_point(|mark| mark.line <= line);
    marks.get(from..to).unwrap_or_default()
}

/// Returns all messages of a line, as one name: `Error: …. Warning: …`.
pub fn accessible_name(marks: &[Mark]) -> String {
    let messages: Vec<String> = marks
        .iter()
        .map(|mark| format!("{}: {}", mark.tone.word(), mark.message))
        .collect();
    messages.join(" · ")
}

/// Moves the marks after line `changed` by `lines`. Marks on that line stay until the text is
/// checked again.
pub fn shift(marks: &mut [Mark], changed: u32, lines: i64) {
    for mark in marks.iter_mut().filter(|mark| mark.line > changed) {
        mark.line = shift_line(mark.line, lines);
        mark.end_line = shift_line(mark.end_line, lines);
    }
}

/// Returns a line number after a change by `lines`.
pub fn shift_line(line: u32, lines: i64) -> u32 {
    (i64::from(line) + lines).max(1) as u32
}

/// A part of a line: text, worst mark, syntax kind.
pub type Part = (String, Option<Tone>, Kind);

/// Splits a line where marks and syntax kinds begin and end. A mark that spans several lines is
/// underlined to the end of its first line.
pub fn parts(text: &str, marks: &[Mark]) -> Vec<Part> {
    let letters: Vec<char> = text.chars().collect();
    let count = letters.len();
    let mut worst: Vec<Option<Tone>> = vec![None; count];
    for mark in marks {
        let from = (mark.column.max(1) as usize - 1).min(count);
        let to = if mark.end_line > mark.line {
            count
        } else {
            (mark.end_column.max(1) as usize - 1).min(count)
        };
        for tone in worst
            .get_mut(from..to.max((from + 1).min(count)))
            .unwrap_or_default()
        {
            *tone = Some(tone.map_or(mark.tone, |other| other.min(mark.tone)));
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    for ((letter, tone), kind) in letters.into_iter().zip(worst).zip(kinds(text)) {
        match parts.last_mut() {
            Some((part, last_tone, last_kind)) if (*last_tone, *last_kind) == (tone, kind) => {
                part.push(letter)
            }
            _ => parts.push((letter.to_string(), tone, kind)),
        }
    }
    parts
}

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

/// Returns the kind of each character of a line.
pub fn kinds(line: &str) -> Vec<Kind> {
    let letters: Vec<char> = line.chars().collect();
    let mut out = vec![Kind::Plain; letters.len()];
    if letters.len() > MAX_COLORED {
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
                out[at..].fill(Kind::Comment);
                return out;
            }
            '"' | '\'' if word.is_none() => {
                let end = end_of_quoted(&letters, at);
                let is_key = letters.get(end) == Some(&':');
                let kind = if is_key { Kind::Key } else { Kind::Text };
                out[at..end].fill(kind);
                at = end;
                continue;
            }
            ':' if letters.get(at + 1).is_none_or(|next| next.is_whitespace()) => {
                if let Some(from) = word.take() {
                    out[from..at].fill(Kind::Key);
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

/// Returns the index after the closing quote, or the end of the line if there is none.
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

/// Ends a word that is not a key: a number, or a word with a value.
fn end_word(letters: &[char], out: &mut [Kind], from: Option<usize>, to: usize) {
    let Some(from) = from else { return };
    let word: String = letters.get(from..to).unwrap_or_default().iter().collect();
    let word = word.trim_end();
    if matches!(word, "true" | "false" | "null" | "~") || word.parse::<f64>().is_ok() {
        out[from..to].fill(Kind::Value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn mark(tone: Tone, line: u32, column: u32, end_column: u32) -> Mark {
        Mark {
            tone,
            message: "a is wrong".into(),
            line,
            column,
            end_line: line,
            end_column,
        }
    }

    #[test]
    fn splits_a_line_at_its_marks_and_shows_the_worst() {
        let marks = [
            mark(Tone::Warning, 3, 1, 6),
            mark(Tone::Error, 3, 4, 5),
            mark(Tone::Error, 3, 99, 99),
        ];
        let line_parts = parts("äbcdefg", &marks);
        let tones: Vec<(&str, Option<Tone>)> = line_parts
            .iter()
            .map(|(text, tone, _)| (text.as_str(), *tone))
            .collect();
        let (error, warning) = (Some(Tone::Error), Some(Tone::Warning));
        assert_eq!(
            tones,
            [("äbc", warning), ("d", error), ("e", warning), ("fg", None)]
        );
        assert_eq!(
            accessible_name(&marks[..2]),
            "Warning: a is wrong · Error: a is wrong"
        );
        let long = Mark {
            end_line: 9,
            ..mark(Tone::Error, 3, 3, 1)
        };
        assert_eq!(
            parts("abcd", std::slice::from_ref(&long)).len(),
            2,
            "to the end of its first line"
        );
        assert!(long.contains(3, 50) && !long.contains(4, 1));
    }

    #[test]
    fn marks_of_a_line_move_with_it() {
        let mut marks = vec![
            mark(Tone::Note, 2, 1, 2),
            mark(Tone::Note, 3, 1, 2),
            mark(Tone::Note, 3, 4, 5),
        ];
        assert_eq!(
            (
                marks_of_line(&marks, 3).len(),
                marks_of_line(&marks, 4).len()
            ),
            (2, 0)
        );
        shift(&mut marks, 2, 4);
        assert_eq!(
            marks.iter().map(|mark| mark.line).collect::<Vec<_>>(),
            [2, 7, 7]
        );
        assert!(marks[0].contains(2, 1) && !marks[0].contains(2, 2));
    }

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
