//! Builds the span tree from the parser's events.

use crate::tree::{Node, NodeId, NodeKind, Properties, Tree};
use std::collections::HashMap;
use std::ops::Range;

/// JSON's reader accepts no deeper nesting.
const MAX_JSON_DEPTH: usize = 10_000;

/// Tag and anchor read before a node.
#[derive(Debug, Clone, Default)]
pub struct Props {
    pub anchor: Option<Range<u32>>,
    pub tag: Option<Range<u32>>,
}

impl Props {
    pub fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none()
    }
}

/// An open collection.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: u32,
    mapping: bool,
    /// Whether the next child is a key.
    key: bool,
}

#[derive(Debug)]
pub struct Builder<'t> {
    text: &'t [u8],
    /// Length of the document; the scanned text may be one line break longer.
    len: u32,
    tree: Tree,
    open: Vec<Open>,
    anchors: HashMap<&'t [u8], NodeId>,
    /// The `-` of the next item.
    pub dash: Option<u32>,
    /// End of the last node.
    end: u32,
}

impl<'t> Builder<'t> {
    pub fn new(text: &'t [u8], len: usize) -> Self {
        let mut tree = Tree::default();
        tree.nodes.reserve(len / 40 + 4);
        Self {
            text,
            len: len as u32,
            tree,
            open: Vec::with_capacity(16),
            anchors: HashMap::new(),
            dash: None,
            end: 0,
        }
    }

    pub fn has_nodes(&self) -> bool {
        !self.tree.nodes.is_empty()
    }

    pub fn scalar(&mut self, kind: NodeKind, range: Range<u32>, props: Props) {
        let key = self
            .open
            .last()
            .is_some_and(|open| open.mapping && open.key);
        self.tree.suspicious |= self.is_suspicious(kind, &range, key);
        self.add(kind, range, props);
    }

    /// Adds a node that is missing in the text, placed where the last token ended.
    pub fn absent(&mut self, at: u32, props: Props) {
        self.scalar(NodeKind::Absent, at..at, props);
    }

    pub fn open(&mut self, kind: NodeKind, start: u32, props: Props) {
        self.tree.suspicious |= self
            .open
            .last()
            .is_some_and(|open| open.mapping && open.key);
        let node = self.add(kind, start..start, props);
        self.open.push(Open {
            node: node.0,
            mapping: kind.is_mapping(),
            key: true,
        });
        self.tree.suspicious |= self.open.len() > MAX_JSON_DEPTH;
    }

    /// Closes the innermost collection; a block collection ends where its last child does.
    pub fn close(&mut self, end: Option<u32>) {
        let Some(open) = self.open.pop() else { return };
        let next = self.tree.nodes.len() as u32;
        self.end = end.unwrap_or(self.end).min(self.len);
        let node = &mut self.tree.nodes[open.node as usize];
        node.next = next;
        node.end = self.end.max(node.start);
    }

    /// Adds an alias; `false` if no anchor has that name.
    pub fn alias(&mut self, range: Range<u32>) -> bool {
        let name = &self.text[range.start as usize + 1..range.end as usize];
        let Some(&target) = self.anchors.get(name) else {
            return false;
        };
        let node = self.add(NodeKind::Alias, range, Props::default());
        self.tree.aliases.push((node, target));
        true
    }

    /// Records a `%TAG` directive.
    pub fn tag_prefix(&mut self, handle: &Range<u32>, prefix: &Range<u32>) {
        let bytes =
            |range: &Range<u32>| Box::from(&self.text[range.start as usize..range.end as usize]);
        self.tree.tag_prefixes.push((bytes(handle), bytes(prefix)));
    }

    pub fn finish(mut self, comments: Vec<Range<u32>>, block_indents: &[(u32, u32)]) -> Tree {
        if let [
            Node {
                kind: NodeKind::Absent,
                has_properties: false,
                ..
            },
        ] = self.tree.nodes[..]
        {
            self.tree.nodes.clear();
        }
        for &(at, indent) in block_indents {
            let found = self
                .tree
                .nodes
                .partition_point(|n| n.start < at || (n.start == at && !is_block(n.kind)));
            if self
                .tree
                .nodes
                .get(found)
                .is_some_and(|n| n.start == at && is_block(n.kind))
            {
                self.tree.block_indents.push((NodeId(found as u32), indent));
            }
        }
        self.tree.comments = comments;
        self.tree
    }

    fn add(&mut self, kind: NodeKind, range: Range<u32>, props: Props) -> NodeId {
        let id = NodeId(self.tree.nodes.len() as u32);
        if let Some(open) = self.open.last_mut() {
            open.key = !open.key;
        }
        if let Some(dash) = self.dash.take() {
            self.tree.dashes.push((id, dash));
        }
        let (start, end) = (range.start.min(self.len), range.end.min(self.len));
        let has_properties = !props.is_empty();
        self.tree.nodes.push(Node {
            start,
            end,
            next: id.0 + 1,
            kind,
            has_properties,
        });
        self.end = end;
        if has_properties {
            if let Some(anchor) = &props.anchor {
                self.anchors.insert(
                    &self.text[anchor.start as usize + 1..anchor.end as usize],
                    id,
                );
            }
            self.tree.properties.push(Properties {
                node: id,
                anchor: props.anchor,
                tag: props.tag,
            });
        }
        id
    }

    /// Whether Go's conversion to JSON might refuse this scalar; errs on the side of yes.
    #[inline]
    fn is_suspicious(&self, kind: NodeKind, range: &Range<u32>, key: bool) -> bool {
        let text = match kind {
            NodeKind::Absent => return key,
            NodeKind::Plain => &self.text[range.start as usize..range.end as usize],
            _ => return false,
        };
        match text {
            [b'.' | b'+' | b'-', rest @ ..] if rest.len() <= 4 => {
                rest.iter().any(|b| matches!(b, b'n' | b'N'))
            }
            _ if !key => false,
            [b'<', b'<'] | [b'~'] => true,
            [b'n' | b'N', rest @ ..] => rest.len() == 3 && rest.eq_ignore_ascii_case(b"ull"),
            [b'0'..=b'9' | b'+', ..] => text.len() >= 18,
            _ => false,
        }
    }
}

fn is_block(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Literal | NodeKind::Folded)
}
