//! Estimates the drawing cost of an SVG: elements, repetition by references, entities, and nested
//! pictures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use syntax::hashed::HashMap;
use syntax::xml::escape;

/// Maximum number of written elements.
const MAX_ELEMENTS: usize = 20_000;
/// Maximum number of drawn elements, counting repetitions by references.
const MAX_DRAWN: u64 = 100_000;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 256;
/// Maximum number of references from style sheets, counted for each selector.
const MAX_STYLE_REFERENCES: usize = 1_000;
/// The cost, in plain elements, of an element that the browser draws as a picture of its own.
const COSTLY_ELEMENT: u64 = 20;
/// Maximum size of the text with expanded entities, in bytes.
const MAX_EXPANDED_BYTES: usize = 4 << 20;
/// Shortest allowed dash in a dash pattern.
const MIN_DASH: f64 = 0.01;

const UNCHECKED_TYPE: &str = "its document type cannot be checked";

/// Checks a picture of a media type. The number is how many levels of pictures it may contain.
/// The error is the reason why it must not be shown.
type NestedCheck = fn(&str, &[u8], usize) -> Result<(), String>;

/// Checks an SVG. The error is the reason why it must not be shown. `check_nested` judges nested
/// pictures.
pub(super) fn check(bytes: &[u8], nesting: usize, check_nested: NestedCheck) -> Result<(), String> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text, so it cannot be checked")?;
    let text = expand_entities(text)
        .ok_or("its entities expand too often, contain markup, or are not declared")?;
    let text = resolve_characters(&text);
    let drawing = Drawing::read(&text)?;
    if drawing.has_escapes() {
        return Err("its references contain escapes, so they cannot be checked".to_owned());
    }
    let drawn = drawing
        .count_drawn()
        .ok_or("it refers to itself in a cycle")?;
    if drawn > MAX_DRAWN {
        let drawn = if drawn > 1_000_000_000 {
            "more than a billion".to_owned()
        } else {
            drawn.to_string()
        };
        return Err(format!(
            "its references draw {drawn} shapes; at most {MAX_DRAWN} are allowed"
        ));
    }
    if has_tiny_dashes(&text) {
        return Err("its lines are drawn with invisibly short dashes".to_owned());
    }
    check_embedded(&text, nesting, check_nested)
}

/// Returns the text with expanded entities; `None` if they are cyclic, too long, or contain markup,
/// which pictures do not need.
fn expand_entities(text: &str) -> Option<Cow<'_, str>> {
    let mut values: HashMap<&str, String> = HashMap::default();
    let mut total = 0;
    let mut rest = text;
    while let Some(at) = rest.find("<!ENTITY") {
        rest = &rest[at + "<!ENTITY".len()..];
        let declaration = rest.trim_start();
        // Parameter entities build declarations; pictures do not need them.
        if declaration.starts_with('%') {
            return None;
        }
        let name = declaration.split(|c: char| c.is_whitespace()).next()?;
        rest = &declaration[name.len()..];
        let value = rest.trim_start();
        let quote = value.chars().next().filter(|c| "\"'".contains(*c));
        // Browsers do not load external entities.
        let Some(quote) = quote else { continue };
        let value = value[1..].split(quote).next()?;
        if value.contains(['<', '>', '"', '\'']) || value.contains("&#") {
            return None;
        }
        // Without a cycle, an entity can only name earlier ones.
        let value = expand(value, &values)?;
        // Many entities can be long without being used.
        total += value.len();
        if total > MAX_EXPANDED_BYTES || values.insert(name, value).is_some() {
            return None;
        }
    }
    if values.is_empty() {
        Some(Cow::Borrowed(text))
    } else {
        expand(text, &values).map(Cow::Owned)
    }
}

/// Returns the text with these entities expanded; `None` if it is too long or names an unknown
/// one, possibly itself.
fn expand(text: &str, values: &HashMap<&str, String>) -> Option<String> {
    let mut parts = text.split('&');
    let mut expanded = parts.next()?.to_owned();
    for part in parts {
        let name = part.split(';').next()?;
        let is_character = matches!(name, "lt" | "gt" | "amp" | "apos" | "quot")
            || name.starts_with('#')
            || name.len() > 64;
        match values.get(name) {
            Some(value) => {
                expanded += value;
                expanded += part[name.len()..].strip_prefix(';')?;
            }
            None if is_character => {
                expanded.push('&');
                expanded += part;
            }
            None => return None,
        }
        if expanded.len() > MAX_EXPANDED_BYTES {
            return None;
        }
    }
    Some(expanded)
}

/// Replaces numeric character references, so that each character is written in one way: those of
/// the markup by name, others as they are.
fn resolve_characters(text: &str) -> String {
    let mut parts = text.split('&');
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.strip_prefix('#').and_then(|part| part.split_once(';'));
        let character = number.and_then(|(number, _)| match number.strip_prefix('x') {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        });
        match (character.and_then(char::from_u32), number) {
            (Some(character), Some((_, after))) => {
                match character {
                    '\'' => resolved += "&apos;",
                    '\r' => resolved.push('\n'),
                    other => resolved += &escape(other.encode_utf8(&mut [0; 4])),
                }
                resolved += after;
            }
            _ => {
                resolved.push('&');
                resolved += part;
            }
        }
    }
    resolved
}

#[derive(Debug, Default)]
struct Element<'t> {
    name: &'t str,
    children: Vec<usize>,
    /// Ids of elements that its attributes reference.
    references: Vec<&'t str>,
    classes: Vec<&'t str>,
}

#[derive(Debug, Default)]
struct Drawing<'t> {
    elements: Vec<Element<'t>>,
    by_id: HashMap<&'t str, usize>,
    /// References from style sheets by class.
    class_references: HashMap<&'t str, Vec<&'t str>>,
    /// References of rules that are not limited to a class.
    universal_references: Vec<&'t str>,
    /// Number of references in style sheets, counted for each selector.
    style_references: usize,
}

impl<'t> Drawing<'t> {
    /// Parses the well-formed part of the text; browsers show nothing after it.
    fn read(text: &'t str) -> Result<Self, String> {
        let mut drawing = Drawing {
            elements: vec![Element::default()],
            ..Self::default()
        };
        let mut open = vec![0usize];
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            rest = &rest[at..];
            let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
            if let Some((_, end)) = skipped.iter().find(|(start, _)| rest.starts_with(start)) {
                let Some(end_at) = rest.find(end) else { break };
                rest = &rest[end_at + end.len()..];
                continue;
            }
            let end = match tag_end(rest) {
                Some(end) => end,
                None if rest.starts_with("<!") => return Err(UNCHECKED_TYPE.to_owned()),
                None => break,
            };
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            if tag.starts_with('/') {
                if open.len() > 1 {
                    open.pop();
                }
                continue;
            }
            if tag.starts_with('!') {
                // A comment could hide the end of the type; a list supplies default attributes.
                if ["<!--", "<?", "<!ATTLIST"]
                    .iter()
                    .any(|part| tag.contains(part))
                {
                    return Err(UNCHECKED_TYPE.to_owned());
                }
                continue;
            }
            if drawing.elements.len() > MAX_ELEMENTS {
                return Err(format!("it has more than {MAX_ELEMENTS} elements"));
            }
            let at = drawing.elements.len();
            let element = drawing.read_element(tag, at);
            if element.name == "style" && !tag.ends_with('/') {
                drawing.read_style_sheet(rest.split("</").next().unwrap_or_default())?;
            }
            drawing.elements.push(element);
            if let Some(&parent) = open.last() {
                drawing.elements[parent].children.push(at);
            }
            if !tag.ends_with('/') {
                open.push(at);
            }
            if open.len() > MAX_DEPTH {
                return Err(format!(
                    "its elements are nested more than {MAX_DEPTH} levels deep"
                ));
            }
        }
        Ok(drawing)
    }

    /// Reads a tag, and registers its id for the element number `at`.
    fn read_element(&mut self, tag: &'t str, at: usize) -> Element<'t> {
        let name = tag
            .split(|c: char| c.is_whitespace() || c == '/')
            .next()
            .unwrap_or_default();
        let mut element = Element {
            name: name.rsplit(':').next().unwrap_or(name),
            ..Element::default()
        };
        for (key, value) in attributes(&tag[name.len()..]) {
            match key.rsplit(':').next().unwrap_or(key) {
                "id" => drop(self.by_id.entry(value).or_insert(at)),
                "class" => element.classes.extend(value.split_whitespace()),
                "href" => element.references.extend(fragment(value)),
                // Attributes of other namespaces are not styles.
                _ if key.contains(':') => {}
                // Animations set references to these values.
                _ => element
                    .references
                    .extend(references(value).chain(value.split(';').filter_map(fragment))),
            }
        }
        element.classes.sort_unstable();
        element.classes.dedup();
        element
    }

    /// Reads rules like `.a, .b { fill: url(#c) }`; selectors other than classes apply to every
    /// element.
    fn read_style_sheet(&mut self, text: &'t str) -> Result<(), String> {
        // The text ends at the first `</`, which may be in a comment or in character data.
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>")] {
            if text.matches(start).count() != text.matches(end).count() {
                return Err("its style sheet cannot be checked".to_owned());
            }
        }
        let text = text.trim_start().trim_start_matches("<![CDATA[");
        for rule in text.split('}') {
            let Some((selectors, _)) = rule.rsplit_once('{') else {
                continue;
            };
            let references: Vec<&str> = references(rule).collect();
            if references.is_empty() {
                continue;
            }
            // A comment or the enclosing rule may precede it.
            let selectors = selectors.rsplit(['{', ';']).next().unwrap_or(selectors);
            let selectors = selectors.rsplit("*/").next().unwrap_or(selectors);
            for selector in selectors.split(',') {
                self.style_references += references.len();
                if self.style_references > MAX_STYLE_REFERENCES {
                    return Err(format!(
                        "its style sheets have more than {MAX_STYLE_REFERENCES} references"
                    ));
                }
                // The class of `g > path.a:hover`, which matches more elements than the selector.
                let last = selector
                    .trim()
                    .rsplit(|c: char| c.is_whitespace() || ">+~".contains(c))
                    .next();
                let class = last
                    .unwrap_or_default()
                    .split([':', '['])
                    .next()
                    .unwrap_or_default()
                    .rsplit_once('.');
                match class {
                    Some((_, class)) => self.class_references.entry(class).or_default(),
                    None => &mut self.universal_references,
                }
                .extend_from_slice(&references);
            }
        }
        Ok(())
    }

    /// Whether a reference contains escapes or line breaks, which browsers decode or ignore.
    fn has_escapes(&self) -> bool {
        let of_elements = self.elements.iter().flat_map(|element| &element.references);
        let of_classes = self.class_references.values().flatten();
        of_elements
            .chain(of_classes)
            .chain(&self.universal_references)
            .any(|id| id.contains(['%', '\\', '\t', '\n', '\r']))
    }

    /// Counts the drawn elements, including repetitions; `None` for a cycle.
    fn count_drawn(&self) -> Option<u64> {
        let mut counts = vec![CountState::New; self.elements.len()];
        // Iterative depth-first search: an element is counted after everything it draws.
        let mut stack = vec![0usize];
        while let Some(&at) = stack.last() {
            match counts[at] {
                CountState::Counted(_) => {
                    stack.pop();
                }
                CountState::New => {
                    counts[at] = CountState::Open;
                    for next in self.drawn_by(at) {
                        match counts[next] {
                            CountState::Open => return None,
                            CountState::New => stack.push(next),
                            CountState::Counted(_) => {}
                        }
                    }
                }
                CountState::Open => {
                    let cost = self.cost(at);
                    let total = self
                        .drawn_by(at)
                        .fold(cost, |total, next| match counts[next] {
                            CountState::Counted(drawn) => total.saturating_add(drawn),
                            CountState::New | CountState::Open => total,
                        });
                    counts[at] = CountState::Counted(total);
                    stack.pop();
                }
            }
        }
        match counts.first() {
            Some(CountState::Counted(drawn)) => Some(*drawn),
            _ => None,
        }
    }

    fn cost(&self, at: usize) -> u64 {
        let name = self.elements[at].name;
        let is_costly = matches!(name, "pattern" | "mask" | "filter" | "foreignObject")
            || name.starts_with("fe");
        if is_costly { COSTLY_ELEMENT } else { 1 }
    }

    /// Iterates over the children and the referenced elements.
    fn drawn_by(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let element = &self.elements[at];
        let is_drawn = at != 0
            && !matches!(
                element.name,
                "svg" | "defs" | "style" | "title" | "metadata"
            );
        let universal = is_drawn.then_some(&self.universal_references);
        let style_references = element
            .classes
            .iter()
            .filter_map(|class| self.class_references.get(class))
            .chain(universal)
            .flatten();
        let references = element
            .references
            .iter()
            .chain(style_references)
            .filter_map(|id| self.by_id.get(id))
            .copied();
        // A rule for an element that references a pattern or gradient may also style its content.
        element
            .children
            .iter()
            .copied()
            .chain(references.filter(move |&to| to != at))
    }
}

#[derive(Debug, Clone, Copy)]
enum CountState {
    New,
    Open,
    Counted(u64),
}

/// Returns the end of the tag that starts here: the first `>` outside of quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    // A document type may contain declarations in brackets.
    let mut brackets = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(q), b) if q == b => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[') => brackets += 1,
            (None, b']') => brackets = brackets.saturating_sub(1),
            (None, b'>') if brackets == 0 || !text.starts_with("<!DOCTYPE") => return Some(at),
            _ => {}
        }
    }
    None
}

fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (key, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| "\"'".contains(*c))?;
        let (value, after) = value[1..].split_once(quote)?;
        rest = after;
        Some((key.trim(), value))
    })
}

/// Returns the parts of a text after each occurrence of `start`, in lower or upper case.
fn parts_after<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    let mut at = 0;
    let parts = text.to_ascii_lowercase();
    let parts = parts.split(start).map(|part| {
        let from = at;
        at += part.len() + start.len();
        &text[from..from + part.len()]
    });
    parts.skip(1).collect()
}

/// Iterates over the ids in `url(#id)`, and the style itself if it contains escapes like
/// `\75rl(#id)`, which [`Drawing::has_escapes`] refuses.
fn references(style: &str) -> impl Iterator<Item = &str> {
    let urls = parts_after(style, "url(").into_iter().filter_map(|part| {
        let quotes = ["&quot;", "&apos;", "\"", "'"];
        let inside = part.split(')').next()?.trim();
        quotes
            .iter()
            .find_map(|quote| fragment(inside.strip_prefix(quote)?.strip_suffix(quote)?))
            .or_else(|| fragment(inside))
    });
    // A function needs its parenthesis, however its name is spelled.
    let has_escaped_function = style.contains('\\') && style.contains('(');
    urls.chain(has_escaped_function.then_some(style))
}

fn fragment(address: &str) -> Option<&str> {
    address.trim().strip_prefix('#')
}

/// Whether a dash pattern is so short that a line would be drawn as millions of dashes.
fn has_tiny_dashes(text: &str) -> bool {
    parts_after(text, "stroke-dasharray")
        .into_iter()
        .any(|part| {
            let value = part
                .trim_start()
                .trim_start_matches([':', '='])
                .trim_start()
                .trim_start_matches(['"', '\'']);
            let list: &str = value
                .split(['"', '\'', ';', '}', '<', '!'])
                .next()
                .unwrap_or_default();
            let numbers: Vec<f64> = list
                .split(|c: char| c == ',' || c.is_whitespace())
                .filter_map(|number| {
                    number
                        .trim_end_matches(|c: char| c.is_alphabetic() || c == '%')
                        .parse()
                        .ok()
                })
                .collect();
            let sum: f64 = numbers.iter().sum();
            !numbers.is_empty() && sum > 0.0 && sum < MIN_DASH
        })
}

/// Checks embedded pictures. The error is the reason why one must not be shown.
fn check_embedded(text: &str, nesting: usize, check_nested: NestedCheck) -> Result<(), String> {
    // Browsers ignore line breaks in addresses.
    let text = text.replace(['\t', '\n', '\r'], "");
    for part in parts_after(&text, "data:") {
        let address: &str = part.split(['"', '\'', ')', '&']).next().unwrap_or_default();
        let Some((head, data)) = address.split_once(',') else {
            continue;
        };
        let head = head.to_ascii_lowercase();
        let mut parts = head.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let is_base64 = parts.any(|part| part == "base64");
        // Browsers detect images by their bytes, whatever their type.
        if !media_type.starts_with("image/") && (!is_base64 || media_type.contains("font")) {
            continue;
        }
        let nesting = nesting
            .checked_sub(1)
            .ok_or("it holds images inside images")?;
        let data = data.replace(' ', "").replace("%0a", "").replace("%0A", "");
        let bytes = Some(data)
            .filter(|_| is_base64)
            .and_then(|data| STANDARD.decode(data).ok())
            .ok_or("it holds an image that cannot be checked")?;
        check_nested(media_type, &bytes, nesting)
            .map_err(|reason| format!("image inside: {reason}"))?;
    }
    Ok(())
}
