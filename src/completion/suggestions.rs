//! Suggestions at a caret in a blob, and help for its key.

use crate::cursor_context::{CursorContext, CursorPart};
use crate::schema_keys::{self, Key, SCHEMAS, Shape, TYPES};
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suggestion {
    pub label: String,
    /// The text to insert.
    pub insert: String,
    /// A remark shown beside it.
    pub detail: String,
}

/// The names in a package that a text may refer to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    pub package: String,
    /// Name and version, highest first.
    pub bundles: Vec<(String, String)>,
    pub channels: Vec<String>,
    /// Channel and entry.
    pub entries: Vec<(String, String)>,
}

/// Returns the package whose names may be suggested; "" if the blob has none.
pub fn package_of(spot: &CursorContext) -> &str {
    match spot.schema.as_str() {
        "olm.package" => spot.blob_field("name"),
        _ => spot.blob_field("package"),
    }
}

/// Lists the suggestions at a caret.
pub fn suggestions(spot: &CursorContext, names: &Names) -> Vec<Suggestion> {
    match &spot.part {
        CursorPart::Key => {
            let (schema, path) = scheme(spot);
            let free = schema_keys::keys_at(&schema, &path)
                .into_iter()
                .filter(|(name, ..)| !spot.has_key(name));
            free.map(|key| Suggestion {
                label: key.0.into(),
                insert: insertion(key, spot),
                detail: short(key.2),
            })
            .collect()
        }
        CursorPart::Value(key) => values(spot, key, names),
        CursorPart::Item if spot.path.ends_with("skips.[]") => entry_names(spot, names),
        CursorPart::Item => Vec::new(),
    }
}

/// Returns the help for a key.
pub fn help(spot: &CursorContext, key: &str) -> String {
    let (schema, path) = scheme(spot);
    let found = schema_keys::keys_at(&schema, &path)
        .into_iter()
        .find(|(name, ..)| *name == key);
    let mut text = found.map_or(String::new(), |found| format!("{key}: {}", found.2));
    let value = spot.beside(0, key);
    let more = match key {
        "schema" if path.is_empty() => SCHEMAS.iter().find(|(name, _)| *name == value),
        "type" if path == "properties.[]" => TYPES.iter().find(|(name, _)| *name == value),
        _ => None,
    };
    if let Some((name, help)) = more {
        text = format!("{text}\n{name}: {help}");
    }
    text
}

/// Returns the schema and path of the mapping at the caret; inside a property's value, the
/// property's type and the path in the value.
fn scheme(spot: &CursorContext) -> (String, String) {
    let inside = "properties.[].value";
    match spot
        .path
        .strip_prefix(inside)
        .filter(|rest| rest.is_empty() || rest.starts_with('.'))
    {
        None => (spot.schema.clone(), spot.path.clone()),
        Some(rest) => {
            // Each key on the path is one mapping between the caret and the property.
            let out = 1 + rest
                .split('.')
                .filter(|key| !key.is_empty() && *key != "[]")
                .count();
            let lists = rest.split('.').filter(|key| *key == "[]").count();
            let kind = (out..=out + lists)
                .map(|out| spot.beside(out, "type"))
                .find(|kind| !kind.is_empty());
            (
                format!("@{}", kind.unwrap_or_default()),
                rest.trim_start_matches('.').to_owned(),
            )
        }
    }
}

fn insertion(&(name, shape, _): &Key, spot: &CursorContext) -> String {
    match shape {
        _ if spot.is_json => name.to_owned(),
        Shape::Scalar => format!("{name}: "),
        Shape::List | Shape::Map => format!("{name}:"),
    }
}

fn values(spot: &CursorContext, key: &str, names: &Names) -> Vec<Suggestion> {
    let to_choice = |(name, help): &(&str, &str)| choice(name, &short(help));
    match (spot.schema.as_str(), spot.path.as_str(), key) {
        (_, "", "schema") => SCHEMAS.iter().map(to_choice).collect(),
        ("olm.deprecations", "entries.[].reference", "schema") => {
            SCHEMAS[..3].iter().map(to_choice).collect()
        }
        (_, "properties.[]", "type") => TYPES.iter().map(to_choice).collect(),
        (_, "", "package") | (_, "properties.[].value", "packageName")
            if !names.package.is_empty() =>
        {
            vec![choice(&names.package, "this package")]
        }
        ("olm.package", "", "defaultChannel") => channels(names),
        ("olm.channel", "entries.[]", "name") => bundles(names),
        ("olm.channel", "entries.[]", "replaces") => entry_names(spot, names),
        ("olm.bundle", "", "name") => entries_without_bundle(names),
        ("olm.deprecations", "entries.[].reference", "name") => match spot.beside(0, "schema") {
            "olm.channel" => channels(names),
            "olm.bundle" => bundles(names),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn choice(name: &str, detail: &str) -> Suggestion {
    Suggestion {
        label: name.to_owned(),
        insert: name.to_owned(),
        detail: detail.to_owned(),
    }
}

fn channels(names: &Names) -> Vec<Suggestion> {
    names
        .channels
        .iter()
        .map(|name| choice(name, "channel"))
        .collect()
}

fn bundles(names: &Names) -> Vec<Suggestion> {
    names
        .bundles
        .iter()
        .map(|(name, version)| choice(name, version))
        .collect()
}

/// Suggests the other entries of the channel first, then the bundles that it does not list.
fn entry_names(spot: &CursorContext, names: &Names) -> Vec<Suggestion> {
    // An item of `skips` is in a list, one level inside the entry.
    let out = usize::from(spot.part == CursorPart::Item && spot.beside(0, "name").is_empty());
    let (channel, own) = (spot.blob_field("name"), spot.beside(out, "name"));
    let version = |name: &str| {
        names
            .bundles
            .iter()
            .find(|(known, _)| known == name)
            .map_or("no bundle", |(_, version)| version)
    };
    let listed: Vec<&str> = names
        .entries
        .iter()
        .filter(|(of, _)| of == channel)
        .map(|(_, entry)| entry.as_str())
        .collect();
    let mut found: Vec<Suggestion> = Vec::new();
    for name in listed.iter().rev().filter(|name| **name != own) {
        if !found.iter().any(|known| known.label == **name) {
            found.push(choice(name, version(name)));
        }
    }
    let known: HashSet<&str> = listed.iter().copied().collect();
    let others = names
        .bundles
        .iter()
        .filter(|(name, _)| name != own && !known.contains(name.as_str()));
    found.extend(
        others.map(|(name, version)| choice(name, &format!("{version}, not in {channel}"))),
    );
    found
}

fn entries_without_bundle(names: &Names) -> Vec<Suggestion> {
    let bundles = names.bundles.iter().map(|(name, _)| name.as_str());
    let mut known: HashSet<&str> = bundles.collect();
    // Several channels may list the same entry.
    let entries = names.entries.iter().map(|(_, entry)| entry.as_str());
    entries
        .filter(|entry| known.insert(entry))
        .map(|name| choice(name, "an entry without a bundle"))
        .collect()
}

/// Returns the first sentence of a help text.
fn short(help: &str) -> String {
    help.split_once(". ")
        .map_or(help, |(first, _)| first)
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor_context;

    fn names() -> Names {
        Names {
            package: "p".into(),
            bundles: vec![
                ("p.v3".into(), "3.0.0".into()),
                ("p.v2".into(), "2.0.0".into()),
                ("p.v1".into(), "1.0.0".into()),
            ],
            channels: vec!["stable".into(), "fast".into()],
            entries: vec![
                ("stable".into(), "p.v0".into()),
                ("stable".into(), "p.v1".into()),
                ("stable".into(), "p.v2".into()),
                ("fast".into(), "p.v3".into()),
            ],
        }
    }

    fn suggested_texts(text: &str) -> Vec<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = lines
            .iter()
            .position(|line| line.contains('‸'))
            .expect("a caret");
        let column = lines[at]
            .chars()
            .position(|letter| letter == '‸')
            .expect("a caret") as u32
            + 1;
        let lines: Vec<String> = lines.iter().map(|line| line.replace('‸', "")).collect();
        let spot = cursor_context::at(&lines[..=at], &lines[at + 1..], column);
        suggestions(&spot, &names())
            .into_iter()
            .map(|one| one.insert)
            .collect()
    }

    #[test]
    fn an_entry_of_several_channels_is_suggested_once() {
        let mut names = names();
        names.entries.push(("fast".into(), "p.v0".into()));
        let suggested = entries_without_bundle(&names);
        assert_eq!(suggested.len(), 1);
        assert_eq!(suggested[0].label, "p.v0");
    }

    #[test]
    fn keys_that_are_not_there_yet() {
        let text = "schema: olm.channel\npackage: p\nname: stable\nentries:\n- name: p.v2\n  ‸\n  skips:\n";
        assert_eq!(suggested_texts(text), ["replaces: ", "skipRange: "]);
        assert_eq!(
            suggested_texts("‸"),
            ["schema: ", "package: ", "name: ", "properties:"]
        );
        let gvk =
            "schema: olm.bundle\nproperties:\n- type: olm.gvk\n  value:\n    kind: X\n    ‸\n";
        assert_eq!(suggested_texts(gvk), ["group: ", "version: "]);
        let deep = "schema: olm.bundle\nproperties:\n- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - pa‸\n";
        assert!(suggested_texts(deep).contains(&"package:".to_owned()));
    }

    #[test]
    fn names_of_the_package() {
        let text = "schema: olm.channel\npackage: p\nname: stable\nentries:\n- name: p.v2\n  replaces: ‸\n";
        assert_eq!(
            suggested_texts(text),
            ["p.v1", "p.v0", "p.v3"],
            "entries of the channel before other bundles"
        );
        assert_eq!(
            suggested_texts(&text.replace("replaces: ‸", "skips:\n  - ‸")),
            ["p.v1", "p.v0", "p.v3"]
        );
        assert_eq!(
            suggested_texts("schema: olm.package\nname: p\ndefaultChannel: ‸\n"),
            ["stable", "fast"]
        );
        let deprecated = "schema: olm.deprecations\npackage: p\nentries:\n- reference:\n    schema: olm.channel\n    name: ‸\n";
        assert_eq!(suggested_texts(deprecated), ["stable", "fast"]);
        assert_eq!(suggested_texts("schema: olm.bundle\nname: ‸\n"), ["p.v0"]);
        assert_eq!(suggested_texts("schema: olm.b‸\n").len(), 4);
        assert_eq!(
            suggested_texts("schema: olm.bundle\nproperties:\n- type: ‸\n").len(),
            TYPES.len()
        );
    }

    #[test]
    fn in_json_the_names_alone_are_put_in() {
        let text = "{\n  \"schema\": \"olm.channel\",\n  \"name\": \"stable\",\n  \"entries\": [{\"name\": \"p.v2\", \"‸\"}]\n}";
        assert_eq!(suggested_texts(text), ["replaces", "skips", "skipRange"]);
        assert_eq!(
            suggested_texts(&text.replace("\"‸\"", "\"replaces\": \"‸\"")),
            ["p.v1", "p.v0", "p.v3"]
        );
    }

    #[test]
    fn keys_are_explained() {
        let lines: Vec<String> = [
            "schema: olm.channel",
            "entries:",
            "- name: a",
            "  replaces: b",
        ]
        .map(String::from)
        .to_vec();
        let spot = cursor_context::at(&lines, &[], 4);
        assert!(help(&spot, "replaces").starts_with("replaces: The entry that upgrades"));
        assert_eq!(help(&spot, "unknown"), "");
    }
}
