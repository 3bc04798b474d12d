//! The caret's context in a JSON blob, found by counting brackets and quotes; see [`super`].

use crate::cursor_context::{CursorContext, CursorPart};

/// Most bytes after the caret that are searched for the blob's schema.
const BEHIND: usize = 64 * 1024;

/// An open object or list.
#[derive(Debug, Default)]
struct Level {
    is_list: bool,
    key: String,
    keys: Vec<(String, String)>,
    /// Whether a value is next, after a colon.
    is_value: bool,
}

/// Reads character by character up to the caret; keeps the open levels with their keys.
#[derive(Debug, Default)]
struct Reader {
    open: Vec<Level>,
    /// The current string, and whether its last character was a backslash.
    string: Option<String>,
    is_escaped: bool,
    /// The current number or word.
    word: String,
}

impl Reader {
    fn letter(&mut self, letter: char) {
        if let Some(string) = &mut self.string {
            match letter {
                _ if self.is_escaped => {
                    string.push(letter);
                    self.is_escaped = false;
                }
                '\\' => self.is_escaped = true,
                '"' => {
                    let string = self.string.take().unwrap_or_default();
                    self.scalar(string);
                }
                letter => string.push(letter),
            }
            return;
        }
        match letter {
            '"' => self.string = Some(String::new()),
            '{' | '[' => self.open.push(Level {
                is_list: letter == '[',
                ..Level::default()
            }),
            '}' | ']' => {
                self.open.pop();
                if let Some(level) = self.open.last_mut() {
                    level.is_value = false;
                }
            }
            ':' => {
                if let Some(level) = self.open.last_mut() {
                    level.is_value = true;
                }
            }
            ',' => {
                self.word.clear();
                if let Some(level) = self.open.last_mut() {
                    level.is_value = false;
                }
            }
            letter if letter.is_whitespace() => {}
            letter => self.word.push(letter),
        }
    }

    fn scalar(&mut self, text: String) {
        let Some(level) = self.open.last_mut().filter(|level| !level.is_list) else {
            return;
        };
        if level.is_value {
            if let Some((_, value)) = level.keys.last_mut() {
                *value = text;
            }
            level.is_value = false;
        } else {
            level.key.clone_from(&text);
            level.keys.push((text, String::new()));
        }
    }
}

pub fn at(before: &[String], line: &str, below: &[String], column: u32) -> CursorContext {
    let mut reader = Reader::default();
    for line in before {
        line.chars().for_each(|letter| reader.letter(letter));
        reader.letter('\n');
    }
    let letters = column.saturating_sub(1) as usize;
    line.chars()
        .take(letters)
        .for_each(|letter| reader.letter(letter));
    let mut path = Vec::new();
    for (at, level) in reader.open.iter().enumerate() {
        if level.is_list {
            path.push("[]");
        } else if at + 1 < reader.open.len() {
            path.push(&level.key);
        }
    }
    let path = path.join(".");
    let part = match reader.open.last() {
        Some(level) if level.is_list => CursorPart::Item,
        Some(level) if level.is_value => CursorPart::Value(level.key.clone()),
        _ => CursorPart::Key,
    };
    let typed = reader.string.clone().unwrap_or_default();
    let from = column.saturating_sub(typed.chars().count() as u32).max(1);
    let is_in_string = reader.string.is_some();
    let around = keys_behind(reader, line.chars().skip(letters), below);
    let schema = super::scalar_of(around.last(), "schema").to_owned();
    // Only quoted text counts as a word.
    let part = if is_in_string {
        part
    } else {
        CursorPart::Value(String::new())
    };
    CursorContext {
        schema,
        path,
        part,
        typed,
        from,
        around,
        is_json: true,
    }
}

/// Returns the keys of the open objects, innermost first, including those after the caret.
fn keys_behind(
    mut reader: Reader,
    rest: impl Iterator<Item = char>,
    below: &[String],
) -> Vec<Vec<(String, String)>> {
    let mut open = reader.open.len();
    let mut found: Vec<Vec<(String, String)>> = Vec::new();
    if reader.string.take().is_some_and(|typed| !typed.is_empty()) {
        // Ignore the word at the caret up to its closing quote.
        reader.string = Some(String::new());
    }
    let later = rest.chain(
        below
            .iter()
            .flat_map(|line| std::iter::once('\n').chain(line.chars())),
    );
    for letter in later.take(BEHIND) {
        let depth = reader.open.len();
        let innermost =
            open > 0 && matches!(letter, '}' | ']') && reader.string.is_none() && depth == open;
        if innermost {
            if let Some(level) = reader.open.last().filter(|level| !level.is_list) {
                found.push(level.keys.clone());
            }
            open = open.saturating_sub(1);
        }
        reader.letter(letter);
        if open == 0 {
            break;
        }
    }
    let rest = reader
        .open
        .into_iter()
        .take(open)
        .rev()
        .filter(|level| !level.is_list);
    found.extend(rest.map(|level| level.keys));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor_context::tests::spot;

    #[test]
    fn a_value_and_a_key_in_json() {
        let text = "{\"schema\": \"olm.bundle\"}\n{\n  \"name\": \"stable\",\n  \"entries\": [\n    {\n      \"name\": \"p.v2\",\n      \"replaces\": \"p.‸\"\n    }\n  ],\n  \"package\": \"p\",\n  \"schema\": \"olm.channel\"\n}\n{\"schema\": \"other\"}";
        let value = spot(text);
        assert_eq!(
            (value.schema.as_str(), value.path.as_str()),
            ("olm.channel", "entries.[]")
        );
        assert_eq!(
            (value.part.clone(), value.typed.as_str(), value.from),
            (CursorPart::Value("replaces".into()), "p.", 20)
        );
        assert_eq!(
            (value.blob_field("package"), value.beside(0, "name")),
            ("p", "p.v2")
        );
        let key = spot(&text.replace("\"replaces\": \"p.‸\"", "\"sk‸\""));
        assert_eq!((key.part, key.typed.as_str()), (CursorPart::Key, "sk"));
    }

    #[test]
    fn an_item_of_a_list_and_outside_of_words() {
        let item = spot(
            "{\n \"schema\": \"olm.channel\",\n \"entries\": [{\"skips\": [\"a\", \"‸\"]}]\n}",
        );
        assert_eq!(
            (item.part, item.path.as_str(), item.schema.as_str()),
            (CursorPart::Item, "entries.[].skips.[]", "olm.channel")
        );
        assert_eq!(
            spot("{\n \"a\": 1,‸\n}").part,
            CursorPart::Value(String::new())
        );
        for text in ["{‸", "{\"‸", "{\"a\\‸", "{]}‸}", "{\n}}}‸{"] {
            let _ = spot(text);
        }
    }
}
