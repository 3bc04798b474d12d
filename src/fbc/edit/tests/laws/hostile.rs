//! Text that nobody would write: an edit is made or refused, never a panic, a wrong place or a lost comment.

use super::{Json, at, count, independent, judge, random_patch, random_value, spell};
use crate::fbc::edit::patch::path;
use crate::fbc::edit::patch::{Patch, Step, WhenEmpty};
use crate::fbc::edit::refusal::RefusalKind;
use crate::fbc::edit::verify::edit_blob;
use crate::fbc::syntax::tree::Format;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Pieces that change how what follows is read.
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

fn damaged(rng: &mut SmallRng, mut text: Vec<u8>) -> Vec<u8> {
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

/// A patch of a document that may not have its place.
fn any_patch(rng: &mut SmallRng, document: Option<&Json>) -> Patch {
    if let Some(patch) = document.and_then(|document| random_patch(rng, document)) {
        return patch;
    }
    let steps = [Step::from("entries"), Step::from("name"), Step::from("a"), Step::from(0), Step::from(1)];
    let path: Vec<Step> = (0..rng.random_range(0..4)).filter_map(|_| steps.choose(rng).cloned()).collect();
    match rng.random_range(0..4) {
        0 => Patch::set(path, random_value(rng, 2)),
        1 => Patch::insert_key(path, "replaces", random_value(rng, 2), &["name"]),
        2 => Patch::insert_item(path, rng.random_range(0..3), random_value(rng, 2)),
        _ => Patch::remove(path, WhenEmpty::RemoveParent),
    }
}

#[test]
fn damaged_text_is_edited_rightly_or_not_at_all() {
    let (mut done, mut refused, mut mismatches) = (0, 0, Vec::new());
    for seed in 0..count(6000) as u64 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let (text, format) = spell::blob(&mut rng);
        let text = damaged(&mut rng, text);
        let before = independent(&text, format).filter(|before| before.is_object() || before.is_array());
        let patch = any_patch(&mut rng, before.as_ref());
        match edit_blob(&text, format, std::slice::from_ref(&patch)) {
            Err(refusal) => {
                refused += 1;
                assert!(refusal.place.end as usize <= text.len(), "seed {seed}: a place beyond the text");
                if refusal.kind == RefusalKind::Mismatch {
                    mismatches.push(format!("{patch:?}\n{}\n{}", refusal.reason, String::from_utf8_lossy(&text)));
                }
            }
            Ok(edited) => {
                done += 1;
                assert_eq!(edited.edits.inverse(&text).apply(&edited.text), text, "seed {seed}");
                // Where the other reader reads alike before, it does after.
                let Some(before) = before else { continue };
                let there = patch.path.iter().enumerate().all(|(depth, step)| {
                    match (step, at(&before, &patch.path[..depth])) {
                        (Step::Key(key), Json::Object(pairs)) => pairs.contains_key(key),
                        (Step::Index(index), Json::Array(items)) => *index < items.len(),
                        _ => false,
                    }
                });
                if there
                    && reads_alike(&text, format, &before)
                    && let Err(violation) = judge(&text, format, &patch, &before)
                {
                    panic!("seed {seed}: {violation}");
                }
            }
        }
    }
    println!("damaged: {done} edits made, {refused} refused, {} of them by the last check", mismatches.len());
    if std::env::var_os("SWITCHYARD_EDITS").is_some() {
        mismatches.iter().take(12).for_each(|mismatch| println!("=== {mismatch}"));
    }
    assert!(done > 100);
}

/// The readers differ on a few constructs; what holds one says nothing about the edit.
fn reads_alike(text: &[u8], format: Format, _: &Json) -> bool {
    let text = String::from_utf8_lossy(text);
    let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let special = ["\u{85}", "\u{2028}", "\u{feff}", "<<", "&", "*", "!", "---", "...", "%", "\t", "|", ">", "~", "\r"];
    format == Format::Yaml && body.ends_with('\n') && !special.iter().any(|mark| body.contains(mark))
}

#[test]
fn deep_nesting_costs_no_stack() {
    let deep = 10_000;
    let list = format!("a: {}{}\nb: c\n", "[".repeat(deep), "]".repeat(deep));
    let block = format!("a:\n{}x\nb: c\n", "- ".repeat(deep));
    for text in [list, block] {
        let outcome = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
            let set = edit_blob(text.as_bytes(), Format::Yaml, &[Patch::set(path!["b"], "d")]);
            let inner = edit_blob(text.as_bytes(), Format::Yaml, &[Patch::remove(path!["a", 0, 0], WhenEmpty::Keep)]);
            (set.map(|edited| edited.text.ends_with(b"b: d\n")), inner.is_ok())
        });
        // A reader may refuse such depth; what it takes must be edited.
        match outcome.unwrap().join().unwrap() {
            (Ok(written), _) => assert!(written),
            (Err(refusal), _) => assert_eq!(refusal.kind, RefusalKind::Unreadable),
        }
    }
}

#[test]
fn a_large_channel_takes_milliseconds() {
    let mut text = "entries:\n".to_owned();
    for i in 1..=2000 {
        text.push_str(&format!(
            "- name: operator.v1.{i}.0\n  replaces: operator.v1.{}.0\n  skips:\n  - operator.v0.{i}.0\n",
            i - 1
        ));
    }
    text.push_str("name: stable\npackage: p\nschema: olm.channel\n");
    let patch = Patch::insert_item(path!["entries", 1000, "skips"], 1, "operator.v0.9.9");
    let start = std::time::Instant::now();
    let edited = edit_blob(text.as_bytes(), Format::Yaml, &[patch]).unwrap();
    let took = start.elapsed();
    println!("one skip in {} kB: {took:?}", text.len() / 1000);
    assert_eq!(edited.edits.as_slice().len(), 1);
    assert!(took.as_millis() < 2000, "{took:?}");
}
