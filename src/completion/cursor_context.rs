//! The caret's context in a blob: the enclosing keys, whether the user types a key or a value, and
//! the neighboring values. Reads line by line, so that incomplete text works as well. Must not look
//! beyond the blob.

mod json;

/// The syntactic part that the user is typing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CursorPart {
    #[default]
    Key,
    /// The value of this key.
    Value(String),
    /// An item of the list at the end of the path.
    Item,
}

/// A key with its scalar value; "" if the value is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub key: String,
    pub value: String,
}

/// The context of a caret in a blob.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CursorContext {
    /// The blob's schema; "" if it has none yet.
    pub schema: String,
    /// Keys from the top, lists as `[]`, joined by dots: `entries.[]`.
    pub path: String,
    pub part: CursorPart,
    /// The part of the word before the caret.
    pub typed: String,
    /// Column (from 1) where the word begins.
    pub from: u32,
    /// The fields of the current mapping, then of the enclosing ones, the blob's last.
    pub around: Vec<Vec<Field>>,
    /// Whether the text is JSON, in which words are quoted.
    pub is_json: bool,
}

impl CursorContext {
    /// Returns a scalar of the mapping that is `out` levels further out; 0 is the current one.
    pub fn beside(&self, out: usize, key: &str) -> &str {
        find_scalar(self.around.get(out), key)
    }

    pub fn blob_field(&self, key: &str) -> &str {
        find_scalar(self.around.last(), key)
    }

    pub fn has_key(&self, key: &str) -> bool {
        self.around
            .first()
            .is_some_and(|fields| fields.iter().any(|field| field.key == key))
    }
}

/// Finds the context of a caret. `above` are the lines up to and including the caret's, `below`
/// those after it; `column` counts from 1.
pub fn at(above: &[String], below: &[String], column: u32) -> CursorContext {
    let start = above
        .iter()
        .rposition(|line| is_separator(line) || line.starts_with('{'))
        .unwrap_or(0);
    let is_json = above.get(start).is_some_and(|line| line.starts_with('{'));
    let Some((line, before)) = above.get(start..).and_then(<[String]>::split_last) else {
        return CursorContext::default();
    };
    if is_json {
        return json::context(before, line, below, column);
    }
    let before = if before.first().is_some_and(|line| is_separator(line)) {
        &before[1..]
    } else {
        before
    };
    let end = below
        .iter()
        .position(|line| is_separator(line))
        .unwrap_or(below.len());
    yaml_context(before, line, &below[..end], column)
}

fn find_scalar<'a>(fields: Option<&'a Vec<Field>>, key: &str) -> &'a str {
    fields
        .into_iter()
        .flatten()
        .find(|field| field.key == key)
        .map_or("", |field| &field.value)
}

fn is_separator(line: &str) -> bool {
    line.starts_with("---")
}

#[derive(Debug, Default, PartialEq)]
struct LineParts<'a> {
    /// Byte offsets of the leading dashes.
    dashes: Vec<usize>,
    /// Byte offset of the first character after them.
    indent: usize,
    key: Option<&'a str>,
    /// After the key, or after the dashes.
    value: &'a str,
    /// Byte offset of the value.
    value_start: usize,
}

fn split_line(line: &str) -> LineParts<'_> {
    let mut indent = indentation(line);
    let mut dashes = Vec::new();
    let mut rest = &line[indent..];
    while let Some(after_dash) = rest
        .strip_prefix('-')
        .filter(|after_dash| after_dash.is_empty() || after_dash.starts_with(' '))
    {
        dashes.push(indent);
        let blanks = indentation(after_dash);
        indent += 1 + blanks;
        rest = &after_dash[blanks..];
    }
    let mut parts = LineParts {
        dashes,
        indent,
        key: None,
        value: rest,
        value_start: indent,
    };
    if let Some(end) = find_key_end(rest) {
        let after_colon = &rest[end + 1..];
        let blanks = indentation(after_colon);
        parts.key = Some(unquote(&rest[..end]));
        parts.value = &after_colon[blanks..];
        parts.value_start = indent + end + 1 + blanks;
    }
    parts
}

/// Finds the colon after the key that `text` begins with.
fn find_key_end(text: &str) -> Option<usize> {
    if text.starts_with('#') {
        return None;
    }
    if let Some(quote) = opening_quote(text) {
        let end = text[1..].find(quote)? + 2;
        return text[end..].starts_with(':').then_some(end);
    }
    text.match_indices(':')
        .map(|(colon, _)| colon)
        .find(|colon| text[colon + 1..].is_empty() || text[colon + 1..].starts_with(' '))
}

fn opening_quote(text: &str) -> Option<char> {
    text.chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    let Some(quote) = opening_quote(text) else {
        return text;
    };
    let text = &text[1..];
    text.strip_suffix(quote).unwrap_or(text)
}

/// A mapping or a list that is still open at a line or, in JSON, at a character.
#[derive(Debug, Default)]
struct Level {
    /// Not used for JSON.
    indent: usize,
    is_list: bool,
    /// The key that the level below belongs to.
    key: String,
    fields: Vec<Field>,
}

impl Level {
    fn add_field(&mut self, parts: &LineParts<'_>) {
        if let Some(key) = parts.key {
            self.fields.push(Field {
                key: key.to_owned(),
                value: unquote(parts.value).to_owned(),
            });
        }
    }
}

/// The open levels, from the top.
#[derive(Debug, Default)]
struct Levels {
    open: Vec<Level>,
    /// Lines indented further than this belong to a block scalar.
    scalar_indent: Option<usize>,
}

impl Levels {
    fn read_line(&mut self, line: &str) {
        if is_blank_or_comment(line) {
            return;
        }
        let indent = indentation(line);
        if self.scalar_indent.is_some_and(|scalar| indent > scalar) {
            return;
        }
        self.scalar_indent = None;
        let parts = split_line(line);
        self.enter(&parts);
        if let (Some(key), Some(level)) = (parts.key, self.open.last_mut()) {
            key.clone_into(&mut level.key);
            let value = unquote(parts.value.split(" #").next().unwrap_or_default());
            level.fields.push(Field {
                key: key.to_owned(),
                value: value.to_owned(),
            });
        }
        if parts.value.starts_with(['|', '>']) {
            // A block scalar is indented further than its first line, or than that line's dash.
            self.scalar_indent = Some(parts.dashes.last().copied().unwrap_or(indent));
        }
    }

    /// Opens and closes levels for a line.
    fn enter(&mut self, parts: &LineParts<'_>) {
        for &dash in &parts.dashes {
            self.close(dash);
            self.push(dash, true);
        }
        if parts.dashes.is_empty() {
            self.close(parts.indent);
        }
        let last = self.open.last();
        if !parts.dashes.is_empty() || last.is_none_or(|level| level.indent < parts.indent) {
            self.push(parts.indent, false);
        }
    }

    /// Closes the levels that end before something in this column.
    fn close(&mut self, column: usize) {
        self.open
            .retain(|level| level.indent < column || level.indent == column && !level.is_list);
    }

    fn push(&mut self, indent: usize, is_list: bool) {
        self.open.push(Level {
            indent,
            is_list,
            ..Level::default()
        });
    }
}

fn path_of(open: &[Level]) -> String {
    let mut path: Vec<&str> = Vec::new();
    for (depth, level) in open.iter().enumerate() {
        if level.is_list {
            path.push("[]");
        } else if depth + 1 < open.len() {
            path.push(&level.key);
        }
    }
    path.join(".")
}

fn is_blank_or_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

fn yaml_context(before: &[String], line: &str, below: &[String], column: u32) -> CursorContext {
    let mut levels = Levels::default();
    before.iter().for_each(|line| levels.read_line(line));
    let letters = column.saturating_sub(1) as usize;
    let cut: String = line.chars().take(letters).collect();
    let indent = indentation(line);
    if !line.trim().is_empty() && levels.scalar_indent.is_some_and(|scalar| indent > scalar) {
        // A block scalar contains no keys.
        return CursorContext {
            part: CursorPart::Value(String::new()),
            from: column,
            ..CursorContext::default()
        };
    }
    levels.scalar_indent = None;
    let before_caret = split_line(&cut);
    levels.enter(&before_caret);
    let (part, typed) = match before_caret.key {
        Some(key) => (CursorPart::Value(key.to_owned()), before_caret.value),
        None if !before_caret.dashes.is_empty() && is_scalar_list(&levels) => {
            (CursorPart::Item, before_caret.value)
        }
        None => (CursorPart::Key, before_caret.value),
    };
    let quote_width = usize::from(opening_quote(typed).is_some());
    let value_start = before_caret.value_start.min(cut.len());
    let from = cut[..value_start].chars().count() + quote_width + 1;
    let typed = typed[quote_width..].to_owned();
    let path = path_of(&levels.open);
    let mut mappings: Vec<Level> = levels
        .open
        .into_iter()
        .filter(|level| !level.is_list)
        .collect();
    if before_caret.key.is_some()
        && let Some(mapping) = mappings.last_mut()
    {
        mapping.add_field(&split_line(line));
    }
    add_fields_below(below, &mut mappings);
    let around: Vec<Vec<Field>> = mappings
        .into_iter()
        .rev()
        .map(|mapping| mapping.fields)
        .collect();
    CursorContext {
        schema: find_scalar(around.last(), "schema").to_owned(),
        path,
        part,
        typed,
        from: from as u32,
        around,
        is_json: false,
    }
}

/// Whether the innermost list is a field whose items are known to be scalars.
fn is_scalar_list(levels: &Levels) -> bool {
    let list = levels.open.iter().rposition(|level| level.is_list);
    let key = list
        .and_then(|index| index.checked_sub(1))
        .and_then(|index| levels.open.get(index))
        .map(|level| level.key.as_str());
    matches!(
        key,
        Some("skips" | "keywords" | "channels" | "catalog_names")
    )
}

/// Adds the fields after the caret to the mappings that are open at the caret.
fn add_fields_below(below: &[String], mappings: &mut [Level]) {
    let mut open = mappings.len();
    let mut scalar_indent: Option<usize> = None;
    for line in below.iter().filter(|line| !is_blank_or_comment(line)) {
        let start = indentation(line);
        if scalar_indent.is_some_and(|scalar| start > scalar) {
            continue;
        }
        scalar_indent = None;
        let parts = split_line(line);
        let indent = parts.dashes.first().copied().unwrap_or(parts.indent);
        while open > 0
            && (mappings[open - 1].indent > indent
                || (mappings[open - 1].indent == indent && !parts.dashes.is_empty() && open > 1))
        {
            open -= 1;
        }
        if open == 0 {
            return;
        }
        if parts.dashes.is_empty() && mappings[open - 1].indent == indent {
            mappings[open - 1].add_field(&parts);
        }
        if parts.value.starts_with(['|', '>']) {
            scalar_indent = Some(indent);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the context at `‸`.
    pub(crate) fn context_at_mark(text: &str) -> CursorContext {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at_line = lines
            .iter()
            .position(|line| line.contains('‸'))
            .expect("a caret");
        let column = lines[at_line]
            .chars()
            .position(|letter| letter == '‸')
            .expect("a caret") as u32
            + 1;
        let lines: Vec<String> = lines.iter().map(|line| line.replace('‸', "")).collect();
        at(&lines[..=at_line], &lines[at_line + 1..], column)
    }

    const CHANNEL: &str = "---\nschema: olm.package\nname: other\n---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n- name: p.v1\n  KEY\n  skips:\n  - ITEM\n- name: p.v2\n---\nschema: olm.bundle\n";

    #[test]
    fn recognizes_a_key_of_an_entry() {
        let context = context_at_mark(&CHANNEL.replace("KEY", "rep‸"));
        assert_eq!(
            (
                context.schema.as_str(),
                context.path.as_str(),
                context.part.clone()
            ),
            ("olm.channel", "entries.[]", CursorPart::Key)
        );
        assert_eq!((context.typed.as_str(), context.from), ("rep", 3));
        assert!(
            context.has_key("name") && context.has_key("skips") && !context.has_key("replaces")
        );
        assert_eq!(
            (context.blob_field("package"), context.beside(0, "name")),
            ("p", "p.v1")
        );
    }

    #[test]
    fn recognizes_a_value_of_an_entry_and_an_item() {
        let value = context_at_mark(&CHANNEL.replace("KEY", "replaces: p.‸"));
        assert_eq!(
            (value.part.clone(), value.typed.as_str(), value.from),
            (CursorPart::Value("replaces".into()), "p.", 13)
        );
        let quoted = context_at_mark(&CHANNEL.replace("KEY", "replaces: \"p‸\""));
        assert_eq!((quoted.typed.as_str(), quoted.from), ("p", 14));
        let item = context_at_mark(&CHANNEL.replace("ITEM", "p.v‸"));
        assert_eq!(
            (item.part, item.path.as_str(), item.typed.as_str()),
            (CursorPart::Item, "entries.[].skips.[]", "p.v")
        );
        let first = context_at_mark("schema: olm.channel\nentries:\n  - na‸");
        assert_eq!(
            (first.part, first.path.as_str(), first.from),
            (CursorPart::Key, "entries.[]", 5)
        );
    }

    #[test]
    fn the_schema_may_come_last() {
        let context = context_at_mark(
            "name: p\nde‸\nicon:\n  base64data: |\n    schema: no\nschema: olm.package\n",
        );
        assert_eq!(
            (context.schema.as_str(), context.path.as_str(), context.part),
            ("olm.package", "", CursorPart::Key)
        );
        let inside = context_at_mark("name: p\nicon:\n  ba‸\nschema: olm.package\n");
        assert_eq!(
            (inside.schema.as_str(), inside.path.as_str()),
            ("olm.package", "icon")
        );
    }

    #[test]
    fn a_property_knows_its_type() {
        let text = "schema: olm.bundle\nproperties:\n- type: olm.gvk\n  value:\n    ki‸\n- type: olm.package\n";
        let context = context_at_mark(text);
        assert_eq!(
            (context.path.as_str(), context.beside(1, "type")),
            ("properties.[].value", "olm.gvk")
        );
    }

    #[test]
    fn a_text_is_not_a_key() {
        let text = "schema: olm.package\ndescription: |\n  some: te‸\nname: x\n";
        assert_eq!(context_at_mark(text).part, CursorPart::Value(String::new()));
        assert_eq!(context_at_mark("schema: a\n# na‸\n").path, "");
    }

    #[test]
    fn any_line_has_a_context() {
        for line in [
            "‸",
            "-‸",
            "- - -‸",
            "  : ‸",
            "\"a‸",
            "'‸",
            "ä: ‸ö",
            "{‸",
            "? ‸",
            "- \"a\": ‸b",
            "\t‸",
        ] {
            let _ = context_at_mark(&format!("schema: x\n{line}\nz: 1\n"));
        }
    }
}
