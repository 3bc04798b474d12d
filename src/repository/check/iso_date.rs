//! Recognizes ISO 8601 dates as Python's `dateutil` parses them.

use regex_lite::Regex;
use std::sync::LazyLock;
use syntax::scalar::days_in_month;

/// A calendar date, a week date or an ordinal date; after a complete date, any separator and a time
/// of day.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    let seconds = r"[0-5]\d([.,]\d+)?";
    let time = format!(
        r"(([01]\d|2[0-3])(:[0-5]\d(:{seconds})?|[0-5]\d({seconds})?)?|24(:?00(:?00([.,]0+)?)?)?)"
    );
    let zone = r"([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)";
    let week = r"(0[1-9]|[1-4]\d|5[0-3])";
    let year = r"(?<year>\d{4})";
    let pattern = format!(
        r"^{year}(-(0[1-9]|1[0-2])|-?W{week}|((-(?<month>\d\d)-|(?<joined>\d\d))(?<day>\d\d)|-W{week}-[1-7]|W{week}[1-7]|-?(?<ordinal>\d{{3}}))(.{time}{zone}?)?)?$"
    );
    Regex::new(&pattern).expect("a valid pattern")
});

/// Whether a text is an ISO 8601 date, or such a date with a time.
pub(super) fn is_iso_date(text: &str) -> bool {
    let Some(date) = DATE.captures(text).filter(|_| text.is_ascii()) else {
        return false;
    };
    let number = |name| date.name(name)?.as_str().parse::<u32>().ok();
    let year = number("year").unwrap_or_default();
    let days = match number("month").or_else(|| number("joined")) {
        Some(month) => days_in_month(year, month),
        None => 337 + days_in_month(year, 2),
    };
    let day = number("day").or_else(|| number("ordinal"));
    year > 0 && day.is_none_or(|day| (1..=days).contains(&day))
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
