//! Suggestions at a caret in a blob, and help for its key.

use crate::cursor_context::{CursorContext, CursorPart};
use crate::schema_keys::{Described, Key, SCHEMAS, Shape, TYPES, keys_at};
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suggestion {
    pub label: String,
    pub insert: String,
    /// A remark shown beside it.
    pub detail: String,
}

/// The names in a package that a text may refer to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    pub package: String,
    /// Highest version first.
    pub bundles: Vec<BundleName>,
    pub channels: Vec<String>,
    pub entries: Vec<EntryName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleName {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryName {
    pub channel: String,
    pub name: String,
}

/// Returns the package whose names may be suggested; "" if the blob has none.
pub fn package_of(context: &CursorContext) -> &str {
    match context.schema.as_str() {
        "olm.package" => context.blob_field("name"),
        _ => context.blob_field("package"),
    }
}

pub fn suggestions(context: &CursorContext, names: &Names) -> Vec<Suggestion> {
    match &context.part {
        CursorPart::Key => {
            let (schema, path) = mapping_at(context);
            let unused = keys_at(&schema, &path)
                .into_iter()
                .filter(|key| !context.has_key(key.name));
            unused
                .map(|key| Suggestion {
                    label: key.name.into(),
                    insert: insertion(key, context),
                    detail: first_sentence(key.help),
                })
                .collect()
        }
        CursorPart::Value(key) => values(context, key, names),
        CursorPart::Item if context.path.ends_with("skips.[]") => suggest_entries(context, names),
        CursorPart::Item => Vec::new(),
    }
}

/// Returns the help for a key, and for its value if that is a schema or a property type; "" for an
/// unknown key.
pub fn help(context: &CursorContext, key: &str) -> String {
    let (schema, path) = mapping_at(context);
    let known_key = keys_at(&schema, &path)
        .into_iter()
        .find(|known| known.name == key);
    let mut text = known_key.map_or(String::new(), |known| format!("{key}: {}", known.help));
    let value = context.beside(0, key);
    let known_value = match key {
        "schema" if path.is_empty() => SCHEMAS.iter().find(|schema| schema.name == value),
        "type" if path == "properties.[]" => TYPES.iter().find(|known| known.name == value),
        _ => None,
    };
    if let Some(Described { name, help }) = known_value {
        text = format!("{text}\n{name}: {help}");
    }
    text
}

/// Returns the schema and path of the mapping at the caret; inside a property's value, the
/// property's type and the path in the value.
fn mapping_at(context: &CursorContext) -> (String, String) {
    let Some(path) = context
        .path
        .strip_prefix("properties.[].value")
        .filter(|path| path.is_empty() || path.starts_with('.'))
    else {
        return (context.schema.clone(), context.path.clone());
    };
    // Each key on the path is one mapping between the caret and the property.
    let out = 1 + path
        .split('.')
        .filter(|key| !key.is_empty() && *key != "[]")
        .count();
    let lists = path.split('.').filter(|key| *key == "[]").count();
    let property_type = (out..=out + lists)
        .map(|out| context.beside(out, "type"))
        .find(|found| !found.is_empty());
    (
        format!("@{}", property_type.unwrap_or_default()),
        path.trim_start_matches('.').to_owned(),
    )
}

fn insertion(key: &Key, context: &CursorContext) -> String {
    let name = key.name;
    match key.shape {
        _ if context.is_json => name.to_owned(),
        Shape::Scalar => format!("{name}: "),
        Shape::List | Shape::Map => format!("{name}:"),
    }
}

fn values(context: &CursorContext, key: &str, names: &Names) -> Vec<Suggestion> {
    let to_choice = |known: &Described| choice(known.name, &first_sentence(known.help));
    match (context.schema.as_str(), context.path.as_str(), key) {
        (_, "", "schema") => SCHEMAS.iter().map(to_choice).collect(),
        ("olm.deprecations", "entries.[].reference", "schema") => {
            let deprecatable = SCHEMAS.iter().filter(|known| known.name != context.schema);
            deprecatable.map(to_choice).collect()
        }
        (_, "properties.[]", "type") => TYPES.iter().map(to_choice).collect(),
        (_, "", "package") | (_, "properties.[].value", "packageName")
            if !names.package.is_empty() =>
        {
            vec![choice(&names.package, "this package")]
        }
        ("olm.package", "", "defaultChannel") => channels(names),
        ("olm.channel", "entries.[]", "name") => bundles(names),
        ("olm.channel", "entries.[]", "replaces") => suggest_entries(context, names),
        ("olm.bundle", "", "name") => entries_without_bundle(names),
        ("olm.deprecations", "entries.[].reference", "name") => match context.beside(0, "schema") {
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
        .map(|bundle| choice(&bundle.name, &bundle.version))
        .collect()
}

/// Suggests the other entries of the channel first, then the bundles that it does not list.
fn suggest_entries(context: &CursorContext, names: &Names) -> Vec<Suggestion> {
    // An item of `skips` is in a list, one level inside the entry.
    let out = usize::from(context.part == CursorPart::Item && context.beside(0, "name").is_empty());
    let channel = context.blob_field("name");
    let edited_entry = context.beside(out, "name");
    let version = |name: &str| {
        let bundle = names.bundles.iter().find(|bundle| bundle.name == name);
        bundle.map_or("no bundle", |bundle| &bundle.version)
    };
    let listed: Vec<&str> = names
        .entries
        .iter()
        .filter(|entry| entry.channel == channel)
        .map(|entry| entry.name.as_str())
        .collect();
    let mut suggested: Vec<Suggestion> = Vec::new();
    for name in listed.iter().rev().filter(|name| **name != edited_entry) {
        if !suggested.iter().any(|earlier| earlier.label == **name) {
            suggested.push(choice(name, version(name)));
        }
    }
    let listed: HashSet<&str> = listed.into_iter().collect();
    let others = names
        .bundles
        .iter()
        .filter(|bundle| bundle.name != edited_entry && !listed.contains(bundle.name.as_str()));
    suggested.extend(others.map(|bundle| {
        let detail = format!("{}, not in {channel}", bundle.version);
        choice(&bundle.name, &detail)
    }));
    suggested
}

fn entries_without_bundle(names: &Names) -> Vec<Suggestion> {
    let bundles = names.bundles.iter().map(|bundle| bundle.name.as_str());
    let mut known: HashSet<&str> = bundles.collect();
    // Several channels may list the same entry.
    let entries = names.entries.iter().map(|entry| entry.name.as_str());
    entries
        .filter(|entry| known.insert(entry))
        .map(|name| choice(name, "an entry without a bundle"))
        .collect()
}

fn first_sentence(help: &str) -> String {
    help.split_once(". ")
        .map_or(help, |(first, _)| first)
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor_context;

    fn bundle(name: &str, version: &str) -> BundleName {
        BundleName {
            name: name.into(),
            version: version.into(),
        }
    }

    fn entry(channel: &str, name: &str) -> EntryName {
        EntryName {
            channel: channel.into(),
            name: name.into(),
        }
    }

    fn names() -> Names {
        Names {
            package: "p".into(),
            bundles: vec![
                bundle("p.v3", "3.0.0"),
                bundle("p.v2", "2.0.0"),
                bundle("p.v1", "1.0.0"),
            ],
            channels: vec!["stable".into(), "fast".into()],
            entries: vec![
                entry("stable", "p.v0"),
                entry("stable", "p.v1"),
                entry("stable", "p.v2"),
                entry("fast", "p.v3"),
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
        let context = cursor_context::at(&lines[..=at], &lines[at + 1..], column);
        suggestions(&context, &names())
            .into_iter()
            .map(|one| one.insert)
            .collect()
    }

    #[test]
    fn an_entry_of_several_channels_is_suggested_once() {
        let mut names = names();
        names.entries.push(entry("fast", "p.v0"));
        let suggested = entries_without_bundle(&names);
        assert_eq!(suggested.len(), 1);
        assert_eq!(suggested[0].label, "p.v0");
    }

    #[test]
    fn suggests_only_missing_keys() {
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
    fn suggests_names_of_the_package() {
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
    fn in_json_only_the_names_are_inserted() {
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
        let context = cursor_context::at(&lines, &[], 4);
        assert!(help(&context, "replaces").starts_with("replaces: The previous entry"));
        assert_eq!(help(&context, "unknown"), "");
    }
}
