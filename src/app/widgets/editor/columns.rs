//! Converts between characters and cells of a monospaced font, to draw beside a text control: the
//! caret's place, and the text under the pointer.

/// Tab stops, in cells; the style sheet has the same number.
pub const TAB: u32 = 4;

/// Cells before a column (from 1) of a line.
pub fn cells(text: &str, column: u32) -> u32 {
    text.chars()
        .take(column.saturating_sub(1) as usize)
        .fold(0, |at, letter| at + width(letter, at))
}

/// The column (from 1) of the character at a cell; after the last one for a cell beyond the line.
pub fn column_at(text: &str, cell: f64) -> u32 {
    let (mut at, mut column) = (0, 1);
    for letter in text.chars() {
        at += width(letter, at);
        if f64::from(at) > cell {
            break;
        }
        column += 1;
    }
    column
}

/// An upper bound of a line's cells.
pub fn line_cells(text: &str) -> u32 {
    text.chars().fold(0, |at, letter| at + width(letter, at))
}

fn width(letter: char, at: u32) -> u32 {
    match letter {
        '\t' => TAB - at % TAB,
        // Combining marks and joiners have no width.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        // East Asian wide characters and emoji.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_go_to_their_stop_and_wide_letters_take_two() {
        assert_eq!([1, 2, 3].map(|column| cells("a\tb", column)), [0, 1, 4]);
        assert_eq!(line_cells("a\tb漢e\u{301}"), 8);
        assert_eq!(cells("ab", 99), 2);
    }

    #[test]
    fn the_letter_under_the_pointer_is_found() {
        assert_eq!(
            [0.0, 0.9, 1.0, 3.9, 4.0, 99.0].map(|cell| column_at("a\tb", cell)),
            [1, 1, 2, 2, 3, 4]
        );
        assert_eq!(column_at("", 5.0), 1);
    }
}
