//! Selects patches of a blob that can be applied together because they are independent.
//!
//! Patches take effect one after the other. Two patches on different values have the same result in
//! either order, so both can be applied to the same text, which is then parsed and compared once. A
//! patch waits for a later batch if an earlier one may move or change its target, because of its
//! path or because both edit the same position. [`super::verify`] checks this decision by comparing
//! the values with those of the patches in their given order.

use super::patch::{Action, Patch, PatchRefusal, PathSegment};
use super::splice::{self, Document, Writer, locate};
use super::verify::reads_as;
use catalog::source::text_edit::TextEdit;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::hashed::{HashMap, HashSet};

/// Patches applied to the same text.
pub(super) struct Batch<'a, 'p> {
    pub document: Document<'a>,
    pub spliced: Vec<SplicedPatch<'p>>,
    writer: Writer<'a>,
    limit: usize,
    claims: Claims,
    /// Starts and ends of the edits so far.
    edited: BTreeSet<(usize, usize)>,
}

pub(super) struct SplicedPatch<'p> {
    pub patch: &'p Patch,
    pub edits: Vec<TextEdit>,
    /// Comments in this range may be removed.
    pub removable: Range<usize>,
}

impl<'a, 'p> Batch<'a, 'p> {
    /// Splices at most `limit` patches; new lines end with `newline`.
    pub fn new(document: Document<'a>, newline: &'static str, limit: usize) -> Self {
        Self {
            document,
            spliced: Vec::new(),
            writer: Writer::from_document(document, newline),
            limit,
            claims: Claims::default(),
            edited: BTreeSet::new(),
        }
    }

    /// Adds the next patch, unless the text already has its value. Returns false if the patch must
    /// wait for a later batch.
    pub fn try_add(&mut self, original: &'p Patch) -> Result<bool, PatchRefusal> {
        if self.spliced.len() >= self.limit {
            return Ok(false);
        }
        let claim = Claim::from_patch(original);
        if !self.claims.allow(&claim) {
            self.claims.add(claim, false);
            return Ok(false);
        }
        let document = self.document;
        let moved;
        // In the current text, a run of new items is inserted at one position.
        let (patch, continues_run) = match (&original.action, self.claims.run_start(&claim)) {
            (Action::InsertItem { value, .. }, Some(at)) => {
                moved = Patch::insert_item(original.path.clone(), at, value.clone());
                (&moved, true)
            }
            _ => (original, false),
        };
        let target = locate::locate(document, patch);
        if let (Action::Set { value, .. }, Ok(target)) = (&patch.action, &target)
            && target.new_key.is_none()
            && reads_as(document, target.node, value)
        {
            // The value already has this spelling.
            return Ok(true);
        }
        splice::check_value(document, patch)?;
        let target = target?;
        let mut edits = splice::splice(&self.writer, patch, &target)?;
        edits.retain(|edit| !edit.range.is_empty() || !edit.insert.is_empty());
        let is_free = edits
            .iter()
            .all(|edit| self.is_free(&edit.range, continues_run));
        if is_free {
            self.edited
                .extend(edits.iter().map(|edit| (edit.range.start, edit.range.end)));
            let removable = splice::removable_comments(document, patch, &target);
            self.spliced.push(SplicedPatch {
                patch: original,
                edits,
                removable,
            });
        }
        self.claims.add(claim, is_free);
        Ok(is_free)
    }

    /// Whether no edit of the batch touches these bytes or inserts at this position. An edit that
    /// `continues_run` may follow other insertions there.
    fn is_free(&self, range: &Range<usize>, continues_run: bool) -> bool {
        let before = self.edited.range(..(range.end, 0)).next_back();
        let is_second_insertion =
            range.is_empty() && !continues_run && self.edited.contains(&(range.start, range.end));
        before.is_none_or(|(_, end)| *end <= range.start) && !is_second_insertion
    }
}

/// The scope of a patch: the value at a path with everything below it, or positions in the list at
/// that path.
struct Claim {
    path: Vec<PathSegment>,
    /// The index of the item removed from the list at the path.
    removed: Option<usize>,
    /// The index of a new item in the list at the path.
    inserted: Option<usize>,
}

impl Claim {
    fn from_patch(patch: &Patch) -> Self {
        let mut path: Vec<PathSegment> = patch.path.iter().map(fold_case).collect();
        let (mut removed, mut inserted) = (None, None);
        match (&patch.action, path.last()) {
            (Action::InsertItem { at, .. }, _) => inserted = Some(*at),
            (Action::Remove, Some(PathSegment::Index(index))) => {
                removed = Some(*index);
                path.pop();
            }
            (Action::Set { .. } | Action::Remove, _) => {}
        }
        Self {
            path,
            removed,
            inserted,
        }
    }
}

/// Names that differ only in case are the same field.
fn fold_case(segment: &PathSegment) -> PathSegment {
    match segment {
        PathSegment::Key(key) => PathSegment::Key(locate::fold_case(key).collect()),
        PathSegment::Index(index) => PathSegment::Index(*index),
    }
}

/// The claims of all patches so far, including waiting ones.
#[derive(Default)]
struct Claims {
    paths: HashSet<Vec<PathSegment>>,
    /// Paths of everything that contains a claimed value.
    ancestors: HashSet<Vec<PathSegment>>,
    /// Lists that only lose items, with the lowest removed index. Lower items keep their positions.
    shrinking: HashMap<Vec<PathSegment>, usize>,
    /// Lists that only gain consecutive items, with the range of their indices.
    growing: HashMap<Vec<PathSegment>, Range<usize>>,
}

impl Claims {
    fn allow(&self, claim: &Claim) -> bool {
        let mut prefixes = (0..claim.path.len()).filter_map(|depth| claim.path.get(..depth));
        if prefixes.any(|prefix| self.paths.contains(prefix))
            || self.ancestors.contains(&claim.path)
        {
            return false;
        }
        let lowest = self.shrinking.get(&claim.path);
        let keeps_position = lowest
            .zip(claim.removed)
            .is_some_and(|(lowest, removed)| removed < *lowest);
        !self.paths.contains(&claim.path) || keeps_position || self.run_start(claim).is_some()
    }

    /// Returns the index of the first new item in the run that this one continues.
    fn run_start(&self, claim: &Claim) -> Option<usize> {
        let run = self.growing.get(&claim.path)?;
        (claim.inserted == Some(run.end)).then_some(run.start)
    }

    fn add(&mut self, claim: Claim, is_spliced: bool) {
        for prefix in (0..claim.path.len()).filter_map(|depth| claim.path.get(..depth)) {
            if !self.ancestors.contains(prefix) {
                self.ancestors.insert(prefix.to_vec());
            }
        }
        match claim.removed.filter(|_| is_spliced) {
            Some(index) => self.shrinking.insert(claim.path.clone(), index),
            None => self.shrinking.remove(&claim.path),
        };
        match claim.inserted.filter(|_| is_spliced) {
            Some(index) => {
                let start = self.run_start(&claim).unwrap_or(index);
                self.growing.insert(claim.path.clone(), start..index + 1);
            }
            None => drop(self.growing.remove(&claim.path)),
        }
        self.paths.insert(claim.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::path;
    use crate::verify::edit_blob;
    use syntax::tree::Format;

    const TEXT: &str =
        "entries:\n- name: a\n  skips:\n  - x\n  - y\n  - z\n- name: b\n  replaces: a\n- name: c\n";

    fn first_round(patches: &[Patch]) -> (Vec<usize>, String) {
        first_round_of(TEXT, patches)
    }

    /// Returns the indices of the patches in the first batch, and the text after all of them.
    fn first_round_of(text: &str, patches: &[Patch]) -> (Vec<usize>, String) {
        let tree = syntax::parse(text.as_bytes(), Format::Yaml).expect("a document");
        let mut batch = Batch::new(
            Document {
                text: text.as_bytes(),
                tree: &tree,
                format: Format::Yaml,
            },
            "\n",
            usize::MAX,
        );
        let spliced = (0..patches.len()).filter(|&i| {
            batch
                .try_add(&patches[i])
                .expect("a patch that can be made")
        });
        let spliced = spliced.collect();
        let edited =
            edit_blob(text.as_bytes(), Format::Yaml, patches).expect("patches that can be made");
        (spliced, String::from_utf8(edited.text).expect("text"))
    }

    #[test]
    fn patches_of_different_values_are_applied_together() {
        let (spliced, text) = first_round(&[
            Patch::put(path!["entries", 0, "replaces"], "b", &["name"]),
            Patch::remove(path!["entries", 0, "skips", 2]),
            Patch::remove(path!["entries", 0, "skips", 1]),
            Patch::set(path!["entries", 1, "replaces"], "c"),
            Patch::put(path!["entries", 2, "replaces"], "d", &["name"]),
        ]);
        assert_eq!(spliced, [0, 1, 2, 3, 4]);
        let expected = "entries:\n- name: a\n  replaces: b\n  skips:\n  - x\n- name: b\n  replaces: c\n- name: c\n  replaces: d\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn patches_wait_for_earlier_ones_that_move_or_create_their_target() {
        let insert = |at| Patch::insert_item(path!["entries", 0, "skips"], at, "w");
        // The first patch shifts positions in the list; a waiting patch makes later ones wait.
        let (spliced, text) = first_round(&[
            Patch::remove(path!["entries", 0, "skips", 0]),
            Patch::remove(path!["entries", 0, "skips", 0]),
            insert(1),
            Patch::set(path!["entries", 0, "skips", 1], "v"),
            Patch::set(path!["entries", 1, "replaces"], "c"),
        ]);
        assert_eq!(spliced, [0, 4]);
        assert!(
            text.contains("  skips:\n  - z\n  - v\n- name: b\n  replaces: c\n"),
            "{text}"
        );
        // Entries move; both new keys would be at the same position.
        let (spliced, text) = first_round(&[
            Patch::put(
                path!["entries", 1, "skipRange"],
                "<1.0.0",
                &["name", "replaces"],
            ),
            Patch::put(
                path!["entries", 1, "skips"],
                vec!["a"],
                &["name", "replaces"],
            ),
            Patch::remove(path!["entries", 0]),
            Patch::set(path!["entries", 0, "replaces"], "d"),
        ]);
        assert_eq!(spliced, [0]);
        assert_eq!(
            text,
            "entries:\n- name: b\n  replaces: d\n  skipRange: <1.0.0\n  skips:\n  - a\n- name: c\n"
        );
    }

    #[test]
    fn consecutive_new_items_are_added_together() {
        let new = |at, name: &str| Patch::insert_item(path!["skips"], at, name);
        for (text, expected) in [
            (
                "skips:\n- x\n- y\nmore: z\n",
                "skips:\n- x\n- a\n- b\n- y\n- c\nmore: z\n",
            ),
            ("skips: [x, y]\n", "skips: [x, a, b, y, c]\n"),
            (
                "skips: [\n  x,\n  y\n]\n",
                "skips: [\n  x,\n  a,\n  b,\n  y,\n  c\n]\n",
            ),
            (
                "skips: [\n  x, # first\n  y # last\n]\n",
                "skips: [\n  x, # first\n  a,\n  b,\n  y, # last\n  c\n]\n",
            ),
        ] {
            // The first two insertions shift the position of the third.
            assert_eq!(
                first_round_of(text, &[new(1, "a"), new(2, "b"), new(4, "c")]),
                (vec![0, 1], expected.to_owned())
            );
        }
        let at_the_end = [new(2, "a"), new(3, "b"), new(4, "c")];
        for (text, expected) in [
            ("skips:\n- x\n- y", "skips:\n- x\n- y\n- a\n- b\n- c"),
            ("skips: [x, y]\n", "skips: [x, y, a, b, c]\n"),
            (
                "skips: [\n  x,\n  y\n]\n",
                "skips: [\n  x,\n  y,\n  a,\n  b,\n  c\n]\n",
            ),
            (
                "skips: [\n  x,\n  y # last\n]\n",
                "skips: [\n  x,\n  y, # last\n  a,\n  b,\n  c\n]\n",
            ),
        ] {
            assert_eq!(
                first_round_of(text, &at_the_end),
                (vec![0, 1, 2], expected.to_owned())
            );
        }
    }
}
