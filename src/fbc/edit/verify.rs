//! The way from patches to text edits: spliced, parsed again, compared with what was meant. What does not compare is
//! refused; nothing unverified leaves this module.
//!
//! Compared are the values (all but the named one as they were), the comments (all but those of what was removed) and
//! their order. That no byte outside the edits changes holds by construction.

use super::outline::{self, Outline};
use super::patch::{Action, DisplayPath, Intent, Patch};
use super::refusal::{Refusal, RefusalKind};
use super::splice::{self, Document, locate};
use crate::source::piece::{PieceTable, Region};
use crate::source::text_edit::{TextEdit, TextEdits};
use crate::syntax;
use crate::syntax::tree::{Format, Tree};
use std::ops::Range;

/// A blob with its patches applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedBlob {
    /// Relative to the blob's text as it was.
    pub edits: TextEdits,
    /// The text after the edits.
    pub text: Vec<u8>,
}

/// Applies patches to the text of one blob, one after the other: a path is of the blob as the patches before left it.
///
/// Either all patches are applied or none.
pub fn edit_blob(text: &[u8], format: Format, patches: &[Patch]) -> Result<EditedBlob, Refusal> {
    let intents: Vec<Intent> = patches.iter().cloned().map(Intent::from).collect();
    edit_blob_as(text, format, &intents)
}

/// The same where it shows only on the way which patches are meant.
pub fn edit_blob_as(text: &[u8], format: Format, intents: &[Intent]) -> Result<EditedBlob, Refusal> {
    let mut table = PieceTable::new(text.len() as u64);
    let mut current = text.to_vec();
    let mut tree = parse(&current, format)?;
    for intent in intents {
        let document = Document { text: &current, tree: &tree, format };
        let patch = meant(document, intent);
        if says_so_already(document, patch) {
            continue;
        }
        let (edits, after, after_tree) = apply(document, patch)?;
        if let Err(error) = table.apply(&edits) {
            return Err(Document { text: &current, tree: &tree, format }.refuse_at(
                0..0,
                RefusalKind::Mismatch,
                error.to_string(),
            ));
        }
        (current, tree) = (after, after_tree);
    }
    Ok(EditedBlob { edits: edits_so_far(&table, &current), text: current })
}

fn meant<'i>(document: Document<'_>, intent: &'i Intent) -> &'i Patch {
    match intent {
        Intent::Certain(patch) => patch,
        Intent::Put { insert, set } => match locate::locate(document, insert) {
            Err(refusal) if refusal.kind == RefusalKind::AlreadyThere => set,
            _ => insert,
        },
    }
}

/// What was done to a text, one edit after the other, as edits of the text as it was. `current` is the text now.
pub fn edits_so_far(table: &PieceTable, current: &[u8]) -> TextEdits {
    let edit = |region: &Region| {
        let (old, new) = (&region.original, &region.current);
        let inserted = current.get(new.start as usize..new.end as usize).unwrap_or_default();
        TextEdit::replace(old.start as usize..old.end as usize, inserted)
    };
    TextEdits::new(table.regions().iter().map(edit).collect()).unwrap_or_default()
}

/// The value that is to be set stands there, and nothing is in the way: whatever its spelling is, it stays.
fn says_so_already(document: Document<'_>, patch: &Patch) -> bool {
    let Action::Set(value) = &patch.action else { return false };
    locate::locate(document, patch).is_ok() && Outline::of(document).says(&patch.path, value)
}

fn parse(text: &[u8], format: Format) -> Result<Tree, Refusal> {
    syntax::parse(text, format).map_err(|error| {
        let at = (error.at as usize).min(text.len());
        let tree = Tree::default();
        let document = Document { text, tree: &tree, format };
        let reason = format!("the blob cannot be read: {}", error.problem);
        document.refuse_at(at..at, RefusalKind::Unreadable, reason)
    })
}

fn apply(document: Document<'_>, patch: &Patch) -> Result<(TextEdits, Vec<u8>, Tree), Refusal> {
    let edits = splice::splice(document, patch)?;
    let mismatch = |problem: &str| {
        if has_odd_breaks(document.text) {
            let reason = "lines end here with characters that only some readers take for a line break";
            return document.refuse_at(0..0, RefusalKind::Spelling, reason);
        }
        let reason = format!("changing {} as text failed its check: {problem}", DisplayPath(&patch.path));
        document.refuse_at(0..0, RefusalKind::Mismatch, reason)
    };
    let edits = TextEdits::new(edits).map_err(|overlap| mismatch(&overlap.to_string()))?;
    let text = edits.apply(document.text);
    // What follows the blob begins a line, its separator above all.
    if document.text.ends_with(b"\n") && !text.ends_with(b"\n") {
        return Err(mismatch("its last line has no end"));
    }
    let tree = syntax::parse(&text, document.format).map_err(|error| mismatch(&error.problem))?;
    let after = Document { text: &text, tree: &tree, format: document.format };
    if let Some(problem) = outline::difference(&Outline::of(document), &Outline::of(after), patch) {
        return Err(mismatch(problem));
    }
    if !comments_are_kept(document, after, &edits, removable_comments(document, patch)?) {
        return Err(mismatch("a comment would be lost"));
    }
    Ok((edits, text, tree))
}

/// The line breaks of YAML 1.1 that are none in YAML 1.2, and a carriage return alone. Splices know only `\n`.
fn has_odd_breaks(text: &[u8]) -> bool {
    let odd = [&b"\xc2\x85"[..], b"\xe2\x80\xa8", b"\xe2\x80\xa9"];
    odd.iter().any(|mark| memchr::memmem::find(text, mark).is_some())
        || memchr::memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'))
}

/// Where comments may go: with what is removed, or inside a value that is replaced.
fn removable_comments(document: Document<'_>, patch: &Patch) -> Result<Range<usize>, Refusal> {
    let removes = matches!(patch.action, Action::Remove(_));
    if !removes && !matches!(patch.action, Action::Set(_)) {
        return Ok(0..0);
    }
    let target = locate::locate(document, patch)?;
    let mut range = document.tree.range(target.node);
    if !removes {
        let lines = document.begins_line(range.start).then(|| document.line_start(range.start));
        // Comments between the key and the first line of a collection belong to what is replaced.
        let above = target.key.map(|key| document.next_line(document.tree.range(key).end));
        let start = lines.and(above).unwrap_or(range.start).min(range.start);
        return Ok(start..document.line_end(range.end));
    }
    let whole = if patch.action == Action::Remove(super::patch::WhenEmpty::RemoveParent) {
        target.only_child_of(document).unwrap_or(target)
    } else {
        target
    };
    range = document.tree.range(whole.node);
    let head = match whole.key {
        Some(key) => document.start(key),
        None => document.tree.dash(whole.node).unwrap_or_else(|| document.start(whole.node)),
    };
    let line_end = document.line_end(range.end.max(head));
    Ok(document.comments_above(head)..line_end)
}

/// The comments after the edits are those before without the ones that an edit took from inside `removable`.
fn comments_are_kept(before: Document<'_>, after: Document<'_>, edits: &TextEdits, removable: Range<usize>) -> bool {
    let touched = |comment: &Range<usize>| {
        let mut edits = edits.as_slice().iter();
        edits.any(|edit| edit.range.start < comment.end && edit.range.end > comment.start)
    };
    let goes =
        |comment: &Range<usize>| removable.start <= comment.start && comment.end <= removable.end && touched(comment);
    let range = |comment: &Range<u32>| comment.start as usize..comment.end as usize;
    let kept = before.tree.comments().iter().map(range).filter(|comment| !goes(comment));
    kept.map(|comment| &before.text[comment]).eq(after.tree.comments().iter().map(range).map(|c| &after.text[c]))
}
