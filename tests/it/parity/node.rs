//! Values between text and meaning: duplicate keys, spellings of scalars, tags and anchors are
//! preserved.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// Written unchanged in any format.
    Raw(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// A tag or an anchor, and its node.
    Marked(String, Box<Node>),
}

/// The path to a node: a child's index at each step. In a mapping, keys have even indices.
pub(crate) type NodePath = Vec<usize>;

pub(crate) fn text(text: &str) -> Node {
    Node::Text(text.to_owned())
}

pub(crate) fn raw(text: &str) -> Node {
    Node::Raw(text.to_owned())
}

pub(crate) fn map<const N: usize>(entries: [(&str, Node); N]) -> Node {
    Node::Map(
        entries
            .into_iter()
            .map(|(key, value)| (text(key), value))
            .collect(),
    )
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(s) => Node::Text(s.clone()),
            Value::Array(items) => Node::List(items.iter().map(Node::from).collect()),
            Value::Object(entries) => Node::Map(
                entries
                    .iter()
                    .map(|(k, v)| (Node::Text(k.clone()), Node::from(v)))
                    .collect(),
            ),
            other => Node::Raw(other.to_string()),
        }
    }
}

impl Node {
    /// A mapping's value by key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let Node::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(k, _)| matches!(k, Node::Text(t) if t == key))
            .map(|(_, v)| v)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Node::Map(entries) = self else {
            return None;
        };
        entries
            .iter_mut()
            .find(|(k, _)| matches!(k, Node::Text(t) if t == key))
            .map(|(_, v)| v)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn set(&mut self, key: &str, value: Node) {
        match self.get_mut(key) {
            Some(old) => *old = value,
            None => {
                if let Node::Map(entries) = self {
                    entries.push((text(key), value));
                }
            }
        }
    }

    pub(crate) fn list_mut(&mut self, key: &str) -> Option<&mut Vec<Node>> {
        match self.get_mut(key)? {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    /// The paths to all nodes, on request including keys.
    pub(crate) fn paths(&self, keys: bool) -> Vec<NodePath> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), keys, &mut found);
        found
    }

    fn collect(&self, path: &mut NodePath, keys: bool, found: &mut Vec<NodePath>) {
        found.push(path.clone());
        let mut child = |number: usize, node: &Node| {
            path.push(number);
            node.collect(path, keys, found);
            path.pop();
        };
        match self {
            Node::List(items) => items
                .iter()
                .enumerate()
                .for_each(|(i, item)| child(i, item)),
            Node::Map(entries) => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    if keys {
                        child(2 * i, key);
                    }
                    child(2 * i + 1, value);
                }
            }
            Node::Marked(_, inner) => child(0, inner),
            Node::Raw(_) | Node::Text(_) => {}
        }
    }

    pub(crate) fn at(&self, path: &[usize]) -> &Node {
        let Some((&number, rest)) = path.split_first() else {
            return self;
        };
        match self {
            Node::List(items) => items[number].at(rest),
            Node::Map(entries) if number % 2 == 0 => entries[number / 2].0.at(rest),
            Node::Map(entries) => entries[number / 2].1.at(rest),
            Node::Marked(_, inner) => inner.at(rest),
            Node::Raw(_) | Node::Text(_) => self,
        }
    }

    pub(crate) fn at_mut(&mut self, path: &[usize]) -> &mut Node {
        let Some((&number, rest)) = path.split_first() else {
            return self;
        };
        match self {
            Node::List(items) => items[number].at_mut(rest),
            Node::Map(entries) => {
                let (key, value) = &mut entries[number / 2];
                (if number % 2 == 0 { key } else { value }).at_mut(rest)
            }
            Node::Marked(_, inner) => inner.at_mut(rest),
            Node::Raw(_) | Node::Text(_) => panic!("a path leads through a scalar"),
        }
    }
}
