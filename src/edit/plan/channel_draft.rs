//! Collects changes of one channel by entry, and turns them into changes of its blob.

use super::{BlobChange, Change, PathSegment, PlanStep, Presence, Value};
use crate::patch::path;
use catalog::model::{ChannelBlob, Entry, Located};
use std::collections::HashSet;
use syntax::place::{Spanned, Text};

/// A new entry. Empty texts are not written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NewEntry {
    pub(super) name: String,
    pub(super) replaces: String,
    pub(super) skips: Vec<String>,
    pub(super) skip_range: String,
}

impl NewEntry {
    fn value(&self) -> Value {
        let mut pairs: Vec<(&str, Value)> = vec![("name", self.name.as_str().into())];
        if !self.replaces.is_empty() {
            pairs.push(("replaces", self.replaces.as_str().into()));
        }
        if !self.skips.is_empty() {
            pairs.push(("skips", Value::list(self.skips.iter().map(String::as_str))));
        }
        if !self.skip_range.is_empty() {
            pairs.push(("skipRange", self.skip_range.as_str().into()));
        }
        Value::map(pairs)
    }
}

/// An unchanged entry, to be added to another channel.
pub(super) fn entry_value(entry: &Entry) -> Value {
    let mut pairs: Vec<(&str, Value)> = vec![("name", entry.name.as_str().into())];
    if !entry.replaces.is_empty() {
        pairs.push(("replaces", entry.replaces.as_str().into()));
    }
    if !entry.skips.is_empty() {
        pairs.push(("skips", Value::list(entry.skips.iter().map(|s| s.as_str()))));
    }
    if !entry.skip_range.is_empty() {
        pairs.push(("skipRange", entry.skip_range.as_str().into()));
    }
    Value::map(pairs)
}

/// The planned state of a channel. Positions refer to the current channel, so removals and
/// additions of entries must come last.
#[derive(Debug)]
pub(super) struct ChannelDraft<'a> {
    channel: &'a Located<ChannelBlob>,
    changes: Vec<BlobChange>,
}

impl<'a> ChannelDraft<'a> {
    pub(super) fn new(channel: &'a Located<ChannelBlob>) -> Self {
        Self {
            channel,
            changes: Vec::new(),
        }
    }

    /// An empty text removes the field.
    pub(super) fn set_replaces(&mut self, at: usize, replaces: &str) {
        self.set_text(at, "replaces", |e| &e.replaces, replaces, &["name"]);
    }

    /// An empty text removes the field.
    pub(super) fn set_skip_range(&mut self, at: usize, range: &str) {
        self.set_text(
            at,
            "skipRange",
            |e| &e.skip_range,
            range,
            &["name", "replaces", "skips"],
        );
    }

    /// Appends names that the entry does not skip yet.
    pub(super) fn add_skips<'n>(&mut self, at: usize, names: impl IntoIterator<Item = &'n str>)
    where
        'a: 'n,
    {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        let mut known: HashSet<&str> = entry.skips.iter().map(|s| s.as_str()).collect();
        let new: Vec<&str> = names
            .into_iter()
            .filter(|name| known.insert(name))
            .collect();
        if new.is_empty() {
            return;
        }
        let skips = path!["entries", at, "skips"];
        if entry.skips.is_empty() {
            let value = Value::list(new);
            self.push(
                skips,
                Change::Put {
                    value,
                    after: &["name", "replaces"],
                    present: Presence::Unknown,
                },
            );
            return;
        }
        for (i, name) in new.into_iter().enumerate() {
            self.push(
                skips.clone(),
                Change::Insert {
                    at: entry.skips.len() + i,
                    value: name.into(),
                },
            );
        }
    }

    /// Removes names from the entry's list, and the list if it becomes empty.
    pub(super) fn remove_skips(&mut self, at: usize, names: &[String]) {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        let names: HashSet<&str> = names.iter().map(String::as_str).collect();
        if entry.skips.iter().all(|s| names.contains(s.as_str())) {
            if !entry.skips.is_empty() {
                self.push(path!["entries", at, "skips"], Change::Remove);
            }
            return;
        }
        for (i, _) in entry
            .skips
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, s)| names.contains(s.as_str()))
        {
            self.push(path!["entries", at, "skips", i], Change::Remove);
        }
    }

    /// Makes the entry skip exactly these names; those already skipped keep their position, the
    /// others follow.
    pub(super) fn set_skips(&mut self, at: usize, names: &[&str]) {
        let Some(entry) = self.channel.entries.get(at) else {
            return;
        };
        let mut wanted: HashSet<&str> = names.iter().copied().collect();
        // A duplicate name is kept once.
        let keep: Vec<bool> = entry
            .skips
            .iter()
            .map(|s| wanted.remove(s.as_str()))
            .collect();
        let mut new: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| wanted.remove(name))
            .collect();
        let kept = keep.iter().filter(|keep| **keep).count();
        let skips = path!["entries", at, "skips"];
        if kept == 0 {
            if !new.is_empty() {
                let present = if entry.skips.is_empty() {
                    Presence::Unknown
                } else {
                    Presence::There
                };
                self.push(
                    skips,
                    Change::Put {
                        value: Value::list(new),
                        after: &["name", "replaces"],
                        present,
                    },
                );
            } else if !entry.skips.is_empty() {
                self.push(skips, Change::Remove);
            }
            return;
        }
        for (i, _) in keep.iter().enumerate().rev().filter(|(_, keep)| !**keep) {
            self.push(path!["entries", at, "skips", i], Change::Remove);
        }
        for (i, name) in new.drain(..).enumerate() {
            self.push(
                skips.clone(),
                Change::Insert {
                    at: kept + i,
                    value: name.into(),
                },
            );
        }
    }

    /// Inserts the new entry before the current entry `at`.
    pub(super) fn insert(&mut self, at: usize, entry: &NewEntry) {
        let value = entry.value();
        if self.channel.entries.is_empty() {
            let value = Value::List(vec![value]);
            self.push(
                path!["entries"],
                Change::Put {
                    value,
                    after: ENTRIES_AFTER,
                    present: Presence::Unknown,
                },
            );
        } else {
            self.push(path!["entries"], Change::Insert { at, value });
        }
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.push(path!["entries", at], Change::Remove);
    }

    /// `None` if nothing changes.
    pub(super) fn finish(self) -> Option<PlanStep> {
        (!self.changes.is_empty()).then_some(PlanStep::Patch {
            file: self.channel.file,
            index: self.channel.index,
            changes: self.changes,
        })
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
        let now = field(entry);
        if now.as_str() == text {
            return;
        }
        let change = if text.is_empty() {
            Change::Remove
        } else {
            Change::Put {
                value: text.into(),
                after,
                present: Presence::new(now.place, entry.place),
            }
        };
        self.push(path!["entries", at, key], change);
    }

    fn push(&mut self, path: Vec<PathSegment>, change: Change) {
        self.changes.push(BlobChange { path, change });
    }
}

/// The keys before a new `entries` key.
pub(super) const ENTRIES_AFTER: &[&str] = &["schema", "package", "name"];
