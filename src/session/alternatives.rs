//! Suggests alternatives to operations that make a package fail: variants, and the operations
//! followed by fixes. Each is tried; only those after which every package that passes now still
//! passes are offered.

use super::Session;
use super::change_tracker::{ChangeTracker, PackageStates};
use edit::variants::variants;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::operation::EditOp;
use protocol::views::FailingPackage;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of suggestions.
const MAX_OFFERED: usize = 3;
/// Maximum number of trials: the user is waiting.
const MAX_TRIALS: usize = 24;

struct TrialResult {
    /// Problems that make passing packages fail.
    failures: Vec<Arc<Diagnostic>>,
    outcome: PackageStates,
}

/// Returns alternatives to `ops`, which make these packages fail; the most similar first.
pub(super) fn alternatives(
    session: &mut Session,
    ops: &[EditOp],
    failing: &[FailingPackage],
) -> Vec<Vec<EditOp>> {
    let mut offered: Vec<Vec<EditOp>> = Vec::new();
    // Two alternatives with the same result count as one.
    let mut outcomes: Vec<PackageStates> = Vec::new();
    let mut trials_left = MAX_TRIALS;
    for candidate in candidates(session, ops) {
        if offered.len() == MAX_OFFERED || trials_left == 0 {
            break;
        }
        trials_left -= 1;
        if let Some(TrialResult { failures, outcome }) = try_ops(session, &candidate)
            && failures.is_empty()
            && !outcomes.contains(&outcome)
        {
            offered.push(candidate);
            outcomes.push(outcome);
        }
    }
    if offered.len() < MAX_OFFERED
        && let Some((fixed_ops, outcome)) = append_fixes(session, ops, failing, trials_left)
        && !outcomes.contains(&outcome)
    {
        offered.push(deduplicate(fixed_ops));
    }
    offered
}

/// Returns variants of every single operation, or the same variant of all operations.
fn candidates(session: &Session, ops: &[EditOp]) -> Vec<Vec<EditOp>> {
    let variants_of_each: Vec<Vec<Vec<EditOp>>> = ops
        .iter()
        .map(|op| {
            let root = session.root(op.catalog()).ok();
            let package = root.and_then(|root| root.catalog().package(op.package()?));
            package.map_or_else(Vec::new, |package| variants(package, op))
        })
        .collect();
    let variant_count = variants_of_each
        .iter()
        .map(Vec::len)
        .max()
        .unwrap_or_default();
    (0..variant_count)
        .map(|nth| {
            let each = ops.iter().zip(&variants_of_each);
            each.flat_map(|(op, variants)| {
                variants
                    .get(nth)
                    .cloned()
                    .unwrap_or_else(|| vec![op.clone()])
            })
            .collect::<Vec<_>>()
        })
        .map(deduplicate)
        .filter(|candidate| candidate != ops)
        .collect()
}

/// Returns `ops` followed by fixes of what they break, until nothing is broken.
fn append_fixes(
    session: &mut Session,
    ops: &[EditOp],
    failing: &[FailingPackage],
    tries: usize,
) -> Option<(Vec<EditOp>, PackageStates)> {
    let root = failing.first()?.root.clone();
    let (mut fixed_ops, mut trials_left) = (ops.to_vec(), tries);
    let mut current = try_ops(session, &fixed_ops)?;
    while !current.failures.is_empty() {
        let fixes = current
            .failures
            .iter()
            .flat_map(|f| &f.fixes)
            .map(|fix| fix.ops.clone());
        let fixes: Vec<Vec<EditOp>> = fixes
            .filter(|fix| !fix.iter().any(|op| restores_removed(&fixed_ops, op)))
            .collect();
        let better = fixes.into_iter().find_map(|fix| {
            trials_left = trials_left.checked_sub(1)?;
            let tried: Vec<EditOp> = fixed_ops
                .iter()
                .cloned()
                .chain(fix.into_iter().map(|mut op| {
                    *op.catalog_mut() = (!root.is_empty()).then(|| root.clone());
                    op
                }))
                .collect();
            let result = try_ops(session, &tried)?;
            (result.failures.len() < current.failures.len()).then_some((tried, result))
        });
        (fixed_ops, current) = better?;
    }
    Some((fixed_ops, current.outcome))
}

/// Returns the result of `ops`; `None` if they are refused or change no package. Rolls them back.
fn try_ops(session: &mut Session, ops: &[EditOp]) -> Option<TrialResult> {
    let roots: BTreeSet<String> = ops
        .iter()
        .filter_map(|op| Some(session.root(op.catalog()).ok()?.name.clone()))
        .collect();
    let failed: BTreeSet<(String, String)> = failures(session, &roots)
        .iter()
        .filter_map(|f| Some((f.catalog.clone(), f.package.clone()?)))
        .collect();
    let origins_known = session.origins.get().is_some();
    let mut tracker = ChangeTracker::default();
    let (_, changes) = session.run(ops, &mut tracker).ok()?;
    session.judge_changes(&mut tracker);
    let mut failures = failures(session, &roots);
    let outcome = tracker.outcome(&session.roots);
    session.roll_back(&changes, tracker, origins_known);
    failures.retain(|f| {
        f.package
            .as_ref()
            .is_none_or(|p| !failed.contains(&(f.catalog.clone(), p.clone())))
    });
    (!outcome.is_empty()).then_some(TrialResult { failures, outcome })
}

fn failures(session: &Session, roots: &BTreeSet<String>) -> Vec<Arc<Diagnostic>> {
    roots
        .iter()
        .filter_map(|name| {
            let root = session.root(Some(name)).ok()?;
            let is_failure = root.failure_test();
            Some(
                root.verdict()
                    .diagnostics
                    .iter()
                    .filter(move |problem| is_failure(problem))
                    .cloned(),
            )
        })
        .flatten()
        .filter(|problem| problem.package.is_some())
        .collect()
}

impl super::Root {
    /// Returns the test for problems that make a package fail: `opm`'s refusals; or every error in
    /// a template or partial catalog, which `opm` does not judge.
    pub(super) fn failure_test(&self) -> fn(&Diagnostic) -> bool {
        let is_incomplete = self
            .rendering()
            .is_some_and(|rendering| !rendering.is_complete());
        if self.is_template() || is_incomplete {
            |problem| problem.severity == Severity::Error
        } else {
            |problem| problem.opm && problem.severity == Severity::Error
        }
    }
}

/// Whether `fix` restores something that `ops` removed, which would be a pointless alternative.
fn restores_removed(ops: &[EditOp], fix: &EditOp) -> bool {
    let EditOp::Promote { bundle, to, .. } = fix else {
        return false;
    };
    let mut removed = ops.iter().filter_map(EditOp::removed_entry);
    removed.any(|entry| entry.name == bundle && entry.channel == to)
}

/// Drops duplicates: consequences that several operations share.
fn deduplicate(ops: Vec<EditOp>) -> Vec<EditOp> {
    let mut unique: Vec<EditOp> = Vec::with_capacity(ops.len());
    for op in ops {
        if !unique.contains(&op) {
            unique.push(op);
        }
    }
    unique
}
