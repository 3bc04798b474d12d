//! Finds the errors that yaml.v2 reports when it decodes a whole document.

use super::dump::go_syntax;
use super::is_merge_key;
use crate::error::SyntaxError;
use crate::scalar;
use crate::tree::{Children, NodeId, NodeKind, Tree};
use std::collections::HashSet;

/// Fails like yaml.v2's decoder: for aliases that contain themselves or expand too far, tags that
/// do not fit, keys that are collections, and invalid merges.
pub fn check_decoding(tree: &Tree, text: &[u8], root: NodeId) -> Result<(), SyntaxError> {
    let mut decoder = Decoder {
        tree,
        text,
        counts: Counts {
            decoded: 1,
            ..Counts::default()
        },
        open_aliases: HashSet::new(),
        steps: vec![Step::Visit(root)],
    };
    while let Some(step) = decoder.steps.pop() {
        decoder.run(step)?;
    }
    Ok(())
}

#[derive(Debug)]
enum Step<'t> {
    Visit(NodeId),
    /// Leaves an alias whose target was visited.
    Leave(NodeId),
    Items(Children<'t>),
    Pairs(Children<'t>),
    /// Checks a key that was visited.
    Key(NodeId),
    /// Checks and visits one of the mappings to merge.
    MergeItem(NodeId),
}

struct Decoder<'t> {
    tree: &'t Tree,
    text: &'t [u8],
    counts: Counts,
    open_aliases: HashSet<NodeId>,
    /// Next step last.
    steps: Vec<Step<'t>>,
}

impl<'t> Decoder<'t> {
    fn run(&mut self, step: Step<'t>) -> Result<(), SyntaxError> {
        match step {
            Step::Visit(node) => return self.visit(node),
            Step::Leave(alias) => {
                self.open_aliases.remove(&alias);
                self.counts.alias_depth -= 1;
            }
            Step::Items(mut items) => {
                if let Some(item) = items.next() {
                    self.steps.push(Step::Items(items));
                    self.steps.push(Step::Visit(item));
                }
            }
            Step::Pairs(mut pairs) => {
                if let (Some(key), Some(value)) = (pairs.next(), pairs.next()) {
                    self.steps.push(Step::Pairs(pairs));
                    self.push_pair(key, value);
                }
            }
            Step::Key(key) => {
                let key = self.tree.resolve_alias(key);
                if !self.tree.kind(key).is_scalar() {
                    let value = go_syntax(self.tree, self.text, key);
                    return Err(self.error(key, format!("invalid map key: {value}")));
                }
            }
            Step::MergeItem(item) => {
                let target = self.tree.resolve_alias(item);
                if !self.tree.kind(target).is_mapping() {
                    let problem = "map merge requires map or sequence of maps as the value";
                    return Err(self.error(item, problem));
                }
                self.steps.push(Step::Visit(item));
            }
        }
        Ok(())
    }

    fn visit(&mut self, node: NodeId) -> Result<(), SyntaxError> {
        let range = self.tree.range(node);
        if !self.counts.add_node() {
            return Err(SyntaxError::excessive_aliasing(range.start));
        }
        match self.tree.kind(node) {
            NodeKind::Alias => {
                if !self.open_aliases.insert(node) {
                    let name = self.text.get(range.start + 1..range.end);
                    let name = String::from_utf8_lossy(name.unwrap_or_default());
                    let problem = format!("anchor '{name}' value contains itself");
                    return Err(self.error(node, problem));
                }
                self.counts.alias_depth += 1;
                self.steps.push(Step::Leave(node));
                let target = self.tree.resolve_alias(node);
                self.steps.push(Step::Visit(target));
            }
            kind if kind.is_mapping() => self.steps.push(Step::Pairs(self.tree.children(node))),
            kind if kind.is_sequence() => self.steps.push(Step::Items(self.tree.children(node))),
            _ if self.tree.node(node).has_properties => {
                scalar::resolve(self.tree, self.text, node)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn push_pair(&mut self, key: NodeId, value: NodeId) {
        if !is_merge_key(self.tree, self.text, key) {
            self.steps.push(Step::Visit(value));
            self.steps.push(Step::Key(key));
            self.steps.push(Step::Visit(key));
        } else if self.tree.kind(value).is_sequence() {
            let items = self.tree.children(value);
            self.steps.extend(items.map(Step::MergeItem));
        } else {
            self.steps.push(Step::MergeItem(value));
        }
    }

    fn error(&self, node: NodeId, problem: impl Into<String>) -> SyntaxError {
        SyntaxError::yaml(self.tree.range(node).start, 0, problem)
    }
}

/// The number of decoded nodes, and of those decoded because of an alias.
#[derive(Debug, Default)]
struct Counts {
    decoded: u64,
    by_alias: u64,
    alias_depth: u32,
}

impl Counts {
    /// Counts one node; false if aliases cause too much of the work, by the limits of yaml.v2.
    fn add_node(&mut self) -> bool {
        self.decoded += 1;
        self.by_alias += u64::from(self.alias_depth > 0);
        let allowed_ratio = match self.decoded {
            ..=400_000 => 0.99,
            4_000_000.. => 0.10,
            n => 0.99 - 0.89 * ((n - 400_000) as f64 / 3_600_000.0),
        };
        self.by_alias <= 100
            || self.decoded <= 1000
            || self.by_alias as f64 / self.decoded as f64 <= allowed_ratio
    }
}
