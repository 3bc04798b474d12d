//! Turns patches into text edits: splices, parses again, and compares with the intended values. A
//! mismatch is refused; nothing unverified leaves this module.
//!
//! Compares the values (all but the changed ones equal) once for any number of patches, and the
//! comments (all but the removed ones) with their order. Bytes outside the edits stay unchanged by
//! construction.

use super::batch::{Batch, SplicedPatch};
use super::patch::{
    Action, DisplayPath, Intent, Patch, PatchRefusal, PathSegment, RefusalKind, Value, WhenEmpty,
};
use super::splice::Document;
use super::splice::locate::same_field;
use super::value_events::ValueEvents;
use catalog::source::piece::PieceTable;
use catalog::source::text_edit::{TextEdit, TextEdits};
use std::ops::Range;
use syntax::tree::{Format, Tree};

/// A blob with its patches applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedBlob {
    /// Relative to the original blob text.
    pub edits: TextEdits,
    /// The text after the edits.
    pub text: Vec<u8>,
}

/// Applies patches to a blob's text in order: each path refers to the result of the previous ones.
///
/// Applies all patches or none.
pub fn edit_blob(
    text: &[u8],
    format: Format,
    patches: &[Patch],
) -> Result<EditedBlob, PatchRefusal> {
    let intents: Vec<Intent> = patches.iter().cloned().map(Intent::from).collect();
    edit_blob_as(text, format, &intents)
}

/// Like `edit_blob`, for patches that are resolved during the process.
pub fn edit_blob_as(
    text: &[u8],
    format: Format,
    intents: &[Intent],
) -> Result<EditedBlob, PatchRefusal> {
    let tree = parse(text, format)?;
    let document = Document {
        text,
        tree: &tree,
        format,
    };
    match edit(document, intents, usize::MAX) {
        // Retry one by one, so that the refusal names its patch with the previous ones applied.
        Err(_) if intents.len() > 1 => edit(document, intents, 1),
        edited => edited,
    }
}

/// Uses as few batches as possible, with at most `limit` patches each.
fn edit(
    before: Document<'_>,
    intents: &[Intent],
    limit: usize,
) -> Result<EditedBlob, PatchRefusal> {
    let mut table = PieceTable::new(before.text.len() as u64);
    let mut now: Option<(Vec<u8>, Tree)> = None;
    let mut left: Vec<&Intent> = intents.iter().collect();
    while !left.is_empty() {
        let (text, tree) = now
            .as_ref()
            .map_or((before.text, before.tree), |(text, tree)| (text, tree));
        let mut batch = Batch::new(
            Document {
                text,
                tree,
                ..before
            },
            limit,
        );
        let mut waiting = Vec::new();
        for intent in left {
            if !batch.take(intent)? {
                waiting.push(intent);
            }
        }
        left = waiting;
        if batch.spliced.is_empty() {
            continue;
        }
        let (edits, after) = apply(batch.document, &batch.spliced)?;
        table
            .apply(&edits)
            .map_err(|error| failure(batch.document, &batch.spliced, &error.to_string()))?;
        now = Some(after);
    }
    let Some((text, tree)) = now else {
        return Ok(EditedBlob {
            edits: TextEdits::default(),
            text: before.text.to_vec(),
        });
    };
    let values = ValueEvents::new(before);
    let after = ValueEvents::new(Document {
        text: &text,
        tree: &tree,
        ..before
    });
    let difference = ExpectedValues::after(&values, intents)
        .map_or_else(Some, |expected| expected.difference(&after));
    match difference {
        Some(problem) => Err(failed_of(
            before,
            intents.first().map(Intent::path),
            problem,
        )),
        None => Ok(EditedBlob {
            edits: edits_so_far(&table, &text),
            text,
        }),
    }
}

/// Expresses a sequence of edits as edits of the original text. `current` is the resulting text.
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

fn parse(text: &[u8], format: Format) -> Result<Tree, PatchRefusal> {
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

/// The text after the patches of a batch, parsed.
fn apply(
    document: Document<'_>,
    spliced: &[SplicedPatch<'_>],
) -> Result<(TextEdits, (Vec<u8>, Tree)), PatchRefusal> {
    let mismatch = |problem: &str| failure(document, spliced, problem);
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
    if !comments_are_kept(
        document,
        Document {
            text: &text,
            tree: &tree,
            ..document
        },
        spliced,
    ) {
        return Err(mismatch("a comment would be lost"));
    }
    Ok((edits, (text, tree)))
}

fn failure(document: Document<'_>, spliced: &[SplicedPatch<'_>], problem: &str) -> PatchRefusal {
    failed_of(
        document,
        spliced.first().map(|spliced| &*spliced.patch.path),
        problem,
    )
}

fn failed_of(document: Document<'_>, path: Option<&[PathSegment]>, problem: &str) -> PatchRefusal {
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

/// Line breaks of YAML 1.1 that YAML 1.2 does not have, and lone carriage returns. Splices know
/// only `\n`.
fn has_odd_breaks(text: &[u8]) -> bool {
    let odd = [&b"\xc2\x85"[..], b"\xe2\x80\xa8", b"\xe2\x80\xa9"];
    odd.iter()
        .any(|mark| memchr::memmem::find(text, mark).is_some())
        || memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'))
}

/// Whether the comments after a batch equal those before, except for those that a patch may remove.
fn comments_are_kept(
    before: Document<'_>,
    after: Document<'_>,
    spliced: &[SplicedPatch<'_>],
) -> bool {
    let comments = before.tree.comments();
    let mut goes = vec![false; comments.len()];
    for SplicedPatch {
        edits, removable, ..
    } in spliced
    {
        let first = comments.partition_point(|comment| (comment.start as usize) < removable.start);
        let inside = comments.iter().zip(&mut goes).skip(first);
        for (comment, goes) in
            inside.take_while(|(comment, _)| comment.end as usize <= removable.end)
        {
            let comment = byte_range(comment);
            *goes |= edits
                .iter()
                .any(|edit| edit.range.start < comment.end && edit.range.end > comment.start);
        }
    }
    let kept = comments
        .iter()
        .zip(&goes)
        .filter(|(_, goes)| !**goes)
        .map(|(comment, _)| byte_range(comment));
    kept.map(|comment| &before.text[comment]).eq(after
        .tree
        .comments()
        .iter()
        .map(byte_range)
        .map(|c| &after.text[c]))
}

fn byte_range(comment: &Range<u32>) -> Range<usize> {
    comment.start as usize..comment.end as usize
}

const ELSEWHERE: &str = "something other than this value would change";
const VALUE: &str = "the new value would not parse as intended";
const NOT_FOUND: &str = "the value could not be found after the change";

/// Computes the values of a document after its patches, independent of any text. The patches are
/// applied in order; then an edited text is compared with the result once.
///
/// Only values on the path to a change are opened; everything else stays a range of the outline, so
/// deep nesting costs no stack.
///
/// The values of a document during the changes.
pub(super) struct ExpectedValues<'b, 'a, 'p> {
    before: &'b ValueEvents<'a>,
    /// The first node is the whole document.
    nodes: Vec<Node<'p>>,
}

/// Index of a node.
type At = usize;

enum Node<'p> {
    /// Unchanged: parts of the outline.
    Kept(Range<usize>),
    New(&'p Value),
    /// The text before the map itself (empty for a new one), and its content.
    Map(Range<usize>, Vec<(Key<'p>, At)>),
    List(Range<usize>, Vec<At>),
}

enum Key<'p> {
    Kept(Range<usize>),
    /// Its position depends on the neighbours.
    New(&'p str),
}

impl<'b, 'a, 'p> ExpectedValues<'b, 'a, 'p> {
    /// The document after these patches.
    pub(super) fn after(
        before: &'b ValueEvents<'a>,
        intents: &'p [Intent],
    ) -> Result<Self, &'static str> {
        let mut expected = Self {
            before,
            nodes: vec![Node::Kept(before.whole())],
        };
        for intent in intents {
            match intent {
                Intent::Certain(patch) => expected.apply(patch)?,
                Intent::Put { insert, set } => match expected.find(&set.path) {
                    Some(_) => expected.apply(set)?,
                    None => expected.apply(insert)?,
                },
            }
        }
        Ok(expected)
    }

    fn apply(&mut self, patch: &'p Patch) -> Result<(), &'static str> {
        let at = self.find(&patch.path).ok_or(NOT_FOUND)?;
        match &patch.action {
            Action::Set(value) => self.insert(at, Node::New(value)).ok_or(NOT_FOUND),
            Action::InsertKey { key, value, .. } => {
                if self.step(at, &PathSegment::Key(key.clone())).is_some() {
                    return Err(NOT_FOUND);
                }
                let new = self.add(Node::New(value));
                match self.nodes.get_mut(at) {
                    Some(Node::Map(_, pairs)) => pairs.push((Key::New(key), new)),
                    _ => return Err(NOT_FOUND),
                }
                Ok(())
            }
            Action::InsertItem { at: index, value } => {
                self.open(at);
                let new = self.add(Node::New(value));
                match self.nodes.get_mut(at) {
                    Some(Node::List(_, items)) if *index <= items.len() => {
                        items.insert(*index, new)
                    }
                    _ => return Err(NOT_FOUND),
                }
                Ok(())
            }
            Action::Remove(when_empty) => self.remove(&patch.path, *when_empty).ok_or(NOT_FOUND),
        }
    }

    fn remove(&mut self, path: &[PathSegment], when_empty: WhenEmpty) -> Option<()> {
        let (last, above) = path.split_last()?;
        let holder = self.find(above)?;
        let is_only = match self.nodes.get(holder)? {
            Node::Map(_, pairs) => pairs.len() == 1,
            Node::List(_, items) => items.len() == 1,
            Node::Kept(_) | Node::New(_) => false,
        };
        if when_empty == WhenEmpty::RemoveParent && is_only && !above.is_empty() {
            return self.remove(above, WhenEmpty::Keep);
        }
        let gone = self.step(holder, last)?;
        match self.nodes.get_mut(holder)? {
            Node::Map(_, pairs) => pairs.retain(|(_, value)| *value != gone),
            Node::List(_, items) => items.retain(|item| *item != gone),
            Node::Kept(_) | Node::New(_) => return None,
        }
        Some(())
    }

    /// The value at a path; opens its ancestors.
    fn find(&mut self, path: &[PathSegment]) -> Option<At> {
        let mut at = 0;
        for step in path {
            at = self.step(at, step)?;
        }
        Some(at)
    }

    fn step(&mut self, at: At, step: &PathSegment) -> Option<At> {
        self.open(at);
        match (self.nodes.get(at)?, step) {
            (Node::Map(_, pairs), PathSegment::Key(name)) => pairs
                .iter()
                .find(|(key, _)| match key {
                    Key::Kept(range) => self.before.key_is(range, name),
                    Key::New(key) => same_field(key, name),
                })
                .map(|(_, value)| *value),
            (Node::List(_, items), PathSegment::Index(index)) => items.get(*index).copied(),
            _ => None,
        }
    }

    /// Turns a map or list into its editable form.
    fn open(&mut self, at: At) {
        let opened = match self.nodes.get(at) {
            Some(Node::Kept(range)) => {
                let (start, head) = (range.start, self.before.head(range.start));
                if self.before.is_map(start) {
                    let pairs = self.before.pairs(start).into_iter();
                    Node::Map(
                        head,
                        pairs
                            .map(|(key, value)| (Key::Kept(key), self.add(Node::Kept(value))))
                            .collect(),
                    )
                } else if self.before.is_list(start) {
                    let items: Vec<Range<usize>> = self.before.children(start).collect();
                    Node::List(
                        head,
                        items
                            .into_iter()
                            .map(|item| self.add(Node::Kept(item)))
                            .collect(),
                    )
                } else {
                    return;
                }
            }
            Some(Node::New(Value::Map(pairs))) => {
                let pairs: &'p [(String, Value)] = pairs;
                Node::Map(
                    0..0,
                    pairs
                        .iter()
                        .map(|(key, value)| (Key::New(key.as_str()), self.add(Node::New(value))))
                        .collect(),
                )
            }
            Some(Node::New(Value::List(items))) => {
                let items: &'p [Value] = items;
                Node::List(
                    0..0,
                    items.iter().map(|item| self.add(Node::New(item))).collect(),
                )
            }
            _ => return,
        };
        self.insert(at, opened);
    }

    fn add(&mut self, node: Node<'p>) -> At {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn insert(&mut self, at: At, node: Node<'p>) -> Option<()> {
        *self.nodes.get_mut(at)? = node;
        Some(())
    }

    /// Why `after` does not have these values; `None` if it does.
    pub(super) fn difference(&self, after: &ValueEvents<'_>) -> Option<&'static str> {
        match self.end(0, after, 0) {
            Ok(end) if self.before.rest(self.before.whole().end) == after.rest(end) => None,
            Ok(_) => Some(ELSEWHERE),
            Err(problem) => Some(problem),
        }
    }

    /// The end of the value that starts in `after` at `start`; an error if it differs. Recursion is
    /// as deep as the longest patch path.
    fn end(&self, at: At, after: &ValueEvents<'_>, start: usize) -> Result<usize, &'static str> {
        match self.nodes.get(at).ok_or(NOT_FOUND)? {
            Node::Kept(range) => self.same(range, after, start),
            Node::New(value) => {
                let range = after.value(start);
                if after.reads_as(range.clone(), value) {
                    Ok(range.end)
                } else {
                    Err(VALUE)
                }
            }
            Node::Map(head, pairs) => {
                let mut next = self.begin(head, after, start, after.is_map(start))?;
                let mut kept = pairs
                    .iter()
                    .filter(|(key, _)| matches!(key, Key::Kept(_)))
                    .peekable();
                let mut new: Vec<&(Key<'_>, At)> = pairs
                    .iter()
                    .filter(|(key, _)| matches!(key, Key::New(_)))
                    .collect();
                for _ in pairs {
                    let here = after.value(next);
                    let is_next_key = |(key, _): &&(Key<'_>, At)| match key {
                        Key::Kept(range) => self.before.events_are(range, after, next).is_some(),
                        Key::New(name) => after.reads_as(here.clone(), &Value::from(*name)),
                    };
                    let value = match kept.next_if(is_next_key) {
                        Some((_, value)) => *value,
                        None => {
                            let position = new.iter().position(is_next_key).ok_or(ELSEWHERE)?;
                            new.swap_remove(position).1
                        }
                    };
                    next = self.end(value, after, here.end)?;
                }
                after.closes(next).ok_or(ELSEWHERE)
            }
            Node::List(head, items) => {
                let mut next = self.begin(head, after, start, after.is_list(start))?;
                for item in items {
                    next = self.end(*item, after, next)?;
                }
                after.closes(next).ok_or(ELSEWHERE)
            }
        }
    }

    /// The start of a collection's content. A new one has no tag or anchor.
    fn begin(
        &self,
        head: &Range<usize>,
        after: &ValueEvents<'_>,
        start: usize,
        is_alike: bool,
    ) -> Result<usize, &'static str> {
        match is_alike {
            true if head.is_empty() && after.head(start).len() == 1 => Ok(start + 1),
            true if !head.is_empty() => self.same(head, after, start),
            _ => Err(VALUE),
        }
    }

    fn same(
        &self,
        range: &Range<usize>,
        after: &ValueEvents<'_>,
        start: usize,
    ) -> Result<usize, &'static str> {
        self.before.events_are(range, after, start).ok_or(ELSEWHERE)
    }
}

#[cfg(test)]
mod expected_values_tests {
    use super::*;
    use crate::patch::path;
    use crate::splice::Document;
    use syntax::{self, tree::Format};

    fn difference(patches: &[Patch], after: &str) -> Option<&'static str> {
        let before = "entries:\n- name: a\n  skips: [x]\n- name: b\n- name: c\n";
        let trees = [before, after]
            .map(|text| syntax::parse(text.as_bytes(), Format::Yaml).expect("a document"));
        let document = |text: &'static str, tree| Document {
            text: text.as_bytes(),
            tree,
            format: Format::Yaml,
        };
        let after: &'static str = after.to_owned().leak();
        let (before, after) = (document(before, &trees[0]), document(after, &trees[1]));
        let intents: Vec<Intent> = patches.iter().cloned().map(Intent::from).collect();
        let before = ValueEvents::new(before);
        let expected = ExpectedValues::after(&before, &intents).expect("paths of the document");
        expected.difference(&ValueEvents::new(after))
    }

    #[test]
    fn patches_apply_in_their_order() {
        let first = || Patch::remove(path!["entries", 0], WhenEmpty::Keep);
        let insert = Patch::insert_key(path!["entries", 0], "replaces", "a", &[]);
        let patches = [first(), first(), insert];
        assert_eq!(
            difference(&patches, "entries:\n- name: c\n  replaces: a\n"),
            None
        );
        assert_eq!(
            difference(&patches, "entries:\n- replaces: a\n  name: c\n"),
            None
        );
        assert_eq!(
            difference(&patches, "entries:\n- name: b\n  replaces: a\n"),
            Some(ELSEWHERE)
        );
        assert_eq!(
            difference(&patches, "entries:\n- name: c\n  replaces: b\n"),
            Some(VALUE)
        );
        assert_eq!(
            difference(&patches, "entries:\n- name: c\n"),
            Some(ELSEWHERE)
        );
        assert_eq!(
            difference(&patches, "entries:\n- name: c\n  replaces: a\n- name: d\n"),
            Some(ELSEWHERE)
        );
        assert_eq!(
            difference(&patches, "entries:\n- name: c\n  replaces: a\nmore: x\n"),
            Some(ELSEWHERE)
        );
    }

    #[test]
    fn a_patch_can_change_the_result_of_an_earlier_one() {
        let patches = [
            Patch::set(path!["entries", 0, "skips"], Value::list(["y"])),
            Patch::insert_item(path!["entries", 0, "skips"], 1, "z"),
            Patch::remove(path!["entries", 0, "skips", 0], WhenEmpty::Keep),
        ];
        let rest = "- name: b\n- name: c\n";
        let after = |skips: &str| format!("entries:\n- name: a\n  skips: {skips}\n{rest}");
        assert_eq!(difference(&patches, &after("[z]")), None);
        assert_eq!(difference(&patches, &after("[y, z]")), Some(VALUE));
        assert_eq!(difference(&patches, &after("!!seq [z]")), Some(VALUE));
        let only = [Patch::remove(
            path!["entries", 0, "skips", 0],
            WhenEmpty::RemoveParent,
        )];
        assert_eq!(
            difference(&only, &format!("entries:\n- name: a\n{rest}")),
            None
        );
        assert_eq!(difference(&only, &after("[]")), Some(ELSEWHERE));
    }
}
