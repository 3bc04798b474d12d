//! Changes to blobs: fields, types, keys, edges, names, properties.

use super::node::{Node, NodePath, map, raw, text};
use super::pools::{
    BASE64, IMAGES, MARKS, NAMES, PROPERTY_TYPES, RANGES, RELEASES, SCALARS, SCHEMAS, VERSIONS,
    chance, pick,
};
use super::start::{File, make_property, property};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedMutRandom, IndexedRandom, SliceRandom};

/// Changes one of the blobs; returns a description.
pub(crate) fn change(rng: &mut SmallRng, files: &mut [File]) -> String {
    let with_blobs: Vec<usize> = (0..files.len())
        .filter(|&i| !files[i].blobs.is_empty())
        .collect();
    let Some(&at) = with_blobs.choose(rng) else {
        return "nothing: no blobs".to_owned();
    };
    let description = match rng.random_range(0..100) {
        0..=24 => node(rng, files, at),
        25..=34 => key(rng, &mut files[at]),
        35..=44 => any_field(rng, files),
        45..=62 => graph(rng, files),
        63..=76 => bundle(rng, files),
        77..=84 => deprecations(rng, files),
        85..=94 => blobs(rng, files),
        _ => mark(rng, &mut files[at]),
    };
    for file in files.iter_mut() {
        // Discard the original text of a real file.
        file.text = None;
    }
    description
}

fn blob<'a>(rng: &mut SmallRng, file: &'a mut File) -> &'a mut Node {
    let nth = rng.random_range(0..file.blobs.len());
    &mut file.blobs[nth]
}

/// A blob of a schema, anywhere.
fn of_schema<'a>(rng: &mut SmallRng, files: &'a mut [File], schema: &str) -> Option<&'a mut Node> {
    let mut found: Vec<&mut Node> = files
        .iter_mut()
        .flat_map(|f| &mut f.blobs)
        .filter(|b| b.text("schema") == Some(schema))
        .collect();
    let nth = if found.is_empty() {
        return None;
    } else {
        rng.random_range(0..found.len())
    };
    Some(found.swap_remove(nth))
}

fn random_path(rng: &mut SmallRng, node: &Node, keys: bool) -> NodePath {
    node.paths(keys).choose(rng).cloned().unwrap_or_default()
}

/// Replaces any value.
fn node(rng: &mut SmallRng, files: &mut [File], at: usize) -> String {
    let donor = {
        let from = rng.random_range(0..files.len());
        let blob = files[from]
            .blobs
            .choose(rng)
            .cloned()
            .unwrap_or(raw("null"));
        let path = random_path(rng, &blob, false);
        blob.at(&path).clone()
    };
    let blob = blob(rng, &mut files[at]);
    let path = random_path(rng, blob, false);
    let node = blob.at_mut(&path);
    let what = rng.random_range(0..8);
    *node = match what {
        0 | 1 => raw(pick(rng, &SCALARS)),
        2 => text(pick(rng, &NAMES)),
        3 => raw("null"),
        4 => odd_value(rng),
        5 => Node::List(vec![node.clone()]),
        6 => map([("name", node.clone())]),
        _ => donor,
    };
    format!("value at {path:?} becomes {node:?}")
}

fn odd_value(rng: &mut SmallRng) -> Node {
    match rng.random_range(0..12) {
        0 => Node::List(vec![]),
        1 => map([]),
        2 => raw("true"),
        3 => raw("1"),
        4 => raw("1.5"),
        5 => raw("-1"),
        6 => text("a"),
        7 => Node::List(vec![raw("1"), raw("256")]),
        8 => Node::List(vec![raw("123"), raw("125")]),
        9 => Node::List(vec![raw("null")]),
        10 => map([("a", map([("b", Node::List(vec![raw("1")]))]))]),
        _ => raw(pick(
            rng,
            &[
                "1e21",
                "99999999999999999999",
                "2147483648",
                "-0.0",
                "1e400",
                "0.5",
                "9223372036854775808",
            ],
        )),
    }
}

/// Repeats, removes or misspells a key.
fn key(rng: &mut SmallRng, file: &mut File) -> String {
    let blob = blob(rng, file);
    let maps: Vec<NodePath> = blob
        .paths(false)
        .into_iter()
        .filter(|w| matches!(blob.at(w), Node::Map(e) if !e.is_empty()))
        .collect();
    // The root is where keys matter most.
    let path = if chance(rng, 40) {
        NodePath::new()
    } else {
        maps.choose(rng).cloned().unwrap_or_default()
    };
    let Node::Map(entries) = blob.at_mut(&path) else {
        return "nothing: no keys".to_owned();
    };
    if entries.is_empty() {
        return "nothing: no keys".to_owned();
    }
    let nth = rng.random_range(0..entries.len());
    let old = entries[nth].0.clone();
    let name = match &old {
        Node::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let what = rng.random_range(0..10);
    match what {
        0 | 1 => drop(entries.remove(nth)),
        2 => entries[nth].0 = text(&misspell(rng, &name)),
        3 => entries[nth].0 = raw(pick(rng, &SCALARS)),
        4 => {
            let again = (old, odd_value(rng));
            entries.insert(rng.random_range(0..=entries.len()), again);
        }
        5 | 6 => {
            let value = if chance(rng, 50) {
                entries[nth].1.clone()
            } else {
                odd_value(rng)
            };
            entries.insert(
                rng.random_range(0..=entries.len()),
                (text(&misspell(rng, &name)), value),
            );
        }
        7 => entries.insert(nth, (raw(pick(rng, &SCALARS)), odd_value(rng))),
        8 => entries.shuffle(rng),
        _ => {
            let merged = match rng.random_range(0..4) {
                0 => Node::List(vec![
                    map([("name", text("m"))]),
                    map([("name", text("l")), ("package", text("a"))]),
                ]),
                1 => odd_value(rng),
                _ => map([("name", text("m")), ("schema", text("olm.channel"))]),
            };
            entries.insert(rng.random_range(0..=entries.len()), (raw("<<"), merged));
        }
    }
    format!("key {name:?} at {path:?}: change {what}")
}

fn misspell(rng: &mut SmallRng, name: &str) -> String {
    match rng.random_range(0..12) {
        0 => name.to_uppercase(),
        1 => name.to_lowercase(),
        2 => {
            let mut chars = name.chars();
            chars
                .next()
                .map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
        }
        3 => name.replace('s', "ſ"),
        4 => name.replace('k', "\u{212a}"),
        5 => name.replace('i', "ı"),
        6 => format!("{name} "),
        7 => format!("{name}s"),
        8 => name.chars().rev().collect(),
        9 => name
            .chars()
            .map(|c| {
                if chance(rng, 50) {
                    c.to_ascii_uppercase()
                } else {
                    c
                }
            })
            .collect(),
        10 => name.replace('e', "\u{435}"),
        _ => name.chars().skip(1).collect(),
    }
}

const FIELDS: &[(&str, &[&str])] = &[
    (
        "olm.package",
        &[
            "schema",
            "name",
            "defaultChannel",
            "icon",
            "description",
            "properties",
            "package",
            "entries",
        ],
    ),
    (
        "olm.channel",
        &[
            "schema",
            "name",
            "package",
            "entries",
            "properties",
            "image",
        ],
    ),
    (
        "olm.bundle",
        &[
            "schema",
            "name",
            "package",
            "image",
            "properties",
            "relatedImages",
            "entries",
            "csvJson",
        ],
    ),
    (
        "olm.deprecations",
        &["schema", "package", "entries", "name", "message"],
    ),
];

/// Sets a field of a schema, present or not, to any value.
fn any_field(rng: &mut SmallRng, files: &mut [File]) -> String {
    let &(schema, fields) = &FIELDS[rng.random_range(0..FIELDS.len())];
    let Some(blob) = of_schema(rng, files, schema) else {
        return format!("nothing: no {schema}");
    };
    let field = pick(rng, fields);
    let value = match rng.random_range(0..6) {
        0 => raw(pick(rng, &SCALARS)),
        1 => text(pick(rng, &NAMES)),
        2 => raw("null"),
        3 => text(pick(rng, &SCHEMAS)),
        _ => odd_value(rng),
    };
    let description = format!("{schema}.{field} = {value:?}");
    blob.set(field, value);
    description
}

/// Entries and their edges, heads, names of channels and packages.
fn graph(rng: &mut SmallRng, files: &mut [File]) -> String {
    let Some(channel) = of_schema(rng, files, "olm.channel") else {
        return "nothing: no channel".to_owned();
    };
    let Some(entries) = channel.list_mut("entries").filter(|e| !e.is_empty()) else {
        return "nothing: no entries".to_owned();
    };
    let name = |rng: &mut SmallRng, entries: &[Node]| -> Node {
        if chance(rng, 15) {
            return text(pick(rng, &NAMES));
        }
        entries
            .choose(rng)
            .and_then(|e| e.get("name").cloned())
            .unwrap_or(raw("null"))
    };
    let nth = rng.random_range(0..entries.len());
    let what = rng.random_range(0..16);
    match what {
        0..=3 => {
            let target = name(rng, entries);
            entries[nth].set("replaces", target);
        }
        4 | 5 => {
            let skips = (0..rng.random_range(0..4))
                .map(|_| name(rng, entries))
                .collect();
            entries[nth].set("skips", Node::List(skips));
        }
        6 | 7 => {
            let range = if chance(rng, 30) {
                raw(pick(rng, &SCALARS))
            } else {
                text(pick(rng, &RANGES))
            };
            entries[nth].set("skipRange", range);
        }
        8 => drop(entries.remove(nth)),
        9 => {
            let again = entries[nth].clone();
            entries.insert(rng.random_range(0..=entries.len()), again);
        }
        10 => {
            let absent = text(pick(rng, &NAMES));
            entries.push(map([("name", absent)]));
        }
        11 => {
            if let Node::Map(fields) = &mut entries[nth] {
                fields.retain(|(key, _)| *key != text("replaces"));
            }
        }
        12 => entries.shuffle(rng),
        13 => {
            let other = entries[rng.random_range(0..entries.len())].clone();
            let replaces = other.get("replaces").cloned().unwrap_or(raw("null"));
            entries[nth].set("replaces", replaces);
        }
        14 => {
            let new = text(pick(rng, &NAMES));
            entries[nth].set("name", new);
        }
        _ => entries.clear(),
    }
    format!("entry {nth}: change {what}")
}

/// Changes a bundle's own data.
fn bundle(rng: &mut SmallRng, files: &mut [File]) -> String {
    let other = of_schema(rng, files, "olm.bundle").and_then(|b| b.get("properties").cloned());
    let Some(bundle) = of_schema(rng, files, "olm.bundle") else {
        return "nothing: no bundle".to_owned();
    };
    let what = rng.random_range(0..14);
    let odd = |rng: &mut SmallRng, pool: &[&str]| {
        if chance(rng, 15) {
            raw(pick(rng, &SCALARS))
        } else {
            text(pick(rng, pool))
        }
    };
    match what {
        0 | 1 => {
            let image = odd(rng, &IMAGES);
            bundle.set("image", image);
        }
        2 => {
            let images = (0..rng.random_range(1..4))
                .map(|_| map([("name", text("n")), ("image", odd(rng, &IMAGES))]));
            let images = Node::List(images.collect());
            bundle.set("relatedImages", images);
        }
        3..=6 => {
            let Some(properties) = bundle.list_mut("properties") else {
                return "nothing: no properties".to_owned();
            };
            let own = properties
                .iter_mut()
                .find(|p| p.text("type") == Some("olm.package"));
            let Some(own) = own.and_then(|p| p.get_mut("value")) else {
                return "nothing: no own".to_owned();
            };
            match what {
                3 | 4 => own.set("version", odd(rng, &VERSIONS)),
                5 => {
                    own.set("release", odd(rng, &RELEASES));
                    if chance(rng, 50) {
                        own.set("version", odd(rng, &VERSIONS));
                    }
                }
                _ => own.set("packageName", odd(rng, &NAMES)),
            }
        }
        7 => {
            let name = odd(rng, &NAMES);
            bundle.set("name", name);
        }
        8 => {
            bundle.set("properties", other.unwrap_or(raw("null")));
        }
        _ => {
            let Some(properties) = bundle.list_mut("properties") else {
                return "nothing: no properties".to_owned();
            };
            let nth = rng.random_range(0..=properties.len());
            match what {
                9 | 10 => properties.insert(nth, odd_property(rng)),
                11 if nth < properties.len() => drop(properties.remove(nth)),
                12 if nth < properties.len() => {
                    let again = properties[nth].clone();
                    properties.push(again);
                }
                _ => properties.insert(nth, make_property(rng)),
            }
        }
    }
    format!("bundle: change {what}")
}

/// A property of any type with any value, or a good one with something odd inside.
fn odd_property(rng: &mut SmallRng) -> Node {
    match rng.random_range(0..6) {
        0 => property(pick(rng, &PROPERTY_TYPES), odd_value(rng)),
        1 => map([("type", text(pick(rng, &PROPERTY_TYPES)))]),
        2 => odd_value(rng),
        3 => {
            let data = if chance(rng, 20) {
                odd_value(rng)
            } else {
                text(pick(rng, &BASE64))
            };
            let value = if chance(rng, 10) {
                map([])
            } else {
                map([("data", data)])
            };
            property("olm.bundle.object", value)
        }
        _ => {
            let mut property = make_property(rng);
            for _ in 0..rng.random_range(1..3) {
                let paths = property.paths(false);
                let path = paths.choose(rng).cloned().unwrap_or_default();
                *property.at_mut(&path) = if chance(rng, 40) {
                    raw(pick(rng, &SCALARS))
                } else {
                    odd_value(rng)
                };
            }
            if chance(rng, 30) {
                property.set("type", text(pick(rng, &PROPERTY_TYPES)));
            }
            property
        }
    }
}

fn deprecations(rng: &mut SmallRng, files: &mut [File]) -> String {
    let names: Vec<String> = files
        .iter()
        .flat_map(|f| &f.blobs)
        .filter_map(|b| b.text("name").map(str::to_owned))
        .chain(NAMES.iter().map(|n| (*n).to_owned()))
        .collect();
    let packages: Vec<String> = files
        .iter()
        .flat_map(|f| &f.blobs)
        .filter_map(|b| b.text("package").map(str::to_owned))
        .collect();
    let package = packages.choose(rng).cloned().unwrap_or_default();
    let name = |rng: &mut SmallRng| names.choose(rng).cloned().unwrap_or_default();
    let mut entries = Vec::new();
    for _ in 0..rng.random_range(0..4) {
        let mut reference = map([("schema", text(pick(rng, &SCHEMAS)))]);
        if chance(rng, 75) {
            reference.set("name", text(&name(rng)));
        }
        let mut entry = map([("reference", reference)]);
        match rng.random_range(0..10) {
            0 => {}
            1 => entry.set("message", text("")),
            2 => entry.set("reference", odd_value(rng)),
            3 => entry = odd_value(rng),
            _ => entry.set("message", text("m")),
        }
        if chance(rng, 10) {
            entries.push(entry.clone());
        }
        entries.push(entry);
    }
    let mut blob = map([("schema", text("olm.deprecations"))]);
    if !chance(rng, 5) {
        blob.set("package", text(&package));
    }
    blob.set("entries", Node::List(entries));
    let description = format!("deprecations of {package:?}");
    match of_schema(rng, files, "olm.deprecations") {
        Some(old) if chance(rng, 70) => *old = blob,
        _ => {
            if let Some(file) = files.choose_mut(rng) {
                file.blobs.push(blob);
            }
        }
    }
    description
}

/// Removes, repeats or swaps whole blobs, or moves them to another package.
fn blobs(rng: &mut SmallRng, files: &mut [File]) -> String {
    let from = rng.random_range(0..files.len());
    let to = rng.random_range(0..files.len());
    if files[from].blobs.is_empty() {
        return "nothing: no blobs".to_owned();
    }
    let nth = rng.random_range(0..files[from].blobs.len());
    let what = rng.random_range(0..8);
    match what {
        0 | 1 => drop(files[from].blobs.remove(nth)),
        2 => {
            let blob = files[from].blobs[nth].clone();
            let at = rng.random_range(0..=files[to].blobs.len());
            files[to].blobs.insert(at, blob);
        }
        3 => {
            let blob = files[from].blobs.remove(nth);
            files[to].blobs.push(blob);
        }
        4 => files[from].blobs.shuffle(rng),
        5 => {
            let package = pick(rng, &["a", "b", "c", "", "x", "A"]);
            files[from].blobs[nth].set("package", text(package));
        }
        6 => {
            let schema = pick(rng, &SCHEMAS);
            files[from].blobs[nth].set("schema", text(schema));
        }
        _ => files[from].blobs.insert(nth, odd_value(rng)),
    }
    format!("blob {nth} of file {from}: change {what}")
}

/// Tags, anchors and aliases.
fn mark(rng: &mut SmallRng, file: &mut File) -> String {
    let blob = blob(rng, file);
    let keys = chance(rng, 20);
    let path = random_path(rng, blob, keys);
    let mark = pick(rng, &MARKS);
    let inner = blob.at(&path).clone();
    *blob.at_mut(&path) = Node::Marked(mark.to_owned(), Box::new(inner));
    if mark.contains('&') || chance(rng, 30) {
        for _ in 0..rng.random_range(1..4) {
            let keys = chance(rng, 20);
            let path = random_path(rng, blob, keys);
            if !path.is_empty() {
                *blob.at_mut(&path) = raw(pick(rng, &["*a", "*a", "*b"]));
            }
        }
    }
    format!("{mark} at {path:?}")
}
