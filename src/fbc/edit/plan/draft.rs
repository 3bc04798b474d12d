//! Changes of one channel, collected by entry, as patches of its blob.

use super::{BlobPatch, Change, Seg, Step};
use crate::fbc::model::{ChannelBlob, Entry, Located};
use serde_json::{Map, Value};

/// A new entry. Empty texts are not written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NewEntry {
    pub(super) name: String,
    pub(super) replaces: String,
    pub(super) skip_range: String,
}

/// What is to become of a channel. Positions are those of the channel as it is.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    channel: &'a Located<ChannelBlob>,
    patches: Vec<BlobPatch>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(channel: &'a Located<ChannelBlob>) -> Self {
        Self { channel, patches: Vec::new() }
    }

    /// An empty text takes the field away.
    pub(super) fn set_replaces(&mut self, at: usize, replaces: &str) {
        self.set_text(at, "replaces", |e| &e.replaces.value, replaces);
    }

    /// An empty text takes the field away.
    pub(super) fn set_skip_range(&mut self, at: usize, range: &str) {
        self.set_text(at, "skipRange", |e| &e.skip_range.value, range);
    }

    /// Adds what the entry does not skip yet, at the end of its list.
    pub(super) fn add_skips<'n>(&mut self, at: usize, names: impl IntoIterator<Item = &'n str>) {
        let Some(entry) = self.channel.entries.get(at) else { return };
        let mut new: Vec<&str> = Vec::new();
        for name in names {
            if entry.skips.iter().all(|s| s.as_str() != name) && !new.contains(&name) {
                new.push(name);
            }
        }
        if new.is_empty() {
            return;
        }
        if entry.skips.is_empty() {
            self.push(entry_route(at, &[Seg::Key("skips")]), Change::Set(texts(new)));
            return;
        }
        for name in new {
            let change = Change::Insert { at: entry.skips.len(), value: Value::from(name) };
            self.push(entry_route(at, &[Seg::Key("skips")]), change);
        }
    }

    /// Takes these names out of the entry's list, and the list away when nothing is left.
    pub(super) fn remove_skips(&mut self, at: usize, names: &[String]) {
        let Some(entry) = self.channel.entries.get(at) else { return };
        let gone = |name: &str| names.iter().any(|n| n == name);
        if entry.skips.iter().all(|s| gone(s.as_str())) {
            if !entry.skips.is_empty() {
                self.push(entry_route(at, &[Seg::Key("skips")]), Change::Remove);
            }
            return;
        }
        for (i, _) in entry.skips.iter().enumerate().filter(|(_, s)| gone(s.as_str())) {
            self.push(entry_route(at, &[Seg::Key("skips"), Seg::Item(i)]), Change::Remove);
        }
    }

    /// The new entry stands before the present entry `at`.
    pub(super) fn insert(&mut self, at: usize, entry: &NewEntry) {
        let mut map = Map::new();
        map.insert("name".to_owned(), Value::from(entry.name.as_str()));
        for (key, text) in [("replaces", &entry.replaces), ("skipRange", &entry.skip_range)] {
            if !text.is_empty() {
                map.insert(key.to_owned(), Value::from(text.as_str()));
            }
        }
        let value = Value::Object(map);
        if self.channel.entries.is_empty() {
            self.push(vec![Seg::Key("entries")], Change::Set(Value::Array(vec![value])));
        } else {
            self.push(vec![Seg::Key("entries")], Change::Insert { at, value });
        }
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.push(entry_route(at, &[]), Change::Remove);
    }

    /// No step when nothing changes.
    pub(super) fn finish(self) -> Option<Step> {
        (!self.patches.is_empty()).then_some(Step::Patch {
            file: self.channel.file,
            index: self.channel.index,
            patches: self.patches,
        })
    }

    fn set_text(&mut self, at: usize, key: &'static str, now: impl Fn(&Entry) -> &str, text: &str) {
        let Some(entry) = self.channel.entries.get(at) else { return };
        if now(entry) == text {
            return;
        }
        let change = if text.is_empty() { Change::Remove } else { Change::Set(Value::from(text)) };
        self.push(entry_route(at, &[Seg::Key(key)]), change);
    }

    fn push(&mut self, route: Vec<Seg>, change: Change) {
        self.patches.push(BlobPatch { route, change });
    }
}

fn entry_route(at: usize, rest: &[Seg]) -> Vec<Seg> {
    let mut route = vec![Seg::Key("entries"), Seg::Item(at)];
    route.extend_from_slice(rest);
    route
}

fn texts(names: Vec<&str>) -> Value {
    Value::Array(names.into_iter().map(Value::from).collect())
}
