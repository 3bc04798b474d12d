//! Estimates the drawing cost of an SVG: elements, repetition by references, entities, and nested
//! pictures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use syntax::hashed::HashMap;

/// Maximum number of written elements.
const MAX_ELEMENTS: usize = 20_000;
/// Maximum number of drawn elements, counting repetitions by references.
const MAX_DRAWN: u64 = 100_000;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 256;
/// The cost, in plain elements, of an element that the browser draws as a picture of its own.
const COSTLY_ELEMENT: u64 = 20;
/// Maximum size of the text with expanded entities, in bytes.
const MAX_EXPANDED_BYTES: u64 = 4 << 20;
/// Shortest allowed dash in a dash pattern.
const MIN_DASH: f64 = 0.01;

/// Returns why a picture of a media type must not be shown. The number is how many levels of
/// pictures it may contain.
type NestedCheck = fn(&str, &[u8], usize) -> Option<String>;

/// Returns why this SVG must not be shown. `check_nested` judges nested pictures.
pub(super) fn why_refused(
    bytes: &[u8],
    nesting: usize,
    check_nested: NestedCheck,
) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Some("it is not UTF-8 text, so it cannot be checked".to_owned());
    };
    if expanded_size(text).is_none_or(|size| size > MAX_EXPANDED_BYTES) {
        return Some("its entities expand too often".to_owned());
    }
    let drawing = match Drawing::read(text) {
        Ok(drawing) => drawing,
        Err(reason) => return Some(reason),
    };
    match drawing.count_drawn() {
        None => return Some("it refers to itself in a cycle".to_owned()),
        Some(drawn) if drawn > MAX_DRAWN => {
            let drawn = if drawn > 1_000_000_000 {
                "more than a billion".to_owned()
            } else {
                drawn.to_string()
            };
            return Some(format!(
                "its references draw {drawn} shapes; at most {MAX_DRAWN} are allowed"
            ));
        }
        Some(_) => {}
    }
    if has_tiny_dashes(text) {
        return Some("its lines are drawn with invisibly short dashes".to_owned());
    }
    check_embedded(text, nesting, check_nested)
}

/// Returns an upper bound of the text's size with expanded entities; `None` if they are cyclic or
/// too deep.
fn expanded_size(text: &str) -> Option<u64> {
    let mut sizes: HashMap<&str, u64> = HashMap::default();
    let mut rest = text;
    while let Some(at) = rest.find("<!ENTITY") {
        rest = &rest[at + "<!ENTITY".len()..];
        let declaration = rest.trim_start();
        // Parameter entities build declarations; pictures do not need them.
        if declaration.starts_with('%') {
            return None;
        }
        let name = declaration.split(|c: char| c.is_whitespace()).next()?;
        let value = declaration[name.len()..].trim_start();
        let quote = value.chars().next().filter(|c| "\"'".contains(*c));
        // Browsers do not load external entities.
        let Some(quote) = quote else { continue };
        let value = value[1..].split(quote).next()?;
        // Without a cycle, an entity can only name earlier ones.
        sizes.insert(name, expanded_text_size(value, &sizes)?);
        rest = &declaration[name.len()..];
    }
    if sizes.is_empty() {
        Some(text.len() as u64)
    } else {
        expanded_text_size(text, &sizes)
    }
}

/// Returns the size of a text with these entities expanded; `None` if it names an unknown one,
/// possibly itself.
fn expanded_text_size(text: &str, sizes: &HashMap<&str, u64>) -> Option<u64> {
    let mut size = text.len() as u64;
    for part in text.split('&').skip(1) {
        let name = part.split(';').next()?;
        let is_character = matches!(name, "lt" | "gt" | "amp" | "apos" | "quot")
            || name.starts_with('#')
            || name.len() > 64;
        match sizes.get(name) {
            Some(entity) => size = size.saturating_add(*entity),
            None if is_character => {}
            None => return None,
        }
    }
    Some(size)
}

/// An element of the document.
#[derive(Debug, Default)]
struct Element<'t> {
    name: &'t str,
    children: Vec<usize>,
    /// Names of elements that its attributes reference.
    references: Vec<&'t str>,
    classes: Vec<&'t str>,
}

#[derive(Debug, Default)]
struct Drawing<'t> {
    elements: Vec<Element<'t>>,
    by_id: HashMap<&'t str, usize>,
    /// References from style sheets by class; "" for rules that are not limited to a class.
    style_references: HashMap<&'t str, Vec<&'t str>>,
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
            let Some(end) = tag_end(rest) else { break };
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            if tag.starts_with('/') {
                if open.len() > 1 {
                    open.pop();
                }
                continue;
            }
            if tag.starts_with('!') {
                continue;
            }
            if drawing.elements.len() > MAX_ELEMENTS {
                return Err(format!("it has more than {MAX_ELEMENTS} elements"));
            }
            let at = drawing.elements.len();
            let element = drawing.element(tag, at);
            if element.name == "style" {
                drawing.style_sheet(rest.split("</").next().unwrap_or_default());
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

    fn element(&mut self, tag: &'t str, at: usize) -> Element<'t> {
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
                "href" => element.references.extend(value.trim().strip_prefix('#')),
                _ => element.references.extend(urls(value)),
            }
        }
        element
    }

    /// Reads rules like `.a, .b { fill: url(#c) }`; selectors other than classes apply to every
    /// element.
    fn style_sheet(&mut self, text: &'t str) {
        let text = text.trim_start().trim_start_matches("<![CDATA[");
        for rule in text.split('}') {
            let Some((selectors, body)) = rule.rsplit_once('{') else {
                continue;
            };
            let references: Vec<&str> = urls(body).collect();
            if references.is_empty() {
                continue;
            }
            // A comment or the enclosing rule may precede it.
            let selectors = selectors.rsplit(['{', ';']).next().unwrap_or(selectors);
            let selectors = selectors.rsplit("*/").next().unwrap_or(selectors);
            for selector in selectors.split(',') {
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
                self.style_references
                    .entry(class.map_or("", |(_, class)| class))
                    .or_default()
                    .extend(&references);
            }
        }
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
        let universal = self.style_references.get("").filter(|_| is_drawn);
        let style_references = element
            .classes
            .iter()
            .filter_map(|class| self.style_references.get(class))
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

/// Iterates over the names in `url(#name)`.
fn urls(text: &str) -> impl Iterator<Item = &str> {
    text.split("url(").skip(1).filter_map(|part| {
        let inside = part.split(')').next()?.trim().trim_matches(['"', '\'']);
        inside.strip_prefix('#')
    })
}

/// Whether a dash pattern is so short that a line would be drawn as millions of dashes.
fn has_tiny_dashes(text: &str) -> bool {
    text.split("stroke-dasharray").skip(1).any(|part| {
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

/// Returns why an embedded picture is not shown.
fn check_embedded(text: &str, nesting: usize, check_nested: NestedCheck) -> Option<String> {
    for part in text.split("data:").skip(1) {
        let address: &str = part.split(['"', '\'', ')']).next().unwrap_or_default();
        let Some((head, data)) = address.split_once(',') else {
            continue;
        };
        let mut parts = head.split(';');
        let kind = parts.next().unwrap_or_default().trim();
        if !kind.starts_with("image/") {
            continue;
        }
        let Some(nesting) = nesting.checked_sub(1) else {
            return Some("it holds images inside images".to_owned());
        };
        let data: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let data = data
            .replace("&#10;", "")
            .replace("&#xA;", "")
            .replace("&#13;", "")
            .replace("%0A", "");
        let bytes = if parts.any(|part| part.trim() == "base64") {
            STANDARD.decode(data).ok()
        } else {
            None
        };
        let Some(bytes) = bytes else {
            return Some("it holds an image that cannot be checked".to_owned());
        };
        if let Some(reason) = check_nested(kind, &bytes, nesting) {
            return Some(format!("image inside: {reason}"));
        }
    }
    None
}
