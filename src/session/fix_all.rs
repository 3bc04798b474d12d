//! Applies many fixes at once: all of one kind, or all safe ones.
//!
//! A fix belongs to the state that offers it, so each round applies the fixes that the current
//! state offers, one by one. At the end, all are undone and applied again as one step.

use super::{Applied, Refused, Session};
use protocol::diagnostic::{Diagnostic, Fix};
use protocol::operation::EditOp;
use syntax::hashed::HashSet;

/// Maximum number of rounds. A fix may reveal problems with further fixes; the limit prevents two
/// fixes from undoing each other endlessly.
const MAX_ROUNDS: usize = 20;

/// The outcome of the requested fixes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fixed {
    pub applied: Applied,
    /// Titles of the applied fixes, in order.
    pub done: Vec<String>,
    /// Titles of the refused fixes, with the reason.
    pub refused: Vec<(String, String)>,
    /// Whether the maximum number of rounds was reached before all fixes were applied.
    pub unfinished: bool,
}

/// Applies the requested fixes of the catalog `root` as one step, at most one per problem.
pub fn fix_all(
    session: &mut Session,
    title: &str,
    root: Option<&str>,
    is_requested: impl Fn(&Diagnostic, &Fix) -> bool,
) -> Result<Fixed, Refused> {
    let root = session.root(root)?.name.clone();
    let before = session.applied_steps();
    let mut fixed = Fixed::default();
    let mut ops = Vec::new();
    let mut seen = HashSet::default();
    for round in 0..=MAX_ROUNDS {
        let fixes = offered_fixes(session, &root, &is_requested, &mut seen)?;
        if fixes.is_empty() {
            break;
        }
        if round == MAX_ROUNDS {
            fixed.unfinished = true;
            break;
        }
        for fix in sort_fixes(fixes) {
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
    while session.applied_steps() > before {
        session.undo();
    }
    fixed.applied = session.apply(title, &ops)?;
    Ok(fixed)
}

/// Returns the first requested fix of each problem, without those in `seen`.
fn offered_fixes(
    session: &Session,
    root: &str,
    is_requested: &impl Fn(&Diagnostic, &Fix) -> bool,
    seen: &mut HashSet<String>,
) -> Result<Vec<Fix>, Refused> {
    let mut fixes = Vec::new();
    for problem in &session.root(Some(root))?.verdict().diagnostics {
        let Some(fix) = problem.fixes.iter().find(|fix| is_requested(problem, fix)) else {
            continue;
        };
        let mut fix = fix.clone();
        for op in &mut fix.ops {
            *op.catalog_mut() = (!root.is_empty()).then(|| root.to_owned());
        }
        let key = serde_json::to_string(&fix.ops).unwrap_or_default();
        if seen.insert(key) {
            fixes.push(fix);
        }
    }
    Ok(fixes)
}

/// Orders fixes: text edits by position come first, from the end of the files to the start, so that
/// none shifts another.
fn sort_fixes(fixes: Vec<Fix>) -> impl Iterator<Item = Fix> {
    let (text, by_name): (Vec<Fix>, Vec<Fix>) = fixes.into_iter().partition(|fix| {
        fix.ops
            .iter()
            .any(|op| matches!(op, EditOp::ReplaceText { .. }))
    });
    text.into_iter().rev().chain(by_name)
}
