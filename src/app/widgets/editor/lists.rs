//! The list of suggestions as plain data.

use super::text::TextPosition;
use crate::widgets::list_cursor::{Axis, next_item};
use protocol::counting::count_of;

/// At most this many are drawn; typing finds the others.
const SHOWN: usize = 100;

/// A suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suggestion {
    pub label: String,
    /// The text to insert.
    pub insert: String,
    /// Dimmed text beside it.
    pub detail: String,
}

/// Suggestions at the caret; `from` is the start of the word that a suggestion replaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    pub from: TextPosition,
    pub typed: String,
    pub all: Vec<Suggestion>,
}

/// The open list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletionList {
    pub from: TextPosition,
    pub shown: Vec<Suggestion>,
    pub cursor: Option<usize>,
}

impl CompletionList {
    /// The list for these completions. If it was opened by key, its first suggestion is marked;
    /// else keys still go to the text.
    pub fn from_completions(offer: &Completions, by_key: bool) -> Option<Self> {
        let typed = offer.typed.to_lowercase();
        let is_whole = offer.all.iter().any(|one| one.label == offer.typed);
        if !by_key && (typed.is_empty() || is_whole) {
            return None;
        }
        let begins = |one: &&Suggestion| is_whole || one.label.to_lowercase().starts_with(&typed);
        let holds = |one: &&Suggestion| !begins(one) && one.label.to_lowercase().contains(&typed);
        let first = offer.all.iter().filter(begins);
        let suggestions: Vec<_> = first
            .chain(offer.all.iter().filter(holds))
            .take(SHOWN)
            .cloned()
            .collect();
        let cursor = by_key.then_some(0);
        (!suggestions.is_empty()).then_some(Self {
            from: offer.from,
            shown: suggestions,
            cursor,
        })
    }

    /// Moves the mark; false if the key is not one of the list's.
    pub fn key(&mut self, key: &str) -> bool {
        if !matches!(key, "ArrowDown" | "ArrowUp") {
            return false;
        }
        self.cursor = next_item(key, self.cursor, self.shown.len(), Axis::Vertical).or(self.cursor);
        true
    }

    /// The suggestion that Enter takes; Tab takes the first one if none is marked.
    pub fn accepted_by(&self, key: &str) -> Option<&Suggestion> {
        match key {
            "Enter" => self.shown.get(self.cursor?),
            "Tab" => self.shown.get(self.cursor.unwrap_or_default()),
            _ => None,
        }
    }

    /// The announcement when it opens.
    pub fn announcement(&self) -> String {
        format!(
            "{}, Down to choose",
            count_of(self.shown.len(), "suggestion")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(typed: &str, all: &[&str]) -> Completions {
        let all = all.iter().map(|label| Suggestion {
            label: (*label).into(),
            insert: (*label).into(),
            detail: String::new(),
        });
        Completions {
            from: TextPosition::new(1, 1),
            typed: typed.into(),
            all: all.collect(),
        }
    }

    fn labels(open: &CompletionList) -> Vec<&str> {
        open.shown.iter().map(|one| one.label.as_str()).collect()
    }

    #[test]
    fn prefix_matches_come_first() {
        let open =
            CompletionList::from_completions(&offer("rep", &["a.rep", "replaces", "skips"]), false)
                .expect("open");
        assert_eq!(
            (labels(&open), open.cursor),
            (vec!["replaces", "a.rep"], None)
        );
        assert_eq!(open.accepted_by("Enter"), None, "a line break stays one");
        assert_eq!(
            open.accepted_by("Tab").map(|one| one.label.as_str()),
            Some("replaces")
        );
    }

    #[test]
    fn opens_by_itself_only_while_a_word_is_typed() {
        assert_eq!(
            CompletionList::from_completions(&offer("", &["a"]), false),
            None
        );
        assert_eq!(
            CompletionList::from_completions(&offer("a", &["a", "ab"]), false),
            None,
            "it is whole"
        );
        let mut open = CompletionList::from_completions(&offer("a", &["a", "ab", "c"]), true)
            .expect("asked for");
        assert_eq!(
            (labels(&open), open.cursor),
            (vec!["a", "ab", "c"], Some(0))
        );
        assert!(open.key("ArrowUp") && !open.key("Home"));
        assert_eq!(
            open.accepted_by("Enter").map(|one| one.label.as_str()),
            Some("c")
        );
        assert_eq!(
            CompletionList::from_completions(&offer("zz", &["a"]), true),
            None
        );
        assert_eq!(open.announcement(), "3 suggestions, Down to choose");
    }
}
