//! The problem list of the catalog in view: filter, order, and open problem.

pub mod rows;

use crate::reactive::{Attempts, memo};
use crate::state::store::SessionStore;
use leptos::prelude::*;
use protocol::counting::and_more;
use protocol::diagnostic::Diagnostic;
use rows::{Filter, Listing, find_again, listing};
use std::sync::Arc;

/// A set of signal handles; `Copy`.
#[derive(Clone, Copy)]
pub struct ProblemListState {
    pub filter: RwSignal<Filter>,
    pub listing: Memo<Arc<Listing>>,
    /// Index of the open problem in the catalog in view; `None` also after an edit made it
    /// disappear.
    pub open: Memo<Option<usize>>,
    /// The tab stop: a problem's index.
    pub stop: RwSignal<Option<usize>>,
    /// A problem to scroll to and focus.
    pub wanted: RwSignal<Option<usize>>,
    opened: RwSignal<Option<Diagnostic>>,
    /// Position in the list of the last open problem.
    last: StoredValue<Option<usize>>,
    /// Counts requests to show a problem.
    requests: Attempts,
}

impl ProblemListState {
    /// Creates the state; `package` is the one in view.
    pub fn new(store: SessionStore, package: Memo<String>) -> Self {
        let filter = RwSignal::new(Filter::default());
        let opened = RwSignal::new(None::<Diagnostic>);
        let open = memo(move |_| {
            opened.with(|known| {
                let known = known.as_ref()?;
                let is_here = store.root.with(|root| known.catalog == *root);
                store
                    .problems
                    .with(|problems| is_here.then(|| find_again(problems, known)).flatten())
            })
        });
        let listing = memo(move |_| {
            let package = package.get();
            store.problems.with(|problems| {
                filter.with(|filter| Arc::new(listing(problems, filter, &package)))
            })
        });
        Self {
            filter,
            listing,
            open,
            stop: RwSignal::new(None),
            wanted: RwSignal::new(None),
            opened,
            last: StoredValue::new(None),
            requests: Attempts::default(),
        }
    }

    /// Opens a problem, clearing the filter if it hides it. Returns a function that checks whether
    /// this is still the latest request, so that an earlier answer does not override a later one.
    pub fn show(self, problem: Diagnostic, index: usize) -> impl Fn() -> bool + use<> {
        self.opened.set(Some(problem));
        self.stop.set(Some(index));
        let place = || {
            self.listing
                .with_untracked(|list| list.order.iter().position(|own| *own == index))
        };
        if place().is_none() {
            self.filter.set(Filter::default());
        }
        self.last.set_value(place());
        self.requests.begin()
    }

    pub fn close(self) {
        self.opened.set(None);
    }

    /// Returns the problem `step` after the open one, or else after the focused one.
    pub fn step_from(self, step: isize) -> Option<usize> {
        let from = self.open.get_untracked();
        self.listing
            .with_untracked(|list| list.step_from(from, self.last.get_value(), step))
    }

    /// Returns the problem now at the position of the last one.
    pub fn successor(self) -> Option<usize> {
        let last = self.last.get_value()?;
        self.listing
            .with_untracked(|list| list.order.get(last).or(list.order.last()).copied())
    }
}

/// Messages of at most this many characters are shown completely.
const WHOLE: usize = 96;
/// Maximum number of names listed.
const NAMED: usize = 1;
/// Minimum length of the text before a colon that counts as the message. After an earlier colon
/// comes the message itself rather than a reason.
const CLAIM: usize = 40;

/// Abbreviates a message; returns it unchanged if nothing can be omitted.
pub fn brief(message: &str) -> String {
    if message.chars().count() <= WHOLE {
        return message.to_owned();
    }
    let counted = count_lines(message);
    if counted.chars().count() <= WHOLE {
        return counted;
    }
    match claim(&counted) {
        Some(claim) => claim.to_owned(),
        None => counted,
    }
}

/// Keeps the first name of each list and counts the others: "`a`, `b`, `c` and 4 more" becomes "`a`
/// and 6 more".
fn count_lines(message: &str) -> String {
    // Text and names alternate.
    let parts: Vec<&str> = message.split('`').collect();
    let is_between = |at: usize| parts.get(at).is_some_and(|text| *text == ", ");
    let mut out = String::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        if at % 2 == 0 {
            out.push_str(part);
            at += 1;
            continue;
        }
        let mut last = at;
        while is_between(last + 1) && last + 2 < parts.len() {
            last += 2;
        }
        let names = (last - at) / 2 + 1;
        out.push_str(&format!("`{part}`"));
        at = last + 1;
        if names <= NAMED {
            continue;
        }
        let rest = parts.get(at).copied().unwrap_or_default();
        let (more, after) = more(rest);
        out.push_str(&format!(" {}{after}", and_more(names - NAMED + more)));
        at += 1;
    }
    out
}

/// Parses the number of further items of a list; also returns the text after it.
fn more(text: &str) -> (usize, &str) {
    let counted = text
        .strip_prefix(" and ")
        .and_then(|rest| rest.split_once(" more"));
    match counted.and_then(|(number, after)| Some((number.parse().ok()?, after))) {
        Some(tail) => tail,
        None => (0, text),
    }
}

/// Returns the part before the first colon outside of names, if it is long enough.
fn claim(message: &str) -> Option<&str> {
    let mut is_name = false;
    for (at, letter) in message.char_indices() {
        match letter {
            '`' => is_name = !is_name,
            ':' if !is_name && at >= CLAIM && message[at..].starts_with(": ") => {
                return message.get(..at);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn a_short_message_is_kept_whole() {
        assert_eq!(
            brief("channel `a` has 2 heads: `b`, `c`"),
            "channel `a` has 2 heads: `b`, `c`"
        );
    }

    #[test]
    fn names_of_a_list_are_counted() {
        let names = (0..8)
            .map(|n| format!("`grafana-operator.v5.0.{n}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!("channel `v5` has stranded entries: {names} and 4 more");
        assert_eq!(
            brief(&message),
            "channel `v5` has stranded entries: `grafana-operator.v5.0.0` and 11 more"
        );
        let message = format!("{names}: none of them is listed");
        assert_eq!(
            brief(&message),
            "`grafana-operator.v5.0.0` and 7 more: none of them is listed"
        );
        assert_eq!(brief(&names), "`grafana-operator.v5.0.0` and 7 more");
    }

    #[test]
    fn a_parsers_words_are_left_out() {
        let message = "skipRange `<=v0.10.1` of entry `dynatrace-operator.v0.10.2` is not a version range: Could not parse \
                       Range \"<=v0.10.1\": Could not parse comparator \"<=v\"";
        assert_eq!(
            brief(message),
            "skipRange `<=v0.10.1` of entry `dynatrace-operator.v0.10.2` is not a version range"
        );
    }

    #[test]
    fn a_message_that_cannot_be_shortened_is_unchanged() {
        let message = "bundle `alloydb-omni-operator.v1.8.0` and 10 more require API `ClusterIssuer` (`cert-manager.io/v1`), \
                       which no package in this catalog provides";
        assert_eq!(brief(message), message);
    }
}
