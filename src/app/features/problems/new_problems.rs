//! Marks problems introduced by the last edit, and scrolls to the first one.

use super::follow_package::ListView;
use crate::context::AppContext;
use crate::reactive::{effect, memo};
use crate::state::store::LastChange;
use leptos::prelude::*;
use protocol::diagnostic::Diagnostic;

/// An open problem is being read, so the list does not move.
pub(super) fn follow_new(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let revision = memo(move |_| app.store.status.with(|status| status.revision));
    // The revision already shown: once, so that a user who moves on to another package is not
    // called back.
    effect(move |done: Option<u64>| {
        let (revision, done) = (revision.get(), done.unwrap_or_default());
        let is_made = app
            .store
            .last_change
            .with(|change| matches!(change, Some(LastChange::Made { .. })));
        let listing = board.listing.get();
        if !is_made || revision == done || board.open.get_untracked().is_some() {
            return done;
        }
        let first = app.store.problems.with_untracked(|problems| {
            let is_it = |index: &&usize| {
                problems
                    .get(**index)
                    .is_some_and(|problem| is_new(app, problem))
            };
            listing.order.iter().find(is_it).copied()
        });
        match first.and_then(|index| listing.row_of(index)) {
            Some(row) => {
                list.scroll_to(row);
                revision
            }
            None => done,
        }
    });
}

/// Whether the last edit introduced it.
pub(super) fn is_new(app: AppContext, problem: &Diagnostic) -> bool {
    app.store.last_change.with(|change| match change {
        Some(LastChange::Made { consequences, .. }) => consequences
            .problems_gained
            .iter()
            .any(|gained| is_same(&gained.0, problem)),
        _ => false,
    })
}

/// An edit may move a problem to another line.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let subject = |problem: &Diagnostic| {
        (
            problem.package.clone(),
            problem.channel.clone(),
            problem.bundle.clone(),
        )
    };
    one.rule == other.rule && one.message == other.message && subject(one) == subject(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::diagnostic::{Location, Severity};

    #[test]
    fn a_problem_that_moved_is_the_same() {
        let problem = Diagnostic {
            opm: true,
            package: Some("p".into()),
            ..Diagnostic::new("r", Severity::Error, "m")
        };
        let moved = Diagnostic {
            location: Location {
                line: 9,
                ..Location::default()
            },
            ..problem.clone()
        };
        assert!(is_same(&problem, &moved));
        assert!(!is_same(
            &problem,
            &Diagnostic {
                package: Some("q".into()),
                ..problem.clone()
            }
        ));
        assert!(!is_same(
            &problem,
            &Diagnostic {
                message: "n".into(),
                ..problem.clone()
            }
        ));
    }
}
