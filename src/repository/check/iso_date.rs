//! Recognizes ISO 8601 dates as Python's `dateutil` parses them.

/// Whether a text is an ISO 8601 date, or such a date with a time.
pub(super) fn is_iso_date(text: &str) -> bool {
    text.is_ascii() && parse(text.as_bytes()).is_some()
}

fn parse(text: &[u8]) -> Option<()> {
    let (date, end) = parse_common_date(text).or_else(|| parse_uncommon_date(text))?;
    let time = match text.get(end..) {
        Some([_, time @ ..]) => parse_time_of_day(time)?,
        _ => [0; 3],
    };
    is_valid(date, time).then_some(())
}

/// Year, month and day.
type Date = (i64, i64, i64);

/// Parses `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or `YYYYMMDD`. Returns the date and where it ends.
fn parse_common_date(text: &[u8]) -> Option<(Date, usize)> {
    let year = parse_number(text, 0, 4)?;
    let mut at = 4;
    if at >= text.len() {
        return Some(((year, 1, 1), at));
    }
    let has_dashes = text[at] == b'-';
    at += usize::from(has_dashes);
    let month = parse_number(text, at, 2)?;
    at += 2;
    if at >= text.len() {
        return has_dashes.then_some(((year, month, 1), at));
    }
    if has_dashes {
        if text[at] != b'-' {
            return None;
        }
        at += 1;
    }
    let day = parse_number(text, at, 2)?;
    Some(((year, month, day), at + 2))
}

/// Parses a week date (`2024-W05-3`) or an ordinal date (`2024-366`).
fn parse_uncommon_date(text: &[u8]) -> Option<(Date, usize)> {
    let year = parse_number(text, 0, 4)?;
    let has_dashes = text.get(4) == Some(&b'-');
    let mut at = 4 + usize::from(has_dashes);
    if text.get(at) == Some(&b'W') {
        at += 1;
        let week = parse_number(text, at, 2)?;
        at += 2;
        let mut day = 1;
        if at < text.len() {
            if (text[at] == b'-') != has_dashes {
                return None;
            }
            at += usize::from(has_dashes);
            day = parse_number(text, at, 1)?;
            at += 1;
        }
        // The caller needs a valid date, not the exact one.
        return ((1..=53).contains(&week) && (1..=7).contains(&day)).then_some(((year, 1, 1), at));
    }
    let day = parse_number(text, at, 3)?;
    let days = if is_leap(year) { 366 } else { 365 };
    (1..=days).contains(&day).then_some(((year, 1, 1), at + 3))
}

/// Parses hour, minute and second, with a fraction and a time zone.
fn parse_time_of_day(text: &[u8]) -> Option<[i64; 3]> {
    if text.len() < 2 {
        return None;
    }
    let mut parts = [0; 3];
    let mut has_fraction = false;
    let (mut at, mut has_colons) = (0, false);
    for part in 0..=5 {
        if at >= text.len() {
            break;
        }
        if b"-+Zz".contains(&text[at]) {
            parse_zone(&text[at..])?;
            at = text.len();
            break;
        }
        match (part, text[at] == b':') {
            (1, true) => (has_colons, at) = (true, at + 1),
            (2, is_colon) if has_colons => {
                if !is_colon {
                    return None;
                }
                at += 1;
            }
            _ => {}
        }
        if let Some(read) = parts.get_mut(part) {
            *read = parse_number(text, at, 2)?;
            at += 2;
        } else if part == 3 && matches!(text[at], b'.' | b',') {
            let digits = leading_digits(&text[at + 1..]);
            if !digits.is_empty() {
                has_fraction = is_positive_fraction(digits);
                at += 1 + digits.len();
            }
        }
    }
    let is_end_of_day = parts[0] == 24;
    if at < text.len() || (is_end_of_day && (parts[1] != 0 || parts[2] != 0 || has_fraction)) {
        return None;
    }
    if is_end_of_day {
        parts[0] = 0;
    }
    Some(parts)
}

fn leading_digits(text: &[u8]) -> &[u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    &text[..digits.count()]
}

/// Whether a fraction of a second is not zero in microseconds, which is Python's precision.
fn is_positive_fraction(digits: &[u8]) -> bool {
    digits.iter().take(6).any(|digit| *digit != b'0')
}

fn parse_zone(text: &[u8]) -> Option<()> {
    if text == b"Z" || text == b"z" {
        return Some(());
    }
    if ![3, 5, 6].contains(&text.len()) || !matches!(text[0], b'+' | b'-') {
        return None;
    }
    let hours = parse_number(text, 1, 2)?;
    let minutes = match text.len() {
        3 => 0,
        _ => {
            let at = if text[3] == b':' { 4 } else { 3 };
            parse_number(text, at, text.len() - at)?
        }
    };
    ((0..=23).contains(&hours) && minutes <= 59).then_some(())
}

/// Parses a number of this many bytes, with the blanks and sign that Python accepts.
fn parse_number(text: &[u8], at: usize, length: usize) -> Option<i64> {
    let bytes = text.get(at..at + length)?;
    let text = std::str::from_utf8(bytes).ok()?.trim();
    let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn is_valid((year, month, day): Date, [hour, minute, second]: [i64; 3]) -> bool {
    let days = match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=9999).contains(&year)
        && (1..=days).contains(&day)
        && (0..=23).contains(&hour)
        && (0..=59).contains(&minute)
        && (0..=59).contains(&second)
}

#[cfg(test)]
mod tests {
    use super::is_iso_date;

    #[test]
    fn dates_are_those_of_iso_8601() {
        for text in [
            "2024",
            "2024-05",
            "2024-05-06",
            "20240506",
            "2024-05-06T07:08:09Z",
            "2024-05-06 07:08:09",
            "2024-05-06T07",
            "2024-05-06T0708",
            "2024-05-06T07:08:09.123456789+02:00",
            "2024-05-06T07:08:09,5-0330",
            "2024-05-06T24:00:00",
            "2024-W05-3",
            "2024W05",
            "2024-366",
            "2024-02-29",
        ] {
            assert!(is_iso_date(text), "{text}");
        }
        for text in [
            "",
            "24",
            "202405",
            "2024-13-01",
            "2023-02-29",
            "2023-366",
            "2024-05-06T",
            "2024-05-06T7:08:09",
            "2024-05-06T07:0809",
            "2024-05-06T07:08:61",
            "2024-05-06T24:00:01",
            "2024-05-06T07:08:09 UTC",
            "2024-05-06T07:08:09+25:00",
            "May 6, 2024",
            "yesterday",
            "2024-05-06T07:08:09é",
        ] {
            assert!(!is_iso_date(text), "{text}");
        }
    }
}
