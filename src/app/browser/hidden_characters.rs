//! Characters that change the direction of the text around them (bidirectional overrides, embeddings and isolates) are
//! made visible: a catalog may have them in any name, and a name with one reads like a different name. As no legitimate
//! name needs them, each is replaced by its code point, `\u{202e}`, in every text of the page just before it is painted.
//! A name of a million letters, which would make the page just as wide, is cut there too, with a note that it was.
//!
//! What is edited stays as it is: the text of controls is the user's own. What is shown as the text of a file (`pre`, and
//! elements with `data-whole`) is not cut.

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node};

/// Attributes that a browser shows as text.
const SHOWN_ATTRIBUTE: &str = "title";
/// Elements whose text is not shown as text of the page.
const NOT_SHOWN: [&str; 3] = ["SCRIPT", "STYLE", "TEXTAREA"];

/// Elements that show texts of any length themselves.
const SHOWN_WHOLE: &str = "pre, [data-whole]";
/// Most characters without a blank between them, and how many are shown of more: no name has so many. Prose and lists of
/// names are shown whole.
const MOST: usize = 1_000;
const SHOWN: usize = 500;

fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with code points in place of the characters that change direction; `None` if there are none.
pub fn escaped(text: &str) -> Option<String> {
    text.contains(turns).then(|| {
        let mut shown = String::with_capacity(text.len() + 8);
        for c in text.chars() {
            match turns(c) {
                true => shown.extend(c.escape_unicode()),
                false => shown.push(c),
            }
        }
        shown
    })
}

/// The text with each overlong word cut, and how much was cut; `None` where nothing was.
pub fn cut(text: &str) -> Option<String> {
    // So many bytes have no more characters than that.
    let short = |word: &str| {
        let count = if word.len() > MOST {
            word.chars().count()
        } else {
            0
        };
        let (end, _) = word.char_indices().nth(SHOWN).filter(|_| count > MOST)?;
        Some(format!(
            "{}… ({} more characters)",
            word.get(..end)?,
            count - SHOWN
        ))
    };
    let words = || text.split(' ');
    let is_any = text.len() > MOST && words().any(|word| short(word).is_some());
    is_any.then(|| {
        words()
            .map(|word| short(word).unwrap_or_else(|| word.to_owned()))
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// Makes all text of the document legible, now and as long as the page lives. A browser hands over what changed before it
/// paints. To be called once.
pub fn show_hidden_characters() {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return;
    };
    let on_change = Closure::<dyn FnMut(Array)>::new(|records: Array| {
        records.iter().for_each(|record| changed(&record))
    });
    // Without it names are shown raw, which is better than not showing them.
    let _ = observe(&document, on_change.as_ref().unchecked_ref());
    on_change.forget();
    whole(&document);
}

fn observe(document: &Node, on_change: &Function) -> Result<(), JsValue> {
    let make: Function = Reflect::get(&js_sys::global(), &"MutationObserver".into())?.dyn_into()?;
    let observer = Reflect::construct(&make, &Array::of1(on_change))?;
    let options = Object::new();
    for what in ["subtree", "childList", "characterData"] {
        Reflect::set(&options, &what.into(), &JsValue::TRUE)?;
    }
    Reflect::set(
        &options,
        &"attributeFilter".into(),
        &Array::of1(&SHOWN_ATTRIBUTE.into()),
    )?;
    let observe: Function = Reflect::get(&observer, &"observe".into())?.dyn_into()?;
    observe.call2(&observer, document, &options)?;
    Ok(())
}

/// The nodes that one of the browser's mutation records is about.
fn changed(record: &JsValue) {
    let of = |key: &str| Reflect::get(record, &key.into()).unwrap_or_default();
    match of("type").as_string().as_deref() {
        Some("childList") => {
            let added: web_sys::NodeList = of("addedNodes").unchecked_into();
            (0..added.length())
                .filter_map(|at| added.get(at))
                .for_each(|node| whole(&node));
        }
        Some("characterData") => text(of("target").unchecked_ref()),
        _ => attribute(of("target").unchecked_ref()),
    }
}

/// A node with all that is below it.
fn whole(node: &Node) {
    if node.node_type() == Node::TEXT_NODE {
        return text(node);
    }
    // One look at all text shows whether there is anything to replace.
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

/// A text node of the document.
fn text(node: &Node) {
    let Some(raw) = node.node_value() else { return };
    let parent = node.parent_element();
    // An invalid selector would find nothing; this one is valid.
    let is_whole = || {
        parent
            .as_ref()
            .is_some_and(|parent| parent.closest(SHOWN_WHOLE).is_ok_and(|it| it.is_some()))
    };
    let short = cut(&raw).filter(|_| !is_whole());
    let Some(shown) = escaped(short.as_deref().unwrap_or(&raw)).or(short) else {
        return;
    };
    if let Some(parent) = parent {
        if NOT_SHOWN.contains(&parent.tag_name().as_str()) {
            return;
        }
        // An option without a `value` attribute uses its text as the value.
        if parent.tag_name() == "OPTION" && !parent.has_attribute("value") {
            // Fails for no known element.
            let _ = parent.set_attribute("value", &raw);
        }
    }
    node.set_node_value(Some(&shown));
}

fn attribute(element: &Element) {
    let Some(raw) = element.get_attribute(SHOWN_ATTRIBUTE) else {
        return;
    };
    let short = cut(&raw);
    if let Some(shown) = escaped(short.as_deref().unwrap_or(&raw)).or(short) {
        // Fails for no known element.
        let _ = element.set_attribute(SHOWN_ATTRIBUTE, &shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_text_is_shown_as_its_number() {
        assert_eq!(
            escaped("safe\u{202e}gpj.yaml").unwrap(),
            "safe\\u{202e}gpj.yaml"
        );
        assert_eq!(escaped("\u{2066}a\u{2069}").unwrap(), "\\u{2066}a\\u{2069}");
        assert_eq!(escaped(&escaped("\u{202e}").unwrap()), None);
        for plain in [
            "",
            "catalog.yaml",
            "größe",
            "שלום",
            "عربى",
            "🚂\u{fe0f}",
            "a\nb",
        ] {
            assert_eq!(escaped(plain), None, "{plain}");
        }
    }

    #[test]
    fn what_is_too_long_says_how_much_is_left_out() {
        let long = "ü".repeat(1_000_000);
        assert_eq!(
            cut(&long).unwrap(),
            format!("{}… (999500 more characters)", "ü".repeat(500))
        );
        assert_eq!(cut(&cut(&long).unwrap()), None);
        assert_eq!(
            cut(&format!("channel {long} has")).unwrap(),
            format!("channel {} has", cut(&long).unwrap())
        );
        assert_eq!((cut(&"ü".repeat(1_000)), cut("beta")), (None, None));
        assert!(
            cut(&"ü".repeat(1_001))
                .unwrap()
                .ends_with("(501 more characters)")
        );
        let stranded = "stranded bundles: ".to_owned() + &"p.v1.0.0, ".repeat(5_000);
        assert_eq!(cut(&stranded), None, "a list of names is no name");
    }
}
