//! Scrolls the list to the first problem of the selected channel, entry or bundle.

use super::follow_package::ListView;
use crate::context::AppContext;
use crate::reactive::{effect, memo};
use leptos::prelude::*;
use protocol::diagnostic::Diagnostic;
use protocol::request::Target;

/// An open problem is being read, so the list does not move.
pub(super) fn follow_selection(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let selected = memo(move |_| {
        (
            app.store.root.get(),
            app.current.package.get(),
            app.current.target.get(),
        )
    });
    effect(move |last: Option<(String, String, Target)>| {
        let now = selected.get();
        let is_other = last.as_ref().is_some_and(|last| *last != now);
        if !is_other || board.open.get_untracked().is_some() {
            return now;
        }
        let (_, package, target) = &now;
        let index = app.store.problems.with_untracked(|problems| {
            let is_it = |index: &&usize| {
                problems
                    .get(**index)
                    .is_some_and(|problem| is_of(problem, package, target))
            };
            board
                .listing
                .with_untracked(|list| list.order.iter().find(is_it).copied())
        });
        let row = index.and_then(|index| board.listing.with_untracked(|list| list.row_of(index)));
        if let Some(row) = row {
            list.scroll_to(row);
        }
        now
    });
}

/// Whether a problem concerns the selection; the package itself has its own group.
fn is_of(problem: &Diagnostic, package: &str, target: &Target) -> bool {
    let of = |field: &Option<String>, name: &str| field.as_deref() == Some(name);
    of(&problem.package, package)
        && match target {
            Target::Channel { channel } => of(&problem.channel, channel),
            Target::Entry { channel, name } => {
                of(&problem.bundle, name)
                    && problem.channel.as_deref().is_none_or(|at| at == channel)
            }
            Target::Bundle { name } => of(&problem.bundle, name),
            Target::Package | Target::Problem { .. } => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::diagnostic::Severity;

    #[test]
    fn a_problem_belongs_to_the_objects_it_names() {
        let problem = Diagnostic {
            opm: true,
            package: Some("p".into()),
            channel: Some("stable".into()),
            bundle: Some("p.v1".into()),
            ..Diagnostic::new("r", Severity::Error, "")
        };
        let entry = |channel: &str| Target::Entry {
            channel: channel.into(),
            name: "p.v1".into(),
        };
        assert!(is_of(&problem, "p", &entry("stable")));
        assert!(!is_of(&problem, "p", &entry("fast")));
        assert!(is_of(
            &problem,
            "p",
            &Target::Channel {
                channel: "stable".into()
            }
        ));
        assert!(is_of(
            &problem,
            "p",
            &Target::Bundle {
                name: "p.v1".into()
            }
        ));
        assert!(!is_of(
            &problem,
            "q",
            &Target::Bundle {
                name: "p.v1".into()
            }
        ));
        assert!(!is_of(&problem, "p", &Target::Package));
    }
}
