//! Reading JSON, as far as other programs' reports need it: their output is assumed to be valid, and anything else
//! gives `None`.
//!
//! It does not know what a report means. (Written here without a crate, so that `cargo dev` is built in seconds.)

/// A value. Numbers are kept as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let value = value(&mut rest)?;
        rest.trim_start().is_empty().then_some(value)
    }

    /// The value of a key of a map.
    pub(crate) fn at(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The text of a key, or none.
    pub(crate) fn text(&self, key: &str) -> &str {
        match self.at(key) {
            Some(Self::Text(text)) => text,
            _ => "",
        }
    }

    /// The items of a key's list, or none.
    pub(crate) fn list(&self, key: &str) -> &[Self] {
        match self.at(key) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }
}

fn value(rest: &mut &str) -> Option<Json> {
    *rest = rest.trim_start();
    for (word, value) in [
        ("null", Json::Null),
        ("true", Json::Bool(true)),
        ("false", Json::Bool(false)),
    ] {
        if let Some(behind) = rest.strip_prefix(word) {
            *rest = behind;
            return Some(value);
        }
    }
    match rest.chars().next()? {
        '"' => string(rest).map(Json::Text),
        '[' => {
            let mut items = Vec::new();
            between(rest, ']', |rest| {
                items.push(value(rest)?);
                Some(())
            })?;
            Some(Json::List(items))
        }
        '{' => {
            let mut pairs = Vec::new();
            between(rest, '}', |rest| {
                *rest = rest.trim_start();
                let key = string(rest)?;
                *rest = rest.trim_start().strip_prefix(':')?;
                pairs.push((key, value(rest)?));
                Some(())
            })?;
            Some(Json::Map(pairs))
        }
        _ => {
            let end = rest
                .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
                .unwrap_or(rest.len());
            let (number, behind) = rest.split_at(end);
            *rest = behind;
            (!number.is_empty()).then(|| Json::Number(number.to_owned()))
        }
    }
}

/// The items between an opening bracket and `end`, separated by commas.
fn between<'t>(
    rest: &mut &'t str,
    end: char,
    mut item: impl FnMut(&mut &'t str) -> Option<()>,
) -> Option<()> {
    *rest = rest.get(1..)?.trim_start();
    if let Some(behind) = rest.strip_prefix(end) {
        *rest = behind;
        return Some(());
    }
    loop {
        item(rest)?;
        *rest = rest.trim_start();
        let more = rest.starts_with(',');
        *rest = rest.strip_prefix([',', end])?;
        if !more {
            return Some(());
        }
    }
}

fn string(rest: &mut &str) -> Option<String> {
    let mut text = String::new();
    let mut left = rest.strip_prefix('"')?.chars();
    loop {
        match left.next()? {
            '"' => break,
            '\\' => match left.next()? {
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'u' => {
                    let mut unit =
                        || u32::from_str_radix(&left.by_ref().take(4).collect::<String>(), 16).ok();
                    let mut code = unit()?;
                    // Two units are one character beyond the first plane.
                    if (0xd800..0xdc00).contains(&code) && left.as_str().starts_with("\\u") {
                        left.by_ref().nth(1);
                        let low =
                            u32::from_str_radix(&left.by_ref().take(4).collect::<String>(), 16)
                                .ok()?;
                        code = 0x10000 + ((code - 0xd800) << 10) + low.checked_sub(0xdc00)?;
                    }
                    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    *rest = left.as_str();
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn values_are_read() {
        let read = Json::read(
            r#" {"a": [1.5e3, "x\n\u00e9\ud83d\ude80\"", null, true, [], {}], "b": {"c": "d"}} "#,
        );
        let read = read.expect("it is JSON");
        assert_eq!(read.list("a")[0], Json::Number("1.5e3".to_owned()));
        assert_eq!(read.list("a")[1], Json::Text("x\né🚀\"".to_owned()));
        assert_eq!(read.list("a")[2..4], [Json::Null, Json::Bool(true)]);
        assert_eq!(read.at("b").map(|b| b.text("c")), Some("d"));
        assert_eq!(
            (read.text("a"), read.list("b").len()),
            ("", 0),
            "another kind of value is none"
        );
    }

    #[test]
    fn what_is_cut_or_no_json_is_none() {
        for text in [
            "",
            "{",
            "[1",
            "[1,",
            "{\"a\" 1}",
            "\"a",
            "[1] 2",
            "hello",
            "\"\\u12",
        ] {
            assert_eq!(Json::read(text), None, "{text}");
        }
    }
}
