//! The lines in the control as one text, and typed changes, found by comparing. Line breaks and
//! hidden parts of lines are kept. Also converts between characters and cells of a monospaced font,
//! to draw beside a text control. Does not know the page.

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// At the end of the text.
    #[default]
    None,
    Lf,
    CrLf,
}

impl End {
    fn text(self) -> &'static str {
        match self {
            End::None => "",
            End::Lf => "\n",
            End::CrLf => "\r\n",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextLine {
    pub text: String,
    pub end: End,
    /// The hidden part at the end of the line; "" if the whole line is shown. Otherwise the line
    /// cannot be edited.
    pub rest: String,
}

impl TextLine {
    pub fn new(text: impl Into<String>, end: End) -> Self {
        Self {
            text: text.into(),
            end,
            rest: String::new(),
        }
    }

    /// Whether the line cannot be edited: a part of it is hidden, or it contains a lone carriage
    /// return, which a text control treats as a line break.
    fn is_locked(&self) -> bool {
        !self.rest.is_empty() || self.text.contains('\r')
    }

    /// Returns the text in the control.
    pub fn visible_text(&self) -> String {
        let text = self.text.replace('\r', "\u{240d}");
        if self.rest.is_empty() {
            text
        } else {
            text + &self.rest
        }
    }
}

/// A position in the whole text: line and column from 1, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct TextPosition {
    pub line: u32,
    pub column: u32,
}

impl TextPosition {
    pub fn new(line: u32, column: u32) -> Self {
        Self { line, column }
    }
}

/// A replaced text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    pub from: TextPosition,
    pub to: TextPosition,
    pub before: String,
    pub text: String,
    /// The text around the change: the unchanged parts of its lines, and [`AROUND`] more lines.
    pub above: String,
    pub below: String,
}

impl Change {
    pub fn end(&self) -> TextPosition {
        let breaks = self.text.matches('\n').count() as u32;
        let last = self
            .text
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count() as u32;
        let column = if breaks == 0 {
            self.from.column + last
        } else {
            last + 1
        };
        TextPosition::new(self.from.line + breaks, column)
    }

    /// Returns the number of lines that the following text moves by.
    pub fn shift(&self) -> i64 {
        self.text.matches('\n').count() as i64 - self.before.matches('\n').count() as i64
    }
}

/// A refused change: it touches a line that is not shown completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locked {
    pub line: u32,
}

/// Consecutive lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// Number of the first line, from 1.
    pub first: u32,
    pub lines: Vec<TextLine>,
    /// A byte order mark before the first line: it counts as a column and is not shown.
    pub has_mark: bool,
}

impl Lines {
    pub fn value(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(TextLine::visible_text).collect();
        lines.join("\n")
    }

    pub fn last(&self) -> u32 {
        (self.first + self.lines.len() as u32).saturating_sub(1)
    }

    pub fn holds(&self, line: u32) -> bool {
        !self.lines.is_empty() && (self.first..=self.last()).contains(&line)
    }

    pub fn line(&self, number: u32) -> Option<&TextLine> {
        self.lines.get(number.checked_sub(self.first)? as usize)
    }

    /// Returns the lines `from..=to`, as far as they are contained.
    pub fn part(&self, from: u32, to: u32) -> Self {
        let start = (from.max(self.first) - self.first) as usize;
        let end = ((to + 1).max(self.first) - self.first) as usize;
        let lines = self
            .lines
            .get(start.min(self.lines.len())..end.min(self.lines.len()))
            .unwrap_or_default()
            .to_vec();
        Self {
            first: self.first + start as u32,
            lines,
            has_mark: self.has_mark && start == 0,
        }
    }

    pub fn into_texts(self) -> Vec<String> {
        self.lines.into_iter().map(|line| line.text).collect()
    }

    /// Converts an offset in the control's value, in UTF-16 units, to a position.
    pub fn place(&self, units: u32) -> TextPosition {
        let mut left = units as usize;
        for (number, line) in (self.first..).zip(&self.lines) {
            let text = line.visible_text();
            let length = text.encode_utf16().count();
            if left <= length || number == self.last() {
                let mut column = 1;
                for letter in text.chars() {
                    if left < letter.len_utf16() {
                        break;
                    }
                    left -= letter.len_utf16();
                    column += 1;
                }
                return TextPosition::new(number, column);
            }
            left -= length + 1;
        }
        TextPosition::new(self.first, 1)
    }

    /// Converts a position to an offset in the control's value, in UTF-16 units; clamped to these
    /// lines.
    pub fn units(&self, place: TextPosition) -> u32 {
        let mut units = 0;
        for (number, line) in (self.first..).zip(&self.lines) {
            let text = line.visible_text();
            if number >= place.line {
                let letters = if number > place.line {
                    0
                } else {
                    place.column.saturating_sub(1) as usize
                };
                return units
                    + text
                        .chars()
                        .take(letters)
                        .map(|letter| letter.len_utf16() as u32)
                        .sum::<u32>();
            }
            units += text.encode_utf16().count() as u32 + u32::from(number != self.last());
        }
        units
    }

    /// Converts a position in the file to one in the control, which lacks the byte order mark.
    pub fn without_mark(&self, place: TextPosition) -> TextPosition {
        let is_behind = self.has_mark && place.line == self.first && place.column > 1;
        TextPosition::new(place.line, place.column - u32::from(is_behind))
    }

    /// Applies a change if its old text is at its position; otherwise returns `false`.
    pub fn redo(&mut self, change: &Change, breaks: End) -> bool {
        if !self.holds(change.from.line) || !self.holds(change.to.line) {
            return false;
        }
        let value: Vec<u16> = self.value().encode_utf16().collect();
        let (from, to) = (
            self.units(self.without_mark(change.from)) as usize,
            self.units(self.without_mark(change.to)) as usize,
        );
        let to_units = |text: &str| {
            text.replace("\r\n", "\n")
                .encode_utf16()
                .collect::<Vec<u16>>()
        };
        if value.get(from..to) != Some(to_units(&change.before).as_slice()) {
            return false;
        }
        let new = [&value[..from], &to_units(&change.text), &value[to..]].concat();
        self.take(&String::from_utf16_lossy(&new), breaks).is_ok()
    }

    /// Returns the change that leads to `value` in the control; new lines end with `breaks`.
    pub fn change(&self, value: &str, breaks: End) -> Result<Option<Change>, Locked> {
        match self.compare(value)? {
            Some(lines) => Ok(Some(self.change_of(&lines, breaks))),
            None => Ok(None),
        }
    }

    /// Returns the change that leads to other lines from the same one on, in a text that becomes
    /// `shift` lines longer.
    pub fn change_to(&self, lines: &Self, shift: i32) -> Option<Change> {
        // Compare what both hold: the lines below the change move.
        let last = lines.last().min(self.last().saturating_add_signed(shift));
        let before = self.part(self.first, last.saturating_add_signed(-shift));
        let value = lines.part(lines.first, last).value();
        let change = before.change(&value, End::Lf).ok()?;
        change.filter(|_| self.first == lines.first)
    }

    /// Takes over a value of the control and returns the change.
    pub fn take(&mut self, value: &str, breaks: End) -> Result<Option<Change>, Locked> {
        let lines = self.compare(value)?;
        Ok(lines.map(|lines| self.apply(lines, breaks)))
    }

    /// Replaces the text between two positions in the control and returns the change. Costs as much
    /// as the new text, unlike [`Self::take`].
    pub fn replace(
        &mut self,
        from: TextPosition,
        to: TextPosition,
        text: &str,
        breaks: End,
    ) -> Result<Change, Locked> {
        let index = |line: u32| line.saturating_sub(self.first) as usize;
        let old = index(from.line)..(index(to.line) + 1).min(self.lines.len());
        self.check_editable(old.clone())?;
        let characters = |line: u32| self.line(line).map(|line| line.text.chars());
        let kept_before = characters(from.line)
            .into_iter()
            .flat_map(|line| line.take(from.column.saturating_sub(1) as usize));
        let kept_after = characters(to.line)
            .into_iter()
            .flat_map(|line| line.skip(to.column.saturating_sub(1) as usize));
        let mut value: String = kept_before.collect();
        value.push_str(text);
        value.extend(kept_after);
        let new = value.split('\n').collect();
        Ok(self.apply(ChangedLines { old, new }, breaks))
    }

    /// Keeps at most `max` characters, in the lines around one, and at most [`MAX_LINE`] of a line.
    pub fn limit(&mut self, around: u32, max: usize) {
        for line in self
            .lines
            .iter_mut()
            .filter(|line| line.text.len() > MAX_LINE)
        {
            let end = line.text.floor_char_boundary(MAX_LINE);
            line.text.truncate(end);
            line.rest = " … more, not shown".to_owned();
        }
        let sizes: Vec<usize> = self.lines.iter().map(|line| line.text.len() + 1).collect();
        let (from, to) = range_around(&sizes, around.saturating_sub(self.first) as usize, max);
        if to - from < sizes.len() {
            *self = self.part(self.first + from as u32, self.first + to as u32 - 1);
        }
    }

    fn apply(&mut self, lines: ChangedLines<'_>, breaks: End) -> Change {
        let change = self.change_of(&lines, breaks);
        let ends = ends(&self.lines[lines.old.clone()], lines.new.len(), breaks);
        let new = lines
            .new
            .into_iter()
            .zip(ends)
            .map(|(text, end)| TextLine::new(text, end));
        self.lines.splice(lines.old, new.collect::<Vec<_>>());
        change
    }

    /// Returns the lines that differ, as few as possible.
    fn compare<'v>(&self, value: &'v str) -> Result<Option<ChangedLines<'v>>, Locked> {
        if self.lines.is_empty() {
            return Ok(None);
        }
        let mut new: Vec<&str> = value.split('\n').collect();
        let old: Vec<String> = self.lines.iter().map(TextLine::visible_text).collect();
        let before = old
            .iter()
            .zip(&new)
            .take_while(|(old, new)| old == new)
            .count();
        if before == old.len() && before == new.len() {
            return Ok(None);
        }
        let room = old.len().min(new.len()) - before;
        let behind = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take(room)
            .take_while(|(old, new)| old == new)
            .count();
        let (mut from, mut to) = (before, old.len() - behind);
        let mut new_to = new.len() - behind;
        // A change of whole lines includes a neighbouring line, if possible an editable one.
        if from == to || from == new_to {
            let is_free = |at: Option<usize>| {
                at.and_then(|at| self.lines.get(at))
                    .is_some_and(|line| !line.is_locked())
            };
            let has_before = from > 0;
            if has_before && (is_free(from.checked_sub(1)) || !is_free(Some(to))) {
                from -= 1;
            } else if to < old.len() {
                to += 1;
                new_to += 1;
            }
        }
        self.check_editable(from..to)?;
        new.truncate(new_to);
        Ok(Some(ChangedLines {
            old: from..to,
            new: new.split_off(from.min(new.len())),
        }))
    }

    fn check_editable(&self, lines: std::ops::Range<usize>) -> Result<(), Locked> {
        let start = lines.start;
        let lines = self.lines.get(lines).unwrap_or_default();
        match lines.iter().position(TextLine::is_locked) {
            Some(at) => Err(Locked {
                line: self.first + (start + at) as u32,
            }),
            None => Ok(()),
        }
    }

    fn change_of(&self, lines: &ChangedLines<'_>, breaks: End) -> Change {
        let old: Vec<&TextLine> = self.lines[lines.old.clone()].iter().collect();
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        let (old_first, new_first) = (
            old.first().map_or(Vec::new(), |line| letters(&line.text)),
            lines.new.first().map_or(Vec::new(), |text| letters(text)),
        );
        let (old_last, new_last) = (
            old.last().map_or(Vec::new(), |line| letters(&line.text)),
            lines.new.last().map_or(Vec::new(), |text| letters(text)),
        );
        let prefix = old_first
            .iter()
            .zip(&new_first)
            .take_while(|(a, b)| a == b)
            .count();
        let room = |count: usize, length: usize| if count == 1 { length - prefix } else { length };
        let most = room(old.len(), old_last.len()).min(room(lines.new.len(), new_last.len()));
        let suffix = old_last
            .iter()
            .rev()
            .zip(new_last.iter().rev())
            .take(most)
            .take_while(|(a, b)| a == b)
            .count();
        let old_ends: Vec<End> = old.iter().map(|line| line.end).collect();
        let old_texts: Vec<&str> = old.iter().map(|line| line.text.as_str()).collect();
        let new_ends = ends(&self.lines[lines.old.clone()], lines.new.len(), breaks);
        let first = self.first + lines.old.start as u32;
        let last = (first + old.len() as u32).saturating_sub(1);
        let column = |line: u32, letters: usize| {
            letters as u32 + 1 + u32::from(self.has_mark && line == self.first)
        };
        let (above, below) = self.around(&lines.old, prefix, suffix);
        Change {
            above,
            below,
            from: TextPosition::new(first, column(first, prefix)),
            to: TextPosition::new(last, column(last, old_last.len() - suffix)),
            before: join(&old_texts, &old_ends, prefix, suffix),
            text: join(&lines.new, &new_ends, prefix, suffix),
        }
    }
}

impl Lines {
    /// Returns the text around a change of the lines `old`, except `prefix` and `suffix` characters
    /// of them. Ends at a line that is not shown completely.
    fn around(
        &self,
        old: &std::ops::Range<usize>,
        prefix: usize,
        suffix: usize,
    ) -> (String, String) {
        let whole = |line: &TextLine| format!("{}{}", line.text, line.end.text());
        let is_shown = |line: &&TextLine| !line.is_locked();
        let mut above: Vec<String> = self.lines[..old.start]
            .iter()
            .rev()
            .take(AROUND)
            .take_while(is_shown)
            .map(whole)
            .collect();
        above.reverse();
        let first = self.lines.get(old.start).map_or(String::new(), |line| {
            line.text.chars().take(prefix).collect()
        });
        let last = old.end.checked_sub(1).and_then(|last| self.lines.get(last));
        let rest = last.map_or(String::new(), |line| {
            line.text
                .chars()
                .skip(line.text.chars().count().saturating_sub(suffix))
                .collect::<String>()
                + line.end.text()
        });
        let below: String = self.lines[old.end..]
            .iter()
            .take(AROUND)
            .take_while(is_shown)
            .map(whole)
            .collect();
        (above.concat() + &first, rest + &below)
    }
}

/// Lines of context on either side of a change.
const AROUND: usize = 3;
/// Maximum length of a line in the control, in bytes.
const MAX_LINE: usize = 4_096;

/// Lines that differ: the old range, and the new text. Neither is empty.
struct ChangedLines<'v> {
    old: std::ops::Range<usize>,
    new: Vec<&'v str>,
}

/// Returns the largest range around `at` with at most `max` characters, as balanced as possible.
fn range_around(sizes: &[usize], at: usize, max: usize) -> (usize, usize) {
    if sizes.iter().sum::<usize>() <= max {
        return (0, sizes.len());
    }
    let at = at.min(sizes.len().saturating_sub(1));
    let (mut from, mut to) = (at, at + 1);
    let mut remaining = max.saturating_sub(sizes.get(at).copied().unwrap_or_default());
    loop {
        let before = from
            .checked_sub(1)
            .and_then(|at| sizes.get(at))
            .filter(|size| **size <= remaining);
        if let Some(size) = before {
            (from, remaining) = (from - 1, remaining - size);
        }
        let after = sizes.get(to).filter(|size| **size <= remaining);
        if let Some(size) = after {
            (to, remaining) = (to + 1, remaining - size);
        }
        if before.is_none() && after.is_none() {
            return (from, to);
        }
    }
}

/// Returns the line breaks of `count` lines that replace `old`: the old ones first, then `breaks`.
fn ends(old: &[TextLine], count: usize, breaks: End) -> Vec<End> {
    let last = old.last().map_or(End::None, |line| line.end);
    let inner = |at: usize| {
        old.get(at)
            .map(|line| line.end)
            .filter(|end| *end != End::None)
            .unwrap_or(breaks)
    };
    (0..count)
        .map(|at| if at + 1 == count { last } else { inner(at) })
        .collect()
}

/// Returns the lines with their breaks, without `prefix` and `suffix` characters and the last
/// break.
fn join(texts: &[&str], ends: &[End], prefix: usize, suffix: usize) -> String {
    let mut out = String::new();
    for (at, (text, end)) in texts.iter().zip(ends).enumerate() {
        let is_last = at + 1 == texts.len();
        let skipped = if at == 0 { prefix } else { 0 };
        if skipped == 0 && !is_last {
            out.push_str(text);
        } else {
            let kept = text.chars().count() - if is_last { suffix } else { 0 };
            out.extend(text.chars().take(kept).skip(skipped));
        }
        if !is_last {
            out.push_str(end.text());
        }
    }
    out
}

/// Tab stops, in cells; the style sheet has the same number.
pub const TAB: u32 = 4;

/// Returns the cells before a column (from 1) of a line.
pub fn cells(text: &str, column: u32) -> u32 {
    text.chars()
        .take(column.saturating_sub(1) as usize)
        .fold(0, |at, letter| at + width(letter, at))
}

/// Returns the column (from 1) of the character at a cell; after the last one for a cell beyond the
/// line.
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

/// Returns an upper bound of a line's cells.
pub fn line_cells(text: &str) -> u32 {
    cells(text, u32::MAX)
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
    fn lines(text: &str) -> Lines {
        let mut lines: Vec<TextLine> = text
            .split_inclusive('\n')
            .map(
                |line| match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
                    (Some(line), _) => TextLine::new(line, End::CrLf),
                    (None, Some(line)) => TextLine::new(line, End::Lf),
                    (None, None) => TextLine::new(line, End::None),
                },
            )
            .collect();
        if text.is_empty() || text.ends_with('\n') {
            lines.push(TextLine::default());
        }
        Lines {
            first: 1,
            lines,
            has_mark: false,
        }
    }

    fn bytes(lines: &Lines) -> String {
        lines
            .lines
            .iter()
            .map(|line| format!("{}{}", line.text, line.end.text()))
            .collect()
    }

    #[test]
    fn a_change_in_a_part_of_a_text_ends_where_it_is() {
        let [mut before, mut after] = ["a\nb\nc\nd\n", "a\nx\nb\nc\nd\n"].map(lines);
        before.lines.truncate(3);
        after.lines.truncate(3);
        let end = |from: &Lines, to, shift| from.change_to(to, shift).map(|change| change.end());
        assert_eq!(end(&before, &after, 1), Some(TextPosition::new(2, 2)));
        assert_eq!(end(&after, &before, -1), Some(TextPosition::new(1, 2)));
        assert_eq!(end(&before, &before, 0), None);
    }

    /// Applies a change to the bytes, as the worker does.
    fn done(text: &str, change: &Change) -> String {
        let offset = |place: TextPosition| {
            let start: usize = text
                .split_inclusive('\n')
                .take(place.line as usize - 1)
                .map(str::len)
                .sum();
            let within: usize = text[start..]
                .chars()
                .take(place.column as usize - 1)
                .map(char::len_utf8)
                .sum();
            start + within
        };
        let (from, to) = (offset(change.from), offset(change.to));
        assert_eq!(&text[from..to], change.before);
        assert!(
            text[..from].ends_with(&change.above) && text[to..].starts_with(&change.below),
            "{change:?}"
        );
        format!("{}{}{}", &text[..from], change.text, &text[to..])
    }

    #[test]
    fn changes_have_the_same_effect_on_the_bytes() {
        let texts = [
            "",
            "a",
            "a\n",
            "a\r\nb\r\n",
            "ä: 1\nb: 2\n\nc",
            "x\r\n\r\nx\ny",
            "\n\n",
        ];
        let values = [
            "",
            "a",
            "a\n",
            "a\nb",
            "ä: 12\nb: 2\n\nc",
            "x\n\nx\ny\nz\n",
            "\n",
            "b",
            "x\nx",
            "ä: 1\nc",
        ];
        for text in texts {
            for value in values {
                for breaks in [End::Lf, End::CrLf] {
                    let mut typed = lines(text);
                    let change = typed.take(value, breaks).expect("nothing is locked");
                    assert_eq!(typed.value(), value, "{text:?} to {value:?}");
                    let after = change
                        .as_ref()
                        .map_or(text.to_owned(), |change| done(text, change));
                    assert_eq!(bytes(&typed), after, "{text:?} to {value:?}: {change:?}");
                    assert_eq!(after.replace("\r\n", "\n"), value);
                    // Applying it again gives the same result, or fails if its position differs.
                    if let Some(change) = change {
                        let mut anew = lines(text);
                        assert!(anew.redo(&change, breaks), "{text:?} {change:?}");
                        assert_eq!(anew.value(), value);
                        let mut other = Lines {
                            first: 900,
                            ..lines(text)
                        };
                        assert!(
                            !other.redo(&change, breaks) && other.value() == lines(text).value()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_change_is_minimal_and_keeps_line_breaks() {
        let mut text = lines("a: 1\r\nb: 22\r\nc: 3\r\n");
        let change = text
            .take("a: 1\nb: 2x2\nc: 3\n", End::CrLf)
            .unwrap()
            .unwrap();
        assert_eq!(
            (change.from, change.to),
            (TextPosition::new(2, 5), TextPosition::new(2, 5))
        );
        assert_eq!((change.before.as_str(), change.text.as_str()), ("", "x"));
        let change = text
            .take("a: 1\nb: 2x2\nnew\nc: 3\n", End::CrLf)
            .unwrap()
            .unwrap();
        assert_eq!(
            (change.from, change.text.as_str(), change.shift()),
            (TextPosition::new(2, 7), "\r\nnew", 1)
        );
        assert_eq!(change.end(), TextPosition::new(3, 4));
        let change = text.take("a: 1\nc: 3\n", End::CrLf).unwrap().unwrap();
        assert_eq!(
            (change.before.as_str(), change.text.as_str()),
            ("\r\nb: 2x2\r\nnew", "")
        );
        assert_eq!(bytes(&text), "a: 1\r\nc: 3\r\n");
    }

    #[test]
    fn a_change_includes_the_surrounding_text() {
        let mut text = lines("1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
        let change = text
            .take("1\n2\n3\n4\nfixe\n6\n7\n8\n9\n", End::Lf)
            .unwrap()
            .unwrap();
        assert_eq!(
            (change.above.as_str(), change.below.as_str()),
            ("2\n3\n4\nfi", "e\n6\n7\n8\n")
        );
        let mut long = lines("1\n2\n3\nfive\n5\n");
        long.lines[4].rest = " … 3 kB more".into();
        let change = long
            .take("1\n2\n3\nfivex\n5 … 3 kB more\n", End::Lf)
            .unwrap()
            .unwrap();
        assert_eq!(
            (change.above.as_str(), change.below.as_str()),
            ("1\n2\n3\nfive", "\n")
        );
    }

    #[test]
    fn hidden_text_is_unchanged() {
        let mut text = lines("a\nlong\nc\n");
        text.lines[1].rest = " … 3 kB more".into();
        assert_eq!(text.value(), "a\nlong … 3 kB more\nc\n");
        assert_eq!(
            text.take("a\nlonger … 3 kB more\nc\n", End::Lf),
            Err(Locked { line: 2 })
        );
        assert_eq!(text.take("a\nc\n", End::Lf), Err(Locked { line: 2 }));
        let change = text
            .take("a\nlong … 3 kB more\nnew\nc\n", End::Lf)
            .unwrap()
            .unwrap();
        assert_eq!(
            (change.from, change.text.as_str()),
            (TextPosition::new(3, 1), "new\n")
        );
        assert_eq!(bytes(&text), "a\nlong\nnew\nc\n");
        assert_eq!(text.lines[1].rest, " … 3 kB more");
        let mut odd = lines("a\rb\nc");
        assert_eq!(odd.value(), "a\u{240d}b\nc");
        assert_eq!(odd.take("ab\nc", End::Lf), Err(Locked { line: 1 }));
    }

    #[test]
    fn a_mark_before_the_text_counts_as_a_column() {
        let mut text = lines("a\nb");
        text.has_mark = true;
        let change = text.take("xa\nb", End::Lf).unwrap().unwrap();
        assert_eq!(change.from, TextPosition::new(1, 2));
        let in_control = [(1, 1), (1, 2), (1, 3), (2, 3)].map(|(line, column)| {
            let place = text.without_mark(TextPosition::new(line, column));
            (place.line, place.column)
        });
        assert_eq!(in_control, [(1, 1), (1, 1), (1, 2), (2, 3)]);
        let change = text.take("xa\nbx", End::Lf).unwrap().unwrap();
        assert_eq!(change.from, TextPosition::new(2, 2));
    }

    #[test]
    fn places_and_units_convert_back_and_forth() {
        let mut text = lines("ä𝄞b\n\nlast");
        text.first = 40;
        let all = [
            (0, 40, 1),
            (1, 40, 2),
            (3, 40, 3),
            (4, 40, 4),
            (5, 41, 1),
            (6, 42, 1),
            (10, 42, 5),
        ];
        for (units, line, column) in all {
            assert_eq!(text.place(units), TextPosition::new(line, column));
            assert_eq!(text.units(TextPosition::new(line, column)), units);
        }
        assert_eq!(text.place(99), TextPosition::new(42, 5));
        assert_eq!(
            (
                text.units(TextPosition::new(1, 1)),
                text.units(TextPosition::new(99, 1))
            ),
            (0, 10)
        );
        assert_eq!(
            Lines::default().change("", End::Lf),
            Ok(None),
            "nothing is shown yet"
        );
        assert_eq!(text.part(41, 99).value(), "\nlast");
    }

    #[test]
    fn tabs_advance_to_their_stop_and_wide_letters_take_two_columns() {
        assert_eq!([1, 2, 3].map(|column| cells("a\tb", column)), [0, 1, 4]);
        assert_eq!(line_cells("a\tb漢e\u{301}"), 8);
        assert_eq!(cells("ab", 99), 2);
    }

    #[test]
    fn finds_the_letter_under_the_pointer() {
        assert_eq!(
            [0.0, 0.9, 1.0, 3.9, 4.0, 99.0].map(|cell| column_at("a\tb", cell)),
            [1, 1, 2, 2, 3, 4]
        );
        assert_eq!(column_at("", 5.0), 1);
    }

    #[test]
    fn very_long_text_is_cut_around_the_line() {
        assert_eq!(range_around(&[1, 1, 1], 1, 9), (0, 3));
        assert_eq!(range_around(&[5, 5, 5, 5, 5], 2, 15), (1, 4));
        assert_eq!(range_around(&[5, 5, 5, 5, 5], 0, 11), (0, 2));
        assert_eq!(
            range_around(&[5, 50, 5], 1, 10),
            (1, 2),
            "the line itself is always there"
        );
        assert_eq!(range_around(&[], 3, 10), (0, 0));
    }

    #[test]
    fn a_long_text_leaves_only_its_end_in_the_control() {
        let mut text = lines("a: 1\nb: 2\nc: 3\n");
        text.first = 11;
        let pasted = "# é\n".repeat(1_000_000) + "end";
        let (from, to) = (TextPosition::new(12, 2), TextPosition::new(13, 1));
        let change = text.replace(from, to, &pasted, End::CrLf).unwrap();
        assert_eq!((change.from, change.to), (from, to));
        assert_eq!((change.before.as_str(), change.shift()), (": 2\n", 999_999));
        assert_eq!(change.end(), TextPosition::new(1_000_012, 4));
        text.limit(change.end().line, 1_000);
        assert!(text.value().len() <= 1_000);
        assert_eq!(text.line(1_000_012).unwrap().text, "endc: 3");
        assert_eq!(text.last(), 1_000_013);

        let mut text = lines("a\nb");
        let line = "x".repeat(5_000_000);
        let at = TextPosition::new(1, 2);
        let change = text.replace(at, at, &line, End::Lf).unwrap();
        assert_eq!(change.text.len(), line.len());
        text.limit(1, 100_000);
        assert!(text.value().len() < 5_000);
        assert_eq!(text.replace(at, at, "y", End::Lf), Err(Locked { line: 1 }));
    }
}
