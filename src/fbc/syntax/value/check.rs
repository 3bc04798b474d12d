//! The part of Go's YAML decoding that can still fail after parsing, in the same order: tags that
//! do not fit, merges of values that are not maps, collections as keys, aliases that contain
//! themselves or expand too far.

use super::gosyntax::go_syntax;
use super::is_merge_key;
use crate::syntax::error::SyntaxError;
use crate::syntax::scalar;
use crate::syntax::tree::{Children, NodeId, NodeKind, Tree};
use std::collections::HashSet;

#[derive(Debug)]
enum CheckStep<'t> {
    Visit(NodeId),
    /// An alias whose target was visited.
    Leave(NodeId),
    Items(Children<'t>),
    Pairs(Children<'t>),
    /// A key that was visited.
    Key(NodeId),
    /// One of a list of mappings to merge.
    MergeItem(NodeId),
}

pub(super) fn decode(tree: &Tree, text: &[u8], root: NodeId) -> Result<(), SyntaxError> {
    let mut counts = Counts {
        decoded: 1,
        ..Counts::default()
    };
    let mut inside: HashSet<NodeId> = HashSet::new();
    let mut steps = vec![CheckStep::Visit(root)];
    while let Some(step) = steps.pop() {
        match step {
            CheckStep::Visit(node) => {
                let at = tree.range(node).start;
                if !counts.count() {
                    return Err(SyntaxError::yaml(
                        at,
                        0,
                        "document contains excessive aliasing",
                    ));
                }
                match tree.kind(node) {
                    NodeKind::Alias => {
                        if !inside.insert(node) {
                            let name = text.get(at + 1..tree.range(node).end).unwrap_or_default();
                            let name = String::from_utf8_lossy(name);
                            return Err(SyntaxError::yaml(
                                at,
                                0,
                                format!("anchor '{name}' value contains itself"),
                            ));
                        }
                        counts.depth += 1;
                        steps.push(CheckStep::Leave(node));
                        steps.push(CheckStep::Visit(tree.resolve_alias(node)));
                    }
                    kind if kind.is_mapping() => steps.push(CheckStep::Pairs(tree.children(node))),
                    kind if kind.is_sequence() => steps.push(CheckStep::Items(tree.children(node))),
                    _ if tree.node(node).has_properties => {
                        scalar::resolve(tree, text, node)?;
                    }
                    _ => {}
                }
            }
            CheckStep::Leave(alias) => {
                inside.remove(&alias);
                counts.depth -= 1;
            }
            CheckStep::Items(mut items) => {
                if let Some(item) = items.next() {
                    steps.push(CheckStep::Items(items));
                    steps.push(CheckStep::Visit(item));
                }
            }
            CheckStep::Pairs(mut pairs) => {
                let (Some(key), Some(value)) = (pairs.next(), pairs.next()) else {
                    continue;
                };
                steps.push(CheckStep::Pairs(pairs));
                if !is_merge_key(tree, text, key) {
                    steps.push(CheckStep::Visit(value));
                    steps.push(CheckStep::Key(key));
                    steps.push(CheckStep::Visit(key));
                } else if tree.kind(value).is_sequence() {
                    steps.extend(tree.children(value).map(CheckStep::MergeItem));
                } else {
                    steps.push(CheckStep::MergeItem(value));
                }
            }
            CheckStep::Key(key) => {
                let key = tree.resolve_alias(key);
                if !tree.kind(key).is_scalar() {
                    let problem = format!("invalid map key: {}", go_syntax(tree, text, key));
                    return Err(SyntaxError::yaml(tree.range(key).start, 0, problem));
                }
            }
            CheckStep::MergeItem(item) => {
                if !tree.kind(tree.resolve_alias(item)).is_mapping() {
                    let problem = "map merge requires map or sequence of maps as the value";
                    return Err(SyntaxError::yaml(tree.range(item).start, 0, problem));
                }
                steps.push(CheckStep::Visit(item));
            }
        }
    }
    Ok(())
}

/// How often nodes were decoded, and how often because of an alias.
#[derive(Debug, Default)]
struct Counts {
    decoded: u64,
    by_alias: u64,
    depth: u32,
}

impl Counts {
    /// Counts one node; `false` when aliases cause too much of the work.
    fn count(&mut self) -> bool {
        self.decoded += 1;
        self.by_alias += u64::from(self.depth > 0);
        let allowed = match self.decoded {
            ..=400_000 => 0.99,
            4_000_000.. => 0.10,
            n => 0.99 - 0.89 * ((n - 400_000) as f64 / 3_600_000.0),
        };
        self.by_alias <= 100
            || self.decoded <= 1000
            || self.by_alias as f64 / self.decoded as f64 <= allowed
    }
}
