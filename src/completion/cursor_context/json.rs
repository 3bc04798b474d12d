//! The caret's context in a JSON blob, found by counting brackets and quotes; see [`super`].

use crate::cursor_context::{CursorContext, CursorPart, Field, Level};

/// Most characters after the caret that are searched for the blob's schema.
const MAX_CHARS_AFTER_CARET: usize = 64 * 1024;

/// Reads character by character up to the caret; keeps the open levels with their keys.
#[derive(Debug, Default)]
struct Reader {
    open: Vec<Level>,
    /// Whether a value is next, after a colon.
    is_value: bool,
    string: Option<String>,
    /// Whether the last character was a backslash in a string.
    is_escaped: bool,
}

impl Reader {
    fn read(&mut self, letter: char) {
        if let Some(string) = &mut self.string {
            match letter {
                _ if self.is_escaped => {
                    string.push(letter);
                    self.is_escaped = false;
                }
                '\\' => self.is_escaped = true,
                '"' => {
                    let string = self.string.take().unwrap_or_default();
                    self.add_scalar(string);
                }
                letter => string.push(letter),
            }
            return;
        }
        match letter {
            '"' => self.string = Some(String::new()),
            '{' | '[' => {
                self.open.push(Level {
                    is_list: letter == '[',
                    ..Level::default()
                });
                self.is_value = false;
            }
            '}' | ']' => {
                self.open.pop();
                self.is_value = false;
            }
            ':' => self.is_value = true,
            ',' => self.is_value = false,
            _ => {}
        }
    }

    fn add_scalar(&mut self, text: String) {
        let Some(level) = self.open.last_mut().filter(|level| !level.is_list) else {
            return;
        };
        if self.is_value {
            if let Some(field) = level.fields.last_mut() {
                field.value = text;
            }
            self.is_value = false;
        } else {
            level.key.clone_from(&text);
            level.fields.push(Field {
                key: text,
                value: String::new(),
            });
        }
    }

    /// Returns the part at the caret. Only quoted text counts as a word.
    fn part(&self) -> CursorPart {
        if self.string.is_none() {
            return CursorPart::Value(String::new());
        }
        match self.open.last() {
            Some(level) if level.is_list => CursorPart::Item,
            Some(level) if self.is_value => CursorPart::Value(level.key.clone()),
            _ => CursorPart::Key,
        }
    }
}

pub fn context(before: &[String], line: &str, below: &[String], column: u32) -> CursorContext {
    let mut reader = Reader::default();
    for line in before {
        line.chars().for_each(|letter| reader.read(letter));
        reader.read('\n');
    }
    let letters = column.saturating_sub(1) as usize;
    line.chars()
        .take(letters)
        .for_each(|letter| reader.read(letter));
    let path = super::path_of(&reader.open);
    let part = reader.part();
    let typed = reader.string.clone().unwrap_or_default();
    let from = column.saturating_sub(typed.chars().count() as u32).max(1);
    let around = finish_fields(reader, line.chars().skip(letters), below);
    let schema = super::find_scalar(around.last(), "schema").to_owned();
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

/// Returns the fields of the open objects, innermost first, including those after the caret.
fn finish_fields(
    mut reader: Reader,
    after_caret: impl Iterator<Item = char>,
    below: &[String],
) -> Vec<Vec<Field>> {
    let mut open = reader.open.len();
    let mut found: Vec<Vec<Field>> = Vec::new();
    if reader.string.take().is_some_and(|typed| !typed.is_empty()) {
        // Ignore the word at the caret up to its closing quote.
        reader.string = Some(String::new());
    }
    let later = after_caret.chain(
        below
            .iter()
            .flat_map(|line| std::iter::once('\n').chain(line.chars())),
    );
    for letter in later.take(MAX_CHARS_AFTER_CARET) {
        let closes_open_level = open > 0
            && matches!(letter, '}' | ']')
            && reader.string.is_none()
            && reader.open.len() == open;
        if closes_open_level {
            if let Some(level) = reader.open.last().filter(|level| !level.is_list) {
                found.push(level.fields.clone());
            }
            open -= 1;
        }
        reader.read(letter);
        if open == 0 {
            break;
        }
    }
    let unclosed = reader
        .open
        .into_iter()
        .take(open)
        .rev()
        .filter(|level| !level.is_list);
    found.extend(unclosed.map(|level| level.fields));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor_context::tests::context_at_mark;

    #[test]
    fn recognizes_a_value_and_a_key_in_json() {
        let text = "{\"schema\": \"olm.bundle\"}\n{\n  \"name\": \"stable\",\n  \"entries\": [\n    {\n      \"name\": \"p.v2\",\n      \"replaces\": \"p.‸\"\n    }\n  ],\n  \"package\": \"p\",\n  \"schema\": \"olm.channel\"\n}\n{\"schema\": \"other\"}";
        let value = context_at_mark(text);
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
        let key = context_at_mark(&text.replace("\"replaces\": \"p.‸\"", "\"sk‸\""));
        assert_eq!((key.part, key.typed.as_str()), (CursorPart::Key, "sk"));
    }

    #[test]
    fn recognizes_an_item_and_places_outside_of_words() {
        let item = context_at_mark(
            "{\n \"schema\": \"olm.channel\",\n \"entries\": [{\"skips\": [\"a\", \"‸\"]}]\n}",
        );
        assert_eq!(
            (item.part, item.path.as_str(), item.schema.as_str()),
            (CursorPart::Item, "entries.[].skips.[]", "olm.channel")
        );
        assert_eq!(
            context_at_mark("{\n \"a\": 1,‸\n}").part,
            CursorPart::Value(String::new())
        );
        for text in ["{‸", "{\"‸", "{\"a\\‸", "{]}‸}", "{\n}}}‸{"] {
            let _ = context_at_mark(text);
        }
    }
}
