//! Unrealistic text: an edit is made or refused, without a panic, a wrong place or a lost comment.

use super::{Json, Outcome, at, judge, random_patch, random_value, read_independently, spell};
use edit::patch::{Action, Patch, PathSegment};
use edit::verify::edit_blob;
use rand::Rng;
use rand::seq::IndexedRandom;
use syntax::tree::Format;

/// Pieces that change the interpretation of the following text.
const PIECES: &[&str] = &[
    "&a ",
    "*a",
    "!!str ",
    "<<: *a\n",
    "? ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "#",
    " # c\n",
    "\n",
    "\n\n",
    "  ",
    "\t",
    "'",
    "\"",
    "|\n",
    ">+\n",
    "|2-\n",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\r",
    "a: b\n",
    "name: x\n",
    "Name: x\n",
    "[a: b]",
    "{? a : b, c}",
    "!<tag:x> ",
    "key",
    "\\",
    "~",
];

pub fn damage(rng: &mut impl Rng, mut text: Vec<u8>) -> Vec<u8> {
    for _ in 0..rng.random_range(1..5) {
        let at = rng.random_range(0..=text.len());
        if rng.random_bool(0.3) {
            text.drain(at..(at + rng.random_range(0..6)).min(text.len()));
        } else {
            let piece = PIECES.choose(rng).copied().unwrap_or_default();
            text.splice(at..at, piece.bytes());
        }
    }
    text
}

/// A patch for a document, which may lack its place.
fn any_patch(rng: &mut impl Rng, document: Option<&Json>) -> Patch {
    if let Some(patch) = document.and_then(|document| random_patch(rng, document)) {
        return patch;
    }
    let steps = [
        PathSegment::from("entries"),
        PathSegment::from("name"),
        PathSegment::from("a"),
        PathSegment::from(0),
        PathSegment::from(1),
    ];
    let path: Vec<PathSegment> = (0..rng.random_range(0..4))
        .filter_map(|_| steps.choose(rng).cloned())
        .collect();
    match rng.random_range(0..4) {
        0 => Patch::set(path, random_value(rng, 2)),
        1 => {
            let path = [path, vec!["replaces".into()]].concat();
            Patch::put(path, random_value(rng, 2), &["name"])
        }
        2 => Patch::insert_item(path, rng.random_range(0..3), random_value(rng, 2)),
        _ => Patch::remove(path),
    }
}

/// One edit of a damaged generated blob, which may lack the patch's place.
pub fn damaged(rng: &mut impl Rng) -> Result<Outcome, String> {
    let (text, format) = spell::blob(rng);
    let text = damage(rng, text);
    let before =
        read_independently(&text, format).filter(|before| before.is_object() || before.is_array());
    let patch = any_patch(rng, before.as_ref());
    let edited = match edit_blob(&text, format, std::slice::from_ref(&patch)) {
        Err(refusal) if refusal.place.end as usize > text.len() => {
            return Err("a place beyond the text".to_owned());
        }
        Err(refusal) => return Ok(Outcome::Refused(refusal.kind)),
        Ok(edited) => edited,
    };
    if edited.edits.inverse(&text).apply(&edited.text) != text {
        return Err(format!(
            "undo does not give the original back: {patch:?}\n{}",
            String::from_utf8_lossy(&text)
        ));
    }
    // If the other reader agrees before the edit, it agrees afterwards.
    if let Some(before) = before
        && is_there(&before, &patch)
        && reads_alike(&text, format)
    {
        judge(&text, format, &patch, &before)?;
    }
    Ok(Outcome::Done)
}

fn is_there(document: &Json, patch: &Patch) -> bool {
    let sets = matches!(patch.action, Action::Set { .. });
    patch.path.iter().enumerate().all(|(depth, step)| {
        let is_last = depth + 1 == patch.path.len();
        match (step, at(document, &patch.path[..depth])) {
            (PathSegment::Key(key), Json::Object(pairs)) => {
                let mut keys = pairs.keys();
                pairs.contains_key(key)
                    || sets && is_last && !keys.any(|own| own.eq_ignore_ascii_case(key))
            }
            (PathSegment::Index(index), Json::Array(items)) => *index < items.len(),
            _ => false,
        }
    })
}

/// The readers differ on a few constructs; a text with one of them says nothing about the edit.
fn reads_alike(text: &[u8], format: Format) -> bool {
    let text = String::from_utf8_lossy(text);
    let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let special = [
        "\u{85}", "\u{2028}", "\u{feff}", "<<", "&", "*", "!", "---", "...", "%", "\t", "|", ">",
        "~", "\r",
    ];
    format == Format::Yaml
        && body.ends_with('\n')
        && !special.iter().any(|mark| body.contains(mark))
}
