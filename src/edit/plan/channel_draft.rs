//! Collects changes of one channel by entry, and turns them into changes of its blob.

use super::PlanStep;
use crate::item_change::append;
use crate::patch::{Patch, PathSegment, Value, path};
use catalog::model::{ChannelBlob, Entry, Located};
use serde_json::json;
use std::collections::HashSet;
use syntax::place::{Spanned, Text};

/// The keys that precede a new `entries` key.
pub(super) const ENTRIES_AFTER: &[&str] = &["schema", "package", "name"];

/// A new entry. Empty texts are not written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NewEntry {
    pub name: String,
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
}

impl NewEntry {
    fn value(&self) -> Value {
        let mut value = json!({ "name": self.name });
        if !self.replaces.is_empty() {
            value["replaces"] = self.replaces.as_str().into();
        }
        if !self.skips.is_empty() {
            value["skips"] = self.skips.clone().into();
        }
        if !self.skip_range.is_empty() {
            value["skipRange"] = self.skip_range.as_str().into();
        }
        value
    }
}

/// Converts an existing entry to a value, to add it to another channel.
pub(super) fn entry_value(entry: &Entry) -> Value {
    let new = NewEntry {
        name: entry.name.value.to_string(),
        replaces: entry.replaces.value.to_string(),
        skips: entry.skips.iter().map(|s| s.value.to_string()).collect(),
        skip_range: entry.skip_range.value.to_string(),
    };
    new.value()
}

/// The planned state of a channel. Positions refer to the current channel, so removals and
/// additions of entries must come last.
#[derive(Debug)]
pub(super) struct ChannelDraft<'a> {
    channel: &'a Located<ChannelBlob>,
    patches: Vec<Patch>,
}

impl<'a> ChannelDraft<'a> {
    pub fn new(channel: &'a Located<ChannelBlob>) -> Self {
        Self {
            channel,
            patches: Vec::new(),
        }
    }

    /// Sets an entry's `replaces`; an empty text removes the field.
    pub fn set_replaces(&mut self, at: usize, replaces: &str) {
        self.set_text(at, "replaces", |e| &e.replaces, replaces, &["name"]);
    }

    /// Sets an entry's skip range; an empty text removes the field.
    pub fn set_skip_range(&mut self, at: usize, range: &str) {
        self.set_text(
            at,
            "skipRange",
            |e| &e.skip_range,
            range,
            &["name", "replaces", "skips"],
        );
    }

    /// Appends names that the entry does not skip yet.
    pub fn add_skips<'n>(&mut self, at: usize, names: impl IntoIterator<Item = &'n str>)
    where
        'a: 'n,
    {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        let mut skipped: HashSet<&str> = entry.skips.iter().map(|s| s.as_str()).collect();
        let new: Vec<&str> = names
            .into_iter()
            .filter(|name| skipped.insert(name))
            .collect();
        match entry.skips.len() {
            0 if new.is_empty() => {}
            0 => self.put_skips(at, new),
            len => self.append_skips(at, len, new),
        }
    }

    fn put_skips(&mut self, at: usize, names: Vec<&str>) {
        let skips = path!["entries", at, "skips"];
        self.patches
            .push(Patch::put(skips, names, &["name", "replaces"]));
    }

    fn append_skips(&mut self, at: usize, len: usize, names: Vec<&str>) {
        let names = (len..).zip(names);
        self.patches.extend(
            names.map(|(end, name)| Patch::insert_item(path!["entries", at, "skips"], end, name)),
        );
    }

    /// Removes names from the entry's list, and the list if it becomes empty.
    pub fn remove_skips(&mut self, at: usize, names: &[String]) {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        let names: HashSet<&str> = names.iter().map(String::as_str).collect();
        if entry.skips.iter().all(|s| names.contains(s.as_str())) {
            if !entry.skips.is_empty() {
                self.push_removal(path!["entries", at, "skips"]);
            }
            return;
        }
        for (i, skip) in entry.skips.iter().enumerate().rev() {
            if names.contains(skip.as_str()) {
                self.push_removal(path!["entries", at, "skips", i]);
            }
        }
    }

    /// Makes the entry skip exactly these names. Those that it already skips keep their order, the
    /// others follow.
    pub fn set_skips(&mut self, at: usize, names: &[&str]) {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        let mut remaining: HashSet<&str> = names.iter().copied().collect();
        // A duplicate name is kept once.
        let keep: Vec<bool> = entry
            .skips
            .iter()
            .map(|s| remaining.remove(s.as_str()))
            .collect();
        let new: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| remaining.remove(name))
            .collect();
        let kept_count = keep.iter().filter(|keep| **keep).count();
        if kept_count == 0 {
            if !new.is_empty() {
                self.put_skips(at, new);
            } else if !entry.skips.is_empty() {
                self.push_removal(path!["entries", at, "skips"]);
            }
            return;
        }
        for (i, keep) in keep.iter().enumerate().rev() {
            if !keep {
                self.push_removal(path!["entries", at, "skips", i]);
            }
        }
        self.append_skips(at, kept_count, new);
    }

    pub fn insert(&mut self, at: usize, entry: &NewEntry) {
        let value = entry.value();
        self.patches.push(match self.channel.entries.len() {
            0 => append("entries", 0, value, ENTRIES_AFTER),
            _ => Patch::insert_item(path!["entries"], at, value),
        });
    }

    pub fn remove(&mut self, at: usize) {
        self.push_removal(path!["entries", at]);
    }

    /// Returns the step, if anything changes.
    pub fn finish(self) -> Vec<PlanStep> {
        let step = (!self.patches.is_empty()).then(|| PlanStep::patch(self.channel, self.patches));
        step.into_iter().collect()
    }

    fn set_text(
        &mut self,
        at: usize,
        key: &'static str,
        field: impl Fn(&Entry) -> &Spanned<Text>,
        text: &str,
        after: &'static [&'static str],
    ) {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        if field(entry).as_str() == text {
            return;
        }
        let path = path!["entries", at, key];
        if text.is_empty() {
            self.push_removal(path);
        } else {
            self.patches.push(Patch::put(path, text, after));
        }
    }

    fn push_removal(&mut self, path: Vec<PathSegment>) {
        self.patches.push(Patch::remove(path));
    }
}
