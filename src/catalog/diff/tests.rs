//! Tests of hunks and of patches, these with the real git.

use super::*;
use super::{FilePatch, patch};
use crate::source::text_edit::{TextEdit, TextEdits};
use crate::testing::MemorySource;
use proptest::prelude::*;
use protocol::operation::EditOp;
use std::path::Path;
use std::process::{Command, Stdio};

const FILE: FileId = FileId(0);

fn render_hunks(hunks: &[Hunk]) -> String {
    let mut out = Vec::new();
    hunks.iter().for_each(|hunk| hunk.write(&mut out));
    String::from_utf8(out).unwrap()
}

#[test]
fn a_changed_line_with_its_context() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let hunks = text_diff(old.as_bytes(), old.replace('5', "five").as_bytes(), 2);
    assert_eq!(
        render_hunks(&hunks),
        "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+five\n 6\n 7\n"
    );
    assert_eq!(
        (hunks[0].lines[2].old, hunks[0].lines[2].new),
        (Some(5), None)
    );
}

#[test]
fn a_missing_final_line_break_is_marked() {
    assert_eq!(
        render_hunks(&text_diff(b"a\nb", b"a\nb\n", 1)),
        "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    );
    assert_eq!(
        render_hunks(&text_diff(b"a\n", b"", 3)),
        "@@ -1 +0,0 @@\n-a\n"
    );
    assert_eq!(
        render_hunks(&text_diff(b"", b"a\n", 3)),
        "@@ -0,0 +1 @@\n+a\n"
    );
    assert!(text_diff(b"a\n", b"a\n", 3).is_empty());
}

/// A blob is inserted before one that starts with the same lines. By lines alone, the insertion
/// could also be three lines further down, where the hunk would end without context.
#[test]
fn an_insertion_between_similar_blobs_has_context_lines() {
    let blob = |name: &str| {
        format!("---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n- name: x\n")
    };
    let text = [blob("a"), blob("b"), blob("c")].concat();
    let source = MemorySource::with_file(text.as_bytes());
    for at in [0, blob("a").len(), 2 * blob("a").len(), text.len()] {
        let mut table = PieceTable::new(text.len() as u64);
        table
            .apply(&TextEdits::new(vec![TextEdit::insert(at, blob("new"))]).unwrap())
            .unwrap();
        let hunks = file_diff(&table, FILE, LineMarks::default(), &source, CONTEXT).unwrap();
        let [hunk] = &hunks[..] else {
            panic!("{hunks:?}")
        };
        let behind = hunk
            .lines
            .iter()
            .rev()
            .take_while(|line| line.kind == LineKind::Context)
            .count();
        assert!(
            at == text.len() || behind >= CONTEXT,
            "{}",
            render_hunks(&hunks)
        );
        assert_eq!(
            hunk.new_lines,
            hunk.old_lines + 6,
            "{}",
            render_hunks(&hunks)
        );
    }
}

#[test]
fn a_large_file_is_not_read_for_one_line() {
    let text = "some line of text\n".repeat(1_000_000);
    let marks: Vec<(u64, u32)> = (0..1000).map(|i| (i * 18_000, (i * 1000) as u32)).collect();
    let source = MemorySource::with_file(text.as_bytes());
    let mut table = PieceTable::new(18_000_000);
    table
        .apply(&TextEdits::new(vec![TextEdit::replace(9_000_000..9_000_004, "any")]).unwrap())
        .unwrap();
    let hunks = file_diff(&table, FILE, LineMarks(&marks), &source, CONTEXT).unwrap();
    assert_eq!(
        (hunks.len(), hunks[0].old_start, hunks[0].lines.len()),
        (1, 499_998, 8)
    );
    assert!(
        source.bytes_read() < 200_000,
        "read {} bytes",
        source.bytes_read()
    );
}

#[test]
fn a_whole_new_text_of_many_lines_is_one_hunk() {
    let old: String = (0..40_000).map(|i| format!("old {i}\n")).collect();
    let new: String = (0..40_000).map(|i| format!("new {i}\n")).collect();
    let hunks = text_diff(old.as_bytes(), new.as_bytes(), 3);
    assert_eq!(
        (hunks.len(), hunks[0].old_lines, hunks[0].new_lines),
        (1, 40_000, 40_000)
    );
}

/// Applies a `replace-text` operation as its contract describes.
fn replace_text(text: &str, op: &EditOp) -> String {
    let EditOp::ReplaceText {
        at,
        before,
        text: new,
        ..
    } = op
    else {
        panic!("no replace-text")
    };
    let (from, to) = at.split_once('-').unwrap();
    let offset = |place: &str| {
        let (line, column) = place.split_once(':').unwrap();
        let (line, column): (usize, usize) = (line.parse().unwrap(), column.parse().unwrap());
        let start: usize = text
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        start
            + text[start..]
                .chars()
                .take(column - 1)
                .map(char::len_utf8)
                .sum::<usize>()
    };
    assert_eq!(&text[offset(from)..offset(to)], before, "{at} of {text:?}");
    format!("{}{new}{}", &text[..offset(from)], &text[offset(to)..])
}

fn apply_hunks(old: &[u8], hunks: &[Hunk]) -> Vec<u8> {
    let mut lines = old.split_inclusive(|&byte| byte == b'\n');
    let (mut out, mut at) = (Vec::new(), 1);
    for hunk in hunks {
        let start = hunk.old_start + u32::from(hunk.old_lines == 0);
        lines
            .by_ref()
            .take((start - at) as usize)
            .for_each(|line| out.extend_from_slice(line));
        at = start + hunk.old_lines;
        let mut new_at = hunk.new_start + u32::from(hunk.new_lines == 0);
        for line in &hunk.lines {
            if line.kind != LineKind::Added {
                let old_line = lines.next().unwrap();
                assert_eq!(old_line.strip_suffix(b"\n").unwrap_or(old_line), line.text);
            }
            if line.kind != LineKind::Removed {
                assert_eq!(line.new, Some(new_at));
                new_at += 1;
                out.extend_from_slice(&line.text);
                out.extend(line.newline.then_some(b'\n'));
            }
        }
    }
    lines.for_each(|line| out.extend_from_slice(line));
    out
}

proptest! {
    #[test]
    fn hunks_convert_old_to_new_and_back(
        original in "([abä]{0,3}\r?\n){0,30}[ab]{0,2}",
        list in proptest::collection::vec((0usize..120, 0usize..12, "([abc]{0,2}\n?){0,3}"), 0..5),
        context in 0usize..4,
    ) {
        let cut = |at: usize| {
            let mut at = at.min(original.len());
            while !original.is_char_boundary(at) { at -= 1 }
            at
        };
        let list = list.iter().map(|(at, len, new)| TextEdit::replace(cut(*at)..cut(at + len), new.as_str()));
        if let Ok(edits) = TextEdits::new(list.collect()) {
            let source = MemorySource::with_file(original.as_bytes());
            let mut table = PieceTable::new(original.len() as u64);
            table.apply(&edits).unwrap();
            let new = edits.apply(original.as_bytes());
            let hunks = file_diff(&table, FILE, LineMarks::default(), &source, context).unwrap();
            prop_assert_eq!(apply_hunks(original.as_bytes(), &hunks), new.clone());
            let mut back = String::from_utf8(new).unwrap();
            for hunk in hunks.iter().rev() {
                back = replace_text(&back, &hunk.revert(None, "f").unwrap());
            }
            prop_assert_eq!(back, original);
        }
    }
}

fn git_apply(folder: &Path, patch: &[u8]) -> Option<Result<(), String>> {
    use std::io::Write;
    let mut child = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "-"])
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().unwrap().write_all(patch).unwrap();
    let output = child.wait_with_output().unwrap();
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}

#[test]
fn git_applies_the_patch() {
    /// Path, before (`None`: a new file), after.
    type Case = (&'static str, Option<&'static [u8]>, &'static [u8]);
    let cases: &[Case] = &[
        ("plain.yaml", Some(b"a: 1\nb: 2\n"), b"a: 1\nb: 3\n"),
        ("sub dir/with blanks.yaml", Some(b"a: 1\n"), b"a: 2\n"),
        ("sub dir/new file.yaml", None, b"x: y\n"),
        (
            "\u{fc}n\u{ef}/c\u{f6}de \"q\" \\ \t.json",
            Some(b"{}\n"),
            b"{\"a\": 1}\n",
        ),
        ("\u{fc}n\u{ef}/new \u{1f600}.json", None, b"{}"),
        ("emptied.yaml", Some(b"a: 1\nb: 2"), b""),
        ("born-empty.yaml", None, b""),
        (
            "crlf.yaml",
            Some(b"a: 1\r\nb: 2\r\nc: 3\r\n"),
            b"a: 1\r\nb: 22\r\nc: 3\r\n",
        ),
        (
            "mixed.yaml",
            Some(b"a: 1\r\nb: 2\nc: 3"),
            b"a: 1\r\nb: 2\r\nc: 3",
        ),
        (
            "bom.yaml",
            Some(b"\xef\xbb\xbfa: 1\n"),
            b"\xef\xbb\xbfa: 2\n",
        ),
        ("gains-newline.yaml", Some(b"a: 1"), b"a: 1\n"),
        ("loses-newline.yaml", Some(b"a: 1\n"), b"a: 1"),
        ("appended.yaml", Some(b"a: 1"), b"a: 1\n---\nb: 2"),
        (
            "no-utf8.yaml",
            Some(b"a: \xff\xfe\nb: 1\n"),
            b"a: \xff\xfd\nb: 1\n",
        ),
        ("filled.yaml", Some(b""), b"a: 1\n"),
        ("same.yaml", Some(b"a: 1\n"), b"a: 1\n"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut hunks = Vec::new();
    for (path, before, after) in cases {
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        before.inspect(|before| std::fs::write(&file, before).unwrap());
        hunks.push(text_diff(before.unwrap_or_default(), after, CONTEXT));
    }
    let entries = cases.iter().zip(&hunks);
    let files: Vec<_> = entries
        .map(|((path, before, _), hunks)| FilePatch {
            path: path.as_bytes(),
            is_new: before.is_none(),
            hunks,
        })
        .collect();
    match git_apply(folder.path(), &patch(&files)) {
        None => {
            return println!("skipped in part: git is not installed, no patch was applied by it");
        }
        Some(result) => assert_eq!(result, Ok(())),
    }
    for (path, _, after) in cases {
        assert_eq!(
            std::fs::read(folder.path().join(path)).unwrap(),
            *after,
            "{path}"
        );
    }
}
