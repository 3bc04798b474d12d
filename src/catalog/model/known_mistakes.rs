//! Detects common mistakes, most of them copied from OLM's documentation: a range that YAML parses
//! as a folded scalar, properties in a wrapper, fields of `dependencies.yaml` in a catalog.
//!
//! Only unambiguous mistakes are corrected. Knows no rules, which report the consequences.

use super::blob::{
    Correction, KnownMistake, MisplacedDependencies, OddKey, OddKeyProblem, Property, Rewrite,
};
use super::lowering::{Lowering, WrittenProperty};
use super::view::{JsonKind, View};
use crate::version::blang::Range;
use serde_json::{Value, json};
use std::borrow::Cow;
use syntax::did_you_mean::distance;
use syntax::go_text::names_field;
use syntax::hashed::HashMap;
use syntax::place::{LineIndex, Place, Spanned, Text};
use syntax::tree::{Format, NodeId, NodeKind};
use syntax::value::{self, MapEntry};
use syntax::{self, scalar};

/// Fields that define a constraint.
const CONSTRAINT_FIELDS: [&str; 7] = [
    "failureMessage",
    "gvk",
    "package",
    "cel",
    "all",
    "any",
    "not",
];
/// Maximum number of lines that a correction moves.
const MAX_MOVED_LINES: usize = 2000;
const ENTRY_FIELDS: [&str; 4] = ["name", "replaces", "skips", "skipRange"];

/// Finds the unquoted text starting with `>` that YAML refuses at offset `at`. Returns a hint, and
/// the correction if the text is a range.
pub(super) fn find_unquoted_range(text: &[u8], at: usize) -> Option<(String, Option<Correction>)> {
    let lines = LineIndex::new(text);
    let start = lines.line_start(text, lines.line_column(text, at).0);
    let rest = text.get(start..)?;
    let line =
        std::str::from_utf8(rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?).ok()?;
    let signs = line.match_indices('>').map(|(sign, _)| sign);
    let sign = signs
        .take_while(|sign| start + sign <= at)
        .filter(|sign| {
            let before = &line[..*sign];
            before.ends_with(' ') && before.trim_end().ends_with([':', '-', ',', '[', '{'])
        })
        .last()?;
    let (before, after) = (&line[..sign], &line[sign..]);
    let is_flow = before.matches(['{', '[']).count() > before.matches(['}', ']']).count();
    let end = if is_flow {
        after.find(['}', ']', ','])
    } else {
        after.find(" #")
    };
    let written = after[..end.unwrap_or(after.len())].trim_end();
    let field = before
        .trim_end()
        .strip_suffix(':')
        .and_then(|key| key.rsplit([' ', '{', ',']).next());
    let field = field.map_or_else(String::new, |field| format!("{field}: "));
    let help = format!(
        "in YAML an unquoted `>` starts a folded scalar; quote the range: `{field}'{written}'`"
    );
    // After a comma the range may continue.
    let is_whole = !is_flow || end.is_some_and(|end| !after[end..].starts_with(','));
    let is_range = is_whole && !written.contains('\'') && Range::parse(written).is_ok();
    let correction = is_range.then(|| Correction {
        title: format!("write `{field}'{written}'`"),
        rewrites: vec![Rewrite {
            place: lines.place(text, start + sign..start + sign + written.len()),
            was: written.to_owned(),
            meant: format!("'{written}'"),
        }],
    });
    Some((help, correction))
}

/// Finds properties in an item of `properties` whose only key is `property`. Returns a hint, and
/// the correction if they can be unwrapped.
pub(super) fn find_wrapped_property(
    view: &View<'_>,
    node: NodeId,
) -> Option<(String, Option<Correction>)> {
    let entries = view.entries(node);
    let [entry] = &entries[..] else { return None };
    if entry.key != "property" {
        return None;
    }
    let help = "list properties directly, without a `property:` key: `- type: …`, `value: …`";
    let replacement = match view.tree.kind(node) {
        NodeKind::FlowMapping => unwrap_flow(view, entry.value_node),
        _ => unwrap_block(view, node, entry.value_node),
    };
    let correction = replacement.map(|replacement| Correction {
        title: "remove the `property:` wrapper".to_owned(),
        rewrites: vec![Rewrite {
            place: view.place(node),
            was: source(view, node).to_owned(),
            meant: replacement,
        }],
    });
    Some((help.to_owned(), correction))
}

/// Returns the entry of a key in exactly this spelling.
fn find_key<'e, 'a>(entries: &'e [MapEntry<'a>], key: &str) -> Option<&'e MapEntry<'a>> {
    entries.iter().find(|entry| entry.key == key)
}

/// Replaces a part of a node's text.
pub(super) fn rewrite(view: &View<'_>, node: NodeId, part: &str, meant: &str) -> Rewrite {
    let was = source(view, node).to_owned();
    Rewrite {
        place: view.place(node),
        meant: was.replacen(part, meant, 1),
        was,
    }
}

/// As written, without resolving escapes.
pub(super) fn source<'a>(view: &View<'a>, node: NodeId) -> &'a str {
    view.text
        .get(view.tree.range(node))
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default()
}

fn unwrap_flow(view: &View<'_>, value: NodeId) -> Option<String> {
    let content = match view.tree.kind(value) {
        NodeKind::FlowMapping => source(view, value).to_owned(),
        NodeKind::FlowSequence => {
            let (first, last) = (view.items(value).next()?, view.items(value).last()?);
            let range = view.tree.range(first).start..view.tree.range(last).end;
            std::str::from_utf8(view.text.get(range)?).ok()?.to_owned()
        }
        _ => return None,
    };
    are_properties(&format!("[{content}]"), view.tree.format()).then_some(content)
}

/// Returns the lines below `property:`, unindented to its column.
fn unwrap_block(view: &View<'_>, node: NodeId, value: NodeId) -> Option<String> {
    let column = view.place(node).column as usize;
    let mut lines = source(view, node).split('\n');
    if lines.next()?.trim_end() != "property:"
        || column < 2
        || lines.clone().count() > MAX_MOVED_LINES
    {
        return None;
    }
    // A list may contain further wrappers beside properties.
    let lines: Vec<&str> = lines.filter(|line| line.trim() != "- property:").collect();
    let first = lines.iter().find(|line| !line.trim().is_empty())?;
    let indent = first.len() - first.trim_start().len();
    let content_column = match view.tree.kind(value) {
        NodeKind::BlockSequence => first.trim_start().strip_prefix("- ").map(|_| indent + 2)?,
        NodeKind::BlockMapping => indent,
        _ => return None,
    };
    let moved = lines
        .iter()
        .map(|line| shift_line(line, content_column, column))
        .collect::<Option<Vec<_>>>()?
        .join("\n");
    let unwrapped = moved
        .trim_start()
        .strip_prefix("- ")
        .unwrap_or(moved.trim_start())
        .to_owned();
    let document = format!("{}- {unwrapped}\n", " ".repeat(column - 2));
    are_properties(&document, Format::Yaml).then_some(unwrapped)
}

/// Moves a line from column `from` to column `to`; `None` if it starts before `from`.
fn shift_line(line: &str, from: usize, to: usize) -> Option<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    if line.trim().is_empty() {
        return Some(line.to_owned());
    }
    let is_dash = line[indent..].starts_with("- ");
    let moved = (indent + to).checked_sub(from)?;
    (indent >= from || is_dash && indent + 2 >= from)
        .then(|| format!("{}{}", " ".repeat(moved), &line[indent..]))
}

/// Whether the text is a list of properties and nothing else.
fn are_properties(text: &str, format: Format) -> bool {
    let Ok(tree) = syntax::parse(text.as_bytes(), format) else {
        return false;
    };
    let view = View::new(&tree, text.as_bytes());
    let Some(root) = tree.root() else {
        return false;
    };
    let mut items = view.items(root).peekable();
    items.peek().is_some()
        && items.all(|item| {
            let entries = view.entries(item);
            let kind = entries
                .iter()
                .find(|entry| entry.key == "type")
                .and_then(|entry| view.string(entry.value_node));
            entries.len() == 2
                && kind.is_some_and(|kind| !kind.is_empty())
                && entries.iter().any(|entry| entry.key == "value")
        })
}

struct Mistake {
    place: Place,
    help: String,
    correction: Option<Correction>,
}

/// Finds the mistake in a property of a bundle, which has this index.
pub(super) fn find_in_property(
    lowering: &Lowering<'_, '_>,
    index: usize,
    property: &WrittenProperty,
) -> Option<KnownMistake> {
    let Mistake {
        place,
        help,
        correction,
    } = find_mistake(lowering, property)?;
    Some(KnownMistake {
        property: index as u32,
        place,
        help,
        correction,
    })
}

fn find_mistake(lowering: &Lowering<'_, '_>, property: &WrittenProperty) -> Option<Mistake> {
    let view = lowering.view;
    match &*property.kind {
        "olm.package.required" => check_required_package(view, property.value?),
        "olm.constraint" => check_constraint(view, property),
        "olm.package" => {
            let package = view
                .field_value(&lowering.entries, "package")
                .and_then(|node| view.string(node))?;
            check_own_package(view, property, &package)
        }
        _ => None,
    }
}

/// Finds `name` instead of `packageName`, or `version` instead of `versionRange`, in a package
/// requirement.
fn check_required_package(view: &View<'_>, node: NodeId) -> Option<Mistake> {
    let entries = view.entries(node);
    let mut mistakes = Vec::new();
    for (mistake, field) in [("name", "packageName"), ("version", "versionRange")] {
        let entry = find_key(&entries, mistake).filter(|_| find_key(&entries, field).is_none());
        let text = entry.filter(|entry| view.string(entry.value_node).is_some());
        mistakes.extend(text.map(|entry| (entry.key_node, mistake, field)));
    }
    mistakes.sort_by_key(|(key, ..)| view.tree.range(*key).start);
    let place = view.place(mistakes.first()?.0);
    let hints: Vec<String> = mistakes
        .iter()
        .map(|(_, mistake, field)| format!("`{field}`, not `{mistake}`"))
        .collect();
    let fields: Vec<String> = mistakes
        .iter()
        .map(|(.., field)| format!("`{field}`"))
        .collect();
    let rewrites = mistakes
        .iter()
        .map(|&(key, mistake, field)| rewrite(view, key, mistake, field));
    let correction = Correction {
        title: format!("write {}", fields.join(" and ")),
        rewrites: rewrites.collect(),
    };
    Some(Mistake {
        place,
        help: format!("the field is {}", hints.join(", and ")),
        correction: Some(correction),
    })
}

fn check_constraint(view: &View<'_>, property: &WrittenProperty) -> Option<Mistake> {
    if let Some(mistake) = check_empty_value(view, property) {
        return Some(mistake);
    }
    let mut pending = vec![property.value?];
    while let Some(node) = pending.pop() {
        for entry in view.entries(node) {
            match &*entry.key {
                "package" => {
                    if let Some(mistake) = check_required_package(view, entry.value_node) {
                        return Some(mistake);
                    }
                }
                group @ ("all" | "any" | "not") => {
                    if view.items(entry.value_node).next().is_some() {
                        return Some(Mistake {
                            place: view.place(entry.key_node),
                            help: format!(
                                "`{group}` takes an object with a list: \
                                 `{group}: {{constraints: […]}}`"
                            ),
                            correction: None,
                        });
                    }
                    let inner = view.entries(entry.value_node);
                    if let Some(list) = find_key(&inner, "constraints") {
                        pending.extend(view.items(list.value_node));
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// Finds a constraint next to an empty `value` instead of inside it.
fn check_empty_value(view: &View<'_>, property: &WrittenProperty) -> Option<Mistake> {
    let has_value = |value| view.tree.kind(value) != NodeKind::Absent;
    if property.value.is_some_and(has_value) {
        return None;
    }
    let entries = view.entries(property.node);
    let mut misplaced: Vec<_> = entries
        .iter()
        .filter(|entry| CONSTRAINT_FIELDS.contains(&&*entry.key))
        .collect();
    misplaced.sort_by_key(|entry| view.tree.range(entry.key_node).start);
    let first = misplaced.first()?;
    let help = format!("`{}` belongs inside `value`; indent it", first.key);
    let place = view.place(first.key_node);
    let correction =
        indent_rewrite(view, property.node, first.key_node, misplaced.len()).map(|rewrite| {
            Correction {
                title: format!("indent `{}`", first.key),
                rewrites: vec![rewrite],
            }
        });
    Some(Mistake {
        place,
        help,
        correction,
    })
}

/// Indents the lines from the key on by two columns; requires `value:` on the previous line and
/// nothing after them.
fn indent_rewrite(
    view: &View<'_>,
    property: NodeId,
    first: NodeId,
    count: usize,
) -> Option<Rewrite> {
    let range = view.tree.range(property);
    let at = view.tree.range(first).start;
    let before = std::str::from_utf8(view.text.get(range.start..at)?).ok()?;
    let line_before = before.trim_end_matches(' ').strip_suffix('\n')?;
    let is_below_value = line_before
        .rsplit('\n')
        .next()?
        .trim()
        .trim_start_matches("- ")
        == "value:";
    let was = std::str::from_utf8(view.text.get(at..range.end)?)
        .ok()?
        .to_owned();
    if !is_below_value
        || view.tree.kind(property) != NodeKind::BlockMapping
        || was.lines().count() > MAX_MOVED_LINES
    {
        return None;
    }
    let indent_line = |line: &str| {
        if line.trim().is_empty() {
            line.to_owned()
        } else {
            format!("  {line}")
        }
    };
    let lines: Vec<String> = was.split('\n').map(indent_line).collect();
    let replacement = lines.join("\n");
    let column = " ".repeat(view.place(property).column as usize);
    let document = format!("{column}{before}{replacement}\n");
    check_constraints_in_value(&document, count)?;
    Some(Rewrite {
        place: view.range_place(at..range.end),
        was,
        meant: replacement,
    })
}

/// Checks that the `value` of a property, given as text, has exactly `count` constraints.
fn check_constraints_in_value(document: &str, count: usize) -> Option<()> {
    let tree = syntax::parse(document.as_bytes(), Format::Yaml).ok()?;
    let view = View::new(&tree, document.as_bytes());
    let root = view.entries(tree.root()?);
    let value = find_key(&root, "value")?.value_node;
    let fields = view.entries(value);
    let are_constraints = fields
        .iter()
        .all(|entry| CONSTRAINT_FIELDS.contains(&&*entry.key));
    (root.len() == 2 && fields.len() == count && are_constraints).then_some(())
}

/// Finds an `olm.package` of another package, meant as a requirement as in `dependencies.yaml`: in
/// a catalog it identifies the bundle itself.
fn check_own_package(view: &View<'_>, property: &WrittenProperty, own: &str) -> Option<Mistake> {
    let entries = view.entries(property.value?);
    let [package, version, range] =
        ["packageName", "version", "versionRange"].map(|field| find_key(&entries, field));
    let package = view.string(package?.value_node)?;
    let is_range =
        |text: &str| text.starts_with(['<', '>', '=', '!']) && Range::parse(text).is_ok();
    let is_requirement = range.is_some()
        || version
            .and_then(|entry| view.string(entry.value_node))
            .is_some_and(|text| is_range(&text));
    if *package == *own || !is_requirement {
        return None;
    }
    let properties = view.entries(property.node);
    let kind = find_key(&properties, "type")?.value_node;
    let mut rewrites = vec![rewrite(view, kind, "olm.package", "olm.package.required")];
    if let Some(entry) = version.filter(|_| range.is_none()) {
        rewrites.push(rewrite(view, entry.key_node, "version", "versionRange"));
    }
    rewrites.sort_by_key(|rewrite| rewrite.place.start);
    let help = format!(
        "`olm.package` says what the bundle itself is; to require `{package}` write \
         `olm.package.required` with `packageName` and `versionRange`"
    );
    let title = format!("require `{package}` with `olm.package.required`");
    Some(Mistake {
        place: view.place(kind),
        help,
        correction: Some(Correction { title, rewrites }),
    })
}

/// Finds misplaced `dependencies` in the bundle blob.
pub(super) fn find_dependencies(lowering: &Lowering<'_, '_>) -> Option<MisplacedDependencies> {
    let view = lowering.view;
    let entry = lowering
        .entries
        .iter()
        .find(|entry| entry.key == "dependencies")?;
    let properties: Option<Vec<Property>> = view
        .items(entry.value_node)
        .map(|item| to_property(view, item))
        .collect();
    Some(MisplacedDependencies {
        place: view.place(entry.key_node),
        properties: properties.unwrap_or_default(),
        removal: remove_lines(view, entry.key_node, entry.value_node),
    })
}

/// Converts an item of `dependencies.yaml` to the property that `opm render` creates from it.
fn to_property(view: &View<'_>, item: NodeId) -> Option<Property> {
    let entries = view.entries(item);
    let kind = entries
        .iter()
        .find(|entry| entry.key == "type")
        .and_then(|entry| view.string(entry.value_node))?;
    let value = entries
        .iter()
        .find(|entry| entry.key == "value")?
        .value_node;
    let value: Value =
        serde_json::from_str(&value::canonical_json(view.tree, view.text, value).ok()?).ok()?;
    let field = |name: &str| value[name].as_str().filter(|text| !text.is_empty());
    let (kind, value) = match &*kind {
        "olm.package" => {
            let (package, range) = (field("packageName")?, field("version")?);
            (
                "olm.package.required",
                json!({"packageName": package, "versionRange": range}),
            )
        }
        "olm.gvk" => {
            let (group, version, kind) = (field("group")?, field("version")?, field("kind")?);
            (
                "olm.gvk.required",
                json!({"group": group, "version": version, "kind": kind}),
            )
        }
        "olm.constraint" => ("olm.constraint", value),
        _ => return None,
    };
    Some(Property {
        kind: kind.into(),
        value: Some(value.to_string().into()),
    })
}

/// Removes the lines of a key and its value in a block mapping; `None` if they have other content.
fn remove_lines(view: &View<'_>, key: NodeId, value: NodeId) -> Option<Rewrite> {
    let (start, end) = (view.tree.range(key).start, view.tree.range(value).end);
    let is_block = matches!(view.tree.kind(value), NodeKind::BlockSequence);
    let line_end = end + memchr::memchr(b'\n', view.text.get(end..)?)? + 1;
    let is_whole = view.range_place(start..end).column == 0
        && view.text.get(end..line_end)?.trim_ascii().is_empty();
    let was = std::str::from_utf8(view.text.get(start..line_end)?)
        .ok()?
        .to_owned();
    // Removing an anchor would affect aliases elsewhere.
    let has_anchor = scalar::text(view.tree, view.text, key).is_none() || was.contains('&');
    (is_block && is_whole && !has_anchor).then(|| Rewrite {
        place: view.range_place(start..line_end),
        was,
        meant: String::new(),
    })
}

/// Adds the odd keys of the channel entry with this index.
pub(super) fn find_odd_keys(
    lowering: &Lowering<'_, '_>,
    item: NodeId,
    index: u32,
    odd_keys: &mut Vec<OddKey>,
) {
    let view = lowering.view;
    let keys = view.entries(item);
    let first = odd_keys.len();
    for (position, key) in keys.iter().enumerate() {
        let Some(problem) = key_problem(view, &keys, position) else {
            continue;
        };
        odd_keys.push(OddKey {
            entry: index,
            key: Spanned::new(Text::from(&*key.key), view.place(key.key_node)),
            problem,
        });
    }
    find_repeated_keys(view, item, index, keys.len(), odd_keys);
    odd_keys[first..].sort_by_key(|odd| odd.key.place.start);
}

/// Returns the problem of one of the keys of an entry, which are sorted.
fn key_problem(view: &View<'_>, keys: &[MapEntry<'_>], position: usize) -> Option<OddKeyProblem> {
    let key = &keys[position];
    if let Some(field) = ENTRY_FIELDS
        .iter()
        .find(|field| names_field(&key.key, field))
    {
        // `opm` reads keys in byte order: the last one wins.
        let mut later = keys[position + 1..].iter();
        let winner = later.rfind(|later| names_field(&later.key, field))?;
        return Some(OddKeyProblem::Overridden {
            by: Text::from(&*winner.key),
        });
    }
    let Some(field) = intended_field(&key.key, view.kind(key.value_node)) else {
        return Some(OddKeyProblem::Unknown);
    };
    let is_taken = keys.iter().any(|other| names_field(&other.key, field));
    Some(OddKeyProblem::Misspelt {
        meant: field.into(),
        correction: if is_taken {
            None
        } else {
            correct_key(view, key, field)
        },
    })
}

/// Adds all but the last of the keys that are repeated in one spelling. `distinct` is the number of
/// distinct keys.
fn find_repeated_keys(
    view: &View<'_>,
    item: NodeId,
    index: u32,
    distinct: usize,
    odd_keys: &mut Vec<OddKey>,
) {
    let pairs = || view.tree.pairs(view.tree.resolve_alias(item));
    if pairs().count() == distinct {
        return;
    }
    let keys: Vec<(NodeId, Cow<'_, str>)> = pairs()
        .filter_map(|(key, _)| Some((key, view.string(key)?)))
        .filter(|(_, text)| ENTRY_FIELDS.iter().any(|field| names_field(text, field)))
        .collect();
    let last: HashMap<&str, NodeId> = keys.iter().map(|(node, text)| (&**text, *node)).collect();
    let repeated = keys
        .iter()
        .filter(|(node, text)| last.get(&**text) != Some(node));
    odd_keys.extend(repeated.map(|(node, text)| OddKey {
        entry: index,
        key: Spanned::new(Text::from(&**text), view.place(*node)),
        problem: OddKeyProblem::Overridden {
            by: Text::from(&**text),
        },
    }));
}

/// Returns the field that an unknown key with such a value looks like.
fn intended_field(key: &str, value: JsonKind) -> Option<&'static str> {
    let letters: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let bare = letters
        .strip_prefix("olm")
        .filter(|rest| !rest.is_empty())
        .unwrap_or(&letters);
    match bare {
        "name" | "entryname" => Some("name"),
        "replace" | "replaces" | "replaced" | "replacing" => Some("replaces"),
        "upgrades" | "upgradefrom" | "upgradesfrom" => Some("replaces"),
        "skip" | "skips" | "skipped" | "skiped" | "skipping" => Some("skips"),
        "range" | "skiprange" | "skipranges" | "skipsrange" => Some("skipRange"),
        // A list of names, or one of them.
        _ if bare.starts_with("skip") && value == JsonKind::Array => Some("skips"),
        "skipversion" | "skipversions" | "skipbundle" | "skipbundles" => Some("skips"),
        _ => ENTRY_FIELDS.into_iter().find(|field| {
            let typos = distance(bare, &field.to_ascii_lowercase());
            typos > 0 && typos <= bare.len().min(field.len()) / 4
        }),
    }
}

/// Replaces a key by the intended field if its value fits. A single name becomes a list.
fn correct_key(view: &View<'_>, key: &MapEntry<'_>, field: &str) -> Option<Correction> {
    let mut rewrites = vec![rewrite(view, key.key_node, &key.key, field)];
    match (field, view.kind(key.value_node)) {
        ("skips", JsonKind::Array) | ("name" | "replaces" | "skipRange", JsonKind::String) => {}
        ("skips", JsonKind::String) => {
            let value = source(view, key.value_node);
            if value.is_empty()
                || !value
                    .chars()
                    .all(|c: char| c.is_ascii_alphanumeric() || "-_.+'\"".contains(c))
            {
                return None;
            }
            rewrites.push(Rewrite {
                place: view.place(key.value_node),
                was: value.to_owned(),
                meant: format!("[{value}]"),
            });
        }
        _ => return None,
    }
    Some(Correction {
        title: format!("write `{field}`"),
        rewrites,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote_range(text: &str, at: usize) -> Option<(String, Option<String>)> {
        let (help, correction) = find_unquoted_range(text.as_bytes(), at)?;
        Some((
            help,
            correction.map(|correction| correction.rewrites[0].meant.clone()),
        ))
    }

    #[test]
    fn a_range_without_quotes() {
        for (text, field, expected) in [
            (
                "versionRange: >=1.0.0 <2.0.0\n",
                "versionRange: ",
                Some("'>=1.0.0 <2.0.0'"),
            ),
            (
                "  skipRange: >=1.0.0 # all\n",
                "skipRange: ",
                Some("'>=1.0.0'"),
            ),
            ("- >1.0.0", "", Some("'>1.0.0'")),
            (
                "{a: b, versionRange: >1.0.0}\n",
                "versionRange: ",
                Some("'>1.0.0'"),
            ),
            (
                "versionRange: > 0.27.0\n",
                "versionRange: ",
                Some("'> 0.27.0'"),
            ),
            // Possibly a range of another dialect.
            ("versionRange: >=1.0\n", "versionRange: ", None),
            ("{versionRange: >1.0.0, a: b}\n", "versionRange: ", None),
        ] {
            let (help, found) = quote_range(text, text.find('>').unwrap() + 1).unwrap();
            assert!(help.contains(&format!("`{field}'>")), "{text}: {help}");
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        for text in ["a>=1.0.0\n", "a: b >1.0.0\n"] {
            assert_eq!(quote_range(text, text.len() - 1), None, "{text}");
        }
    }

    #[test]
    fn recognizes_misspelt_keys_of_an_entry() {
        for (key, field) in [
            ("skipRanges", Some("skipRange")),
            ("skip-range", Some("skipRange")),
            ("skip_range", Some("skipRange")),
            ("olm.skipRange", Some("skipRange")),
            ("skpiRange", Some("skipRange")),
            ("skip", Some("skips")),
            ("replace", Some("replaces")),
            ("repalces", Some("replaces")),
            ("skiped", Some("skips")),
            ("skipversions", Some("skips")),
            ("range", Some("skipRange")),
            ("upgrades", Some("replaces")),
            ("skipPatch", None),
            ("note", None),
            ("version", None),
            ("image", None),
            ("olm", None),
            ("", None),
        ] {
            assert_eq!(intended_field(key, JsonKind::String), field, "{key}");
        }
        assert_eq!(
            intended_field("skipTheseToo", JsonKind::Array),
            Some("skips")
        );
    }
}
