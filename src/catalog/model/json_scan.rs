//! Finds texts in a JSON object by key path, without parsing it.

/// Returns the text at a key path of a JSON object. `None` if it is absent or contains escapes.
pub fn text_at<'b>(json: &'b [u8], path: &[&str]) -> Option<&'b str> {
    raw_text_at(json, path).filter(|text| !text.contains('\\'))
}

/// Returns the text at a key path of a JSON object with escapes resolved: Go escapes `>`.
pub fn unescaped_text_at(json: &[u8], path: &[&str]) -> Option<String> {
    let written = raw_text_at(json, path)?;
    serde_json::from_str(&format!("\"{written}\"")).ok()
}

/// Returns the text as written between its quotes.
fn raw_text_at<'b>(json: &'b [u8], path: &[&str]) -> Option<&'b str> {
    let value = value_at(json, path)?;
    json.get(value).filter(|&&byte| byte == b'"')?;
    let text = json.get(value + 1..end_of_string(json, value)? - 1)?;
    std::str::from_utf8(text).ok()
}

/// Returns the start of the value at a key path of a JSON object, found by brackets and quotes
/// alone.
pub fn value_at(json: &[u8], path: &[&str]) -> Option<usize> {
    // Number of keys of the path that have matched, and of open brackets.
    let (mut matched, mut depth) = (0usize, 0usize);
    let mut at = 0;
    loop {
        match json.get(at)? {
            b'"' => {
                let end = end_of_string(json, at)?;
                let colon = after_blanks(json, end);
                let is_key = json.get(colon) == Some(&b':') && depth == matched + 1;
                let expected = path.get(matched).map(|key| key.as_bytes());
                if !is_key || json.get(at + 1..end - 1) != expected {
                    at = end;
                    continue;
                }
                let value = after_blanks(json, colon + 1);
                matched += 1;
                if matched == path.len() {
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
                if depth <= matched {
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
    fn finds_a_text_by_its_path_only() {
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
