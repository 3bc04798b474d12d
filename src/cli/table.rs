//! Tables as `opm alpha list` prints them (`opm-semantics` 6.4): at least two blanks between columns, the last column
//! not padded, the header always there.

use super::output::one_line;

/// The table's text.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    // A row is one line, whatever the names in it are.
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| one_line(cell)).collect())
        .collect();
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in &rows {
        for (cell, column) in row.iter().zip(&mut widths) {
            *column = (*column).max(width(cell));
        }
    }
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(&rows) {
        for (i, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if i + 1 < row.len() {
                let gap = widths.get(i).map_or(2, |w| w - width(cell) + 2);
                text.extend(std::iter::repeat_n(' ', gap));
            }
        }
        text.push('\n');
    }
    text
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["foo".to_owned(), "a".to_owned(), "foo.v1".to_owned()]];
        assert_eq!(
            table(&["PACKAGE", "CHANNEL", "HEAD"], &rows),
            "PACKAGE  CHANNEL  HEAD\nfoo      a        foo.v1\n"
        );
    }
}
