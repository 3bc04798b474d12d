//! The span tree of one document: 16 bytes per node, no copies of the text.
//!
//! A tree is valid only together with the text that it was parsed from. Nodes are in document
//! order, a parent before its children; the children of a mapping alternate key, value.

use std::ops::Range;

/// The language of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Format {
    Yaml,
    Json,
}

/// What a node is, and how it is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NodeKind {
    BlockMapping,
    FlowMapping,
    BlockSequence,
    FlowSequence,
    /// A plain scalar; in JSON a number, `true`, `false` or `null`.
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// `*name`
    Alias,
    /// A value that is missing in the text (`key:` at the end of a line); its range is empty.
    Absent,
}

impl NodeKind {
    pub fn is_mapping(self) -> bool {
        matches!(self, NodeKind::BlockMapping | NodeKind::FlowMapping)
    }

    pub fn is_sequence(self) -> bool {
        matches!(self, NodeKind::BlockSequence | NodeKind::FlowSequence)
    }

    pub fn is_flow(self) -> bool {
        matches!(self, NodeKind::FlowMapping | NodeKind::FlowSequence)
    }

    pub fn is_scalar(self) -> bool {
        !self.is_mapping() && !self.is_sequence() && self != NodeKind::Alias
    }
}

/// One node. Ranges are bytes of the document:
/// - a scalar: its text with its quotes; a block scalar from its `|` or `>` to the end of its last
///   line, without the final line break (blank lines at the end belong to it only with `+`); tags
///   and anchors are outside (see [`Properties`]);
/// - a flow collection: from bracket to bracket; a pair without braces in a flow sequence
///   (`[a: b]`) is a flow mapping from its key to the end of its value;
/// - a block mapping: from its first key (its `?`, tag or anchor included) to the end of its last
///   value;
/// - a block sequence: from its first `-` to the end of its last item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub start: u32,
    pub end: u32,
    /// Index of the first node after this one's subtree.
    pub next: u32,
    pub kind: NodeKind,
    /// Whether a [`Properties`] record exists for this node.
    pub has_properties: bool,
}

/// The tag and anchor written before a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    pub node: NodeId,
    /// With its `&`.
    pub anchor: Option<Range<u32>>,
    /// As written, with its `!`s.
    pub tag: Option<Range<u32>>,
}

/// Index of a node in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A handle of `%TAG` and its prefix.
pub(crate) type TagPrefix = (Box<[u8]>, Box<[u8]>);

/// The span tree of one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Sorted by node.
    pub(crate) properties: Vec<Properties>,
    /// For each item of a block sequence, in node order: the item and the byte of its `-`.
    pub(crate) dashes: Vec<(NodeId, u32)>,
    /// Alias node to the node it names, sorted by alias.
    pub(crate) aliases: Vec<(NodeId, NodeId)>,
    /// Byte ranges of the comments, from `#` to before the line break, in text order.
    pub(crate) comments: Vec<Range<u32>>,
    /// Indentation of the block scalars that name it (`|2`), sorted by node.
    pub(crate) block_indents: Vec<(NodeId, u32)>,
    /// Handles of `%TAG` directives and the prefixes that they represent, as written.
    pub(crate) tag_prefixes: Vec<TagPrefix>,
    /// Whether the full conversion must check this document: a merge key, a key that is not text,
    /// an infinity, a number out of range, or nesting beyond what JSON allows. May be true
    /// needlessly, but never wrongly false.
    pub(crate) suspicious: bool,
    /// Whether escapes are JSON's, not YAML's.
    pub(crate) json: bool,
}

impl Tree {
    /// Returns the root node; `None` for an empty document (blanks and comments).
    pub fn root(&self) -> Option<NodeId> {
        (!self.nodes.is_empty()).then_some(NodeId(0))
    }

    pub fn format(&self) -> Format {
        if self.json {
            Format::Json
        } else {
            Format::Yaml
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }

    pub fn range(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// Iterates over direct children in text order; in a mapping, keys and values alternate.
    pub fn children(&self, id: NodeId) -> Children<'_> {
        let kind = self.kind(id);
        let end = if kind.is_mapping() || kind.is_sequence() {
            self.node(id).next
        } else {
            id.0 + 1
        };
        Children {
            tree: self,
            at: id.0 + 1,
            end,
        }
    }

    /// Iterates over keys and values of a mapping in text order, as written, including duplicates
    /// and merge keys. Empty for other nodes.
    pub fn pairs(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let mut children = self.kind(id).is_mapping().then(|| self.children(id));
        std::iter::from_fn(move || {
            let children = children.as_mut()?;
            Some((children.next()?, children.next()?))
        })
    }

    pub fn properties(&self, id: NodeId) -> Option<&Properties> {
        if !self.node(id).has_properties {
            return None;
        }
        self.properties
            .binary_search_by_key(&id, |p| p.node)
            .ok()
            .map(|i| &self.properties[i])
    }

    /// Returns the byte of the `-` that begins an item of a block sequence.
    pub fn dash(&self, item: NodeId) -> Option<usize> {
        find_by_node(&self.dashes, item).map(|&dash| dash as usize)
    }

    /// Returns the node itself, or the target of an alias.
    pub fn resolve_alias(&self, id: NodeId) -> NodeId {
        find_by_node(&self.aliases, id).copied().unwrap_or(id)
    }

    /// Returns the comments, from `#` to before the line break, in text order.
    pub fn comments(&self) -> &[Range<u32>] {
        &self.comments
    }

    /// Makes all positions relative to byte `offset` of the text, and drops comments before it.
    pub(crate) fn rebase(&mut self, offset: u32) {
        for node in &mut self.nodes {
            node.start = node.start.saturating_sub(offset);
            node.end = node.end.saturating_sub(offset);
        }
        for dash in &mut self.dashes {
            dash.1 = dash.1.saturating_sub(offset);
        }
        self.comments.retain(|c| c.start >= offset);
        let properties = self.properties.iter_mut();
        let ranges = properties.flat_map(|p| p.anchor.iter_mut().chain(&mut p.tag));
        for range in ranges.chain(&mut self.comments) {
            *range = range.start.saturating_sub(offset)..range.end.saturating_sub(offset);
        }
    }

    /// Whether the document uses anchors, aliases or tags anywhere.
    pub fn has_properties_or_aliases(&self) -> bool {
        !self.properties.is_empty() || !self.aliases.is_empty()
    }
}

/// Finds the value of a node in a list sorted by node.
pub(crate) fn find_by_node<T>(values: &[(NodeId, T)], node: NodeId) -> Option<&T> {
    let index = values.binary_search_by_key(&node, |value| value.0).ok()?;
    Some(&values[index].1)
}

/// Iterates over the direct children of a node.
#[derive(Debug, Clone)]
pub struct Children<'a> {
    tree: &'a Tree,
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.at >= self.end {
            return None;
        }
        let id = NodeId(self.at);
        self.at = self.tree.nodes[self.at as usize].next;
        Some(id)
    }
}
