//! Limits the drawing cost of an SVG: elements, repetition by references, entities, and nested
//! pictures. Counts words of the text instead of parsing it, so it may refuse more than necessary.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use syntax::hashed::HashMap;

/// Maximum number of written elements.
const ELEMENTS: usize = 20_000;
/// Maximum nesting of elements.
const DEEP: usize = 256;
/// Maximum number of elements that references may draw.
const DRAWN: u64 = 2_000_000;
/// Elements whose content is drawn for each reference to them.
const REPEATING: [&str; 7] = [
    "pattern",
    "mask",
    "symbol",
    "marker",
    "filter",
    "clipPath",
    "foreignObject",
];
/// Maximum size of the text with expanded entities, in bytes.
const EXPANDED: u64 = 4 << 20;
/// Shortest allowed dash in a dash pattern.
const DASH: f64 = 0.01;

/// Why a picture of a media type, nested this deep, is not shown; `None` if it is.
type NestedCheck = fn(&str, &[u8], usize) -> Option<String>;

/// Explains why this SVG is not shown. `within` judges nested pictures.
pub fn why_refused(bytes: &[u8], deep: usize, within: NestedCheck) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Some("it is not UTF-8 text, so it cannot be checked".to_owned());
    };
    if expanded_size(text).is_none_or(|size| size > EXPANDED) {
        return Some("its entities expand too often".to_owned());
    }
    let counts = match Counts::read(text) {
        Ok(counts) => counts,
        Err(reason) => return Some(reason),
    };
    if counts.most_drawn(text) > DRAWN {
        return Some(format!("its references may draw more than {DRAWN} shapes"));
    }
    if has_tiny_dashes(text) {
        return Some("its lines are drawn with invisibly short dashes".to_owned());
    }
    inner(text, deep, within)
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
        sizes.insert(name, size_of(value, &sizes)?);
        rest = &declaration[name.len()..];
    }
    if sizes.is_empty() {
        Some(text.len() as u64)
    } else {
        size_of(text, &sizes)
    }
}

/// Returns the size of a text with these entities expanded. `None`: it names an unknown one,
/// possibly itself.
fn size_of(text: &str, sizes: &HashMap<&str, u64>) -> Option<u64> {
    let mut size = text.len() as u64;
    for part in text.split('&').skip(1) {
        let name = part.split(';').next()?;
        let known = matches!(name, "lt" | "gt" | "amp" | "apos" | "quot")
            || name.starts_with('#')
            || name.len() > 64;
        match sizes.get(name) {
            Some(entity) => size = size.saturating_add(*entity),
            None if known => {}
            None => return None,
        }
    }
    Some(size)
}

#[derive(Default)]
struct Counts {
    elements: usize,
    /// References that may be in what another reference draws.
    references: usize,
    /// Elements with a class in what a reference draws.
    classes: usize,
}

impl Counts {
    fn read(text: &str) -> Result<Self, String> {
        let mut counts = Self::default();
        let mut depth = 0usize;
        // Depth of the outermost repeating element that is open.
        let mut repeating = None;
        for tag in text.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap_or_default();
            if tag.starts_with('/') {
                depth = depth.saturating_sub(1);
                repeating = repeating.filter(|outer| depth > *outer);
            }
            if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            counts.elements += 1;
            let name = tag.split(|c: char| c.is_whitespace() || c == '/').next();
            let name = name.and_then(|name| name.rsplit(':').next());
            counts.references += usize::from(matches!(name, Some("use" | "feImage")));
            if repeating.is_some() {
                counts.references += tag.matches("url(").count();
                counts.classes += usize::from(tag.contains("class="));
            }
            if !tag.ends_with('/') {
                if repeating.is_none() && name.is_some_and(|name| REPEATING.contains(&name)) {
                    repeating = Some(depth);
                }
                depth += 1;
            }
            if depth > DEEP {
                return Err(format!(
                    "its elements are nested more than {DEEP} levels deep"
                ));
            }
        }
        if counts.elements > ELEMENTS {
            return Err(format!("it has more than {ELEMENTS} elements"));
        }
        Ok(counts)
    }

    /// Returns an upper bound of the drawn elements: references multiply most in groups of three,
    /// each in what the one before it draws. A reference of a style sheet may count for each class.
    fn most_drawn(&self, text: &str) -> u64 {
        let style_sheets = text.split("<style").skip(1);
        let styled: usize = style_sheets
            .filter_map(|style| style.split("</").next())
            .map(|style| style.matches("url(").count())
            .sum();
        let groups = (self.references + styled * self.classes).div_ceil(3);
        3u64.saturating_pow(u32::try_from(groups).unwrap_or(u32::MAX))
            .saturating_mul(self.elements as u64)
    }
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
        !numbers.is_empty() && sum > 0.0 && sum < DASH
    })
}

/// Returns why an embedded picture is not shown.
fn inner(text: &str, deep: usize, within: NestedCheck) -> Option<String> {
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
        let Some(deep) = deep.checked_sub(1) else {
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
        if let Some(reason) = within(kind, &bytes, deep) {
            return Some(format!("image inside: {reason}"));
        }
    }
    None
}
