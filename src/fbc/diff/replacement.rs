//! Hunks as text replacements by line and column, as editors and analysis reports describe the
//! edits of a fix.

use super::hunk::{DiffLine, Hunk, LineKind};

/// A replacement of a text range. Lines and columns count from 1, columns in characters; the end is
/// exclusive. An insertion ends where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    pub start: (u32, u32),
    pub end: (u32, u32),
    pub text: String,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The changed lines of hunks, in order, as places of the original; `None` if a line is not UTF-8. A byte order mark at the
/// start of the file does not count as a character, and is not in the text.
pub fn replacements(hunks: &[Hunk]) -> Option<Vec<Replacement>> {
    let mut out = Vec::new();
    for hunk in hunks {
        // A hunk without lines of the original names the line before it.
        let mut line = if hunk.old_lines == 0 {
            hunk.old_start + 1
        } else {
            hunk.old_start
        };
        let mut rest = &hunk.lines[..];
        while let Some(first) = rest.first() {
            let is_context = first.kind == LineKind::Context;
            let length = rest
                .iter()
                .take_while(|line| (line.kind == LineKind::Context) == is_context)
                .count();
            let (group, behind) = rest.split_at(length);
            if is_context {
                line += length as u32;
            } else {
                out.push(replacement(line, group)?);
                line += group
                    .iter()
                    .filter(|line| line.kind == LineKind::Removed)
                    .count() as u32;
            }
            rest = behind;
        }
    }
    Some(out)
}

/// A group of adjacent removed and added lines, the first at this line of the original.
fn replacement(line: u32, group: &[DiffLine]) -> Option<Replacement> {
    let removed: Vec<&DiffLine> = group
        .iter()
        .filter(|line| line.kind == LineKind::Removed)
        .collect();
    let mut text = String::new();
    for added in group.iter().filter(|line| line.kind == LineKind::Added) {
        text.push_str(std::str::from_utf8(&added.text).ok()?);
        text.extend(added.newline.then_some('\n'));
    }
    let has_mark = |line: &&DiffLine| {
        line.text
            .starts_with(BYTE_ORDER_MARK.to_string().as_bytes())
    };
    if line == 1 && removed.first().is_some_and(has_mark) && text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    let end = match removed.last() {
        None => (line, 1),
        Some(last) if last.newline => (line + removed.len() as u32, 1),
        Some(last) => {
            let characters = std::str::from_utf8(&last.text)
                .ok()?
                .trim_start_matches(BYTE_ORDER_MARK)
                .chars()
                .count();
            (line + removed.len() as u32 - 1, characters as u32 + 1)
        }
    };
    Some(Replacement {
        start: (line, 1),
        end,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::text_diff;
    use proptest::prelude::*;

    /// Start, end and text.
    type Found = ((u32, u32), (u32, u32), String);

    fn find_replacements(old: &str, new: &str) -> Vec<Found> {
        let all = replacements(&text_diff(old.as_bytes(), new.as_bytes(), 3)).unwrap();
        all.into_iter()
            .map(|one| (one.start, one.end, one.text))
            .collect()
    }

    /// The text with the replacements made, last one first.
    fn apply_replacements(old: &str, all: &[Replacement]) -> String {
        let lines: Vec<usize> = std::iter::once(0)
            .chain(old.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let offset = |(line, column): (u32, u32)| {
            let start = lines[line as usize - 1];
            start
                + old[start..]
                    .chars()
                    .take(column as usize - 1)
                    .map(char::len_utf8)
                    .sum::<usize>()
        };
        let mut text = old.to_owned();
        for one in all.iter().rev() {
            text.replace_range(offset(one.start)..offset(one.end), &one.text);
        }
        text
    }

    #[test]
    fn places_are_those_of_the_original() {
        assert_eq!(
            find_replacements("a\nb\nc\n", "a\nB\nc\n"),
            [((2, 1), (3, 1), "B\n".to_owned())]
        );
        assert_eq!(
            find_replacements("a\nb\n", "a\nx\nb\n"),
            [((2, 1), (2, 1), "x\n".to_owned())]
        );
        assert_eq!(
            find_replacements("a\nb\n", "b\n"),
            [((1, 1), (2, 1), String::new())]
        );
        assert_eq!(
            find_replacements("", "a\n"),
            [((1, 1), (1, 1), "a\n".to_owned())]
        );
        assert_eq!(
            find_replacements("a\nbé", "a\nbé\nc"),
            [((2, 1), (2, 3), "bé\nc".to_owned())]
        );
    }

    #[test]
    fn a_byte_order_mark_is_not_a_character() {
        assert_eq!(
            find_replacements("\u{feff}a\n", "\u{feff}b\n"),
            [((1, 1), (2, 1), "b\n".to_owned())]
        );
        assert_eq!(
            find_replacements("\u{feff}a", "\u{feff}b"),
            [((1, 1), (1, 2), "b".to_owned())]
        );
    }

    #[test]
    fn text_that_is_not_utf8_has_no_replacements() {
        assert_eq!(replacements(&text_diff(b"a\n", b"\xff\n", 3)), None);
    }

    proptest! {
        #[test]
        fn replacements_make_the_new_text(old in "([ab]\n|é\r\n){0,12}[ab]?", new in "([ab]\n|é\r\n){0,12}[ab]?") {
            let all = replacements(&text_diff(old.as_bytes(), new.as_bytes(), 1)).unwrap();
            prop_assert_eq!(apply_replacements(&old, &all), new);
        }
    }
}
