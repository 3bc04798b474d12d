//! Changes of a text: replaced ranges. Knows no YAML.

use std::ops::Range;
use syntax::order::SortSmall;

/// Replaces the bytes of `range` by `insert`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range<usize>,
    pub insert: Vec<u8>,
}

impl TextEdit {
    pub fn replace(range: Range<usize>, insert: impl Into<Vec<u8>>) -> Self {
        Self {
            range,
            insert: insert.into(),
        }
    }

    pub fn insert(at: usize, insert: impl Into<Vec<u8>>) -> Self {
        Self {
            range: at..at,
            insert: insert.into(),
        }
    }

    pub fn delete(range: Range<usize>) -> Self {
        Self {
            range,
            insert: Vec::new(),
        }
    }
}

/// Edits of one text, sorted by start and disjoint. Insertions at one position keep their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextEdits(Vec<TextEdit>);

/// Two edits change the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two changes overlap at byte {at}")]
pub struct Overlap {
    pub at: usize,
}

impl TextEdits {
    pub fn new(mut edits: Vec<TextEdit>) -> Result<Self, Overlap> {
        edits.sort_small_by_key(|e| (e.range.start, e.range.end));
        let mut pairs = edits.iter().zip(edits.iter().skip(1));
        match pairs.find(|(first, second)| second.range.start < first.range.end) {
            Some((_, second)) => Err(Overlap {
                at: second.range.start,
            }),
            None => Ok(Self(edits)),
        }
    }

    /// Like [`TextEdits::new`], but deletions may overlap.
    pub fn join(mut edits: Vec<TextEdit>) -> Result<Self, Overlap> {
        edits.sort_small_by_key(|e| (e.range.start, e.range.end));
        let mut joined: Vec<TextEdit> = Vec::with_capacity(edits.len());
        for edit in edits {
            match joined.last_mut() {
                Some(last)
                    if last.insert.is_empty()
                        && edit.insert.is_empty()
                        && edit.range.start < last.range.end =>
                {
                    last.range.end = last.range.end.max(edit.range.end);
                }
                _ => joined.push(edit),
            }
        }
        Self::new(joined)
    }

    pub fn as_slice(&self) -> &[TextEdit] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text after the edits. Ranges beyond the end are cut to it.
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut out =
            Vec::with_capacity(text.len() + self.0.iter().map(|e| e.insert.len()).sum::<usize>());
        let mut at = 0;
        for edit in &self.0 {
            out.extend_from_slice(&text[at.min(text.len())..edit.range.start.min(text.len())]);
            out.extend_from_slice(&edit.insert);
            at = edit.range.end;
        }
        out.extend_from_slice(&text[at.min(text.len())..]);
        out
    }

    /// Returns the edits that restore `text` after these edits.
    pub fn inverse(&self, text: &[u8]) -> Self {
        let mut shift = 0isize;
        let mut out = Vec::with_capacity(self.0.len());
        for edit in &self.0 {
            let start = (edit.range.start as isize + shift) as usize;
            out.push(TextEdit::replace(
                start..start + edit.insert.len(),
                &text[edit.range.clone()],
            ));
            shift += edit.insert.len() as isize - edit.range.len() as isize;
        }
        Self(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_gives_the_original_back() {
        let text = b"hello, world";
        let edits = TextEdits::new(vec![
            TextEdit::replace(0..5, "bye"),
            TextEdit::insert(12, "!"),
            TextEdit::delete(5..6),
        ])
        .unwrap();
        let after = edits.apply(text);
        assert_eq!(after, b"bye world!");
        assert_eq!(edits.inverse(text).apply(&after), text);
        let overlapping = vec![TextEdit::delete(0..3), TextEdit::delete(2..4)];
        assert!(TextEdits::new(overlapping.clone()).is_err());
        assert_eq!(
            TextEdits::join(overlapping).unwrap().apply(text),
            b"o, world"
        );
        assert!(TextEdits::join(vec![TextEdit::delete(0..3), TextEdit::insert(2, "x")]).is_err());
    }
}
