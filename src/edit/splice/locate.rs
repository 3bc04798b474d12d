//! Resolves a path to a node and its surroundings, and refuses paths based on the nodes along them.

use super::Document;
use crate::patch::{Action, DisplayPath, Patch, PatchRefusal, PathSegment, RefusalKind};
use std::ops::Range;
use syntax::tree::{NodeId, NodeKind};
use syntax::value::is_merge_key;

/// Maximum number of neighbours whose style is examined, nearest first.
const MAX_PEERS: usize = 48;

/// A value with its key, ancestors and neighbours.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub node: NodeId,
    /// Its key, for a mapping's value.
    pub key: Option<NodeId>,
    /// The key to add to the mapping `node`, if the path leads to a key that it lacks.
    pub new_key: Option<String>,
    /// The enclosing collections, outermost first.
    ancestors: Vec<Parent>,
    /// Corresponding values in neighbouring items, nearest first; their style is copied.
    pub peers: Vec<NodeId>,
}

/// A collection that holds a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    pub node: NodeId,
    /// The collection's own key, if it is a mapping's value.
    pub key: Option<NodeId>,
    /// Index of the value among the items, or of its key among the keys.
    pub position: usize,
}

impl Target {
    /// Returns the collection that contains the value; `None` for the blob itself.
    pub fn parent(&self) -> Option<Parent> {
        self.ancestors.last().copied()
    }

    /// Returns the value and its neighbours.
    pub fn with_peers(&self) -> Vec<NodeId> {
        [&[self.node], &self.peers[..]].concat()
    }

    fn descend(self, document: Document<'_>, step: &PathSegment, child: Child) -> Self {
        let peers = find_peers(document, &self, step);
        let mut ancestors = self.ancestors;
        ancestors.push(Parent {
            node: self.node,
            key: self.key,
            position: child.position,
        });
        Self {
            node: child.node,
            key: child.key,
            new_key: None,
            ancestors,
            peers,
        }
    }
}

/// Finds the value at a patch's path, or the mapping that lacks its last key.
pub(crate) fn locate(document: Document<'_>, patch: &Patch) -> Result<Target, PatchRefusal> {
    let tree = document.tree;
    let Some(root) = tree.root() else {
        return Err(document.refuse_at(0..0, RefusalKind::NotThere, "the blob is empty"));
    };
    let mut target = Target {
        node: root,
        key: None,
        new_key: None,
        ancestors: Vec::new(),
        peers: Vec::new(),
    };
    for (depth, step) in patch.path.iter().enumerate() {
        check_not_aliased(document, target.node, &patch.path[..depth])?;
        let action = (depth + 1 == patch.path.len()).then_some(&patch.action);
        let child = match step {
            PathSegment::Key(name) if tree.kind(target.node).is_mapping() => {
                let child = find_key(document, target.node, name)?;
                if child.is_none()
                    && let Some(source) = find_merged(document, target.node, name)
                {
                    return Err(refuse_inherited(document, source, &patch.path[..=depth]));
                }
                if child.is_none() && matches!(action, Some(Action::Set { .. })) {
                    check_merge_keys(document, target.node, None, true)?;
                    target.new_key = Some(name.clone());
                    return Ok(target);
                }
                if let Some(Child { key, .. }) = child {
                    let changes_keys = matches!(action, Some(Action::Remove));
                    check_merge_keys(document, target.node, key, changes_keys)?;
                }
                child
            }
            PathSegment::Index(index) if tree.kind(target.node).is_sequence() => {
                let node = tree.children(target.node).nth(*index);
                node.map(|node| Child {
                    node,
                    key: None,
                    position: *index,
                })
            }
            PathSegment::Key(_) | PathSegment::Index(_) => None,
        };
        let Some(child) = child else {
            let path = DisplayPath(&patch.path[..=depth]).to_string();
            let reason = format!("there is no {path} here");
            return Err(document.refuse(target.node, RefusalKind::NotThere, reason));
        };
        target = target.descend(document, step, child);
    }
    check_target(document, &target, patch)?;
    Ok(target)
}

/// A value in a collection.
#[derive(Clone, Copy)]
struct Child {
    node: NodeId,
    key: Option<NodeId>,
    position: usize,
}

/// Refuses a target whose change would affect other values, or a position outside its list.
fn check_target(
    document: Document<'_>,
    target: &Target,
    patch: &Patch,
) -> Result<(), PatchRefusal> {
    let tree = document.tree;
    match &patch.action {
        Action::Set { .. } | Action::Remove => {
            check_no_properties(document, target.node, &patch.path)?;
        }
        Action::InsertItem { at, .. } => {
            check_not_aliased(document, target.node, &patch.path)?;
            if !tree.kind(target.node).is_sequence() || *at > tree.children(target.node).count() {
                return Err(document.refuse(
                    target.node,
                    RefusalKind::NotThere,
                    format!("there is no item {at} here"),
                ));
            }
        }
    }
    Ok(())
}

/// Whether Go treats the names as one field (ignoring case).
pub(crate) fn is_same_field(a: &str, b: &str) -> bool {
    a == b || fold_case(a).eq(fold_case(b))
}

/// Returns a field's name as Go compares it.
pub(crate) fn fold_case(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(|c| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    })
}

fn find_key(
    document: Document<'_>,
    mapping: NodeId,
    name: &str,
) -> Result<Option<Child>, PatchRefusal> {
    let mut matches = document
        .tree
        .pairs(mapping)
        .enumerate()
        .filter(|(_, (key, _))| {
            document
                .string(*key)
                .is_some_and(|text| is_same_field(&text, name))
        });
    let first = matches.next();
    match matches.next() {
        Some((_, (second, _))) => {
            let reason =
                format!("{name} is written more than once here, and readers take the last one");
            Err(document.refuse(second, RefusalKind::DuplicateKey, reason))
        }
        None => Ok(first.map(|(position, (key, node))| Child {
            node,
            key: Some(key),
            position,
        })),
    }
}

/// Finds the mapping that `name` is merged from, directly or through other mappings.
fn find_merged(document: Document<'_>, mapping: NodeId, name: &str) -> Option<NodeId> {
    let tree = document.tree;
    let (mut sources, mut next) = (vec![mapping], 0);
    while let Some(&source) = sources.get(next) {
        next += 1;
        for (key, value) in tree.pairs(source) {
            if is_merge_key(tree, document.text, key) {
                let value = tree.resolve_alias(value);
                let items = tree.children(value).map(|item| tree.resolve_alias(item));
                let merged: Vec<NodeId> = if tree.kind(value).is_sequence() {
                    items.collect()
                } else {
                    vec![value]
                };
                for source in merged {
                    if !sources.contains(&source) {
                        sources.push(source);
                    }
                }
            } else if source != mapping
                && document
                    .string(key)
                    .is_some_and(|text| is_same_field(&text, name))
            {
                return Some(source);
            }
        }
    }
    None
}

/// Refuses a change of a value that is written at `source`, at its anchor if it has one.
fn refuse_inherited(document: Document<'_>, source: NodeId, path: &[PathSegment]) -> PatchRefusal {
    let anchor = document
        .tree
        .properties(source)
        .and_then(|properties| properties.anchor.clone());
    let Some(anchor) = anchor else {
        let reason = format!("{} comes from a mapping merged with <<", DisplayPath(path));
        return document.refuse(source, RefusalKind::Inherited, reason);
    };
    let anchor = anchor.start as usize..anchor.end as usize;
    let name = String::from_utf8_lossy(&document.text[anchor.clone()]);
    let reason = format!(
        "the value of {} comes from an alias: it is written at {name}",
        DisplayPath(path)
    );
    document.refuse_at(anchor, RefusalKind::Inherited, reason)
}

/// Refuses to change the target of an alias, which would change all its uses.
fn check_not_aliased(
    document: Document<'_>,
    node: NodeId,
    path: &[PathSegment],
) -> Result<(), PatchRefusal> {
    let tree = document.tree;
    if tree.kind(node) == NodeKind::Alias {
        return Err(refuse_inherited(document, tree.resolve_alias(node), path));
    }
    let anchored = tree
        .properties(node)
        .is_some_and(|properties| properties.anchor.is_some());
    let mut nodes = (0..tree.len() as u32).map(NodeId);
    let alias = anchored
        .then(|| nodes.find(|&n| tree.kind(n) == NodeKind::Alias && tree.resolve_alias(n) == node));
    match alias.flatten() {
        Some(alias) => {
            let reason = "this is used again through an alias, so the change would show there too";
            Err(document.refuse(alias, RefusalKind::Alias, reason))
        }
        None => Ok(()),
    }
}

/// Refuses a change that a merge key could override. Go's reader lets the later of a merge key and
/// a plain key win. So a change below a key after all merge keys is safe; the mapping's own keys
/// are never changed.
fn check_merge_keys(
    document: Document<'_>,
    mapping: NodeId,
    key: Option<NodeId>,
    changes_keys: bool,
) -> Result<(), PatchRefusal> {
    let tree = document.tree;
    let keys = tree.pairs(mapping).map(|(key, _)| key);
    match keys
        .filter(|&key| is_merge_key(tree, document.text, key))
        .last()
    {
        Some(merge) if changes_keys || key.is_none_or(|key| key < merge) => {
            let reason = "this mapping merges keys from another one (<<)";
            Err(document.refuse(merge, RefusalKind::MergeKey, reason))
        }
        _ => Ok(()),
    }
}

/// Refuses a value that contains anchors, tags or aliases, so no alias depends on it.
fn check_no_properties(
    document: Document<'_>,
    node: NodeId,
    path: &[PathSegment],
) -> Result<(), PatchRefusal> {
    let tree = document.tree;
    let subtree = node.0..tree.node(node).next.max(node.0 + 1);
    for id in subtree.map(NodeId) {
        if tree.kind(id) == NodeKind::Alias {
            return Err(refuse_inherited(document, tree.resolve_alias(id), path));
        }
        if tree.node(id).has_properties {
            return Err(document.refuse(
                id,
                RefusalKind::AnchorOrTag,
                "this has an anchor or a tag",
            ));
        }
    }
    Ok(())
}

/// Returns the neighbours of the value that a step from `from` leads to.
fn find_peers(document: Document<'_>, from: &Target, step: &PathSegment) -> Vec<NodeId> {
    match step {
        PathSegment::Index(index) => {
            let mut peers = nearest_items(document, from, *index..*index + 1);
            peers.truncate(MAX_PEERS);
            peers
        }
        PathSegment::Key(name) => values_of_key(document, &from.peers, name),
    }
}

/// Returns the items of a list outside `skipped`, nearest to it first (previous, next, …), then
/// those of neighbouring lists.
pub(super) fn nearest_items(
    document: Document<'_>,
    list: &Target,
    skipped: Range<usize>,
) -> Vec<NodeId> {
    let items: Vec<NodeId> = document.tree.children(list.node).collect();
    let mut before = items.iter().take(skipped.start).rev();
    let mut after = items.iter().skip(skipped.end);
    let pairs = std::iter::from_fn(|| {
        let pair = [before.next(), after.next()];
        (pair != [None, None]).then_some(pair)
    });
    let mut nearest: Vec<NodeId> = pairs.flatten().flatten().copied().take(MAX_PEERS).collect();
    nearest.extend(list_items(document, &list.peers));
    nearest
}

pub(super) fn list_items(document: Document<'_>, lists: &[NodeId]) -> Vec<NodeId> {
    let lists = lists
        .iter()
        .filter(|&&list| document.tree.kind(list).is_sequence());
    lists
        .flat_map(|&list| document.tree.children(list).take(MAX_PEERS))
        .take(MAX_PEERS)
        .collect()
}

pub(super) fn values_of_key(
    document: Document<'_>,
    mappings: &[NodeId],
    name: &str,
) -> Vec<NodeId> {
    mappings
        .iter()
        .filter_map(|&mapping| {
            let mut pairs = document.tree.pairs(mapping);
            pairs
                .find(|(key, _)| document.string(*key).as_deref() == Some(name))
                .map(|(_, value)| value)
        })
        .collect()
}
