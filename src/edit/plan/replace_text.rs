//! `replace-text`: free text, typed or from a reverted hunk, without further meaning.

use super::{CatalogView, LineColumns, PlanResult, PlanStep, Refused};

pub(super) fn plan(
    view: &CatalogView<'_>,
    path: &str,
    range: &str,
    before: &str,
    text: &str,
) -> PlanResult {
    let range = parse_range(range)?;
    match view.catalog.file_at(path) {
        Some(_) if before == text => Ok(Vec::new()),
        Some(file) => Ok(vec![PlanStep::ReplaceText {
            file: file.id,
            from: range.start,
            to: range.end,
            before: before.to_owned(),
            text: text.to_owned(),
        }]),
        None if !before.is_empty() => {
            Err(refused!("no file `{path}` in this catalog").help("check the path"))
        }
        None if !is_relative_path(path) => Err(refused!(
            "`{path}` is not a path inside the catalog's folder"
        )
        .help("use names joined by `/`")),
        None => Ok(vec![PlanStep::CreateText {
            path: path.to_owned(),
            text: text.to_owned(),
        }]),
    }
}

/// Parses `LINE:COLUMN-LINE:COLUMN`, counted from 1, to a range counted from 0.
pub fn parse_range(range: &str) -> Result<LineColumns, Refused> {
    parse_text_range(range).ok_or_else(|| {
        refused!("`{range}` is not a text range").help("write LINE:COLUMN-LINE:COLUMN, both from 1")
    })
}

fn parse_text_range(range: &str) -> Option<LineColumns> {
    let (start, end) = range.split_once('-')?;
    let (start, end) = (parse_position(start)?, parse_position(end)?);
    (start <= end).then_some(start..end)
}

fn parse_position(text: &str) -> Option<(u32, u32)> {
    let (line, column) = text.split_once(':')?;
    let [line, column] = [line, column].map(|n| n.trim().parse::<u32>().ok()?.checked_sub(1));
    line.zip(column)
}

/// Whether the path is below the folder: it has no empty part, `.`, `..` or backslash.
pub(super) fn is_relative_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && path.split('/').all(|p| !matches!(p, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_from_one() {
        assert_eq!(parse_text_range("1:1-2:10"), Some((0, 0)..(1, 9)));
        assert_eq!(parse_text_range("2:1-1:1"), None);
        assert_eq!(parse_text_range("0:1-1:1"), None);
        assert_eq!(parse_text_range("x"), None);
    }

    #[test]
    fn a_path_cannot_leave_the_folder() {
        assert!(is_relative_path("a/b.yaml"));
        for path in ["", "/a", "../a", "a/../b", "a//b", "a\\b", "./a"] {
            assert!(!is_relative_path(path), "{path}");
        }
    }
}
