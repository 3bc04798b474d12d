//! The values of a document in reading order, for checking edited texts.
//!
//! The representation is flat, so deep nesting costs no stack. Two scalars are equal if they are
//! written the same way; block scalars, whose text depends on their surroundings, if their values
//! are equal.

use super::patch::Value;
use super::splice::Document;
use super::splice::locate::same_field;
use std::borrow::Cow;
use std::ops::Range;
use syntax::scalar::{self, Typed};
use syntax::tree::{NodeId, NodeKind};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    Map,
    List,
    End,
    Scalar(NodeKind, &'a [u8]),
    BlockScalar(NodeKind, Cow<'a, str>),
    Alias(&'a [u8]),
    /// The tag and anchor of the next value.
    Properties(&'a [u8], &'a [u8]),
}

/// A document as a sequence of events. Keys and values alternate inside a map.
pub(super) struct ValueEvents<'a> {
    document: Document<'a>,
    events: Vec<Event<'a>>,
    nodes: Vec<NodeId>,
    /// For each event, the index after the value that starts there.
    ends: Vec<usize>,
    /// The first event of each node.
    starts: Vec<usize>,
}

impl<'a> ValueEvents<'a> {
    pub(super) fn new(document: Document<'a>) -> Self {
        let mut values = Self {
            document,
            events: Vec::new(),
            nodes: Vec::new(),
            ends: Vec::new(),
            starts: Vec::new(),
        };
        let mut open: Vec<(u32, usize)> = Vec::new();
        let tree = document.tree;
        for id in (0..tree.len() as u32).map(NodeId) {
            values.close(&mut open, id.0);
            let range = |range: &Option<Range<u32>>| match range {
                Some(range) => &document.text[range.start as usize..range.end as usize],
                None => &[],
            };
            values.starts.push(values.events.len());
            if let Some(properties) = tree.properties(id) {
                values.push(
                    Event::Properties(range(&properties.tag), range(&properties.anchor)),
                    id,
                );
            }
            let (kind, written) = (tree.kind(id), &document.text[tree.range(id)]);
            let at = values.events.len();
            match kind {
                NodeKind::BlockMapping | NodeKind::FlowMapping => values.push(Event::Map, id),
                NodeKind::BlockSequence | NodeKind::FlowSequence => values.push(Event::List, id),
                NodeKind::Literal | NodeKind::Folded => {
                    values.push(
                        Event::BlockScalar(kind, scalar::decode(tree, document.text, id)),
                        id,
                    );
                }
                NodeKind::Alias => values.push(Event::Alias(written), id),
                NodeKind::Plain
                | NodeKind::SingleQuoted
                | NodeKind::DoubleQuoted
                | NodeKind::Absent => {
                    values.push(Event::Scalar(kind, written), id);
                }
            }
            if kind.is_mapping() || kind.is_sequence() {
                open.push((tree.node(id).next, at));
            }
        }
        values.close(&mut open, u32::MAX);
        values
    }

    fn push(&mut self, event: Event<'a>, node: NodeId) {
        self.events.push(event);
        self.nodes.push(node);
        self.ends.push(self.events.len());
    }

    fn close(&mut self, open: &mut Vec<(u32, usize)>, next: u32) {
        while let Some((_, at)) = open.pop_if(|(end, _)| *end <= next) {
            self.push(Event::End, self.nodes[at]);
            self.ends[at] = self.events.len();
        }
    }

    /// The document's value.
    pub(super) fn whole(&self) -> Range<usize> {
        self.value(0)
    }

    /// The events from `at` on.
    pub(super) fn rest(&self, at: usize) -> Option<&[Event<'a>]> {
        self.events.get(at..)
    }

    /// The value that starts at `at`, with its tag and anchor.
    pub(super) fn value(&self, at: usize) -> Range<usize> {
        match self.events.get(at) {
            Some(Event::Properties(..)) => at..self.ends.get(at + 1).copied().unwrap_or(at + 1),
            Some(_) => at..self.ends[at],
            None => at..at,
        }
    }

    /// The values directly in the collection at `at`; keys and values alternate in a map.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let opened = self.skip_properties(at);
        let mut next = opened + 1;
        let end = match self.events.get(opened) {
            Some(Event::Map | Event::List) => self.ends[opened] - 1,
            _ => next,
        };
        std::iter::from_fn(move || {
            let child = (next < end).then(|| self.value(next))?;
            next = child.end;
            Some(child)
        })
    }

    pub(super) fn pairs(&self, at: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let children: Vec<Range<usize>> = self.children(at).collect();
        children
            .chunks_exact(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect()
    }

    pub(super) fn is_map(&self, at: usize) -> bool {
        matches!(self.events.get(self.skip_properties(at)), Some(Event::Map))
    }

    pub(super) fn is_list(&self, at: usize) -> bool {
        matches!(self.events.get(self.skip_properties(at)), Some(Event::List))
    }

    /// The opening events of the collection at `at`: tag and anchor, if any, and its start.
    pub(super) fn head(&self, at: usize) -> Range<usize> {
        at..self.skip_properties(at) + 1
    }

    /// The index after the tag and anchor.
    fn skip_properties(&self, at: usize) -> usize {
        if matches!(self.events.get(at), Some(Event::Properties(..))) {
            at + 1
        } else {
            at
        }
    }

    /// The index after the end of a collection, if `at` is one.
    pub(super) fn closes(&self, at: usize) -> Option<usize> {
        matches!(self.events.get(at), Some(Event::End)).then_some(at + 1)
    }

    /// The index after these events in other values, if they occur there at `start`.
    pub(super) fn events_are(
        &self,
        range: &Range<usize>,
        other: &ValueEvents<'_>,
        start: usize,
    ) -> Option<usize> {
        let end = start + range.len();
        (self.events.get(range.clone())? == other.events.get(start..end)?).then_some(end)
    }

    pub(super) fn key_is(&self, key: &Range<usize>, name: &str) -> bool {
        let node = self.nodes.get(key.end.saturating_sub(1)).copied();
        node.and_then(|node| self.document.string(node))
            .is_some_and(|text| same_field(&text, name))
    }

    /// Whether the document has this value.
    pub(super) fn is_value(&self, wanted: &Value) -> bool {
        self.value(0).end == self.events.len() && self.reads_as(self.value(0), wanted)
    }

    /// Whether this node, without tag and anchor, has this value.
    pub(super) fn node_reads_as(&self, node: NodeId, wanted: &Value) -> bool {
        let start = self.starts.get(node.0 as usize);
        start.is_some_and(|start| self.reads_as(self.value(*start), wanted))
    }

    /// Whether the event has the new value. Bounded by the depth of `wanted`.
    pub(super) fn reads_as(&self, event: Range<usize>, wanted: &Value) -> bool {
        let Some(&node) = self.nodes.get(event.start) else {
            return false;
        };
        let typed = || {
            scalar::resolve(self.document.tree, self.document.text, node)
                .ok()
                .flatten()
        };
        match wanted {
            Value::String(text) => {
                matches!(typed(), Some(Typed::Text(read)) if read == text.as_str())
            }
            Value::Raw(raw) => typed().is_some_and(|read| same_literal(&read, raw)),
            Value::List(items) => {
                let read: Vec<_> = self.children(event.start).collect();
                matches!(self.events[event.start], Event::List)
                    && read.len() == items.len()
                    && read
                        .into_iter()
                        .zip(items)
                        .all(|(read, item)| self.reads_as(read, item))
            }
            Value::Map(pairs) => {
                let read = self.pairs(event.start);
                matches!(self.events[event.start], Event::Map)
                    && read.len() == pairs.len()
                    && pairs.iter().all(|(name, value)| {
                        let mut matching = read.iter().filter(|(key, _)| {
                            self.reads_as(key.clone(), &Value::String(name.clone()))
                        });
                        matching
                            .next()
                            .is_some_and(|(_, own)| self.reads_as(own.clone(), value))
                            && matching.next().is_none()
                    })
            }
        }
    }
}

fn same_literal(read: &Typed<'_>, raw: &str) -> bool {
    let Ok(wanted) = serde_json::from_str::<serde_json::Value>(raw) else {
        return false;
    };
    match read {
        Typed::Null => wanted.is_null(),
        Typed::Bool(read) => wanted.as_bool() == Some(*read),
        Typed::Int(read) => wanted.as_i64() == Some(*read) || wanted.as_f64() == Some(*read as f64),
        Typed::Uint(read) => {
            wanted.as_u64() == Some(*read) || wanted.as_f64() == Some(*read as f64)
        }
        Typed::Float(read) => wanted.as_f64() == Some(*read),
        Typed::Text(_) => false,
    }
}
