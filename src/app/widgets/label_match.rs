//! Rates how well a label matches a typed text, and marks the matched parts.

/// A byte range of a label, at character boundaries.
pub type Mark = (usize, usize);

/// How a label matches the typed text, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchQuality {
    Exact,
    Prefix,
    WordPrefix,
    /// All typed words occur, in any order.
    Words,
    Substring,
    /// The typed letters begin the words of the label.
    Initials,
}

/// Rates how a label matches the typed text, and returns the matched parts; `None` if it does not
/// match. ASCII letters match case-insensitively.
pub fn match_label(label: &str, typed: &str) -> Option<(MatchQuality, Vec<Mark>)> {
    let lower = label.to_ascii_lowercase();
    let typed = typed.trim().to_ascii_lowercase();
    if let Some(start) = lower.find(&typed) {
        let quality = if typed.is_empty() || lower.len() == typed.len() {
            MatchQuality::Exact
        } else if start == 0 {
            MatchQuality::Prefix
        } else if starts_word(&lower, start) {
            MatchQuality::WordPrefix
        } else {
            MatchQuality::Substring
        };
        return Some((quality, join_marks(vec![(start, start + typed.len())])));
    }
    let find_word = |word: &str| lower.find(word).map(|start| (start, start + word.len()));
    if let Some(marks) = typed.split_whitespace().map(find_word).collect() {
        return Some((MatchQuality::Words, join_marks(marks)));
    }
    let marks = match_initials(&lower, &typed)?;
    Some((MatchQuality::Initials, marks))
}

/// Returns the initials of words that the typed letters match; `None` if a letter does not match.
fn match_initials(label: &str, typed: &str) -> Option<Vec<Mark>> {
    let mut initials = label
        .char_indices()
        .filter(|(offset, letter)| letter.is_alphanumeric() && starts_word(label, *offset));
    typed
        .chars()
        .map(|letter| {
            let (offset, initial) = initials.next()?;
            (letter == initial).then_some((offset, offset + initial.len_utf8()))
        })
        .collect()
}

fn starts_word(text: &str, offset: usize) -> bool {
    text.get(..offset)
        .and_then(|before| before.chars().next_back())
        .is_none_or(|before| !before.is_alphanumeric())
}

/// Sorts marks, removes empty ones, and joins adjacent ones.
fn join_marks(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.retain(|(from, to)| from < to);
    marks.sort_unstable();
    let mut joined: Vec<Mark> = Vec::new();
    for (from, to) in marks {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Splits a text into marked and unmarked parts, in order.
pub fn split_at_marks(text: &str, marks: &[Mark]) -> Vec<(String, bool)> {
    let mut parts = Vec::new();
    let mut end = 0;
    let cut = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
    for &(from, to) in marks {
        parts.push((cut(end, from), false));
        parts.push((cut(from, to), true));
        end = to;
    }
    parts.push((cut(end, text.len()), false));
    parts.retain(|(text, _)| !text.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    fn marked(label: &str, typed: &str) -> Option<String> {
        let (_, marks) = match_label(label, typed)?;
        let part =
            |(text, is_marked): (String, bool)| if is_marked { format!("[{text}]") } else { text };
        Some(
            split_at_marks(label, &marks)
                .into_iter()
                .map(part)
                .collect(),
        )
    }

    #[test]
    fn marks_the_matched_text() {
        assert_eq!(
            marked("Set default channel…", "default").as_deref(),
            Some("Set [default] channel…")
        );
        assert_eq!(
            marked("Set default channel…", "chan set").as_deref(),
            Some("[Set] default [chan]nel…")
        );
        assert_eq!(
            marked("Set default channel…", "sdc").as_deref(),
            Some("[S]et [d]efault [c]hannel…")
        );
        assert_eq!(
            marked("Set default channel…", "").as_deref(),
            Some("Set default channel…")
        );
        assert_eq!(marked("Set default channel…", "sdcx"), None);
        assert_eq!(marked("grün", "ü").as_deref(), Some("gr[ü]n"));
    }

    #[test]
    fn longer_matches_rank_higher_for_labels() {
        let quality =
            |label: &str, typed: &str| match_label(label, typed).map(|(quality, _)| quality);
        let qualities = ["undo", "un", "it", "x", "ov r"].map(|typed| quality("Undo", typed));
        assert_eq!(
            qualities,
            [
                Some(MatchQuality::Exact),
                Some(MatchQuality::Prefix),
                None,
                None,
                None
            ]
        );
        assert!(quality("Add skip…", "skip") < quality("Add skip…", "kip"));
        assert!(quality("Add skip…", "skip add") < quality("Add skip…", "as"));
    }

    #[test]
    fn parts_between_character_boundaries_are_ignored() {
        assert_eq!(split_at_marks("ü", &[(0, 1), (1, 2)]), []);
        assert_eq!(
            join_marks(vec![(4, 6), (0, 2), (2, 3), (5, 9), (7, 7)]),
            [(0, 3), (4, 9)]
        );
    }
}
