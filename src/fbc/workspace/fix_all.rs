//! Applies many fixes at once: all of a kind, or all that are safe.
//!
//! A fix is made for the state that offers it, so fixes are tried one after the other, and again for what the next
//! state offers; what was tried is then applied as one step, which one undo takes back.

use super::{Applied, Refused, Workspace};
use crate::hashed::HashSet;
use protocol::diagnostic::{Diagnostic, Fix};
use protocol::operation::EditOp;

/// The most rounds: a fix can uncover a problem with another fix, but two fixes must not undo each other endlessly.
const ROUNDS: usize = 20;

/// What became of the fixes that were wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fixed {
    pub applied: Applied,
    /// Titles of the fixes that were applied, in order.
    pub done: Vec<String>,
    /// Titles of those that were refused, with the reason.
    pub refused: Vec<(String, String)>,
    /// The limit was reached and there are more.
    pub unfinished: bool,
}

impl Workspace {
    /// Applies every fix of the catalog `root` that is `wanted`, at most one a problem, as one step.
    pub fn fix_all(
        &mut self,
        title: &str,
        root: Option<&str>,
        wanted: impl Fn(&Diagnostic, &Fix) -> bool,
    ) -> Result<Fixed, Refused> {
        let root = self.root(root)?.name.clone();
        let before = self.applied_steps();
        let mut fixed = Fixed::default();
        let mut ops = Vec::new();
        let mut tried = HashSet::default();
        for round in 0..=ROUNDS {
            let offered_fixes = self.offered_fixes(&root, &wanted, &mut tried)?;
            if offered_fixes.is_empty() {
                break;
            }
            if round == ROUNDS {
                fixed.unfinished = true;
                break;
            }
            for fix in in_order(offered_fixes) {
                match self.apply(&fix.title, &fix.ops) {
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
        while self.applied_steps() > before {
            self.undo();
        }
        fixed.applied = self.apply(title, &ops)?;
        Ok(fixed)
    }

    /// The wanted fixes that the catalog's problems offer now and did not before: for each problem its first.
    fn offered_fixes(
        &self,
        root: &str,
        wanted: &impl Fn(&Diagnostic, &Fix) -> bool,
        tried: &mut HashSet<String>,
    ) -> Result<Vec<Fix>, Refused> {
        let mut offered_fixes = Vec::new();
        for problem in &self.root(Some(root))?.verdict().diagnostics {
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
}

/// What edits text by its place comes first, from the end of the files to their start: none then moves before its turn.
fn in_order(fixes: Vec<Fix>) -> impl Iterator<Item = Fix> {
    let is_text = |fix: &Fix| {
        fix.ops
            .iter()
            .any(|op| matches!(op, EditOp::ReplaceText { .. }))
    };
    let (text, by_name): (Vec<Fix>, Vec<Fix>) = fixes.into_iter().partition(is_text);
    text.into_iter().rev().chain(by_name)
}

/// Operations as text, to be known again.
fn key(ops: &[EditOp]) -> String {
    serde_json::to_string(ops).unwrap_or_default()
}
