//! The laws of editing one blob, over generated blobs in generated spellings, intact and damaged:
//! an independent reader sees the intended change, nothing else changes, and undo restores the
//! bytes.

pub mod hostile;
pub mod spell;

use super::choices::Choices;

use edit::patch::{Action, Patch, PathSegment, RefusalKind};
use edit::verify::edit_blob;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Value as Json, json};
use syntax::tree::Format;

/// Strings that some reader misinterprets.
pub const NASTY: &[&str] = include!("../data/nasty.rs");

fn random_string(rng: &mut impl Rng) -> String {
    if rng.random_bool(0.4) {
        NASTY
            .choose(rng)
            .map(|&text| text.to_owned())
            .unwrap_or_default()
    } else {
        format!(
            "{}.v{}.{}.0",
            ["foo", "bar", "operator"].choose(rng).unwrap_or(&"x"),
            rng.random_range(0..9),
            rng.random_range(0..20)
        )
    }
}

pub fn random_value(rng: &mut impl Rng, depth: usize) -> Json {
    match rng.random_range(0..if depth == 0 { 4 } else { 7 }) {
        0..4 => Json::String(random_string(rng)),
        4 => (0..rng.random_range(0..3))
            .map(|_| random_value(rng, depth - 1))
            .collect(),
        5 => [json!(1), json!(-2.5), json!(true), Json::Null]
            .choose(rng)
            .cloned()
            .unwrap_or_default(),
        _ => {
            let keys = [
                "name",
                "replaces",
                "skips",
                "skipRange",
                "a b",
                "y",
                "-x",
                "1",
            ];
            let count = rng.random_range(0..4);
            let keys = keys.choose_multiple(rng, count);
            keys.map(|&key| (key.to_owned(), json!(0))).collect()
        }
    }
}

/// The paths of all nested values.
pub fn paths(json: &Json) -> Vec<Vec<PathSegment>> {
    let (mut found, mut open) = (Vec::new(), vec![(Vec::new(), json)]);
    while let Some((path, value)) = open.pop() {
        let mut step =
            |step: PathSegment, inner| open.push(([path.clone(), vec![step]].concat(), inner));
        match value {
            Json::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(index, item)| step(PathSegment::Index(index), item)),
            Json::Object(pairs) => pairs
                .iter()
                .for_each(|(key, value)| step(PathSegment::Key(key.clone()), value)),
            _ => {}
        }
        found.push(path);
    }
    found
}

pub fn at<'a>(json: &'a Json, path: &[PathSegment]) -> &'a Json {
    path.iter().fold(json, |json, step| match step {
        PathSegment::Key(key) => &json[key],
        PathSegment::Index(index) => &json[index],
    })
}

fn at_mut<'a>(json: &'a mut Json, path: &[PathSegment]) -> &'a mut Json {
    path.iter().fold(json, |json, step| match step {
        PathSegment::Key(key) => &mut json[key],
        PathSegment::Index(index) => &mut json[index],
    })
}

pub fn random_patch(rng: &mut impl Rng, document: &Json) -> Option<Patch> {
    let paths = paths(document);
    let path = paths.choose(rng)?.clone();
    match (rng.random_range(0..5), at(document, &path)) {
        (0 | 1, Json::Object(pairs)) => {
            let keys = [
                "replaces",
                "skips",
                "skipRange",
                "description",
                "y",
                "a b",
                "zz",
            ];
            let key = keys
                .choose(rng)
                .filter(|key| !pairs.keys().any(|own| own.eq_ignore_ascii_case(key)))?;
            let path = [path, vec![(*key).into()]].concat();
            let value = random_value(rng, 2);
            Some(Patch::put(path, value, &["name", "replaces"]))
        }
        (0 | 1, Json::Array(items)) => Some(Patch::insert_item(
            path,
            rng.random_range(0..=items.len()),
            random_value(rng, 2),
        )),
        _ if path.is_empty() => None,
        (2, _) => Some(Patch::remove(path)),
        _ => Some(Patch::set(path, random_value(rng, 2))),
    }
}

/// The patch on plain JSON values, specified a second time by meaning only.
pub fn apply_patch(document: &Json, patch: &Patch) -> Json {
    let mut document = document.clone();
    match &patch.action {
        Action::Set { value, .. } => *at_mut(&mut document, &patch.path) = value.clone(),
        Action::InsertItem { at, value } => {
            at_mut(&mut document, &patch.path)
                .as_array_mut()
                .unwrap()
                .insert(*at, value.clone());
        }
        Action::Remove => remove(&mut document, &patch.path),
    }
    document
}

fn remove(document: &mut Json, path: &[PathSegment]) {
    let (last, parent) = path.split_last().unwrap();
    match (last, at_mut(document, parent)) {
        (PathSegment::Key(key), Json::Object(pairs)) => drop(pairs.shift_remove(key)),
        (PathSegment::Index(index), Json::Array(items)) => drop(items.remove(*index)),
        _ => unreachable!("the path is of this document"),
    }
}

/// The value that serde's readers read; `None` if they cannot. Scalars that YAML 1.1 and 1.2
/// interpret differently become text.
pub fn read_independently(text: &[u8], format: Format) -> Option<Json> {
    let text = std::str::from_utf8(text)
        .ok()?
        .trim_start_matches('\u{feff}');
    match format {
        Format::Json => serde_json::from_str(text).ok(),
        Format::Yaml => yaml_json(serde_yaml::from_str(text).ok()?),
    }
}

fn yaml_json(value: serde_yaml::Value) -> Option<Json> {
    use serde_yaml::Value as Yaml;
    Some(match value {
        Yaml::Null => Json::Null,
        Yaml::Bool(value) => Json::Bool(value),
        Yaml::Number(number) => serde_json::from_str(&number.to_string())
            .ok()
            .unwrap_or_else(|| Json::String(number.to_string())),
        Yaml::String(text) => Json::String(text),
        Yaml::Sequence(items) => {
            Json::Array(items.into_iter().map(yaml_json).collect::<Option<_>>()?)
        }
        Yaml::Mapping(pairs) => {
            let pair = |(key, value)| Some((key_text(key)?, yaml_json(value)?));
            Json::Object(pairs.into_iter().map(pair).collect::<Option<_>>()?)
        }
        Yaml::Tagged(tagged) => yaml_json(tagged.value)?,
    })
}

fn key_text(key: serde_yaml::Value) -> Option<String> {
    match key {
        serde_yaml::Value::String(text) => Some(text),
        other => Some(yaml_json(other)?.to_string()),
    }
}

/// Checks one edit. `Err` is a violation.
pub fn judge(
    text: &[u8],
    format: Format,
    patch: &Patch,
    before: &Json,
) -> Result<Option<RefusalKind>, String> {
    judge_all(text, format, std::slice::from_ref(patch), before)
}

/// Checks several edits, each relative to the result of the previous ones.
fn judge_all(
    text: &[u8],
    format: Format,
    patches: &[Patch],
    before: &Json,
) -> Result<Option<RefusalKind>, String> {
    let report = |what: &str, after: &[u8]| {
        let (text, after) = (
            String::from_utf8_lossy(text),
            String::from_utf8_lossy(after),
        );
        format!("{what}\n{patches:?}\n--- before\n{text}\n--- after\n{after}\n---")
    };
    let edited = match edit_blob(text, format, patches) {
        Ok(edited) => edited,
        Err(refusal)
            if refusal.kind == RefusalKind::Mismatch || refusal.kind == RefusalKind::NotThere =>
        {
            return Err(report(&refusal.reason, b""));
        }
        Err(refusal) => return Ok(Some(refusal.kind)),
    };
    if edited.edits.apply(text) != edited.text
        || edited.edits.inverse(text).apply(&edited.text) != text
    {
        return Err(report("undo does not give the original back", &edited.text));
    }
    if text.windows(2).any(|pair| pair == b"\r\n")
        && text
            .split_inclusive(|&b| b == b'\n')
            .all(|line| line.ends_with(b"\r\n") || !line.ends_with(b"\n"))
    {
        let mixed = edited
            .text
            .split_inclusive(|&b| b == b'\n')
            .any(|line| line.ends_with(b"\n") && !line.ends_with(b"\r\n"));
        if mixed {
            return Err(report("line breaks are mixed", &edited.text));
        }
    }
    if text.ends_with(b"\n") != edited.text.ends_with(b"\n") {
        return Err(report("the end of the text changed", &edited.text));
    }
    let expected = patches
        .iter()
        .fold(before.clone(), |json, patch| apply_patch(&json, patch));
    match read_independently(&edited.text, format) {
        None => Err(report("another reader cannot read it", &edited.text)),
        Some(seen) if seen != expected => Err(report(
            &format!("another reader sees {seen}\nexpected {expected}"),
            &edited.text,
        )),
        Some(_) => Ok(None),
    }
}

/// Checks the laws on one case: an intact blob, which must be edited correctly, or a damaged one.
pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    let outcome = if choices.random_bool(0.5) {
        generated(&mut choices).map(drop)
    } else {
        hostile::damaged(&mut choices).map(drop)
    };
    if let Err(violation) = outcome {
        panic!("{violation}");
    }
}

/// The result of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Refused(RefusalKind),
    /// The generator found no edit for its blob.
    Skipped,
}

/// One edit of a generated blob.
pub fn generated(rng: &mut impl Rng) -> Result<Outcome, String> {
    let (text, format) = spell::blob(rng);
    let Some(before) = read_independently(&text, format) else {
        return Err(format!(
            "the generator wrote what serde cannot read:\n{}",
            String::from_utf8_lossy(&text)
        ));
    };
    let Some(patch) = random_patch(rng, &before) else {
        return Ok(Outcome::Skipped);
    };
    Ok(judge(&text, format, &patch, &before)?.map_or(Outcome::Done, Outcome::Refused))
}

/// Several edits of a generated blob, applied together if they are independent.
pub fn several(rng: &mut impl Rng) -> Result<Outcome, String> {
    let (text, format) = spell::blob(rng);
    let Some(before) = read_independently(&text, format) else {
        return Ok(Outcome::Skipped);
    };
    let (mut patches, mut now) = (Vec::new(), before.clone());
    for _ in 0..rng.random_range(2..9) {
        let Some(patch) = random_patch(rng, &now) else {
            continue;
        };
        now = apply_patch(&now, &patch);
        patches.push(patch);
    }
    Ok(judge_all(&text, format, &patches, &before)?.map_or(Outcome::Done, Outcome::Refused))
}
