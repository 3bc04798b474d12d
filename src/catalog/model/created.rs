//! The creation time of a bundle in its ClusterServiceVersion: free text in any format.

/// The annotation of a ClusterServiceVersion.
pub const CREATED_AT: &str = "createdAt";

/// Returns the date in ISO 8601 text (`2021-07-05T12:03:14Z`, `2021-07-05 12:03:14`); `None` for
/// anything else, which can only be shown as written.
pub fn day(written: &str) -> Option<&str> {
    let (day, rest) = written.split_at_checked(10)?;
    let [Some(_), Some(month), Some(of_month)] = [0..4, 5..7, 8..10].map(|range| {
        let digits = day
            .get(range)
            .filter(|part| part.bytes().all(|b| b.is_ascii_digit()))?;
        digits.parse::<u32>().ok()
    }) else {
        return None;
    };
    let has_dashes = [4, 7]
        .iter()
        .all(|&at| day.as_bytes().get(at) == Some(&b'-'));
    let ends = rest.is_empty() || rest.starts_with(['T', 't', ' ']);
    (has_dashes && ends && (1..=12).contains(&month) && (1..=31).contains(&of_month)).then_some(day)
}

/// Returns the text at a key path of a JSON object. `None` if it is absent or contains escapes.
pub fn text_at<'b>(json: &'b [u8], path: &[&str]) -> Option<&'b str> {
    written_at(json, path).filter(|text| !text.contains('\\'))
}

/// Like [`text_at`], with escapes resolved: Go escapes `>`.
pub fn unescaped_text_at(json: &[u8], path: &[&str]) -> Option<String> {
    let written = written_at(json, path)?;
    serde_json::from_str(&format!("\"{written}\"")).ok()
}

/// Returns the text as written between its quotes.
fn written_at<'b>(json: &'b [u8], path: &[&str]) -> Option<&'b str> {
    let value = value_at(json, path)?;
    json.get(value).filter(|&&byte| byte == b'"')?;
    let text = json.get(value + 1..end_of_string(json, value)? - 1)?;
    std::str::from_utf8(text).ok()
}

/// Returns the start of the value at a key path of a JSON object, found by brackets and quotes
/// alone.
pub fn value_at(json: &[u8], path: &[&str]) -> Option<usize> {
    // `followed` keys of the path have matched; the scan is `depth` brackets deep.
    let (mut at, mut depth, mut followed) = (0, 0usize, 0usize);
    loop {
        match json.get(at)? {
            b'"' => {
                let end = end_of_string(json, at)?;
                let colon = after_blanks(json, end);
                let is_key = json.get(colon) == Some(&b':') && depth == followed + 1;
                let wanted = path.get(followed).map(|key| key.as_bytes());
                if !is_key || json.get(at + 1..end - 1) != wanted {
                    at = end;
                    continue;
                }
                let value = after_blanks(json, colon + 1);
                followed += 1;
                if followed == path.len() {
                    return Some(value);
                }
                json.get(value).filter(|&&byte| byte == b'{')?;
                depth += 1;
                at = value + 1;
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth <= followed {
                    return None;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Returns the end of the string that starts at `at`.
fn end_of_string(json: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn after_blanks(json: &[u8], at: usize) -> usize {
    let blanks = json
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|b| b.is_ascii_whitespace());
    at + blanks.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_date_has_a_day() {
        assert_eq!(day("2021-07-05T12:03:14Z"), Some("2021-07-05"));
        assert_eq!(day("2021-07-05 12:03:14"), Some("2021-07-05"));
        assert_eq!(day("2021-07-05"), Some("2021-07-05"));
        for other in [
            "",
            "July 2021",
            "05-07-2021",
            "2021-13-05",
            "2021-07-32",
            "2021-07-051",
            "2021/07/05",
            "äöüäöüäö",
            "2021-07-0ä",
        ] {
            assert_eq!(day(other), None, "{other}");
        }
    }

    #[test]
    fn a_text_is_found_by_its_path_alone() {
        let path = ["metadata", "annotations", "createdAt"];
        let found = |json: &str| text_at(json.as_bytes(), &path).map(str::to_owned);
        let json = r#"{"a":{"metadata":{"annotations":{"createdAt":"no"}}},"metadata":{"x":["createdAt"],
            "annotations" : {"alm":"{\"createdAt\":\"no\"}","createdAt": "2021-07-05"}}}"#;
        assert_eq!(found(json).as_deref(), Some("2021-07-05"));
        assert_eq!(
            found(r#"{"metadata":{"annotations":{}},"spec":{"createdAt":"no"}}"#),
            None
        );
        assert_eq!(
            found(r#"{"metadata":{"annotations":{"a":{"createdAt":"no"}}}}"#),
            None
        );
        assert_eq!(
            found(r#"{"metadata":{"annotations":{"createdAt":3}}}"#),
            None
        );
        assert_eq!(
            found(r#"{"metadata":[{"annotations":{"createdAt":"no"}}]}"#),
            None
        );
        for broken in [
            "",
            "{",
            "}",
            "\"",
            r#"{"metadata":"#,
            r#"{"metadata":{"annotations":{"createdAt":"\"#,
        ] {
            assert_eq!(found(broken), None, "{broken}");
        }
    }
}
