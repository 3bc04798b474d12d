//! The multiple selection of entries, for commands on several at once. Plain data; the views define
//! the order.

use protocol::views::EntryRef;

/// Entries of the package in view, in the order of selection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectedEntries {
    entries: Vec<EntryRef>,
    /// The start of a range: the last selected or clicked entry.
    anchor: Option<EntryRef>,
}

impl SelectedEntries {
    pub fn entries(&self) -> &[EntryRef] {
        &self.entries
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn has(&self, entry: &EntryRef) -> bool {
        self.entries.contains(entry)
    }

    /// Clears the selection and the start of a range.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A single entry was selected: it starts a range.
    pub fn start_at(&mut self, entry: Option<EntryRef>) {
        *self = Self {
            entries: Vec::new(),
            anchor: entry,
        };
    }

    /// Toggles an entry. A previous single selection becomes the first of several.
    pub fn toggle(&mut self, entry: EntryRef) {
        if self.entries.is_empty() {
            self.entries
                .extend(self.anchor.take().filter(|anchor| *anchor != entry));
        }
        match self.entries.iter().position(|known| *known == entry) {
            Some(at) => {
                self.entries.remove(at);
            }
            None => self.entries.push(entry.clone()),
        }
        self.anchor = Some(entry).filter(|_| !self.entries.is_empty());
    }

    /// Selects the range from its start to an entry, in the order of `order`; only the entry, if
    /// `order` does not contain both.
    pub fn extend_to(&mut self, order: &[EntryRef], entry: EntryRef) {
        let at = |wanted: &EntryRef| order.iter().position(|known| known == wanted);
        let ends = self.anchor.as_ref().and_then(at).zip(at(&entry));
        match ends {
            Some((from, to)) => {
                let range = order
                    .get(from.min(to)..=from.max(to))
                    .unwrap_or_default()
                    .to_vec();
                self.add(range);
            }
            None => {
                self.add(
                    self.anchor
                        .clone()
                        .filter(|_| self.entries.is_empty())
                        .into_iter()
                        .chain([entry.clone()])
                        .collect(),
                );
                self.anchor = Some(entry);
            }
        }
    }

    /// Adds entries.
    pub fn add(&mut self, entries: Vec<EntryRef>) {
        for entry in entries {
            if !self.entries.contains(&entry) {
                self.entries.push(entry);
            }
        }
    }

    /// Drops entries that no longer exist. True if there were any.
    pub fn keep(&mut self, is_there: impl Fn(&EntryRef) -> bool) -> bool {
        let before = self.entries.len();
        self.entries.retain(&is_there);
        if self.anchor.as_ref().is_some_and(|anchor| !is_there(anchor)) {
            self.anchor = None;
        }
        self.entries.len() != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> EntryRef {
        EntryRef {
            channel: "c".into(),
            name: name.into(),
        }
    }

    fn names(picked: &SelectedEntries) -> String {
        picked
            .entries()
            .iter()
            .map(|entry| entry.name.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_one_that_was_selected_is_the_first_of_several() {
        let mut picked = SelectedEntries::default();
        picked.start_at(Some(entry("a")));
        assert!(picked.is_empty());
        picked.toggle(entry("b"));
        assert_eq!(names(&picked), "a b");
        picked.toggle(entry("a"));
        assert_eq!(names(&picked), "b");
        picked.toggle(entry("b"));
        assert!(picked.is_empty());
        picked.toggle(entry("c"));
        assert_eq!(names(&picked), "c", "what was taken out stays out");
    }

    #[test]
    fn a_range_extends_from_the_last_selected_entry_in_both_directions() {
        let order: Vec<EntryRef> = ["a", "b", "c", "d"].map(entry).to_vec();
        let mut picked = SelectedEntries::default();
        picked.start_at(Some(entry("c")));
        picked.extend_to(&order, entry("a"));
        assert_eq!(names(&picked), "a b c");
        picked.extend_to(&order, entry("d"));
        assert_eq!(names(&picked), "a b c d", "it begins where it began");
        picked.extend_to(&order[..2], entry("x"));
        assert_eq!(names(&picked), "a b c d x");
    }

    #[test]
    fn removed_entries_leave_the_selection() {
        let mut picked = SelectedEntries::default();
        picked.add(vec![entry("a"), entry("b"), entry("a")]);
        assert!(picked.keep(|entry| entry.name == "b"));
        assert_eq!(names(&picked), "b");
        assert!(!picked.keep(|_| true));
    }
}
