//! Turns patches into text edits, parses the result, and refuses it unless it has the intended
//! values and all comments but the removed ones.
//!
//! Values are compared once for any number of patches. Bytes outside the edits stay unchanged by
//! construction.

use super::batch::{Batch, SplicedPatch};
use super::patch::{Action, DisplayPath, Patch, PatchRefusal, PathSegment, RefusalKind, Value};
use super::splice::locate::is_same_field;
use super::splice::{Document, first_newline};
use catalog::source::piece::PieceTable;
use catalog::source::text_edit::{TextEdit, TextEdits};
use std::ops::Range;
use syntax::tree::{Format, NodeId, NodeKind, Tree};
use syntax::value;

const OTHER_CHANGE: &str = "something other than this value would change";
const WRONG_VALUE: &str = "the new value would not parse as intended";
const NOT_FOUND: &str = "the value could not be found after the change";

/// A blob with its patches applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedBlob {
    /// Relative to the original blob text.
    pub edits: TextEdits,
    /// The text after the edits.
    pub text: Vec<u8>,
}

impl EditedBlob {
    /// Returns the edits of a text in which the blob begins at `start`.
    pub fn edits_from(&self, start: usize) -> impl Iterator<Item = TextEdit> {
        self.edits.as_slice().iter().map(move |edit| {
            let range = edit.range.start + start..edit.range.end + start;
            TextEdit::replace(range, edit.insert.clone())
        })
    }
}

/// Applies patches to a blob's text in order: each path refers to the result of the previous ones.
///
/// Applies all patches or none.
pub fn edit_blob(
    text: &[u8],
    format: Format,
    patches: &[Patch],
) -> Result<EditedBlob, PatchRefusal> {
    let tree = parse(text, format)?;
    let document = Document {
        text,
        tree: &tree,
        format,
    };
    match edit(document, patches, usize::MAX) {
        // Retry one by one, so that the refusal names its patch with the previous ones applied.
        Err(_) if patches.len() > 1 => edit(document, patches, 1),
        edited => edited,
    }
}

/// Applies patches in as few batches as possible, with at most `limit` patches each.
fn edit(before: Document<'_>, patches: &[Patch], limit: usize) -> Result<EditedBlob, PatchRefusal> {
    // Earlier batches may remove all line breaks.
    let newline = first_newline(before.text).unwrap_or("\n");
    let mut table = PieceTable::new(before.text.len() as u64);
    let mut current: Option<(Vec<u8>, Tree)> = None;
    let mut remaining: Vec<&Patch> = patches.iter().collect();
    while !remaining.is_empty() {
        let (text, tree) = current
            .as_ref()
            .map_or((before.text, before.tree), |(text, tree)| (text, tree));
        let mut batch = Batch::new(
            Document {
                text,
                tree,
                ..before
            },
            newline,
            limit,
        );
        let mut waiting = Vec::new();
        for patch in remaining {
            if !batch.try_add(patch)? {
                waiting.push(patch);
            }
        }
        remaining = waiting;
        if batch.spliced.is_empty() {
            continue;
        }
        let (edits, after) = apply(batch.document, &batch.spliced)?;
        table
            .apply(&edits)
            .map_err(|error| batch_refusal(batch.document, &batch.spliced, &error.to_string()))?;
        current = Some(after);
    }
    let Some((text, tree)) = current else {
        return Ok(EditedBlob {
            edits: TextEdits::default(),
            text: before.text.to_vec(),
        });
    };
    let after = Document {
        text: &text,
        tree: &tree,
        ..before
    };
    match check_values(before, after, patches) {
        Err(problem) => {
            let path = patches.first().map(|patch| &*patch.path);
            Err(check_refusal(before, path, problem))
        }
        Ok(()) => Ok(EditedBlob {
            edits: edits_so_far(&table, &text),
            text,
        }),
    }
}

/// Converts a sequence of edits to edits of the original text. `current` is the resulting text.
fn edits_so_far(table: &PieceTable, current: &[u8]) -> TextEdits {
    TextEdits::new(
        table
            .regions()
            .iter()
            .map(|region| {
                let (old, new) = (&region.original, &region.current);
                let inserted = current
                    .get(new.start as usize..new.end as usize)
                    .unwrap_or_default();
                TextEdit::replace(old.start as usize..old.end as usize, inserted)
            })
            .collect(),
    )
    .unwrap_or_default()
}

pub(super) fn parse(text: &[u8], format: Format) -> Result<Tree, PatchRefusal> {
    syntax::parse(text, format).map_err(|error| {
        let at = (error.at as usize).min(text.len());
        let tree = Tree::default();
        let document = Document {
            text,
            tree: &tree,
            format,
        };
        let reason = format!("the blob cannot be read: {}", error.problem);
        document.refuse_at(at..at, RefusalKind::Unreadable, reason)
    })
}

/// Applies the patches of a batch. Returns the edits and the new text with its tree.
fn apply(
    document: Document<'_>,
    spliced: &[SplicedPatch<'_>],
) -> Result<(TextEdits, (Vec<u8>, Tree)), PatchRefusal> {
    let mismatch = |problem: &str| batch_refusal(document, spliced, problem);
    let edits = spliced
        .iter()
        .flat_map(|spliced| &spliced.edits)
        .cloned()
        .collect();
    let edits = TextEdits::new(edits).map_err(|overlap| mismatch(&overlap.to_string()))?;
    let text = edits.apply(document.text);
    // The text after the blob starts on its own line, above all its separator.
    if document.text.ends_with(b"\n") && !text.ends_with(b"\n") {
        return Err(mismatch("the blob's last line would lose its line break"));
    }
    let tree = syntax::parse(&text, document.format).map_err(|error| mismatch(&error.problem))?;
    let after = Document {
        text: &text,
        tree: &tree,
        ..document
    };
    // The parser stops after the brackets of a document.
    if document.text_after_root() != after.text_after_root() {
        return Err(mismatch(OTHER_CHANGE));
    }
    if !comments_are_kept(document, after, spliced) {
        return Err(mismatch("a comment would be lost"));
    }
    Ok((edits, (text, tree)))
}

fn batch_refusal(
    document: Document<'_>,
    spliced: &[SplicedPatch<'_>],
    problem: &str,
) -> PatchRefusal {
    check_refusal(
        document,
        spliced.first().map(|spliced| &*spliced.patch.path),
        problem,
    )
}

fn check_refusal(
    document: Document<'_>,
    path: Option<&[PathSegment]>,
    problem: &str,
) -> PatchRefusal {
    if has_odd_breaks(document.text) {
        let reason = "a line of the blob ends with a character that only some YAML readers treat as a line break";
        return document.refuse_at(0..0, RefusalKind::Spelling, reason);
    }
    let reason = format!(
        "the edit of {} failed its check: {problem}",
        DisplayPath(path.unwrap_or_default())
    );
    document.refuse_at(0..0, RefusalKind::Mismatch, reason)
}

/// Whether a text has line breaks that splices do not know: those that only YAML 1.1 has, or lone
/// carriage returns.
fn has_odd_breaks(text: &[u8]) -> bool {
    let odd = [&b"\xc2\x85"[..], b"\xe2\x80\xa8", b"\xe2\x80\xa9"];
    odd.iter()
        .any(|mark| memchr::memmem::find(text, mark).is_some())
        || memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'))
}

/// Whether all comments remain in order, except those that a patch may remove.
fn comments_are_kept(
    before: Document<'_>,
    after: Document<'_>,
    spliced: &[SplicedPatch<'_>],
) -> bool {
    let comments = before.tree.comments();
    let mut is_removed = vec![false; comments.len()];
    for SplicedPatch {
        edits, removable, ..
    } in spliced
    {
        let first = comments.partition_point(|comment| (comment.start as usize) < removable.start);
        let inside = comments.iter().zip(&mut is_removed).skip(first);
        for (comment, is_removed) in
            inside.take_while(|(comment, _)| comment.end as usize <= removable.end)
        {
            let comment = byte_range(comment);
            *is_removed |= edits
                .iter()
                .any(|edit| edit.range.start < comment.end && edit.range.end > comment.start);
        }
    }
    let remaining = comments
        .iter()
        .zip(&is_removed)
        .filter(|(_, is_removed)| !**is_removed)
        .map(|(comment, _)| &before.text[byte_range(comment)]);
    let comments_after = after.tree.comments().iter();
    remaining.eq(comments_after.map(|comment| &after.text[byte_range(comment)]))
}

fn byte_range(comment: &Range<u32>) -> Range<usize> {
    comment.start as usize..comment.end as usize
}

/// Checks that `after` has the values of `before` with these patches applied in order.
fn check_values(
    before: Document<'_>,
    after: Document<'_>,
    patches: &[Patch],
) -> Result<(), &'static str> {
    let (Some(old), Some(new)) = (before.tree.root(), after.tree.root()) else {
        return Err(NOT_FOUND);
    };
    let mut expected = Expected::Kept(old);
    for patch in patches {
        expected.apply(before, patch).ok_or(NOT_FOUND)?;
    }
    expected.compare(before, after, new)
}

pub(super) fn reads_as(document: Document<'_>, node: NodeId, expected: &Value) -> bool {
    let expected = expected.to_string();
    syntax::parse(expected.as_bytes(), Format::Json).is_ok_and(|tree| {
        let expected = Document {
            text: expected.as_bytes(),
            tree: &tree,
            format: Format::Json,
        };
        let root = tree.root();
        root.is_some_and(|root| same_value(expected, root, document, node))
    })
}

fn same_value(a: Document<'_>, a_node: NodeId, b: Document<'_>, b_node: NodeId) -> bool {
    if has_same_text(a, a_node, b, b_node) {
        return true;
    }
    let json = |document: Document<'_>, node| {
        value::converted_json(document.tree, document.text, node).ok()
    };
    match (json(a, a_node), json(b, b_node)) {
        (None, None) => a.text[a.tree.range(a_node)] == b.text[b.tree.range(b_node)],
        (a, b) => a == b,
    }
}

/// Whether two values have the same structure and scalars, without aliases and block scalars. A
/// shortcut for large values.
fn has_same_text(a: Document<'_>, a_node: NodeId, b: Document<'_>, b_node: NodeId) -> bool {
    let subtree = |tree: &Tree, node: NodeId| node.0..tree.node(node).next.max(node.0 + 1);
    let (a_nodes, b_nodes) = (subtree(a.tree, a_node), subtree(b.tree, b_node));
    let size = |tree: &Tree, node: NodeId| tree.node(node).next.wrapping_sub(node.0);
    let is_same = |a_node: NodeId, b_node: NodeId| {
        let kind = a.tree.kind(a_node);
        kind == b.tree.kind(b_node)
            && !a.tree.node(a_node).has_properties
            && !b.tree.node(b_node).has_properties
            && match kind {
                NodeKind::Literal | NodeKind::Folded | NodeKind::Alias => false,
                _ if kind.is_scalar() => {
                    a.text[a.tree.range(a_node)] == b.text[b.tree.range(b_node)]
                }
                _ => size(a.tree, a_node) == size(b.tree, b_node),
            }
    };
    a_nodes.len() == b_nodes.len()
        && a_nodes
            .zip(b_nodes)
            .all(|(a_node, b_node)| is_same(NodeId(a_node), NodeId(b_node)))
}

/// A value of a document after its patches. Only values on the path to a change are opened, so
/// that recursion is no deeper than that path.
enum Expected<'p> {
    /// As in the document before the patches.
    Kept(NodeId),
    New(&'p Value),
    Map(Vec<(Key, Expected<'p>)>),
    List(Vec<Expected<'p>>),
}

struct Key {
    text: String,
    /// The key as JSON: YAML's `y:` is "true".
    json: String,
}

impl Key {
    fn new(name: &str) -> Self {
        Self {
            text: name.to_owned(),
            json: name.to_owned(),
        }
    }
}

impl<'p> Expected<'p> {
    /// Applies one patch. Returns `None` if the path leads to no value.
    fn apply(&mut self, before: Document<'_>, patch: &'p Patch) -> Option<()> {
        let (target, last) = match (&patch.action, patch.path.split_last()) {
            (Action::InsertItem { .. }, _) => (self.find(before, &patch.path)?, None),
            (_, Some((last, above))) => (self.find(before, above)?, Some(last)),
            (_, None) => return None,
        };
        target.open(before);
        match (target, &patch.action, last) {
            (Expected::List(items), Action::InsertItem { at, value }, _) if *at <= items.len() => {
                items.insert(*at, Expected::New(value));
            }
            (Expected::List(items), Action::Set { value, .. }, Some(PathSegment::Index(at))) => {
                *items.get_mut(*at)? = Expected::New(value);
            }
            (Expected::List(items), Action::Remove, Some(PathSegment::Index(at)))
                if *at < items.len() =>
            {
                items.remove(*at);
            }
            (Expected::Map(pairs), action, Some(PathSegment::Key(name))) => {
                let at = pairs
                    .iter()
                    .position(|(key, _)| is_same_field(&key.text, name));
                match (action, at) {
                    (Action::Set { value, .. }, Some(at)) => pairs[at].1 = Expected::New(value),
                    (Action::Set { value, .. }, None) => {
                        pairs.push((Key::new(name), Expected::New(value)));
                    }
                    (_, at) => drop(pairs.remove(at?)),
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the value at a path; opens its ancestors.
    fn find(&mut self, before: Document<'_>, path: &[PathSegment]) -> Option<&mut Self> {
        let mut value = self;
        for step in path {
            value.open(before);
            value = match (value, step) {
                (Expected::Map(pairs), PathSegment::Key(name)) => {
                    let mut pairs = pairs.iter_mut();
                    &mut pairs.find(|(key, _)| is_same_field(&key.text, name))?.1
                }
                (Expected::List(items), PathSegment::Index(at)) => items.get_mut(*at)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Turns a map or list into its editable form.
    fn open(&mut self, before: Document<'_>) {
        let tree = before.tree;
        *self = match self {
            Expected::Kept(node) if tree.kind(*node).is_sequence() => {
                Expected::List(tree.children(*node).map(Expected::Kept).collect())
            }
            Expected::Kept(node) if tree.kind(*node).is_mapping() => {
                let entries = value::mapping_entries(tree, before.text, *node);
                let pairs = entries.unwrap_or_default().into_iter().map(|entry| {
                    let text = before.string(entry.key_node).unwrap_or_default();
                    let key = Key {
                        text: text.into_owned(),
                        json: entry.key.into_owned(),
                    };
                    (key, Expected::Kept(entry.value_node))
                });
                Expected::Map(pairs.collect())
            }
            Expected::New(Value::Array(items)) => {
                let items: &'p [Value] = items;
                Expected::List(items.iter().map(Expected::New).collect())
            }
            Expected::New(Value::Object(pairs)) => {
                let pairs: &'p serde_json::Map<String, Value> = pairs;
                Expected::Map(
                    pairs
                        .iter()
                        .map(|(key, value)| (Key::new(key), Expected::New(value)))
                        .collect(),
                )
            }
            _ => return,
        };
    }

    /// Compares with a node of the document after. Recursion is as deep as the longest patch path.
    fn compare(
        &self,
        before: Document<'_>,
        after: Document<'_>,
        node: NodeId,
    ) -> Result<(), &'static str> {
        let (is_equal, problem) = match self {
            Expected::Kept(old) => (same_value(before, *old, after, node), OTHER_CHANGE),
            Expected::New(value) => (reads_as(after, node, value), WRONG_VALUE),
            Expected::List(items) => {
                let nodes: Vec<NodeId> = after.tree.children(node).collect();
                for (item, node) in items.iter().zip(&nodes) {
                    item.compare(before, after, *node)?;
                }
                let is_list = after.tree.kind(node).is_sequence();
                (is_list && nodes.len() == items.len(), OTHER_CHANGE)
            }
            Expected::Map(pairs) => {
                let entries = value::mapping_entries(after.tree, after.text, node);
                let entries = entries.map_err(|_| OTHER_CHANGE)?;
                for (key, value) in pairs {
                    let entry = entries.iter().find(|entry| entry.key == key.json);
                    value.compare(before, after, entry.ok_or(OTHER_CHANGE)?.value_node)?;
                }
                let is_map = after.tree.kind(node).is_mapping();
                (is_map && entries.len() == pairs.len(), OTHER_CHANGE)
            }
        };
        if is_equal { Ok(()) } else { Err(problem) }
    }
}

#[cfg(test)]
mod check_values_tests {
    use super::*;
    use crate::patch::path;
    use serde_json::json;

    fn difference(patches: &[Patch], after: &str) -> Option<&'static str> {
        let before = "entries:\n- name: a\n  skips: [x]\n- name: b\n- name: c\n";
        let trees = [before, after]
            .map(|text| syntax::parse(text.as_bytes(), Format::Yaml).expect("a document"));
        let [before, after] =
            [(before, &trees[0]), (after, &trees[1])].map(|(text, tree)| Document {
                text: text.as_bytes(),
                tree,
                format: Format::Yaml,
            });
        check_values(before, after, patches).err()
    }

    #[test]
    fn patches_apply_in_their_order() {
        let first = || Patch::remove(path!["entries", 0]);
        let insert = Patch::set(path!["entries", 0, "replaces"], "a");
        let patches = [first(), first(), insert];
        for (after, expected) in [
            ("entries:\n- name: c\n  replaces: a\n", None),
            ("entries:\n- replaces: a\n  name: c\n", None),
            ("entries:\n- name: b\n  replaces: a\n", Some(OTHER_CHANGE)),
            ("entries:\n- name: c\n  replaces: b\n", Some(WRONG_VALUE)),
            ("entries:\n- name: c\n", Some(OTHER_CHANGE)),
            (
                "entries:\n- name: c\n  replaces: a\n- name: d\n",
                Some(OTHER_CHANGE),
            ),
            (
                "entries:\n- name: c\n  replaces: a\nmore: x\n",
                Some(OTHER_CHANGE),
            ),
        ] {
            assert_eq!(difference(&patches, after), expected, "{after}");
        }
    }

    #[test]
    fn a_patch_can_change_the_result_of_an_earlier_one() {
        let patches = [
            Patch::set(path!["entries", 0, "skips"], json!(["y"])),
            Patch::insert_item(path!["entries", 0, "skips"], 1, "z"),
            Patch::remove(path!["entries", 0, "skips", 0]),
        ];
        let rest = "- name: b\n- name: c\n";
        let after = |skips: &str| format!("entries:\n- name: a\n  skips: {skips}\n{rest}");
        assert_eq!(difference(&patches, &after("[z]")), None);
        assert_eq!(difference(&patches, &after("[y, z]")), Some(WRONG_VALUE));
        let only = [Patch::remove(path!["entries", 0, "skips", 0])];
        assert_eq!(difference(&only, &after("[]")), None);
        assert_eq!(difference(&only, &after("[x]")), Some(OTHER_CHANGE));
    }
}
