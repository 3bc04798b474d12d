//! Keys of a channel's entries that `opm` ignores, or that it reads twice.

use super::blob::{Correction, OddKey, OddKeyProblem, Rewrite};
use super::known_mistakes::source;
use super::lowering::Lowering;
use super::view::{JsonKind, View};
use crate::did_you_mean::distance;
use crate::go_text::names_field;
use crate::hashed::HashMap;
use crate::place::{Spanned, Text};
use crate::syntax::tree::NodeId;
use crate::syntax::value::MapEntry;
use std::borrow::Cow;

const FIELDS: [&str; 4] = ["name", "replaces", "skips", "skipRange"];

/// Adds the odd keys of an entry.
pub(super) fn find(
    lowering: &Lowering<'_, '_>,
    item: NodeId,
    nth: u32,
    odd_keys: &mut Vec<OddKey>,
) {
    let view = lowering.view;
    let keys = view.entries(item);
    let first = odd_keys.len();
    for (at, key) in keys.iter().enumerate() {
        let problem = match FIELDS.iter().find(|field| names_field(&key.key, field)) {
            // `opm` reads keys in byte order: the last one wins.
            Some(field) => {
                let later = keys[at + 1..].iter().rfind(|k| names_field(&k.key, field));
                let Some(winner) = later else { continue };
                OddKeyProblem::Overridden {
                    by: Text::from(&*winner.key),
                }
            }
            None => match intended_field(&key.key, view.kind(key.value_node)) {
                Some(field) => {
                    let is_free = !keys.iter().any(|k| names_field(&k.key, field));
                    OddKeyProblem::Misspelt {
                        meant: field.into(),
                        correction: if is_free {
                            correction(view, key, field)
                        } else {
                            None
                        },
                    }
                }
                None => OddKeyProblem::Unknown,
            },
        };
        odd_keys.push(OddKey {
            entry: nth,
            key: Spanned::new(Text::from(&*key.key), view.place(key.key_node)),
            problem,
        });
    }
    find_repeated(view, item, nth, keys.len(), odd_keys);
    odd_keys[first..].sort_by_key(|odd| odd.key.place.start);
}

/// Adds the keys that are repeated in the same spelling: of those only the last is among the `distinct` keys.
fn find_repeated(
    view: &View<'_>,
    item: NodeId,
    nth: u32,
    distinct: usize,
    odd_keys: &mut Vec<OddKey>,
) {
    let pairs = || view.tree.pairs(view.tree.resolve_alias(item));
    if pairs().count() == distinct {
        return;
    }
    let keys: Vec<(NodeId, Cow<'_, str>)> = pairs()
        .filter_map(|(key, _)| Some((key, view.string(key)?)))
        .filter(|(_, text)| FIELDS.iter().any(|field| names_field(text, field)))
        .collect();
    let last: HashMap<&str, NodeId> = keys.iter().map(|(node, text)| (&**text, *node)).collect();
    let repeated = keys
        .iter()
        .filter(|(node, text)| last.get(&**text) != Some(node));
    odd_keys.extend(repeated.map(|(node, text)| OddKey {
        entry: nth,
        key: Spanned::new(Text::from(&**text), view.place(*node)),
        problem: OddKeyProblem::Overridden {
            by: Text::from(&**text),
        },
    }));
}

/// The field that an unknown key with such a value looks like.
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
        _ => FIELDS.into_iter().find(|field| {
            let typos = distance(bare, &field.to_ascii_lowercase());
            typos > 0 && typos <= bare.len().min(field.len()) / 4
        }),
    }
}

/// Writes the intended key, if the value has a valid form; a single name becomes a list.
fn correction(view: &View<'_>, key: &MapEntry<'_>, field: &str) -> Option<Correction> {
    let was = source(view, key.key_node);
    let mut rewrites = vec![Rewrite {
        place: view.place(key.key_node),
        was: was.to_owned(),
        meant: was.replacen(&*key.key, field, 1),
    }];
    match (field, view.kind(key.value_node)) {
        ("skips", JsonKind::Array) | ("name" | "replaces" | "skipRange", JsonKind::String) => {}
        ("skips", JsonKind::String) => {
            let value = source(view, key.value_node);
            let is_simple = |c: char| c.is_ascii_alphanumeric() || "-_.+'\"".contains(c);
            if value.is_empty() || !value.chars().all(is_simple) {
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

    #[test]
    fn keys_that_look_like_those_of_an_entry() {
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
