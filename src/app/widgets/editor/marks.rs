//! Marks in a text: problems, shown as underlines and as icons in the margin.

use super::syntax::{Kind, kinds};

/// Severity of a mark, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tone {
    Error,
    Warning,
    Note,
}

impl Tone {
    /// The attribute value.
    pub fn name(self) -> &'static str {
        match self {
            Tone::Error => "error",
            Tone::Warning => "warning",
            Tone::Note => "note",
        }
    }

    /// The word in messages.
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
    pub fn holds(&self, line: u32, column: u32) -> bool {
        let from = (self.line, self.column);
        let to = if self.end_line > self.line {
            (self.line, u32::MAX)
        } else {
            (self.line, self.end_column.max(self.column + 1))
        };
        from <= (line, column) && (line, column) < to
    }
}

/// Marks in the order of their lines.
pub fn marks_of_line(marks: &[Mark], line: u32) -> &[Mark] {
    let from = marks.partition_point(|mark| mark.line < line);
    let to = marks.partition_point(|mark| mark.line <= line);
    marks.get(from..to).unwrap_or_default()
}

/// All messages of a line, as one name: `Error: …. Warning: …`.
pub fn accessible_name(marks: &[Mark]) -> String {
    let messages: Vec<String> = marks
        .iter()
        .map(|mark| format!("{}: {}", mark.tone.word(), mark.message))
        .collect();
    messages.join(" · ")
}

/// Moves marks after a change: those below it move along, those on its line stay until they are
/// judged again.
pub fn shift(marks: &mut [Mark], behind: u32, lines: i64) {
    for mark in marks.iter_mut().filter(|mark| mark.line > behind) {
        mark.line = (i64::from(mark.line) + lines).max(1) as u32;
        mark.end_line = (i64::from(mark.end_line) + lines).max(1) as u32;
    }
}

/// A part of a line: text, worst mark, syntax kind.
pub type Part = (String, Option<Tone>, Kind);

/// Splits a line where marks and syntax kinds begin and end. A mark over several lines is
/// underlined to the end of its first.
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
            *tone = Some(tone.map_or(mark.tone, |known| known.min(mark.tone)));
        }
    }
    let mut out: Vec<Part> = Vec::new();
    for ((letter, tone), kind) in letters.into_iter().zip(worst).zip(kinds(text)) {
        match out.last_mut() {
            Some((part, known, of)) if (*known, *of) == (tone, kind) => part.push(letter),
            _ => out.push((letter.to_string(), tone, kind)),
        }
    }
    out
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
        assert!(long.holds(3, 50) && !long.holds(4, 1));
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
        assert!(marks[0].holds(2, 1) && !marks[0].holds(2, 2));
    }
}
