//! Recognizes ISO 8601 dates as Python's `dateutil` parses them.

use regex_lite::Regex;
use std::sync::LazyLock;
use syntax::scalar::days_in_month;

/// A calendar date, a week date or an ordinal date; after a complete date, any separator and a time
/// of day. Eight digits are a calendar date, so no digit follows an ordinal date without dashes.
/// Elsewhere the separator may be a digit. The last number may have one digit: `202401011200` is
/// 20:00 on January 1.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    let after_hour =
        |minute: &str, second: &str| format!("(:({minute})(:({second}))?|({minute})({second})?)?");
    let minutes = after_hour(r"[0-5]\d|\d$", r"[0-5]\d([.,]\d+)?|\d$");
    let midnight = after_hour("00|0$", "00([.,]0+)?|0$");
    let zone = r"([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)";
    let time = format!(r"(([01]\d|2[0-3]){minutes}|24{midnight}){zone}?");
    let week = r"(0[1-9]|[1-4]\d|5[0-3])";
    let year = r"(?<year>\d{4})";
    let pattern = format!(
        r"^{year}(-(0[1-9]|1[0-2])|-?W{week}|((-(?<month>\d\d)-|(?<joined>\d\d))(?<day>\d\d)|-W{week}-[1-7]|W{week}[1-7]|-(?<ordinal>\d{{3}}))(.{time})?|(?<joined_ordinal>\d{{3}})(\D{time})?)?$"
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
    let ordinal = || number("ordinal").or_else(|| number("joined_ordinal"));
    let day = number("day").or_else(ordinal);
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
            "2024366",
            "2024366T10",
            "2024-02-29",
            "20240229X10",
            // The separator is a digit.
            "202401011200",
            "20240101120000",
            "2024010112000",
            "2024W0531000",
            "2024-0011200",
            "2024-05-06T07:8",
            "2024-05-06T24",
            "2024-05-06T2400",
            "2024-05-06T240000.0",
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
            "2024-05-06T24:0000",
            "2024-05-06T2400:00",
            "2024-05-06T07:8Z",
            "2024010110",
            "202401011",
            "202400110",
            "20240011200",
            "202430010",
            "20243001000",
            "202402301000",
            "2024-00110",
            "2024W05310",
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
