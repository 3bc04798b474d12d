//! Estimates the drawing cost of an SVG: elements, repetition by references, entities, and nested
//! pictures.
//!
//! The page shows pictures as `<img>`, where browsers run no script and load nothing. What remains
//! is a small file that takes minutes to draw.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use roxmltree::{Attribute, Document, Node, ParsingOptions};
use syntax::hashed::{HashMap, HashSet};

/// Maximum number of elements, texts and comments.
const MAX_NODES: u32 = 40_000;
/// Maximum number of drawn elements, counting repetitions by references.
const MAX_DRAWN: u64 = 100_000;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 256;
/// Maximum number of attributes of a tag, and of namespace declarations.
const MAX_ATTRIBUTES: usize = 1_000;
/// Maximum number of references of an attribute, and of all style sheets for each of their
/// selectors.
const MAX_REFERENCES: usize = 1_000;
/// The cost, in plain elements, of an element that the browser draws as a picture of its own.
const COSTLY_ELEMENT: u64 = 20;
/// Maximum size of all expanded entities, in bytes.
const MAX_EXPANDED_BYTES: usize = 4 << 20;
/// Shortest allowed dash in a dash pattern.
const MIN_DASH: f64 = 0.01;
const XLINK: &str = "http://www.w3.org/1999/xlink";

/// Checks a picture of a media type. The number is how many levels of pictures it may contain.
/// The error is the reason why it must not be shown.
type NestedCheck = fn(&str, &[u8], usize) -> Result<(), String>;

/// Checks an SVG. The error is the reason why it must not be shown. `check_nested` judges nested
/// pictures.
pub(super) fn check(bytes: &[u8], nesting: usize, check_nested: NestedCheck) -> Result<(), String> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text, so it cannot be checked")?;
    check_document_type(text)?;
    check_tags(text)?;
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MAX_NODES,
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| format!("it cannot be checked: {error}"))?;
    let mut style_sheets = StyleSheets::default();
    for node in document.descendants() {
        let attributes = node.attributes().filter(is_style_or_address);
        for attribute in attributes.clone() {
            if attribute.name() == "stroke-dasharray" {
                check_dashes(attribute.value())?;
            }
        }
        let attributes = attributes.map(|attribute| attribute.value().to_owned());
        // An instruction can name a style sheet.
        let instruction = node
            .pi()
            .and_then(|instruction| Some(instruction.value?.to_owned()));
        let sheet = (node.tag_name().name() == "style").then(|| {
            let texts = node.children().filter(Node::is_text);
            texts.filter_map(|text| text.text()).collect::<String>()
        });
        for style in attributes.chain(instruction).chain(sheet.clone()) {
            check_style(&style)?;
            check_embedded(&style, nesting, check_nested)?;
        }
        if let Some(sheet) = sheet {
            style_sheets.read(&sheet)?;
        }
    }
    check_drawn(&document, &style_sheets)
}

/// Refuses entities that can expand to long texts or to markup, and default attributes, which the
/// parser does not know. Only the parser can decide what a comment is: this check reads comments
/// like declarations.
fn check_document_type(text: &str) -> Result<(), String> {
    let (mut longest, mut count) = (0, 0);
    for declaration in text.split("<!ENTITY").skip(1) {
        let Some(start) = declaration.find(['"', '\'']) else {
            continue;
        };
        let (quote, value) = declaration[start..].split_at(1);
        let value = value.split(quote).next().unwrap_or_default();
        if value.contains('<') || value.contains('&') && value != "&#160;" {
            return Err("its entities contain markup or other entities".to_owned());
        }
        longest = longest.max(value.len());
        count += 1;
    }
    // The parser compares the name of an expanded entity with all names.
    if (longest + count) * text.matches('&').count() > MAX_EXPANDED_BYTES {
        return Err("its entities expand too often".to_owned());
    }
    for declaration in text.split("<!ATTLIST").skip(1) {
        let declaration = declaration.split('<').next().unwrap_or_default();
        let mut values = declaration.split(['"', '\'']).skip(1).step_by(2);
        // Namespaces are addresses.
        if !values.all(|value| value.starts_with("http")) {
            return Err("its document type declares default attributes".to_owned());
        }
    }
    Ok(())
}

/// Refuses what takes the parser too long or overflows its stack: it compares all attributes of a
/// tag, copies all namespaces to each element that declares one, and recurses into elements.
fn check_tags(text: &str) -> Result<(), String> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('<') {
        let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")]
            .into_iter()
            .find_map(|(start, end)| Some((after.strip_prefix(start)?, end)));
        if let Some((content, end)) = skipped {
            rest = content.split_once(end).map_or("", |(_, after)| after);
            continue;
        }
        // The parser accepts no `<` in an attribute.
        let tag = after.split('<').next().unwrap_or_default();
        rest = &after[tag.len()..];
        if tag.starts_with('!') {
            let ends: &[u8] = if tag.starts_with("!DOCTYPE") {
                b"[>"
            } else {
                b">"
            };
            // Otherwise a text could look like the start of a comment.
            if find_unquoted(tag, ends).is_none() {
                return Err("its document type cannot be checked".to_owned());
            }
            continue;
        }
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
            continue;
        }
        let values = tag.split('=').skip(1);
        let values = values.filter(|value| value.trim_start().starts_with(['"', '\'']));
        if values.count() > MAX_ATTRIBUTES {
            return Err(format!(
                "an element has more than {MAX_ATTRIBUTES} attributes"
            ));
        }
        if depth == MAX_DEPTH {
            return Err(format!(
                "its elements are nested more than {MAX_DEPTH} levels deep"
            ));
        }
        let is_empty = find_unquoted(tag, b">").is_some_and(|end| tag[..end].ends_with('/'));
        depth += usize::from(!is_empty);
    }
    if text.matches("xmlns").count() > MAX_ATTRIBUTES {
        return Err(format!("it declares more than {MAX_ATTRIBUTES} namespaces"));
    }
    Ok(())
}

/// Returns the position of the first of some bytes outside of quotes.
fn find_unquoted(text: &str, wanted: &[u8]) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|byte| {
        match quote {
            Some(open) if open == byte => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            _ => return quote.is_none() && wanted.contains(&byte),
        }
        false
    })
}

/// References of style sheets by selector: `.class`, `#id`, an element's name, or `*`.
#[derive(Debug, Default)]
struct StyleSheets {
    references: HashMap<String, Vec<String>>,
    count: usize,
}

impl StyleSheets {
    /// Reads rules like `.a, .b { fill: url(#c) }`. Selectors that are not understood apply to
    /// every element.
    fn read(&mut self, sheet: &str) -> Result<(), String> {
        // Selectors inside of key frames are percentages; escapes spell any word.
        let has_key_frames = !parts_after(sheet, "keyframes").is_empty() || sheet.contains('\\');
        for rule in sheet.split('}') {
            let references: Vec<String> = references(rule).collect();
            let (selectors, _) = rule.split_once('{').unwrap_or(("*", rule));
            // A brace may also be part of a comment or a text.
            let is_plain = !has_key_frames
                && rule.matches('{').count() == 1
                && selectors
                    .chars()
                    .all(|c| c.is_alphanumeric() || c.is_whitespace() || "-_.#:,>+~*".contains(c));
            let selectors = if is_plain { selectors } else { "*" };
            for selector in selectors.split(',') {
                self.count += references.len();
                if self.count > MAX_REFERENCES {
                    return Err(too_many_references());
                }
                // The class of `g > path.a:hover`, which matches more elements than the selector.
                let mut parts = selector.split([' ', '\t', '\r', '\n', '>', '+', '~']);
                let last = parts.rfind(|part| !part.is_empty()).unwrap_or_default();
                let compound = last.split(':').next().unwrap_or_default();
                let key = match compound.rfind(['.', '#']) {
                    Some(at) => &compound[at..],
                    None if compound.is_empty() => "*",
                    None => compound,
                };
                let same_key = self.references.entry(key.to_owned()).or_default();
                same_key.extend_from_slice(&references);
            }
        }
        Ok(())
    }

    /// Iterates over the ids that rules reference for an element.
    fn references_of(&self, node: Node<'_, '_>) -> impl Iterator<Item = &String> {
        let name = node.tag_name().name();
        let classes = node.attribute("class").unwrap_or_default();
        let classes: HashSet<&str> = classes.split_whitespace().collect();
        let classes = classes.into_iter().map(|class| format!(".{class}"));
        let id = node.attribute("id").map(|id| format!("#{id}"));
        let is_drawn = !matches!(name, "svg" | "defs" | "style" | "title" | "metadata");
        let any = is_drawn.then(|| "*".to_owned());
        let selectors = classes.chain(id).chain(any).chain([name.to_owned()]);
        selectors
            .filter_map(move |selector| self.references.get(&selector))
            .flatten()
    }
}

/// Refuses a document that draws too many elements, including repetitions.
fn check_drawn(document: &Document<'_>, style_sheets: &StyleSheets) -> Result<(), String> {
    let too_many = || format!("its references draw more than {MAX_DRAWN} shapes");
    // Every element with what it draws: its children, and what it references.
    let mut graph = DiGraph::<u64, ()>::new();
    let mut by_id: HashMap<String, Vec<NodeIndex>> = HashMap::default();
    let mut ids: HashSet<&str> = HashSet::default();
    for node in document.descendants() {
        let at = graph.add_node(cost(node));
        // A reference means the first element of an id, and its own spelling before the decoded one.
        if let Some(id) = node.attribute("id").filter(|id| ids.insert(id)) {
            by_id.entry(decode(id)).or_default().push(at);
        }
        if let Some(parent) = node.parent() {
            graph.add_edge(NodeIndex::new(parent.id().get_usize()), at, ());
        }
    }
    let mut lookups = 0_u64;
    for node in document.descendants().filter(Node::is_element) {
        let at = NodeIndex::new(node.id().get_usize());
        let attributes = element_references(node)?;
        for id in attributes.iter().chain(style_sheets.references_of(node)) {
            // Repeated references draw repeatedly: each one is an edge.
            for &target in by_id.get(id).into_iter().flatten() {
                // A rule for an element that references a pattern may also style its content.
                if target != at {
                    graph.add_edge(at, target, ());
                }
            }
            lookups += 1;
            if lookups.max(graph.edge_count() as u64) > MAX_DRAWN {
                return Err(too_many());
            }
        }
    }
    let order = toposort(&graph, None).map_err(|_| "it refers to itself in a cycle")?;
    for at in order.into_iter().rev() {
        graph[at] = graph.edges(at).fold(graph[at], |total, edge| {
            total.saturating_add(graph[edge.target()])
        });
    }
    if graph[NodeIndex::new(0)] > MAX_DRAWN {
        return Err(too_many());
    }
    Ok(())
}

fn cost(node: Node<'_, '_>) -> u64 {
    match node.tag_name().name() {
        "pattern" | "mask" | "filter" | "foreignObject" => COSTLY_ELEMENT,
        name if name.starts_with("fe") => COSTLY_ELEMENT,
        _ => u64::from(node.is_element()),
    }
}

/// Whether browsers read an attribute as a style or an address, as far as its name shows.
fn is_style_or_address(attribute: &Attribute<'_, '_>) -> bool {
    let name = attribute.name();
    match attribute.namespace() {
        Some(namespace) => namespace == XLINK,
        None => {
            !name.starts_with("aria-")
                && !name.starts_with("data-")
                && !matches!(name, "alt" | "class" | "id" | "label" | "name" | "title")
        }
    }
}

/// Returns the ids of what an element draws by its attributes.
fn element_references(node: Node<'_, '_>) -> Result<Vec<String>, String> {
    let name = node.tag_name().name();
    let is_animation = name == "set" || name.starts_with("animate");
    let mut found = Vec::new();
    for attribute in node.attributes() {
        let value = attribute.value();
        let animates_references = match attribute.name() {
            "attributeName" => value.ends_with("href") || value == "class",
            // A link and an animation do not draw their target.
            "href" if is_animation || name == "a" => false,
            "href" => {
                found.extend(value.trim().strip_prefix('#').map(decode));
                false
            }
            _ if !is_style_or_address(&attribute) => false,
            _ => {
                let before = found.len();
                found.extend(references(value));
                found.len() > before
            }
        };
        if is_animation && animates_references {
            return Err("it animates references".to_owned());
        }
    }
    Ok(found)
}

/// Returns an id as browsers compare it with others.
fn decode(id: &str) -> String {
    let id = id.replace(['\t', '\n', '\r'], "");
    percent_decode_str(&id).decode_utf8_lossy().into_owned()
}

/// Returns the parts of a text after each occurrence of `start`, in lower or upper case.
fn parts_after<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    let lower = text.to_ascii_lowercase();
    let ends = lower.match_indices(start).map(|(at, _)| at + start.len());
    ends.map(|end| &text[end..]).collect()
}

/// Iterates over the ids in `url(#id)`.
fn references(style: &str) -> impl Iterator<Item = String> {
    parts_after(style, "url(").into_iter().filter_map(|part| {
        let part = part.trim_start();
        let quoted = part.strip_prefix('"').map(|part| part.split('"').next());
        let quoted = quoted.or_else(|| part.strip_prefix('\'').map(|part| part.split('\'').next()));
        // Only a quoted address contains a parenthesis.
        let address = quoted.unwrap_or_else(|| part.split(['(', ')']).next())?;
        address.trim().strip_prefix('#').map(decode)
    })
}

fn too_many_references() -> String {
    format!("its styles have more than {MAX_REFERENCES} references")
}

/// Refuses declarations that hide references, and lines of millions of dashes.
fn check_style(style: &str) -> Result<(), String> {
    if parts_after(style, "url(").len() + parts_after(style, "data:").len() > MAX_REFERENCES {
        return Err(too_many_references());
    }
    // A function needs its parenthesis, however its name is spelled. The value of a custom property
    // is used by other elements.
    let mut declarations = style.split([';', '{', '}']);
    if declarations.any(|text| {
        text.contains('\\') && text.contains('(')
            || text.contains("--") && !parts_after(text, "url(").is_empty()
    }) {
        return Err("its references contain escapes, so they cannot be checked".to_owned());
    }
    let style = style.to_ascii_lowercase();
    let mut dashes = style.split("stroke-dasharray").skip(1);
    dashes.try_for_each(|value| check_dashes(value.trim_start().trim_start_matches(':')))
}

/// Refuses lines of millions of dashes. The text may continue with other declarations.
fn check_dashes(text: &str) -> Result<(), String> {
    let value = text.split([';', '!']).next().unwrap_or_default();
    let numbers = value
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter_map(|number| {
            number
                .trim_end_matches(|c: char| c.is_alphabetic() || c == '%')
                .parse::<f64>()
                .ok()
        });
    let sum: f64 = numbers.sum();
    if sum > 0.0 && sum < MIN_DASH {
        return Err("its lines are drawn with invisibly short dashes".to_owned());
    }
    Ok(())
}

/// Checks embedded pictures. The error is the reason why one must not be shown.
fn check_embedded(text: &str, nesting: usize, check_nested: NestedCheck) -> Result<(), String> {
    // Browsers ignore line breaks in addresses.
    let text = text.replace(['\t', '\n', '\r'], "");
    for address in parts_after(&text, "data:") {
        let before = text[..text.len() - address.len() - "data:".len()].trim_end();
        let address = match before.chars().next_back() {
            Some(quote @ ('"' | '\'')) => address.split(quote).next().unwrap_or_default(),
            Some('(') => address.split(')').next().unwrap_or_default(),
            // The end of a word such as `metadata:`.
            Some(c) if c.is_alphanumeric() || "-_.".contains(c) => continue,
            _ => address,
        };
        let Some((head, data)) = address.split_once(',') else {
            continue;
        };
        let head = head.to_ascii_lowercase();
        let data = data.replace(' ', "").replace("%0a", "").replace("%0A", "");
        let bytes = Some(data)
            .filter(|_| head.ends_with("base64"))
            .and_then(|data| STANDARD.decode(data).ok())
            .ok_or("it holds an image that cannot be checked")?;
        let is_font = [&b"wOF"[..], b"OTTO", b"true", b"\0\x01\0\0"]
            .iter()
            .any(|start| bytes.starts_with(start));
        if is_font {
            continue;
        }
        let nesting = nesting
            .checked_sub(1)
            .ok_or("it holds images inside images")?;
        let media_type = head.split(';').next().unwrap_or_default().trim();
        check_nested(media_type, &bytes, nesting)
            .map_err(|reason| format!("image inside: {reason}"))?;
    }
    Ok(())
}
