//! The caret's context in a YAML blob: the enclosing keys, whether it is at a key or a value, and the neighboring
//! values. Reads line by line, so that incomplete text works as well. Must not look beyond the blob.

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

/// The context of a caret in a blob.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CursorContext {
    /// The blob's schema; "" if it has none yet.
    pub schema: String,
    /// Keys from the top, lists as `[]`, joined by dots: `entries.[]`.
    pub path: String,
    pub part: CursorPart,
    /// The part of the word before the caret, and the column (from 1) where the word begins.
    pub typed: String,
    pub from: u32,
    /// Keys with scalar values of the current mapping, then of the enclosing ones from the innermost to the blob
    /// itself.
    pub around: Vec<Vec<(String, String)>>,
    /// Whether the text is JSON, in which words are quoted.
    pub is_json: bool,
}

impl CursorContext {
    /// Returns a scalar of the mapping that is `out` levels further out; 0 is the current one.
    pub fn beside(&self, out: usize, key: &str) -> &str {
        scalar_of(self.around.get(out), key)
    }

    /// Returns a scalar of the blob itself.
    pub fn blob_field(&self, key: &str) -> &str {
        scalar_of(self.around.last(), key)
    }

    pub fn has_key(&self, key: &str) -> bool {
        self.around
            .first()
            .is_some_and(|keys| keys.iter().any(|(known, _)| known == key))
    }
}

fn scalar_of<'a>(keys: Option<&'a Vec<(String, String)>>, key: &str) -> &'a str {
    keys.into_iter()
        .flatten()
        .find(|(known, _)| known == key)
        .map_or("", |(_, value)| value)
}

/// Finds the context of a caret. `above` are the lines up to and including the caret's, `below` those after it;
/// `column` counts from 1.
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
        return json::at(before, line, below, column);
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
    yaml(before, line, &below[..end], column)
}

fn is_separator(line: &str) -> bool {
    line.starts_with("---")
}

/// The parts of a YAML line.
#[derive(Debug, Default, PartialEq)]
struct Parts<'a> {
    /// Columns (from 0) of the leading dashes.
    dashes: Vec<usize>,
    /// Column of the first character after them.
    indent: usize,
    key: Option<&'a str>,
    /// The text after the key, or after the dashes.
    value: &'a str,
    /// Column where the value begins.
    value_at: usize,
}

fn parts(line: &str) -> Parts<'_> {
    let mut indent = indentation(line);
    let mut dashes = Vec::new();
    let mut rest = &line[indent..];
    while let Some(behind) = rest
        .strip_prefix('-')
        .filter(|behind| behind.is_empty() || behind.starts_with(' '))
    {
        dashes.push(indent);
        let blanks = indentation(behind);
        indent += 1 + blanks;
        rest = &behind[blanks..];
    }
    let quote = rest
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''));
    let key_end = match quote {
        Some(quote) => rest[1..]
            .find(quote)
            .map(|at| at + 2)
            .filter(|at| rest[*at..].starts_with(':')),
        None => rest
            .match_indices(':')
            .map(|(at, _)| at)
            .find(|at| rest[at + 1..].is_empty() || rest[at + 1..].starts_with(' ')),
    };
    let mut parts = Parts {
        dashes,
        indent,
        key: None,
        value: rest,
        value_at: indent,
    };
    if let Some(end) = key_end.filter(|_| !rest.starts_with('#')) {
        let behind = &rest[end + 1..];
        let blanks = indentation(behind);
        parts.key = Some(unquote(&rest[..end]));
        parts.value = &behind[blanks..];
        parts.value_at = indent + end + 1 + blanks;
    }
    parts
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    let inside = |quote: char| {
        text.strip_prefix(quote)
            .map(|text| text.strip_suffix(quote).unwrap_or(text))
    };
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// A mapping or a list that is still open at a line.
#[derive(Debug)]
struct Level {
    indent: usize,
    is_list: bool,
    /// The key that the level below belongs to.
    key: String,
    keys: Vec<(String, String)>,
}

/// The open levels, from the top.
#[derive(Debug, Default)]
struct Levels {
    open: Vec<Level>,
    /// Lines indented further than this belong to a block scalar.
    scalar: Option<usize>,
}

impl Levels {
    fn line(&mut self, line: &str) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            return;
        }
        let indent = indentation(line);
        if self.scalar.is_some_and(|scalar| indent > scalar) {
            return;
        }
        self.scalar = None;
        let parts = parts(line);
        self.enter(&parts);
        if let (Some(key), Some(level)) = (parts.key, self.open.last_mut()) {
            key.clone_into(&mut level.key);
            let value = unquote(parts.value.split(" #").next().unwrap_or_default());
            level.keys.push((key.to_owned(), value.to_owned()));
        }
        if parts.value.starts_with(['|', '>']) {
            // A block scalar is indented further than its first line, or than that line's dash.
            self.scalar = Some(parts.dashes.last().copied().unwrap_or(indent));
        }
    }

    /// Opens and closes levels for a line.
    fn enter(&mut self, parts: &Parts<'_>) {
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
            key: String::new(),
            keys: Vec::new(),
        });
    }

    fn path(&self, open: &[Level]) -> String {
        let mut path: Vec<&str> = Vec::new();
        for (at, level) in open.iter().enumerate() {
            if level.is_list {
                path.push("[]");
            } else if at + 1 < open.len() {
                path.push(&level.key);
            }
        }
        path.join(".")
    }
}

fn yaml(before: &[String], line: &str, below: &[String], column: u32) -> CursorContext {
    let mut levels = Levels::default();
    before.iter().for_each(|line| levels.line(line));
    let letters = column.saturating_sub(1) as usize;
    let cut: String = line.chars().take(letters).collect();
    let indent = indentation(line);
    if !line.trim().is_empty() && levels.scalar.is_some_and(|scalar| indent > scalar) {
        // A block scalar contains no keys.
        return CursorContext {
            part: CursorPart::Value(String::new()),
            from: column,
            ..CursorContext::default()
        };
    }
    levels.scalar = None;
    let before_caret = parts(&cut);
    let whole = parts(line);
    levels.enter(&before_caret);
    let (part, typed) = match before_caret.key {
        Some(key) => (CursorPart::Value(key.to_owned()), before_caret.value),
        None if !before_caret.dashes.is_empty() && is_scalar_list(&levels) => {
            (CursorPart::Item, before_caret.value)
        }
        None => (CursorPart::Key, before_caret.value),
    };
    let quote = typed
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''));
    let skipped = usize::from(quote.is_some());
    let from = cut[..before_caret.value_at.min(cut.len())].chars().count() + skipped + 1;
    let typed = typed[skipped..].to_owned();
    let path = levels.path(&levels.open);
    // Collect the keys before the caret and after it.
    let mut mappings: Vec<(usize, Vec<(String, String)>)> = levels
        .open
        .into_iter()
        .filter(|level| !level.is_list)
        .map(|level| (level.indent, level.keys))
        .collect();
    if let (Some(key), Some(here)) = (
        whole.key.filter(|_| before_caret.key.is_some()),
        mappings.last_mut(),
    ) {
        here.1
            .push((key.to_owned(), unquote(whole.value).to_owned()));
    }
    add_keys_below(below, &mut mappings);
    let mut around: Vec<Vec<(String, String)>> =
        mappings.into_iter().map(|(_, keys)| keys).collect();
    around.reverse();
    CursorContext {
        schema: scalar_of(around.last(), "schema").to_owned(),
        path,
        part,
        typed,
        from: from as u32,
        around,
        is_json: false,
    }
}

/// Whether the items of the innermost list are scalars, if the field is known.
fn is_scalar_list(levels: &Levels) -> bool {
    let lists = levels.open.iter().rposition(|level| level.is_list);
    let key = lists
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| levels.open.get(at))
        .map(|level| level.key.as_str());
    matches!(
        key,
        Some("skips" | "keywords" | "channels" | "catalog_names")
    )
}

/// Adds the keys after the caret to the mappings that are open at the caret.
fn add_keys_below(below: &[String], mappings: &mut [(usize, Vec<(String, String)>)]) {
    let mut open = mappings.len();
    let mut scalar: Option<usize> = None;
    for line in below {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let start = indentation(line);
        if scalar.is_some_and(|scalar| start > scalar) {
            continue;
        }
        scalar = None;
        let parts = parts(line);
        let indent = parts.dashes.first().copied().unwrap_or(parts.indent);
        while open > 0
            && (mappings[open - 1].0 > indent
                || (mappings[open - 1].0 == indent && !parts.dashes.is_empty() && open > 1))
        {
            open -= 1;
        }
        if open == 0 {
            return;
        }
        if parts.dashes.is_empty()
            && mappings[open - 1].0 == indent
            && let Some(key) = parts.key
        {
            mappings[open - 1]
                .1
                .push((key.to_owned(), unquote(parts.value).to_owned()));
        }
        if parts.value.starts_with(['|', '>']) {
            scalar = Some(indent);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the context at `‸`.
    pub(crate) fn spot(text: &str) -> CursorContext {
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
    fn a_key_of_an_entry() {
        let spot = spot(&CHANNEL.replace("KEY", "rep‸"));
        assert_eq!(
            (spot.schema.as_str(), spot.path.as_str(), spot.part.clone()),
            ("olm.channel", "entries.[]", CursorPart::Key)
        );
        assert_eq!((spot.typed.as_str(), spot.from), ("rep", 3));
        assert!(spot.has_key("name") && spot.has_key("skips") && !spot.has_key("replaces"));
        assert_eq!(
            (spot.blob_field("package"), spot.beside(0, "name")),
            ("p", "p.v1")
        );
    }

    #[test]
    fn a_value_of_an_entry_and_an_item() {
        let value = spot(&CHANNEL.replace("KEY", "replaces: p.‸"));
        assert_eq!(
            (value.part.clone(), value.typed.as_str(), value.from),
            (CursorPart::Value("replaces".into()), "p.", 13)
        );
        let quoted = spot(&CHANNEL.replace("KEY", "replaces: \"p‸\""));
        assert_eq!((quoted.typed.as_str(), quoted.from), ("p", 14));
        let item = spot(&CHANNEL.replace("ITEM", "p.v‸"));
        assert_eq!(
            (item.part, item.path.as_str(), item.typed.as_str()),
            (CursorPart::Item, "entries.[].skips.[]", "p.v")
        );
        let first = spot("schema: olm.channel\nentries:\n  - na‸");
        assert_eq!(
            (first.part, first.path.as_str(), first.from),
            (CursorPart::Key, "entries.[]", 5)
        );
    }

    #[test]
    fn the_schema_may_come_last() {
        let spot =
            spot("name: p\nde‸\nicon:\n  base64data: |\n    schema: no\nschema: olm.package\n");
        assert_eq!(
            (spot.schema.as_str(), spot.path.as_str(), spot.part),
            ("olm.package", "", CursorPart::Key)
        );
        let inside = self::spot("name: p\nicon:\n  ba‸\nschema: olm.package\n");
        assert_eq!(
            (inside.schema.as_str(), inside.path.as_str()),
            ("olm.package", "icon")
        );
    }

    #[test]
    fn a_property_knows_its_type() {
        let text = "schema: olm.bundle\nproperties:\n- type: olm.gvk\n  value:\n    ki‸\n- type: olm.package\n";
        let spot = spot(text);
        assert_eq!(
            (spot.path.as_str(), spot.beside(1, "type")),
            ("properties.[].value", "olm.gvk")
        );
    }

    #[test]
    fn a_text_is_no_key() {
        let text = "schema: olm.package\ndescription: |\n  some: te‸\nname: x\n";
        assert_eq!(spot(text).part, CursorPart::Value(String::new()));
        assert_eq!(spot("schema: a\n# na‸\n").path, "");
    }

    #[test]
    fn any_line_gives_some_spot() {
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
            let _ = spot(&format!("schema: x\n{line}\nz: 1\n"));
        }
    }
}
