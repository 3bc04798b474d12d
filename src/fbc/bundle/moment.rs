//! Parses times like Kubernetes: RFC 3339, with Go's error messages.

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// Why a text is not a valid time; `None` if it is.
pub(super) fn refusal(text: &str) -> Option<String> {
    let message = match read(text) {
        Ok(()) => return None,
        Err(TimeParseError::Part(rest, part)) => {
            format!(
                " as {}: cannot parse {} as {}",
                quote_bytes(LAYOUT),
                quote_bytes(rest),
                quote_bytes(part)
            )
        }
        Err(TimeParseError::Range(what)) => format!(": {what} out of range"),
        Err(TimeParseError::Extra(rest)) => format!(": extra text: {}", quote_bytes(rest)),
    };
    Some(format!("parsing time {}{message}", quote_bytes(text)))
}

enum TimeParseError<'t> {
    /// The rest of the text, and the part of the layout that it fails to match.
    Part(&'t str, &'static str),
    Range(&'static str),
    Extra(&'t str),
}

/// The numbers of the layout: part, name and limits; the hour may have one digit.
const NUMBERS: [(&str, &str, &str, u32, u32); 6] = [
    ("", "2006", "year", 0, 9999),
    ("-", "01", "month", 1, 12),
    ("-", "02", "day", 0, 99),
    ("T", "15", "hour", 0, 23),
    (":", "04", "minute", 0, 59),
    (":", "05", "second", 0, 59),
];

fn read(text: &str) -> Result<(), TimeParseError<'_>> {
    let mut rest = text;
    let mut numbers = [0; 6];
    for (nth, (before, part, what, low, high)) in NUMBERS.into_iter().enumerate() {
        rest = rest
            .strip_prefix(before)
            .ok_or(TimeParseError::Part(rest, before))?;
        let digits = rest
            .bytes()
            .take(part.len())
            .take_while(u8::is_ascii_digit)
            .count();
        if digits < part.len() && !(part == "15" && digits == 1) {
            return Err(TimeParseError::Part(rest, part));
        }
        let (number, after) = rest.split_at(digits);
        numbers[nth] = number.parse().unwrap_or(0);
        if !(low..=high).contains(&numbers[nth]) {
            return Err(TimeParseError::Range(what));
        }
        rest = after;
    }
    if let Some(fraction) = rest.strip_prefix(['.', ','])
        && fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    rest = zone(rest)?;
    if !rest.is_empty() {
        return Err(TimeParseError::Extra(rest));
    }
    let [year, month, day, ..] = numbers;
    match (1..=days_of(year, month)).contains(&day) {
        true => Ok(()),
        false => Err(TimeParseError::Range("day")),
    }
}

/// The rest after `Z` or an offset such as `+02:00`.
fn zone(text: &str) -> Result<&str, TimeParseError<'_>> {
    const PART: &str = "Z07:00";
    if let Some(rest) = text.strip_prefix('Z') {
        return Ok(rest);
    }
    let wrong = || TimeParseError::Part(text, PART);
    let offset = text
        .get(..6)
        .ok_or_else(wrong)?
        .strip_prefix(['+', '-'])
        .ok_or_else(wrong)?;
    let number = |digits: &str| -> Option<u32> {
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())
            .flatten()
    };
    let (hour, minute) = offset
        .split_once(':')
        .filter(|(hour, _)| hour.len() == 2)
        .ok_or_else(wrong)?;
    match (
        number(hour).ok_or_else(wrong)?,
        number(minute).ok_or_else(wrong)?,
    ) {
        (25.., _) => Err(TimeParseError::Range("time zone offset hour")),
        (_, 61..) => Err(TimeParseError::Range("time zone offset minute")),
        _ => Ok(&text[6..]),
    }
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Quoted, with every non-ASCII byte escaped.
fn quote_bytes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' | 0x7f => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn a_moment_is_read_as_go_reads_it() {
        for good in [
            "2020-01-01T00:00:00Z",
            "2020-02-29T1:02:03Z",
            "2020-01-01T23:59:59.123456+02:00",
            "0000-01-01T00:00:00,5-24:60",
        ] {
            assert_eq!(refusal(good), None, "{good}");
        }
        let cannot = |rest: &str, part: &str| {
            format!(" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{rest}\" as \"{part}\"")
        };
        for (bad, expected) in [
            ("x", cannot("x", "2006")),
            ("2020-01-01", cannot("", "T")),
            ("2020-1-01T00:00:00Z", cannot("1-01T00:00:00Z", "01")),
            ("2020-01-01T00:00:00", cannot("", "Z07:00")),
            ("2020-01-01T00:00:00+0200", cannot("+0200", "Z07:00")),
            ("2020-13-01T00:00:00Z", ": month out of range".to_owned()),
            ("2021-02-29T00:00:00Z", ": day out of range".to_owned()),
            ("2020-01-01T24:00:00Z", ": hour out of range".to_owned()),
            ("2020-01-01T00:00:00Zx", ": extra text: \"x\"".to_owned()),
        ] {
            assert_eq!(
                refusal(bad),
                Some(format!("parsing time \"{bad}\"{expected}")),
                "{bad}"
            );
        }
        assert_eq!(
            refusal("é").unwrap(),
            format!(
                "parsing time \"\\xc3\\xa9\"{}",
                cannot("\\xc3\\xa9", "2006")
            )
        );
    }
}
