//! Builds the span tree from the parser's events.

use crate::json;
use crate::tree::{Node, NodeId, NodeKind, Properties, Tree};
use std::collections::HashMap;
use std::ops::Range;

/// Assumed size of a node's text, to reserve memory; measured in catalogs.
const BYTES_PER_NODE: usize = 40;

/// Longer numbers may not fit 64 bits.
const SAFE_INTEGER_LEN: usize = 17;

/// The anchor and tag before a node, as byte ranges.
#[derive(Debug, Clone, Default)]
pub struct NodeProperties {
    pub anchor: Option<Range<u32>>,
    pub tag: Option<Range<u32>>,
}

impl NodeProperties {
    pub fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none()
    }
}

#[derive(Debug, Clone, Copy)]
struct Open {
    node: u32,
    is_mapping: bool,
    /// Whether the next child is a key, if it is a mapping.
    next_is_key: bool,
}

#[derive(Debug)]
pub struct Builder<'t> {
    text: &'t [u8],
    /// Length of the document; `text` may have one more line break.
    len: u32,
    tree: Tree,
    open: Vec<Open>,
    anchors: HashMap<&'t [u8], NodeId>,
    /// Offset of the `-` of the next item.
    pub dash: Option<u32>,
    /// End of the last node.
    end: u32,
}

impl<'t> Builder<'t> {
    pub fn new(text: &'t [u8], len: usize) -> Self {
        let mut tree = Tree::default();
        tree.nodes.reserve(len / BYTES_PER_NODE + 4);
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

    pub fn add_scalar(&mut self, kind: NodeKind, range: Range<u32>, properties: NodeProperties) {
        self.tree.suspicious |= self.is_suspicious(kind, &range);
        self.add_node(kind, range, properties);
    }

    /// Adds a node that is missing in the text, at the end of the last token.
    pub fn add_absent(&mut self, at: u32, properties: NodeProperties) {
        self.add_scalar(NodeKind::Absent, at..at, properties);
    }

    pub fn open(&mut self, kind: NodeKind, start: u32, properties: NodeProperties) {
        self.tree.suspicious |= self.expects_key();
        let node = self.add_node(kind, start..start, properties);
        self.open.push(Open {
            node: node.0,
            is_mapping: kind.is_mapping(),
            next_is_key: true,
        });
        self.tree.suspicious |= self.open.len() > json::MAX_DEPTH;
    }

    /// Closes the innermost collection. Without `end`, it ends where its last child ends.
    pub fn close(&mut self, end: Option<u32>) {
        let Some(open) = self.open.pop() else { return };
        let next = self.tree.nodes.len() as u32;
        self.end = end.unwrap_or(self.end).min(self.len);
        let node = &mut self.tree.nodes[open.node as usize];
        node.next = next;
        node.end = self.end.max(node.start);
    }

    /// Adds an alias; `false` if no anchor has that name.
    pub fn add_alias(&mut self, range: Range<u32>) -> bool {
        let name = &self.text[range.start as usize + 1..range.end as usize];
        let Some(&target) = self.anchors.get(name) else {
            return false;
        };
        let node = self.add_node(NodeKind::Alias, range, NodeProperties::default());
        self.tree.aliases.push((node, target));
        true
    }

    /// Records a `%TAG` directive.
    pub fn add_tag_prefix(&mut self, handle: &Range<u32>, prefix: &Range<u32>) {
        let bytes =
            |range: &Range<u32>| Box::from(&self.text[range.start as usize..range.end as usize]);
        self.tree.tag_prefixes.push((bytes(handle), bytes(prefix)));
    }

    /// Completes the tree. `block_indents` has the start and the given indentation of block
    /// scalars.
    pub fn finish(mut self, comments: Vec<Range<u32>>, block_indents: &[(u32, u32)]) -> Tree {
        let nodes = &mut self.tree.nodes;
        if let [root] = nodes[..]
            && root.kind == NodeKind::Absent
            && !root.has_properties
        {
            nodes.clear();
        }
        for &(at, indent) in block_indents {
            let index =
                nodes.partition_point(|n| n.start < at || (n.start == at && !is_block(n.kind)));
            if nodes
                .get(index)
                .is_some_and(|n| n.start == at && is_block(n.kind))
            {
                self.tree.block_indents.push((NodeId(index as u32), indent));
            }
        }
        self.tree.comments = comments;
        self.tree
    }

    fn add_node(
        &mut self,
        kind: NodeKind,
        range: Range<u32>,
        properties: NodeProperties,
    ) -> NodeId {
        let id = NodeId(self.tree.nodes.len() as u32);
        if let Some(open) = self.open.last_mut() {
            open.next_is_key = !open.next_is_key;
        }
        if let Some(dash) = self.dash.take() {
            self.tree.dashes.push((id, dash));
        }
        let (start, end) = (range.start.min(self.len), range.end.min(self.len));
        let has_properties = !properties.is_empty();
        self.tree.nodes.push(Node {
            start,
            end,
            next: id.0 + 1,
            kind,
            has_properties,
        });
        self.end = end;
        if has_properties {
            if let Some(anchor) = &properties.anchor {
                self.anchors.insert(
                    &self.text[anchor.start as usize + 1..anchor.end as usize],
                    id,
                );
            }
            self.tree.properties.push(Properties {
                node: id,
                anchor: properties.anchor,
                tag: properties.tag,
            });
        }
        id
    }

    /// Whether the next child of the innermost collection is a key.
    fn expects_key(&self) -> bool {
        let open = self.open.last();
        open.is_some_and(|open| open.is_mapping && open.next_is_key)
    }

    /// Whether Go's conversion to JSON might refuse this scalar. May be true needlessly.
    #[inline]
    fn is_suspicious(&self, kind: NodeKind, range: &Range<u32>) -> bool {
        let text = match kind {
            NodeKind::Absent => return self.expects_key(),
            NodeKind::Plain => &self.text[range.start as usize..range.end as usize],
            _ => return false,
        };
        match text {
            [b'.' | b'+' | b'-', rest @ ..] if rest.len() <= 4 => {
                rest.iter().any(|b| matches!(b, b'n' | b'N'))
            }
            _ if !self.expects_key() => false,
            [b'<', b'<'] | [b'~'] => true,
            [b'n' | b'N', rest @ ..] => rest.len() == 3 && rest.eq_ignore_ascii_case(b"ull"),
            [b'0'..=b'9' | b'+', ..] => text.len() > SAFE_INTEGER_LEN,
            _ => false,
        }
    }
}

fn is_block(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Literal | NodeKind::Folded)
}
