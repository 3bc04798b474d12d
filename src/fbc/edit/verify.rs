//! Turns patches into text edits: splices, parses again, and compares with the intended values. A
//! mismatch is refused; nothing unverified leaves this module.
//!
//! Compares the values (all but the changed ones equal) once for any number of patches, and the
//! comments (all but the removed ones) with their order. Bytes outside the edits stay unchanged by
//! construction.

use super::batch::{Batch, SplicedPatch};
use super::expected_values::ExpectedValues;
use super::patch::{DisplayPath, Intent, Patch, PathSegment};
use super::refusal::{PatchRefusal, RefusalKind};
use super::splice::Document;
use super::value_events::ValueEvents;
use crate::source::piece::{PieceTable, Region};
use crate::source::text_edit::{TextEdit, TextEdits};
use crate::syntax;
use crate::syntax::tree::{Format, Tree};
use std::ops::Range;

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
    let edit = |region: &Region| {
        let (old, new) = (&region.original, &region.current);
        let inserted = current
            .get(new.start as usize..new.end as usize)
            .unwrap_or_default();
        TextEdit::replace(old.start as usize..old.end as usize, inserted)
    };
    TextEdits::new(table.regions().iter().map(edit).collect()).unwrap_or_default()
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
    let range = |comment: &Range<u32>| comment.start as usize..comment.end as usize;
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
            let comment = range(comment);
            *goes |= edits
                .iter()
                .any(|edit| edit.range.start < comment.end && edit.range.end > comment.start);
        }
    }
    let kept = comments
        .iter()
        .zip(&goes)
        .filter(|(_, goes)| !**goes)
        .map(|(comment, _)| range(comment));
    kept.map(|comment| &before.text[comment]).eq(after
        .tree
        .comments()
        .iter()
        .map(range)
        .map(|c| &after.text[c]))
}
