//! Finds changed files with the same changes, as from one edit in several catalogs.

use protocol::views::{DiffKind, FileDiff};

/// For each file the first one with the same changed lines, if it is another one; ignores
/// positions.
pub(super) fn first_alike(files: &[FileDiff]) -> Vec<Option<usize>> {
    let firsts = files.iter().enumerate().map(|(at, file)| {
        let is_it = |other: &&FileDiff| !file.hunks.is_empty() && lines(other) == lines(file);
        files.iter().take(at).position(|other| is_it(&other))
    });
    firsts.collect()
}

fn lines(file: &FileDiff) -> Vec<(DiffKind, &str)> {
    let all = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    all.map(|line| (line.kind, line.text.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::{DiffHunk, DiffLine};

    #[test]
    fn the_same_lines_elsewhere_are_alike() {
        let file = |text: &str, at| {
            let line = DiffLine {
                kind: DiffKind::Added,
                old: 0,
                new: at,
                text: text.into(),
            };
            FileDiff {
                hunks: vec![DiffHunk {
                    lines: vec![line],
                    ..DiffHunk::default()
                }],
                ..FileDiff::default()
            }
        };
        let files = [
            file("a", 1),
            file("b", 1),
            file("a", 9),
            FileDiff::default(),
            FileDiff::default(),
        ];
        assert_eq!(
            first_alike(&files),
            [None, None, Some(0), None, None],
            "what has no lines is like nothing"
        );
    }
}
