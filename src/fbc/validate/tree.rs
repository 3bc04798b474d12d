//! The tree in which `opm` gathers the model rules (`opm-semantics` 2.5).

use crate::go_text::quote;
use crate::order::SortSmall;
use crate::place::Text;

/// A message and its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    pub text: String,
    pub children: Vec<TreeNode>,
}

/// A message and its position in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeLine {
    pub(super) channel: Option<Text>,
    pub(super) bundle: Option<Text>,
    /// After the package's channels, or after the channel's bundles.
    pub(super) after: bool,
    pub(super) text: String,
}

impl TreeNode {
    pub(super) fn leaf(text: String) -> Self {
        Self {
            text,
            children: Vec::new(),
        }
    }

    /// The tree of one package: its own lines, its channels by name, and their bundles by name.
    /// `None` without lines.
    pub(super) fn package(name: &str, mut lines: Vec<TreeLine>) -> Option<Self> {
        if lines.is_empty() {
            return None;
        }
        // Stable sort: lines at one position keep the order of the rules.
        lines.sort_small_by(|a, b| {
            let key = |l: &TreeLine| match &l.channel {
                None => (if l.after { 2 } else { 0 }, None, 0, None),
                Some(channel) => match &l.bundle {
                    None => (1, Some(channel.clone()), if l.after { 2 } else { 0 }, None),
                    Some(bundle) => (1, Some(channel.clone()), 1, Some(bundle.clone())),
                },
            };
            key(a).cmp(&key(b))
        });
        let mut package = Self::leaf(format!("invalid package {}", quote(name)));
        let (mut last_channel, mut last_bundle) = (None, None);
        for line in lines {
            let Some(channel) = line.channel else {
                package.children.push(Self::leaf(line.text));
                continue;
            };
            if last_channel.as_ref() != Some(&channel) {
                package
                    .children
                    .push(Self::leaf(format!("invalid channel {}", quote(&channel))));
                last_channel = Some(channel);
                last_bundle = None;
            }
            let Some(channel) = package.children.last_mut() else {
                continue;
            };
            let Some(bundle) = line.bundle else {
                channel.children.push(Self::leaf(line.text));
                continue;
            };
            if last_bundle.as_ref() != Some(&bundle) {
                channel
                    .children
                    .push(Self::leaf(format!("invalid bundle {}", quote(&bundle))));
                last_bundle = Some(bundle);
            }
            if let Some(bundle) = channel.children.last_mut() {
                bundle.children.push(Self::leaf(line.text));
            }
        }
        Some(package)
    }

    /// The rendered tree, without trailing white space.
    pub fn draw(&self) -> String {
        let mut out = String::new();
        self.draw_into(&mut out, "", "");
        out.truncate(out.trim_end().len());
        out
    }

    // At most four levels deep: index, package, channel, bundle.
    fn draw_into(&self, out: &mut String, own: &str, below: &str) {
        out.push_str(own);
        out.push_str(&self.text);
        out.push_str(if self.children.is_empty() {
            "\n"
        } else {
            ":\n"
        });
        for (i, child) in self.children.iter().enumerate() {
            let last = i + 1 == self.children.len();
            let (branch, stem) = if last {
                ("└── ", "    ")
            } else {
                ("├── ", "│   ")
            };
            child.draw_into(out, &format!("{below}{branch}"), &format!("{below}{stem}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(channel: Option<&str>, bundle: Option<&str>, after: bool, text: &str) -> TreeLine {
        TreeLine {
            channel: channel.map(Text::from),
            bundle: bundle.map(Text::from),
            after,
            text: text.to_owned(),
        }
    }

    #[test]
    fn draws_what_belongs_together() {
        let lines = vec![
            line(None, None, true, "duplicate"),
            line(Some("b"), None, true, "deprecation"),
            line(Some("b"), Some("x"), false, "one"),
            line(Some("b"), None, false, "graph"),
            line(Some("b"), Some("x"), false, "two"),
            line(Some("a"), None, false, "empty"),
        ];
        let root = TreeNode {
            text: "invalid index".to_owned(),
            children: TreeNode::package("p", lines).into_iter().collect(),
        };
        expect_test::expect![[r#"
            invalid index:
            └── invalid package "p":
                ├── invalid channel "a":
                │   └── empty
                ├── invalid channel "b":
                │   ├── graph
                │   ├── invalid bundle "x":
                │   │   ├── one
                │   │   └── two
                │   └── deprecation
                └── duplicate"#]]
        .assert_eq(&root.draw());
        assert_eq!(TreeNode::package("p", vec![]), None);
    }
}
