//! Recognizes dates like the pipeline: ISO 8601 as Python's `dateutil` parses it.

/// Whether a text is a date, or a date with time.
pub(super) fn is_iso(text: &str) -> bool {
    text.is_ascii() && parse_time(text.as_bytes()).is_some()
}

fn parse_time(text: &[u8]) -> Option<()> {
    let (date, end) = common_date(text).or_else(|| uncommon_date(text))?;
    let time = match text.get(end..) {
        Some([_, time @ ..]) => time_of_day(time)?,
        _ => [0; 3],
    };
    is_valid(date, time).then_some(())
}

type Date = (i64, i64, i64);

/// `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or `YYYYMMDD`, and its end.
fn common_date(text: &[u8]) -> Option<(Date, usize)> {
    let year = number(text, 0, 4)?;
    let mut at = 4;
    if at >= text.len() {
        return Some(((year, 1, 1), at));
    }
    let is_parted = text[at] == b'-';
    at += usize::from(is_parted);
    let month = number(text, at, 2)?;
    at += 2;
    if at >= text.len() {
        return is_parted.then_some(((year, month, 1), at));
    }
    if is_parted {
        if text[at] != b'-' {
            return None;
        }
        at += 1;
    }
    let day = number(text, at, 2)?;
    Some(((year, month, day), at + 2))
}

/// A week date or an ordinal date.
fn uncommon_date(text: &[u8]) -> Option<(Date, usize)> {
    let year = number(text, 0, 4)?;
    let is_parted = text.get(4) == Some(&b'-');
    let mut at = 4 + usize::from(is_parted);
    if text.get(at) == Some(&b'W') {
        at += 1;
        let week = number(text, at, 2)?;
        at += 2;
        let mut day = 1;
        if at < text.len() {
            if (text[at] == b'-') != is_parted {
                return None;
            }
            at += usize::from(is_parted);
            day = number(text, at, 1)?;
            at += 1;
        }
        // The exact date does not matter.
        return ((1..=53).contains(&week) && (1..=7).contains(&day)).then_some(((year, 1, 1), at));
    }
    let day = number(text, at, 3)?;
    let days = if is_leap(year) { 366 } else { 365 };
    (1..=days).contains(&day).then_some(((year, 1, 1), at + 3))
}

/// Hour, minute and second.
fn time_of_day(text: &[u8]) -> Option<[i64; 3]> {
    if text.len() < 2 {
        return None;
    }
    let mut parts = [0; 3];
    let mut fraction = false;
    let (mut at, mut has_colons) = (0, false);
    for part in 0..=5 {
        if at >= text.len() {
            break;
        }
        if b"-+Zz".contains(&text[at]) {
            zone(&text[at..])?;
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
            *read = number(text, at, 2)?;
            at += 2;
        } else if part == 3 && matches!(text[at], b'.' | b',') {
            let digits = text[at + 1..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if digits > 0 {
                fraction = text[at + 1..]
                    .iter()
                    .take(digits.min(6))
                    .any(|byte| *byte != b'0');
                at += 1 + digits;
            }
        }
    }
    let is_end_of_day = parts[0] == 24;
    if at < text.len() || (is_end_of_day && (parts[1] != 0 || parts[2] != 0 || fraction)) {
        return None;
    }
    if is_end_of_day {
        parts[0] = 0;
    }
    Some(parts)
}

fn zone(text: &[u8]) -> Option<()> {
    if text == b"Z" || text == b"z" {
        return Some(());
    }
    if ![3, 5, 6].contains(&text.len()) || !matches!(text[0], b'+' | b'-') {
        return None;
    }
    let hours = number(text, 1, 2)?;
    let minutes = match text.len() {
        3 => 0,
        _ => {
            let at = if text[3] == b':' { 4 } else { 3 };
            number(text, at, text.len() - at)?
        }
    };
    ((0..=23).contains(&hours) && minutes <= 59).then_some(())
}

/// A number of this many bytes, with the blanks and sign that Python accepts.
fn number(text: &[u8], at: usize, length: usize) -> Option<i64> {
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
    use super::is_iso;

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
            assert!(is_iso(text), "{text}");
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
            assert!(!is_iso(text), "{text}");
        }
    }
}
