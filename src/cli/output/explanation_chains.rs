//! Draws the chains of an explanation as text: side by side if they fit, else one below the other.

use crate::output::{Paint, is_terminal_control};
use protocol::diagnostic::{Chain, ChainLink, ChainMark};

/// Width in columns of chains side by side.
const WIDTH: usize = 96;
/// Columns between two chains.
const GAP: usize = 4;

/// A piece of a line: its text, and its width without colors.
struct Cell {
    shown: String,
    width: usize,
}

/// The chains as lines with line breaks, without an indent.
pub(crate) fn draw(chains: &[Chain], paint: Paint) -> Vec<String> {
    let columns: Vec<Vec<Cell>> = chains.iter().map(|chain| cells(chain, paint)).collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|cell| cell.width).max().unwrap_or(0))
        .collect();
    let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    if total > WIDTH {
        let one_by_one = columns.into_iter().enumerate().flat_map(|(i, column)| {
            let between = (i > 0).then(String::new);
            between
                .into_iter()
                .chain(column.into_iter().map(|cell| cell.shown))
        });
        return one_by_one.collect();
    }
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let line = |row: usize| {
        let mut line = String::new();
        let mut missing = 0;
        for (column, width) in columns.iter().zip(&widths) {
            let cell = column.get(row);
            if let Some(cell) = cell {
                line.push_str(&" ".repeat(missing));
                line.push_str(&cell.shown);
                missing = 0;
            }
            missing += width - cell.map_or(0, |cell| cell.width) + GAP;
        }
        line
    };
    (0..height).map(line).collect()
}

fn cells(chain: &Chain, paint: Paint) -> Vec<Cell> {
    let mut cells = vec![cell(&visible(&chain.title), |text| paint.dim(text))];
    let last = chain.links.len().saturating_sub(1);
    for (i, link) in chain.links.iter().enumerate() {
        match link {
            ChainLink::Folded(count) => {
                cells.push(cell(&format!("┊ {count} more"), |text| paint.dim(text)))
            }
            ChainLink::Entry(entry) => {
                let mut text = visible(&entry.name);
                // Most names contain the version already.
                if !entry.version.is_empty() && !entry.name.contains(&entry.version) {
                    text.push_str(&format!(" {}", visible(&entry.version)));
                }
                let marks: Vec<&str> = entry.marks.iter().map(|mark| mark.label()).collect();
                if !marks.is_empty() {
                    text.push_str(&format!("  ({})", marks.join(", ")));
                }
                cells.push(cell(&text, |text| {
                    match entry.marks.iter().any(|mark| stands_out(*mark)) {
                        true => paint.warning(text),
                        false => text.to_owned(),
                    }
                }));
                if !entry.edge.is_empty() && i < last {
                    cells.push(cell(&format!("│ {}", entry.edge), |text| paint.dim(text)));
                }
            }
        }
    }
    cells
}

fn stands_out(mark: ChainMark) -> bool {
    !matches!(
        mark,
        ChainMark::Skipped | ChainMark::Default | ChainMark::Meets
    )
}

fn cell(text: &str, paint: impl Fn(&str) -> String) -> Cell {
    Cell {
        shown: paint(text),
        width: text.chars().count(),
    }
}

/// Replaces control characters: catalog text must not control the terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_terminal_control(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}
