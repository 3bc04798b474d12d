//! Applies many fixes at once: all of one kind, or all safe ones.
//!
//! A fix belongs to the state that offers it, so each round applies the fixes that the current
//! state offers, one by one. Then everything is applied as one step, which one undo reverts.

use super::{Applied, Refused, Session};
use protocol::diagnostic::{Diagnostic, Fix};
use protocol::operation::EditOp;
use syntax::hashed::HashSet;

/// Maximum number of rounds: a fix can uncover a problem with another fix, but two fixes must not
/// undo each other endlessly.
const ROUNDS: usize = 20;

/// The outcome of the requested fixes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fixed {
    pub applied: Applied,
    /// Titles of the applied fixes, in order.
    pub done: Vec<String>,
    /// Titles of the refused fixes, with the reason.
    pub refused: Vec<(String, String)>,
    /// The limit was reached, with fixes left.
    pub unfinished: bool,
}

/// Applies every `wanted` fix of the catalog `root`, at most one per problem, as one step.
pub fn fix_all(
    session: &mut Session,
    title: &str,
    root: Option<&str>,
    wanted: impl Fn(&Diagnostic, &Fix) -> bool,
) -> Result<Fixed, Refused> {
    let root = session.root(root)?.name.clone();
    let before = session.applied_steps();
    let mut fixed = Fixed::default();
    let mut ops = Vec::new();
    let mut tried = HashSet::default();
    for round in 0..=ROUNDS {
        let offered_fixes = offered_fixes(session, &root, &wanted, &mut tried)?;
        if offered_fixes.is_empty() {
            break;
        }
        if round == ROUNDS {
            fixed.unfinished = true;
            break;
        }
        for fix in in_order(offered_fixes) {
            match session.apply(&fix.title, &fix.ops) {
                Ok(applied) => {
                    if !applied.files.is_empty() {
                        fixed.done.push(fix.title);
                        ops.extend(fix.ops);
                    }
                }
                Err(refused) => fixed.refused.push((fix.title, refused.reason)),
            }
        }
    }
    // Each trial was a step: undo them all and redo them as one.
    while session.applied_steps() > before {
        session.undo();
    }
    fixed.applied = session.apply(title, &ops)?;
    Ok(fixed)
}

/// Returns the wanted fixes that problems newly offer: the first one of each problem.
fn offered_fixes(
    session: &Session,
    root: &str,
    wanted: &impl Fn(&Diagnostic, &Fix) -> bool,
    tried: &mut HashSet<String>,
) -> Result<Vec<Fix>, Refused> {
    let mut offered_fixes = Vec::new();
    for problem in &session.root(Some(root))?.verdict().diagnostics {
        let Some(fix) = problem.fixes.iter().find(|fix| wanted(problem, fix)) else {
            continue;
        };
        let mut fix = fix.clone();
        fix.ops
            .iter_mut()
            .for_each(|op| *op.catalog_mut() = (!root.is_empty()).then(|| root.to_owned()));
        if tried.insert(key(&fix.ops)) {
            offered_fixes.push(fix);
        }
    }
    Ok(offered_fixes)
}

/// Orders fixes: text edits by position come first, from the end of the files to the start, so that
/// none shifts another.
fn in_order(fixes: Vec<Fix>) -> impl Iterator<Item = Fix> {
    let (text, by_name): (Vec<Fix>, Vec<Fix>) = fixes.into_iter().partition(|fix| {
        fix.ops
            .iter()
            .any(|op| matches!(op, EditOp::ReplaceText { .. }))
    });
    text.into_iter().rev().chain(by_name)
}

/// Serializes operations for comparison.
fn key(ops: &[EditOp]) -> String {
    serde_json::to_string(ops).unwrap_or_default()
}
