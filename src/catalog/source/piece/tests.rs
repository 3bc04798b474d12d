//! Tests of piece tables: edits, undo, lines, and the law that a table is the edited text.

use super::*;
use crate::source::text_edit::TextEdit;
use crate::testing::MemorySource;
use proptest::prelude::*;
use std::cell::Cell;

const FILE: FileId = FileId(0);

fn edits(list: &[(Range<usize>, &str)]) -> TextEdits {
    TextEdits::new(
        list.iter()
            .map(|(range, text)| TextEdit::replace(range.clone(), *text))
            .collect(),
    )
    .unwrap()
}

#[test]
fn edits_are_visible_undone_and_redone() {
    let source = MemorySource::with_file(b"one two three");
    let mut table = PieceTable::new(13);
    let first = table.apply(&edits(&[(0..3, "1"), (13..13, "!")])).unwrap();
    assert_eq!(table.text(FILE, &source).unwrap(), b"1 two three!");
    assert_eq!(
        table.regions(),
        [
            Region {
                original: 0..3,
                current: 0..1
            },
            Region {
                original: 13..13,
                current: 11..12
            }
        ]
    );
    let second = table.apply(&edits(&[(0..6, "")])).unwrap();
    assert_eq!(table.text(FILE, &source).unwrap(), b"three!");
    let redo = table.undo(second);
    let pristine = table.undo(first);
    assert!(table.is_original());
    assert_eq!(table, PieceTable::new(13));
    table.undo(pristine);
    table.undo(redo);
    assert_eq!(table.text(FILE, &source).unwrap(), b"three!");
}

/// A source that computes each byte from its offset and records the longest read.
struct Numbered(Cell<usize>);

impl ByteSource for Numbered {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read: Vec<Vec<u8>> = spans
            .iter()
            .map(|(_, span)| span.clone().map(|at| at as u8).collect())
            .collect();
        self.0
            .set(self.0.get().max(read.iter().map(Vec::len).sum()));
        Ok(read)
    }
}

#[test]
fn a_large_file_is_never_in_memory_twice() {
    let len = 2 * MAX_BATCH_BYTES + 3;
    let mut table = PieceTable::new(len);
    table.apply(&edits(&[(7..9, "more")])).unwrap();
    let source = Numbered(Cell::new(0));
    let text = table.text(FILE, &source).unwrap();
    assert_eq!(source.0.get() as u64, MAX_BATCH_BYTES);
    let expected = (0..7)
        .map(|at| at as u8)
        .chain(*b"more")
        .chain((9..len).map(|at| at as u8));
    assert!(text.iter().copied().eq(expected));
}

#[test]
fn an_edit_beyond_the_end_is_refused_unchanged() {
    let mut table = PieceTable::new(3);
    assert_eq!(
        table.apply(&edits(&[(0..1, "x"), (2..4, "y")])),
        Err(PieceError::OutOfRange { at: 4, len: 3 })
    );
    assert!(table.is_original());
}

#[test]
fn a_short_answer_is_an_error() {
    struct Short;
    impl ByteSource for Short {
        fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
            Ok(vec![vec![b'x']; spans.len()])
        }
    }
    assert!(matches!(
        PieceTable::new(4).text(FILE, &Short),
        Err(ReadError::Failed { .. })
    ));
}

#[test]
fn lines_are_found_from_marks_without_reading_the_file() {
    let text = "line\n".repeat(10_000);
    let source = MemorySource::with_file(text.as_bytes());
    let marks: Vec<(u64, u32)> = (0..100).map(|i| (i * 500, (i * 100) as u32)).collect();
    let mut table = PieceTable::new(50_000);
    table
        .apply(&edits(&[(5..5, "new\nlines\n"), (40_002..40_007, "")]))
        .unwrap();
    source.reset_counts();
    assert_eq!(
        table
            .line_column(FILE, 45_013, LineMarks(&marks), &source)
            .unwrap(),
        (9002, 3)
    );
    assert!(
        source.bytes_read() < 2_600,
        "read {} bytes",
        source.bytes_read()
    );
    assert_eq!(
        table
            .line_column(FILE, 45_013, LineMarks::default(), &source)
            .unwrap(),
        (9002, 3)
    );
    assert_eq!(table.line_end(FILE, 6, &source).unwrap(), 9);
}

proptest! {
    #[test]
    fn a_table_is_the_edited_text(
        original in proptest::collection::vec(any::<u8>(), 0..60),
        rounds in proptest::collection::vec(proptest::collection::vec((0usize..80, 0usize..20, ".{0,6}"), 0..4), 1..6),
    ) {
        let source = MemorySource::with_file(&original);
        let mut table = PieceTable::new(original.len() as u64);
        let (mut text, mut undo) = (original.clone(), Vec::new());
        for round in rounds {
            let cut = |at: usize| at.min(text.len());
            let list = round.iter().map(|(at, len, new)| TextEdit::replace(cut(*at)..cut(at + len), new.as_str()));
            let Ok(edits) = TextEdits::new(list.collect()) else { continue };
            let before = text.clone();
            text = edits.apply(&text);
            undo.push((before, table.apply(&edits).unwrap()));
            prop_assert_eq!(&table.text(FILE, &source).unwrap(), &text);
            prop_assert_eq!(table.len(), text.len() as u64);
            // The bytes between the regions are equal in both.
            let (mut old, mut new) = (0, 0);
            let end = Region { original: original.len() as u64..0, current: text.len() as u64..0 };
            for region in table.regions().iter().chain([&end]) {
                let same = original[old..region.original.start as usize] == text[new..region.current.start as usize];
                prop_assert!(same);
                (old, new) = (region.original.end as usize, region.current.end as usize);
            }
            for offset in 0..=text.len() {
                let lines = text[..offset].iter().filter(|&&b| b == b'\n').count() as u32;
                let found = table.lines_in(FILE, 0..offset as u64, LineMarks::default(), &source).unwrap();
                prop_assert_eq!(found, lines);
            }
        }
        while let Some((before, step)) = undo.pop() {
            table.undo(step);
            prop_assert_eq!(table.text(FILE, &source).unwrap(), before);
        }
        prop_assert!(table.is_original());
    }
}

/// A source that computes the bytes of any range, without having them all.
struct Endless;

impl ByteSource for Endless {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let line = |at: u64| if at % 100 == 99 { b'\n' } else { b'x' };
        Ok(spans
            .iter()
            .map(|(_, span)| span.clone().map(line).collect())
            .collect())
    }
}

/// Positions beyond 4 GiB do not wrap: possible operations work, the others are refused.
#[test]
fn a_file_of_more_than_four_gibibytes() {
    let (file, len) = (FileId(0), 5 << 30);
    let table = PieceTable::new(len);
    let at = (4 << 30) + 50;
    assert_eq!(table.read(file, at..at + 3, &Endless).unwrap(), b"xxx");
    assert_eq!(table.line_start(file, at, &Endless).unwrap() % 100, 0);
    assert_eq!(table.line_end(file, at, &Endless).unwrap() % 100, 0);
    let marks = [(0, 0), (at / 100 * 100, (at / 100) as u32)];
    let place = table
        .line_column(file, at, LineMarks(&marks), &Endless)
        .unwrap();
    assert_eq!(place, ((at / 100) as u32, (at % 100) as u32));
    let whole = table.text(file, &Endless).unwrap_err().to_string();
    assert!(
        whole.contains("5368709120 bytes") && whole.contains("4294967295"),
        "{whole}"
    );
    let unmarked = table
        .lines_in(file, 0..len, LineMarks::default(), &Endless)
        .unwrap_err()
        .to_string();
    assert!(unmarked.contains("4294967295"), "{unmarked}");
    let mut almost = PieceTable::new(syntax::place::MAX_FILE_BYTES);
    let grown = almost.apply(&edits(&[(7..7, "y")])).unwrap_err();
    assert_eq!(grown, PieceError::TooLong { len: 1 << 32 });
    assert!(almost.apply(&edits(&[(7..8, "y")])).is_ok());
}

#[test]
fn two_consecutive_tables_can_be_combined() {
    let edit = |range: std::ops::Range<usize>, text: &str| {
        TextEdits::new(vec![TextEdit::replace(range, text)]).unwrap()
    };
    let (first, second) = (edit(2..4, "XYZ"), edit(1..4, "-"));
    let mut table = PieceTable::new(8);
    table.apply(&first).unwrap();
    let mut later = PieceTable::new(table.len());
    later.apply(&second).unwrap();
    let joined = table.then(&later);
    table.apply(&second).unwrap();
    assert_eq!(joined, table);
}
