//! Makes characters visible that change the text direction (bidirectional overrides, embeddings and
//! isolates): a catalog may contain them in any name, which then reads like a different name. No
//! legitimate name needs them, so each is replaced by its code point, such as `\u{202e}`, in every
//! text of the page just before it is painted. Names of a million letters, which would make the
//! page just as wide, are cut with a note.
//!
//! Editable text is not changed: it belongs to the user. File content (`pre`, and elements with
//! `data-whole`) is not cut.

use super::document::{method, object, property};
use js_sys::{Array, Function, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node};

/// Attributes that browsers show as text.
const SHOWN_ATTRIBUTE: &str = "title";
/// Elements whose content is not shown as text.
const NOT_SHOWN: [&str; 3] = ["SCRIPT", "STYLE", "TEXTAREA"];

/// Elements that handle long texts themselves.
const SHOWN_WHOLE: &str = "pre, [data-whole]";
/// Maximum length of a word; longer words are cut to [`SHOWN`]. Prose and lists of names are not
/// affected.
const MOST: usize = 1_000;
const SHOWN: usize = 500;

fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces direction characters by their code points; `None` if there are none.
pub fn escape(text: &str) -> Option<String> {
    text.contains(turns).then(|| {
        let mut escaped = String::with_capacity(text.len() + 8);
        for c in text.chars() {
            match turns(c) {
                true => escaped.extend(c.escape_unicode()),
                false => escaped.push(c),
            }
        }
        escaped
    })
}

/// Cuts overlong words and notes how many characters were removed; `None` if nothing was cut.
pub fn shorten(text: &str) -> Option<String> {
    let short = |word: &str| {
        let count = word.chars().count();
        let (end, _) = word.char_indices().nth(SHOWN).filter(|_| count > MOST)?;
        Some(format!(
            "{}… ({} more characters)",
            word.get(..end)?,
            count - SHOWN
        ))
    };
    let split = || text.split(' ');
    let is_any = text.len() > MOST && split().any(|word| short(word).is_some());
    is_any.then(|| {
        split()
            .map(|word| short(word).unwrap_or_else(|| word.to_owned()))
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// Escapes and shortens all text of the document, now and for the page's lifetime. Browsers report
/// changes before painting. Call it once.
pub fn show_hidden_characters() {
    let on_change = Closure::<dyn FnMut(Array)>::new(|records: Array| {
        records.iter().for_each(|record| escape_mutation(&record))
    });
    // Otherwise names are shown raw, which is better than not showing them.
    let _ = observe(&document(), on_change.as_ref().unchecked_ref());
    on_change.forget();
    whole(&document());
}

fn observe(document: &Node, on_change: &Function) -> Result<JsValue, JsValue> {
    let make = method(&window(), "MutationObserver").ok_or("no observers")?;
    let observer = Reflect::construct(&make, &Array::of1(on_change))?;
    let options = object([
        ("subtree", true.into()),
        ("childList", true.into()),
        ("characterData", true.into()),
        (
            "attributeFilter",
            Array::of1(&SHOWN_ATTRIBUTE.into()).into(),
        ),
    ]);
    let observe = method(&observer, "observe").ok_or("no observers")?;
    observe.call2(&observer, document, &options)
}

fn escape_mutation(record: &JsValue) {
    let property = |key: &str| property(record, key);
    match property("type").as_string().as_deref() {
        Some("childList") => {
            let added: web_sys::NodeList = property("addedNodes").unchecked_into();
            (0..added.length())
                .filter_map(|at| added.get(at))
                .for_each(|node| whole(&node));
        }
        Some("characterData") => text(property("target").unchecked_ref()),
        _ => attribute(property("target").unchecked_ref()),
    }
}

fn whole(node: &Node) {
    if node.node_type() == Node::TEXT_NODE {
        return text(node);
    }
    // Check all text at once for anything to replace.
    let is_any = |text: String| text.len() > MOST || text.contains(turns);
    if node.node_type() == Node::DOCUMENT_NODE || node.text_content().is_some_and(is_any) {
        below(node);
    }
    if let Some(element) = node.dyn_ref::<Element>() {
        attribute(element);
        if let Ok(titled) = element.query_selector_all("[title]") {
            (0..titled.length())
                .filter_map(|at| titled.get(at))
                .for_each(|node| attribute(node.unchecked_ref()));
        }
    }
}

fn below(node: &Node) {
    let mut child = node.first_child();
    while let Some(node) = child {
        if node.node_type() == Node::TEXT_NODE {
            text(&node);
        } else {
            below(&node);
        }
        child = node.next_sibling();
    }
}

fn text(node: &Node) {
    let Some(raw) = node.node_value() else { return };
    let parent = node.parent_element();
    // The selector is valid; an invalid one would find nothing.
    let is_whole = || {
        parent
            .as_ref()
            .is_some_and(|parent| parent.closest(SHOWN_WHOLE).is_ok_and(|it| it.is_some()))
    };
    let short = shorten(&raw).filter(|_| !is_whole());
    let Some(replacement) = escape(short.as_deref().unwrap_or(&raw)).or(short) else {
        return;
    };
    if let Some(parent) = parent {
        if NOT_SHOWN.contains(&parent.tag_name().as_str()) {
            return;
        }
        // An option without a `value` attribute uses its text as the value.
        if parent.tag_name() == "OPTION" && !parent.has_attribute("value") {
            // Cannot fail for a known element.
            let _ = parent.set_attribute("value", &raw);
        }
    }
    node.set_node_value(Some(&replacement));
}

fn attribute(element: &Element) {
    let Some(raw) = element.get_attribute(SHOWN_ATTRIBUTE) else {
        return;
    };
    let short = shorten(&raw);
    if let Some(replacement) = escape(short.as_deref().unwrap_or(&raw)).or(short) {
        // Cannot fail for a known element.
        let _ = element.set_attribute(SHOWN_ATTRIBUTE, &replacement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_characters_are_shown_as_code_points() {
        assert_eq!(
            escape("safe\u{202e}gpj.yaml").unwrap(),
            "safe\\u{202e}gpj.yaml"
        );
        assert_eq!(escape("\u{2066}a\u{2069}").unwrap(), "\\u{2066}a\\u{2069}");
        assert_eq!(escape(&escape("\u{202e}").unwrap()), None);
        for plain in [
            "",
            "catalog.yaml",
            "größe",
            "שלום",
            "عربى",
            "🚂\u{fe0f}",
            "a\nb",
        ] {
            assert_eq!(escape(plain), None, "{plain}");
        }
    }

    #[test]
    fn shortened_text_reports_the_number_of_removed_characters() {
        let long = "ü".repeat(1_000_000);
        assert_eq!(
            shorten(&long).unwrap(),
            format!("{}… (999500 more characters)", "ü".repeat(500))
        );
        assert_eq!(shorten(&shorten(&long).unwrap()), None);
        assert_eq!(
            shorten(&format!("channel {long} has")).unwrap(),
            format!("channel {} has", shorten(&long).unwrap())
        );
        assert_eq!((shorten(&"ü".repeat(1_000)), shorten("beta")), (None, None));
        assert!(
            shorten(&"ü".repeat(1_001))
                .unwrap()
                .ends_with("(501 more characters)")
        );
        let stranded = "stranded bundles: ".to_owned() + &"p.v1.0.0, ".repeat(5_000);
        assert_eq!(shorten(&stranded), None, "a list of names is no name");
    }
}
